"""Auditing a tree kernel by kernel, each in a child of a process that has imported the tree once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from gpu_gotchas.fixes.launch_audit.rows import Row
from gpu_gotchas.fixes.launch_audit.sites import Kernel
from gpu_gotchas.repro.children import Children
from gpu_gotchas.repro.probe import CPU, Tier
from gpu_gotchas.repro.request import Observation, Request
from gpu_gotchas.repro.telling import last_line

_PROBE = Path(__file__).with_name("audit_probe.py")
_IMPORTING = 900.0
_OTHERS = frozenset({"amd", "rocm", "xpu", "cpu", "tpu", "hpu"})


def for_nvidia(kernel: Kernel) -> bool:
    """Whether nothing in a kernel's name says that it is for another vendor's cards."""
    parts = {part for piece in kernel.module.split(".") for part in piece.split("_")}
    return not parts & _OTHERS and not any(word in str(kernel) for word in ("gfx", "aiter"))


def audited(
    folder: Path, kernels: Sequence[Kernel], targets: Sequence[str], *, seconds: float
) -> Iterator[tuple[Kernel, list[Row]]]:
    """The rows of each kernel below `folder`. seconds: what one kernel may take on all targets."""
    modules = tuple(dict.fromkeys(kernel.module for kernel in kernels))
    with Children() as children:

        def ask(function: str, limit: float, argument: str | None = None) -> Observation:
            request = Request(
                str(_PROBE), function, Tier.PACKAGE, CPU, str(folder), modules, argument=argument
            )
            return children.run(request, limit)

        ask("warm", _IMPORTING)
        for kernel in kernels:
            asked = {"module": kernel.module, "kernel": kernel.name, "targets": list(targets)}
            yield kernel, _rows(kernel, ask("audit", seconds, json.dumps(asked)), seconds)


def _rows(kernel: Kernel, seen: Observation, seconds: float) -> list[Row]:
    answer = seen.answer
    if answer is not None and answer.ended == "returned":
        return [Row.from_data(data) for data in json.loads(answer.value)]
    if seen.timed_out:
        why = f"took more than {seconds:g} s"
    elif answer is not None:
        why = last_line(answer.exception)
    else:
        why = f"ended the process that compiled it: {last_line(seen.streams)}"
    return [Row(str(kernel), "plain", not_built=why)]


def read_rows(path: Path) -> list[Row]:
    """The rows of a file that an audit wrote; a line that was cut off is left out."""
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else ():
        try:
            rows.append(Row.from_data(json.loads(line)))
        except (ValueError, KeyError, TypeError):
            continue
    return rows


def left(kernels: Iterable[Kernel], rows: Iterable[Row], targets: Iterable[str]) -> list[Kernel]:
    """The kernels of which no row says how they do on every target."""
    wanted = set(targets)
    done = {row.kernel for row in rows if row.not_built or wanted <= row.compiled.keys()}
    return [kernel for kernel in kernels if str(kernel) not in done]
