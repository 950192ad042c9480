"""Reading files that somebody else names: bounded, and never waiting for a pipe."""

from __future__ import annotations

import errno
from pathlib import Path


def read_bounded(path: Path, most: int) -> bytes:
    """Up to `most` + 1 bytes of a file, so that a longer one can be told. Raises OSError.

    A named pipe or a device is refused: reading it might never end.
    """
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    with path.open("rb") as file:
        return file.read(most + 1)
