"""The site as mkdocs builds it, with records of one's own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from gpu_gotchas.site.build import files, read_written, write
from gpu_gotchas.site.knowledge import Knowledge
from tests.site.rendering import ROOT


def build(folder: Path, known: Knowledge) -> Path:
    """A strict build of the repository's own docs and mkdocs.yml with these records: where its pages are."""
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
