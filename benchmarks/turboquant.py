"""TurboQuant decode and store against vLLM's kernels.

    gotchas fetch vllm==0.33.0
    python benchmarks/turboquant.py [--into FOLDER]

Needs a card. Upstream's kernels are read from the unpacked wheel at run time and launched as its backend
does: 32 splits whatever the batch, buffers brought along. Both read the same cache, which upstream's store
wrote; the share of bytes that our store writes otherwise is in each row. Every subject is held against
float64 before it is timed. What the formats cost in quality: `turboquant_quality.py`, which needs no card."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from harness import Subject, Table, compare, parser_of, rotations

from gpu_gotchas.fixes.launch_fit import current_target_name
from gpu_gotchas.fixes.split_kv.scratch import Scratch
from gpu_gotchas.fixes.turboquant import Codebook, Form, decode, plan, reference, store
from gpu_gotchas.hardware.catalogue import find_target
from gpu_gotchas.repro.packages import find_package
from gpu_gotchas.upstream.vllm_kernels import load_kernel_module

VLLM = "vllm==0.33.0"
HEAD, PAGE, SPLITS = 128, 16, 32
SCALE = HEAD**-0.5
WORST_ERROR = 1e-2


@dataclass(frozen=True, slots=True)
class Shape:
    batch: int
    context: int
    heads: int = 32
    kv_heads: int = 8

    def __str__(self) -> str:
        return f"batch {self.batch}, context {self.context}, {self.heads} heads over {self.kv_heads}"


class Case:
    """A random cache of one shape and form, enough of it to outrun the L2 cache, written by both stores."""

    def __init__(self, shape: Shape, form: Form, store_module: Any) -> None:
        self.shape, self.form = shape, form
        slot = form.slot_bytes(HEAD)
        self.bytes = shape.batch * shape.context * shape.kv_heads * slot
        self.turns = rotations(self.bytes)
        copies = self.turns if self.bytes < 200e6 else 1
        pages = shape.context // PAGE
        total = shape.batch * pages * copies
        self.book = Codebook.of(HEAD, "cuda", bits=index_bits(form))
        self.cache = torch.empty(total, PAGE, shape.kv_heads, slot, dtype=torch.uint8, device="cuda")
        mine = torch.empty_like(self.cache)
        slots = torch.arange(total * PAGE, device="cuda", dtype=torch.int32)
        for some in slots.split(1 << 16):
            keys, values = (
                torch.randn(len(some), shape.kv_heads, HEAD, device="cuda").bfloat16() for _ in range(2)
            )
            upstream_store(store_module, keys, values, self.cache, some, form, self.book)
            store(keys, values, mine, some, form=form, codebook=self.book)
        self.differ = float((mine != self.cache).float().mean())
        order = torch.randperm(total, device="cuda").int().view(copies, shape.batch, pages)
        self.tables = [order[turn % copies].contiguous() for turn in range(self.turns)]
        self.query = torch.randn(shape.batch, shape.heads, HEAD, device="cuda").bfloat16()
        self.contexts = torch.full((shape.batch,), shape.context, device="cuda", dtype=torch.int32)
        self.out = torch.empty_like(self.query)
        self.wanted = reference.attend(
            self.query[:2], self.cache, self.tables[0][:2], self.contexts[:2], form=form, scale=SCALE,
            codebook=self.book,
        )[0]  # fmt: skip

    def subject(self, call: Callable[[torch.Tensor], Any]) -> Subject:
        """Time `call(table)`, which writes the output; refuses a wrong one."""
        self.out.fill_(float("nan"))
        call(self.tables[0])
        error = float((self.out[:2].double() - self.wanted).norm() / self.wanted.norm())
        if not error < WORST_ERROR:
            raise RuntimeError(f"{self.shape}, {self.form.value}: relative error {error:.2e}")
        return Subject([lambda table=table: call(table) for table in self.tables])

    def own(self) -> tuple[Subject, int]:
        """This package's kernel, by its planner; and the splits."""
        shape = self.shape
        made = plan(
            find_target(current_target_name()), self.form, heads=shape.heads, kv_heads=shape.kv_heads,
            head=HEAD, batch=shape.batch, context=shape.context,
            multiprocessors=torch.cuda.get_device_properties(0).multi_processor_count,
        )  # fmt: skip
        scratch = Scratch.allocate(made, requests=shape.batch, device="cuda")
        lse = torch.empty(shape.batch, shape.heads, device="cuda")

        def call(table: torch.Tensor) -> None:
            decode(
                self.query, self.cache, table, self.contexts, scale=SCALE, scratch=scratch,
                codebook=self.book, out=self.out, lse=lse,
            )  # fmt: skip

        return self.subject(call), made.splits

    def upstream(self, module: Any) -> Subject:
        shape, form = self.shape, self.form
        parts = torch.empty(shape.batch, shape.heads, SPLITS, HEAD + 1, device="cuda")
        lse = torch.empty(shape.batch, shape.heads, device="cuda")
        fp8 = form is Form.K8V4

        def call(table: torch.Tensor) -> None:
            module.triton_turboquant_decode_attention(
                self.query, self.cache, table, self.contexts, self.book.rotation, self.book.centroids, SCALE,
                index_bits(form), form.key_bytes(HEAD), form.value_bits, key_fp8=fp8,
                norm_correction=not fp8, PiT=self.book.rotation, mid_o_buf=parts, output_buf=self.out,
                lse_buf=lse, max_num_kv_splits=SPLITS,
            )  # fmt: skip

        return self.subject(call)


