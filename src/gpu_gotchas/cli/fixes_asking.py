"""`gotchas fixes prepare` and `gotchas fixes table`: what patches do to releases, found out by running."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from gpu_gotchas.cli.exits import BadInput, Exit
from gpu_gotchas.cli.terminal import Terminal
from gpu_gotchas.repro.packages import PackageError, find_package
from gpu_gotchas.upstream import table, verdicts
from gpu_gotchas.upstream.patch import Patch
from gpu_gotchas.upstream.patches import all_patches
from gpu_gotchas.upstream.prepare import ChildFailed, Finding, prepare
from gpu_gotchas.upstream.table import Cell
from gpu_gotchas.upstream.verdicts import Verdict, Verdicts


def prepare_installed(ids: Sequence[str]) -> int:
    """Ask the installed packages what patches do to them, and remember it for this machine's servers.

    Exit code 1 where a question could not be put.
    """
    patches = _named(ids)
    terminal = Terminal.standard()
    try:
        findings = prepare(patches, None)
    except ChildFailed as error:
        raise BadInput(str(error)) from None
    for finding in findings:
        _tell(terminal, finding)
    path = verdicts.prepared_file()
    found = [one.verdict for one in findings if one.verdict is not None and not one.fault]
    verdicts.read(path).with_these(found).write(path)
    terminal.note(f"Remembered in {path}")
    return Exit.NOT_KNOWN if any(one.fault for one in findings) else Exit.FOUND


def make_table(releases: Sequence[str], ids: Sequence[str], tritons: Sequence[str], *, check: bool) -> int:
    """Make the rows of those releases by running, and write them; or `check` them against what is kept.

    ids: of the patches that are asked; all where none is named. tritons: releases of Triton beside the
    installed one, for patches whose answer takes a compiler.
    Exit code 1 where a question could not be put, or what came out is not what is kept.
    """
    patches = _named(ids)
    terminal = Terminal.standard()
    kept, cells = verdicts.read(verdicts.SHIPPED), table.read()
    wrong = False
    try:
        compilers = [find_package(f"triton=={one}") for one in tritons]
        for release in releases or table.RELEASES:
            folder = find_package(f"{table.PACKAGE}=={release}")
            terminal.note(f"Asking {table.PACKAGE} {release}")
            findings = prepare(patches, folder)
            for triton in compilers:
                found = [one.verdict for one in findings if one.verdict]
                findings += _with(triton, folder, patches, found, kept)
            for one in findings:
                if one.fault or not check:
                    _tell(terminal, one)
            wrong |= any(one.fault for one in findings)
            found = [one.verdict for one in findings if one.verdict is not None and not one.fault]
            if not check:
                kept = kept.with_these(found)
                kept.write(verdicts.SHIPPED)
            served = table.serve(patches, folder)
            for name, cell in served.items():
                if check:
                    known = cells.get(name, {}).get(release)
                    wrong |= _differs(terminal, f"{name} in {release}", known, cell)
                cells.setdefault(name, {})[release] = cell
                terminal.line(f"{release}  {name}: {_words(cell)}")
            if not check:
                table.write(cells)
    except (PackageError, ChildFailed) as error:
        raise BadInput(str(error)) from None
    return Exit.NOT_KNOWN if wrong else Exit.FOUND


def _named(ids: Sequence[str]) -> list[Patch]:
    known = {patch.id: patch for patch in all_patches()}
    unknown = sorted(set(ids) - known.keys())
    if unknown:
        raise BadInput(f"no patch is called {', '.join(unknown)}; there are {', '.join(known)}")
    return [known[name] for name in ids or known]


def _with(
    triton: Path, folder: Path, patches: Sequence[Patch], found: Sequence[Verdict], kept: Verdicts
) -> Iterator[Finding]:
    """What another compiler says of the same code. What it is known to say is not asked again."""
    version = triton.name.rpartition("-")[2]
    codes = {one.patch: one for one in found}
    compiled = [patch for patch in patches if patch.compiled and patch.id in codes]
    unknown = []
    for patch in compiled:
        code = codes[patch.id]
        known = kept.about(patch, code.signature, {"triton": version})
        if known is None:
            unknown.append(patch)
        else:
            yield Finding(patch.id, replace(known, releases=code.releases))
    yield from prepare(unknown, folder, triton)


def _differs(terminal: Terminal, place: str, kept: Cell | None, now: Cell) -> bool:
    # Details name what differs between machines, such as the signature of code that is not known.
    if kept is not None and (kept.outcome, kept.why) == (now.outcome, now.why):
        return False
    terminal.note(f"{place}: the table says {_words(kept) if kept else 'nothing'}, and it is {_words(now)}")
    return True


def _tell(terminal: Terminal, finding: Finding) -> None:
    found = finding.verdict
    if finding.fault:
        terminal.note(f"{finding.patch}: could not be asked")
        for line in finding.fault.splitlines():
            terminal.note(f"  {line}")
    elif found is None:
        terminal.line(f"{finding.patch}: no such code here")
    else:
        triton = f" (Triton {found.triton})" if found.triton else ""
        terminal.line(f"{finding.patch}: {found.before.value}, with the patch {found.after.value}{triton}")


def _words(cell: Cell) -> str:
    return f"{cell.outcome}: {cell.why}{f' ({cell.detail})' if cell.detail else ''}"
