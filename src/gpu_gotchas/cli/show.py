"""`gotchas show`: a whole record, offline."""

from __future__ import annotations

from typing import Annotated

import typer

from gpu_gotchas.cli.exits import BadInput, Exit


def command(
    name: Annotated[
        str, typer.Argument(metavar="ID", help="A gotcha, an older name of one, or a candidate.")
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="As JSON, with its results: what the site has for it.")
    ] = False,
) -> int:
    """Show everything that is known about one gotcha.

    Exit code 0 when there is one, 1 when there is none of that name.
    """
    from gpu_gotchas.cli.suggest import suggestion
    from gpu_gotchas.cli.terminal import Terminal
    from gpu_gotchas.records.loading import load_candidates, load_gotcha
    from gpu_gotchas.records.root import root
    from gpu_gotchas.search.store import open_index

    terminal = Terminal.standard()
    index = open_index()
    wanted = name.strip().lower()
    found = index.aliases.get(wanted, wanted)
    entry = index.record(found) if found else None
    if entry is None:
        terminal.note(f"There is no gotcha called {name!r}{suggestion(name, [*index.ids, *index.aliases])}")
        return Exit.NOT_KNOWN
    if as_json:
        from gpu_gotchas.cli.whole import candidates, record

        terminal.json(candidates()[found] if entry["status"] == "candidate" else record(found))
        return Exit.FOUND
    if entry["status"] == "candidate":
        from gpu_gotchas.cli.candidate_text import print_candidate

        print_candidate(next(one for one in load_candidates() if one.id == found), terminal)
        return Exit.FOUND
    from gpu_gotchas.cli.proof_lines import read_proof
    from gpu_gotchas.cli.record_text import print_record

    folder = root() / found
    if not folder.is_dir():
        raise BadInput(f"{folder} is in the index and not on disk: install the package anew")
    print_record(load_gotcha(folder), read_proof(folder / "verified.jsonl"), terminal)
    return Exit.FOUND
