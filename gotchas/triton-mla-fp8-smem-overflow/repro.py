"""MLA decode over an FP8 cache on 99 KiB cards: two pipeline stages need more than a block may have.

The mechanism is a decode kernel of our own for one request, with the sizes that vLLM's
`_fwd_grouped_kernel_stage1` has for DeepSeek's latent: 512 latent and 64 rope columns, tiles of 32 tokens and
16 heads, FP8 widened through float32, the key tile turned around and used as the value tile.

The upstream probes run vLLM's own launcher, `_decode_grouped_att_m_fwd`, from the source in `target.package`.
Stand-ins, see `gpu_gotchas.upstream.vllm_kernels`: `vllm` (its `__init__` is not run), `vllm.platforms`,
`vllm.triton_utils`. The launcher, its block sizes, its kernel and Triton are the released ones.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from gpu_gotchas.fixes.launch_fit import LaunchFit
from gpu_gotchas.hardware.targets import Vendor
from gpu_gotchas.repro.probe import ProbeTarget
from gpu_gotchas.upstream.vllm_kernels import load_kernel_module
from gpu_gotchas.upstream.vllm_launches import MLA_DECODE, decode_mla

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}

LATENT, ROPE, HEADS, TOKENS, PAGE = 512, 64, 16, 256, 16
# The launch as it stands, then the same tiles without pipelining, then smaller tiles.
CANDIDATES = [{}, {"num_stages": 1}, {"num_stages": 1, "BLOCK_N": 16}]


@triton.jit
def mla_decode(
    q_ptr, cache_ptr, pages_ptr, scale_ptr, out_ptr, tokens, softmax_scale, stride_page, stride_token,
    LATENT: tl.constexpr, ROPE: tl.constexpr, PAGE: tl.constexpr,
    BLOCK_H: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    heads = tl.arange(0, BLOCK_H)
    latent = tl.arange(0, LATENT)
    rope = LATENT + tl.arange(0, ROPE)
    q_row = q_ptr + heads[:, None] * (LATENT + ROPE)
    q = tl.load(q_row + latent[None, :])
    q_rope = tl.load(q_row + rope[None, :])
    cache_scale = tl.load(scale_ptr)

    largest = tl.zeros([BLOCK_H], tl.float32) - float("inf")
    total = tl.zeros([BLOCK_H], tl.float32)
    acc = tl.zeros([BLOCK_H, LATENT], tl.float32)
    for start in tl.range(0, tokens, BLOCK_N):
        token = start + tl.arange(0, BLOCK_N)
        inside = token < tokens
        page = tl.load(pages_ptr + token // PAGE, mask=inside, other=0).to(tl.int64)
        row = cache_ptr + (page * stride_page + (token % PAGE) * stride_token)[None, :]
        k = tl.load(row + latent[:, None], mask=inside[None, :], other=0.0)
        if k.dtype.is_fp8():
            k = (k.to(tl.float32) * cache_scale).to(q.dtype)
        logits = tl.dot(q, k)
        k_rope = tl.load(row + rope[:, None], mask=inside[None, :], other=0.0)
        if k_rope.dtype.is_fp8():
            k_rope = (k_rope.to(tl.float32) * cache_scale).to(q.dtype)
        logits = (logits + tl.dot(q_rope, k_rope)) * softmax_scale
        logits = tl.where(inside[None, :], logits, float("-inf"))
        now_largest = tl.maximum(tl.max(logits, 1), largest)
        shrink = tl.exp(largest - now_largest)
        weights = tl.exp(logits - now_largest[:, None])
        acc = acc * shrink[:, None] + tl.dot(weights.to(k.dtype), tl.trans(k))
        total = total * shrink + tl.sum(weights, 1)
        largest = now_largest
    tl.store(out_ptr + heads[:, None] * LATENT + latent[None, :], acc / total[:, None])


def bug(target: ProbeTarget) -> torch.Tensor | None:
    return _decode(mla_decode, target)


def fixed(target: ProbeTarget) -> torch.Tensor | None:
    return _decode(LaunchFit(mla_decode, CANDIDATES), target)


def bug_package(target: ProbeTarget) -> None:
    decode_mla(_load(target), torch.float8_e4m3fn)


def fixed_package(target: ProbeTarget) -> None:
    module = _load(target)
    module._fwd_grouped_kernel_stage1 = LaunchFit(module._fwd_grouped_kernel_stage1, CANDIDATES)
    decode_mla(module, torch.float8_e4m3fn)


def _decode(kernel: Any, target: ProbeTarget) -> torch.Tensor | None:
    torch.manual_seed(0)
    q = torch.randn(HEADS, LATENT + ROPE, dtype=torch.bfloat16).to(target.device)
    cache = torch.randn(TOKENS // PAGE, PAGE, LATENT + ROPE).to(torch.float8_e4m3fn).to(target.device)
    pages = torch.arange(TOKENS // PAGE, dtype=torch.int32).to(target.device)
    scale = torch.ones((), device=target.device)
    out = torch.empty(HEADS, LATENT, device=target.device)
    softmax_scale = (LATENT + ROPE) ** -0.5
    kernel[(1,)](
        q, cache, pages, scale, out, TOKENS, softmax_scale, cache.stride(0), cache.stride(1),
        LATENT=LATENT, ROPE=ROPE, PAGE=PAGE, BLOCK_H=HEADS, BLOCK_N=32, num_warps=4, num_stages=2,
    )  # fmt: skip
    if not target.runs:
        return None
    rows = cache.float().reshape(TOKENS, LATENT + ROPE)
    expected = ((q.float() @ rows.T) * softmax_scale).softmax(-1) @ rows[:, :LATENT]
    torch.testing.assert_close(out, expected, rtol=2e-2, atol=2e-2)
    return out


def _load(target: ProbeTarget) -> Any:
    return load_kernel_module(target.package, MLA_DECODE, rocm=target.vendor is Vendor.AMD)
