"""What loggers, launchers and log collectors put before a line, and the line without it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

_CLOCK = r"\d\d:\d\d:\d\d(?:[.,]\d+)?"
_LEVEL = r"(?P<level>TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL)"
_PREFIXES = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?:>\s?)+",  # Markdown quote, mail
        r"[\w./-]{1,80}\s*\|(?:\s|$)",  # docker compose: `vllm-1  | `
        r"\[pod/[^\]]{1,200}\]\s?",  # kubectl logs --prefix
        r"\[(?:rank|default)\d+\]:?\s?",  # torch, torchrun
        r"\[\d+,\d+\]<std(?:out|err)>:\s?",  # mpirun
        r"\(?(?:\w[^():]{0,120}\s)?pid=\d+[^()]{0,80}\)\s?",  # vLLM's processes, Ray's actors
        rf"\d{{4}}-\d\d-\d\d {_CLOCK}: (?P<level>[IWEF])\s",  # TensorFlow
        rf"{_LEVEL}\s+(?:\d\d-\d\d\s+{_CLOCK}\s?|(?=\[[\w./-]{{1,120}}\.py:\d+\]))",  # vLLM
        r"\[[\w./-]{1,120}\.(?:py|cc|cpp|cu|rs|go):\d+\]:?\s?",  # vLLM, glog: where it was logged
        rf"\[?\d{{4}}[-/]\d\d[-/]\d\d[T ]{_CLOCK}(?:Z|[+-]\d\d:?\d\d)?(?:\s[A-Z]+\d+)*\]?\s?(?:-\s)?",
        rf"\[?{_CLOCK}\]?\s",
        r"\[\s*\d+\.\d{6}\]\s?",  # dmesg
        rf"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\s+\d{{1,2}}\s{_CLOCK}\s\S+\s[\w./-]+(?:\[\d+\])?:\s?",
        rf"(?P<level>[IWEF])\d{{4}}\s{_CLOCK}\s+\d+\s\S+?\]\s?",  # glog
        rf"\[?{_LEVEL}\]?(?::\s+|\s+-\s+|\]\s?)",
    )
)
_SEVERE = frozenset({"ERROR", "CRITICAL", "FATAL", "E", "F"})
_WARNING = frozenset({"WARN", "WARNING", "W"})
_CALM = frozenset({"TRACE", "DEBUG", "INFO", "NOTICE", "I"})
# Compiled by the first line that needs them.
_NCCL = r"(?:[\w.-]{1,80}:\d+:\d+ \[\d+\] )?NCCL (?P<level>TRACE|INFO|WARN)\s"  # host:pid:thread [gpu]
_LATER = r"\b(WARNING|ERROR|CRITICAL|FATAL)\b"
_RANK = re.compile(
    r"\[(?:rank|default)(\d+)\]|\bWorker_(?:\w*?_)?(?:TP|PP|DP|EP)(\d+)|\brank=(\d+)"
    r"|[ \[](?:TP|DP)(\d+)\]|\[\d+,(\d+)\]<std"
)


@dataclass(frozen=True, slots=True)
class Message:
    """text: the line without its wrapping. logged: it bore a log prefix. severe: at level ERROR or above.

    warns: at level WARNING. calm: below that. rank: which worker of several printed it, where that is said.
    """

    text: str
    logged: bool = False
    severe: bool = False
    warns: bool = False
    calm: bool = False
    rank: str | None = None


def unwrap(text: str) -> Message:
    """A cleaned line without the prefixes that loggers, launchers and collectors put before it."""
    logged = severe = warns = calm = False
    whole = text
    while True:
        text = text.lstrip()
        patterns: tuple[Any, ...] = (_NCCL, *_PREFIXES) if "NCCL" in text else _PREFIXES
        for pattern in patterns:
            match = re.match(pattern, text)
            if match and match.end():
                text = text[match.end() :]
                logged = logged or not match[0].startswith(">")
                level = match.groupdict().get("level")
                severe, warns = severe or level in _SEVERE, warns or level in _WARNING
                calm = calm or level in _CALM
                break
        else:
            break
    if calm:  # a second line may be glued to it
        later = set(re.findall(_LATER, text))
        severe, warns = severe or bool(later & _SEVERE), warns or bool(later & _WARNING)
    rank = _RANK.search(whole[: len(whole) - len(text)]) if logged else None
    told = next(filter(None, rank.groups()), None) if rank else None
    return Message(text.rstrip(), logged, severe, warns, calm and not (severe or warns), told)
