"""What to do about what was found, and what to collect when a text is not known."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any

from gpu_gotchas.search.answer import Lack
from gpu_gotchas.search.boilerplate import without_boilerplate
from gpu_gotchas.search.common_words import ENGLISH
from gpu_gotchas.search.prefixes import Message, unwrap
from gpu_gotchas.search.questions import Asked
from gpu_gotchas.search.trouble import is_trouble
from gpu_gotchas.search.words import is_common, words

if TYPE_CHECKING:
    from gpu_gotchas.hardware.machine import Machine

_NO_ROOM = ("CUDA out of memory", "HIP out of memory", "error: out of memory")
_LATE = ("illegal memory access", "unspecified launch failure", "device-side assert")
_NO_ECHO = (
    *(*_NO_ROOM, *_LATE, "kernel errors might be", "evice-side", "CompilationError"),
    *("NCCL_DEBUG=INFO", "Call to CUDA function failed", "terminate called"),
)
"""Boilerplate of a failure itself: what caused it stands beside it or below, if anywhere."""
_FRAMES = ('File "', "Traceback (")
_RAISED = re.compile(r"[\w.]+(?:Error|Exception)\b: ")
_NO_LINE = (
    "the first error of the log (no line here looks like one), with the twenty lines before it "
    "and its traceback"
)
_ABOVE = (
    "what stands above these lines, where the failure began: search the whole log, or the lines around its "
    "first error, which this shows: grep -n -m 1 -B 40 -A 40 -E 'Traceback|ERROR' server.log"
)


def said_in(lines: Sequence[str]) -> Set[str]:
    """The words of a text that tell something, plain English apart."""
    return {word for line in lines for word in words(line) if not is_common(word)} - ENGLISH


def ways(entry: Mapping[str, Any], said: Set[str]) -> tuple[str, ...]:
    """What to do, as an index entry has it; first the way that names most of what the text names."""
    found = [way for way in (entry["do"], *entry["otherwise"]) if way]
    if len(found) < 2:
        return tuple(found)
    return tuple(sorted(found, key=lambda way: -len(said & {*words(way)})))


def what_is_lacking(lines: Sequence[str], asked: Asked) -> Lack | None:
    """Of a text that nothing explains: whether no line of it reads like a failure, or all that do are echoes.

    lines: cleaned, in order. The few words that somebody typed lack nothing.
    """
    told, framed, code = [], False, False
    for message in map(unwrap, lines):
        frame = message.text.startswith(_FRAMES)
        # The code of a frame reports nothing, nor do the marks below it: the exception does.
        quiet = frame or not message.text.strip("^~ ") or (code and not _RAISED.match(message.text))
        if not quiet and _fails(message):
            told.append(message)
        framed, code = framed or frame, frame
    if not told:
        return None if framed or asked.excerpt else Lack.FAILURE
    if any(sign in message.text for message in told for sign in _NO_ECHO):
        return None
    left = [without_boilerplate(message.text) for message in told]
    said = any(text and (one.severe or is_trouble(text)) for one, text in zip(told, left, strict=True))
    return None if said or all(left) else Lack.CAUSE


def _fails(message: Message) -> bool:
    if message.calm:
        return _RAISED.match(message.text) is not None
    return message.severe or (not message.warns and is_trouble(message.text))


def what_to_collect(
    lines: Sequence[str], asked: Asked, machine: Machine | None, lacks: Lack | None = None
) -> tuple[str, ...]:
    """One instruction each for what the text lacks. lines: cleaned. machine: what is known of it."""
    wanted = []
    if lacks is Lack.CAUSE:
        wanted.append(_ABOVE)
    elif lacks is Lack.FAILURE or not asked.fails:
        wanted.append(_NO_LINE)
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
