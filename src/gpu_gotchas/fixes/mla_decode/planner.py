"""Which kernel, blocks and splits to decode with, from target, heads, batch and context. Imports no torch.

Upstream chooses its number of splits from the context alone. A batch of 64 with 128 heads then launches
thousands of programs that each do little, and a batch of one with 16 heads fewer than the card has places.
Here the splits come from a small model of the launch: how many programs run at once, how many blocks of
tokens each has to go through, and what it costs to start a program and to merge.

Figures in the model are rounded from measurements on an H200. A plan holds for any contexts: they are
divided by the number of splits where they are known, on the card, so a captured graph stays right.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from math import ceil

from gpu_gotchas.fixes.mla_decode.forms import KvForm, Widening, widening_for
from gpu_gotchas.fixes.refused import Refused
from gpu_gotchas.hardware.targets import Target, Vendor

SCRATCH_BUDGET = 256 << 20
"""Bytes of partial results that a plan may ask for, unless told otherwise."""

_MOST_SPLITS = 512
_PROGRAM = 2.0  # what a program costs besides its blocks, in blocks
_MERGE = 1.5  # what merging costs at least, in blocks
_MERGE_BYTES_A_BLOCK = (
    4.0e6  # partial bytes that are written and merged in the time of one block, on all of a card
)


class Kernel(Enum):
    """Which kernel runs: PORTABLE everywhere, the others on compute capability 9.0."""

    PORTABLE = "portable"
    FEW_HEADS = "few-heads"
    MANY_HEADS = "many-heads"


@dataclass(frozen=True, slots=True)
class Plan:
    """A launch. head_block, kv_block: heads and tokens a program works on at a time. warps, stages: Triton's.

    splits: parts that a context is cut into. resident: programs that share a multiprocessor.
    """

    kernel: Kernel
    form: KvForm
    widening: Widening
    head_block: int
    kv_block: int
    warps: int
    stages: int
    resident: int
    splits: int = 1

    def head_blocks(self, heads: int) -> int:
        return ceil(heads / self.head_block)

    def scratch_bytes(self, batch: int, heads: int, latent: int = 512) -> int:
        """Bytes of scratch for this many requests: float32 results and log-sum-exps of every split."""
        return 0 if self.splits == 1 else batch * heads * self.splits * (latent + 1) * 4


def plan(
    target: Target,
    form: KvForm,
    *,
    heads: int,
    batch: int,
    context: int,
    multiprocessors: int,
    latent: int = 512,
    scratch_budget: int = SCRATCH_BUDGET,
    widening: Widening | None = None,
    gluon: bool = True,
) -> Plan:
    """The plan for at most `batch` requests of at most `context` tokens; more of either stays right.

    heads: query heads on this card. multiprocessors: of the card. scratch_budget: bytes, see
    `Plan.scratch_bytes`. widening: another than the target's fastest. gluon: False for the portable kernel
    where another would be taken.

    Raises ValueError for sizes that are none, Refused where the target cannot hold the form.
    """
    if min(heads, batch, context, multiprocessors) < 1:
        raise ValueError("heads, batch, context and multiprocessors must be at least 1")
    _check(target, form, widening)
    base = _blocks(target, form, heads, gluon=gluon)
    base = replace(
        base, widening=widening or widening_for(target, form, triton=base.kernel is Kernel.PORTABLE)
    )
    splits = choose_splits(base, heads, batch, context, multiprocessors, latent, scratch_budget)
    return replace(base, splits=splits)


def choose_splits(
    base: Plan, heads: int, batch: int, context: int, multiprocessors: int, latent: int, scratch_budget: int
) -> int:
    """The number of splits with the least modelled time; the smaller of equals."""
    blocks = ceil(context / base.kv_block)
    rows = batch * base.head_blocks(heads)
    best, least = 1, float("inf")
    for splits in range(1, min(blocks, _MOST_SPLITS) + 1):
        each = ceil(blocks / splits)
        if splits > 1 and ceil(blocks / each) != splits:
            continue  # the last ones would be empty
        candidate = replace(base, splits=splits)
        if candidate.scratch_bytes(batch, heads, latent) > scratch_budget:
            break
        cost = _cost(candidate, rows, each, multiprocessors) + _merge_cost(candidate, batch, heads, latent)
        if cost < least:
            best, least = splits, cost
    return best


def _cost(plan: Plan, rows: int, each: int, multiprocessors: int) -> float:
    """Time of the launch in blocks of one program that has a multiprocessor to itself."""
    programs = rows * plan.splits
    sharing = min(plan.resident, ceil(programs / multiprocessors))
    waves = ceil(programs / (multiprocessors * sharing))
    return waves * (each + _PROGRAM) * (1.0 if sharing == 1 else 0.85 * sharing)


def _merge_cost(plan: Plan, batch: int, heads: int, latent: int) -> float:
    moved = plan.scratch_bytes(batch, heads, latent)
    return _MERGE + moved / _MERGE_BYTES_A_BLOCK if moved else 0.0


def _check(target: Target, form: KvForm, widening: Widening | None) -> None:
    capability = target.capability
    if capability is not None and capability < (7, 5):
        raise Refused(
            capability=target.name,
            setting="MLA decode",
            way_out="use a card of compute capability 7.5 or later",
        )
    if form is KvForm.BF16 and capability is not None and capability < (8, 0):
        raise Refused(
            capability=target.name,
            setting="a bfloat16 KV cache",
            way_out="keep the cache in float16 or FP8, which is decoded in software",
        )
    lacks = capability is None or capability < (8, 9)
    if widening is Widening.INSTRUCTION and lacks:
        raise Refused(
            capability=target.name,
            setting="converting FP8 by instruction",
            way_out="leave the choice of widening to the planner",
        )
    if widening is Widening.BITS and target.vendor is not Vendor.NVIDIA:
        raise Refused(
            capability=target.name, setting="PTX", way_out="leave the choice of widening to the planner"
        )


def _blocks(target: Target, form: KvForm, heads: int, *, gluon: bool) -> Plan:
    """Blocks that fit the target's shared memory and registers; the tests compile every one of them."""
    if gluon and target.capability == (9, 0):
        if heads > 16:
            return Plan(Kernel.MANY_HEADS, form, Widening.NONE, 64, 64, warps=8, stages=1, resident=1)
        resident = 2 if form is KvForm.FP8 else 1
        return Plan(Kernel.FEW_HEADS, form, Widening.NONE, 16, 64, warps=4, stages=1, resident=resident)
    if target.shared_optin < 96 << 10:
        if target.vendor is Vendor.NVIDIA:
            return Plan(Kernel.PORTABLE, form, Widening.NONE, 8, 16, warps=8, stages=1, resident=1)
        return Plan(Kernel.PORTABLE, form, Widening.NONE, 16, 32, warps=8, stages=1, resident=1)
    # Four warps were up to 1.6 times as fast as eight on an H200, which ran this kernel for comparison.
    # From 10.0 on, widening leaves too few registers for 32 heads.
    crowded = form is KvForm.FP8 and (target.capability or (0, 0)) >= (10, 0)
    head_block = 32 if heads > 16 and not crowded else 16
    resident = 2 if target.shared_optin >= 160 << 10 else 1
    return Plan(Kernel.PORTABLE, form, Widening.NONE, head_block, 32, warps=4, stages=2, resident=resident)
