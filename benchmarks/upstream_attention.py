"""vLLM's unified Triton attention from an unpacked wheel, without the rest of vLLM.

`gpu_gotchas.upstream.vllm_kernels` does this for kernel modules that ask little. This one also imports the
engine's settings, its logger and the interface of its caches; for these three something stands in."""

from __future__ import annotations

import importlib
import logging
import sys
from enum import IntEnum
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from gpu_gotchas.upstream import vllm_kernels

SEGMENTS = 16  # what vLLM splits a context into, and the launch below which it splits at all
LEAST_LAUNCH = 128


class KVQuantMode(IntEnum):
    """The modes that the kernel tells apart."""

    NONE = 0
    FP8_PER_TENSOR = 1
    INT8_PER_TOKEN_HEAD = 2
    FP8_PER_TOKEN_HEAD = 3
    INT4_PER_TOKEN_HEAD = 4


class Platform(vllm_kernels.StandInPlatform):
    """What the unified kernel asks beyond that: its FP8 dtype, and whether this is a datacenter Blackwell."""

    def fp8_dtype(self) -> torch.dtype:
        return torch.float8_e4m3fn

    def is_device_capability_family(self, family: int) -> bool:
        return torch.cuda.get_device_capability()[0] == family // 10


def load_unified(package: Path) -> ModuleType:
    """`vllm.v1.attention.ops.triton_unified_attention` of the wheel unpacked at `package`."""
    import triton
    import triton.language as tl

    logger = logging.getLogger("vllm")
    stand_ins: dict[str, dict[str, Any]] = {
        "vllm": {"__path__": [str(package / "vllm")]},
        "vllm.platforms": {"current_platform": Platform(rocm=False)},
        "vllm.triton_utils": {"triton": triton, "tl": tl},
        "vllm.envs": {"VLLM_BATCH_INVARIANT": False},
        "vllm.logger": {"init_logger": lambda _name: logger},
        "vllm.v1.kv_cache_interface": {"KVQuantMode": KVQuantMode},
    }
    for name, holds in stand_ins.items():
        module = ModuleType(name, "Stand-in.")
        module.__dict__.update(holds)
        sys.modules[name] = module
    vllm: Any = sys.modules["vllm"]
    vllm.envs = sys.modules["vllm.envs"]
    return importlib.import_module("vllm.v1.attention.ops.triton_unified_attention")


class Unified:
    """One launch of it as vLLM's backend makes it: causal, with its own choice between two and three axes."""

    def __init__(
        self, module: Any, requests: int, queries: int, heads: int, kv_heads: int, head: int
    ) -> None:
        self._module = module
        self._queries = queries
        tokens = requests * queries
        self._starts = torch.arange(0, tokens + 1, queries, device="cuda", dtype=torch.int32)
        self._threshold = LEAST_LAUNCH // kv_heads
        self._output = torch.empty(tokens, heads, SEGMENTS, head, device="cuda")
        self._largest, self._sums = (torch.empty(tokens, heads, SEGMENTS, device="cuda") for _ in range(2))
        self._one = torch.ones(1, device="cuda")

    def __call__(
        self,
        query: Any,
        keys: Any,
        values: Any,
        table: Any,
        contexts: Any,
        longest: int,
        scale: float,
        out: Any,
    ) -> None:
        """query, out: (tokens, heads, head); the cache (pages, page size, KV heads, head)."""
        fp8 = keys.dtype == torch.float8_e4m3fn
        self._module.unified_attention(
            query, keys, values, out, self._starts, self._queries, contexts, longest, scale, True, (-1, -1),
            table, 0.0, None, self._one, self._one, self._threshold, SEGMENTS, self._output, self._largest,
            self._sums, kv_quant_mode=KVQuantMode.FP8_PER_TENSOR if fp8 else KVQuantMode.NONE,
        )  # fmt: skip
