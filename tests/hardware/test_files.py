from __future__ import annotations

import os
from pathlib import Path

import pytest

from gpu_gotchas.hardware.files import read_bounded


def test_a_longer_file_can_be_told_and_is_not_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "long"
    path.write_bytes(b"x" * 100)
    assert read_bounded(path, 10) == b"x" * 11
    assert read_bounded(path, 100) == b"x" * 100


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="regular file"):
        read_bounded(tmp_path / "pipe", 10)
