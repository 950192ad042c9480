"""Conditions that a record puts in words, and that settings settle: `data/circumstances.json`.

A record's conditions are part of its proof, so what its words come to stands here, by its id: `is` lists
settings of which each set makes the words true, `needs` those without which they are false. Values are the
ones that `when` takes. Nothing is guessed from the words themselves.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from gpu_gotchas.doctor.setting_truth import InForce, setting_truth
from gpu_gotchas.doctor.wording import setting_question
from gpu_gotchas.hardware.truth import Truth, every
from gpu_gotchas.records.setting import Setting

_Values = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Circumstance:
    """enough: each alone makes the words true. needs: what they cannot be true without."""

    enough: tuple[_Values, ...] = ()
    needs: _Values | None = None

    def truth(self, in_force: InForce, known: Mapping[str, Setting]) -> Truth:
        needs = self.needs or {}
        if _all(needs, in_force, known) is Truth.NO:
            return Truth.NO
        # What is enough has all that is needed: a test holds the file to it.
        settled = any(_all(one, in_force, known) is Truth.YES for one in self.enough)
        return Truth.YES if settled else Truth.UNKNOWN

    def open(self, in_force: InForce, known: Mapping[str, Setting]) -> Iterator[str]:
        """What would settle it, in words; nothing where settings alone cannot."""
        for name, values in (self.enough[0] if self.enough else {}).items():
            if setting_truth(known.get(name), values, in_force.value(name)) is Truth.UNKNOWN:
                yield setting_question(name, known.get(name))


@cache
def circumstances() -> Mapping[str, Circumstance]:
    """By the id of the record whose words they settle."""
    text = (Path(__file__).parent / "data" / "circumstances.json").read_text(encoding="utf-8")
    return {
        id: Circumstance(tuple(raw.get("is", ())), raw.get("needs")) for id, raw in json.loads(text).items()
    }


def _all(values: _Values, in_force: InForce, known: Mapping[str, Setting]) -> Truth:
    return every(setting_truth(known.get(name), each, in_force.value(name)) for name, each in values.items())
