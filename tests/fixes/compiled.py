"""What the compiler made of a kernel: its instructions, its shared memory, its traffic with local memory.

Some targets get the same module from Triton, up to the target's name, and many modules for float16 are those
for bfloat16 with the other type. LLVM and the assembler, which take most of the time, then see the same
again. `Once` lets the first of these through and stops another after Triton's own passes, when it has seen
that their modules are equal.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import triton
from triton.backends import backends

MATRIX = ("wgmma", "tcgen05.mma", "mma.sync", "mfma")
FAMILIES = (("sm_86", "sm_89"), ("sm_120", "sm_121"))
"""Targets of one matrix instruction and one shared memory, whose modules may be equal."""


class Seen(Exception):
    """This module was compiled whole before. found: what `summary` said of it."""

    def __init__(self, found: dict[str, Any]) -> None:
        super().__init__()
        self.found = found


class Once:
    """Summaries of this process's kernels, and of equal ones that another process left in `folder`."""

    def __init__(self, target: str, folder: Path) -> None:
        self._family = next(("|".join(family) for family in FAMILIES if target in family), target)
        self._target, self._folder = target, folder
        self._keys: dict[str, Path] = {}
        folder.mkdir(parents=True, exist_ok=True)
        for backend in backends.values():
            self._watch(backend.compiler)

    def compiled(
        self,
        launch: Callable[[], object],
        kernel: Any,
        limit: int,
        more: Callable[[Any], dict[str, Any]] | None = None,
    ) -> dict[str, Any]:
        """What `launch` makes of `kernel`, and what `more` says of the binary. limit: of shared memory."""
        try:
            launch()
        except Seen as seen:
            return seen.found | {"limit": limit}
        found = summary(kernel, limit) | (more(made(kernel)) if more else {})
        self._keys[kernel.__name__].write_text(json.dumps(found), encoding="utf-8")
        return found

    def _watch(self, compiler: Any) -> None:
        before = compiler.add_stages

        def add_stages(this: Any, stages: dict[str, Any], *arguments: Any, **named: Any) -> None:
            before(this, stages, *arguments, **named)
            lower = stages["ttgir"]

            def ttgir(source: Any, metadata: Any) -> Any:
                module = lower(source, metadata)
                text = module.str_nodebug()
                name = re.search(r"tt\.func public @(\w+)", text)
                path = self._folder / f"{self._key(text)}.json"
                if name:
                    self._keys[name[1]] = path
                if path.exists():
                    raise Seen(json.loads(path.read_text(encoding="utf-8")))
                return module

            stages["ttgir"] = ttgir

        compiler.add_stages = add_stages

    def _key(self, text: str) -> str:
        alike = re.sub(r'ttg\.target = "[^"]*"', "", text)
        # How FP8 is converted is decided later, by the target.
        family = self._target if re.search(r"\bf8E", text) else self._family
        return hashlib.sha256((family + alike.replace("bf16", "f16")).encode()).hexdigest()[:32]


def made(kernel: Any) -> Any:
    """What this process compiled of this function last, for its one dry device."""
    return list(kernel.device_caches[0][0].values())[-1]


def disassembled(tool: str, binary: Any, *options: str) -> str:
    """What one of the disassemblers beside Triton says of a compiled kernel; empty where it is missing."""
    found = Path(triton.__file__).parent / "backends/nvidia/bin" / tool
    if not found.exists() or "cubin" not in binary.asm:
        return ""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.cubin"
        path.write_bytes(binary.asm["cubin"])
        return subprocess.run([found, *options, path], capture_output=True, text=True, check=True).stdout


def spills(binary: Any) -> int | None:
    """Instructions that touch local memory, or spilled registers on AMD; None where that cannot be read."""
    if "amdgcn" in binary.asm:
        return sum(int(found) for found in re.findall(r"vgpr_spill_count:\s*(\d+)", binary.asm["amdgcn"]))
    text = disassembled("nvdisasm", binary, "-c")
    return len(re.findall(r"\b(?:LDL|STL)\b", text)) if text else None


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
