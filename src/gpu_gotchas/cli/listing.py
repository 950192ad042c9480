"""`gotchas list`: what is known, by target, package, concept, severity, status and kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import typer

from gpu_gotchas.cli.exits import Exit, UsageFailed

JSON_VERSION = 1


def command(
    target: Annotated[
        str | None,
        typer.Option(metavar="TARGET", help="Affecting this target, such as sm_86, gfx942, 8.6 or RTX 3090."),
    ] = None,
    package: Annotated[
        str | None, typer.Option(metavar="NAME", help="About this package, such as vllm.")
    ] = None,
    concept: Annotated[
        str | None, typer.Option(metavar="NAME", help="With this concept, such as mla.")
    ] = None,
    severity: Annotated[str | None, typer.Option(metavar="SEVERITY", help="blocker, major or minor.")] = None,
    status: Annotated[
        str | None, typer.Option(metavar="STATUS", help="A record's status, or candidate.")
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(metavar="KIND", help="refused, crash, hang, wrong-result, slow or misleading-message."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The list as JSON.")] = False,
) -> int:
    """List gotchas. Candidates, believed and not proven, are listed with --status candidate.

    Exit code 0 when there is one, 1 when none fits.
    """
    from gpu_gotchas.cli.terminal import Terminal, bold, dim
    from gpu_gotchas.search.store import open_index

    entries = list(open_index().records())
    _known("concept", concept, {name for entry in entries for name in entry["concepts"]})
    _known("package", package and package.lower(), {name for entry in entries for name in _packages(entry)})
    _known("severity", severity, {"blocker", "major", "minor"})
    _known("status", status, {*_statuses(), "candidate"})
    _known("kind", kind, _kinds())
    asked = {"severity": severity, "status": status, "kind": kind}
    wanted = {key: value for key, value in asked.items() if value is not None}
    found = [
        entry
        for entry in entries
        if all(entry[key] == value for key, value in wanted.items())
        and (entry["status"] != "candidate" or status == "candidate")
        and (concept is None or concept in entry["concepts"])
        and (package is None or package.lower() in _packages(entry))
    ]
    if target is not None:
        found = list(_affecting(target, found))
    terminal = Terminal.standard()
    if as_json:
        terminal.json({"version": JSON_VERSION, "gotchas": list(_briefs(found))})
        return Exit.FOUND if found else Exit.NOT_KNOWN
    for entry in found:
        labels = ", ".join(filter(None, (entry["status"], entry["severity"], entry["kind"])))
        terminal.line(bold(entry["id"]), dim(f"  ({labels})"))
        terminal.line("  ", entry["title"])
    if not found:
        terminal.note("No gotcha fits.")
    return Exit.FOUND if found else Exit.NOT_KNOWN


def _affecting(name: str, entries: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Those with a case that holds on this target, as far as its hardware decides."""
    from gpu_gotchas.hardware.catalogue import UnknownName, find_target
    from gpu_gotchas.hardware.truth import Truth
    from gpu_gotchas.records.raw_hardware import hardware_condition

    try:
        target = find_target(name)
    except UnknownName as error:
        raise UsageFailed(f"--target: {error}") from None
    for entry in entries:
        cases = (hardware_condition(case["hardware"]).on_target(target) for case in entry["affects"])
        if any(truth is Truth.YES for truth in cases):
            yield entry


def _packages(entry: Mapping[str, Any]) -> set[str]:
    return {package.lower() for case in entry["affects"] for package in case["software"]}


def _briefs(entries: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """As index.json has them, with what else people filter by. A candidate has none of some fields."""
    from gpu_gotchas.cli.whole import candidates, record

    keys = ("id", "title", "status", "claimed_status", "severity", "kind", "added", "concepts", "aliases",
            "reporter_count", "affects")  # fmt: skip
    believed = candidates() if any(entry["status"] == "candidate" for entry in entries) else {}
    for entry in entries:
        whole = believed.get(entry["id"]) or record(entry["id"])
        yield {
            **{key: whole.get(key) for key in keys},
            "summary": entry["summary"],
            "do": None if entry["withdrawn"] else entry["do"],
        }


def _known(option: str, value: str | None, known: set[str]) -> None:
    if value is not None and value not in known:
        from gpu_gotchas.cli.suggest import suggestion

        raise UsageFailed(f"--{option}: {value!r} is not known{suggestion(value, known)}")


def _statuses() -> set[str]:
    from gpu_gotchas.records.model import Status

    return {status.value for status in Status}


def _kinds() -> set[str]:
    from gpu_gotchas.records.model import Kind

    return {kind.value for kind in Kind}
