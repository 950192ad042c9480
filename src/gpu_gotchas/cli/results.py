"""`gotchas results add`: folds result files into the records that they speak of."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Annotated

import typer

from gpu_gotchas.cli.exits import BadInput, Exit, UsageFailed

command = typer.Typer(help="Results of runs, and the records they prove.", no_args_is_help=True)


@command.command("add")
def add(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Written by --report or --gotcha-report.")
    ],
    by: Annotated[
        str | None, typer.Option(metavar="NAME", help="Who ran them, such as github:handle.")
    ] = None,
) -> int:
    """Keep the results that count beside their records. The same file twice changes nothing; the newest wins.

    Left out: skipped runs, hardware that was read from a file, results about an older form of a record.
    """
    from gpu_gotchas.cli.place import not_from_here
    from gpu_gotchas.cli.terminal import Terminal
    from gpu_gotchas.records.loading import load_all
    from gpu_gotchas.records.root import is_checkout
    from gpu_gotchas.repro.keeping import Left, keep
    from gpu_gotchas.repro.results import Result, ResultError, read_results

    if not is_checkout():
        raise UsageFailed(not_from_here("Results are kept in"))
    terminal = Terminal.standard()
    gotchas = {gotcha.id: gotcha for gotcha in load_all()}
    read: defaultdict[str, list[Result]] = defaultdict(list)
    try:
        for file in files:
            if not file.is_file():
                raise BadInput(f"{file}: there is no such file")
            for result in read_results(file):
                read[result.gotcha].append(result)
        for id_, results in sorted(read.items()):
            if id_ not in gotchas:
                terminal.note(f"{id_}: no record of that id; {len(results)} results left out")
                continue
            kept = keep(gotchas[id_], results, by=by)
            terminal.line(f"{id_}: {kept.added} new, {kept.unchanged} known")
            for why in Left:
                if kept.left[why]:
                    terminal.note(f"  {kept.left[why]} left out: {why.value}")
    except ResultError as error:
        raise BadInput(str(error)) from None
    return Exit.FOUND
