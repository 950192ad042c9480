"""What the site of a thousand records weighs, built whole. How long that takes is the benchmark's."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.site import AIMS, many, weigh

from gpu_gotchas.site.knowledge import Knowledge
from tests.site.building import build


def test_a_thousand_records_keep_to_their_budgets(tmp_path: Path, shipped: Knowledge) -> None:
    pytest.importorskip("material")
    known = many(shipped, 1000)
    assert len({entry.gotcha.id for entry in known.entries}) == 1000
    found = weigh(build(tmp_path, known), known)
    assert found["megabytes"] <= AIMS["megabytes"], found
    assert found["median_page_kilobytes"] <= AIMS["median_page_kilobytes"], found
