"""A machine as a text tells of it, which may give two answers to one question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gpu_gotchas.hardware.machine import Card, Machine


@dataclass(frozen=True, slots=True)
class Told(Machine):
    """What is told once stands where a machine has it; here is what is told in several ways.

    either_cards: one of these. either_software, either_settings: name to the values, of which one holds.
    """

    either_cards: tuple[Card, ...] = ()
    either_software: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    either_settings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
