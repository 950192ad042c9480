"""The doctor's own document says what the records say, and is made anew when one of them is newer."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gpu_gotchas.doctor.claims import claim_from, claim_of, raw_claim
from gpu_gotchas.doctor.knowledge import KnowledgeDamaged, build_knowledge, read_knowledge
from gpu_gotchas.doctor.store import fresh_knowledge
from gpu_gotchas.records.loading import load_all, load_candidates
from gpu_gotchas.records.root import root
from gpu_gotchas.records.settings import settings
from tests.search.samples import write_samples


def test_nothing_is_lost_on_the_way() -> None:
    known = read_knowledge(build_knowledge(root()))
    records = [one for one in load_all() if not one.status.withdrawn]
    assert known.records == tuple(map(claim_of, records))
    assert known.candidates == tuple(map(claim_of, load_candidates()))
    assert known.settings == settings()
    assert known.names["triton-fp8e4nv-below-sm89"] == "triton-fp8e4nv-below-sm89"
    for claim in known.candidates:
        assert claim_from(raw_claim(claim)) == claim
        assert not claim.proven


@pytest.fixture
def records(tmp_path: Path) -> Path:
    write_samples(tmp_path / "gotchas")
    return tmp_path / "gotchas"


def test_it_is_kept_until_a_record_is_newer(records: Path, tmp_path: Path) -> None:
    kept = tmp_path / "build" / "doctor.json"
    first = fresh_knowledge(records, kept)
    written = kept.stat().st_mtime_ns
    assert fresh_knowledge(records, kept) == first
    assert kept.stat().st_mtime_ns == written
    record = next(records.glob("*/gotcha.yaml"))
    os.utime(record, (1, 1))
    assert fresh_knowledge(records, kept).stamp != first.stamp


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"\xff\xfe", b'{"form": 1}', b'{"form": 0}'])
def test_what_is_damaged_is_made_anew(records: Path, tmp_path: Path, data: bytes) -> None:
    with pytest.raises(KnowledgeDamaged):
        read_knowledge(data)
    kept = tmp_path / "doctor.json"
    kept.write_bytes(data)
    assert fresh_knowledge(records, kept).records


def test_where_it_cannot_be_kept_it_is_read_from_memory(records: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    assert fresh_knowledge(records, blocked / "doctor.json").records
