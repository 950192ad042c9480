"""What failed before what in a log: chained exceptions, and failures that bring others about.

A signature may be met in a line that is a consequence: in an exception that was raised while another one was
handled, or behind a card that ran out of memory, a collective or a process that had died.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from gpu_gotchas.records.templates import Template
from gpu_gotchas.search.boilerplate import ends_the_root
from gpu_gotchas.search.certain import passed
from gpu_gotchas.search.lines import Line
from gpu_gotchas.search.match import WINDOW, Hit
from gpu_gotchas.search.packages import BENEATH, PROGRAMS, code_in
from gpu_gotchas.search.prefixes import unwrap

_HEADER, _LINK, _FRAME = "Traceback (most recent call last)", "above exception", 'File "'
TELLING = (
    *(_HEADER, _LINK, "out of memory", "OutOfMemory", "OUT_OF_MEMORY", "Out of memory", "MemoryAllocation"),
    *("RESOURCE_EXHAUSTED", "NCCL error", "RCCL error", "collective operation timeout"),
    *("ncclUnhandled", "ncclSystem", "ncclInternal", "ncclRemote"),
    *(
        "NCCL Error",
        "Cuda failure",
        "ALLOC_FAILED",
        "uncorrectable ECC",
        "core dumped",
        "Bus error",
        "Aborted",
    ),
    *("exited with", "OOMKilled"),
    *("illegal memory access", "ILLEGAL_ADDRESS", "IllegalAddress", "unspecified launch failure"),
    *("device-side assert", "misaligned address", "Memory access fault", "SIGSEGV", "SIGKILL", "SIGABRT"),
    *("SIGBUS", "SIGILL", "SIGFPE", "egmentation fault", "exitcode", "exit code", "exit status", "signal "),
    *("Killed", "Fatal Python error", "NVRM: Xid", "fallen off the bus"),
)
"""A line without any of these tells nothing of what came first, frames and plain exceptions apart."""

SCANNED = (
    *(_LINK, "SIG", "OutOfMemoryError: ", "NCCL error", "error: out of memory", "Fatal Python error"),
    *("error: an illegal memory access", "error: unspecified launch failure", "error: device-side assert"),
)
"""Those few that a scan looks for, where each further part to look for costs a pass over the log."""

_FAILS_FIRST = r"""(?x)
      \b(?:CUDA|HIP)\ out\ of\ memory\b | \bOutOfMemoryError:\s | \bCUDA_ERROR_OUT_OF_MEMORY\b
    | \b(?:cuda|hip)Malloc\ failed:\ out\ of\ memory | \b(?:CUDA|HIP)\ error:?\ (?:\d+\ )?out\ of\ memory
    | \bcudaErrorMemoryAllocation\b | \bRESOURCE_EXHAUSTED\b | \b[Oo]ut\ of\ memory:\ Killed\ process
    | \bTriton\ Error\ \[(?:CUDA|HIP)\]:\ out\ of\ memory | \b(?:CUBLAS|HIPBLAS|CUDNN)_STATUS_ALLOC_FAILED\b
    | \bOOMKilled\b | \buncorrectable\ ECC\ error\ encountered\b | \bcore\ dumped\b | ^(?:Bus\ error|Aborted)$
    | \bCuda\ failure\ (?:2|214|700|702|71[0-9])\b
    | \bCuda\ failure\ '(?:out\ of\ memory|an\ illegal|uncorrectable|unspecified|device-side)
    | \b(?:NCCL|RCCL)\ [Ee]rror\b | \bnccl(?:UnhandledCuda|System|Internal|Remote)Error\b
    | \bcollective\ operation\ timeout\b
    | \billegal\ memory\ access\ was\ encountered\b | \bCUDA_ERROR_ILLEGAL_ADDRESS\b
    | \bhipErrorIllegalAddress\b
    | \bunspecified\ launch\ failure\b | \bdevice-side\ assert\ triggered\b | \bmisaligned\ address\b
    | \bMemory\ access\ fault\ by\ GPU\b
    | (?<![\w.])(?:Signals\.)?SIG(?:SEGV|KILL|ABRT|BUS|ILL|FPE)\b | \b[Ss]egmentation\ fault\b | ^Killed$
    | \bFatal\ Python\ error:
    | \bexit(?:ed)?(?:\ with)?\ ?(?:exit\ )?(?:code|status)[:=]?\ ?(?:-(?:4|6|7|8|9|11)|13[24579])\b
    | \bsignal:?\ (?:4|6|7|8|9|11)\b
    | \bNVRM:\ Xid\b | \bfallen\ off\ the\ bus\b
"""
_EXCEPTION = r"^(?:E\s+)?[A-Za-z_][\w.]*(?:Error|Exception|OutOfResources|Interrupt|Exit)(?::|$)"
_CODE = r"^(?:raise|except|if|elif|return|with|assert|def|class|from|import|#|//)(?:\s|$)"
_OF_NCCL = "Cuda failure"
_MOST_KEPT = 200
_MOST_FRAMES = 200
_MOST_RANKS = 1024
_REACH = 40
_LONGEST_SHOWN = 160


@dataclass(slots=True)
class _Chain:
    """Exceptions that led to one another. root: the first, as far as it is in the text. link: number of
    the line that says so. end: where another traceback begins."""

    rank: str | None
    root: Line | None
    link: int
    end: int


@dataclass(slots=True)
class _Trace:
    """Frames up to their exception. programs: whose code they are. end: of the exception, 0 until it came."""

    rank: str | None
    start: int
    end: int = 0
    programs: dict[str, None] = field(default_factory=dict)


@dataclass(slots=True)
class _Rank:
    """Where one rank's log stands. linked: right behind a line that links two exceptions."""

    exception: Line | None = None
    chain: _Chain | None = None
    linked: bool = False
    trace: _Trace | None = None


