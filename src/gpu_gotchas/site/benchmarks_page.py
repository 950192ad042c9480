"""Benchmarks: what was measured, under which conditions, and where it falls short of what was aimed at."""

from __future__ import annotations

from gpu_gotchas.site.benchmarks import Benchmark, Ratio
from gpu_gotchas.site.knowledge import Knowledge
from gpu_gotchas.site.markdown import attribute, blocks, details, front_matter, table, text
from gpu_gotchas.site.plot import figure, plot
from gpu_gotchas.site.wording import listed, package_name

_INTRODUCTION = (
    "Each figure is a ratio of two times taken in turn in one run: above 1 is faster than what it is held "
    "against. A dashed mark shows what was aimed at."
)
_ACRONYMS = {"mla": "MLA", "moe": "MoE", "gemm": "GEMM", "kv": "KV", "fp8": "FP8", "fp4": "FP4"}


def page(knowledge: Knowledge) -> str:
    return blocks(
        front_matter(
            "Benchmarks", "How fast the fixes are, as ratios in one run, with their conditions.", ["toc"]
        ),
        "# Benchmarks",
        _INTRODUCTION if knowledge.benchmarks else "None was measured yet.",
        *map(_benchmark, knowledge.benchmarks),
    )


def _benchmark(one: Benchmark) -> str:
    groups: dict[str, list[Ratio]] = {}
    for ratio in one.ratios:
        groups.setdefault(ratio.against, []).append(ratio)
    figures = [
        f"<figure>\n<figcaption>against {attribute(against)}</figcaption>\n"
        f"{plot(ratios, f'Ratios against {against}')}\n</figure>"
        for against, ratios in groups.items()
    ]
    return blocks(
        f"## {text(_title(one.name))}",
        _conditions(one),
        _missed(one),
        f'<div class="gg-plots">\n{chr(10).join(figures)}\n</div>',
        details("All figures", table(["What", "Shape", "Against", "Ratio", "Aim", "Spread"], _rows(one))),
    )


def _title(name: str) -> str:
    """`mla_decode` as `MLA decode`."""
    first, *rest = [_ACRONYMS.get(word, word) for word in name.split("_")]
    return " ".join([first[:1].upper() + first[1:], *rest])


def _conditions(one: Benchmark) -> str:
    used = listed([f"{text(package_name(name))} {text(version)}" for name, version in one.versions.items()])
    where = f"On {text(one.card)}" if one.card else "On a CPU"
    return f"{where}, {text(one.date)}{f', with {used}' if used else ''}."


def _missed(one: Benchmark) -> str:
    """What falls short is said first."""
    missed = [ratio for ratio in one.ratios if ratio.missed]
    if not missed:
        return ""
    aimed = sum(ratio.aim is not None for ratio in one.ratios)
    return f"{len(missed)} of {aimed} aims {'is' if len(missed) == 1 else 'are'} missed."


def _rows(one: Benchmark) -> list[list[str]]:
    return [
        [
            text(ratio.name),
            text(ratio.shape),
            text(ratio.against),
            figure(ratio.ratio),
            "" if ratio.aim is None else f"{figure(ratio.aim)}{', missed' if ratio.missed else ''}",
            "" if ratio.spread is None else f"{ratio.spread:.1%}",
        ]
        for ratio in one.ratios
    ]
