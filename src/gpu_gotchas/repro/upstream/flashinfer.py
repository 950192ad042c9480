"""FlashInfer: it asks torch, and remembers the answers."""

from __future__ import annotations

from gpu_gotchas.hardware.targets import Target
from gpu_gotchas.repro.upstream.stand_ins import clear_caches


def flip(target: Target, memory: int) -> None:  # noqa: ARG001
    """Forget earlier cards; `torch.cuda` answers for `target` already.

    What takes a capability as an argument (`is_backend_supported(backend, cc)`) needs none of this.
    """
    clear_caches("flashinfer")
