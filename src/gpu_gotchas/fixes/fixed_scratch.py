"""Scratch memory of one size for life, for kernels that CUDA graphs capture.

A captured graph keeps the address that its kernels were given. A workspace that grows gives that memory back
to the allocator, and the next replay reads and writes what has become somebody else's. So the size is said
once, before anything is captured; what asks for more is refused, loudly, and never served from new memory.
"""

from __future__ import annotations

from math import prod

import torch
from torch import Tensor

from gpu_gotchas.fixes.refused import Refused


class FixedScratch:
    """`elements` of one dtype on one device. It must outlive every graph that was captured with it."""

    def __init__(
        self, elements: int, *, device: torch.device | str, dtype: torch.dtype = torch.float32
    ) -> None:
        self._memory = torch.empty(elements, dtype=dtype, device=device)

    def take(self, *shape: int) -> Tensor:
        """The first elements as a tensor of this shape: the same memory at every call, whatever it holds.

        Raises Refused when the shape has more elements than there are.
        """
        wanted = prod(shape)
        if wanted > self._memory.numel():
            raise Refused(
                capability=f"scratch of {self._memory.numel()} elements",
                setting=f"a call that needs {wanted} elements of scratch",
                way_out="plan for the largest call before the first graph is captured",
            )
        return self._memory[:wanted].view(shape)
