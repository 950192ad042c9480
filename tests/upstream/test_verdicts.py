"""Verdicts: kept by the code they are about, and read without trust."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu_gotchas.upstream import verdicts
from gpu_gotchas.upstream.patch import Answer
from gpu_gotchas.upstream.verdicts import Verdict, Verdicts
from tests.upstream.made_up import patch


def said(release: str = "1.0.0", after: Answer = Answer.RIGHT, **changes: str) -> Verdict:
    given = {"patch": "made-up-total", "signature": "abc", **changes}
    return Verdict(before=Answer.FAULTY, after=after, releases=(release,), **given)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    known = Verdicts((said(card="sm_86", triton="3.7.0"), said(signature="def")))
    known.write(tmp_path / "below/verdicts.json")
    assert set(verdicts.read(tmp_path / "below/verdicts.json").known) == set(known.known)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"verdicts": [{"patch": "x"}]}', '{"verdicts": 3}'])
def test_a_broken_file_says_nothing(tmp_path: Path, text: str) -> None:
    path = tmp_path / "verdicts.json"
    path.write_text(text)
    assert verdicts.read(path) == Verdicts()
    assert verdicts.read(tmp_path / "none.json") == Verdicts()


def test_the_same_code_in_more_releases_is_one_verdict() -> None:
    both = Verdicts().with_these([said("0.10.0"), said("0.9.0")])
    assert [one.releases for one in both.known] == [("0.9.0", "0.10.0")]
    assert both.with_these([said("0.9.0")]) == both


def test_a_later_verdict_that_says_otherwise_replaces_the_earlier_one() -> None:
    changed = Verdicts((said("0.9.0"),)).with_these([said("0.10.0", Answer.FAULTY)])
    assert [(one.after, one.releases) for one in changed.known] == [(Answer.FAULTY, ("0.10.0",))]


def test_what_this_machine_found_out_counts_more_than_what_came_with_us(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GPU_GOTCHAS_CACHE", str(tmp_path))
    monkeypatch.setattr(verdicts, "SHIPPED", tmp_path / "shipped.json")
    Verdicts((said(),)).write(verdicts.SHIPPED)
    Verdicts((said(after=Answer.FAULTY),)).write(verdicts.prepared_file())
    found = verdicts.all_known().about(patch(), "abc", {})
    assert found is not None
    assert found.after is Answer.FAULTY
