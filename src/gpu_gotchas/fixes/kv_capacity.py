"""How much a paged pool holds when groups of layers share it: exact, by counting pages.

A pool is a number of blocks. A request takes, for every group of layers, the blocks that group asks for;
a block that one group took is gone for all others. So the tokens that fit are not the blocks divided by
the groups: a group of states takes a fixed number, however long the request is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from gpu_gotchas.fixes.kv_specs import Fit, Layer, LinearState, Load
from gpu_gotchas.fixes.whole_numbers import whole


@dataclass(frozen=True, slots=True)
class Group:
    """Layers that share one table of blocks. layer: what each of them keeps. fit: how it fills a page.

    Raises ValueError for a fit that no page has: a layer of tokens needs a block of at least 1.
    """

    layer: Layer
    fit: Fit

    def __post_init__(self) -> None:
        whole("block", self.fit.block, least=0 if isinstance(self.layer, LinearState) else 1)
        whole("used", self.fit.used)


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

    Raises ValueError when there is no group, and when blocks is no whole number or below 0.
    """
    if not groups:
        raise ValueError("groups must be at least one")
    whole("blocks", blocks, least=0)
    each = blocks_per_request(groups, load)
    requests, left = divmod(blocks, each)
    return Capacity(
        blocks_per_request=each,
        fixed_blocks=blocks_per_request(groups, Load(1, load.chunk)),
        concurrency=Fraction(blocks, each),
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
