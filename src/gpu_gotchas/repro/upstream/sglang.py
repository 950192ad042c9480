"""SGLang: it asks torch, and remembers the answers in functions of `sglang.srt.utils.common`."""

from __future__ import annotations

from gpu_gotchas.hardware.targets import Target
from gpu_gotchas.repro.upstream.stand_ins import clear_caches, stand_in

# What SGLang's gates compare with; a build of torch for a CPU has none.
_CUDA = "13.0"


def flip(target: Target, memory: int) -> None:  # noqa: ARG001
    """Have torch say that there is a card; `torch.cuda` answers for `target` already."""
    import torch

    stand_in(torch.cuda, "is_available", lambda: True)
    stand_in(torch.cuda, "device_count", lambda: 1)
    # Before torch is initialised it asks NVML, which knows of the real card alone.
    stand_in(torch.cuda, "is_initialized", lambda: True)
    if torch.version.cuda is None:
        stand_in(torch.version, "cuda", _CUDA)
    clear_caches("sglang")
