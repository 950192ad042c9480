"""Ranges of whole numbers and of compute capabilities, such as `>=8.9,<9.0`."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
}
_CLAUSE = re.compile(r"\s*(<=|>=|==|<|>)\s*([0-9.]+)\s*")
_CAPABILITY = re.compile(r"([0-9]{1,2})\.([0-9])")
_NUMBER = re.compile(r"[0-9]{1,15}")


@dataclass(frozen=True, slots=True)
class CapabilityRange:
    """A range of NVIDIA compute capabilities such as `>=8.9,<9.0`. Bounds are (major, minor)."""

    text: str
    clauses: tuple[tuple[str, tuple[int, int]], ...]

    @classmethod
    def parse(cls, text: str) -> CapabilityRange:
        """Read clauses joined by commas, all of which must hold.

        Raises ValueError, saying what would be right, for text that is no range, and for a range that is
        written backwards or can never hold.
        """
        clauses = []
        for sign, value in _clauses(text, "8.6"):
            match = _CAPABILITY.fullmatch(value)
            if not match:
                raise ValueError(
                    f"{value!r} in {text!r} is no compute capability: write major.minor, such as 8.6"
                )
            clauses.append((sign, (int(match[1]), int(match[2]))))
        _refuse_empty(text, [(sign, major * 10 + minor) for sign, (major, minor) in clauses])
        return cls(text, tuple(clauses))

    def contains(self, capability: tuple[int, int]) -> bool:
        """Whether (major, minor) lies in the range."""
        return all(_OPERATORS[sign](capability, bound) for sign, bound in self.clauses)


@dataclass(frozen=True, slots=True)
class NumberRange:
    """A range of whole numbers such as `<=101376`; what is counted is said where it is used."""

    text: str
    clauses: tuple[tuple[str, int], ...]

    @classmethod
    def parse(cls, text: str) -> NumberRange:
        """Read clauses joined by commas, all of which must hold. Errors as for CapabilityRange."""
        clauses = []
        for sign, value in _clauses(text, "24"):
            if not _NUMBER.fullmatch(value):
                raise ValueError(f"{value!r} in {text!r} is no whole number below 10**15")
            clauses.append((sign, int(value)))
        _refuse_empty(text, clauses)
        return cls(text, tuple(clauses))

    def contains(self, number: int) -> bool:
        """Whether `number` lies in the range."""
        return all(_OPERATORS[sign](number, bound) for sign, bound in self.clauses)


def _clauses(text: str, example: str) -> list[tuple[str, str]]:
    if not isinstance(text, str):
        raise ValueError(f"{text!r} is no range: write it in quotes, such as {'>=' + example!r}")
    found = []
    for part in text.split(","):
        match = _CLAUSE.fullmatch(part)
        if not match:
            raise ValueError(
                f"{part.strip()!r} in {text!r} is no clause: write one of >= > <= < == and a value, "
                f"such as {'>=' + example!r} or {'==' + example!r}, and join clauses with a comma"
            )
        found.append((match[1], match[2]))
    return found


def _refuse_empty(text: str, clauses: Sequence[tuple[str, int]]) -> None:
    """Raise unless the clauses are one bound on each side at most, and leave room between them."""
    lower = [(sign, bound) for sign, bound in clauses if sign in (">", ">=")]
    upper = [(sign, bound) for sign, bound in clauses if sign in ("<", "<=")]
    if len(lower) + len(upper) < len(clauses) and len(clauses) > 1:
        raise ValueError(f"{text!r}: == says it all, so it stands alone")
    for side, bounds in (("lower", lower), ("upper", upper)):
        if len(bounds) > 1:
            raise ValueError(f"{text!r} has {len(bounds)} {side} bounds: keep the one that counts")
    lowest = max((bound + (sign == ">") for sign, bound in lower), default=0)
    highest = min((bound - (sign == "<") for sign, bound in upper), default=lowest)
    if lowest > highest:
        advice = "the smaller value goes behind > or >=" if lower else "nothing lies below zero"
        raise ValueError(f"{text!r} can never hold: {advice}")
