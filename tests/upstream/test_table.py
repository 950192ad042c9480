"""The committed table: every patch in every release, and no cell that says nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from packaging.version import Version

from gpu_gotchas.hardware.truth import Truth
from gpu_gotchas.upstream import table, verdicts
from gpu_gotchas.upstream.outcome import WORDS, Applied, Declined, NotNeeded, Reason
from gpu_gotchas.upstream.patch import Answer, Patch
from gpu_gotchas.upstream.patches import all_patches

TABLE = table.read()
SETTLED = {WORDS[kind] for kind in (Applied, NotNeeded, Declined)}


@pytest.mark.parametrize("patch", all_patches(), ids=lambda patch: patch.id)
def test_every_release_has_a_settled_outcome_that_its_record_bears_out(patch: Patch) -> None:
    assert set(TABLE[patch.id]) >= set(table.RELEASES)
    for release, cell in TABLE[patch.id].items():
        assert cell.outcome in SETTLED
        assert cell.why
        match patch.releases.holds(release):
            case Truth.YES if patch.from_release and Version(release) < Version(patch.from_release):
                assert cell.why == Reason.OUT_OF_REACH.value
            case Truth.YES:
                assert cell.outcome == WORDS[Applied], release
            case Truth.NO:
                assert cell.outcome == WORDS[NotNeeded], release


def test_there_is_no_row_without_a_patch() -> None:
    assert set(TABLE) == {patch.id for patch in all_patches()}


def test_what_is_applied_was_seen_to_fail_without_the_patch_and_to_be_right_with_it() -> None:
    applied = {
        (name, release)
        for name, row in TABLE.items()
        for release, cell in row.items()
        if cell.outcome == WORDS[Applied]
    }
    shown = {
        (one.patch, release)
        for one in verdicts.read(verdicts.SHIPPED).known
        if (one.before, one.after) == (Answer.FAULTY, Answer.RIGHT)
        for release in one.releases
    }
    assert applied <= shown


def test_a_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    table.write(TABLE, tmp_path / "table.json")
    assert table.read(tmp_path / "table.json") == TABLE
    assert table.read(tmp_path / "none.json") == {}
