"""Matrix products whose two operands keep one dtype, whatever dtype the caller serves.

Triton's `tl.dot` takes two operands of one dtype. A kernel that spells a dtype out (`p.to(tl.bfloat16)`)
therefore compiles for that one only; casting to the dtype of the operand that comes from memory compiles for
each. Both functions are Triton helpers, to be called inside a kernel.
"""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def dot_as_right(left: tl.tensor, right: tl.tensor) -> tl.tensor:
    """`left @ right` as float32 [M, N], with `left` [M, K] rounded to the dtype of `right` [K, N].

    With float32 operands NVIDIA cards multiply in TF32, as `tl.dot` does unless told otherwise.
    """
    return tl.dot(left.to(right.dtype), right, out_dtype=tl.float32)


@triton.jit
def dot_as_right_onto(left: tl.tensor, right: tl.tensor, onto: tl.tensor) -> tl.tensor:
    """`onto + left @ right`, as `dot_as_right`; `onto` [M, N] is float32, and so is what is returned."""
    return tl.dot(left.to(right.dtype), right, acc=onto)
