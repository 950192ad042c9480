"""One kernel on several targets: the rows of an audit, and what in them is worth a look."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from types import ModuleType
from typing import Any

from gpu_gotchas.fixes.launch_audit.compiling import Compiled, compile_for
from gpu_gotchas.fixes.launch_audit.specialise import CannotBuild, specialise, wants_fp8

REFERENCE = "sm_90"
_ASKS = re.compile(
    r"device_capability|compute_capability|supports_fp8|is_sm\d+|get_device_properties|major\s*[<>=]"
)


@dataclass(frozen=True, slots=True)
class Row:
    """One specialisation of one kernel.

    variant: `plain`, or `fp8` with E4M3 operands. not_built: why nothing is known of it, else empty.
    guessed: parameters whose type or value was guessed. asks: whether its file asks which card there is.
    shared: bytes that the reference needs. compiled: by target.
    """

    kernel: str
    variant: str
    not_built: str = ""
    guessed: tuple[str, ...] = ()
    asks: bool = False
    shared: int = 0
    compiled: Mapping[str, Compiled] = field(default_factory=dict)

    def to_data(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Row:
        compiled = {target: Compiled(**one) for target, one in data["compiled"].items()}
        return cls(**{**data, "guessed": tuple(data["guessed"]), "compiled": compiled})

    def findings(self) -> Iterator[str]:
        """What the row shows that its author may not know, one sentence a target."""
        for target, one in self.compiled.items():
            if one.error:
                yield f"{target}: does not compile, and does for {REFERENCE}: {one.error}"
            elif not one.fits:
                yield f"{target}: needs {one.shared:,} bytes of shared memory, and a block has fewer"
            elif one.upcast:
                yield f"{target}: multiplies FP8 in another type"


def audit_kernel(module: ModuleType, name: str, targets: Iterable[str]) -> list[Row]:
    """Compile a kernel of an imported module for each target, where it speaks of FP8 in two variants."""
    kernel = f"{module.__name__}:{name}"
    source = inspect.getsource(module)
    rows = [_row(module, name, kernel, targets, fp8=False)]
    found = getattr(module, name, None)
    while found is not None and not hasattr(found, "arg_names"):
        found = getattr(found, "fn", None)
    if found is not None and wants_fp8(getattr(found, "src", ""), found.arg_names):
        rows.append(_row(module, name, kernel, targets, fp8=True))
    asks = bool(_ASKS.search(source))
    return [Row(**{**_shallow(row), "asks": asks}) for row in rows]


def _row(module: ModuleType, name: str, kernel: str, targets: Iterable[str], *, fp8: bool) -> Row:
    variant = "fp8" if fp8 else "plain"
    try:
        function, specialisation = specialise(module, name, fp8=fp8)
    except CannotBuild as error:
        return Row(kernel, variant, not_built=str(error))
    reference = compile_for(function, specialisation, REFERENCE)
    if reference.error:
        return Row(
            kernel, variant, not_built=f"as built here: {reference.error}", guessed=specialisation.guessed
        )
    return Row(
        kernel,
        variant,
        guessed=specialisation.guessed,
        shared=reference.shared,
        compiled={target: compile_for(function, specialisation, target) for target in targets},
    )


def _shallow(row: Row) -> dict[str, Any]:
    return {name: getattr(row, name) for name in Row.__dataclass_fields__}
