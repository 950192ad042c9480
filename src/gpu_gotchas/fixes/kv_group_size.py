"""How many layers share one block of a paged KV cache, so that little of it is padding.

Layers of one kind (full attention, sliding window, states) are dealt into groups of equal size, and each
group has a block table of its own. A kind whose layers do not fill its last group wastes the rest of every
block. One layer a group wastes nothing, but each group costs a table and work in every step: so their
number is bounded.
"""

from __future__ import annotations

from collections.abc import Sequence


def groups(layers: Sequence[int], size: int) -> int:
    """How many groups of `size` the kinds need. layers: how many layers each kind has."""
    return sum(-(-count // size) for count in layers)


def padding(layers: Sequence[int], size: int) -> int:
    """Places in those groups that no layer fills."""
    return groups(layers, size) * size - sum(layers)


def group_size(layers: Sequence[int], most_groups: int = 16) -> int:
    """The size with the least padding among those that need at most `most_groups`; of equals the largest.

    Raises ValueError where there are no layers, or more kinds than groups.
    """
    if not layers or min(layers) < 1:
        raise ValueError(f"every kind must have layers, not {list(layers)}")
    if len(layers) > most_groups:
        raise ValueError(f"{len(layers)} kinds of layers do not fit {most_groups} groups")
    sizes = [size for size in range(1, max(layers) + 1) if groups(layers, size) <= most_groups]
    return min(sizes, key=lambda size: (padding(layers, size), -size))


def deal(layers: Sequence[str], size: int) -> list[list[str]]:
    """The layers of one kind in groups of at most `size`, dealt like cards, as vLLM deals them.

    So each pipeline stage has its share of every group.
    """
    count = groups([len(layers)], size)
    return [list(layers[first::count]) for first in range(count)]
