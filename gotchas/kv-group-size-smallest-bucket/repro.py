"""vLLM deals layers into groups as large as its smallest kind, and pads the others to that.

The release's own `_get_kv_cache_groups_uniform_page_size` groups layers of two kinds. Stand-ins: the specs,
which are equal or cannot be merged, and the record that a group is.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from gpu_gotchas.fixes.kv_group_size import deal, group_size
from gpu_gotchas.repro.extract import take
from gpu_gotchas.repro.probe import ProbeTarget

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}

PLACES = ("kv_cache_planning.py", "kv_cache_utils.py")
NAMES = ["_get_kv_cache_groups_uniform_page_size", "create_kv_cache_group_specs"]
# Layers with full attention and with a sliding window: the example of the source's own remark, and two models
# whose drafter has layers of the first kind.
MODELS = [(20, 30), (10, 14), (12, 17)]


@dataclass(frozen=True)
class _Spec:
    kind: str

    @classmethod
    def merge(cls, specs: list[_Spec]) -> _Spec:
        assert len(set(specs)) == 1
        return specs[0]


class _Group(NamedTuple):
    layer_names: list[str]
    kv_cache_spec: _Spec


def _padding(groups: list[int]) -> float:
    """Share of places that no layer fills. groups: how many layers each has; the largest sets the size."""
    return 1 - sum(groups) / (max(groups) * len(groups))


def _taken(target: ProbeTarget) -> dict[str, Any]:
    """The release's own functions by name."""
    assert target.package is not None
    logging.basicConfig(format="WARNING %(message)s")
    paths = [Path(target.package) / "vllm/v1/core" / name for name in PLACES]
    source = next(path for path in paths if path.is_file() and NAMES[0] in path.read_text(encoding="utf-8"))
    stand_ins = {
        "defaultdict": defaultdict, "cdiv": lambda a, b: -(-a // b), "logger": logging.getLogger("vllm"),
        "KVCacheGroupSpec": _Group,
    }  # fmt: skip
    return take(source, NAMES, stand_ins)


def _layers(full: int, sliding: int) -> dict[str, _Spec]:
    return {f"full.{n}": _Spec("full") for n in range(full)} | {
        f"sliding.{n}": _Spec("sliding") for n in range(sliding)
    }


def _grouped(target: ProbeTarget, full: int, sliding: int) -> float:
    layers = _layers(full, sliding)
    groups = _taken(target)[NAMES[0]](layers)
    assert sorted(name for group in groups for name in group.layer_names) == sorted(layers)
    return _padding([len(group.layer_names) for group in groups])


def bug_package(target: ProbeTarget, seed: int) -> float:
    return _grouped(target, *MODELS[seed])


def control_package(target: ProbeTarget, seed: int) -> float:
    """The same number of full layers, and a whole multiple of it with a window."""
    full, _ = MODELS[seed]
    return _grouped(target, full, 2 * full)


def fixed_package(target: ProbeTarget, seed: int) -> float:
    """Groups of the planned size, made by the release's own function."""
    layers = _layers(*MODELS[seed])
    size = group_size(MODELS[seed])
    kinds = [[name for name in layers if name.startswith(kind)] for kind in ("full", "sliding")]
    dealt = [group for names in kinds for group in deal(names, size)]
    groups = _taken(target)[NAMES[1]](layers, dealt)
    assert sorted(name for group in groups for name in group.layer_names) == sorted(layers)
    return _padding([len(group.layer_names) for group in groups])
