from __future__ import annotations

from pathlib import Path

import pytest

from gpu_gotchas.repro.probe import Probe, Tier
from gpu_gotchas.repro.source import Needs, ReproError, read_repro


def read(folder: Path, text: str | bytes):
    (folder / "repro.py").write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_repro(folder)


def test_a_folder_without_a_repro_has_none(tmp_path: Path) -> None:
    assert read_repro(tmp_path) is None


def test_reading_runs_nothing(tmp_path: Path) -> None:
    repro = read(tmp_path, "raise SystemExit(7)\ndef bug(target): ...\n")
    assert repro is not None
    assert repro.functions == {"bug"}


def test_only_functions_of_the_top_level_count(tmp_path: Path) -> None:
    text = "from x import fixed\nclass A:\n    def control(self): ...\nif True:\n    def bug(t): ...\n"
    repro = read(tmp_path, text)
    assert repro is not None
    assert repro.functions == frozenset()
    assert repro.tiers == ()


@pytest.mark.parametrize(
    ("functions", "probe", "tier", "expected"),
    [
        ("bug", Probe.BUG, Tier.COMPILE, "bug"),
        ("bug", Probe.BUG, Tier.DEVICE, "bug"),
        ("bug", Probe.BUG, Tier.LOGIC, None),
        ("bug", Probe.BUG, Tier.PACKAGE, None),
        ("bug bug_device", Probe.BUG, Tier.DEVICE, "bug_device"),
        ("bug bug_device", Probe.BUG, Tier.COMPILE, "bug"),
        ("bug_logic", Probe.BUG, Tier.LOGIC, "bug_logic"),
        ("bug_logic", Probe.FIXED, Tier.LOGIC, None),
        ("control_package", Probe.CONTROL, Tier.PACKAGE, "control_package"),
    ],
)
def test_a_suffix_serves_one_tier_and_a_plain_name_compile_and_device(
    tmp_path: Path, functions: str, probe: Probe, tier: Tier, expected: str | None
) -> None:
    repro = read(tmp_path, "".join(f"def {name}(target): ...\n" for name in functions.split()))
    assert repro is not None
    assert repro.function(probe, tier) == expected


def test_tiers_are_those_of_the_bug(tmp_path: Path) -> None:
    repro = read(tmp_path, "def bug(t): ...\ndef bug_logic(t): ...\ndef fixed_package(t): ...\n")
    assert repro is not None
    assert repro.tiers == (Tier.LOGIC, Tier.COMPILE, Tier.DEVICE)


def test_needs_are_read_from_the_literal(tmp_path: Path) -> None:
    repro = read(tmp_path, 'X = 1\nNEEDS = {"gpus": 2, "memory_gib": 0.5, "can_wedge": True}\n')
    assert repro is not None
    assert repro.needs == Needs(gpus=2, memory_gib=0.5, can_wedge=True)


def test_needs_may_be_annotated(tmp_path: Path) -> None:
    repro = read(tmp_path, 'NEEDS: dict[str, int] = {"gpus": 2}\n')
    assert repro is not None
    assert repro.needs.gpus == 2


def test_without_needs_there_are_defaults(tmp_path: Path) -> None:
    repro = read(tmp_path, "")
    assert repro is not None
    assert repro.needs == Needs()


@pytest.mark.parametrize(
    "literal",
    [
        '{"gpus": len([1])}',
        '{"gpu": 1}',
        "[1]",
        '{"gpus": "one"}',
        '{"gpus": -1}',
        '{"gpus": True}',
        '{"can_wedge": 1}',
        "{1: 1}",
        "dict(gpus=1)",
    ],
)
def test_other_needs_are_an_error_that_says_where_and_what_is_right(tmp_path: Path, literal: str) -> None:
    with pytest.raises(ReproError) as error:
        read(tmp_path, f"\n\nNEEDS = {literal}\n")
    assert str(error.value).startswith(f"{tmp_path / 'repro.py'}:3: NEEDS must be a literal dict of gpus, ")
    assert (error.value.path, error.value.line) == (tmp_path / "repro.py", 3)


@pytest.mark.parametrize(
    ("text", "line"), [("\ndef bug(:\n", 2), (b"\xff\xfe", 1), ("x = '\x00'\n", 1), ("\nif True:\n", 2)]
)
def test_what_is_no_python_is_an_error_with_its_place(tmp_path: Path, text: str | bytes, line: int) -> None:
    with pytest.raises(ReproError, match=rf"repro\.py:{line}: this is no Python"):
        read(tmp_path, text)
