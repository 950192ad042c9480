"""Repacking a checkpoint's weights for Marlin without two passing copies of every one of them.

vLLM's recipe makes a contiguous copy of a weight that is stored the other way round, then a padded copy of
one whose shape Marlin does not take, and then the result, while the source is still there. On a card that is
nearly full these copies are what does not fit, and between them they leave holes of every size.

Here the copy and the padding share one buffer that only grows, and the source is let go before the result is
allocated. The buffer is as large as the largest weight so far and stays until it is released: use the
staging as a context around the load, or the memory is missing from the cache afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Protocol

import torch
from torch import Tensor

from gpu_gotchas.fixes import marlin_layout

Compute = Callable[[Tensor, int, int, int], Tensor]


class Holder(Protocol):
    """What owns a weight: a torch parameter, or anything with its tensor as `data`."""

    data: Tensor


class Staging:
    """One buffer through which the weights of a load pass, one after the other.

    compute: the repacking itself, `(packed, size_k, size_n, bits) -> Tensor`; the reference in torch unless
    another is given, such as a wrapper around the engine's own kernel. Not for use by several threads.
    """

    def __init__(self, compute: Compute = marlin_layout.repack) -> None:
        self._compute = compute
        self._buffer: Tensor | None = None

    def __enter__(self) -> Staging:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    @property
    def held_bytes(self) -> int:
        """Bytes that the buffer takes now."""
        return 0 if self._buffer is None else self._buffer.numel() * self._buffer.element_size()

    def release(self) -> None:
        """Lets the buffer go. A later weight makes a new one."""
        self._buffer = None

    def repack(self, weight: Holder, size_k: int, size_n: int, bits: int, group_size: int = -1) -> None:
        """Replaces `weight.data` by its Marlin form, padded with zeros to a shape that Marlin takes.

        weight.data: int32 (size_k * bits / 32, size_n) with any strides, packed as GPTQ packs. Nothing else
        should refer to it, or its memory is not let go. Raises ValueError when shape or dtype are others, or
        size_k fills no whole words, or the computation returns a part of the buffer, which the next weight
        would overwrite. When the computation fails, `weight.data` is the weight as it was, contiguous, and
        the error goes on.
        """
        rows = size_k * bits // 32
        if rows * 32 != size_k * bits:
            raise ValueError(f"{size_k} inputs of {bits} bits fill no whole 32-bit words")
        if weight.data.dtype != torch.int32 or tuple(weight.data.shape) != (rows, size_n):
            raise ValueError(
                f"the packed weight must be int32 ({rows}, {size_n}), "
                f"not {weight.data.dtype} {tuple(weight.data.shape)}"
            )
        padded_k, padded_n = marlin_layout.padded_shape(size_k, size_n, group_size)
        staged = self._room(padded_k * bits // 32, padded_n, weight.data.device)
        staged[:rows, :size_n].copy_(weight.data)
        staged[rows:].zero_()
        staged[:rows, size_n:].zero_()
        weight.data = staged.new_empty(0)
        try:
            result = self._compute(staged, padded_k, padded_n, bits)
            if result.untyped_storage().data_ptr() == staged.untyped_storage().data_ptr():
                raise ValueError("the computation returned a part of the buffer: it must make a new tensor")
        except BaseException:
            weight.data = staged[:rows, :size_n].clone(memory_format=torch.contiguous_format)
            raise
        weight.data = result

    def _room(self, rows: int, columns: int, device: torch.device) -> Tensor:
        """A contiguous (rows, columns) at the buffer's start, which grows when it must and never shrinks."""
        words = rows * columns
        if self._buffer is None or self._buffer.device != device or self._buffer.numel() < words:
            self._buffer = None  # first let go of the smaller one
            self._buffer = torch.empty(words, dtype=torch.int32, device=device)
        return self._buffer[:words].view(rows, columns)
