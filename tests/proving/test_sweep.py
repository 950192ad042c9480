"""A record's probe, run on the released code of one version after the other."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu_gotchas.proving.sweep import NothingToAsk, Sweep
from gpu_gotchas.repro.judge import Knowledge
from gpu_gotchas.repro.results import read_results
from gpu_gotchas.repro.sweeping import Shown
from tests.repro.samples import LOGIC_REPRO, read_gotcha
from tests.repro.wheels import wheel

REPRO = """
from gpu_gotchas.repro.extract import take
from pathlib import Path

def bug_package(target):
    take(Path(target.package) / "made_up" / "widgets.py", ["fit"], {})["fit"]()
"""
KNOWN = Knowledge(first=lambda _: "made-up", others=lambda _: [])
FAILS = "def fit():\n    raise ValueError('the widget w7 does not fit')\n"
SOURCES = {
    "1.0": {"made_up/other.py": ""},
    "1.1": {"made_up/widgets.py": FAILS},
    "1.2": {"made_up/widgets.py": "def fit(): pass\n"},
    "1.10": {"made_up/widgets.py": FAILS},
    "1.11": {"made_up/widgets.py": "def fit():\n    raise KeyError('w8')\n"},
}


def sweep(root: Path, repro: str = REPRO, package: str = "made-up", report: Path | None = None) -> Sweep:
    span = [{"introduced": "1.1", "fixed": "1.2"}, {"introduced": "1.10", "last_bad": "1.10"}]
    gotcha, found = read_gotcha(
        root, repro, affects=[{"hardware": "any", "software": {"made-up": span}}], control="condition"
    )
    return Sweep(gotcha, found, package, gotchas=[gotcha], report=report)


@pytest.mark.usefixtures("light")
def test_each_release_shows_what_its_own_code_does(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gpu_gotchas.proving.sweep.knowledge", lambda _: KNOWN)
    for version, files in SOURCES.items():
        wheel(index, files, version)
    report = tmp_path / "results.jsonl"
    with sweep(tmp_path, report=report) as asked:
        seen = {version: asked.ask(version)[0] for version in (*SOURCES, "9.9")}
    assert {version: release.shown for version, release in seen.items()} == {
        "1.0": Shown.ABSENT,
        "1.1": Shown.BAD,
        "1.2": Shown.GOOD,
        "1.10": Shown.BAD,
        "1.11": Shown.UNCLEAR,
        "9.9": Shown.UNCLEAR,
    }
    assert "no made_up/widgets.py" in seen["1.0"].because
    assert "skipped, because made-up==9.9 cannot be had" in seen["9.9"].because
    assert [result.package for result in read_results(report)] == [f"made-up=={each}" for each in SOURCES]


def test_a_record_without_such_a_probe_is_told(tmp_path: Path) -> None:
    with pytest.raises(NothingToAsk, match="made-up has no package probe that could be asked of vllm"):
        sweep(tmp_path, LOGIC_REPRO, "vllm")
