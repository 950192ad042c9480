"""The integer codec against torch's float8_e4m3fn and against the format's definition."""

from __future__ import annotations

import json
import math
import random
import struct
from itertools import pairwise
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("triton")

from gpu_gotchas.fixes import e4m3_torch  # noqa: E402
from tests.fixes.triton_children import dry, interpreted  # noqa: E402

BODY = Path(__file__).parent / "bodies" / "e4m3.py"
SUPPORTED = [
    "sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_100", "sm_103", "sm_120", "sm_121",
    "gfx90a", "gfx942", "gfx1100", "gfx1201",
]  # fmt: skip


def bits_of(value: float) -> int:
    return int(struct.unpack("<i", struct.pack("<f", value))[0])


def every_float16() -> torch.Tensor:
    return torch.arange(65536, dtype=torch.int32).to(torch.int16).view(torch.float16).float()


def edges() -> list[float]:
    """Around every value and midpoint of the format, one float32 step to each side; and the extremes."""
    ladder = [e4m3_torch.value_of(code) for code in range(127)]
    points = ladder + [(low + high) / 2 for low, high in pairwise(ladder)]
    points += [464.0, 480.0, 65504.0, 3.4e38, math.inf, 1e-45, 1.17549435e-38, 2.0**-10, 2.0**-11]
    near = [step(point, by) for point in points for by in (-1, 0, 1)]
    rng = random.Random(0)
    spread = [rng.choice([-1, 1]) * math.ldexp(1 + rng.random(), rng.randint(-140, 127)) for _ in range(2000)]
    return near + [-value for value in near] + spread + [math.nan, -0.0, 0.0]


def step(value: float, by: int) -> float:
    """The float32 that is `by` steps away from a float32 of zero or more, or zero or infinity at the ends."""
    bits = min(max(bits_of(value) + by, 0), bits_of(math.inf))
    return float(struct.unpack("<f", struct.pack("<i", bits))[0])


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """(decoded float32 of every code, the values that were encoded, their codes), all from the kernels."""
    values = torch.cat([every_float16(), torch.tensor(edges(), dtype=torch.float32)])
    given = tmp_path_factory.mktemp("e4m3") / "bits.json"
    given.write_text(json.dumps(values.view(torch.int32).tolist()))
    decoded, codes = interpreted(BODY, str(given))
    return (
        torch.tensor(decoded, dtype=torch.int32).view(torch.float32),
        values,
        torch.tensor(codes, dtype=torch.uint8),
    )


def same_floats(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Bit for bit, but one NaN is as good as another."""
    numbers = ~other.isnan()
    return torch.equal(one.isnan(), other.isnan()) and torch.equal(
        one[numbers].view(torch.int32), other[numbers].view(torch.int32)
    )


def test_every_code_decodes_as_torch_decodes_it(ran: tuple[torch.Tensor, ...]) -> None:
    every = torch.arange(256, dtype=torch.int32).to(torch.uint8)
    assert same_floats(ran[0], every.view(torch.float8_e4m3fn).float())


def test_every_code_decodes_as_the_format_defines_it(ran: tuple[torch.Tensor, ...]) -> None:
    assert same_floats(ran[0], e4m3_torch.decode(torch.arange(256, dtype=torch.uint8)))


def test_encoding_is_nearest_even_by_definition(ran: tuple[torch.Tensor, ...]) -> None:
    _, values, codes = ran
    assert torch.equal(codes, e4m3_torch.encode(values))


def test_encoding_is_torch_s_cast_where_nothing_overflows(ran: tuple[torch.Tensor, ...]) -> None:
    _, values, codes = ran
    inside = values.abs() <= 464
    assert inside.sum() > 48000
    assert torch.equal(codes[inside], values[inside].to(torch.float8_e4m3fn).view(torch.uint8))


def test_what_is_too_large_saturates_infinity_too(ran: tuple[torch.Tensor, ...]) -> None:
    _, values, codes = ran
    beyond = values.abs() > 464
    assert values[beyond].isinf().any()
    assert set(codes[beyond].tolist()) == {0x7E, 0xFE}
    assert torch.equal(codes[beyond] >= 0x80, values[beyond] < 0)


def test_nan_becomes_the_nan_without_sign(ran: tuple[torch.Tensor, ...]) -> None:
    _, values, codes = ran
    assert set(codes[values.isnan()].tolist()) == {0x7F}


def test_zero_keeps_its_sign(ran: tuple[torch.Tensor, ...]) -> None:
    _, values, codes = ran
    zero = values == 0
    assert torch.equal(codes[zero], torch.where(values[zero].signbit(), 0x80, 0).to(torch.uint8))


def test_every_code_survives_the_twin(ran: tuple[torch.Tensor, ...]) -> None:
    every = torch.arange(256, dtype=torch.uint8)
    numbers = ~e4m3_torch.decode(every).isnan()
    assert torch.equal(e4m3_torch.encode(ran[0])[numbers], every[numbers])


@pytest.mark.parametrize("target", SUPPORTED)
def test_compiles_for(target: str, tmp_path: Path) -> None:
    pytest.importorskip("gpu_gotchas.repro.dry")
    (tmp_path / "bits.json").write_text("[0]")
    decoded, _ = dry(target, BODY, tmp_path / "cache", str(tmp_path / "bits.json"))
    assert len(decoded) == 256


@pytest.mark.parametrize("wrong", [torch.float8_e4m3fn, torch.int64, torch.float32])
def test_codes_of_another_dtype_are_refused_with_the_way_out(wrong: torch.dtype) -> None:
    with pytest.raises(ValueError, match=r"codes must be uint8, not torch\..*view"):
        e4m3_torch.decode(torch.zeros(2).to(wrong))
    with pytest.raises(ValueError, match="values must be floats, not"):
        e4m3_torch.encode(torch.zeros(2, dtype=torch.uint8))
