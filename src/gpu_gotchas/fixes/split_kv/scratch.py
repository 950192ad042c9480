"""A plan beside the memory for the results of its splits, made once, before the first graph is captured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import torch
from torch import Tensor

from gpu_gotchas.fixes.fixed_scratch import FixedScratch


class Planned(Protocol):
    """What a plan must say for its scratch."""

    def scratch_elements(self, requests: int) -> int:
        """float32 elements for so many requests; none where nothing is split."""
        ...


P = TypeVar("P", bound=Planned)


@dataclass(frozen=True, slots=True)
class Scratch(Generic[P]):
    """It must outlive every graph that was captured with it."""

    plan: P
    memory: FixedScratch

    @classmethod
    def allocate(cls, plan: P, *, requests: int, device: torch.device | str) -> Scratch[P]:
        """For up to `requests` requests; nothing is allocated where nothing is split."""
        return cls(plan, FixedScratch(plan.scratch_elements(requests), device=device))

    def parts(self, rows: int, width: int) -> tuple[Tensor, Tensor]:
        """Flat memory for `rows` results of `width` numbers and for their log-sum-exps.

        Raises Refused for more than was planned.
        """
        memory = self.memory.take(rows * (width + 1))
        return memory[: rows * width], memory[rows * width :]
