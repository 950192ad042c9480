"""Running probes in child processes: forked for what needs no card, spawned for what does."""

from __future__ import annotations

import json
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
from gpu_gotchas.repro.probe import Tier
from gpu_gotchas.repro.request import Answer, Observation, Request
from gpu_gotchas.repro.watch import End, read_tail, wait

_STREAMS = ("stdout", "stderr")


class Children:
    """Starts a child for each request; a context manager that leaves no process behind.

    timeout: seconds that one probe may take. The nursery starts with the first probe that it can serve.
    """

    def __init__(self, timeout: float = 120.0) -> None:
        self.timeout = timeout
        self._nursery: subprocess.Popen[str] | None = None

    def __enter__(self) -> Children:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the nursery."""
        if self._nursery is None:
            return
        with suppress(OSError):
            assert self._nursery.stdin is not None
            self._nursery.stdin.close()
        try:
            self._nursery.wait(10)
        except subprocess.TimeoutExpired:
            self._nursery.kill()
            self._nursery.wait()
        if self._nursery.stdout is not None:
            self._nursery.stdout.close()
        self._nursery = None

    def run(self, request: Request) -> Observation:
        """Call one probe in a child of its own and say what was seen of it."""
        with tempfile.TemporaryDirectory(prefix="gotchas-", ignore_cleanup_errors=True) as name:
            folder = Path(name)
            (folder / "cache").mkdir()
            started = time.monotonic()
            # A real card is reached from a fresh process only: CUDA does not survive a fork.
            forks = request.tier is not Tier.DEVICE and hasattr(os, "fork")
            end = self._fork(request, folder) if forks else self._spawn(request, folder)
            seconds = round(time.monotonic() - started, 3)
            answer = folder / "answer.json"
            return Observation(
                answer=Answer.from_json(answer.read_text()) if answer.exists() and end.exit == 0 else None,
                exit=end.exit,
                seconds=seconds,
                timed_out=end.timed_out,
                flooded=end.flooded,
                streams="\n".join(filter(None, (read_tail(folder / stream) for stream in _STREAMS))),
            )

    def _fork(self, request: Request, folder: Path) -> End:
        if self._nursery is None:
            self._nursery = _start_nursery(folder / "cache")
        assert self._nursery.stdin is not None
        assert self._nursery.stdout is not None
        asked = {"request": request.to_json(), "folder": str(folder), "timeout": self.timeout}
        print(json.dumps(asked), file=self._nursery.stdin, flush=True)
        said = self._nursery.stdout.readline()
        if not said:
            self.close()
            return End(-1)
        return End(**json.loads(said))

    def _spawn(self, request: Request, folder: Path) -> End:
        command = [
            sys.executable, "-m", "gpu_gotchas.repro.child",
            request.path, request.function, request.target,
            f"--tier={request.tier.value}", f"--seeds={request.seeds}", f"--repeats={request.repeats}",
            f"--answer={folder / 'answer.json'}",
            *([f"--package={request.package}"] if request.package else []),
        ]  # fmt: skip
        paths = [folder / stream for stream in _STREAMS]
        with paths[0].open("wb") as stdout, paths[1].open("wb") as stderr:
            child = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                env=child_environment(folder / "cache", cards=request.tier is Tier.DEVICE),
                start_new_session=True,
            )

            def kill() -> None:
                with suppress(ProcessLookupError, PermissionError):
                    if hasattr(os, "killpg"):
                        os.killpg(child.pid, signal.SIGKILL)
                    else:
                        child.kill()

            end = wait(child.poll, kill, paths, self.timeout)
            kill()
            return end


def _start_nursery(cache: Path) -> subprocess.Popen[str]:
    nursery = subprocess.Popen(
        [sys.executable, "-m", "gpu_gotchas.repro.nursery"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=child_environment(cache, cards=False),
    )
    assert nursery.stdout is not None
    if nursery.stdout.readline().strip() != "ready":
        raise RuntimeError("the process that forks probes did not start; its own words stand above")
    return nursery
