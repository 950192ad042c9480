from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gpu_gotchas.proving.options import Asked, AskedWrongly, asked, check_ids
from gpu_gotchas.repro.probe import Tier
from tests.repro.samples import read_gotcha

NOTHING: dict[str, Any] = {
    "gotcha": [],
    "gotcha_tier": [],
    "gotcha_target": [],
    "gotcha_timeout": None,
    "gotcha_hardware": None,
    "gotcha_package": None,
}


def config(**options: Any) -> Any:
    return SimpleNamespace(getoption={**NOTHING, **options}.__getitem__)


def test_nothing_is_everything() -> None:
    assert asked(config()) == Asked()


def test_what_is_asked_is_understood() -> None:
    said = asked(
        config(
            gotcha=["one"],
            gotcha_tier=["logic", "device"],
            gotcha_target=["SM_86", "gfx942", "cpu", "8.9", "RTX 3090", "nvidia-l4"],
            gotcha_timeout=7.5,
            gotcha_hardware=Path("m.yaml"),
            gotcha_package="vllm==0.33.0",
        )
    )
    assert said.tiers == (Tier.LOGIC, Tier.DEVICE)
    assert said.targets == ("sm_86", "gfx942", "cpu", "sm_89", "sm_86", "sm_89")
    assert (said.ids, said.timeout, said.hardware) == (("one",), 7.5, Path("m.yaml"))
    assert said.package == "vllm==0.33.0"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"gotcha_tier": ["compiled"]}, "no tier is called compiled: did you mean compile?"),
        ({"gotcha_tier": ["q"]}, "no tier is called q: there are logic, compile, package, device"),
        ({"gotcha_target": ["sm_68"]}, "--gotcha-target: unknown target 'sm_68'; did you mean sm_"),
        ({"gotcha_target": ["foo"]}, "unknown target 'foo'; name it as sm_86, gfx942 or 8.6, or name a GPU"),
        ({"gotcha_timeout": 0.0}, "--gotcha-timeout wants a number of seconds above 0, not 0"),
        ({"gotcha_timeout": -1.0}, "above 0, not -1"),
        ({"gotcha_timeout": float("nan")}, "above 0, not nan"),
        ({"gotcha_timeout": float("inf")}, "above 0, not inf"),
        ({"gotcha_package": "vllm"}, "--gotcha-package: 'vllm' names no release: write it as vllm==0.33.0"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_what_would_be_right(
    options: dict[str, Any], words: str
) -> None:
    with pytest.raises(AskedWrongly) as error:
        asked(config(**options))
    assert words in str(error.value)


def test_ids_are_those_of_records_and_their_older_names(tmp_path: Path) -> None:
    gotcha, _ = read_gotcha(tmp_path, aliases=["older-name"])
    check_ids(["made-up", "older-name"], [gotcha])
    with pytest.raises(AskedWrongly, match=r"no gotcha is called made-down: did you mean made-up\?"):
        check_ids(["made-down"], [gotcha])
    with pytest.raises(AskedWrongly, match=r"no gotcha is called qqq: `gotchas list` names them all$"):
        check_ids(["qqq"], [gotcha])
