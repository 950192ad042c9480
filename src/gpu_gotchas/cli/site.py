"""`gotchas site`: records and results as the pages that mkdocs turns into the site."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gpu_gotchas.cli.exits import BadInput, Exit


def command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where the pages go; it is replaced whole.")],
    docs: Annotated[
        Path | None, typer.Option(help="The hand-written pages; by default docs/ of this checkout.")
    ] = None,
    records: Annotated[
        Path | None, typer.Option(help="The folder of records; by default the one that search uses.")
    ] = None,
) -> int:
    """Write the site's pages and JSON files to DIR, for `mkdocs build`.

    Exit code 0 when they are written, 4 when a record, a result or a folder is not as it should be.
    """
    from gpu_gotchas.cli.terminal import Terminal
    from gpu_gotchas.records.root import root
    from gpu_gotchas.site.build import files, read_written, write
    from gpu_gotchas.site.knowledge import gather

    where = records or root()
    try:
        content = files(gather(where), read_written(docs or where.parent / "docs"))
        write(folder, content)
    except (ValueError, OSError) as error:  # RecordErrors has a form of its own
        raise BadInput(str(error)) from error
    pages = sum(path.endswith(".md") for path in content)
    Terminal.standard().note(f"{pages} pages and {len(content) - pages} other files in {folder}.")
    return Exit.FOUND
