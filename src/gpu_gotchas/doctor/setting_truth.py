"""Whether a setting has one of the values that a record names, as far as it can be told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpu_gotchas.hardware.truth import Truth
from gpu_gotchas.records.setting import Setting

AUTO = "auto"


@dataclass(frozen=True, slots=True)
class InForce:
    """The values in force. given: what was set or found out. defaults: what holds for what was not set."""

    given: Mapping[str, str]
    defaults: Mapping[str, str]

    def value(self, name: str) -> str | None:
        return self.given.get(name, self.defaults.get(name))

    def by_default(self, name: str) -> bool:
        return name not in self.given and name in self.defaults


NOTHING_IN_FORCE = InForce({}, {})


def setting_truth(setting: Setting | None, wanted: Sequence[str], value: str | None) -> Truth:
    """YES when `value` is one of `wanted`, UNKNOWN when it is not known or still stands for others.

    A value `auto` that the model decides is open: the record's `auto` then only says that it may come to one
    of the others. Learning which value it comes to turns UNKNOWN into YES or NO, never one into the other.
    """
    if value is None:
        return Truth.UNKNOWN
    plain = setting.plain if setting else str
    names = {plain(name) for name in wanted}
    if setting is None or value != AUTO or not setting.auto:
        return Truth.of(plain(value) in names)
    open_ = {plain(name) for name in setting.auto}
    if open_ <= names:
        return Truth.YES
    return Truth.UNKNOWN if open_ & names or AUTO in names else Truth.NO
