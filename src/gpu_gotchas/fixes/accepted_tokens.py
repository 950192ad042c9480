"""How many tokens of a draft were accepted, as kernels that index by it can take it.

A step of speculative decoding yields at least one token and at most one more than was drafted. Kernels that
keep a state for each of them take `accepted - 1` as an index and check nothing, so a row that is zero,
stale or made up for padding reads or writes another request's state.
"""

from __future__ import annotations

from torch import Tensor


def bounded(accepted: Tensor, drafted: int) -> Tensor:
    """`accepted` with every entry in 1 to `drafted` + 1; a new tensor of the same dtype, on the same device.

    One elementwise operation, without a look at the values from the host, so it can be captured in a graph.
    Raises ValueError when `drafted` is negative.
    """
    if drafted < 0:
        raise ValueError(f"the number of drafted tokens cannot be {drafted}")
    return accepted.clamp(1, drafted + 1)
