"""Verify attention against vLLM's unified Triton kernel, masked attention in torch, and itself in FP8.

    gotchas fetch vllm==0.33.0
    python benchmarks/verify_attention.py [--into FOLDER]

Needs a card. Upstream's kernel is read from the unpacked wheel at run time and chooses its own launch: up to
8 query tokens on three axes (split contexts), beyond on two. torch gets keys and values that lie together,
heads of a group as rows of one product, and a mask. Every subject is held against float64 before it is
timed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from harness import Subject, Table, compare, parser_of, rotations
from upstream_attention import Unified, load_unified

from gpu_gotchas.fixes.launch_fit import current_target_name
from gpu_gotchas.fixes.split_kv.scratch import Scratch
from gpu_gotchas.fixes.verify_attention import KvForm, Plan, plan, verify
from gpu_gotchas.fixes.verify_attention.reference import reference
from gpu_gotchas.hardware.catalogue import find_target
from gpu_gotchas.repro.packages import find_package

VLLM = "vllm==0.33.0"
HEAD, PAGE = 128, 16
SCALE = HEAD**-0.5
WORST_ERROR = 2e-2


@dataclass(frozen=True, slots=True)
class Shape:
    queries: int
    context: int
    batch: int = 1
    heads: int = 64
    kv_heads: int = 8

    def __str__(self) -> str:
        return (
            f"{self.queries} queries, context {self.context}, batch {self.batch}, "
            f"{self.heads} heads over {self.kv_heads}"
        )


class Case:
    """Random inputs of one shape and cache dtype, enough of them to outrun the L2 cache."""

    def __init__(self, shape: Shape, form: KvForm = KvForm.BF16, *, tree: bool = False) -> None:
        self.shape, self.form = shape, form
        self.bytes = shape.batch * shape.context * shape.kv_heads * HEAD * 2 * form.bytes
        self.turns = rotations(self.bytes)
        pages = shape.context // PAGE
        total = shape.batch * pages * self.turns
        caches = torch.empty(
            2, total, PAGE, shape.kv_heads, HEAD, device="cuda", dtype=torch.bfloat16
        ).normal_()
        self.caches = caches.to(torch.float8_e4m3fn) if form is KvForm.FP8 else caches
        order = torch.randperm(total, device="cuda").int().view(self.turns, shape.batch, pages)
        self.tables = list(order.unbind())
        size = (shape.batch, shape.queries, shape.heads, HEAD)
        self.query = torch.randn(size, device="cuda").bfloat16()
        self.contexts = torch.full((shape.batch,), shape.context, device="cuda", dtype=torch.int32)
        self.out = torch.empty_like(self.query)
        self.masks = None
        if tree:
            words = torch.zeros(shape.batch, shape.queries, dtype=torch.int64)
            for index in range(shape.queries):  # a binary tree
                above = words[:, (index - 1) // 2] if index else 0
                words[:, index] = above | 1 << index
            self.masks = words.cuda()

    @cached_property
    def wanted(self) -> torch.Tensor:
        """Float64's answer for the first request on the first table."""
        masks = None if self.masks is None else self.masks[:1]
        return reference(
            self.query[:1], *self.caches, self.tables[0][:1], self.contexts[:1], scale=SCALE, masks=masks
        )[0]

    def subject(self, call: Callable[[int], Any]) -> Subject:
        """Time `call(turn)`, which writes or returns the output; refuses a wrong one."""
        self.out.fill_(float("nan"))
        returned = call(0)
        got = returned if isinstance(returned, torch.Tensor) else self.out
        error = float((got[:1].double() - self.wanted).norm() / self.wanted.norm())
        if not error < WORST_ERROR:
            raise RuntimeError(f"{self.shape}, {self.form.value}: relative error {error:.2e}")
        return Subject([lambda turn=turn: call(turn) for turn in range(self.turns)])

    def own(self, made: Plan | None = None) -> tuple[Subject, Plan]:
        """This package's kernel, by its planner."""
        shape = self.shape
        made = made or plan(
            find_target(current_target_name()), self.form, queries=shape.queries, heads=shape.heads,
            kv_heads=shape.kv_heads, head=HEAD, batch=shape.batch, context=shape.context,
            multiprocessors=torch.cuda.get_device_properties(0).multi_processor_count,
        )  # fmt: skip
        scratch = Scratch.allocate(made, requests=shape.batch, device="cuda")
        lse = torch.empty(self.query.shape[:3], device="cuda")

        def call(turn: int) -> None:
            verify(
                self.query, *self.caches, self.tables[turn], self.contexts, scale=SCALE, scratch=scratch,
                masks=self.masks, out=self.out, lse=lse,
            )  # fmt: skip

        return self.subject(call), made

    def upstream(self, module: Any) -> Subject:
        shape = self.shape
        kernel = Unified(module, shape.batch, shape.queries, shape.heads, shape.kv_heads, HEAD)
        query, out = self.query.flatten(0, 1), self.out.flatten(0, 1)

        def call(turn: int) -> None:
            kernel(query, *self.caches, self.tables[turn], self.contexts, shape.context, SCALE, out)

        return self.subject(call)

    def torch_masked(self) -> Subject:
        """Masked attention of torch for one request; its keys and values lie together already."""
        shape = self.shape
        group = shape.heads // shape.kv_heads
        pairs = [
            [cache[table[0].long()].flatten(0, 1).transpose(0, 1).contiguous()[None] for cache in self.caches]
            for table in self.tables
        ]
        rows = self.query[0].view(shape.queries, shape.kv_heads, group, HEAD).permute(1, 2, 0, 3)
        rows = rows.reshape(1, shape.kv_heads, group * shape.queries, HEAD).contiguous()
        seen = torch.ones(shape.queries, shape.context, dtype=torch.bool, device="cuda")
        assert self.masks is not None
        bits = self.masks[0][:, None] >> torch.arange(shape.queries, device="cuda")
        seen[:, -shape.queries :] = (bits & 1).bool()
        seen = seen.repeat(group, 1)[None, None]

        def call(turn: int) -> torch.Tensor:
            found = torch.nn.functional.scaled_dot_product_attention(
                rows, *pairs[turn], attn_mask=seen, scale=SCALE
            )
            found = found.view(shape.kv_heads, group, shape.queries, HEAD).permute(2, 0, 1, 3)
            return found.reshape(1, shape.queries, shape.heads, HEAD)

        return self.subject(call)


