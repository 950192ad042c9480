"""A folder called dflash makes vLLM draft with DFlash, whatever method was asked for.

The release's own `SpeculativeConfig` is set up as `vllm serve` sets it up: method `mtp`, whose draft model is
the target's own checkpoint, or `draft_model` with a small model. Bug and control differ in the path only.

Genuine: `SpeculativeConfig`, `EAGLEConfig`, the table of draft architectures and what refuses all others.
Stand-ins: pydantic's decorators, `ModelConfig` and `ParallelConfig` (attributes only, None where not given),
transformers' `PreTrainedConfig`.
"""

from __future__ import annotations

import functools
import logging
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Literal, get_args

from gpu_gotchas.fixes.draft_path import neutral_link
from gpu_gotchas.repro.extract import take
from gpu_gotchas.repro.probe import ProbeTarget
from gpu_gotchas.upstream.asking import Open

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}

NAMED, NEUTRAL = "/models/dflash-tests/Qwen3.5-4B", "/models/tests/Qwen3.5-4B"
# Method, what the draft's checkpoint calls itself once vLLM has read it, and its architecture.
ASKED = {"mtp": ("qwen3_5_mtp", "Qwen3_5MTP"), "draft_model": ("qwen3", "Qwen3ForCausalLM")}


class _Draft(Open):
    """`ModelConfig` of the draft model: its architectures are those of its hf_config."""

    @property
    def architectures(self) -> list[str]:
        return self.hf_config.architectures  # type: ignore[no-any-return]

    def get_model_arch_config(self) -> None: ...


def _decorator(cls: Any = None, **_: object) -> Any:
    return cls if cls is not None else lambda decorated: decorated


def _registry(package: Path) -> Any:
    """The release's table of draft architectures, which refuses as the release refuses."""
    source = package / "vllm/model_executor/models/registry.py"
    tables = ["_SPECULATIVE_DECODING_MODELS", "_PREVIOUSLY_SUPPORTED_MODELS", "_OOT_SUPPORTED_MODELS"]
    taken = take(source, ["_ModelRegistry", *tables], {"dataclass": dataclass, "field": field})
    registry = taken["_ModelRegistry"](models=taken[tables[0]])

    def inspect_model_cls(architectures: list[str], _: object) -> tuple[None, str]:
        if architectures[0] not in registry.models:
            registry._raise_for_unsupported(architectures)
        return None, architectures[0]

    return SimpleNamespace(inspect_model_cls=inspect_model_cls)


def _configs(package: Path) -> None:
    """The modules that the method imports when it has decided."""
    source = package / "vllm/transformers_utils/configs/eagle.py"
    eagle = ModuleType("vllm.transformers_utils.configs.eagle")
    eagle.__dict__.update(take(source, ["EAGLEConfig"], {"PreTrainedConfig": Open, "PretrainedConfig": Open}))
    speculators = ModuleType("vllm.transformers_utils.configs.speculators")
    speculators.__dict__["SpeculatorsConfig"] = type("SpeculatorsConfig", (), {})
    for name in ("vllm", "vllm.transformers_utils", "vllm.transformers_utils.configs"):
        sys.modules[name] = ModuleType(name)
    sys.modules[eagle.__name__] = eagle
    sys.modules[speculators.__name__] = speculators


def _chosen(target: ProbeTarget, method: str, path: str) -> str:
    """The method with which the server would draft."""
    assert target.package is not None
    package = Path(target.package)
    _configs(package)
    registry = _registry(package)

    def draft_config(model: str, **_: object) -> _Draft:
        kind, architecture = ASKED[method]
        hf_config = Open(model_type=kind, architectures=[architecture], vocab_size=151_936)
        return _Draft(model=model, hf_config=hf_config, registry=registry, max_model_len=4096)

    stand_ins = {
        "config": _decorator, "field_validator": lambda *_, **__: _decorator, "Any": Any,
        "model_validator": lambda *_, **__: _decorator, "Field": lambda default=None, **_: default,
        "Literal": Literal, "get_args": get_args, "functools": functools, "logger": logging.getLogger("vllm"),
        "ModelConfig": draft_config, "ParallelConfig": Open, "get_hf_text_config": lambda config: config,
    }  # fmt: skip
    names = ["MTPModelTypes", "SpeculativeConfig"]
    if_there = ["_QWEN3_OMNI_DSPARK_ARCHITECTURE", "_MUSE_SPARK_DSPARK_ARCHITECTURE"]
    taken = take(package / "vllm/config/speculative.py", names, stand_ins, if_there=if_there)
    asked = taken["SpeculativeConfig"]()
    asked.method, asked.num_speculative_tokens = method, 2
    asked.model = None if method == "mtp" else path
    text = Open(model_type="qwen3_5")
    asked.target_model_config = Open(model=path, hf_config=text, hf_text_config=text, max_model_len=4096)
    asked.target_parallel_config = Open(tensor_parallel_size=1)
    asked.__post_init__()
    return asked.method  # type: ignore[no-any-return]


def bug_package(target: ProbeTarget) -> list[str]:
    return [_chosen(target, method, NAMED) for method in ASKED]


def control_package(target: ProbeTarget) -> list[str]:
    """The same two requests, and the checkpoint lies in a folder with another name."""
    chosen = [_chosen(target, method, NEUTRAL) for method in ASKED]
    assert chosen == list(ASKED)
    return chosen


def fixed_package(target: ProbeTarget) -> list[str]:
    with neutral_link(Path(NAMED)) as link:
        chosen = [_chosen(target, method, str(link)) for method in ASKED]
    assert chosen == list(ASKED)
    return chosen
