"""Groups of layers that share one pool: of the size that pads least, not of the smallest kind's.

Off by default: other groups change the block tables, and with them how prefixes are shared.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from gpu_gotchas.fixes.kv_group_size import group_size, padding
from gpu_gotchas.hardware.versions import VersionRange
from gpu_gotchas.upstream.patch import Answer, Patch, Place
from gpu_gotchas.upstream.wrapping import with_result

MOST_GROUPS = 16
"""Each group costs every request a block of its own, and every step some work."""
ID = "kv-group-size-smallest-bucket"


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
        size = group_size(counts, most_groups=max(MOST_GROUPS, len(groups)))
        if padding(counts, size) >= padding(counts, now):
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
    """The record's models, of full attention and a window: at most one place in twenty may be empty."""
    import torch

    common: dict[str, Any] = {"block_size": 16, "num_kv_heads": 2, "head_size": 64, "dtype": torch.bfloat16}
    full = module.__dict__["FullAttentionSpec"](**common)
    sliding = module.__dict__["SlidingWindowSpec"](**common, sliding_window=1024)
    for counts in ((20, 30), (10, 14), (12, 17)):
        specs = {
            f"{kind}.{number}": spec
            for kind, (count, spec) in enumerate(zip(counts, (full, sliding), strict=True))
            for number in range(count)
        }
        groups = module._get_kv_cache_groups_uniform_page_size(specs)
        if sorted(name for group in groups for name in group.layer_names) != sorted(specs):
            return Answer.FAULTY
        places = len(groups) * max(len(group.layer_names) for group in groups)
        if len(specs) < 0.95 * places:
            return Answer.FAULTY
    return Answer.RIGHT


PATCH = Patch(
    id=ID,
    does="Groups KV cache layers so that the fewest are padded. By name only.",
    places=(
        Place("vllm.v1.core.kv_cache_planning", "_get_kv_cache_groups_uniform_page_size"),
        Place("vllm.v1.core.kv_cache_utils", "_get_kv_cache_groups_uniform_page_size"),
    ),
    releases=VersionRange("0.11.0", last_bad="0.33.0"),
    replace=_replace,
    ask=_ask,
    opt_in=True,
)
