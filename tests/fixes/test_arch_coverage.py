"""Fat binaries as they are built, as NVIDIA's own tool reads them, and as nobody should write them."""

from __future__ import annotations

import os
import re
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.fixes.arch_coverage import Answer, Code, Coverage, Kind, coverage, require_code
from gpu_gotchas.fixes.refused import Refused
from gpu_gotchas.hardware.catalogue import targets

CUBIN, PTX = 2, 1
ONLY_THIS, FAMILY = 1 << 20, 1 << 21
NVIDIA = sorted(
    (target for target in targets() if target.capability), key=lambda target: target.capability or (0, 0)
)


def fat(entries: Sequence[tuple[int, int, int, bytes]]) -> bytes:
    """A fat binary: kind, arch, flags and payload of each entry."""
    body = b""
    for kind, arch, flags, payload in entries:
        payload += b"\0" * (-len(payload) % 8)
        body += struct.pack(
            "<HHIQIIHHIIIQQQ", kind, 0x101, 64, len(payload), 0, 64, 8, 1, arch, 0, 0, flags, 0, 0
        )
        body += payload
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def bundle(names: Sequence[str]) -> bytes:
    body = b"".join(struct.pack("<QQQ", 4096, 8, len(name)) + name.encode() for name in names)
    return b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(names)) + body


def found(tmp_path: Path, data: bytes) -> Coverage:
    file = tmp_path / "libsome.so"
    file.write_bytes(data)
    return coverage(file)


def test_every_entry_of_every_container_is_read(tmp_path: Path) -> None:
    data = b"\x7fELF" + b"\0" * 100 + fat([(CUBIN, 80, 0, b"x" * 9), (PTX, 90, ONLY_THIS, b"y")])
    data += b"\xff" * 33 + fat([(CUBIN, 100, FAMILY, b"z")]) + bundle(["host-x86_64-unknown-linux-gnu-"])
    data += bundle(["hipv4-amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-", "hip-amdgcn-amd-amdhsa--gfx90a"])
    covered = found(tmp_path, data)
    assert covered.targets == ("gfx90a", "sm_80", "gfx942", "sm_100f", "sm_90a (PTX)")


@pytest.mark.parametrize("data", [b"", b"\0" * 64, b"\x50\xed\x55\xba", b"__CLANG_OFFLOAD_BUNDLE__"])
def test_a_file_without_device_code_says_nothing(tmp_path: Path, data: bytes) -> None:
    covered = found(tmp_path, data)
    assert covered.code == frozenset()
    assert covered.runs_on("sm_86") is Answer.UNKNOWN


def test_a_library_without_code_for_the_card_is_refused_before_it_is_loaded(tmp_path: Path) -> None:
    library = tmp_path / "libsome.so"
    library.write_bytes(fat([(CUBIN, 80, 0, b"x"), (CUBIN, 100, 0, b"z")]))
    for target in ("sm_80", "sm_86", "sm_103"):
        require_code(library, target)
    with pytest.raises(Refused, match="libsome.so, built for sm_80, sm_100, does not work on sm_90"):
        require_code(library, "sm_90")
    library.write_bytes(bundle(["hipv4-amdgcn-amd-amdhsa--gfx942"]))
    require_code(library, "gfx942")
    with pytest.raises(Refused, match="does not work on gfx950"):
        require_code(library, "gfx950")


@pytest.mark.parametrize("target", ["", "SM_86", "rtx-3090", "8.6", "sm_", "sm_86 ", "gfx", None, 86])
def test_what_is_no_target_is_refused_whatever_the_file(tmp_path: Path, target: Any) -> None:
    library = tmp_path / "libsome.so"
    for data in (fat([(CUBIN, 80, 0, b"x")]), bundle(["hipv4-amdgcn-amd-amdhsa--gfx942"]), b"nothing"):
        library.write_bytes(data)
        with pytest.raises(ValueError, match="is no target: write sm_86 or gfx942"):
            require_code(library, target)
        with pytest.raises(ValueError, match="is no target"):
            coverage(library).runs_on(target)


def test_a_file_without_device_code_is_no_library_to_ask_for_it(tmp_path: Path) -> None:
    program = tmp_path / "ls"
    for data in (b"\x7fELF" + b"\0" * 100, b""):
        program.write_bytes(data)
        with pytest.raises(ValueError, match="carries no device code: give a CUDA or HIP library"):
            require_code(program, "sm_90")


