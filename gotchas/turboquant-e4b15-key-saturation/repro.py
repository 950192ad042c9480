"""TurboQuant's FP8 keys below 8.9: Triton's `fp8e4b15` ends at 1.75, keys do not, and nothing scales them.

What is measured is the largest magnitude that a stored key can come back with, when keys reach up to 448.

- `compile`: the bound at which the compiled store clamps, read from its PTX. That shows what the code does to
  a key of a given size; it does not show a model's output getting worse.
- `device`: store and load on the card. Below 8.9 that is the fault itself; `bug_elsewhere` sends any card
  through the `fp8e4b15` path.
- `package`: the bound in the PTX of vLLM's own store kernel, from the source in `target.package`. Stand-ins,
  see `gpu_gotchas.upstream.vllm_kernels`: `vllm` (its `__init__` is not run), `vllm.platforms`,
  `vllm.triton_utils`; and a listener around the kernel, since the launcher keeps no compiled kernel.
"""

from __future__ import annotations

import re
import struct
from typing import Any

import torch
import triton
import triton.language as tl

from gpu_gotchas.fixes.e4m3_codec import decode_e4m3, encode_e4m3
from gpu_gotchas.hardware.targets import Vendor
from gpu_gotchas.repro.probe import ProbeTarget
from gpu_gotchas.upstream.vllm_kernels import listen, load_kernel_module
from gpu_gotchas.upstream.vllm_launches import TURBOQUANT_STORE, store_turboquant

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}

TOKENS, HEADS, HEAD = 64, 2, 128
REACH = 448.0


@triton.jit
def store_and_load(keys_ptr, back_ptr, HEAD: tl.constexpr, FP8_E4B15: tl.constexpr):
    offsets = tl.program_id(0) * HEAD + tl.arange(0, HEAD)
    keys = tl.load(keys_ptr + offsets).to(tl.float32)
    codes = keys.to(tl.float8e4b15) if FP8_E4B15 else keys.to(tl.float8e4nv)
    tl.store(back_ptr + offsets, codes.to(tl.float16).to(tl.float32))


@triton.jit
def store_and_load_codec(keys_ptr, back_ptr, HEAD: tl.constexpr):
    offsets = tl.program_id(0) * HEAD + tl.arange(0, HEAD)
    keys = tl.load(keys_ptr + offsets).to(tl.float32)
    tl.store(back_ptr + offsets, decode_e4m3(encode_e4m3(keys)))


def bug(target: ProbeTarget, seed: int) -> float:
    below = target.capability is not None and target.capability < (8, 9)
    return _largest(store_and_load, target, seed, FP8_E4B15=below)


def bug_elsewhere(target: ProbeTarget, seed: int) -> float:
    return _largest(store_and_load, target, seed, FP8_E4B15=True)


def fixed(target: ProbeTarget, seed: int) -> float:
    return _largest(store_and_load_codec, target, seed)


def bug_package(target: ProbeTarget, seed: int) -> float:
    module = load_kernel_module(target.package, TURBOQUANT_STORE, rocm=target.vendor is Vendor.AMD)
    listener = listen(module, "_tq_fused_store_fp8")
    store_turboquant(module, keys_up_to_reach(seed).to(torch.float16))
    return clamp_bound(listener.asm["ptx"])


def _largest(kernel: triton.JITFunction, target: ProbeTarget, seed: int, **constants: Any) -> float:
    keys = keys_up_to_reach(seed).to(torch.bfloat16).to(target.device)
    back = torch.empty_like(keys, dtype=torch.float32)
    compiled = kernel[(TOKENS * HEADS,)](keys, back, HEAD=HEAD, **constants)
    if not target.runs:
        return clamp_bound(compiled.asm["ptx"])
    return back.abs().max().item()


def keys_up_to_reach(seed: int) -> torch.Tensor:
    """Keys [tokens, heads, head] spread evenly over what E4M3 can hold, both ends included."""
    generator = torch.Generator().manual_seed(seed)
    keys = (torch.rand(TOKENS, HEADS, HEAD, generator=generator) * 2 - 1) * REACH
    keys[0, 0, 0], keys[0, 0, 1] = REACH, -REACH
    return keys


def clamp_bound(ptx: str) -> float:
    """The magnitude at which the compiled code clamps, whichever of three ways it does it.

    A conversion instruction that saturates at 448; a pair of float16 constants, as Triton's own `fp8e4b15`
    code has; or an integer minimum with the bits of a float32, as the codec has. Integer minima that are no
    magnitude (shift counts) are tiny as float32. Raises ValueError when the code clamps in no way known here.
    """
    if "cvt.rn.satfinite.e4m3x2" in ptx:
        return REACH
    halves = [int(text, 16) for text in re.findall(r"mov\.b32\s+\w+,\s*0x([0-9A-Fa-f]{8})\s*;", ptx)]
    bounds = [_half(pair & 0xFFFF) for pair in halves if pair >> 16 == pair & 0xFFFF]
    words = [int(text) for text in re.findall(r"min\.[su]32\s+%r\d+, %r\d+, (\d+)\s*;", ptx)]
    bounds += [struct.unpack("<f", struct.pack("<I", word))[0] for word in words]
    magnitudes = [bound for bound in bounds if bound > 2.0**-6]
    if not magnitudes:
        raise ValueError("the compiled store clamps in no way that this probe knows")
    return min(magnitudes)


def _half(bits: int) -> float:
    value: float = struct.unpack("<e", struct.pack("<H", bits))[0]
    return value
