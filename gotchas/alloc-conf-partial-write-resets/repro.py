"""vLLM's memory pool switches one allocator option off and on again, and PyTorch forgets all others.

The release's own `CuMemAllocator.use_memory_pool` is entered and left. What is in force afterwards is asked
of PyTorch itself, which keeps these options without a card too. Stand-ins: the pool that it opens, and
`torch.cuda.memory`, whose setter is PyTorch's own of the newer name.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch

from gpu_gotchas.fixes.allocator import VARIABLES, kept, options
from gpu_gotchas.repro.extract import take
from gpu_gotchas.repro.probe import ProbeTarget

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}

OTHERS = "max_split_size_mb:128,garbage_collection_threshold:0.8"
POOL = "CuMemAllocator.use_memory_pool"
HELPERS = "ALLOC_CONF_ENV_VARS EXPANDABLE_SEGMENTS alloc_conf_from_env live_alloc_conf current_alloc_conf"
HELPERS += " conf_flag_enabled with_conf_flag set_alloc_conf"


def _in_force() -> str:
    return torch._C._accelerator_getAllocatorSettings()


def _torch() -> SimpleNamespace:
    """As on a box with a card: the snapshot tells the options in force, and they can be written."""
    write = torch._C._accelerator_setAllocatorSettings
    memory = SimpleNamespace(
        _set_allocator_settings=write,
        _snapshot=lambda: {"allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": _in_force()}},
    )
    cuda = SimpleNamespace(memory=memory, empty_cache=lambda: None)
    return SimpleNamespace(cuda=cuda, _C=SimpleNamespace(_accelerator_setAllocatorSettings=write))


def _open_pool(target: ProbeTarget) -> None:
    """Enter the release's memory pool and leave it."""
    assert target.package is not None
    folder = Path(target.package) / "vllm/device_allocator"
    stand_ins: dict[str, Any] = {"torch": _torch(), "os": os, "contextmanager": contextmanager}
    if (folder / "alloc_conf.py").is_file():
        stand_ins |= take(folder / "alloc_conf.py", HELPERS.split(), stand_ins)
    pool = [SimpleNamespace(snapshot=lambda: [])]
    stand_ins |= {
        "use_memory_pool_with_allocator": lambda *_: nullcontext(pool),
        "CuMemAllocator": SimpleNamespace(default_tag="default"),
    }
    owner = SimpleNamespace(
        current_tag="default", python_malloc_callback=None, python_free_callback=None,
        allocator_and_pools={}, _trim=lambda _: None,
    )  # fmt: skip
    with take(folder / "cumem.py", [POOL], stand_ins)[POOL](owner, tag="kv_cache"):
        pass


def _start(conf: str) -> None:
    """As a process starts: the variable is set, and PyTorch has read it."""
    for name in VARIABLES:
        os.environ.pop(name, None)
    os.environ["PYTORCH_CUDA_ALLOC_CONF"] = conf
    torch._C._accelerator_setAllocatorSettings(conf)


def _lost(conf: str) -> int:
    """How many of the options that were asked for are not in force."""
    now = options(_in_force())
    return sum(now.get(name) != value for name, value in options(conf).items())


def bug_package(target: ProbeTarget, seed: int) -> int:
    conf = f"expandable_segments:True,{OTHERS}"
    _start(conf)
    _open_pool(target)
    return _lost(conf)


def control_package(target: ProbeTarget, seed: int) -> int:
    """The same pool without expandable segments."""
    _start(OTHERS)
    _open_pool(target)
    return _lost(OTHERS)


def fixed_package(target: ProbeTarget, seed: int) -> int:
    conf = f"expandable_segments:True,{OTHERS}"
    _start(conf)
    with kept(_in_force, torch._C._accelerator_setAllocatorSettings):
        _open_pool(target)
    return _lost(conf)
