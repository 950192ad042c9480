"""The model of `fp8e4b15` that the quality table is made with, and reading a clamp's bound from PTX."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("triton")

ROOT = Path(__file__).resolve().parents[2]


def load(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def repro() -> ModuleType:
    return load(ROOT / "gotchas" / "turboquant-e4b15-key-saturation" / "repro.py", "e4b15_repro")


@pytest.fixture(scope="module")
def model() -> ModuleType:
    return load(ROOT / "benchmarks" / "turboquant_quality.py", "e4b15_model")


def test_codes_have_the_values_of_four_exponent_bits_with_bias_15(model: ModuleType) -> None:
    codes = torch.arange(256, dtype=torch.int32).to(torch.uint8)
    by_definition = [
        (-1.0 if code & 0x80 else 1.0)
        * ((1 + (code & 7) / 8) * 2.0 ** ((code >> 3 & 15) - 15) if code >> 3 & 15 else (code & 7) * 2.0**-17)
        for code in range(256)
    ]
    assert torch.equal(model.decode_e4b15(codes), torch.tensor(by_definition))


def test_every_code_up_to_the_clamp_survives(model: ModuleType) -> None:
    codes = torch.tensor([code for code in range(256) if code & 0x7F != 0x7F], dtype=torch.uint8)
    assert torch.equal(model.encode_e4b15(model.decode_e4b15(codes)), codes)


def test_what_is_larger_than_the_clamp_becomes_the_clamp(model: ModuleType) -> None:
    values = torch.tensor([1.75, 1.76, 1.875, 2.0, 448.0, 1e6, float("inf")])
    stored = model.decode_e4b15(model.encode_e4b15(torch.cat([values, -values])))
    assert stored.tolist() == [1.75] * 7 + [-1.75] * 7


def test_inside_the_clamp_the_error_is_half_a_step_at_most(model: ModuleType) -> None:
    values = torch.linspace(-1.75, 1.75, 100_001)
    error = (model.decode_e4b15(model.encode_e4b15(values)) - values).abs()
    # float16 rounding toward zero comes before the rounding to three mantissa bits.
    assert bool((error <= values.abs() * (2.0**-4 + 2.0**-10) + 2.0**-17).all())


@pytest.mark.parametrize(
    ("ptx", "bound"),
    [
        ("mov.b32 max_val_f16x2, 0x3F003F00;\nmin.f16x2 a0, a0, max_val_f16x2;", 1.75),
        ("cvt.rn.satfinite.e4m3x2.f32 %rs1, %r2, %r1;", 448.0),
        ("min.s32 \t%r3, %r2, 1138753536;\nmin.s32 \t%r4, %r3, 25;", 448.0),
    ],
)
def test_the_bound_is_read_from_code(repro: ModuleType, ptx: str, bound: float) -> None:
    assert repro.clamp_bound(ptx) == bound


def test_code_that_clamps_in_no_known_way_is_an_error(repro: ModuleType) -> None:
    with pytest.raises(ValueError, match="no way that this probe knows"):
        repro.clamp_bound("min.s32 %r4, %r3, 25;\nst.global.b8 [%rd2], %rs3;")
