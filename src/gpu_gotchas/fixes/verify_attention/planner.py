"""Blocks and splits of a verify step, from target, heads, batch and context. Imports no torch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil

from gpu_gotchas.fixes.argument_types import of_type
from gpu_gotchas.fixes.split_kv.forms import KvForm, Widening, refuse_what_lacks, widening_for
from gpu_gotchas.fixes.split_kv.grouped_heads import check_heads
from gpu_gotchas.fixes.split_kv.splits import SCRATCH_BUDGET, choose_splits
from gpu_gotchas.fixes.whole_numbers import whole
from gpu_gotchas.hardware.targets import Target, Vendor

MOST_QUERIES = 64
"""Query tokens of a sequence: a row of a tree mask is one 64-bit word."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A launch for `queries` tokens a sequence, `heads` query heads over `kv_heads` heads of size `head`.

    row_block: rows a program works on, a row being one query token in one head. kv_block: tokens it reads at
    a time. warps, stages: Triton's. resident: programs that share a multiprocessor. splits: parts that a
    context is cut into.
    """

    form: KvForm
    widening: Widening
    queries: int
    heads: int
    kv_heads: int
    head: int
    row_block: int
    kv_block: int
    warps: int
    stages: int
    resident: int
    splits: int = 1

    @property
    def row_blocks(self) -> int:
        """Programs that one KV head of one request takes, for each split."""
        return ceil(self.queries * (self.heads // self.kv_heads) / self.row_block)

    def scratch_elements(self, requests: int) -> int:
        """float32 elements of scratch: results and log-sum-exps of every split."""
        rows = requests * self.queries * self.heads
        return 0 if self.splits == 1 else rows * self.splits * (self.head + 1)


def plan(
    target: Target,
    form: KvForm,
    *,
    queries: int,
    heads: int,
    kv_heads: int,
    head: int,
    batch: int,
    context: int,
    multiprocessors: int,
    scratch_budget: int = SCRATCH_BUDGET,
    widening: Widening | None = None,
) -> Plan:
    """The plan for `batch` requests of at most `context` tokens; more or fewer of either stay right.

    queries: the most query tokens of a request. heads, kv_heads: on this card. multiprocessors: of the card.
    scratch_budget: bytes of partial results. widening: another than the target's fastest.

    Raises ValueError for sizes that are none and for other types, Refused where the target cannot hold the
    form.
    """
    of_type("target", target, Target)
    of_type("form", form, KvForm)
    if widening is not None:
        of_type("widening", widening, Widening)
    whole("queries", queries, most=MOST_QUERIES)
    sizes = {"heads": heads, "kv_heads": kv_heads, "head": head, "batch": batch, "context": context}
    for name, size in {**sizes, "multiprocessors": multiprocessors}.items():
        whole(name, size)
    whole("scratch_budget", scratch_budget, 0)
    check_heads(heads, kv_heads, head)
    refuse_what_lacks(target, form, widening, what="verify attention")
    rows = queries * (heads // kv_heads)
    row_block, kv_block, warps, stages, resident = _blocks(target, form, rows, head)
    base = Plan(
        form, widening or widening_for(target, form, triton=True), queries, heads, kv_heads, head,
        row_block, kv_block, warps, stages, resident,
    )  # fmt: skip
    splits = choose_splits(
        programs=batch * kv_heads * base.row_blocks,
        blocks=ceil(context / min(kv_block, 64)),
        resident=resident,
        multiprocessors=multiprocessors,
        partial_bytes=replace(base, splits=2).scratch_elements(batch) * 4 // 2,
        budget=scratch_budget,
    )
    blocks = ceil(context / kv_block)
    return replace(base, splits=ceil(blocks / ceil(blocks / splits)))  # none of larger blocks is empty


def _blocks(target: Target, form: KvForm, rows: int, head: int) -> tuple[int, int, int, int, int]:
    """Row block, KV block, warps, stages, resident that fit the target; the tests compile every one."""
    fewest = max(64 if target.capability == (9, 0) else 16, 1 << (rows - 1).bit_length())
    if target.shared_optin < 96 << 10:
        return (
            min(fewest, 32 if target.vendor is not Vendor.NVIDIA else 16),
            32 if head < 256 else 16,
            4,
            1,
            1,
        )
    if target.shared_optin < 160 << 10:
        return min(fewest, 64 if head < 256 else 32), 64 if head == 64 else 32, 4, 5 if head < 256 else 3, 1
    if head == 256:
        return min(fewest, 64), 32, 4 if fewest < 64 else 8, 3, 1
    # Page numbers are loaded two stages ahead of what they point to: seven stages hold three blocks, which on
    # an H200 with one program a multiprocessor was 1.1 times as fast as two blocks and two programs.
    if form is not KvForm.FP8 or target.capability != (9, 0):
        return min(fewest, 128), 64, 8 if fewest >= 128 else 4, 7, 1
    # Widened codes go to wgmma by way of shared memory and a barrier. Large blocks have fewer of these, and a
    # second program works while the first waits: 1.2 to 1.5 times as fast on an H200 at 64 rows, 1.05 to 1.1
    # at 128, where the registers leave room for one program only.
    return (64, 128, 4, 3, 2) if fewest <= 64 else (128, 128, 8, 5, 1)
