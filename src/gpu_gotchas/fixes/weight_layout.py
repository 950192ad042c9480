"""How a weight matrix lies, said by whoever knows it instead of guessed from its shape.

A shape of (inputs, outputs) tells the layout of every weight but a square one, which looks the same either
way; multiplied with the wrong one, a layer computes with the transposed weight and says nothing.
"""

from __future__ import annotations

from enum import Enum

from torch import Tensor


class Layout(Enum):
    """BY_OUTPUT: (outputs, inputs), as checkpoints store it. BY_INPUT: (inputs, outputs)."""

    BY_OUTPUT = "by output"
    BY_INPUT = "by input"


def by_input(weight: Tensor, layout: Layout) -> Tensor:
    """`weight` as (inputs, outputs): a view, transposed where `layout` says that it lies by output.

    Raises ValueError when it is no matrix.
    """
    if weight.dim() != 2:
        raise ValueError(f"a weight has two dimensions, not shape {tuple(weight.shape)}")
    return weight.t() if layout is Layout.BY_OUTPUT else weight
