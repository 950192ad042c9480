"""A state smaller than an attention page is "stretched" by its block size, on which its size does not depend.

The release's own `unify_kv_cache_spec_page_size` gets two of the release's own specs: attention whose
page is a few states large, and the state. Nothing is stood in for but what results name.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from gpu_gotchas.fixes.kv_planner import plan
from gpu_gotchas.fixes.kv_specs import FullAttention, LinearState, Load
from gpu_gotchas.repro.probe import ProbeTarget

NEEDS = {
    "gpus": 1,
    "memory_gib": 1,
    "minutes": 2,
    "imports": ["vllm.v1.core.kv_cache_utils", "vllm.v1.kv_cache_interface"],
}

BLOCK, SIZE = 16, 64
HEADS = (2, 4, 8)  # by seed: the attention's page is as many states as it has heads


def _token_bytes(heads: int) -> int:
    """Keys and values of one token in bfloat16."""
    return 2 * heads * SIZE * 2


STATE_BYTES = BLOCK * _token_bytes(1)


def _unify() -> Any:
    from vllm.v1.core import kv_cache_utils

    if hasattr(kv_cache_utils, "unify_kv_cache_spec_page_size"):
        return kv_cache_utils.unify_kv_cache_spec_page_size
    from vllm.v1.core.kv_cache_planning import unify_kv_cache_spec_page_size  # since 0.33.0

    return unify_kv_cache_spec_page_size


def _specs(heads: int, state_bytes: int) -> dict[str, Any]:
    from vllm.v1.kv_cache_interface import FullAttentionSpec, MambaSpec

    attention = FullAttentionSpec(block_size=BLOCK, num_kv_heads=heads, head_size=SIZE, dtype=torch.bfloat16)
    state = MambaSpec(block_size=BLOCK, shapes=((state_bytes // 4,),), dtypes=(torch.float32,))
    return {"attention": attention, "state": state}


def _failures(specs: dict[str, Any]) -> int:
    """1 where the release cannot plan pages for these layers, 0 where all get the same."""
    try:
        unified = _unify()(specs)
    except AssertionError as error:
        if error.args:
            raise  # one with a text is another
        return 1
    assert len({spec.page_size_bytes for spec in unified.values()}) == 1
    return 0


def bug_package(target: ProbeTarget, seed: int) -> int:
    return _failures(_specs(HEADS[seed % 3], STATE_BYTES))


def control_package(target: ProbeTarget, seed: int) -> int:
    """The same two layers, and the state fills the attention's page."""
    heads = HEADS[seed % 3]
    return _failures(_specs(heads, heads * STATE_BYTES))


def fixed_package(target: ProbeTarget, seed: int) -> int:
    """The page that the planner finds for both, given to the specs before they are unified."""
    heads = HEADS[seed % 3]
    layers = {"attention": FullAttention(_token_bytes(heads)), "state": LinearState(STATE_BYTES)}
    found = plan(layers, budget=1 << 30, load=Load(length=8192, chunk=8192))
    block = {kind.layer: kind.block for kind in found.kinds}[layers["attention"]]
    specs = _specs(heads, STATE_BYTES)
    page = {"page_size_padded": found.page}
    return _failures({
        "attention": replace(specs["attention"], block_size=block, **page),
        "state": replace(specs["state"], **page),
    })  # fmt: skip
