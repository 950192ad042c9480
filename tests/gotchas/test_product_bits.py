"""Reading from intermediate code how wide the product of a page number is, and where a page is then read."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("torch")
pytest.importorskip("triton", reason="Triton runs on Linux only")

PATH = Path(__file__).resolve().parents[2] / "gotchas" / "triton-int32-offset-overflow" / "repro.py"
LOADED = "%page = tt.load %at : tensor<32x!tt.ptr<i32>> loc(#loc1)\n"
WIDENED = "%wide = arith.extsi %page : tensor<32xi32> to tensor<32xi64> loc(#loc2)\n"


@pytest.fixture(scope="module")
def repro() -> ModuleType:
    spec = importlib.util.spec_from_file_location("int32_repro", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["int32_repro"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("code", "bits"),
    [
        (LOADED + "%p = arith.muli %page, %stride : tensor<32xi32> loc(#loc3)", 32),
        (LOADED + WIDENED + "%p = arith.muli %wide, %stride : tensor<32xi64> loc(#loc3)", 64),
        # Widened after the product is too late, and one narrow product of two is one too many.
        (
            LOADED + "%p = arith.muli %page, %s : tensor<32xi32>\n%w = arith.extsi %p : tensor<32xi32> to x",
            32,
        ),
        (
            LOADED + WIDENED + "%p = arith.muli %wide, %s : tensor<32xi64> loc(#loc3)\n"
            "%e = tt.expand_dims %page {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32> loc(#loc4)\n"
            "%q = arith.muli %e, %s : tensor<32x1xi32> loc(#loc5)",
            32,
        ),
    ],
)
def test_the_narrowest_product_counts(repro: ModuleType, code: str, bits: int) -> None:
    assert repro.product_bits(code) == bits


def test_code_that_multiplies_nothing_loaded_is_an_error(repro: ModuleType) -> None:
    with pytest.raises(ValueError, match="multiplies no number"):
        repro.product_bits(LOADED + "%p = arith.muli %token, %stride : tensor<32xi32> loc(#loc3)")


@pytest.mark.parametrize("size", [2048, 16 * 576, 480 * 576, 7])
@pytest.mark.parametrize("seed", range(8))
def test_only_a_page_beyond_the_limit_is_read_astray_and_only_in_32_bits(
    repro: ModuleType, size: int, seed: int
) -> None:
    beyond, below = repro.beyond(size, seed), repro.below(size, seed)
    assert below * size + size <= 2**31 <= beyond * size
    assert repro.astray(beyond * size, 32) == 2**32
    assert repro.astray(beyond * size, 64) == 0
    # All of a page below the limit is in its place.
    assert [repro.astray(below * size + inner, bits) for inner in (0, size - 1) for bits in (32, 64)] == [
        0
    ] * 4
