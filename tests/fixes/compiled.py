"""What the compiler made of a kernel: its instructions, its shared memory, its traffic with local memory."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import triton

MATRIX = ("wgmma", "tcgen05.mma", "mma.sync", "mfma")


def made(kernel: Any) -> Any:
    """What this process compiled of this function last, for its one dry device."""
    return list(kernel.device_caches[0][0].values())[-1]


def spills(binary: Any) -> int | None:
    """Instructions that touch local memory, or spilled registers on AMD; None where that cannot be read."""
    if "amdgcn" in binary.asm:
        return sum(int(found) for found in re.findall(r"vgpr_spill_count:\s*(\d+)", binary.asm["amdgcn"]))
    tool = Path(triton.__file__).parent / "backends/nvidia/bin/nvdisasm"
    if not tool.exists():
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.cubin"
        path.write_bytes(binary.asm["cubin"])
        text = subprocess.run([tool, "-c", path], capture_output=True, text=True, check=True).stdout
    return len(re.findall(r"\b(?:LDL|STL)\b", text))


def summary(kernel: Any, limit: int) -> dict[str, Any]:
    """Shared memory against `limit`, spills, and which matrix instructions the code has."""
    binary = made(kernel)
    text = binary.asm.get("ptx") or binary.asm["amdgcn"]
    return {
        "shared": binary.metadata.shared,
        "limit": limit,
        "spills": spills(binary),
        "matrix": [word for word in MATRIX if word in text],
    }
