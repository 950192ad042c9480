"""The settings that a record's `when` may name, read from schema/settings.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from gpu_gotchas.records.case_shape import setting_value
from gpu_gotchas.records.problems import RecordErrors
from gpu_gotchas.records.root import schema_root
from gpu_gotchas.records.setting import Releases, Setting, ValueKind
from gpu_gotchas.records.shapes import Bad, Sink, choice, items, mapping, nullable, prose, table, text
from gpu_gotchas.records.words import package, release, setting
from gpu_gotchas.records.yaml_nodes import read_yaml

FLAG = r"--[a-z0-9]+(-[a-z0-9]+)*"
ALIAS = r"--?[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9_]+)?"
FACT = r"[a-z]+(_[a-z]+)*"
VARIABLE = r"[A-Z][A-Z0-9_]*"


def _setting(
    values: tuple[str, ...],
    kind: ValueKind | None,
    flag: str | None,
    variable: str | None,
    fact: str | None,
    aliases: tuple[str, ...],
    auto: tuple[str, ...],
    same: Mapping[str, str],
    usual: tuple[str, ...],
    flag_releases: Releases | None,
    variable_releases: Releases | None,
    **fields: str | None,
) -> Setting:
    if bool(values) == bool(kind):
        raise ValueError("must give either values or kind")
    if flag is None and variable is None and fact is None:
        raise ValueError("must give flag or variable, or fact for what a model's folder says")
    if fact is not None and (flag or variable):
        raise ValueError("fact is for what nobody sets by hand: leave out flag and variable")
    if flag is None and aliases:
        raise ValueError("aliases are other spellings of a flag: give flag too")
    if fields["key"] is not None and flag is None:
        raise ValueError("key is the key inside a flag's value: give flag too")
    if (flag_releases and flag is None) or (variable_releases and variable is None):
        raise ValueError("releases are those that know a flag or a variable: give it too")
    made = Setting(
        flag=flag,
        variable=variable,
        values=values,
        kind=kind or ValueKind.TEXT,
        fact=fact,
        aliases=aliases,
        auto=auto,
        same=same,
        usual=usual,
        flag_releases=flag_releases,
        variable_releases=variable_releases,
        **fields,  # type: ignore[arg-type]
    )
    strange = [value for value in (*auto, *same, *same.values(), *usual) if not made.allows(value)]
    if strange:
        raise ValueError(f"auto, same and usual: {strange[0]!r} is no legal value")
    if made.default is not None and not made.allows(made.default):
        raise ValueError(f"default {made.default!r} is no legal value")
    return made


_releases = table(Releases, required={}, optional={"since": (release, None), "before": (release, None)})
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
            "fact": (text(FACT, "a word such as head_size", longest=80), None),
            "aliases": (items(text(ALIAS, "an option such as -tp", longest=80), least=1, unique=True), ()),
            "auto": (items(setting_value, least=1, unique=True), ()),
            "same": (mapping(text(longest=80), setting_value, least=1), {}),
            "usual": (items(setting_value, least=1, unique=True), ()),
            "flag_releases": (_releases, None),
            "variable_releases": (_releases, None),
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
