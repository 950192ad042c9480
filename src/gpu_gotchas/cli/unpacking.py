"""Compressed logs, unpacked as they are read: gzip, bzip2 and xz, told by their first bytes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Protocol

from gpu_gotchas.cli.exits import BadInput

MOST_UNPACKED = 64 << 30
"""Bytes. What grows beyond is no log but a trap, or worth to be unpacked by hand."""

_STEP = 65_536
_MOST_DICTIONARY = 256 << 20
_HEAD = 10

_FOREIGN = (
    (b"\x28\xb5\x2f\xfd", "zstd", "zstd -dc {name} | {command}"),
    (b"PK\x03\x04", "zip", "unzip -p {name} | {command}"),
    (b"PK\x05\x06", "zip", "unzip -p {name} | {command}"),
    (b"\x04\x22\x4d\x18", "lz4", "lz4 -dc {name} | {command}"),
    (b"7z\xbc\xaf\x27\x1c", "7z", "7z x -so {name} | {command}"),
    (b"\x1f\x9d", "compress", "zcat {name} | {command}"),
)


class _Unpacker(Protocol):
    """As the standard library's decompressors are, those of bzip2 and xz as they come."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


class _Gzip:
    """zlib's, which leaves to its caller what it did not get to."""

    def __init__(self) -> None:
        import zlib

        self._inner = zlib.decompressobj(wbits=31)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        found = self._inner.decompress(self._inner.unconsumed_tail + data, max_length)
        self.needs_input = len(found) < max_length and not self._inner.unconsumed_tail
        return found


def unpacked(chunks: Iterator[bytes], name: str, note: Callable[[str], None]) -> Iterator[bytes]:
    """The chunks as they are, or unpacked where they begin as a compressed file does; in constant memory.

    name: of the file, for messages. note: told where the file ends too early, after all that there was.
    Raises BadInput for what is damaged, too much, or packed in another way.
    """
    head = b""
    for chunk in chunks:
        head += chunk
        if len(head) >= _HEAD or not _may_be_packed(head):
            break
    _refuse_foreign(head, name)
    try:
        made = _unpacker(head)
    except ModuleNotFoundError as error:  # some builds of Python lack one
        raise BadInput(
            f"{name} is compressed, and this Python has no {error.name}: unpack it first"
        ) from None
    if made is None:
        if head:
            yield head
        yield from chunks
        return
    total = 0
    try:
        for piece in _members(
            made, head, chunks, lambda: note(f"{name} ends too early: what there is of it was read.")
        ):
            total += len(piece)
            if total > MOST_UNPACKED:
                raise BadInput(
                    f"{name} holds more than {MOST_UNPACKED >> 30} GiB: unpack it and give what matters"
                )
            yield piece
    except _damage() as error:
        raise BadInput(f"{name} is compressed and can't be unpacked: {error}") from None


def _members(
    unpacker: _Unpacker, data: bytes, chunks: Iterator[bytes], cut_short: Callable[[], None]
) -> Iterator[bytes]:
    """One compressed stream behind another, as they are when files were joined."""
    current: _Unpacker | None = unpacker
    while current is not None:
        while not current.eof:
            if not data and current.needs_input:
                data = next(chunks, b"")
                if not data:
                    cut_short()
                    return
            piece, data = current.decompress(data, _STEP), b""
            if piece:
                yield piece
        data = current.unused_data.lstrip(b"\0")  # some fill up a block with zeros
        while len(data) < _HEAD and (more := next(chunks, b"")):
            data = (data + more).lstrip(b"\0")
        current = _unpacker(data)


def _damage() -> tuple[type[Exception], ...]:
    """What the modules that were needed raise for it."""
    import zlib

    held = sys.modules.get("lzma")
    return (zlib.error, OSError, EOFError, ValueError, *((held.LZMAError,) if held else ()))


def _unpacker(head: bytes) -> _Unpacker | None:
    """Whose module is loaded now, as most logs need none."""
    if head.startswith(b"\x1f\x8b"):
        return _Gzip()
    if head.startswith(b"BZh") and head[4:10] in (b"1AY&SY", b"\x17\x72\x45\x38\x50\x90"):
        import bz2

        return bz2.BZ2Decompressor()
    if head.startswith(b"\xfd7zXZ\x00"):
        import lzma

        return lzma.LZMADecompressor(memlimit=_MOST_DICTIONARY)
    return None


def _may_be_packed(head: bytes) -> bool:
    """Whether it begins so far as one of these does: nothing else has to wait for more."""
    signs = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", *(sign for sign, _, _ in _FOREIGN))
    return any(sign.startswith(head) or head.startswith(sign) for sign in signs)


def _refuse_foreign(head: bytes, name: str) -> None:
    for sign, kind, command in _FOREIGN:
        if head.startswith(sign):
            how = command.format(name=name, command="gotchas search -")
            raise BadInput(
                f"{name} is compressed with {kind}, which is not read here: unpack it, as in {how}"
            )
