"""A process that has imported torch and Triton, never touched a card, and forks a child for each probe.

A forked child starts in a fraction of a second where a spawned one imports for seconds. The nursery reads
one request a line on stdin and writes one answer a line on stdout; it ends when stdin does.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from contextlib import suppress
from pathlib import Path

from gpu_gotchas.repro.request import Request
from gpu_gotchas.repro.watch import wait


def fork_probe(request: Request, folder: Path, timeout: float) -> dict[str, object]:
    """Fork a child for `request`. Its streams, cache and answer lie in `folder`."""
    streams = [folder / "stdout", folder / "stderr"]
    child = os.fork()
    if child == 0:
        _be_child(request, folder, streams)

    def poll() -> int | None:
        pid, status = os.waitpid(child, os.WNOHANG)
        return os.waitstatus_to_exitcode(status) if pid else None

    def kill() -> None:
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)

    # The child leads its own group, so that what it started is ended with it.
    with suppress(OSError):
        os.setpgid(child, child)
    end = wait(poll, kill, streams, timeout)
    kill()
    return {"exit": end.exit, "timed_out": end.timed_out, "flooded": end.flooded}


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


def main() -> None:
    with suppress(ImportError):
        import torch  # noqa: F401
    with suppress(ImportError):
        import triton  # noqa: F401
    import gpu_gotchas.repro.child

    # What an import prints must not stand between the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        end = fork_probe(Request.from_json(asked["request"]), Path(asked["folder"]), asked["timeout"])
        print(json.dumps(end), file=answers, flush=True)


if __name__ == "__main__":
    main()
