"""One specialisation, compiled for one target: whether it compiles, what it needs, what it does quietly."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from gpu_gotchas.fixes.launch_audit.intermediate import narrow_offsets, upcast_fp8_dots
from gpu_gotchas.fixes.launch_audit.specialise import Specialisation
from gpu_gotchas.hardware.catalogue import find_target

_FOLDERS = re.compile(r"(?<![\w.:])/(?:[^\s/'\"]+/)+")


@dataclass(frozen=True, slots=True)
class Compiled:
    """target: such as sm_86. error: the compiler's last words, empty when it compiled.

    shared: bytes of shared memory for a block. fits: whether the target has as many. upcast: whether FP8
    operands are multiplied in another type. narrow: addresses computed in 32 bits from a caller's numbers.
    """

    target: str
    error: str = ""
    shared: int = 0
    fits: bool = True
    upcast: bool = False
    narrow: int = 0


def compile_for(function: Any, specialisation: Specialisation, target: str) -> Compiled:
    """Compile with the installed Triton; no card, no launch. An abort of the compiler ends the process."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    card = find_target(target)
    major, minor = card.capability or (0, 0)
    place = {name: number for number, name in enumerate(function.arg_names)}
    source = ASTSource(
        fn=function,
        signature=dict(specialisation.types),
        constexprs={(place[name],): value for name, value in specialisation.constants.items()},
        attrs={(place[name],): [["tt.divisibility", 16]] for name in specialisation.divisible},
    )
    try:
        compiled = triton.compile(
            source,
            target=GPUTarget("cuda", major * 10 + minor, card.warp_size),
            options=dict(specialisation.options),
        )
    except Exception as error:
        return Compiled(target, error=_words(error))
    code = compiled.asm
    shared = int(compiled.metadata.shared)
    return Compiled(
        target,
        shared=shared,
        fits=shared <= card.shared_optin,
        upcast=upcast_fp8_dots(code["ttir"], code["ptx"]),
        narrow=narrow_offsets(code["ttir"]),
    )


def _words(error: BaseException) -> str:
    """The reason at the end of the chain, on one line: an outer error may hold an excerpt only."""
    inner: BaseException = error
    while inner.__cause__ is not None:
        inner = inner.__cause__
    told = getattr(inner, "error_message", None) or str(inner) or type(inner).__name__
    lines = [line.strip() for line in str(told).splitlines() if line.strip()]
    # ptxas ends with the command that was run, which names folders of this machine.
    assembler = [line for line in lines if line.startswith("ptxas ") and "error" in line]
    telling = assembler[0] if assembler else (lines or [""])[-1]
    return f"{type(inner).__name__}: {_FOLDERS.sub('', telling)}"[:300]