def add(
    table: Table, name: str, against: str, case: Case, ours: tuple[Subject, Plan], other: Subject,
    aim: float | None,
) -> None:  # fmt: skip
    timed = compare(ours[0], other)
    table.add(
        timed.row(name, against, str(case.shape), aim)
        | table.rates(case.bytes, timed.a)
        | {"rows": ours[1].row_block, "splits": ours[1].splits}
    )


def aim_of(shape: Shape) -> float | None:
    """What was set out to be reached against upstream."""
    if shape.context <= 1024 or shape.queries <= 8:
        return 0.95
    return {16: 3.0, 32: 2.0}.get(shape.queries) if shape.context >= 32768 else None


SHAPES = (
    *(Shape(queries, 1024) for queries in (4, 8, 16, 32)),
    *(Shape(queries, 32768) for queries in (1, 4, 8, 16, 32, 64)),
    *(Shape(queries, 131072) for queries in (8, 16, 32)),
    *(Shape(queries, 32768, batch=4) for queries in (4, 16)),
    Shape(16, 32768, heads=48),
)


def main() -> None:
    asked = parser_of(__doc__).parse_args()
    module = load_unified(find_package(VLLM))
    table = Table("verify_attention")
    for shape, form in (
        *((shape, KvForm.BF16) for shape in SHAPES),
        *((shape, KvForm.FP8) for shape in (Shape(8, 32768), Shape(16, 32768))),
    ):
        case = Case(shape, form)
        against = f"{VLLM} unified, {'three' if shape.queries <= 8 else 'two'} axes"
        aim = aim_of(shape) if form is KvForm.BF16 else None
        name = f"{'bf16' if form is KvForm.BF16 else 'FP8'} cache, causal"
        add(table, name, against, case, case.own(), case.upstream(module), aim)
        del case
        torch.cuda.empty_cache()
    for shape in (Shape(32, 1024), Shape(32, 32768), Shape(32, 131072)):
        case = Case(shape, tree=True)
        aim = 2.0 if shape.context > 1024 else None
        add(table, "bf16 cache, tree", "torch, masked attention", case, case.own(), case.torch_masked(), aim)
        del case
        torch.cuda.empty_cache()
    table.write(asked.into)


if __name__ == "__main__":
    main()
