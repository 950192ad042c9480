"""A document made from the records and kept beside them: when it is out of date, and how it is written."""

from __future__ import annotations

import contextlib
import os
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol, TypeVar


class Kept(Protocol):
    """A document that says what it was made from."""

    @property
    def stamp(self) -> str | None: ...


Document = TypeVar("Document", bound=Kept)


def up_to_date(
    path: Path,
    stamp: str,
    read: Callable[[bytes], Document],
    make: Callable[[], bytes],
    damaged: type[Exception],
) -> Document:
    """The document kept at a path while it bears this stamp, else made anew and kept where possible.

    read raises `damaged` for bytes that are none; what `make` raises is passed on.
    """
    with contextlib.suppress(OSError, damaged):
        document = read(path.read_bytes())
        if document.stamp == stamp:
            return document
    data = make()
    with contextlib.suppress(OSError):  # a read-only checkout is read from memory
        write_whole(path, data)
    return read(data)


def stamp_of(records: Path, makers: Iterable[Path] = ()) -> str:
    """What tells one state of what a document is made from from another: names, sizes, times.

    records: the folder of records and candidates. makers: other files that the document depends on.
    """
    base = str(records)
    with os.scandir(base) as entries:
        names = sorted(entry.name for entry in entries)
    paths = [f"{base}/{name}" if name[0] in "_." else f"{base}/{name}/gotcha.yaml" for name in names]
    paths += map(str, makers)
    found = []
    for path in paths:
        try:
            seen = os.stat(path)  # noqa: PTH116 - a thousand records are looked at on every search
        except OSError:
            continue
        found.append(f"{path} {seen.st_size} {seen.st_mtime_ns}")
    return f"{len(found)}-{zlib.crc32(chr(10).join(found).encode('utf-8', 'surrogateescape')):08x}"


def write_whole(path: Path, data: bytes) -> None:
    """Writes a file so that no reader ever sees half of it."""
    import tempfile

    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(name, path)  # noqa: PTH105
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)  # noqa: PTH108
        raise