def index_bits(form: Form) -> int:
    """Bits of a key's index; of E4M3 keys, which have none, what upstream passes."""
    return min(form.key_bits, form.value_bits)


def upstream_store(
    module: Any, keys: Any, values: Any, cache: Any, slots: Any, form: Form, book: Codebook
) -> None:
    module.triton_turboquant_store(
        keys, values, cache, slots, book.rotation, book.midpoints, index_bits(form),
        form.key_bytes(HEAD), form.value_bits,
        key_fp8=form is Form.K8V4,
    )  # fmt: skip


def stores(store_module: Any, form: Form, tokens: int) -> tuple[Subject, Subject]:
    """Both stores of so many tokens."""
    book = Codebook.of(HEAD, "cuda", bits=index_bits(form))
    slots = torch.randperm(tokens, device="cuda").int()
    cache = torch.empty(-(-tokens // PAGE), PAGE, 8, form.slot_bytes(HEAD), dtype=torch.uint8, device="cuda")
    pairs = [
        [torch.randn(tokens, 8, HEAD, device="cuda").bfloat16() for _ in range(2)]
        for _ in range(min(16, rotations(tokens * 8 * HEAD * 4)))
    ]
    ours = [lambda pair=pair: store(*pair, cache, slots, form=form, codebook=book) for pair in pairs]
    theirs = [
        lambda pair=pair: upstream_store(store_module, *pair, cache, slots, form, book) for pair in pairs
    ]
    return Subject(ours), Subject(theirs)


SHAPES = (
    Shape(8, 16384),
    Shape(8, 16384, heads=64),
    Shape(32, 16384),
    Shape(1, 32768),
    Shape(8, 1024),
    Shape(1, 1024),
)


def aim_of(shape: Shape) -> float:
    """What was set out to be reached against upstream's decode."""
    return 1.0 if shape.context <= 1024 else 1.5 if shape.batch < 8 else 2.0


def main() -> None:
    asked = parser_of(__doc__).parse_args()
    package = str(find_package(VLLM))
    decode_module, store_module = (
        load_kernel_module(package, f"v1.attention.ops.triton_turboquant_{name}")
        for name in ("decode", "store")
    )
    table = Table("turboquant")

    def add(name: str, shape: str, ours: Subject, other: Subject, aim: float | None, **more: Any) -> None:
        timed = compare(ours, other)
        if "bytes_read" in more:
            more |= table.rates(more.pop("bytes_read"), timed.a)
        table.add(timed.row(name, f"{VLLM} Triton", shape, aim) | more)

    for form in Form:
        for shape in SHAPES if form in (Form.K8V4, Form.NC4) else SHAPES[::3]:
            case = Case(shape, form, store_module)
            ours, splits = case.own()
            add(
                f"decode, {form.value}", str(shape), ours, case.upstream(decode_module), aim_of(shape),
                splits=splits, bytes_a_token=form.slot_bytes(HEAD), bytes_read=case.bytes,
                share_of_bytes_that_differ=case.differ,
            )  # fmt: skip
            del case, ours
            torch.cuda.empty_cache()
        for tokens in (256, 8192):
            ours, theirs = stores(store_module, form, tokens)
            add(f"store, {form.value}", f"{tokens} tokens, 8 KV heads", ours, theirs, None)
    table.write(asked.into)


if __name__ == "__main__":
    main()
