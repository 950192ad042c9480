"""Waiting for a child that may hang, abort, or print without end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

STREAM_LIMIT = 16 * 1024 * 1024
_FIRST_PAUSE, _LONGEST_PAUSE = 0.002, 0.1


@dataclass(frozen=True, slots=True)
class End:
    """exit: exit code, negative for a signal. timed_out, flooded: why the child was ended, if it was.

    lost: why nothing is known of its end, empty when it is known.
    """

    exit: int
    timed_out: bool = False
    flooded: bool = False
    lost: str = ""


def wait(
    poll: Callable[[], int | None], kill: Callable[[], None], streams: Iterable[Path], timeout: float
) -> End:
    """Wait until `poll` gives an exit code; kill after `timeout` seconds or STREAM_LIMIT bytes of output.

    After a kill, a child that the system cannot end (it sits in a driver) is left behind after ten seconds.
    """
    streams = list(streams)
    deadline = time.monotonic() + timeout
    pause = _FIRST_PAUSE
    timed_out = flooded = False
    while (code := poll()) is None:
        if not (timed_out or flooded):
            flooded = any(path.stat().st_size > STREAM_LIMIT for path in streams if path.exists())
            timed_out = not flooded and time.monotonic() > deadline
            if timed_out or flooded:
                kill()
                deadline = time.monotonic() + 10
        elif time.monotonic() > deadline:
            return End(-9, timed_out, flooded)
        time.sleep(pause)
        pause = min(pause * 1.5, _LONGEST_PAUSE)
    return End(code, timed_out, flooded)


def read_tail(path: Path, limit: int = 256 * 1024) -> str:
    """The last `limit` bytes of a stream as text; bytes that are no UTF-8 are replaced."""
    if not path.exists():
        return ""
    with path.open("rb") as stream:
        stream.seek(max(0, path.stat().st_size - limit))
        return stream.read().decode("utf-8", errors="replace")
