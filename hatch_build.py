"""Puts the search index and what the doctor knows into a wheel. An editable install makes its own."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

INDEX = "gpu_gotchas/_data/index.json"
DOCTOR = "gpu_gotchas/_data/doctor.json"


class IndexHook(BuildHookInterface):  # type: ignore[type-arg]
    """Builds both from the records beside this file, for a wheel that is not editable."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        root = Path(self.root)
        sys.path.insert(0, str(root / "src"))
        try:
            from gpu_gotchas.doctor.knowledge import build_knowledge
            from gpu_gotchas.search.build import build_index

            records = root / "gotchas"
            made = {INDEX: build_index(records), DOCTOR: build_knowledge(records)}
        finally:
            sys.path.remove(str(root / "src"))
        self._folder = tempfile.TemporaryDirectory()
        for place, data in made.items():
            built = Path(self._folder.name) / Path(place).name
            built.write_bytes(data)
            build_data["force_include"][str(built)] = place

    def finalize(self, version: str, _build_data: dict[str, Any], _artifact_path: str) -> None:
        if version != "editable":
            self._folder.cleanup()
