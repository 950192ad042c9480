"""TurboQuant's FP8 key store on bfloat16 keys below 8.9: Triton's software FP8 cast does not take bfloat16.

The mechanism casts a block of bfloat16 keys and stores the bytes, choosing the type by compute capability as
vLLM does (`fp8e4b15` below 8.9, `fp8e4nv` from there). `fixed` goes through float32 where it is `fp8e4b15`.

The assertion that fails has no message: its place is all that tells it from others.

The upstream probes run vLLM's own launcher, `triton_turboquant_store`, from the source in `target.package`.
Stand-ins, see `gpu_gotchas.upstream.vllm_kernels`: `vllm` (its `__init__` is not run), `vllm.platforms`,
`vllm.triton_utils`. The launcher, its choice of type, its kernel and Triton are the released ones.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from gpu_gotchas.fixes.staged_cast import stage, to_e4b15
from gpu_gotchas.hardware.targets import Vendor
from gpu_gotchas.repro.probe import ProbeTarget
from gpu_gotchas.upstream.vllm_kernels import load_kernel_module
from gpu_gotchas.upstream.vllm_launches import TURBOQUANT_STORE, store_turboquant

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}

TOKENS, HEADS, HEAD = 4, 2, 128


@triton.jit
def store_keys_direct(keys_ptr, codes_ptr, HEAD: tl.constexpr, FP8_E4B15: tl.constexpr):
    offsets = tl.program_id(0) * HEAD + tl.arange(0, HEAD)
    keys = tl.load(keys_ptr + offsets)
    codes = keys.to(tl.float8e4b15) if FP8_E4B15 else keys.to(tl.float8e4nv)
    tl.store(codes_ptr + offsets, codes.to(tl.uint8, bitcast=True))


@triton.jit
def store_keys_staged(keys_ptr, codes_ptr, HEAD: tl.constexpr, FP8_E4B15: tl.constexpr):
    offsets = tl.program_id(0) * HEAD + tl.arange(0, HEAD)
    keys = tl.load(keys_ptr + offsets)
    codes = to_e4b15(keys) if FP8_E4B15 else keys.to(tl.float8e4nv)
    tl.store(codes_ptr + offsets, codes.to(tl.uint8, bitcast=True))


def bug(target: ProbeTarget) -> torch.Tensor | None:
    return _store(store_keys_direct, target)


def fixed(target: ProbeTarget) -> torch.Tensor | None:
    return _store(store_keys_staged, target)


def bug_package(target: ProbeTarget) -> None:
    _store_upstream(_keys(), target)


def fixed_package(target: ProbeTarget) -> None:
    _store_upstream(stage(_keys()), target)


def _keys() -> torch.Tensor:
    torch.manual_seed(0)
    return torch.randn(TOKENS, HEADS, HEAD).to(torch.bfloat16)


def _store(kernel: triton.JITFunction, target: ProbeTarget) -> torch.Tensor | None:
    keys = _keys().to(target.device)
    codes = torch.empty_like(keys, dtype=torch.uint8)
    below = target.capability is not None and target.capability < (8, 9)
    kernel[(TOKENS * HEADS,)](keys, codes, HEAD=HEAD, FP8_E4B15=below)
    return codes if target.runs else None


def _store_upstream(keys: torch.Tensor, target: ProbeTarget) -> None:
    rocm = target.vendor is Vendor.AMD
    store_turboquant(load_kernel_module(target.package, TURBOQUANT_STORE, rocm=rocm), keys)