class Course:
    """Feed it cleaned lines in order, in bounded memory; then ask what came before a hit."""

    def __init__(self) -> None:
        self._ranks: dict[str | None, _Rank] = {}
        self._first: list[Line] = []
        self._chains: list[_Chain] = []
        self._traces: list[_Trace] = []
        self._unquoted: list[tuple[str | None, Line]] = []

    @property
    def full(self) -> bool:
        """Whether lines that fail first would change nothing any more."""
        return len(self._first) >= _MOST_KEPT and len(self._chains) >= _MOST_KEPT

    def feed(self, lines: Iterable[Line]) -> None:
        for line in lines:
            text = line.text
            if "rror" in text or "xception" in text or _FRAME in text or any(one in text for one in TELLING):
                self._take(line)

    def before(self, hit: Hit, entry: Mapping[str, Any]) -> str | None:
        """Which line is the reason that a hit may be a consequence, as a clause; None where none is."""
        start = min(seen.number for seen in hit.lines)
        own = {seen.number for seen in hit.lines}
        templates = [Template.parse(text) for signature in entry["signatures"] for text in signature["lines"]]

        def is_other(line: Line) -> bool:
            return line.number not in own and all(one.find_normal(line.text) is None for one in templates)

        rank = unwrap(hit.lines[0].text).rank
        for chain in self._chains:
            if chain.rank == rank and chain.link < start < chain.end:
                if chain.root is None:
                    return f"line {chain.link} says that another exception led to it, which is cut off"
                if is_other(chain.root):
                    return _came_first(chain.root)
        first = next((line for line in self._first if line.number < start and is_other(line)), None)
        if first is not None:
            return _came_first(first)
        others = (line for of, line in self._unquoted if rank is not None and of not in (None, rank))
        first = next((line for line in others if line.number < start and is_other(line)), None)
        if first is not None:
            return _came_first(first)
        if all(seen.text.startswith(">") for seen in hit.lines):
            other = next((line for _, line in self._unquoted if is_other(line)), None)
            if other is not None:
                return f"line {start} is quoted, and line {other.number} is not: {_cut(other.text)}"
        return None

    def around(self, hit: Hit) -> tuple[str, ...]:
        """The programs in whose traceback the last line of a hit stands."""
        seen = hit.lines[-1]
        rank = unwrap(seen.text).rank
        running = [state.trace for state in self._ranks.values() if state.trace and not state.trace.end]
        for trace in (*running, *reversed(self._traces)):
            end = trace.end + _REACH if trace.end else trace.start + WINDOW
            if trace.rank == rank and trace.start <= seen.number <= end:
                return tuple(trace.programs)
        return ()

    def _take(self, line: Line) -> None:
        message = unwrap(line.text)
        if message.rank not in self._ranks and len(self._ranks) >= _MOST_RANKS:
            return
        state = self._ranks.setdefault(message.rank, _Rank())
        text = message.text
        if _HEADER in text:
            if not state.linked and state.chain is not None:
                state.chain.end, state.chain = min(state.chain.end, line.number), None
            state.linked = False
        elif ends_the_root(text):
            self._link(state, message.rank, line.number)
        elif text.startswith(_FRAME):
            state.linked = False
            self._frame(state, message.rank, line.number, text)
        elif (not message.warns or _OF_NCCL in text) and (not message.calm or re.match(_EXCEPTION, text)):
            quoted = line.text.startswith(">")
            self._fail(state, message.rank, Line(line.number, text), quoted=quoted)

    def _link(self, state: _Rank, rank: str | None, number: int) -> None:
        state.linked = True
        if state.chain is None and len(self._chains) < _MOST_KEPT:
            state.chain = _Chain(rank, state.exception, number, number + WINDOW)
            self._chains.append(state.chain)

    def _frame(self, state: _Rank, rank: str | None, number: int, text: str) -> None:
        if state.trace is None or state.trace.end:
            state.trace = _Trace(rank, number)
        if len(state.trace.programs) < _MOST_FRAMES:
            state.trace.programs.update((name, None) for name in code_in(text) if name in PROGRAMS | BENEATH)

    def _fail(self, state: _Rank, rank: str | None, line: Line, *, quoted: bool) -> None:
        if not quoted and len(self._first) < _MOST_KEPT and _fails_first(line.text):
            self._first.append(line)
        if not re.match(_EXCEPTION, line.text):
            return
        state.exception = line
        if not quoted and len(self._unquoted) < _MOST_KEPT:
            self._unquoted.append((rank, line))
        trace = state.trace
        if trace is not None and not trace.end:
            trace.end = line.number
            if trace.programs and len(self._traces) < _MOST_KEPT:
                self._traces.append(trace)


def _fails_first(text: str) -> bool:
    return bool(re.search(_FAILS_FIRST, text)) and not (re.match(_CODE, text) or passed(text))


def _came_first(line: Line) -> str:
    return f"line {line.number} came first: {_cut(line.text)}"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + " …"
