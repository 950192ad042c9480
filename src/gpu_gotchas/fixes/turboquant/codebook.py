"""The table behind keys of 4 or 3 bits: where a rotated unit vector's numbers lie, and the rotation."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from math import erf, exp, pi, sqrt

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class Codebook:
    """centroids: (2 ** bits,) float32, rising. midpoints: between them. rotation: (head, head) float32.

    A cache means what its codebook says: to read what another program wrote, pass that program's own tables.
    """

    centroids: Tensor
    midpoints: Tensor
    rotation: Tensor
    pairs: Tensor = field(init=False)
    """(4 ** bits,) int32: the two centroids of each pair of indices as float16, the lower in the low bits."""

    def __post_init__(self) -> None:
        levels = len(self.centroids)
        pair = torch.arange(levels * levels, device=self.centroids.device)
        halves = (pair % levels, pair // levels)
        low, high = (self.centroids.half()[half].view(torch.int16).int() for half in halves)
        object.__setattr__(self, "pairs", (low & 0xFFFF) | high << 16)

    @classmethod
    def of(cls, head: int, device: torch.device | str, *, bits: int = 4) -> Codebook:
        """For keys of so many bits: Lloyd-Max levels of a normal distribution with variance 1 / head, and the
        orthonormal Hadamard matrix of Sylvester's construction. vLLM integrates numerically, so its levels
        differ by up to 1 in 1,000."""
        levels = torch.tensor(lloyd_max(2**bits), dtype=torch.float64) / sqrt(head)
        return cls(
            levels.float().to(device),
            ((levels[1:] + levels[:-1]) / 2).float().to(device),
            hadamard(head).to(device),
        )


def lloyd_max(levels: int) -> list[float]:
    """The levels, rising, that quantise a standard normal number with the least mean square error.

    Each level is the mean of its cell, each cell ends half way between two levels: iterated to rest.
    """
    found = [6.0 * (index + 0.5) / levels - 3.0 for index in range(levels)]
    for _ in range(5000):
        edges = [-12.0, *((a + b) / 2 for a, b in pairwise(found)), 12.0]
        means = [_mean(a, b) for a, b in pairwise(edges)]
        if max(abs(a - b) for a, b in zip(found, means, strict=True)) < 1e-13:
            break
        found = means
    return found


def hadamard(head: int) -> Tensor:
    """(head, head) float32, orthonormal and symmetric; head is a power of two."""
    matrix = torch.ones(1, 1)
    while matrix.shape[0] < head:
        matrix = torch.cat([torch.cat([matrix, matrix], 1), torch.cat([matrix, -matrix], 1)], 0)
    return matrix / sqrt(head)


def _mean(low: float, high: float) -> float:
    mass = (erf(high / sqrt(2)) - erf(low / sqrt(2))) / 2
    return (exp(-low * low / 2) - exp(-high * high / 2)) / sqrt(2 * pi) / mass
