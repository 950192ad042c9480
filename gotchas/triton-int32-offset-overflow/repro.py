"""A page number times a page stride in 32 bits: from 2**31 numbers on, a kernel reads before the cache.

What is measured is how far from its place a page is read. `bug` and `fixed` read a page beyond 2**31, `fixed`
with the product in 64 bits; `control` is the kernel of `bug` on a page below 2**31.

- `compile`: a kernel of our own that gathers tokens through a page table. Nothing is read; the width of the
  product is taken from the intermediate code, and where the page is read is worked out from it.
- `device`: the same kernel on a cache that is the upper part of a larger tensor. The page holds one number,
  the place where a wrapped offset leads another: which of them comes back tells where the kernel read.
- `package`: as `compile`, for vLLM's `_fwd_grouped_kernel_stage1`, launched by its own launcher, from the
  source in `target.package`; `fixed` hands it a page table in 64 bits. Stand-ins, see
  `gpu_gotchas.upstream.vllm_kernels`: `vllm` (its `__init__` is not run), `vllm.platforms`,
  `vllm.triton_utils`; and a listener around the kernel.
"""

from __future__ import annotations

import re

import torch
import triton
import triton.language as tl

from gpu_gotchas.fixes.page_offsets import page_of, place_of, wide_table
from gpu_gotchas.hardware.targets import Vendor
from gpu_gotchas.repro.probe import ProbeTarget
from gpu_gotchas.upstream.vllm_kernels import listen, load_kernel_module
from gpu_gotchas.upstream.vllm_launches import MLA_DECODE, decode_mla

NEEDS = {"gpus": 1, "memory_gib": 6, "minutes": 1}

WIDTH, PAGE, TOKENS = 128, 16, 32
SIZE = WIDTH * PAGE
VLLM_SIZE = 576 * PAGE
"""Numbers in a page: of the kernel below, and of DeepSeek's latent and rope columns."""
RIGHT, WRAPPED = 3, 5


@triton.jit
def gather(
    cache_ptr, table_ptr, out_ptr, page_stride, token_stride,
    WIDTH: tl.constexpr, PAGE: tl.constexpr, TOKENS: tl.constexpr, WIDE: tl.constexpr,
):  # fmt: skip
    token = tl.arange(0, TOKENS)
    column = tl.arange(0, WIDTH)
    if WIDE:
        place = place_of(page_of(table_ptr, token, PAGE), token, page_stride, token_stride, PAGE)
    else:
        place = tl.load(table_ptr + token // PAGE) * page_stride + (token % PAGE) * token_stride
    kept = tl.load(cache_ptr + place[:, None] + column[None, :])
    tl.store(out_ptr + token[:, None] * WIDTH + column[None, :], kept)


def bug(target: ProbeTarget, seed: int) -> float:
    return _gather(target, beyond(SIZE, seed), wide=False)


def fixed(target: ProbeTarget, seed: int) -> float:
    return _gather(target, beyond(SIZE, seed), wide=True)


def control(target: ProbeTarget, seed: int) -> float:
    return _gather(target, below(SIZE, seed), wide=False)


def bug_package(target: ProbeTarget, seed: int) -> float:
    return _upstream(target, beyond(VLLM_SIZE, seed))


def fixed_package(target: ProbeTarget, seed: int) -> float:
    return _upstream(target, beyond(VLLM_SIZE, seed), wide=True)


def control_package(target: ProbeTarget, seed: int) -> float:
    return _upstream(target, below(VLLM_SIZE, seed))


def beyond(size: int, seed: int) -> int:
    """One of the first pages of `size` numbers that begin at 2**31 or later."""
    return -(-(2**31) // size) + seed % 7


def below(size: int, seed: int) -> int:
    """One of the last pages of `size` numbers that end before 2**31."""
    return 2**31 // size - 1 - seed % 7


def astray(offset: int, bits: int) -> float:
    """How many numbers from its place `offset` leads, when it is worked out in so many bits."""
    half = 2 ** (bits - 1)
    return float(abs(offset - ((offset + half) % 2**bits - half)))


def _gather(target: ProbeTarget, page: int, *, wide: bool) -> float:
    pages = torch.full((TOKENS // PAGE,), page, dtype=torch.int32, device=target.device)
    out = torch.zeros(TOKENS, WIDTH, dtype=torch.uint8, device=target.device)
    constants = {"WIDTH": WIDTH, "PAGE": PAGE, "TOKENS": TOKENS, "WIDE": wide}
    if not target.runs:
        cache = torch.zeros(4, PAGE, WIDTH, dtype=torch.uint8)
        compiled = gather[(1,)](cache, pages, out, SIZE, WIDTH, **constants)
        return astray(page * SIZE, product_bits(compiled.asm["ttir"]))
    whole = torch.full((2**32 + 16 * SIZE,), 1, dtype=torch.uint8, device=target.device)
    first = 2**31 + page * SIZE
    whole[first : first + SIZE] = RIGHT
    if first >= 2**32:
        whole[first - 2**32 : first - 2**32 + SIZE] = WRAPPED
    gather[(1,)](whole[2**31 :], pages, out, SIZE, WIDTH, **constants)
    found = set(out.flatten().tolist())
    if found not in ({RIGHT}, {WRAPPED}):
        raise AssertionError(f"the kernel read {sorted(found)[:8]}, from neither place")
    return 0.0 if found == {RIGHT} else 2.0**32


def _upstream(target: ProbeTarget, page: int, *, wide: bool = False) -> float:
    module = load_kernel_module(target.package, MLA_DECODE, rocm=target.vendor is Vendor.AMD)
    listener = listen(module, "_fwd_grouped_kernel_stage1")
    table = torch.full((2, 4), page, dtype=torch.int32)
    decode_mla(module, torch.bfloat16, heads=16, table=wide_table(table) if wide else table)
    return astray(page * VLLM_SIZE, product_bits(listener.asm["ttir"]))


def product_bits(ttir: str) -> int:
    """The narrowest product in TTIR that a loaded 32- or 64-bit number, a page, takes part in.

    Follows what is loaded through widening and changes of shape. Raises ValueError where none is multiplied.
    """
    pages: set[str] = set()
    found: list[int] = []
    for line in ttir.splitlines():
        made = re.match(r"\s*(%[\w]+) = ([\w.]+) (.*)", line)
        if not made:
            continue
        name, operation, rest = made[1], made[2], re.sub(r" loc\(.*\)$", "", made[3])
        type_ = rest.rpartition(" : ")[2]
        width = re.search(r"i(32|64)>?$", type_)
        if operation == "tt.load" and re.search(r"ptr<i(32|64)>", type_):
            pages.add(name)
        elif pages & set(re.findall(r"%\w+", rest)):
            if operation in ("arith.extsi", "tt.expand_dims", "tt.broadcast", "tt.splat"):
                pages.add(name)
            elif operation == "arith.muli" and width:
                found.append(int(width[1]))
    if not found:
        raise ValueError("the kernel multiplies no number that it has loaded")
    return min(found)
