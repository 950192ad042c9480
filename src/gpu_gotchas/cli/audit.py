"""`gotchas audit`: which Triton kernels of a package compile and fit for a card that is not here."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gpu_gotchas.cli.exits import BadInput, Exit, UsageFailed

if TYPE_CHECKING:
    from gpu_gotchas.cli.terminal import Terminal
    from gpu_gotchas.fixes.launch_audit.rows import Row


def command(
    package: Annotated[
        str, typer.Option(metavar="NAME==VERSION", help="The release, fetched with `gotchas fetch --light`.")
    ],
    targets: Annotated[
        list[str], typer.Option("--as", metavar="TARGET", help="Such as sm_86, 8.6 or RTX 3090 (repeatable).")
    ],
    report: Annotated[
        Path, typer.Option(metavar="FILE", help="Rows go there, one a line; an audit goes on where it ended.")
    ],
    only: Annotated[
        str, typer.Option(metavar="MODULE", help="Only kernels of modules that begin with this.")
    ] = "",
    summary: Annotated[
        Path | None,
        typer.Option("--table", metavar="FILE", help="Write what was found as one document."),
    ] = None,
    seconds: Annotated[
        float, typer.Option("--time-limit", metavar="SECONDS", help="What one kernel may take.")
    ] = 120.0,
) -> int:
    """Compile a package's Triton kernels for cards that are not here, and tell what does not compile or fit.

    Exit code 0 when nothing was found, 1 when something was.
    """
    from gpu_gotchas.cli.terminal import Terminal
    from gpu_gotchas.fixes.launch_audit.sites import find_kernels
    from gpu_gotchas.hardware.catalogue import UnknownName, find_target
    from gpu_gotchas.proving.auditing import audited, for_nvidia, left, read_rows
    from gpu_gotchas.repro.packages import PackageError, find_package

    terminal = Terminal.standard()
    try:
        names = [find_target(target).name for target in targets]
        folder = find_package(package)
    except UnknownName as error:
        raise UsageFailed(str(error)) from None
    except PackageError as error:
        raise BadInput(str(error)) from None
    top = package.partition("==")[0].removesuffix("-python").replace("-", "_")
    kernels = [
        kernel
        for kernel in find_kernels(folder, top)
        if for_nvidia(kernel) and kernel.module.startswith(only)
    ]
    waiting = left(kernels, read_rows(report), names)
    terminal.note(f"{len(kernels)} kernels, {len(kernels) - len(waiting)} of them known; importing {package}")
    with report.open("a", encoding="utf-8", newline="\n") as file:
        for number, (kernel, rows) in enumerate(audited(folder, waiting, names, seconds=seconds), start=1):
            file.writelines(f"{json.dumps(row.to_data())}\n" for row in rows)
            file.flush()
            terminal.note(f"{number} of {len(waiting)}: {kernel}")
    rows = read_rows(report)
    if summary:
        _write(summary, rows, package, len(kernels), names)
    return _conclude(rows, terminal)


def _write(path: Path, rows: list[Row], package: str, kernels: int, targets: list[str]) -> None:
    from importlib import metadata

    from gpu_gotchas.proving.audit_table import table

    versions = {"triton": metadata.version("triton")}
    made = table(rows, package=package, kernels=kernels, targets=targets, versions=versions)
    path.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


def _conclude(rows: list[Row], terminal: Terminal) -> int:
    built = [row for row in rows if not row.not_built]
    found: Counter[str] = Counter()
    for row in built:
        for line in row.findings():
            found[line.partition(":")[0]] += 1
            guessed = f" (guessed: {', '.join(row.guessed)})" if row.guessed else ""
            terminal.line(f"{row.kernel} [{row.variant}] {line}{guessed}")
    terminal.line(
        f"{len(built)} specialisations built, {len(rows) - len(built)} not, {found.total()} findings"
    )
    return Exit.NOT_KNOWN if found else Exit.FOUND
