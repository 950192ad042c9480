"""The settings that a record's `when` may name, read from schema/settings.yaml."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from pathlib import Path

from gpu_gotchas.records.case_shape import setting_value
from gpu_gotchas.records.problems import RecordErrors
from gpu_gotchas.records.root import schema_root
from gpu_gotchas.records.shapes import Bad, Sink, choice, items, mapping, nullable, prose, table, text
from gpu_gotchas.records.words import package, setting
from gpu_gotchas.records.yaml_nodes import read_yaml

FLAG = r"--[a-z0-9]+(-[a-z0-9]+)*"
VARIABLE = r"[A-Z][A-Z0-9_]*"


class ValueKind(Enum):
    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"

    def allows(self, value: str) -> bool:
        return re.fullmatch(_VALUES[self], value) is not None


_VALUES = {
    ValueKind.TEXT: r".+",
    ValueKind.INTEGER: r"-?[0-9]+",
    ValueKind.NUMBER: r"-?[0-9]+(\.[0-9]+)?",
    ValueKind.BOOLEAN: r"true|false",
}


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of a package. default: None when there is none, or it depends on model and card.

    flag: the command line option; key: the key inside its JSON value, where it takes one.
    variable: the environment variable. values: every legal value, empty where `kind` says what is legal.
    """

    package: str
    meaning: str
    flag: str | None
    key: str | None
    variable: str | None
    default: str | None
    values: tuple[str, ...]
    kind: ValueKind

    def allows(self, value: str) -> bool:
        return value in self.values if self.values else self.kind.allows(value)


def _setting(
    values: tuple[str, ...],
    kind: ValueKind | None,
    flag: str | None,
    variable: str | None,
    **fields: str | None,
) -> Setting:
    if bool(values) == bool(kind):
        raise ValueError("must give either values or kind")
    if flag is None and variable is None:
        raise ValueError("must give flag or variable")
    if fields["key"] is not None and flag is None:
        raise ValueError("key is the key inside a flag's value: give flag too")
    made = Setting(flag=flag, variable=variable, values=values, kind=kind or ValueKind.TEXT, **fields)  # type: ignore[arg-type]
    if made.default is not None and not made.allows(made.default):
        raise ValueError(f"default {made.default!r} is no legal value")
    return made


_settings = mapping(
    setting,
    table(
        _setting,
        required={"package": package, "meaning": prose(1000)},
        optional={
            "flag": (text(FLAG, "an option such as --kv-cache-dtype", longest=80), None),
            "key": (setting, None),
            "variable": (text(VARIABLE, "a variable in capitals", longest=80), None),
            "default": (nullable(setting_value), None),
            "values": (items(setting_value, least=1, unique=True), ()),
            "kind": (choice(ValueKind), None),
        },
    ),
)


def read_settings(path: Path) -> Mapping[str, Setting]:
    """Name to setting. Raises RecordErrors."""
    sink = Sink(path, [])
    found = _settings(read_yaml(path), sink)
    if isinstance(found, Bad):
        raise RecordErrors(sink.problems)
    return found


@lru_cache(maxsize=1)
def settings() -> Mapping[str, Setting]:
    """The settings that come with this package."""
    return read_settings(schema_root() / "settings.yaml")
