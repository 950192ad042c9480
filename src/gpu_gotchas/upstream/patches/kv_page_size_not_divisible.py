"""Pages of layers that do not divide each other: states are padded up to whole attention pages.

Up to 0.23.0 nothing but whole ratios of block sizes was tried. A state's page can be padded, since vLLM steps
through states by their page; an attention page not always, since some backends step through it otherwise.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import fields
from dataclasses import replace as changed
from types import ModuleType
from typing import Any

from gpu_gotchas.hardware.versions import VersionRange
from gpu_gotchas.upstream.patch import Answer, Patch, Place
from gpu_gotchas.upstream.wrapping import after_failure

ID = "kv-page-size-not-divisible"
MOST_WASTE = 0.25
"""Of a padded state's page. Beyond it the refusal stands: a loss that nobody asked for is no fix."""

_STRIDED = "indexes_kv_by_block_stride"
_Specs = Mapping[str, Any]


def padded(specs: _Specs, state_spec: type) -> dict[str, Any] | None:
    """The same layers with one page size, states padded and attention stretched; None where that fails.

    specs: KV cache spec of each layer. state_spec: the class of those that keep a state of fixed size.
    """
    states = {name for name, spec in specs.items() if isinstance(spec, state_spec)}
    attention = {specs[name].page_size_bytes for name in specs if name not in states}
    if not states or not attention or any(max(attention) % page for page in attention):
        return None
    largest = max(specs[name].page_size_bytes for name in states)
    page = -(-largest // max(attention)) * max(attention)
    if page - largest > MOST_WASTE * page:
        return None
    unified = {}
    for name, spec in specs.items():
        if name in states:
            unified[name] = changed(spec, page_size_padded=page)
        else:
            unified[name] = changed(spec, block_size=spec.block_size * (page // spec.page_size_bytes))
        if unified[name].page_size_bytes != page:
            return None
    return unified


def _replace(before: Any, module: ModuleType) -> Any:  # noqa: ARG001
    state_spec = importlib.import_module("vllm.v1.kv_cache_interface").MambaSpec
    return after_failure(before, ID, NotImplementedError, lambda specs: padded(specs, state_spec))


def _ask(module: ModuleType) -> Answer:
    """The record's question: 8-bit keys with 4-bit values beside a state of 12,648,448 bytes."""
    import torch

    interface = importlib.import_module("vllm.v1.kv_cache_interface")
    given: dict[str, Any] = {"block_size": 16, "num_kv_heads": 2, "head_size": 97, "dtype": torch.bfloat16}
    # Releases that pad attention pages do so for kernels that step through them by a stride.
    if any(field.name == _STRIDED for field in fields(interface.FullAttentionSpec)):
        given[_STRIDED] = True
    specs = {
        "attention": interface.FullAttentionSpec(**given),
        "state": interface.MambaSpec(block_size=16, shapes=((6_324_224,),), dtypes=(torch.bfloat16,)),
    }
    needs = {name: spec.page_size_bytes for name, spec in specs.items()}
    try:
        unified = module.unify_kv_cache_spec_page_size(specs)
    except NotImplementedError:
        return Answer.FAULTY
    pages = {spec.page_size_bytes for spec in unified.values()}
    return Answer.RIGHT if len(pages) == 1 and pages.pop() >= max(needs.values()) else Answer.FAULTY


PATCH = Patch(
    id=ID,
    does="Pads a linear attention state to whole attention pages where vLLM finds no common page size.",
    places=(
        Place("vllm.v1.core.kv_cache_planning", "unify_kv_cache_spec_page_size"),
        Place("vllm.v1.core.kv_cache_utils", "unify_kv_cache_spec_page_size"),
    ),
    releases=VersionRange("0.12.0", fixed="0.24.0"),
    replace=_replace,
    ask=_ask,
)
