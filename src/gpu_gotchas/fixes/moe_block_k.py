"""A tile along K that vLLM's CUDA kernel for 4-bit experts was built for.

`moe_wna16_gemm` exists for 1, 2, 4 or 8 groups of weights in a tile, and walks K in whole tiles. The
heuristic that picks the tile keeps the second rule and forgets the first.
"""

from __future__ import annotations

GROUPS = (8, 4, 2, 1)
"""Groups in a tile that the kernel exists for, the largest first. Source: csrc/moe/moe_wna16.cu of vLLM."""


def is_legal(size_k: int, block_k: int, group_size: int) -> bool:
    """Whether the kernel takes a tile of `block_k` numbers for a reduction over `size_k` of them."""
    return size_k % block_k == 0 and block_k % group_size == 0 and block_k // group_size in GROUPS


def legal_block_k(size_k: int, wanted: int, group_size: int) -> int:
    """The largest legal tile of at most `wanted` numbers, or one group where `wanted` is smaller.

    A legal `wanted` comes back as it is. Raises ValueError where groups do not divide `size_k`: such weights
    have no legal tile at all.
    """
    if size_k % group_size:
        raise ValueError(f"groups of {group_size} do not divide {size_k}")
    sizes = [group_size * groups for groups in GROUPS]
    return next((size for size in sizes if size <= wanted and size_k % size == 0), group_size)
