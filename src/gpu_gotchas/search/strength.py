"""How strong a *looks like* is: how much speaks for the first record named, and how far ahead it is.

The curve was fitted on the reports that were built on, each searched without itself and what was written from
it, beside the same reports searched without their record. `benchmarks.search` says how often each is right.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum

_START, _WEIGHT, _LEAD, _MOST_LEAD = -4.9, 1.45, 2.3, 4.0
_STRONG, _FAIR = 0.8, 0.5


class Strength(Enum):
    """Measured, nine of ten strong ones are right, four of five fair ones, half of the weak ones or fewer."""

    STRONG = "strong"
    FAIR = "fair"
    WEAK = "weak"


def strength(weights: Sequence[float], *, unsure: bool = False) -> Strength:
    """weights: what speaks for each record that came into question, unbounded, highest first.

    unsure: whether something speaks against the first, or too little of it was met; that is never strong.
    """
    first, *rest = weights
    if first <= 0:
        return Strength.WEAK
    lead = min(_MOST_LEAD, first / rest[0]) if rest and rest[0] > 0 else _MOST_LEAD
    likely = 1 / (1 + math.exp(-(_START + _WEIGHT * math.log(first) + _LEAD * math.log(lead))))
    if likely >= _STRONG and not unsure:
        return Strength.STRONG
    return Strength.FAIR if likely >= _FAIR else Strength.WEAK
