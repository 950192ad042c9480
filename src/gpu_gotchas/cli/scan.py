"""`gotchas scan`: every known gotcha in logs, with line numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpu_gotchas.cli.exits import Exit
from gpu_gotchas.cli.terminal import Terminal, bold, dim

if TYPE_CHECKING:
    from gpu_gotchas.search.index import Index
    from gpu_gotchas.search.scan import Finding

_LONGEST_SHOWN = 160
_PLACES_SHOWN = 8
JSON_VERSION = 1


def command(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Logs, also as gzip, bzip2 or xz; - is standard input."),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="The findings as JSON.")] = False,
) -> int:
    """Report every known gotcha in logs, with line numbers.

    Only signatures are looked for, in constant memory and far faster than `search`, which also goes by words.
    Exit code 0 when nothing was found, 1 when something was.
    """
    from gpu_gotchas.search.store import open_index

    index = open_index()
    terminal = Terminal.standard()
    found = {str(path): _scan(path, index) for path in dict.fromkeys(files)}
    if as_json:
        terminal.json({"version": JSON_VERSION, "index_date": index.date, "files": _json(found, index)})
    else:
        _print(found, index, terminal)
    return Exit.NOT_KNOWN if any(found.values()) else Exit.FOUND


def _scan(path: Path, index: Index) -> tuple[Finding, ...]:
    from gpu_gotchas.cli.reading import log_chunks
    from gpu_gotchas.search.scan import Scanner

    scanner = Scanner(index)
    for chunk in log_chunks(str(path)):
        scanner.feed(chunk)
    scanner.finish()
    return scanner.findings()


def _print(found: dict[str, tuple[Finding, ...]], index: Index, terminal: Terminal) -> None:
    for name, findings in found.items():
        terminal.line(bold(name), "" if findings else ": nothing known")
        for one in findings:
            entry = index.record(one.hit.record) or {}
            terminal.line("  ", bold(one.hit.record), dim(f"  ({_standing(one, entry)})"))
            terminal.line("    ", str(entry.get("title", "")))
            terminal.line("    ", dim(f"{_where(one)}: "), one.hit.lines[0].text[:_LONGEST_SHOWN])
            for text in one.against:
                terminal.line("    ", dim("against it: "), text)
    if any(found.values()):
        terminal.note("More on each: gotchas show ID")


def _standing(finding: Finding, entry: dict[str, Any]) -> str:
    if entry.get("withdrawn"):
        return f"{entry['status']}: withdrawn"
    if not finding.hit.proven:
        return "reported, not yet proven"
    status = str(entry.get("status"))
    return f"looks like it; the record is {status}" if finding.against else status


def _where(finding: Finding) -> str:
    places = ", ".join(map(str, finding.places[:_PLACES_SHOWN]))
    more = finding.met - min(len(finding.places), _PLACES_SHOWN)
    return ("line " if finding.met == 1 else "lines ") + places + (f" and {more} more" if more > 0 else "")


def _json(found: dict[str, tuple[Finding, ...]], index: Index) -> list[dict[str, Any]]:
    return [
        {"file": name, "found": [_entry(one, index) for one in findings]} for name, findings in found.items()
    ]


def _entry(finding: Finding, index: Index) -> dict[str, Any]:
    entry = index.record(finding.hit.record) or {}
    return {
        "id": finding.hit.record,
        "status": entry.get("status"),
        "title": entry.get("title"),
        "proven": finding.hit.proven,
        "against": list(finding.against),
        "lines": list(finding.places),
        "count": finding.met,
        "text": finding.hit.lines[0].text,
        "context": [seen.text for seen in finding.hit.context],
    }
