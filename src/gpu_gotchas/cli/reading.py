"""Where the text of a search comes from, as chunks of bytes, never held whole.

A compressed log is read as what it holds.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import BinaryIO

from gpu_gotchas.cli.exits import BadInput
from gpu_gotchas.cli.terminal import safe
from gpu_gotchas.cli.unpacking import unpacked

_CHUNK = 65_536
_LARGE = 32 << 20
_STEP = 1 << 22


def log_chunks(source: str) -> Iterator[bytes]:
    """What a log holds, unpacked where it is compressed. source: its path, or - for standard input.

    On a large file progress is shown where a person can see it. Raises BadInput when it can't be read.
    """
    if source == "-":
        return unpacked(input_chunks(), "standard input", _note)
    return unpacked(_watched(_file_chunks(Path(source)), source), source, _note)


def _note(text: str) -> None:
    sys.stderr.write(safe(text) + "\n")


def _file_chunks(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                yield chunk
    except OSError as error:
        raise BadInput(f"{path} can't be read: {error.strerror or error}") from None


def _watched(chunks: Iterator[bytes], path: str) -> Iterator[bytes]:
    try:
        size = os.stat(path).st_size  # noqa: PTH116
    except OSError:
        size = 0
    if size < _LARGE or not sys.stderr.isatty():
        yield from chunks
        return
    done = told = 0
    for chunk in chunks:
        yield chunk
        done += len(chunk)
        if done - told >= _STEP:
            told = done
            sys.stderr.write(f"\r{min(100, 100 * done // size):3d} % of {size >> 20} MiB")
            sys.stderr.flush()
    sys.stderr.write("\r" + " " * 40 + "\r")


def input_chunks() -> Iterator[bytes]:
    """Standard input, as soon as something is there. Ctrl-C ends it."""
    stream = _binary(sys.stdin)
    with contextlib.suppress(KeyboardInterrupt):
        while chunk := _some(stream):
            yield chunk


def tee_chunks() -> Iterator[bytes]:
    """Standard input, after each piece was passed on to standard output unchanged.

    One Ctrl-C reaches every process of a pipeline: it is left to the server, whose last words are still
    passed on. A second one ends reading. When nobody reads the output any more, reading ends too.
    """
    source, sink = _binary(sys.stdin), _binary(sys.stdout)
    with _patient(), contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
        while chunk := _some(source):
            sink.write(chunk)
            sink.flush()
            yield chunk


def _some(stream: BinaryIO) -> bytes:
    read1 = getattr(stream, "read1", stream.read)
    return bytes(read1(_CHUNK))


def _binary(stream: object) -> BinaryIO:
    buffer: BinaryIO | None = getattr(stream, "buffer", None)
    if buffer is None:
        raise BadInput("standard input and output must be files or pipes")
    return buffer


@contextlib.contextmanager
def _patient() -> Iterator[None]:
    """Lets the first Ctrl-C pass."""

    def first(_number: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)

    try:
        before = signal.signal(signal.SIGINT, first)
    except ValueError:  # not in the main thread, where no signal arrives
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
