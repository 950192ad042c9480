"""Builds that several tests look at; each takes most of a test's time, so it is made once."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpu_gotchas.site.build import files, read_written, write
from gpu_gotchas.site.knowledge import Knowledge, gather
from tests.site.browser import Browser, opened
from tests.site.rendering import ROOT


def build(folder: Path, known: Knowledge) -> Path:
    """A strict build of the repository's own docs and mkdocs.yml with these records."""
    pytest.importorskip("material")
    write(folder / "docs", files(known, read_written(ROOT / "docs")))
    given = (ROOT / "mkdocs.yml").read_text("utf-8")
    assert "\ndocs_dir: build/docs\nsite_dir: build/site\n" in given
    (folder / "mkdocs.yml").write_text(
        given.replace("docs_dir: build/docs\nsite_dir: build/site", "docs_dir: docs\nsite_dir: html"), "utf-8"
    )
    shutil.copytree(ROOT / "overrides", folder / "overrides")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict"],
        cwd=folder, capture_output=True, text=True, check=False, timeout=300,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )  # fmt: skip
    output = done.stdout + done.stderr
    assert done.returncode == 0, output
    assert "end of life" not in output
    assert not re.search(r"^(WARNING|ERROR)", output, re.MULTILINE), output
    return folder / "html"


@pytest.fixture(scope="session")
def shipped() -> Knowledge:
    """The records as they are in this checkout."""
    return gather()


@pytest.fixture(scope="session")
def shipped_site(tmp_path_factory: pytest.TempPathFactory, shipped: Knowledge) -> Path:
    return build(tmp_path_factory.mktemp("shipped"), shipped)


@pytest.fixture(scope="session")
def browser(shipped_site: Path) -> Iterator[Browser]:
    """A browser on the site of this checkout's records."""
    with opened(shipped_site) as found:
        yield found
