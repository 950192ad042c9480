"""An index over the invented records, and one over those that ship, each built once."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.search import fresh_index

from gpu_gotchas.search.build import build_index
from gpu_gotchas.search.index import Index
from tests.search.samples import write_samples


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_samples(tmp_path_factory.mktemp("records"))


@pytest.fixture(scope="session")
def index(samples: Path) -> Index:
    return Index(build_index(samples))


@pytest.fixture(scope="session")
def shipped() -> Index:
    return fresh_index()
