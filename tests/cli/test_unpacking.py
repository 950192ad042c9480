"""Compressed logs: what is in them is found, in bounded memory; the rest says what would be right."""

from __future__ import annotations

import bz2
import gzip
import lzma
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.cli import unpacking
from gpu_gotchas.cli.exits import BadInput
from gpu_gotchas.cli.unpacking import unpacked
from tests.cli.conftest import Gotchas

FP8 = b"ValueError: type fp8e4nv not supported in this architecture\n"
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
}
packers = pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)


def read(data: bytes, step: int = 65_536) -> tuple[bytes, list[str]]:
    notes: list[str] = []
    pieces = (data[at : at + step] for at in range(0, len(data), step))
    return b"".join(unpacked(pieces, "x", notes.append)), notes


@given(
    st.lists(st.binary(max_size=300), max_size=3), st.sampled_from(list(PACKERS.values())), st.integers(1, 40)
)
def test_joined_files_come_out_as_they_went_in_however_they_arrive(
    parts: list[bytes], pack: Callable[[bytes], bytes], step: int
) -> None:
    packed = b"".join(pack(part) for part in parts)
    assert read(packed, step) == (b"".join(parts), [])


@given(st.binary(max_size=300), st.integers(1, 40))
def test_what_is_not_compressed_is_left_alone(data: bytes, step: int) -> None:
    plain = b"." + data
    assert read(plain, step) == (plain, [])


@pytest.mark.parametrize("text", [b"BZh9 is how a bzip2 file begins\n", b"BZ", b"P", b"PK is a name\n", b""])
def test_a_text_that_begins_like_one_is_a_text(text: bytes) -> None:
    assert read(text, 1) == (text, [])


def test_nothing_waits_that_can_be_told_already() -> None:
    def pieces():  # type: ignore[no-untyped-def]
        yield b"s"
        raise AssertionError("asked for more before the first was handed on")

    assert next(unpacked(pieces(), "x", print)) == b"s"


@packers
def test_search_and_scan_read_it_whatever_it_is_called(
    gotchas: Gotchas, tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    log = tmp_path / "server.log"
    log.write_bytes(pack(b"fine\n" * 50_000 + FP8))
    found = gotchas("search", "-f", str(log))
    assert "This is it" in found.out
    assert "line 50001: ValueError" in found.out
    assert "sample-fp8e4nv-refused" in gotchas("scan", str(log)).out
    assert "This is it" in gotchas("search", str(log)).out


@packers
def test_one_that_ends_too_early_is_read_so_far_and_said(
    gotchas: Gotchas, tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    log = tmp_path / "server.log.packed"
    log.write_bytes(pack(FP8 + bytes(range(256)) * 9_000)[:-4])
    ran = gotchas("search", "-f", str(log))
    assert "ends too early" in ran.err
    assert ran.code in (0, 1)


@packers
def test_a_damaged_one_is_bad_input(gotchas: Gotchas, tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    log = tmp_path / "server.log.packed"
    packed = pack(FP8 * 2_000)
    log.write_bytes(packed[:20] + b"\xff" * 40 + packed[60:])
    for command in (("search", "-f"), ("scan",)):
        ran = gotchas(*command, str(log))
        assert ran.code == 4
        assert "can't be unpacked" in ran.err


@pytest.mark.parametrize(
    ("head", "told"),
    [
        (b"\x28\xb5\x2f\xfd" + b"\0" * 20, "zstd -dc"),
        (b"PK\x03\x04" + b"\0" * 20, "unzip -p"),
        (b"7z\xbc\xaf\x27\x1c" + b"\0" * 20, "7z x -so"),
    ],
)
def test_what_is_packed_otherwise_says_how_to_unpack_it(
    gotchas: Gotchas, tmp_path: Path, head: bytes, told: str
) -> None:
    log = tmp_path / "server.log.packed"
    log.write_bytes(head)
    for command in (("search", "-f"), ("search",), ("scan",)):
        ran = gotchas(*command, str(log))
        assert (ran.code, ran.out) == (4, "")
        assert f"unpack it, as in {told}" in ran.err


@packers
def test_memory_does_not_grow_with_what_is_in_it(pack: Callable[[bytes], bytes]) -> None:
    packed = pack(b"x" * (24 << 20))
    tracemalloc.start()
    size = sum(map(len, unpacked(iter([packed]), "x", print)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert size == 24 << 20
    assert peak < 12 << 20


def test_one_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "MOST_UNPACKED", 1 << 20)
    with pytest.raises(BadInput, match="unpack it and give what matters"):
        read(gzip.compress(b"x" * (2 << 20)))
