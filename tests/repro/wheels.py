"""Wheels made up for tests, with the list of files that every wheel carries."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from collections.abc import Mapping
from pathlib import Path

METADATA = "Metadata-Version: 2.1\nName: made-up\nVersion: {version}\n"


def record(files: Mapping[str, str]) -> str:
    """The text of RECORD for these files."""
    rows = []
    for name, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")
        rows.append(f"{name},sha256={digest},{len(text.encode())}")
    return "\n".join(rows)


def wheel(folder: Path, files: Mapping[str, str], version: str = "1.0") -> Path:
    """A wheel of made-up in `folder`, with the given files."""
    folder.mkdir(exist_ok=True)
    path = folder / f"made_up-{version}-py3-none-any.whl"
    info = f"made_up-{version}.dist-info"
    files = {
        **files,
        f"{info}/METADATA": METADATA.format(version=version),
        f"{info}/WHEEL": "Wheel-Version: 1.0\nTag: py3-none-any\n",
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
        archive.writestr(f"{info}/RECORD", record(files))
    return path
