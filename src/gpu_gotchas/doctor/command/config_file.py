"""`--config FILE`: flags in a YAML file, for vLLM and SGLang. Those of the command line outweigh them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from gpu_gotchas.hardware.documents import DocumentError, Item, read_document

FLAG = "--config"


class ConfigError(ValueError):
    """A file of flags that cannot be read: names file, line and what would be right."""


def with_config(words: Sequence[str], base: Path | None) -> tuple[list[str], str | None]:
    """The arguments of an engine with those of its file before them, and the file where it is not here.

    base: the folder that a relative path starts from; None where no file may be read. Raises ConfigError for
    a file that is here and holds no flags.
    """
    named, rest = _taken_out(words)
    if named is None:
        return rest, None
    path = None if base is None else base / Path(named).expanduser()
    try:
        if path is None or not path.is_file():
            return rest, named
    except (OSError, ValueError):
        return rest, named
    try:
        document = read_document(path)
    except DocumentError as error:
        raise ConfigError(str(error)) from None
    return [*_flags(document, path), *rest], None


def _taken_out(words: Sequence[str]) -> tuple[str | None, list[str]]:
    rest = list(words)
    for number, word in enumerate(rest):
        flag, joined, value = word.partition("=")
        if flag == FLAG and joined:
            return value, rest[:number] + rest[number + 1 :]
        if flag == FLAG:
            return "".join(rest[number + 1 : number + 2]), rest[:number] + rest[number + 2 :]
    return None, rest


def _flags(document: Item, path: Path) -> Iterator[str]:
    if not isinstance(document.value, dict):
        raise ConfigError(f"{path}:{document.line}: wants one flag to a line, as in `kv-cache-dtype: fp8`")
    for key, item in document.value.items():
        value = _plain(item)
        if value is not None:
            yield f"--{key}={_written(value)}"


def _plain(item: Item) -> Any:
    value = item.value
    if isinstance(value, dict):
        return {key: _plain(below) for key, below in value.items()}
    return [_plain(below) for below in value] if isinstance(value, tuple) else value


def _written(value: Any) -> str:
    if isinstance(value, (dict, list)):
        return json.dumps(value)
    return str(value).lower() if isinstance(value, bool) else str(value)
