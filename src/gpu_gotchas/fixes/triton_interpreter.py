"""Triton's interpreter made right for bfloat16 and FP8, so that a kernel's numbers can be checked on a CPU.

The interpreter keeps bfloat16 and FP8 as unsigned integers. From 3.6 to 3.9 it adds, multiplies, compares and
dots those integers as if they were the numbers, and its narrowing casts do not round as hardware does. After
`apply()`:

- casts between floats are exact or round to the nearest, ties to even; into FP8 they saturate, as NVIDIA's
  conversion instructions do;
- `tl.dot` takes what it multiplies as numbers and sums in the accumulator's dtype;
- arithmetic on bfloat16 goes through float32 and is rounded once, as a card does for one operation;
- arithmetic on FP8, and a reduction of either, raises TypeError: widen first.

    from gpu_gotchas.fixes import triton_interpreter

    triton_interpreter.apply()      # once in a process that runs with TRITON_INTERPRET=1
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import triton.language as tl
from triton.runtime import interpreter

from gpu_gotchas.fixes import e4m3_torch

_TORCH = {
    "bf16": torch.bfloat16,
    "fp16": torch.float16,
    "fp32": torch.float32,
    "fp64": torch.float64,
    "fp8e5": torch.float8_e5m2,
}
_BITS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
_RAW = ("bf16", "fp8e4nv", "fp8e5")
"""Dtypes that the interpreter keeps as integers and this module can read."""


_before: dict[tuple[Any, str], Any] = {}


def needed() -> bool:
    """Whether this process's interpreter adds the bits of bfloat16 one and one instead of the numbers."""
    one = interpreter.TensorHandle(np.array([0x3F80], dtype=np.uint16), tl.bfloat16)
    return bool(interpreter.interpreter_builder.binary_op(one, one, np.add).data[0] != 0x4000)


def apply() -> None:
    """Patch the interpreter of this process; a second time changes nothing. No file is changed."""
    if _before:
        return
    builder = interpreter.InterpreterBuilder
    for owner, name, change in (
        (interpreter, "_convert_float", _convert_float),
        (builder, "create_dot", _dot),
        (builder, "binary_op", _arithmetic),
        (builder, "unary_op", _arithmetic),
        (interpreter.ReduceOps, "apply_impl", _reduction),
    ):
        _before[owner, name] = getattr(owner, name)
        setattr(owner, name, change(_before[owner, name]))


def verify() -> bool:
    """Whether one and one are two now."""
    return not needed()


def revert() -> None:
    """Put back what `apply` replaced."""
    for (owner, name), original in _before.items():
        setattr(owner, name, original)
    _before.clear()


def values(bits: np.ndarray[Any, Any], dtype: str) -> torch.Tensor:
    """What an array of the interpreter holds as `dtype`, as a tensor of numbers of the same shape."""
    flat = np.ascontiguousarray(bits).reshape(-1)
    raw = torch.from_numpy(flat.view(_BITS[flat.dtype.itemsize]).copy())
    numbers = e4m3_torch.decode(raw) if dtype == "fp8e4nv" else raw.view(_TORCH[dtype])
    return numbers.reshape(bits.shape)


def bits(numbers: torch.Tensor, dtype: str) -> np.ndarray[Any, Any]:
    """The same numbers as the interpreter keeps `dtype`: the bits, as unsigned integers."""
    if dtype == "fp8e4nv":
        return np.asarray(e4m3_torch.encode(numbers).numpy())
    narrow = numbers
    if dtype == "fp8e5":
        largest = torch.finfo(torch.float8_e5m2).max
        wide = numbers.to(torch.float32)
        narrow = torch.where(wide.isnan(), wide, wide.clamp(-largest, largest))
    narrow = narrow.to(_TORCH[dtype]).contiguous()
    unsigned = {1: torch.uint8, 2: torch.uint16, 4: torch.uint32, 8: torch.uint64}[narrow.element_size()]
    return np.asarray(narrow.view(unsigned).numpy())


def _convert_float(original: Callable[..., Any]) -> Callable[..., Any]:
    known = {*_TORCH, "fp8e4nv"}

    def convert(data: Any, source: Any, target: Any, rounding: Any) -> Any:
        nearest = rounding is None or "RTZ" not in str(rounding)
        if source.name in known and target.name in known and nearest:
            return bits(values(data, source.name), target.name)
        return original(data, source, target, rounding)

    return convert


def _dot(original: Callable[..., Any]) -> Callable[..., Any]:
    def dot(self: Any, a: Any, b: Any, d: Any, *options: Any) -> Any:
        names = a.dtype.scalar.name, b.dtype.scalar.name
        if not any(name in _RAW for name in names):
            return original(self, a, b, d, *options)
        left, right = (
            values(handle.data, name).to(torch.float32).numpy()
            for handle, name in zip((a, b), names, strict=True)
        )
        total = np.matmul(left, right).astype(d.data.dtype) + d.data
        return interpreter.TensorHandle(total, d.dtype.scalar)

    return dot


def _arithmetic(original: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps `unary_op(x, op)` and `binary_op(x, y, op)`, where `op` is numpy's."""

    def arithmetic(self: Any, *arguments: Any) -> Any:
        *handles, op = arguments
        names = [handle.dtype.scalar.name for handle in handles]
        if any(name.startswith("fp8") for name in names):
            raise TypeError(f"arithmetic on {' and '.join(names)}: widen it first")
        if "bf16" not in names:
            return original(self, *arguments)
        wide = [
            values(handle.data, name).to(torch.float32).numpy()
            for handle, name in zip(handles, names, strict=True)
        ]
        result = np.asarray(op(*wide))
        if result.dtype == bool:
            return interpreter.TensorHandle(result, tl.int1)
        return interpreter.TensorHandle(bits(torch.from_numpy(result), "bf16"), tl.bfloat16)

    return arithmetic


def _reduction(original: Callable[..., Any]) -> Callable[..., Any]:
    def reduce(self: Any, tensors: Any) -> Any:
        for one in tensors:
            name = one.dtype.scalar.name
            if name == "bf16" or name.startswith("fp8"):
                raise TypeError(f"a reduction of {name}: widen it first")
        return original(self, tensors)

    return reduce
