"""Which kernel, blocks and splits to decode with, from target, heads, batch and context. Imports no torch.

Upstream chooses its number of splits from the context alone. A batch of 64 with 128 heads then launches
thousands of programs that each do little, and a batch of one with 16 heads fewer than the card has places.
Here the splits come from a model of the launch (`split_kv.splits`). A plan holds for any contexts: they are
divided by the number of splits where they are known, on the card, so a captured graph stays right.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from math import ceil

from gpu_gotchas.fixes.split_kv.forms import KvForm, Widening, refuse_what_lacks, widening_for
from gpu_gotchas.fixes.split_kv.splits import SCRATCH_BUDGET, choose_splits
from gpu_gotchas.hardware.targets import Target, Vendor


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
    refuse_what_lacks(target, form, widening, what="MLA decode")
    base = _blocks(target, form, heads, gluon=gluon)
    base = replace(
        base, widening=widening or widening_for(target, form, triton=base.kernel is Kernel.PORTABLE)
    )
    splits = choose_splits(
        programs=batch * base.head_blocks(heads),
        blocks=ceil(context / base.kv_block),
        resident=base.resident,
        multiprocessors=multiprocessors,
        partial_bytes=replace(base, splits=2).scratch_bytes(batch, heads, latent) // 2,
        budget=scratch_budget,
    )
    return replace(base, splits=splits)


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
