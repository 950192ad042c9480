"""What importing vLLM, SGLang or FlashInfer whole needs beside torch and Triton, in a folder of its own.

The list is closed and pinned, so that nothing is resolved, and no other torch comes with it. It is put
behind everything else on the path: what the user has installed is used where it is there.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
from pathlib import Path

from gpu_gotchas.cache import cache_folder
from gpu_gotchas.repro.fetching import pip

_LIST = Path(__file__).with_name("light.txt")
_DONE = "installed"


def light_folder() -> Path:
    """Where they lie: a folder for each list and each Python that reads it."""
    key = hashlib.sha256(_LIST.read_bytes().replace(b"\r\n", b"\n")).hexdigest()[:12]
    return cache_folder() / f"light-{sys.implementation.cache_tag}-{key}"


def has_light() -> bool:
    return (light_folder() / _DONE).is_file()


def fetch_light() -> Path:
    """Install the list with pip into its folder, about 450 MB. Raises PackageError with pip's own words."""
    folder = light_folder()
    if has_light():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="light-part-") as scratch:
        into = Path(scratch) / "light"
        pip(["install", "--no-deps", "--no-compile", "--only-binary=:all:", f"--target={into}",
             f"--requirement={_LIST}"])  # fmt: skip
        (into / _DONE).write_text("")
        try:
            into.rename(folder)
        except OSError:
            if not has_light():
                raise
    return folder
