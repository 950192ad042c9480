"""The records that may concern a machine, found through the index: the YAML of others is never parsed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from gpu_gotchas.doctor.assess import none_can_hold
from gpu_gotchas.doctor.situation import Situation
from gpu_gotchas.hardware.versions import VersionRange
from gpu_gotchas.records.loading import load_gotcha
from gpu_gotchas.records.model import Case, Gotcha
from gpu_gotchas.records.root import root
from gpu_gotchas.records.settings import Setting
from gpu_gotchas.search.conditions import hardware_condition
from gpu_gotchas.search.store import open_index


class Concerned(NamedTuple):
    """gotchas: those that will or may happen. passed_over: how many cannot. names: aliases to ids."""

    gotchas: tuple[Gotcha, ...]
    passed_over: int
    names: Mapping[str, str]


def concerned(where: Situation, known: Mapping[str, Setting], *, everything: bool = False) -> Concerned:
    """everything: also records that cannot happen there. Raises RecordErrors and IndexUnusable."""
    found: list[Gotcha] = []
    names: dict[str, str] = {}
    passed_over = 0
    for entry in open_index().records():
        if entry["status"] == "candidate":
            continue
        names.update(dict.fromkeys((entry["id"], *entry["aliases"]), entry["id"]))
        if entry["withdrawn"]:
            continue
        cases = [_case(raw) for raw in entry["affects"]]
        if not everything and none_can_hold(cases, where.machine, where.defaults, known):
            passed_over += 1
        else:
            found.append(load_gotcha(root() / entry["id"]))
    return Concerned(tuple(found), passed_over, names)


def _case(raw: Mapping[str, Any]) -> Case:
    """The case that the index keeps as plain data."""
    return Case(
        hardware_condition(raw["hardware"]),
        {
            package: tuple(VersionRange(**span) for span in ranges)
            for package, ranges in raw["software"].items()
        },
        tuple(raw["platform"]),
        {name: tuple(values) for name, values in raw["when"].items()},
    )
