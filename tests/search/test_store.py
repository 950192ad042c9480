from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gpu_gotchas.records.problems import RecordErrors
from gpu_gotchas.search import store
from gpu_gotchas.search.store import fresh_index
from tests.search.samples import record, write_records

HEAVY = ("yaml", "torch", "triton", "jsonschema", "pydantic")


@pytest.fixture
def records(tmp_path: Path) -> Path:
    return write_records(tmp_path / "gotchas", [record("sample-one")])


def test_a_fresh_index_is_read_and_not_built(
    records: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "build" / "index.json"
    fresh_index(records, kept)
    monkeypatch.setattr("gpu_gotchas.search.build.build_index", lambda *_: pytest.fail("was built again"))
    assert fresh_index(records, kept).ids == ["sample-one"]


def test_an_edited_record_makes_it_anew(records: Path, tmp_path: Path) -> None:
    kept = tmp_path / "build" / "index.json"
    fresh_index(records, kept)
    write_records(records, [record("sample-one", title="Another title for the same thing")])
    entry = fresh_index(records, kept).record("sample-one")
    assert entry is not None
    assert entry["title"] == "Another title for the same thing"


@pytest.mark.parametrize("change", ["added", "removed"])
def test_a_record_more_or_less_makes_it_anew(records: Path, tmp_path: Path, change: str) -> None:
    write_records(records, [record("sample-two")])
    kept = tmp_path / "index.json"
    fresh_index(records, kept)
    if change == "added":
        write_records(records, [record("sample-three")])
        assert "sample-three" in fresh_index(records, kept).ids
    else:
        (records / "sample-two" / "gotcha.yaml").unlink()
        (records / "sample-two").rmdir()
        assert fresh_index(records, kept).ids == ["sample-one"]


def test_a_damaged_file_is_made_anew(records: Path, tmp_path: Path) -> None:
    kept = tmp_path / "index.json"
    kept.write_bytes(b"{}")
    assert fresh_index(records, kept).ids == ["sample-one"]
    assert kept.stat().st_size > 100


def test_where_nothing_can_be_written_it_is_searched_from_memory(records: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "a-file"
    blocked.touch()
    assert fresh_index(records, blocked / "index.json").ids == ["sample-one"]


def test_nothing_half_written_is_left(records: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("no room")

    monkeypatch.setattr(os, "replace", fail)
    kept = tmp_path / "build" / "index.json"
    assert fresh_index(records, kept).ids == ["sample-one"]
    assert list(kept.parent.iterdir()) == []


def test_broken_records_are_told(records: Path, tmp_path: Path) -> None:
    (records / "sample-one" / "gotcha.yaml").write_text("id: [", "utf-8")
    with pytest.raises(RecordErrors, match="sample-one"):
        fresh_index(records, tmp_path / "index.json")


def test_searching_a_fresh_index_loads_nothing_heavy(records: Path, tmp_path: Path) -> None:
    kept = tmp_path / "index.json"
    fresh_index(records, kept)
    code = f"""
import sys
from pathlib import Path
from gpu_gotchas.search import search
from gpu_gotchas.search.store import fresh_index
index = fresh_index(Path({str(records)!r}), Path({str(kept)!r}))
search("invented failure called sample one on an RTX 3090, vllm 0.19.1", index=index)
search("nothing of the kind", index=index)
print([name for name in {HEAVY!r} if name in sys.modules])
"""
    source = str(Path(store.__file__).parents[2])
    ran = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": source},
    )
    assert ran.stdout.strip() == "[]"
