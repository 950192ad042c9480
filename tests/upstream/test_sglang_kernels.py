"""Taking a launcher out of a release, wherever it keeps the file."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("triton")

from gpu_gotchas.upstream.sglang_kernels import take_launcher

SOURCE = """
import sgl_kernel
MOST = 128
def _kernel(x): return x + 1
def launch(x):
    block = MOST if CUDA_CAPABILITY[0] >= 9 else 64
    return _kernel(x), block, _is_cuda
"""


@pytest.mark.parametrize("place", ["kernels/ops/attention", "srt/layers/attention/triton_ops"])
def test_the_launcher_runs_with_its_own_kernel_on_the_card_that_is_named(tmp_path: Path, place: str) -> None:
    folder = tmp_path / "sglang" / place
    folder.mkdir(parents=True)
    (folder / "attention.py").write_text(SOURCE)
    taken = {
        major: take_launcher(
            str(tmp_path), "attention.py", "launch", "_kernel", capability=(major, 0), if_there=["MOST", "no"]
        )
        for major in (8, 9)
    }
    assert taken[8](1) == (2, 64, True)
    assert taken[9](1) == (2, 128, True)
    taken[9].__globals__["_kernel"] = lambda x: x * 10
    assert taken[9](1)[0] == 10


def test_what_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="SGLang's source"):
        take_launcher(None, "attention.py", "launch", "_kernel", capability=None)
    with pytest.raises(FileNotFoundError):
        take_launcher(str(tmp_path), "attention.py", "launch", "_kernel", capability=None)
