"""Variables that are set to nothing: read as if they were not set, where "" is held against choices."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from gpu_gotchas.hardware.versions import VersionRange
from gpu_gotchas.upstream.patch import Answer, Patch, Place

ID = "env-empty-string-rejected"
_MADE_BY = "env_with_choices.<locals>"
_PROBED = "VLLM_MARLIN_INPUT_DTYPE"


def _owners(module: ModuleType) -> Iterator[tuple[Any, str]]:
    """The readers that the factory has made for vLLM's table of variables."""
    for name, reader in module.environment_variables.items():
        if getattr(reader, "__qualname__", "").startswith(_MADE_BY):
            yield module.environment_variables, name


def _replace(before: Callable[[], str | None], module: ModuleType) -> Callable[[], str | None]:  # noqa: ARG001
    cells = (cell.cell_contents for cell in before.__closure__ or ())
    held = dict(zip(before.__code__.co_freevars, cells, strict=True))
    name: str = held["env_name"]
    default: str | None = held["default"]

    @functools.wraps(before)
    def read() -> str | None:
        try:
            return before()
        except ValueError:
            if os.environ.get(name, "set").strip():
                raise
            return default

    return read


def _ask(module: ModuleType) -> Answer:
    """The variables that are empty in this very process, if any; without one there is nothing to ask."""
    empty = [name for _, name in _owners(module) if os.environ.get(name, "set").strip() == ""]
    try:
        for name in empty:
            module.environment_variables[name]()
    except ValueError:
        return Answer.FAULTY
    return Answer.RIGHT if empty else Answer.UNASKED


def _probe(module: ModuleType) -> Answer:
    """The record's question, put to the reader that vLLM itself uses."""
    os.environ[_PROBED] = ""
    return _ask(module)


PATCH = Patch(
    id=ID,
    does="Reads an empty variable as one that is not set, where vLLM has a list of choices.",
    places=(Place("vllm.envs", "env_with_choices"),),
    releases=VersionRange("0.11.0", last_bad="0.33.0"),
    replace=_replace,
    ask=_ask,
    probe=_probe,
    owners=_owners,
)
