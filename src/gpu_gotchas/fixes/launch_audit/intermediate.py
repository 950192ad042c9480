"""What the intermediate code of a compiled kernel tells: offsets in 32 bits, dots in another type."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeAlias

_DEFINED = re.compile(r"^\s*(%[\w#:]+)(?:, %[\w#:]+)* = ([\w.]+)(.*)$")
_NAMES = re.compile(r"%[\w]+(?:#\d+)?")
_ARGUMENT = re.compile(r"(%\w+): ")
_POINTER_ADD = re.compile(r"tt\.addptr (%[\w#]+), (%[\w#]+) : (.+?), (.+?)(?: loc.*)?$")
_THROUGH = frozenset(
    {
        "tt.splat", "tt.broadcast", "tt.expand_dims", "tt.reshape", "tt.trans",
        "arith.addi", "arith.subi", "arith.muli", "arith.select", "arith.extsi",
    }
)  # fmt: skip
_Defined: TypeAlias = Mapping[str, tuple[str, str]]


def narrow_offsets(ttir: str) -> int:
    """How many addresses are a pointer plus a product in 32 bits that a caller's number takes part in.

    Such a product (an index times a stride) wraps around once the tensor holds 2**31 elements or more.
    """
    defined: dict[str, tuple[str, str]] = {}
    adds: list[str] = []
    head = next((line for line in ttir.splitlines() if "tt.func public" in line), "")
    arguments = set(_ARGUMENT.findall(head))
    for line in ttir.splitlines():
        if found := _DEFINED.match(line):
            defined[found[1].partition(":")[0]] = found[2], found[3]
        if (add := _POINTER_ADD.search(line)) and add[4].strip().rstrip(">").endswith("i32"):
            adds.append(add[2])
    return sum(_wraps(name, defined, arguments, set()) for name in adds)


def _wraps(name: str, defined: _Defined, arguments: set[str], seen: set[str]) -> bool:
    if name in seen or name not in defined:
        return False
    seen.add(name)
    operation, rest = defined[name]
    if operation not in _THROUGH:
        return False
    operands = _NAMES.findall(rest.partition(" : ")[0])
    if operation == "arith.extsi":
        return any(_wraps(operand, defined, arguments, seen) for operand in operands)
    product = operation == "arith.muli" and "i32" in rest
    if product and any(_is_from_outside(operand, defined, arguments) for operand in operands):
        return True
    return any(_wraps(operand, defined, arguments, seen) for operand in operands)


def _is_from_outside(name: str, defined: _Defined, arguments: set[str]) -> bool:
    """Whether a value is an argument of the kernel or was loaded, spread over a tensor or not."""
    while name in defined and defined[name][0] in ("tt.splat", "tt.broadcast", "tt.expand_dims"):
        inner = _NAMES.findall(defined[name][1])
        if not inner:
            return False
        name = inner[0]
    return name in arguments or (name in defined and defined[name][0] == "tt.load")


def upcast_fp8_dots(ttir: str, ptx: str) -> bool:
    """Whether FP8 operands are multiplied, and no instruction of the compiled code multiplies FP8."""
    dots = [line for line in ttir.splitlines() if "tt.dot " in line or "tt.dot_scaled" in line]
    wanted = any(re.search(r"x(f8E4M3FN|f8E5M2)\w*>", line) for line in dots)
    native = re.search(r"(mma|wgmma|tcgen05)[\w.:]*(e4m3|e5m2|f8f6f4)", ptx)
    return wanted and not native
