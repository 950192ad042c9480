"""One page size for layers of different kinds, and what it costs: exact, and refused when it wastes too much.

Engines that share one pool of blocks between all layers need every layer's page to have the same bytes.
Stretching block sizes by whole ratios, as vLLM through 0.23.0 does, works only when the largest page is a
multiple of every other; where it is not, loading ends with `NotImplementedError`. Where it is, or where
pages are padded blindly, a smaller cache format can cost more memory than a larger one, and the log does
not say so. This planner finds the page size whose requests are cheapest of all that are legal, pads what does
not fill it, and says what is padding.

Not every size is tried: the pages that a request takes change at few sizes only, and of those that give the
same the smallest legal one is cheapest. So a hundred million tokens take seconds.

Pure Python, no other package. Sizes are bytes, lengths are tokens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import lcm

from gpu_gotchas.fixes.kv_capacity import Capacity, Group, blocks_per_request, capacity
from gpu_gotchas.fixes.kv_specs import Fit, Layer, Load, ceil_div
from gpu_gotchas.fixes.refused import Refused
from gpu_gotchas.fixes.whole_numbers import whole

MOST_LAYERS = 4096
MOST_KINDS = 8
_MOST_GROUPS = 32


@dataclass(frozen=True, slots=True)
class LayerPlan:
    """What becomes of all layers of one kind.

    layers: how many there are. groups: block tables they are dealt to. block: tokens in a page, 0 for a
    state. padding: bytes of each page that hold nothing.
    """

    layer: Layer
    layers: int
    groups: int
    block: int
    padding: int


@dataclass(frozen=True, slots=True)
class Plan:
    """A pool in which all layers have one page size.

    page: bytes of one layer's page. width: layers that one block serves, so that a block has `page * width`
    bytes. kinds: the layers by kind. fillers: places in groups that no layer takes. blocks: blocks of the
    pool. request_bytes: bytes a request of full length holds back. useful_bytes: those that hold a token
    or a state. waste: the share that does not, from 0 to 1.
    """

    page: int
    width: int
    kinds: tuple[LayerPlan, ...]
    fillers: int
    blocks: int
    request_bytes: int
    useful_bytes: int
    capacity: Capacity

    @property
    def waste(self) -> float:
        return 1 - self.useful_bytes / self.request_bytes

    @property
    def fixed_bytes(self) -> int:
        """Bytes that a request holds back from its first token on."""
        return self.capacity.fixed_blocks * self.page * self.width


def plan(layers: Mapping[str, Layer], *, budget: int, load: Load, most_waste: float = 0.25) -> Plan:
    """The page size, block sizes and grouping under which requests of `load` are cheapest.

    layers: name to what it keeps. budget: bytes for the cache. most_waste: share of a full-length request
    that may hold nothing. Of equally cheap plans the one with the fewest groups is taken.

    Raises Refused when no common page exists, when the best plan wastes more than `most_waste`, or when
    the budget holds no request of full length. Raises ValueError, which names the argument, for no layer or
    over MOST_LAYERS, over MOST_KINDS kinds of them, and for numbers that are none or out of range.
    """
    _check(layers, budget, load, most_waste)
    counts = Counter(layers.values())
    best = _cheapest(counts, load)
    if best is None:
        raise _refused(
            counts, "no page size suits all of them", "give the layers that cannot be padded a pool"
        )
    chosen = _build(counts, *best, budget, load)
    if chosen.waste > most_waste:
        raise _refused(
            counts,
            f"the best plan leaves {chosen.waste:.1%} of a request unused, and {most_waste:.1%} is allowed",
            "allow more waste, keep the cache in the other format, or give these layers pools of their own",
        )
    if chosen.capacity.requests == 0:
        raise _refused(
            counts,
            f"a request of {load.length} tokens needs {chosen.request_bytes} bytes of {budget}",
            f"allow requests of at most {chosen.capacity.tokens} tokens, or a larger budget",
        )
    return chosen


def _check(layers: Mapping[str, Layer], budget: int, load: Load, most_waste: float) -> None:
    if not isinstance(layers, Mapping):
        raise ValueError(f"layers must map each name to what it keeps, not be a {type(layers).__name__}")
    if not 1 <= len(layers) <= MOST_LAYERS:
        raise ValueError(f"layers must be at least 1 and at most {MOST_LAYERS}, not {len(layers)}")
    for name, layer in layers.items():
        if not isinstance(layer, Layer):
            raise ValueError(
                f"layers[{name!r}] must say what a layer keeps, as FullAttention does, not {layer!r}"
            )
    kinds = len(set(layers.values()))
    if kinds > MOST_KINDS:
        raise ValueError(f"layers must be of at most {MOST_KINDS} kinds, not {kinds}")
    whole("budget", budget)
    if not isinstance(load, Load):
        raise ValueError(f"load must be a Load, not {load!r}")
    if isinstance(most_waste, bool) or not isinstance(most_waste, int | float) or not 0 <= most_waste <= 1:
        raise ValueError(f"most_waste must be a share from 0 to 1, not {most_waste!r}")


def _cheapest(counts: Mapping[Layer, int], load: Load) -> tuple[int, int] | None:
    """Page and width under which a request of full length takes the fewest bytes."""
    tries = sorted(
        (page * sum(counts[kind] * pages for kind, pages in held.items()), page)
        for page in _pages(counts, load)
        if (held := _held(counts, page, load))
    )
    widths = _widths(counts)
    best: tuple[int, int, int, int] | None = None
    for floor, page in tries:
        if best is not None and floor > best[0]:
            break  # no width takes less than the floor, nor than those that follow
        held = _held(counts, page, load)
        for width in widths:
            groups = {kind: ceil_div(count, width) for kind, count in counts.items()}
            cost = page * width * sum(groups[kind] * held[kind] for kind in counts)
            key = (cost, sum(groups.values()), page, width)
            best = key if best is None else min(best, key)
    return best and best[2:]


def _pages(counts: Mapping[Layer, int], load: Load) -> set[int]:
    """The smallest legal page for each way that a request can take pages of all kinds."""
    least = max(kind.least for kind in counts)
    grain = lcm(*(kind.grain for kind in counts))
    sizes = {least}.union(*(kind.turns(load) for kind in counts))
    return {ceil_div(max(size, least), grain) * grain for size in sizes}


def _held(counts: Mapping[Layer, int], page: int, load: Load) -> dict[Layer, int]:
    """Pages that a request holds back in one layer of each kind; empty where a kind cannot live in `page`."""
    fits = _fits(counts, page)
    return {} if fits is None else {kind: kind.pages(fit, load) for kind, fit in fits.items()}


def _fits(counts: Mapping[Layer, int], page: int) -> dict[Layer, Fit] | None:
    fits: dict[Layer, Fit] = {}
    for kind in counts:
        fit = kind.fit(page)
        if fit is None:
            return None
        fits[kind] = fit
    return fits


def _widths(counts: Mapping[Layer, int]) -> list[int]:
    """Layers per block that need no more than a bounded number of tables; the widest always does."""
    widest = max(counts.values())
    return [
        width
        for width in range(1, widest + 1)
        if width == widest or sum(ceil_div(count, width) for count in counts.values()) <= _MOST_GROUPS
    ]


def _tables(counts: Mapping[Layer, int], fits: Mapping[Layer, Fit], width: int) -> list[Group]:
    return [Group(kind, fits[kind]) for kind, count in counts.items() for _ in range(ceil_div(count, width))]


def _build(counts: Mapping[Layer, int], page: int, width: int, budget: int, load: Load) -> Plan:
    fits = _fits(counts, page) or {}
    tables = _tables(counts, fits, width)
    blocks = budget // (page * width)
    return Plan(
        page=page,
        width=width,
        kinds=tuple(
            LayerPlan(kind, count, ceil_div(count, width), fits[kind].block, page - fits[kind].used)
            for kind, count in counts.items()
        ),
        fillers=len(tables) * width - sum(counts.values()),
        blocks=blocks,
        request_bytes=blocks_per_request(tables, load) * page * width,
        useful_bytes=sum(kind.useful(load) * count for kind, count in counts.items()),
        capacity=capacity(tables, blocks, load),
    )


def _refused(counts: Mapping[Layer, int], why: str, way_out: str) -> Refused:
    kinds = ", ".join(f"{count} x {type(kind).__name__}" for kind, count in counts.items())
    return Refused(
        capability="any card", setting=f"one KV page size for {kinds}", way_out=f"{why}; {way_out}"
    )
