"""A process that has imported torch and Triton, never touched a card, and forks a child for each probe.

A forked child starts in a fraction of a second where a spawned one imports for seconds. The nursery reads
one request a line on stdin. For each it writes two lines on stdout: the child's process id at its start, and
how it ended. It ends when stdin does.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import traceback
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TextIO

from gpu_gotchas.repro.request import Request
from gpu_gotchas.repro.watch import wait


def fork_probe(request: Request, folder: Path, timeout: float, answers: TextIO) -> None:
    """Fork a child for `request`, announce it on `answers`, wait, and say there how it ended.

    Its streams, cache and answer lie in `folder`. With its process id, somebody else can end it should this
    process be killed.
    """
    streams = [folder / "stdout", folder / "stderr"]
    _import_once(request, timeout)
    child = os.fork()
    if child == 0:
        # While a child holds this end too, nobody would notice that the nursery is gone.
        os.close(answers.fileno())
        _be_child(request, folder, streams)

    parent = os.getppid()

    def poll() -> int | None:
        if os.getppid() != parent:  # it was killed, and nobody waits for an answer any more
            kill()
        pid, status = os.waitpid(child, os.WNOHANG)
        return os.waitstatus_to_exitcode(status) if pid else None

    def kill() -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child, signal.SIGKILL)

    # The child leads its own group, so that what it started is ended with it.
    with suppress(OSError):
        os.setpgid(child, child)
    try:
        print(child, file=answers, flush=True)
        end = wait(poll, kill, streams, timeout)
    finally:
        kill()
    print(json.dumps(asdict(end)), file=answers, flush=True)


def _import_once(request: Request, timeout: float) -> None:
    """Import what the probe will ask of a package, for all probes to come; they tell of what fails here.

    It gets as long as a probe does, since nobody else watches it.
    """
    if not (request.package and request.imports):
        return
    from gpu_gotchas.repro.paths import open_package

    def too_long(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, too_long)
    signal.setitimer(signal.ITIMER_REAL, timeout)
    try:
        open_package(request.package, request.imports)
        for name in request.imports:
            with suppress(Exception):
                importlib.import_module(name)
    except Exception:
        traceback.print_exc()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _be_child(request: Request, folder: Path, streams: list[Path]) -> None:
    """Never returns: a forked child must not run its parent's clean-up."""
    code = 1
    try:
        with suppress(OSError):
            os.setpgid(0, 0)
        os.environ["TRITON_CACHE_DIR"] = str(folder / "cache")
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        for descriptor, path in enumerate(streams, start=1):
            opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(opened, descriptor)
        from gpu_gotchas.repro.child import answer

        (folder / "answer.json").write_text(answer(request).to_json())
        sys.stdout.flush()
        sys.stderr.flush()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _warm_up() -> None:
    """Do once what every child would do. What fails here fails in the probe that needs it, which tells."""
    for name in ("torch", "triton", "triton.experimental.gluon", "gpu_gotchas.repro.dry"):
        with suppress(Exception):
            importlib.import_module(name)
    # Triton's key of its own files, which it computes once in a process: 0.5 s, most of a small compilation.
    for name in ("triton.runtime.cache", "triton.compiler.compiler"):
        with suppress(Exception):
            importlib.import_module(name).triton_key()
    importlib.import_module("gpu_gotchas.repro.child")


def main() -> None:
    # What an import prints must not stand between the answers; nor may a probe write there.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    _warm_up()
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        fork_probe(Request.from_json(asked["request"]), Path(asked["folder"]), asked["timeout"], answers)


if __name__ == "__main__":
    main()
