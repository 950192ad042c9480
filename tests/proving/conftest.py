from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.proving.project import Project, block, entry_point, write_base
from tests.repro.conftest import index, light  # noqa: F401 - fixtures


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project in an empty folder. Its records need no torch and no Triton, without which it starts fast."""
    folder, root, library = tmp_path / "project", tmp_path / "base" / "gotchas", tmp_path / "library"
    for made in (folder, root, library):
        made.mkdir(parents=True)
    write_base(root)
    entry_point(library)
    block(library, "torch", "triton")
    return Project(folder, root, [str(library), *(path for path in sys.path if path)])
