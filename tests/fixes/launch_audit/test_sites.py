"""What source alone says of a kernel: where it is launched, with what, and which arguments are addresses."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from gpu_gotchas.fixes.launch_audit.guesses import constant, element, scalar
from gpu_gotchas.fixes.launch_audit.sites import Kernel, find_kernels, first_launch, pointers

SOURCE = """
import triton
import triton.language as tl

WIDTH = 32

@triton.jit
def add(x_ptr, OUT, n, stride, BLOCK: tl.constexpr, FLAG: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    base = x_ptr + stride
    base += 1
    tl.store(OUT + at, tl.load((base + at).to(tl.pointer_type(tl.float32)), mask=at < n))

@triton.jit
def helper(x):
    return x

@triton.jit
def never_launched(x_ptr):
    tl.load(x_ptr)

def run(x, out, size=64):
    block = 128
    add[(1,)](x, out, x.numel(), x.stride(0), BLOCK=block, FLAG=x is not None, num_warps=size)
"""


def test_kernels_are_those_that_their_own_file_launches(tmp_path: Path) -> None:
    (tmp_path / "made_up" / "ops").mkdir(parents=True)
    (tmp_path / "made_up" / "ops" / "__init__.py").write_text(SOURCE)
    (tmp_path / "made_up" / "broken.py").write_text("@triton.jit\ndef f(:\n")
    assert list(find_kernels(tmp_path, "made_up")) == [Kernel("made_up.ops", "add")]


def test_a_launch_is_read_by_place_and_name_and_its_literals_resolved() -> None:
    passed = first_launch(SOURCE, "add", ["x_ptr", "OUT", "n", "stride", "BLOCK", "FLAG"]).arguments
    assert passed == {
        "x_ptr": "x",
        "OUT": "out",
        "n": "x.numel()",
        "stride": "x.stride(0)",
        "BLOCK": "128",
        "FLAG": "x is not None",
        "num_warps": "64",
    }
    assert first_launch(SOURCE, "helper", ["x"]).arguments == {}


def test_a_name_with_two_values_is_not_resolved() -> None:
    source = "def run():\n    size = 1\n    if True:\n        size = 2\n    k[(1,)](size)\n"
    assert first_launch(source, "k", ["n"]).arguments == {"n": "size"}


def test_addresses_are_found_through_assignments_and_casts() -> None:
    kernel = ast.unparse(ast.parse(SOURCE).body[3])
    assert pointers(kernel, {"x_ptr", "OUT", "n", "stride", "BLOCK"}) == {"x_ptr", "OUT"}


@pytest.mark.parametrize(
    ("name", "kind"),
    [("q_ptr", "bf16"), ("block_table_ptr", "i32"), ("k_scale", "fp32"), ("slot_mapping", "i64")],
)
def test_elements_by_name(name: str, kind: str) -> None:
    assert element(name, "bf16") == kind


def test_numbers_and_constants_by_name() -> None:
    assert (scalar("softmax_scale"), scalar("n_rows"), scalar("has_bias")) == ("fp32", "i32", "i1")
    assert constant("USE_ALIBI") is constant("launch_pdl") is False
    assert constant("HEAD_SIZE") == 128
    assert constant("BLOCK_M") == 64
    with pytest.raises(KeyError):
        constant("INPUT_PRECISION")