@given(st.data())
def test_no_bytes_break_it(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    whole = fat([(CUBIN, 86, 0, b"abc")]) + bundle(["hipv4-amdgcn-amd-amdhsa--gfx1100"])
    cut = whole[: data.draw(st.integers(0, len(whole)))]
    spoilt = bytearray(cut)
    for place in data.draw(st.lists(st.integers(0, max(0, len(cut) - 1)), max_size=4)) if cut else []:
        spoilt[place] = data.draw(st.integers(0, 255))
    found(tmp_path_factory.mktemp("spoilt"), bytes(spoilt))


@pytest.mark.parametrize(
    ("code", "kind", "runs", "does_not"),
    [
        ("sm_80", Kind.CUBIN, ["sm_80", "sm_86", "sm_89"], ["sm_75", "sm_90", "sm_120"]),
        ("sm_86", Kind.CUBIN, ["sm_86", "sm_89"], ["sm_80"]),
        ("sm_90a", Kind.CUBIN, ["sm_90"], ["sm_100", "sm_89"]),
        ("sm_100a", Kind.CUBIN, ["sm_100"], ["sm_103", "sm_120"]),
        ("sm_100f", Kind.CUBIN, ["sm_100", "sm_103"], ["sm_90", "sm_120"]),
        ("sm_120f", Kind.CUBIN, ["sm_120", "sm_121"], ["sm_103"]),
        ("sm_80", Kind.PTX, ["sm_80", "sm_90", "sm_120", "sm_121"], ["sm_75"]),
        ("sm_90a", Kind.PTX, ["sm_90"], ["sm_100", "sm_120"]),
        ("gfx942", Kind.CODE_OBJECT, ["gfx942"], ["gfx950", "sm_90"]),
    ],
)
def test_what_runs_where(code: str, kind: Kind, runs: list[str], does_not: list[str]) -> None:
    covered = Coverage(frozenset([Code(code, kind)]))
    wanted = Answer.COMPILED if kind is Kind.PTX else Answer.NATIVELY
    assert {name: covered.runs_on(name) for name in runs} == dict.fromkeys(runs, wanted)
    assert {name: covered.runs_on(name) for name in does_not} == dict.fromkeys(does_not, Answer.NOT)


def test_a_board_and_a_card_are_promised_nothing_of_each_other() -> None:
    assert Coverage(frozenset([Code("sm_86", Kind.CUBIN)])).runs_on("sm_87") is Answer.UNKNOWN
    assert Coverage(frozenset([Code("sm_87", Kind.CUBIN)])).runs_on("sm_87") is Answer.NATIVELY


@pytest.mark.parametrize("target", NVIDIA, ids=lambda target: target.name)
def test_code_for_a_card_runs_on_it_and_ptx_on_every_newer_one(target: object) -> None:
    name = target.name  # type: ignore[attr-defined]
    assert Coverage(frozenset([Code(name, Kind.CUBIN)])).runs_on(name) is Answer.NATIVELY
    from_ptx = Coverage(frozenset([Code(name, Kind.PTX)]))
    at = NVIDIA.index(target)  # type: ignore[arg-type]
    assert all(from_ptx.runs_on(newer.name) is Answer.COMPILED for newer in NVIDIA[at:])
    assert all(from_ptx.runs_on(older.name) is Answer.NOT for older in NVIDIA[:at])


def test_code_for_a_family_of_amd_is_not_promised(tmp_path: Path) -> None:
    covered = found(tmp_path, bundle(["hipv4-amdgcn-amd-amdhsa--gfx9-4-generic"]))
    assert covered.targets == ("gfx9-4-generic",)
    assert (covered.runs_on("gfx942"), covered.runs_on("sm_90")) == (Answer.UNKNOWN, Answer.NOT)


def test_machine_code_goes_before_ptx() -> None:
    both = Coverage(frozenset([Code("sm_80", Kind.PTX), Code("sm_90", Kind.CUBIN)]))
    assert (both.runs_on("sm_90"), both.runs_on("sm_120")) == (Answer.NATIVELY, Answer.COMPILED)


def test_it_reads_what_the_vendor_s_tool_reads(tmp_path: Path) -> None:
    """The container is ours, the machine code Triton's, the reader NVIDIA's."""
    triton = pytest.importorskip("triton", reason="Triton runs on Linux only")
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    from gpu_gotchas.fixes.marlin_repack_triton import repack_kernel

    tool = Path(triton.__file__).parent / "backends/nvidia/bin/cuobjdump"
    if not os.access(tool, os.X_OK):
        pytest.skip(f"this Triton brings no {tool.name}")
    names = ("tiles", "parts", "expert_stride", "row_stride", "column_stride")
    constants = {"BITS": 4, "TILES": 1}
    signature = (
        {"source": "*i32", "out": "*i32"}
        | dict.fromkeys(names, "i32")
        | dict.fromkeys(constants, "constexpr")
    )
    source = ASTSource(fn=repack_kernel, signature=signature, constexprs=constants)
    entries = []
    for arch, flags in ((80, 0), (90, ONLY_THIS)):
        binary = triton.compile(source, target=GPUTarget("cuda", arch, 32))
        entries.append((CUBIN, arch, flags, binary.asm["cubin"]))
    file = tmp_path / "some.fatbin"
    file.write_bytes(fat(entries))
    listed = subprocess.run([str(tool), "--list-elf", str(file)], capture_output=True, text=True, check=True)
    assert set(re.findall(r"\.(sm_[0-9a-z]+)\.", listed.stdout)) == {"sm_80", "sm_90a"}
    assert coverage(file).targets == ("sm_80", "sm_90a")
