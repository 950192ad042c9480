"""A page number times a page stride in 32 bits: from 2**31 elements on, a kernel reads before the cache.

What is measured is the width of that product. The condition of the control is a page table in 64 bits.

- `compile`: read from the intermediate code of a kernel of our own that gathers tokens through a page table.
- `device`: the same kernel on a cache that is the upper part of a larger tensor. A page beyond 2**31 holds
  one number, the place where the wrapped offset leads another: which of them comes back tells the width.
- `package`: the intermediate code of vLLM's `_fwd_grouped_kernel_stage1`, launched by its own launcher, from
  the source in `target.package`. Stand-ins, see `gpu_gotchas.upstream.vllm_kernels`: `vllm` (its `__init__`
  is not run), `vllm.platforms`, `vllm.triton_utils`; and a listener around the kernel.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

import torch
import triton
import triton.language as tl

from gpu_gotchas.fixes.page_offsets import page_of, place_of, wide_table
from gpu_gotchas.hardware.targets import Vendor
from gpu_gotchas.repro.probe import ProbeTarget
from gpu_gotchas.upstream.vllm_kernels import load_kernel_module

NEEDS = {"gpus": 1, "memory_gib": 6, "minutes": 1}

WIDTH, PAGE, TOKENS = 128, 16, 32
RIGHT, WRAPPED = 3, 5


@triton.jit
def gather(
    cache_ptr, table_ptr, out_ptr, page_stride, token_stride,
    WIDTH: tl.constexpr, PAGE: tl.constexpr, TOKENS: tl.constexpr,
):  # fmt: skip
    token = tl.arange(0, TOKENS)
    column = tl.arange(0, WIDTH)
    page = tl.load(table_ptr + token // PAGE)
    place = page * page_stride + (token % PAGE) * token_stride
    kept = tl.load(cache_ptr + place[:, None] + column[None, :])
    tl.store(out_ptr + token[:, None] * WIDTH + column[None, :], kept)


@triton.jit
def gather_wide(
    cache_ptr, table_ptr, out_ptr, page_stride, token_stride,
    WIDTH: tl.constexpr, PAGE: tl.constexpr, TOKENS: tl.constexpr,
):  # fmt: skip
    token = tl.arange(0, TOKENS)
    column = tl.arange(0, WIDTH)
    place = place_of(page_of(table_ptr, token, PAGE), token, page_stride, token_stride, PAGE)
    kept = tl.load(cache_ptr + place[:, None] + column[None, :])
    tl.store(out_ptr + token[:, None] * WIDTH + column[None, :], kept)


def bug(target: ProbeTarget, seed: int) -> float:
    return _gather(gather, target, seed, torch.int32)


def fixed(target: ProbeTarget, seed: int) -> float:
    return _gather(gather_wide, target, seed, torch.int32)


def control(target: ProbeTarget, seed: int) -> float:
    return _gather(gather, target, seed, torch.int64)


def bug_package(target: ProbeTarget, seed: int) -> float:
    return _upstream(target, table(seed))


def fixed_package(target: ProbeTarget, seed: int) -> float:
    return _upstream(target, wide_table(table(seed)))


def control_package(target: ProbeTarget, seed: int) -> float:
    return _upstream(target, table(seed).to(torch.int64))


def table(seed: int) -> torch.Tensor:
    """Page numbers (2, 4) of a pool of a hundred thousand pages."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(0, 100_000, (2, 4), generator=generator, dtype=torch.int32)


def _gather(kernel: Any, target: ProbeTarget, seed: int, dtype: torch.dtype) -> float:
    if not target.runs:
        cache = torch.zeros(4, PAGE, WIDTH, dtype=torch.uint8)
        pages = table(seed)[0].to(dtype)
        compiled = kernel[(1,)](
            cache, pages, torch.empty(TOKENS, WIDTH, dtype=torch.uint8), *cache.stride()[:2],
            WIDTH=WIDTH, PAGE=PAGE, TOKENS=TOKENS,
        )  # fmt: skip
        return float(product_bits(compiled.asm["ttir"]))
    # The first page beyond 2**31 elements, and one that the seed chooses.
    size = PAGE * WIDTH
    chosen = 2**31 // size + seed % 7
    whole = torch.full((2**32 + 16 * size,), 1, dtype=torch.uint8, device=target.device)
    pool = whole[2**31 :]
    pool[chosen * size : (chosen + 1) * size] = RIGHT
    wrapped = 2**31 + chosen * size - 2**32
    whole[wrapped : wrapped + size] = WRAPPED
    out = torch.zeros(TOKENS, WIDTH, dtype=torch.uint8, device=target.device)
    pages = torch.full((TOKENS // PAGE,), chosen, dtype=dtype, device=target.device)
    kernel[(1,)](pool, pages, out, size, WIDTH, WIDTH=WIDTH, PAGE=PAGE, TOKENS=TOKENS)
    found = set(out.flatten().tolist())
    if found not in ({RIGHT}, {WRAPPED}):
        raise AssertionError(f"the kernel read {sorted(found)[:8]}, from neither place")
    return 64.0 if found == {RIGHT} else 32.0


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


class Listener:
    """A kernel that launches as before and keeps the intermediate code of what was launched."""

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel
        self.ttir = ""

    def __getitem__(self, grid: Any) -> Any:
        def launch(*args: Any, **kwargs: Any) -> None:
            self.ttir = self._kernel[grid](*args, **kwargs).asm["ttir"]

        return launch


def _upstream(target: ProbeTarget, pages: torch.Tensor) -> float:
    if target.package is None:
        raise ValueError("the package tier needs the folder that holds vLLM's source")
    module = load_kernel_module(
        target.package, "v1.attention.ops.triton_decode_attention", rocm=target.vendor is Vendor.AMD
    )
    listener = Listener(module._fwd_grouped_kernel_stage1)
    module._fwd_grouped_kernel_stage1 = listener
    latent, rope, heads, splits = 512, 64, 16, 4
    cache = torch.zeros(8, PAGE, 1, latent + rope, dtype=torch.bfloat16)
    arguments = {
        "q": torch.zeros(2, heads, latent + rope, dtype=torch.bfloat16),
        "k_buffer": cache,
        "v_buffer": cache[..., :latent],
        "att_out": torch.zeros(2, heads, splits, latent + 1),
        "Req_to_tokens": pages,
        "B_Seqlen": torch.full((2,), 3 * PAGE, dtype=torch.int32),
        "num_kv_splits": splits,
        "sm_scale": (latent + rope) ** -0.5,
        "page_size": PAGE,
        "logit_cap": 0.0,
        "k_scale": torch.ones(()),
        "v_scale": torch.ones(()),
        "is_mla": True,
    }
    launcher = module._decode_grouped_att_m_fwd
    known = inspect.signature(launcher).parameters  # some came with later releases
    launcher(**{name: value for name, value in arguments.items() if name in known})
    return float(product_bits(listener.ttir))
