"""A library that was built for other cards: the driver finds no code for this one, and says no kernel image.

Each library is a fat binary as a linker puts it into a `.so`: machine code that `ptxas`, which Triton brings,
compiled for the named cards, and PTX, which the driver compiles itself. The driver loads them through torch's
own `_cuda_load_module`, so that the error is the one that users see. The guard reads the file before that.
"""

from __future__ import annotations

import struct
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import triton.backends.nvidia

from gpu_gotchas.fixes.arch_coverage import require_code
from gpu_gotchas.repro.probe import ProbeTarget

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}

PTX_OLDEST = 75
PTX = f"""
.version 7.0
.target sm_{PTX_OLDEST}
.address_size 64
.visible .entry seven(.param .u64 out)
{{
.reg .u64 %place;
ld.param.u64 %place, [out];
cvta.to.global.u64 %place, %place;
st.global.u32 [%place], 7;
ret;
}}
"""
KIND_PTX, KIND_CUBIN = 1, 2
LINUX_64_BIT = 0x11


def machine_code(arch: int) -> bytes:
    """The kernel for one target, as ptxas compiles it: 80 for sm_80."""
    ptxas = Path(triton.backends.nvidia.__file__).parent / "bin" / "ptxas"
    with tempfile.TemporaryDirectory() as scratch:
        source, built = Path(scratch) / "seven.ptx", Path(scratch) / "seven.cubin"
        source.write_text(PTX)
        command = [str(ptxas), f"-arch=sm_{arch}", str(source), "-o", str(built)]
        subprocess.run(command, check=True, capture_output=True, text=True)
        return built.read_bytes()


def library(cubins: Sequence[int], *, ptx: bool = False) -> bytes:
    """A fat binary with machine code for the targets, and with PTX if asked for.

    Byte for byte what the `fatbinary` of CUDA 13.0 makes of the same parts without compression.
    """
    body = b"".join(_entry(KIND_CUBIN, arch, (1, 7), machine_code(arch)) for arch in cubins)
    if ptx:
        body += _entry(KIND_PTX, PTX_OLDEST, (7, 0), PTX.encode() + b"\0")
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def _entry(kind: int, arch: int, version: tuple[int, int], code: bytes) -> bytes:
    """One part of a fat binary. version: of the machine code's form, or of PTX."""
    code += b"\0" * (-len(code) % 8)
    # Where options for the driver's compiler begin, behind themselves, and that there are none.
    options = struct.pack("<QQ", 72, 0) if kind == KIND_PTX else b""
    start, size = (64 if options else 0), 64 + len(options)
    major, minor = version
    # kind, form, header, code, compressed, options, version, arch, name, flags, unpacked
    return (
        struct.pack(
            "<HHIQIIHHIIIQQQ",
            kind, 0x101, size, len(code), 0, start, minor, major, arch, 0, 0, LINUX_64_BIT, 0, 0,
        )
        + options
        + code
    )  # fmt: skip


def others(target: ProbeTarget) -> list[int]:
    """Targets whose machine code this card cannot run: the nearest generations on either side."""
    assert target.capability is not None
    return [arch for arch in (80, 90, 100) if arch // 10 != target.capability[0]]


def own(target: ProbeTarget) -> int:
    assert target.capability is not None
    return 10 * target.capability[0] + target.capability[1]


def launch(code: bytes) -> int:
    """Load it into the driver, launch its kernel and return what that wrote."""
    import torch
    from torch.cuda._utils import _cuda_load_module

    out = torch.zeros(1, dtype=torch.int32, device="cuda")
    kernels = _cuda_load_module(code, ["seven"])
    assert isinstance(kernels, dict)
    kernels["seven"](grid=(1, 1, 1), block=(1, 1, 1), args=[out])
    return int(out.item())


def guarded(code: bytes, target: ProbeTarget) -> int:
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "libseven.so"
        file.write_bytes(code)
        require_code(file, target.name)
    return launch(code)


def bug_device(target: ProbeTarget) -> int:
    return launch(library(others(target)))


def fixed_device(target: ProbeTarget) -> int:
    return guarded(library(others(target)), target)


def control_device(target: ProbeTarget) -> list[int]:
    """The same library with machine code for this card as well, and with PTX; the guard passes both."""
    written = [
        guarded(library([*others(target), own(target)]), target),
        guarded(library(others(target), ptx=True), target),
    ]
    assert written == [7, 7]
    return written
