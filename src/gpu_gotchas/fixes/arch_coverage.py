"""For which cards a compiled extension carries code: the question behind *no kernel image is available*.

    from gpu_gotchas.fixes.arch_coverage import coverage

    coverage("flash_attn_2_cuda.so").runs_on("sm_86")

A CUDA library holds fat binaries: machine code (cubins), each for one compute capability, and PTX, which the
driver compiles at load. A cubin runs on its own major version from its own minor on; one built for `sm_90a`
on 9.0 alone, one for `sm_100f` on its family. PTX for `compute_80` serves 8.0 and everything newer; PTX with
an `a` or `f` as the cubin does. HIP libraries hold a bundle of code objects, each for one target. What is
said is of the whole file: each of its kernels may be built for fewer targets.

The containers are read as bytes: no CUDA, no torch. Their layout is NVIDIA's own and not documented; what is
read here agrees with `cuobjdump --list-elf` and `--list-ptx` on the libraries of vLLM 0.26.0.
"""

from __future__ import annotations

import mmap
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from gpu_gotchas.fixes.refused import Refused

_FATBIN = struct.pack("<I", 0xBA55ED50)
_FATBIN_HEADER, _ENTRY = struct.Struct("<IHHQ"), struct.Struct("<HHIQIIHHI8xQ")
_PTX, _CUBIN = 1, 2
_ONLY_THIS, _FAMILY = 1 << 20, 1 << 21
_BUNDLE = b"__CLANG_OFFLOAD_BUNDLE__"
_SQUEEZED_BUNDLE = b"CCOB"
_HIP_TARGET = re.compile(rb"hipv?4?-amdgcn-amd-amdhsa-[a-z]*-(gfx[0-9a-f]+(?:-[0-9a-f]+)*(?:-generic)?)")
_CUDA_TARGET = re.compile(r"sm_([0-9]+)([0-9])([af]?)")
_TARGET = re.compile(r"sm_[0-9]{2,3}|gfx[0-9a-f]{3,5}")
# Boards with a CPU on the chip: NVIDIA promises no binary compatibility between them and cards.
_TEGRA = {(5, 3), (6, 2), (7, 2), (8, 7), (10, 1), (11, 0)}


class Kind(Enum):
    """cubin and code object: machine code. ptx: compiled by the driver when it is loaded."""

    CUBIN = "cubin"
    PTX = "ptx"
    CODE_OBJECT = "code object"


class Answer(Enum):
    """natively: there is machine code. compiled: from PTX, at the first load. not: neither.

    unknown: nothing was found that says so, or the two are not promised to fit.
    """

    NATIVELY = "natively"
    COMPILED = "compiled"
    NOT = "not"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, order=True)
class Code:
    """target: `sm_86`, `sm_90a`, `sm_100f` or `gfx942`."""

    target: str
    kind: Kind

    def serves(self, target: str) -> Answer:
        """Whether a card of `target` (`sm_86`, `gfx942`) can run it."""
        if self.kind is Kind.CODE_OBJECT or not target.startswith("sm_"):
            if self.target.endswith("-generic") and target.startswith("gfx"):
                return Answer.UNKNOWN  # for a family, whose members are no part of its name
            return Answer.NATIVELY if self.target == target else Answer.NOT
        have, suffix = _capability(self.target)
        want, _ = _capability(target)
        if suffix == "a":
            fits = want == have
        elif suffix == "f" or self.kind is Kind.CUBIN:
            fits = want[0] == have[0] and want[1] >= have[1]
        else:
            fits = want >= have
        if not fits:
            return Answer.NOT
        if self.kind is Kind.PTX:
            return Answer.COMPILED
        return Answer.UNKNOWN if want != have and {want, have} & _TEGRA else Answer.NATIVELY


@dataclass(frozen=True, slots=True)
class Coverage:
    """What one file carries. unreadable: parts whose targets are not to be read, each with the reason."""

    code: frozenset[Code]
    unreadable: tuple[str, ...] = ()

    def runs_on(self, target: str) -> Answer:
        """The best that any part offers. A file without any device code answers UNKNOWN.

        Raises ValueError for a target that is none.
        """
        _check(target)
        answers = {one.serves(target) for one in self.code}
        for best in (Answer.NATIVELY, Answer.COMPILED, Answer.UNKNOWN):
            if best in answers:
                return best
        return Answer.UNKNOWN if self.unreadable or not self.code else Answer.NOT

    @property
    def targets(self) -> tuple[str, ...]:
        """In words: `sm_80`, `sm_90a`, `sm_80 (PTX)`, in the order of their numbers."""
        return tuple(
            f"{one.target} (PTX)" if one.kind is Kind.PTX else one.target
            for one in sorted(self.code, key=_order)
        )


