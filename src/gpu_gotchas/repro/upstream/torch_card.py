"""torch that says there is a card, on a build for CPUs; which one, `torch.cuda` answers already."""

from __future__ import annotations

from gpu_gotchas.repro.upstream.stand_ins import stand_in

# What gates compare with; a build of torch for a CPU has none.
_CUDA = "13.0"


def say_there_is_a_card() -> None:
    import torch

    stand_in(torch.cuda, "is_available", lambda: True)
    stand_in(torch.cuda, "device_count", lambda: 1)
    # Before torch is initialised it asks NVML, which knows of the real card alone.
    stand_in(torch.cuda, "is_initialized", lambda: True)
    if torch.version.cuda is None:
        stand_in(torch.version, "cuda", _CUDA)
