"""How many layers share one block of a paged KV cache, so that little of it is padding.

Layers of one kind (full attention, sliding window, states) are dealt into groups of equal size, and each
group has a block table of its own. A kind whose layers do not fill its last group wastes the rest of every
block. One layer a group wastes nothing, but each group costs a table and work in every step: so their
number is bounded.
"""

from __future__ import annotations

from collections.abc import Sequence

from gpu_gotchas.fixes.whole_numbers import whole

MOST_LAYERS = 4096
"""Of one kind, for which a size is looked for."""


def groups(layers: Sequence[int], size: int) -> int:
    """How many groups of `size` the kinds need. layers: how many layers each kind has.

    Raises ValueError for a size below 1.
    """
    whole("size", size)
    return sum(-(-count // size) for count in layers)


def padding(layers: Sequence[int], size: int) -> int:
    """Places in those groups that no layer fills."""
    return groups(layers, size) * size - sum(layers)


def group_size(layers: Sequence[int], most_groups: int = 16) -> int:
    """The size with the least padding among those that need at most `most_groups`; of equals the largest.

    Raises ValueError, naming the argument, where there are no layers or over MOST_LAYERS of a kind, and for
    more kinds than groups.
    """
    if not layers:
        raise ValueError("layers must name at least one kind")
    for count in layers:
        whole("layers of a kind", count, most=MOST_LAYERS)
    whole("most_groups", most_groups)
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
