"""What to collect when a text is not known, so that somebody can find out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gpu_gotchas.search.questions import Asked

if TYPE_CHECKING:
    from gpu_gotchas.hardware.machine import Machine

_LATE = ("illegal memory access", "unspecified launch failure", "device-side assert")


def what_to_collect(lines: Sequence[str], asked: Asked, machine: Machine | None) -> tuple[str, ...]:
    """One instruction each for what the text lacks. lines: cleaned. machine: what is known of it."""
    wanted = []
    if not asked.fails:
        wanted.append(
            "the first error of the log (no line here looks like one), with the twenty lines before it "
            "and its traceback"
        )
    if any(sign in line for line in lines for sign in _LATE):
        wanted.append(
            "the same run with CUDA_LAUNCH_BLOCKING=1 (AMD_SERIALIZE_KERNEL=3 on ROCm): the error is "
            "reported later than it happens, and the traceback is of another call"
        )
    if machine is None or not machine.cards:
        wanted.append("the card and its driver: nvidia-smi -q, or amd-smi static")
    if machine is None or not machine.software:
        wanted.append("versions: python -m torch.utils.collect_env, and pip list")
    return (*wanted, "the whole command line, and the variables that were set for it")
