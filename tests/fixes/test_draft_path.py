"""A neutral link misleads nobody, and leads to the same files."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu_gotchas.fixes.draft_path import WORDS, misleading_word, neutral_link


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("place", ["/models/{}x/Qwen3-0.6B", "/models/X{}", "{}/a"])
def test_a_word_anywhere_misleads_who_asked_for_another_method(word: str, place: str) -> None:
    assert misleading_word(place.format(word.upper()), "draft_model") == word
    assert misleading_word(place.format(word), None) is None
    assert misleading_word(place.format(word), "eagle3") is None


def test_a_link_has_no_word_and_the_same_files(tmp_path: Path) -> None:
    checkpoint = tmp_path / "dflash-tests"
    checkpoint.mkdir()
    (checkpoint / "config.json").write_text("{}", encoding="utf-8")
    with neutral_link(checkpoint) as link:
        assert misleading_word(link, "mtp") is None
        assert (link / "config.json").read_text(encoding="utf-8") == "{}"
    assert not link.exists()
    assert (checkpoint / "config.json").exists()


def test_a_temporary_folder_with_a_word_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "dflash").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "dflash"))
    with pytest.raises(ValueError, match="holds 'dflash' too"), neutral_link(tmp_path):
        pass
