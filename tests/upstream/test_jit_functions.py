"""A kernel taken out of a file is Triton's, and is the one that stands there."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("triton", reason="Triton runs on Linux only")

from gpu_gotchas.upstream.jit_functions import jit_function

SOURCE = '''
import a_package_that_is_not_here
import triton
import triton.language as tl

def helper(x):
    return x

@triton.jit
def copy(x_ptr, y_ptr, BLOCK: tl.constexpr):
    """Not run here."""
    offsets = tl.arange(0, BLOCK)
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets))
'''


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "kernels.py"
    path.write_text(SOURCE, encoding="utf-8")
    return path


def test_the_kernel_comes_without_the_file_s_imports(source: Path) -> None:
    kernel = jit_function(source, "copy")
    assert kernel.arg_names == ["x_ptr", "y_ptr", "BLOCK"]
    assert "tl.store(y_ptr + offsets" in kernel.src


@pytest.mark.parametrize("name", ["helper", "missing"])
def test_what_is_no_kernel_there_is_named(source: Path, name: str) -> None:
    with pytest.raises(LookupError, match=name):
        jit_function(source, name)


def test_a_file_that_is_not_there_is_no_kernel(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        jit_function(tmp_path / "none.py", "copy")
