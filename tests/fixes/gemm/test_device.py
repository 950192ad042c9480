"""Every kernel on the card at hand, in a process of its own. Skipped where there is none."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("triton", reason="Triton runs on Linux only")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no card that torch can use")
def test_every_kernel_gives_what_float64_gives() -> None:
    folder = Path(__file__).parent
    source = str(folder.parents[2] / "src")
    done = subprocess.run(
        [sys.executable, str(folder / "body_device.py")],
        env={**os.environ, "PYTHONPATH": source},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]
    assert len(json.loads(done.stdout.splitlines()[-1])) > 100
