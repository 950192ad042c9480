"""Run a vendor's tool for a short time, and keep a bounded part of what it prints."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from gpu_gotchas.hardware.machine import Unknown

SECONDS = 8.0
BYTES = 1 << 20

# Where tools lie that an installer leaves off the path.
_ALSO_IN = ("/opt/rocm/bin", "/usr/lib/wsl/lib")


@dataclass(frozen=True, slots=True)
class Output:
    """What a tool printed on its standard output, and the status it ended with."""

    text: str
    status: int


def run(command: Sequence[str], *, seconds: float = SECONDS, limit: int = BYTES) -> Output | Unknown:
    """The output of `command`, or why there is none. Never raises, and leaves no process behind.

    seconds: wall time that it may take. limit: bytes that it may print.
    """
    name = command[0]
    path = shutil.which(name) or shutil.which(name, path=os.pathsep.join(_ALSO_IN))
    if path is None:
        return Unknown(name, "it is not installed")
    try:
        process = subprocess.Popen(
            [path, *command[1:]],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "LC_ALL": "C"},
            start_new_session=os.name == "posix",
        )
    except OSError as error:
        return Unknown(name, f"it could not be started: {error}")
    late = threading.Event()

    def stop() -> None:
        late.set()
        _kill(process)

    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        assert process.stdout is not None
        with process.stdout as stream:
            printed = stream.read(limit + 1)
        if len(printed) > limit:
            _kill(process)
            return Unknown(name, f"it printed more than {limit} bytes")
        status = process.wait()
    finally:
        timer.cancel()
        if process.returncode is None:
            _kill(process)
            process.wait()
    if late.is_set():
        return Unknown(name, f"it took longer than {seconds:g} s")
    return Output(printed.decode("utf-8", "replace"), status)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the tool and what it started: a child that keeps the pipe open would keep us waiting."""
    with contextlib.suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
