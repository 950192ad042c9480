"""Groups of layers that share one pool: of the size that pads least, not of the smallest kind's.

Off by default: other groups change the block tables, and with them how prefixes are shared.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

from gpu_gotchas.hardware.versions import VersionRange
from gpu_gotchas.upstream.patch import Answer, Patch, Place
from gpu_gotchas.upstream.wrapping import with_result

ID = "kv-group-size-smallest-bucket"


def padding(counts: Sequence[int], size: int) -> int:
    """Layers of padding when kinds of so many layers are dealt out in groups of `size`."""
    return sum(-count % size for count in counts)


def best_size(counts: Sequence[int], now: int) -> int:
    """The group size with the least padding. As few groups as possible break a tie; `now` stays if nothing is won.

    No more than twice as many groups as now: each costs every request a block of its own.
    """
    most = 2 * sum(-(-count // now) for count in counts)
    sizes = [size for size in range(1, max(counts) + 1) if sum(-(-count // size) for count in counts) <= most]
    best = min(sizes, key=lambda size: (padding(counts, size), -size))
    return best if padding(counts, best) < padding(counts, now) else now


def _replace(before: Any, module: ModuleType) -> Any:
    def regroup(groups: list[Any], /, specs: dict[str, Any]) -> list[Any]:
        kinds: list[tuple[Any, list[str]]] = []
        for group in groups:
            for spec, names in kinds:
                if spec == group.kv_cache_spec:
                    names.extend(group.layer_names)
                    break
            else:
                kinds.append((group.kv_cache_spec, list(group.layer_names)))
        counts = [len(names) for _, names in kinds]
        now = max(len(group.layer_names) for group in groups)
        size = best_size(counts, now)
        if size == now:
            return groups
        # In the model's order and dealt out as upstream deals them, so that pipeline stages stay even.
        place = {name: number for number, name in enumerate(specs)}
        dealt = []
        for _, names in kinds:
            names.sort(key=place.__getitem__)
            number = -(-len(names) // size)
            dealt += [names[first::number] for first in range(number)]
        return list(module.create_kv_cache_group_specs(specs, dealt))

    return with_result(before, ID, regroup)


def _ask(module: ModuleType) -> Answer:
    """16, 48 and 5 layers of three kinds: groups of 5 pad six layers, groups of 8 pad three."""
    import torch

    interface = module.__dict__
    attention = interface["FullAttentionSpec"]
    window = interface["SlidingWindowSpec"]
    common: dict[str, Any] = {"block_size": 16, "num_kv_heads": 2, "head_size": 64, "dtype": torch.bfloat16}
    kinds = [
        (16, attention(**common)),
        (48, window(**common, sliding_window=1024)),
        (5, window(**common, sliding_window=512)),
    ]
    specs = {
        f"layer.{kind}.{number}": spec for kind, (count, spec) in enumerate(kinds) for number in range(count)
    }
    groups = module._get_kv_cache_groups_uniform_page_size(specs)
    held = sorted(name for group in groups for name in group.layer_names)
    size = max(len(group.layer_names) for group in groups)
    least = padding([count for count, _ in kinds], best_size([count for count, _ in kinds], 5))
    right = held == sorted(specs) and len(groups) * size - len(specs) <= least
    return Answer.RIGHT if right else Answer.FAULTY


PATCH = Patch(
    id=ID,
    does="Groups KV cache layers so that the fewest are padded. Named only, not part of `auto`.",
    places=(
        Place("vllm.v1.core.kv_cache_planning", "_get_kv_cache_groups_uniform_page_size"),
        Place("vllm.v1.core.kv_cache_utils", "_get_kv_cache_groups_uniform_page_size"),
    ),
    releases=VersionRange("0.16.0", last_bad="0.33.0"),
    replace=_replace,
    ask=_ask,
    opt_in=True,
)
