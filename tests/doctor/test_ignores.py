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


@pytest.mark.parametrize(
    ("name", "table", "told"),
    [
        ("ignores.toml", "ignores", r"unknown key ignores: write \[\[ignore\]\]"),
        ("ignores.toml", "Ignore", r"unknown key Ignore"),
        ("ignores.toml", "gpu-gotchas.ignore", r"unknown key gpu-gotchas"),
        ("ignores.toml", "tool.gpu_gotchas.ignore", r"write \[\[tool.gpu-gotchas.ignore\]\]"),
        ("ignores.toml", "tool.gpu-gotchas.ignores", r"unknown key tool.gpu-gotchas.ignores: write"),
        ("pyproject.toml", "tool.gpu_gotchas.ignore", r"\[tool.gpu_gotchas\] is not read: write"),
        ("pyproject.toml", "tool.gpu-gotcha.ignore", r"\[tool.gpu-gotcha\] is not read: write"),
        ("pyproject.toml", "tool.gotchas.ignore", r"\[tool.gotchas\] is not read: write"),
        ("pyproject.toml", "tool.GPU-Gotchas.ignore", r"\[tool.GPU-Gotchas\] is not read: write"),
        ("pyproject.toml", "tool.gpu-gotchas.ignored", r"unknown key tool.gpu-gotchas.ignored: write"),
        ("pyproject.toml", "ignore", r"\[\[ignore\]\] is not read here: write \[\[tool.gpu-gotchas"),
        ("pyproject.toml", "ignores", r"\[\[ignores\]\] is not read here"),
    ],
)
def test_a_table_of_another_name_is_an_error_that_names_the_right_one(
    tmp_path: Path, name: str, table: str, told: str
) -> None:
    with pytest.raises(IgnoresError, match=told):
        read_ignores(written(tmp_path, f"[[{table}]]\n{ENTRY}", name))


def test_a_file_like_a_pyproject_is_read_as_one_whatever_its_name(tmp_path: Path) -> None:
    text = f'[project]\nname = "x"\n[tool.ruff]\nline-length = 9\n[[tool.gpu-gotchas.ignore]]\n{ENTRY}'
    assert read_ignores(written(tmp_path, text, "ci.toml")) == (until("2027-03-31"),)
    assert read_ignores(written(tmp_path, "", "ci.toml")) == ()


def test_another_key_of_ours_is_an_error(tmp_path: Path) -> None:
    text = f"[tool.gpu-gotchas]\nverbose = true\n[[tool.gpu-gotchas.ignore]]\n{ENTRY}"
    with pytest.raises(IgnoresError, match="unknown key tool.gpu-gotchas.verbose"):
        read_ignores(written(tmp_path, text, "pyproject.toml"))
    with pytest.raises(IgnoresError, match="wants a table"):
        read_ignores(written(tmp_path, "[tool]\ngpu-gotchas = 3\n", "pyproject.toml"))
    with pytest.raises(IgnoresError, match="unknown key 'reasons': reason may be meant"):
        read_ignores(written(tmp_path, f"[[ignore]]\n{ENTRY.replace('reason', 'reasons')}"))


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
