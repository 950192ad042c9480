"""Ratios as a plot: a static SVG whose colours are the stylesheet's, so that it suits both palettes.

The scale is logarithmic around 1, so that twice as fast and half as fast are equally far from it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from gpu_gotchas.site.benchmarks import Ratio
from gpu_gotchas.site.markdown import attribute

_WIDTH, _LEFT, _RIGHT = 420, 16, 62
_ROW, _BAR, _TOP, _BOTTOM = 40, 12, 6, 20
_LONGEST = 68


def plot(ratios: Sequence[Ratio], label: str) -> str:
    """One bar a ratio, from 1 to it, and a mark where the aim lies. label: what a screen reader says."""
    values = [value for one in ratios for value in (one.ratio, one.aim) if value]
    low = math.floor(min(0.0, *map(math.log2, values)))
    high = math.ceil(max(1.0, *map(math.log2, values)))

    def x(value: float) -> float:
        return _LEFT + (math.log2(value) - low) / (high - low) * (_WIDTH - _LEFT - _RIGHT)

    height = _TOP + len(ratios) * _ROW + _BOTTOM
    bottom = height - _BOTTOM
    parts = [_tick(2.0**power, x(2.0**power), bottom) for power in _powers(low, high)]
    parts += [_bar(one, _TOP + place * _ROW, x) for place, one in enumerate(ratios)]
    said = "; ".join(f"{one.name}, {one.shape}: {figure(one.ratio)}" for one in ratios)
    return (
        f'<svg class="gg-plot" viewBox="0 0 {_WIDTH} {height}" role="img" '
        f'aria-label="{attribute(f"{label}: {said}")}">{"".join(parts)}</svg>'
    )


def figure(ratio: float) -> str:
    """`2.74×`, as many digits as are known."""
    return f"{ratio:.3g}×" if ratio < 1000 else f"{ratio:,.0f}×"


def _powers(low: int, high: int) -> range:
    """Ticks: each doubling, or fewer where there are many, and always 1."""
    step = max(1, -(-(high - low) // 6))
    return range(-(-low // step) * step, high + 1, step)


def _tick(value: float, x: float, bottom: int) -> str:
    name = f"{value:g}" if value >= 1 else f"1/{1 / value:g}"
    kind = "gg-one" if value == 1 else "gg-tick"
    return (
        f'<line class="{kind}" x1="{x:.1f}" y1="{_TOP}" x2="{x:.1f}" y2="{bottom}"/>'
        f'<text class="gg-axis" x="{x:.1f}" y="{bottom + 14}">{name}×</text>'
    )


def _bar(one: Ratio, top: int, x: Callable[[float], float]) -> str:
    start, end = sorted((x(1.0), x(one.ratio)))
    kind = "gg-faster" if one.ratio >= 1 else "gg-slower"
    label = f"{one.name}, {one.shape}" if one.shape else one.name
    # The end tells rows apart, such as `… 64 tokens`.
    label = label if len(label) <= _LONGEST else f"{label[: _LONGEST - 17]}… {label[-15:]}"
    y = top + 18
    aim = ""
    if one.aim:
        at = x(one.aim)
        aim = f'<line class="gg-aim" x1="{at:.1f}" y1="{y - 3}" x2="{at:.1f}" y2="{y + _BAR + 3}"/>'
    return (
        f'<text x="0" y="{top + 13}">{attribute(label)}</text>'
        f'<rect class="{kind}" x="{start:.1f}" y="{y}" width="{max(1.0, end - start):.1f}" height="{_BAR}"/>'
        f'{aim}<text class="gg-figure" x="{_WIDTH}" y="{y + 10}">{figure(one.ratio)}</text>'
    )
