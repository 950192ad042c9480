"""`gotchas fixes status`: what became of the fixes of installed packages, process by process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from gpu_gotchas.cli.exits import Exit
from gpu_gotchas.cli.prose import heading, item, prose
from gpu_gotchas.cli.terminal import Terminal
from gpu_gotchas.upstream.processes import Loaded, NotLoaded, loaded, not_loaded

JSON_VERSION = 1
_LONGEST = 90


def status(*, as_json: bool) -> int:
    """Show every living process with fixes, and those of vLLM in which none were loaded, with why.

    Exit code 0 where each process has its fixes and none was declined, 1 otherwise, also where none runs.
    """
    terminal = Terminal.standard()
    with_fixes = loaded()
    without = not_loaded(with_fixes)
    good = bool(with_fixes) and not without and not any(_declined(one) for one in with_fixes)
    if as_json:
        terminal.json(
            {
                "version": JSON_VERSION,
                "loaded": [asdict(one) for one in with_fixes],
                "not_loaded": [{**asdict(one), "why": one.why.value} for one in without],
            }
        )
        return Exit.FOUND if good else Exit.NOT_KNOWN
    for process in with_fixes:
        _show(terminal, process)
    for missing in without:
        _show_missing(terminal, missing)
    if not with_fixes and not without:
        terminal.line("No process with fixes runs here, and none of vLLM's.")
    return Exit.FOUND if good else Exit.NOT_KNOWN


def _show(terminal: Terminal, process: Loaded) -> None:
    versions = ", ".join(f"{name} {version}" for name, version in process.versions.items())
    heading(terminal, f"{process.pid}  {_short(process.command)}")
    item(terminal, f"below {process.parent}, with {versions}")
    for name, fix in process.fixes.items():
        prose(terminal, f"{name}: {fix['outcome']}, {fix['why']}{_detail(fix)}", first="  ", rest="    ")


def _show_missing(terminal: Terminal, missing: NotLoaded) -> None:
    heading(terminal, f"{missing.pid}  {_short(missing.command)}")
    prose(terminal, f"no fixes: {missing.why.value}", first="  ", rest="    ")


def _declined(process: Loaded) -> bool:
    return any(fix["outcome"] == "declined" for fix in process.fixes.values())


def _detail(fix: Mapping[str, str]) -> str:
    return f" ({fix['detail']})" if fix.get("detail") else ""


def _short(command: str) -> str:
    return command if len(command) <= _LONGEST else f"{command[:_LONGEST]} …"
