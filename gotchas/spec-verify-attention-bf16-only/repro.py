"""Verify attention that spells out bfloat16: served in float16, its matrix products get two dtypes.

The mechanism attends one head's few draft tokens to a KV sequence, tile by tile, and casts scaled queries
and weights to bfloat16 before each product, as `_spec_attn_partial` of the split-KV patch does. The control
is the same call on a model served in bfloat16.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from gpu_gotchas.fixes.operand_dtypes import dot_as_right, dot_as_right_onto
from gpu_gotchas.repro.probe import ProbeTarget

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}

DRAFT, TOKENS, HEAD = 16, 128, 64


@triton.jit
def verify(
    q_ptr, k_ptr, v_ptr, out_ptr, tokens, scale,
    DRAFT: tl.constexpr, HEAD: tl.constexpr, TILE: tl.constexpr, SPELLED_OUT: tl.constexpr,
):  # fmt: skip
    rows = tl.arange(0, DRAFT)
    column = tl.arange(0, HEAD)
    scaled = tl.load(q_ptr + rows[:, None] * HEAD + column[None, :]) * scale
    position = tokens - DRAFT + rows
    largest = tl.zeros([DRAFT], tl.float32) - float("inf")
    total = tl.zeros([DRAFT], tl.float32)
    acc = tl.zeros([DRAFT, HEAD], tl.float32)
    for start in tl.range(0, tokens, TILE):
        token = start + tl.arange(0, TILE)
        k = tl.load(k_ptr + token[None, :] * HEAD + column[:, None])
        v = tl.load(v_ptr + token[:, None] * HEAD + column[None, :])
        logits = tl.dot(scaled.to(tl.bfloat16), k) if SPELLED_OUT else dot_as_right(scaled, k)
        logits = tl.where(token[None, :] <= position[:, None], logits, float("-inf"))
        now_largest = tl.maximum(largest, tl.max(logits, 1))
        weights = tl.exp(logits - now_largest[:, None])
        shrink = tl.exp(largest - now_largest)
        total = total * shrink + tl.sum(weights, 1)
        acc = acc * shrink[:, None]
        if SPELLED_OUT:
            acc += tl.dot(weights.to(tl.bfloat16), v)
        else:
            acc = dot_as_right_onto(weights, v, acc)
        largest = now_largest
    tl.store(out_ptr + rows[:, None] * HEAD + column[None, :], acc / total[:, None])


def bug(target: ProbeTarget) -> None:
    _verify(target, torch.float16, spelled_out=True)


def fixed(target: ProbeTarget) -> None:
    _verify(target, torch.float16, spelled_out=False)
    _verify(target, torch.bfloat16, spelled_out=False)


def control(target: ProbeTarget) -> None:
    _verify(target, torch.bfloat16, spelled_out=True)


def _verify(target: ProbeTarget, dtype: torch.dtype, *, spelled_out: bool) -> None:
    torch.manual_seed(0)
    q, k, v = (torch.randn(rows, HEAD).to(dtype).to(target.device) for rows in (DRAFT, TOKENS, TOKENS))
    out = torch.empty(DRAFT, HEAD, device=target.device)
    scale = HEAD**-0.5
    verify[(1,)](q, k, v, out, TOKENS, scale, DRAFT=DRAFT, HEAD=HEAD, TILE=32, SPELLED_OUT=spelled_out)
    if target.runs:
        torch.testing.assert_close(out, attend(q, k, v, scale), rtol=2e-2, atol=2e-2)


def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, scale: float) -> torch.Tensor:
    """What the kernels should give, in float32: q [draft, head] ends k and v [tokens, head], causal."""
    logits = q.float() @ k.float().T * scale
    token = torch.arange(k.shape[0], device=q.device)
    later = token[None, :] > token[-q.shape[0] :][:, None]
    return logits.masked_fill(later, float("-inf")).softmax(-1) @ v.float()
