"""Running probes in child processes: forked for what needs no card, spawned for what does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from gpu_gotchas.repro.environment import child_environment
from gpu_gotchas.repro.forking import Nursery, NurseryLost
from gpu_gotchas.repro.probe import Tier
from gpu_gotchas.repro.request import Answer, Observation, Request
from gpu_gotchas.repro.watch import End, read_tail, wait

TIMEOUT = 120.0
_STREAMS = ("stdout", "stderr")


class Children:
    """Starts a child for each request; a context manager that leaves no process behind.

    A nursery starts with the first probe that it can serve, and anew when it was lost.
    """

    def __init__(self) -> None:
        # What was imported of one release, or with one Triton, serves no other.
        self._nurseries: dict[tuple[str | None, str | None], Nursery] = {}

    def __enter__(self) -> Children:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the nurseries."""
        while self._nurseries:
            _, nursery = self._nurseries.popitem()
            nursery.close()

    def run(self, request: Request, timeout: float = TIMEOUT) -> Observation:
        """Call one probe in a child of its own, for at most `timeout` seconds; say what was seen of it."""
        with tempfile.TemporaryDirectory(prefix="gotchas-", ignore_cleanup_errors=True) as name:
            folder = Path(name)
            (folder / "cache").mkdir()
            started = time.monotonic()
            # A real card is reached from a fresh process only: CUDA does not survive a fork.
            forks = request.tier is not Tier.DEVICE and hasattr(os, "fork")
            end = (self._fork if forks else self._spawn)(request, folder, timeout)
            return _observation(folder, end, round(time.monotonic() - started, 3), timeout)

    def _fork(self, request: Request, folder: Path, timeout: float) -> End:
        serves = request.first, request.package if request.imports else None
        try:
            return self._nursery(serves, folder).run(request, folder, timeout)
        except NurseryLost as lost:
            self._end(serves)
            return End(exit=1, lost=str(lost))

    def _nursery(self, serves: tuple[str | None, str | None], folder: Path) -> Nursery:
        known = self._nurseries.get(serves)
        if known is not None and known.alive:
            return known
        self._end(serves)
        first, package = serves
        # A release that was imported whole takes a gigabyte: one of them at a time, beside one of none.
        for other in [other for other in self._nurseries if (other[1] is None) is (package is None)]:
            self._end(other)
        self._nurseries[serves] = Nursery(folder / "cache", first)
        return self._nurseries[serves]

    def _end(self, serves: tuple[str | None, str | None]) -> None:
        nursery = self._nurseries.pop(serves, None)
        if nursery is not None:
            nursery.close()

    def _spawn(self, request: Request, folder: Path, timeout: float) -> End:
        # -P: the folder one stands in may hold a module of a name that the child imports.
        command = [
            sys.executable, "-P", "-m", "gpu_gotchas.repro.child",
            request.path, request.function, request.target,
            f"--tier={request.tier.value}", f"--seeds={request.seeds}", f"--repeats={request.repeats}",
            f"--answer={folder / 'answer.json'}",
            *([f"--package={request.package}"] if request.package else []),
            *(f"--imports={name}" for name in request.imports),
        ]  # fmt: skip
        paths = [folder / stream for stream in _STREAMS]
        with paths[0].open("wb") as stdout, paths[1].open("wb") as stderr:
            child = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                env=child_environment(
                    folder / "cache", cards=request.tier is Tier.DEVICE, first=request.first
                ),
                start_new_session=True,
            )

            def kill() -> None:
                with suppress(ProcessLookupError, PermissionError):
                    if hasattr(os, "killpg"):
                        os.killpg(child.pid, signal.SIGKILL)
                    else:
                        child.kill()

            try:
                return wait(child.poll, kill, paths, timeout)
            finally:
                kill()


def _observation(folder: Path, end: End, seconds: float, limit: float) -> Observation:
    answer = folder / "answer.json"
    return Observation(
        answer=Answer.from_json(answer.read_text()) if end.exit == 0 and answer.exists() else None,
        exit=end.exit,
        seconds=seconds,
        timed_out=end.timed_out,
        flooded=end.flooded,
        lost=end.lost,
        limit=limit,
        streams="\n".join(filter(None, (read_tail(folder / stream) for stream in _STREAMS))),
    )
