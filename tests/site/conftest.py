"""Builds that several tests look at; each takes most of a test's time, so it is made once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gpu_gotchas.site.knowledge import Knowledge, gather
from tests.site.browser import Browser, opened
from tests.site.building import build


@pytest.fixture(scope="session")
def shipped() -> Knowledge:
    """The records as they are in this checkout."""
    return gather()


@pytest.fixture(scope="session")
def shipped_site(tmp_path_factory: pytest.TempPathFactory, shipped: Knowledge) -> Path:
    pytest.importorskip("material")
    return build(tmp_path_factory.mktemp("shipped"), shipped)


@pytest.fixture(scope="session")
def browser(shipped_site: Path) -> Iterator[Browser]:
    """A browser on the site of this checkout's records."""
    with opened(shipped_site) as found:
        yield found
