"""The parent's side of the nursery: start it, ask it for one probe after another, notice when it is gone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from gpu_gotchas.repro.environment import child_environment
from gpu_gotchas.repro.request import Request
from gpu_gotchas.repro.watch import End


class NurseryLost(RuntimeError):
    """The nursery did not start, or ended before the probe that it watched. Says its last words."""


class Nursery:
    """A running nursery. Raises NurseryLost when it does not come up.

    first: a folder that it imports from before any other.
    """

    def __init__(self, cache: Path, first: str | None = None) -> None:
        self._child: int | None = None
        self._words = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the process
        # A session of its own: Ctrl-C reaches the parent alone, which then ends nursery and probe in order.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "gpu_gotchas.repro.nursery"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._words,
            text=True,
            env=child_environment(cache, cards=False, first=first),
            start_new_session=True,
        )
        if self._line().strip() != "ready":
            said = self._last_words()
            self.close()
            raise NurseryLost(f"the process that forks probes did not start: {said}")

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def run(self, request: Request, folder: Path, timeout: float) -> End:
        """Have a child forked for `request`, and wait for its end. Raises NurseryLost."""
        asked = {"request": request.to_json(), "folder": str(folder), "timeout": timeout}
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            print(json.dumps(asked), file=self._process.stdin, flush=True)
        started = self._line()
        self._child = int(started) if started else None
        ended = self._line()
        if not ended:
            raise NurseryLost(
                f"the process that forks probes ended before its probe did: {self._last_words()}"
            )
        self._child = None
        return End(**json.loads(ended))

    def close(self) -> None:
        """End the nursery, and a probe that it still watches."""
        if self._child is not None:
            with suppress(OSError):
                os.killpg(self._child, signal.SIGKILL)
        with suppress(OSError):
            assert self._process.stdin is not None
            self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._words.close()

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def _last_words(self) -> str:
        self._words.seek(0)
        lines = self._words.read().decode("utf-8", errors="replace").strip().splitlines()
        return lines[-1] if lines else "it printed nothing"
