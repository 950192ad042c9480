"""Casts to Triton's software FP8 type that take bfloat16 too.

Triton converts to `fp8e4b15` from float16 and float32 only; from bfloat16 its front end stops at an assertion
without a message. float32 holds every bfloat16 exactly, so going through it changes no value.

`fp8e4b15` reaches 1.875 at most and Triton's conversion clamps at 1.75, so a staged cast compiles and still
flattens what is larger. Where values can exceed that, store `e4m3_codec.encode_e4m3` instead: one byte as
well, up to 448.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def to_e4b15(values: tl.tensor) -> tl.tensor:
    """A block of any float dtype to `fp8e4b15`, through float32. Same shape. Clamps at 1.75."""
    return values.to(tl.float32).to(tl.float8e4b15)


def stage(values: torch.Tensor) -> torch.Tensor:
    """What a kernel that casts straight to `fp8e4b15` can take: bfloat16 as float32, others as they are.

    For launchers whose kernel cannot be changed. Costs a copy of twice the bytes.
    """
    return values.float() if values.dtype == torch.bfloat16 else values
