"""vLLM refuses bfloat16 on cards before Ampere, where auto would have come to float16.

The release's own CUDA platform checks the dtype as its worker does before it loads a model; the fix lets
the release's own configuration resolve auto for a checkpoint in bfloat16. Nothing is stood in for but what
results name.
"""

from __future__ import annotations

import torch

from gpu_gotchas.repro.probe import ProbeTarget
from gpu_gotchas.repro.upstream import as_capability

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 2, "imports": ["vllm.config"]}


def _checked(target: ProbeTarget, dtype: str) -> str:
    """The type in which a checkpoint in bfloat16 is served, once the worker has let it pass."""
    from vllm.config.model import _resolve_auto_dtype
    from vllm.platforms import current_platform

    assert target.capability is not None
    as_capability(target.capability)
    asked = torch.bfloat16
    if dtype == "auto":
        asked = _resolve_auto_dtype("llama", torch.bfloat16, is_pooling_model=False)
    current_platform.check_if_supports_dtype(asked)
    return str(asked)


def bug_package(target: ProbeTarget) -> str:
    return _checked(target, "bfloat16")


def fixed_package(target: ProbeTarget) -> str:
    return _checked(target, "auto")
