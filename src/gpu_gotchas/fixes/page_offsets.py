"""Where a token lies in a paged cache, in 64 bits.

A page number comes from a table of 32-bit numbers, a stride arrives as a 32-bit argument, and Triton
multiplies them in 32 bits: from 2**31 elements on the offset wraps around and is negative. 64 bits on one
side are enough. `page_of` and `place_of` are Triton helpers for one's own kernels; `wide_table` is for those
that cannot be changed.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def page_of(table: tl.tensor, token: tl.tensor, PAGE: tl.constexpr) -> tl.tensor:
    """The pages (int64) that tokens lie in, by one request's row of the table. Same shape as `token`."""
    return tl.load(table + token // PAGE).to(tl.int64)


@triton.jit
def place_of(
    page: tl.tensor,
    token: tl.tensor,
    page_stride: tl.tensor,
    token_stride: tl.tensor,
    PAGE: tl.constexpr,
) -> tl.tensor:
    """Offsets (int64) of tokens in the cache, in elements; `page` may have 32 bits. Same shape as `token`."""
    return page.to(tl.int64) * page_stride + (token % PAGE) * token_stride


def wide_table(table: torch.Tensor) -> torch.Tensor:
    """A page table as a kernel that multiplies its numbers by strides needs it: int64, twice the bytes."""
    return table.to(torch.int64)
