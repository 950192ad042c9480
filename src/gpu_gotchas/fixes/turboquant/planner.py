"""Blocks and splits of a decode from a TurboQuant cache. Imports no torch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil

from gpu_gotchas.fixes.argument_types import of_type
from gpu_gotchas.fixes.split_kv.forms import KvForm, Widening, refuse_what_lacks, widening_for
from gpu_gotchas.fixes.split_kv.grouped_heads import check_heads
from gpu_gotchas.fixes.split_kv.splits import SCRATCH_BUDGET, choose_splits
from gpu_gotchas.fixes.turboquant.layout import Form
from gpu_gotchas.fixes.whole_numbers import whole
from gpu_gotchas.hardware.targets import Target


@dataclass(frozen=True, slots=True)
class Plan:
    """A launch for `heads` query heads over `kv_heads` heads of size `head`.

    widening: how E4M3 keys become float16. kv_block: tokens that a program reads at a time. warps, stages:
    Triton's. resident: programs that share a multiprocessor. splits: parts that a context is cut into.
    """

    form: Form
    widening: Widening
    heads: int
    kv_heads: int
    head: int
    kv_block: int
    warps: int
    stages: int
    resident: int
    splits: int = 1

    @property
    def row_block(self) -> int:
        """Rows of a program: the query heads of a group, at least the 16 of a matrix instruction."""
        return max(16, 1 << (self.heads // self.kv_heads - 1).bit_length())

    def scratch_elements(self, requests: int) -> int:
        """float32 elements of scratch: results and log-sum-exps of every split."""
        return 0 if self.splits == 1 else requests * self.heads * self.splits * (self.head + 1)


def plan(
    target: Target,
    form: Form,
    *,
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

    heads, kv_heads: on this card. multiprocessors: of the card. scratch_budget: bytes of partial results.
    widening: another than the target's fastest.

    Raises ValueError for sizes that are none and for other types, Refused where the target cannot run it.
    """
    of_type("target", target, Target)
    of_type("form", form, Form)
    if widening is not None:
        of_type("widening", widening, Widening)
    sizes = {"heads": heads, "kv_heads": kv_heads, "head": head, "batch": batch, "context": context}
    for name, size in {**sizes, "multiprocessors": multiprocessors}.items():
        whole(name, size)
    whole("scratch_budget", scratch_budget, 0)
    check_heads(heads, kv_heads, head)
    refuse_what_lacks(target, KvForm.FP8, widening, what="TurboQuant decode")
    small = target.shared_optin < 96 << 10
    looked_up = form is not Form.K8V4
    base = Plan(
        form, widening or widening_for(target, KvForm.FP8, triton=True), heads, kv_heads, head,
        kv_block=32 if small or (head == 256 and looked_up) else 64 if head == 256 else 128, warps=4,
        # The lookup of indices must not be pipelined: it would go through shared memory.
        stages=1 if small or looked_up else 3, resident=2,
    )  # fmt: skip
    splits = choose_splits(
        programs=batch * kv_heads,
        blocks=ceil(context / base.kv_block),
        resident=base.resident,
        multiprocessors=multiprocessors,
        partial_bytes=replace(base, splits=2).scratch_elements(batch) * 4 // 2,
        budget=scratch_budget,
    )
    return replace(base, splits=splits)
