"""What to do about what was found, and what to collect when a text is not known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any

from gpu_gotchas.search.common_words import ENGLISH
from gpu_gotchas.search.questions import Asked
from gpu_gotchas.search.words import is_common, words

if TYPE_CHECKING:
    from gpu_gotchas.hardware.machine import Machine

_NO_ROOM = ("CUDA out of memory", "HIP out of memory", "error: out of memory")
_LATE = ("illegal memory access", "unspecified launch failure", "device-side assert")


def said_in(lines: Sequence[str]) -> Set[str]:
    """The words of a text that tell something, plain English apart."""
    return {word for line in lines for word in words(line) if not is_common(word)} - ENGLISH


def ways(entry: Mapping[str, Any], said: Set[str]) -> tuple[str, ...]:
    """What to do, as an index entry has it; first the way that names most of what the text names."""
    found = [way for way in (entry["do"], *entry["otherwise"]) if way]
    if len(found) < 2:
        return tuple(found)
    return tuple(sorted(found, key=lambda way: -len(said & {*words(way)})))


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
    if any(sign in line for line in lines for sign in _NO_ROOM):
        wanted.append(
            "when the memory ran out (weights, KV cache, warm-up, graph capture, a request), the model's "
            "size, and what else was on the card: nvidia-smi, or amd-smi process"
        )
    if machine is None or not machine.cards:
        wanted.append("the card and its driver: nvidia-smi -q, or amd-smi static")
    if machine is None or not machine.software:
        wanted.append("versions: python -m torch.utils.collect_env, and pip list")
    return (*wanted, "the whole command line, and the variables that were set for it")
