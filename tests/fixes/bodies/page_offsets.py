"""Offsets of tokens by `page_of` and `place_of`, in Triton's interpreter; prints one line of JSON."""

from __future__ import annotations

import json

import torch
import triton
import triton.language as tl

from gpu_gotchas.fixes.page_offsets import page_of, place_of

PAGE, TOKENS, PAGE_STRIDE, TOKEN_STRIDE = 4, 16, 276_480, 69_120


@triton.jit
def offsets(table, out, page_stride, token_stride, PAGE: tl.constexpr, TOKENS: tl.constexpr):
    token = tl.arange(0, TOKENS)
    page = page_of(table, token, PAGE)
    tl.store(out + token, place_of(page, token, page_stride, token_stride, PAGE))


pages = torch.tensor([0, 7_767, 7_768, 163_000], dtype=torch.int32)
out = torch.full((TOKENS,), -1, dtype=torch.int64)
offsets[(1,)](pages, out, PAGE_STRIDE, TOKEN_STRIDE, PAGE=PAGE, TOKENS=TOKENS)
wanted = [int(pages[t // PAGE]) * PAGE_STRIDE + t % PAGE * TOKEN_STRIDE for t in range(TOKENS)]
print(json.dumps(list(zip(range(TOKENS), out.tolist(), wanted, strict=True))))
