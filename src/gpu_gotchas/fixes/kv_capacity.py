"""How much a paged pool holds when groups of layers share it: exact, by counting pages.

A pool is a number of blocks. A request takes, for every group of layers, the blocks that group asks for;
a block that one group took is gone for all others. So the tokens that fit are not the blocks divided by
the groups: a group of states takes a fixed number, however long the request is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from gpu_gotchas.fixes.kv_specs import Fit, Layer, Load


@dataclass(frozen=True, slots=True)
class Group:
    """Layers that share one table of blocks. layer: what each of them keeps. fit: how it fills a page."""

    layer: Layer
    fit: Fit


@dataclass(frozen=True, slots=True)
class Capacity:
    """What a pool holds.

    blocks_per_request: blocks of a request of full length. fixed_blocks: blocks of a request of one token.
    concurrency: requests of full length at a time, as a fraction. requests: whole ones.
    tokens: context held when the pool is filled with requests of full length, the last one cut to the
    blocks that are left.
    """

    blocks_per_request: int
    fixed_blocks: int
    concurrency: Fraction
    requests: int
    tokens: int


def blocks_per_request(groups: Sequence[Group], load: Load) -> int:
    """Blocks that a request of `load.length` tokens takes from the pool, over all groups."""
    return sum(group.layer.pages(group.fit, load) for group in groups)


def capacity(groups: Sequence[Group], blocks: int, load: Load) -> Capacity:
    """What `blocks` blocks hold of requests as `load` says.

    Raises ValueError when there is no group, or a negative number of blocks.
    """
    if not groups or blocks < 0:
        raise ValueError(f"a capacity needs a group and a pool, not {len(groups)} groups and {blocks} blocks")
    whole = blocks_per_request(groups, load)
    requests, left = divmod(blocks, whole)
    return Capacity(
        blocks_per_request=whole,
        fixed_blocks=blocks_per_request(groups, Load(1, load.chunk)),
        concurrency=Fraction(blocks, whole),
        requests=requests,
        tokens=requests * load.length + longest(groups, left, load),
    )


def longest(groups: Sequence[Group], blocks: int, load: Load) -> int:
    """Tokens of the longest request of at most `load.length` that `blocks` blocks hold; 0 when none does."""
    low, high = 0, load.length
    while low < high:
        middle = (low + high + 1) // 2
        if blocks_per_request(groups, Load(middle, load.chunk)) <= blocks:
            low = middle
        else:
            high = middle - 1
    return low
