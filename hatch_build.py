"""Puts the search index into a wheel. An editable install keeps its own, made anew from newer records."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

INDEX = "gpu_gotchas/_data/index.json"


class IndexHook(BuildHookInterface):  # type: ignore[type-arg]
    """Builds the index from the records beside this file, for a wheel that is not editable."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        root = Path(self.root)
        sys.path.insert(0, str(root / "src"))
        try:
            from gpu_gotchas.search.build import build_index

            data = build_index(root / "gotchas")
        finally:
            sys.path.remove(str(root / "src"))
        self._folder = tempfile.TemporaryDirectory()
        built = Path(self._folder.name) / "index.json"
        built.write_bytes(data)
        build_data["force_include"][str(built)] = INDEX

    def finalize(self, version: str, _build_data: dict[str, Any], _artifact_path: str) -> None:
        if version != "editable":
            self._folder.cleanup()
