"""MLA decode against upstream's Triton kernel, torch alone, FlashMLA, and itself in other forms.

    gotchas fetch vllm==0.33.0
    python benchmarks/mla_decode.py [--flashmla _flashmla_C.abi3.so] [--into FOLDER]

Needs a card. Upstream's kernel is read from the unpacked wheel at run time, and is given the best of the
split count that vLLM chooses, half and a quarter of it. FlashMLA is the compiled part of the same wheel,
unpacked by hand: what the card allows, for bfloat16. Every subject is held against float64 before it is
timed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from harness import Subject, Table, compare, parser_of, rotations

from gpu_gotchas.fixes.launch_fit import current_target_name
from gpu_gotchas.fixes.mla_decode import KvForm, Plan, Widening, decode, plan
from gpu_gotchas.fixes.mla_decode.launch import Scratch
from gpu_gotchas.fixes.mla_decode.reference import reference
from gpu_gotchas.hardware.catalogue import find_target
from gpu_gotchas.repro.packages import find_package
from gpu_gotchas.upstream.vllm_kernels import load_kernel_module
from gpu_gotchas.upstream.vllm_launches import MLA_DECODE

VLLM = "vllm==0.33.0"
LATENT, ROPE, PAGE = 512, 64, 64
SCALE = (128 + 64) ** -0.5
WORST_ERROR = 2e-2


@dataclass(frozen=True, slots=True)
class Shape:
    batch: int
    context: int
    heads: int

    def __str__(self) -> str:
        return f"{self.heads} heads, batch {self.batch}, context {self.context}"

    @property
    def tokens(self) -> int:
        return self.batch * self.context

    @property
    def operations(self) -> int:
        """Floating-point operations of both products."""
        return 2 * self.tokens * self.heads * (2 * LATENT + ROPE)


class Case:
    """Random inputs of one shape and cache dtype, enough of them to outrun the L2 cache."""

    def __init__(self, shape: Shape, form: KvForm) -> None:
        self.shape, self.form = shape, form
        self.bytes = shape.tokens * (LATENT + ROPE) * form.bytes
        self.turns = rotations(self.bytes)
        copies = self.turns if self.bytes * 3 < torch.cuda.get_device_properties(0).L2_cache_size * 9 else 1
        pages = shape.context // PAGE
        total = shape.batch * pages * copies
        cache = torch.empty(total, PAGE, LATENT + ROPE, device="cuda", dtype=torch.bfloat16).normal_()
        self.cache = cache.to(torch.float8_e4m3fn) if form is KvForm.FP8 else cache
        order = torch.randperm(total, device="cuda").int().view(copies, shape.batch, pages)
        self.tables = [order[turn % copies].contiguous() for turn in range(self.turns)]
        self.query = torch.randn(shape.batch, shape.heads, LATENT + ROPE, device="cuda").bfloat16()
        self.contexts = torch.full((shape.batch,), shape.context, device="cuda", dtype=torch.int32)
        self.out = torch.empty(shape.batch, shape.heads, LATENT, device="cuda", dtype=torch.bfloat16)

    @cached_property
    def wanted(self) -> torch.Tensor:
        """Float64's answer for the first requests on the first table."""
        few = min(self.shape.batch, 2)
        return reference(
            self.query[:few], self.cache, self.tables[0][:few], self.contexts[:few], scale=SCALE
        )[0]

    def subject(self, call: Callable[[torch.Tensor], Any]) -> Subject:
        """Time `call(table)`, which writes or returns the output; refuses a wrong one."""
        self.out.fill_(float("nan"))
        returned = call(self.tables[0])
        got = returned if isinstance(returned, torch.Tensor) else self.out
        got = got.view(self.shape.batch, self.shape.heads, LATENT)[: self.wanted.shape[0]].double()
        error = float((got - self.wanted).norm() / self.wanted.norm())
        if not error < WORST_ERROR:
            raise RuntimeError(f"{self.shape}, {self.form.value}: relative error {error:.2e}")
        return Subject([lambda table=table: call(table) for table in self.tables])

    def own(self, **changed: Any) -> tuple[Subject, Plan]:
        """This package's kernel, by its planner."""
        count = torch.cuda.get_device_properties(0).multi_processor_count
        target = find_target(current_target_name())
        fields = {"heads": self.shape.heads, "batch": self.shape.batch, "context": self.shape.context}
        made = plan(target, self.form, multiprocessors=count, **fields, **changed)
        scratch = Scratch.allocate(made, batch=self.shape.batch, heads=self.shape.heads, device="cuda")
        lse = torch.empty(self.shape.batch, self.shape.heads, device="cuda")

        def call(table: torch.Tensor) -> None:
            decode(
                self.query, self.cache, table, self.contexts, scale=SCALE,
                plan=made, scratch=scratch, out=self.out, lse=lse,
            )  # fmt: skip

        return self.subject(call), made

    def upstream(self, module: Any) -> tuple[Subject, int]:
        """vLLM's kernel with its own number of splits, a half or a quarter of it, whichever is fastest."""
        count = torch.cuda.get_device_properties(0).multi_processor_count
        chosen = min(2 ** math.ceil(math.log2(max(1, self.shape.context // 512))), 2 * count)
        keys = self.cache.unsqueeze(2)
        lse = torch.empty(self.shape.batch, self.shape.heads, device="cuda", dtype=torch.bfloat16)
        one = torch.ones((), device="cuda")
        best: tuple[float, Subject, int] | None = None
        for splits in sorted({chosen, chosen // 2, chosen // 4}):
            parts = torch.empty(self.shape.batch, self.shape.heads, splits, LATENT + 1, device="cuda")

            def call(table: torch.Tensor, parts: torch.Tensor = parts, splits: int = splits) -> None:
                module.decode_attention_fwd(
                    self.query, keys, keys[..., :LATENT], self.out, lse, table, self.contexts, parts, splits,
                    SCALE, PAGE, k_scale=one, v_scale=one, is_mla=True,
                )  # fmt: skip

            subject = self.subject(call)
            took = subject.median()
            if best is None or took < best[0]:
                best = took, subject, splits
        assert best is not None
        return best[1], best[2]

    def torch_alone(self) -> Subject:
        """Gather the pages, widen, multiply, softmax, multiply."""

        def call(table: torch.Tensor) -> torch.Tensor:
            keys = self.cache.view(torch.uint8 if self.form is KvForm.FP8 else torch.bfloat16)[table.long()]
            keys = keys.view(self.cache.dtype).to(torch.bfloat16).view(self.shape.batch, -1, LATENT + ROPE)
            logits = torch.bmm(self.query, keys.transpose(1, 2)).float() * SCALE
            return torch.bmm(torch.softmax(logits, dim=-1).bfloat16(), keys[..., :LATENT])

        return self.subject(call)

    def flashmla(self) -> Subject:
        operation = torch.ops._flashmla_C.dense_decode_fwd
        query, keys = self.query.unsqueeze(1), self.cache.unsqueeze(2)
        meta, splits = operation(
            query, keys, LATENT, self.contexts, self.tables[0], SCALE, False, None, None, None
        )[2:]  # fmt: skip

        def call(table: torch.Tensor) -> torch.Tensor:
            found = operation(query, keys, LATENT, self.contexts, table, SCALE, False, meta, splits, None)
            return found[0]  # type: ignore[no-any-return]

        return self.subject(call)


def add(
    table: Table,
    name: str,
    against: str,
    case: Case,
    ours: tuple[Subject, Plan],
    other: Subject,
    aim: float | None,
) -> None:
    timed = compare(ours[0], other)
    made = ours[1]
    table.add(
        timed.row(name, against, str(case.shape), aim)
        | table.rates(case.bytes, timed.a, case.shape.operations)
        | {"kernel": made.kernel.value, "widening": made.widening.value, "splits": made.splits}
    )


SHAPES = (
    *(Shape(64, 8192, heads) for heads in (16, 32, 64, 128)),
    *(Shape(16, 8192, heads) for heads in (16, 128)),
    *(Shape(1, 65536, heads) for heads in (16, 128)),
)
FP8_AIMS = {(128, 16): 4.0, (128, 64): 4.0, (16, 64): 2.5, (128, 1): 3.5, (16, 1): 2.0}


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--flashmla", type=Path, help="FlashMLA's compiled part of vLLM's wheel")
    asked = parser.parse_args()
    if asked.flashmla:
        torch.ops.load_library(str(asked.flashmla.resolve()))
    module = load_kernel_module(str(find_package(VLLM)), MLA_DECODE)
    table = Table("mla_decode")
    for shape in SHAPES:
        heads, batch = shape.heads, shape.batch
        case = Case(shape, KvForm.FP8)
        ours = case.own()
        base, splits = case.upstream(module)
        against = f"{VLLM} Triton, FP8 cache, {splits} splits"
        add(table, "FP8 cache", against, case, ours, base, FP8_AIMS.get((heads, batch)))
        bits = case.own(widening=Widening.BITS)
        add(table, "FP8 cache, bits moved", "own kernel, converting by instruction", case, bits, ours[0],
                  0.9 if heads == 16 else None)  # fmt: skip
        if (heads, batch) in ((16, 64), (128, 64)):
            portable = case.own(gluon=False)
            add(table, "FP8 cache, portable kernel", against, case, portable, base, None)
            add(table, "FP8 cache", "torch alone", case, ours, case.torch_alone(), None)
        wide = Case(shape, KvForm.BF16)
        own_wide = wide.own()
        add(table, "FP8 cache", "own kernel, bf16 cache", case, ours, own_wide[0],
                  1.5 if (heads, batch) == (16, 64) else None)  # fmt: skip
        if batch == 64:
            wide_base, splits = wide.upstream(module)
            add(
                table,
                "bf16 cache",
                f"{VLLM} Triton, bf16 cache, {splits} splits",
                wide,
                own_wide,
                wide_base,
                None,
            )
        if asked.flashmla:
            aim = {(128, 64): 0.5, (16, 64): 0.75}.get((heads, batch))
            add(table, "bf16 cache", f"FlashMLA of {VLLM}", wide, own_wide, wide.flashmla(), aim)
        del case, wide, ours, base, bits, own_wide
        torch.cuda.empty_cache()
    table.write(asked.into)


if __name__ == "__main__":
    main()
