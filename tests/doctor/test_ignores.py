"""Ignores: with a reason and a last day, and reported where they do nothing."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from gpu_gotchas.doctor.assess import assess
from gpu_gotchas.doctor.ignores import Ignore, IgnoresError, read_ignores, sort_out
from gpu_gotchas.hardware.description import described_machine
from tests.doctor.samples import AMPERE, case, gotcha

TODAY = date(2026, 12, 1)
ENTRY = 'id = "sample-one"\nreason = "We know."\nuntil = "2027-03-31"\n'
KNOWN = {"sample-one": "sample-one", "older-name": "sample-one", "other": "other"}


def written(folder: Path, text: str, name: str = "ignores.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def sorted_out(*ignores: Ignore, target: str = "sm_86") -> tuple[list[str], list[str], tuple[str, ...]]:
    found = sort_out([assess(gotcha(case(AMPERE)), described_machine(target))], ignores, KNOWN, TODAY)
    return (
        [one.gotcha.id for one in found.kept],
        [one.gotcha.id for one, _ in found.ignored],
        found.complaints,
    )


def until(day: str, id: str = "sample-one") -> Ignore:
    return Ignore(id, "We know.", date.fromisoformat(day))


def test_both_files(tmp_path: Path) -> None:
    expected = (until("2027-03-31"),)
    assert read_ignores(written(tmp_path, f"[[ignore]]\n{ENTRY}")) == expected
    project = f'[project]\nname = "x"\n[[tool.gpu-gotchas.ignore]]\n{ENTRY}'
    assert read_ignores(written(tmp_path, project, "pyproject.toml")) == expected
    assert read_ignores(written(tmp_path, "[tool.other]\n", "pyproject.toml")) == ()
    plain = ENTRY.replace('"2027-03-31"', "2027-03-31")
    assert read_ignores(written(tmp_path, f"[[ignore]]\n{plain}")) == expected


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (ENTRY.replace("until", "# until"), "wants until"),
        (ENTRY.replace("2027-03-31", "next year"), "wants until"),
        (ENTRY.replace("We know.", " "), "wants a reason"),
        (ENTRY.replace('id = "sample-one"', "id = 3"), "wants the id"),
        (ENTRY + 'because = "x"\n', "unknown key 'because'"),
    ],
)
def test_a_bad_entry_says_what_it_wants(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(IgnoresError, match=rf"ignores.toml: ignore\[1\]: .*{told}"):
        read_ignores(written(tmp_path, f"[[ignore]]\n{ENTRY}\n[[ignore]]\n{text}"))


@pytest.mark.parametrize("text", ["ignore = 3", "ignore = [3]", "[", "ignore"])
def test_a_file_that_is_none(tmp_path: Path, text: str) -> None:
    with pytest.raises(IgnoresError, match=r"ignores\.toml"):
        read_ignores(written(tmp_path, text))
    with pytest.raises(IgnoresError, match="cannot be read"):
        read_ignores(tmp_path / "missing.toml")


def test_an_ignore_holds_through_its_last_day() -> None:
    assert sorted_out(until("2026-12-01")) == ([], ["sample-one"], ())
    assert sorted_out(until("2026-12-01", "older-name")) == ([], ["sample-one"], ())


def test_what_has_expired_ignores_nothing_and_is_reported() -> None:
    kept, ignored, (complaint,) = sorted_out(until("2026-11-30"))
    assert (kept, ignored) == (["sample-one"], [])
    assert "until 2026-11-30" in complaint


def test_what_ignores_nothing_is_reported() -> None:
    kept, ignored, (complaint,) = sorted_out(until("2027-01-01"), target="sm_90")
    assert (kept, ignored) == (["sample-one"], [])
    assert "cannot happen here" in complaint
    _, _, (complaint,) = sorted_out(until("2027-01-01", "no-such-thing"))
    assert "no record has that id" in complaint
