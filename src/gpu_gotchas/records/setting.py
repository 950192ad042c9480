"""One setting that a record's `when` may name. `settings` reads them; nothing here reads a file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from gpu_gotchas.hardware.truth import Truth
from gpu_gotchas.hardware.versions import VersionRange


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
class Releases:
    """The releases of a package that know a flag or a variable: from `since` to before `before`, None for the
    first and for the newest. Raises ValueError for ends that are no final releases, and for none at all."""

    since: str | None = None
    before: str | None = None

    def __post_init__(self) -> None:
        if self.since is self.before is None:
            raise ValueError("must give since or before")
        VersionRange(self.since, self.before)

    def hold(self, version: str | None) -> Truth:
        """Whether `version` is one of them; UNKNOWN where it is not known."""
        return VersionRange(self.since, self.before).holds(version)


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of a package. default: None when there is none, or it depends on model and card.

    flag: the command line option; key: the key inside its JSON value, where it takes one.
    variable: the environment variable. fact: what a model's folder says, for what nobody sets by hand.
    values: every legal value, empty where `kind` says what is legal. aliases: other spellings of the flag,
    with `.key` where it is one of a JSON value (`-sc.method`).
    auto: what the value `auto` may come to where the model decides; empty where it is a choice like others.
    same: values that mean another one, such as `half` for `float16`.
    usual: values that most get without asking, so that setting one says little.
    flag_releases, variable_releases: those that know it, None where all that are looked at do.
    """

    package: str
    meaning: str
    flag: str | None
    key: str | None
    variable: str | None
    default: str | None
    values: tuple[str, ...]
    kind: ValueKind
    fact: str | None = None
    aliases: tuple[str, ...] = ()
    auto: tuple[str, ...] = ()
    same: Mapping[str, str] = field(default_factory=dict)
    usual: tuple[str, ...] = ()
    flag_releases: Releases | None = None
    variable_releases: Releases | None = None

    def allows(self, value: str) -> bool:
        return value in self.values if self.values else self.kind.allows(value)

    def plain(self, value: str) -> str:
        """The value that `value` means."""
        return self.same.get(value, value)
