"""vLLM looks for a compiled graph in the same folder after a patch, and after a variable that it reads.

The release's own `aot_compile_hash_factors`, `_model_hash_key` and environment variables give the folder,
before and after two changes to what would be compiled. Stand-ins: the configuration's hash, which stays the
same as the flags do, and the check of PyTorch's version, which says that it is older than 2.12.
"""

from __future__ import annotations

import enum
import hashlib
import importlib.util
import inspect
import json
import logging
import os
import pathlib
import sys
from collections.abc import Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import torch

from gpu_gotchas.fixes.compile_salt import salted_root
from gpu_gotchas.repro.extract import take
from gpu_gotchas.repro.probe import ProbeTarget

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}

VARIABLE = "OUR_PATCH_KERNEL"
PLAIN = "def helper(x):\n    return x + 1\n\ndef forward(x):\n    return helper(x)\n"


def _module(name: str, **names: object) -> ModuleType:
    module = ModuleType(name)
    module.__dict__.update(names)
    sys.modules[name] = module
    return module


def _envs(package: Path) -> ModuleType:
    """The release's whole `vllm.envs`."""
    _module("vllm", __version__="0.0.0")
    _module("vllm.utils")
    _module("vllm.utils.torch_version", is_torch_equal_or_newer=lambda _: False)
    _module("vllm.config")
    stand_ins = {
        "json": json, "hashlib": hashlib, "inspect": inspect, "torch": torch, "enum": enum,
        "pathlib": pathlib, "Enum": enum.Enum, "Path": Path, "os": os, "Sequence": Sequence,
        "Mapping": Mapping, "Set": Set,
        "is_dataclass": is_dataclass, "fields": fields, "logger": logging.getLogger("vllm"),
    }  # fmt: skip
    names = ["hash_factors", "normalize_value"]
    _module("vllm.config.utils", **take(package / "config/utils.py", names, stand_ins))
    spec = importlib.util.spec_from_file_location("vllm.envs", package / "envs.py")
    assert spec
    assert spec.loader
    envs = importlib.util.module_from_spec(spec)
    sys.modules["vllm.envs"] = envs
    spec.loader.exec_module(envs)
    return envs


def _folder(target: ProbeTarget, code: dict[str, Any]) -> str:
    """Where the graph of `forward` is looked for."""
    assert target.package is not None
    package = Path(target.package) / "vllm"
    envs = _envs(package)
    shared = {"envs": envs, "hash_factors": sys.modules["vllm.config.utils"].__dict__["hash_factors"]}
    factors = take(package / "compilation/caching.py", ["aot_compile_hash_factors"], shared)
    model_key = take(package / "compilation/decorators.py", ["_model_hash_key"], {"hashlib": hashlib})
    config = SimpleNamespace(compute_hash=lambda: "the same flags")
    found = [*factors["aot_compile_hash_factors"](config), model_key["_model_hash_key"](code["forward"])]
    return str(Path(envs.VLLM_CACHE_ROOT) / hashlib.sha256(str(found).encode()).hexdigest())


def _code() -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(compile(PLAIN, "model.py", "exec"), names)
    return names


def _unnoticed(target: ProbeTarget, *, salted: bool) -> int:
    """How many of two changes leave the folder as it was."""

    def folder(code: dict[str, Any], facts: dict[str, str]) -> str:
        os.environ["VLLM_CACHE_ROOT"] = str(salted_root(Path("/cache"), facts) if salted else Path("/cache"))
        return _folder(target, code)

    os.environ.pop(VARIABLE, None)
    before = folder(_code(), {})
    patched = _code()
    patched["helper"] = lambda x: x + 2
    after_patch = folder(patched, {"helper": "another"})
    os.environ[VARIABLE] = "1"
    after_variable = folder(_code(), {VARIABLE: "1"})
    return [after_patch, after_variable].count(before)


def bug_package(target: ProbeTarget, seed: int) -> int:
    return _unnoticed(target, salted=False)


def control_package(target: ProbeTarget, seed: int) -> int:
    """The same key, and a change that it does know of: one of vLLM's own variables."""
    os.environ["VLLM_CACHE_ROOT"] = "/cache"
    os.environ.pop("VLLM_PP_LAYER_PARTITION", None)
    before = _folder(target, _code())
    assert _folder(target, _code()) == before
    os.environ["VLLM_PP_LAYER_PARTITION"] = "1,2"
    return int(_folder(target, _code()) == before)


def fixed_package(target: ProbeTarget, seed: int) -> int:
    return _unnoticed(target, salted=True)
