"""Three-valued truth: a condition about a machine holds, does not hold, or cannot be decided yet."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum


class Truth(Enum):
    """Kleene's strong three-valued logic. Learning more may only turn UNKNOWN into YES or NO."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"

    @classmethod
    def of(cls, value: bool | None) -> Truth:
        """YES for True, NO for False, UNKNOWN for None."""
        if value is None:
            return cls.UNKNOWN
        return cls.YES if value else cls.NO

    def __and__(self, other: Truth) -> Truth:
        if Truth.NO in (self, other):
            return Truth.NO
        return Truth.UNKNOWN if Truth.UNKNOWN in (self, other) else Truth.YES

    def __or__(self, other: Truth) -> Truth:
        if Truth.YES in (self, other):
            return Truth.YES
        return Truth.UNKNOWN if Truth.UNKNOWN in (self, other) else Truth.NO

    def __invert__(self) -> Truth:
        return {Truth.YES: Truth.NO, Truth.NO: Truth.YES}.get(self, Truth.UNKNOWN)

    def __bool__(self) -> bool:
        raise TypeError("a Truth has three values: compare it with Truth.YES, Truth.NO or Truth.UNKNOWN")


def every(truths: Iterable[Truth]) -> Truth:
    """The conjunction; YES when there is nothing to ask."""
    result = Truth.YES
    for truth in truths:
        result = result & truth
    return result


def some(truths: Iterable[Truth]) -> Truth:
    """The disjunction; NO when there is nothing to ask."""
    result = Truth.NO
    for truth in truths:
        result = result | truth
    return result
