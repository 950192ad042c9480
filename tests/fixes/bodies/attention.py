"""Attend with `dot_as_right` in each dtype given, and print outputs and inputs as JSON."""

from __future__ import annotations

import json
import sys

import torch
import triton
import triton.language as tl

from gpu_gotchas.fixes.operand_dtypes import dot_as_right, dot_as_right_onto

ROWS, TOKENS, HEAD = 16, 32, 16


@triton.jit
def attend(q_ptr, k_ptr, v_ptr, out_ptr, scale, ROWS: tl.constexpr, TOKENS: tl.constexpr, HEAD: tl.constexpr):
    rows, tokens, column = tl.arange(0, ROWS), tl.arange(0, TOKENS), tl.arange(0, HEAD)
    q = tl.load(q_ptr + rows[:, None] * HEAD + column[None, :])
    k = tl.load(k_ptr + tokens[None, :] * HEAD + column[:, None])
    v = tl.load(v_ptr + tokens[:, None] * HEAD + column[None, :])
    logits = dot_as_right(q * scale, k)
    weights = tl.exp(logits - tl.max(logits, 1)[:, None])
    acc = tl.zeros([ROWS, HEAD], tl.float32) + 1
    acc = dot_as_right_onto(weights / tl.sum(weights, 1)[:, None], v, acc)
    tl.store(out_ptr + rows[:, None] * HEAD + column[None, :], acc)


def attend_in(dtype: torch.dtype) -> list[list[list[float]]]:
    torch.manual_seed(1)
    q, k, v = (torch.randn(rows, HEAD).to(dtype) for rows in (ROWS, TOKENS, TOKENS))
    out = torch.empty(ROWS, HEAD)
    attend[(1,)](q, k, v, out, 0.25, ROWS=ROWS, TOKENS=TOKENS, HEAD=HEAD)
    return [tensor.float().tolist() for tensor in (out, q, k, v)]


if __name__ == "__main__":
    print(json.dumps([attend_in(getattr(torch, name)) for name in sys.argv[1:]]))