def coverage(file: str | Path) -> Coverage:
    """What a shared library, an executable or a fat binary carries; memory stays small whatever its size.

    Raises OSError where the file cannot be read.
    """
    with Path(file).open("rb") as opened:
        if opened.seek(0, 2) == 0:
            return Coverage(frozenset())
        with mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as data:
            code = frozenset([*_cuda(data), *_hip(data)])
            squeezed = data.find(_SQUEEZED_BUNDLE) >= 0 and data.find(b".hip_fatbin") >= 0
    return Coverage(code, ("a compressed HIP bundle",) if squeezed else ())


def require_code(file: str | Path, target: str) -> None:
    """Refuse a library before it is loaded on a card of `target` (`sm_86`) for which it carries nothing.

    Returns where it carries code or PTX, and where its bytes do not say. Raises Refused, which names what it
    carries, OSError where the file cannot be read, and ValueError for a target that is none, and for a file
    that carries no device code at all, such as a program.
    """
    _check(target)
    covered = coverage(file)
    if not covered.code and not covered.unreadable:
        raise ValueError(f"{file} carries no device code: give a CUDA or HIP library")
    if covered.runs_on(target) is Answer.NOT:
        raise Refused(
            capability=target,
            setting=f"{Path(file).name}, built for {', '.join(covered.targets)},",
            way_out=f"install or build it for {target}",
        )


def _cuda(data: mmap.mmap) -> Iterator[Code]:
    place = data.find(_FATBIN)
    while place >= 0:
        after = place + 4
        if place + _FATBIN_HEADER.size <= len(data):
            _, version, header, size = _FATBIN_HEADER.unpack_from(data, place)
            end = place + header + size
            if version == 1 and header == _FATBIN_HEADER.size and end <= len(data):
                yield from _entries(data, place + header, end)
                after = end
        place = data.find(_FATBIN, after)


def _entries(data: mmap.mmap, place: int, end: int) -> Iterator[Code]:
    while place + _ENTRY.size <= end:
        kind, _, header, size, *_, arch, flags = _ENTRY.unpack_from(data, place)
        if header < _ENTRY.size or not 20 <= arch < 1000:
            return  # the bytes of something else that begins like one
        suffix = "a" if flags & _ONLY_THIS else "f" if flags & _FAMILY else ""
        if kind in (_PTX, _CUBIN):
            yield Code(f"sm_{arch}{suffix}", Kind.PTX if kind == _PTX else Kind.CUBIN)
        place += header + size


def _hip(data: mmap.mmap) -> Iterator[Code]:
    place = data.find(_BUNDLE)
    while place >= 0:
        yield from _bundled(data, place + len(_BUNDLE))
        place = data.find(_BUNDLE, place + len(_BUNDLE))


def _bundled(data: mmap.mmap, place: int) -> Iterator[Code]:
    """A count, then for each code object its offset, its size and the length and text of its name."""
    if place + 8 > len(data):
        return
    (count,) = struct.unpack_from("<Q", data, place)
    place += 8
    for _ in range(min(count, 1000)):
        if place + 24 > len(data):
            return
        length = struct.unpack_from("<QQQ", data, place)[2]
        name = data[place + 24 : place + 24 + min(length, 200)]
        match = _HIP_TARGET.match(name)
        if match:
            yield Code(match[1].decode(), Kind.CODE_OBJECT)
        place += 24 + length


def _check(target: str) -> None:
    if not isinstance(target, str) or _TARGET.fullmatch(target) is None:
        raise ValueError(f"{target!r} is no target: write sm_86 or gfx942")


def _capability(target: str) -> tuple[tuple[int, int], str]:
    match = _CUDA_TARGET.fullmatch(target)
    if match is None:
        raise ValueError(f"{target!r} is no target: write sm_86 or gfx942")
    return (int(match[1]), int(match[2])), match[3]


def _order(code: Code) -> tuple[bool, int, str]:
    return (code.kind is Kind.PTX, len(code.target.rstrip("af")), code.target)
