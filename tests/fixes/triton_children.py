"""Run a test body in a child: in Triton's interpreter, or for a target that is not there.

Whether Triton interprets is decided when a kernel is defined, and a process serves one dry target only.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[2]


def interpreted(body: Path, *arguments: str) -> Any:
    """What `body`, a script, prints as its last line of JSON when Triton interprets its kernels."""
    return _run([str(body), *arguments], TRITON_INTERPRET="1", CUDA_VISIBLE_DEVICES="")


def dry(target: str, body: Path, cache: Path, *arguments: str) -> Any:
    """The same for a dry launch on `target`; Triton caches in `cache`."""
    start = textwrap.dedent(
        f"""
        import runpy, sys
        from gpu_gotchas.hardware.catalogue import find_target
        from gpu_gotchas.repro import dry
        dry.install(find_target({target!r}))
        sys.argv = {[str(body), *arguments]!r}
        runpy.run_path({str(body)!r}, run_name="__main__")
        """
    )
    return _run(["-c", start], TRITON_CACHE_DIR=str(cache), CUDA_VISIBLE_DEVICES="")


def _run(command: list[str], **variables: str) -> Any:
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("TRITON_") and name != "PYTHONPATH"
    }
    paths = [str(_ROOT / "src"), str(_ROOT), os.environ.get("PYTHONPATH")]
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    done = subprocess.run(
        [sys.executable, *command],
        env=environment | variables,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])
