"""Records and candidates as the site's JSON has them: one serialiser for both."""

from __future__ import annotations

import json
from typing import Any

from gpu_gotchas.cli.exits import BadInput
from gpu_gotchas.records.loading import load_candidates, load_gotcha
from gpu_gotchas.records.root import root
from gpu_gotchas.repro.results import ResultError
from gpu_gotchas.site.feeds import json_export
from gpu_gotchas.site.knowledge import Knowledge, entry


def record(name: str) -> dict[str, Any]:
    """What `gotchas/<name>.json` holds. Raises BadInput when it is not on disk, or for broken results."""
    folder = root() / name
    if not folder.is_dir():
        raise BadInput(f"{folder} is in the index and not on disk: install the package anew")
    try:
        said: dict[str, Any] = json.loads(json_export.record(entry(load_gotcha(folder))))
    except ResultError as error:
        raise BadInput(str(error)) from None
    return said


def candidates() -> dict[str, dict[str, Any]]:
    """What `index.json` holds of each candidate, by id, with version and licence as a record has them."""
    index = json.loads(json_export.index(Knowledge((), load_candidates(), generated="")))
    head = {"version": index["version"], "licence": json_export.LICENCES["records"]}
    return {said["id"]: {**head, **said} for said in index["candidates"]}
