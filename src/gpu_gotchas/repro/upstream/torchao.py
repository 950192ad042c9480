"""torchao: it asks torch each time."""

from __future__ import annotations

from gpu_gotchas.hardware.targets import Target
from gpu_gotchas.repro.upstream.torch_card import say_there_is_a_card


def flip(target: Target, memory: int) -> None:  # noqa: ARG001
    """Have torch say that there is a card; `torch.cuda` answers for `target` already."""
    say_there_is_a_card()
