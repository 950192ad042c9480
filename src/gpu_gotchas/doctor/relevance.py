"""How much of what is known speaks for a record, so that of all that *may* happen the likeliest comes first.

A score in bits, as far as it can be one: a condition that holds for a twentieth of all cards says more than
one that holds for all; a flag that was set says more than a default; what nobody is seen to ask for counts
against. The numbers were chosen on the reports that may be built on, never on those only measured on.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from gpu_gotchas.doctor.claims import Claim
from gpu_gotchas.doctor.conditions import Condition, Kind
from gpu_gotchas.doctor.said import Said
from gpu_gotchas.hardware.truth import Truth

# What is told without being asked for has at least this.
LEAST = 1.3
# What is reported and not proven needs more than a card that it was seen on.
LEAST_REPORTED = 4.0

_CARD_AT_MOST = 3.0
_CARD_UNKNOWN = -0.5
_VERSION = {Truth.YES: 1.5, Truth.UNKNOWN: -0.5, Truth.NO: -2.5}
_VERSION_HOLDS = 1.5
# Nobody has looked at it, and what has been mended since is not known.
_LONG_PAST = -2.5
_SET, _BY_DEFAULT = 3.0, 0.3
# What few commands come to, and this one does.
_FOLLOWS = 5.5
_SETTING = {Truth.YES: 2.5, Truth.UNKNOWN: -0.7, Truth.NO: -4.0}
_NOT_ASKED_FOR = -4.0
_PLATFORM = {Truth.YES: 2.0, Truth.UNKNOWN: -1.0, Truth.NO: -1.0}
_PLATFORM_HOLDS = 0.5
# Where few serve, so that a command of which nobody says it is hardly run there.
_SELDOM, _SELDOM_HELD = ("windows", "macos", "wsl2"), -3.0
_IN_WORDS = {Truth.YES: 2.0, Truth.UNKNOWN: -0.3, Truth.NO: -1.5}
_WORDS_HOLD = 3.0
_WORDS_AT_MOST = 20.0
_CONCEPT, _TITLE = 0.8, 0.4
# That few records name a family of models does not make it rare among commands.
_FAMILY = 0.4
_CACHE = "kv-cache"


class Rarity:
    """How many bits it says that a concept or a word of a title is spoken of: by how many claims have it."""

    def __init__(self, claims: Iterable[Claim] = ()) -> None:
        asked = tuple(claims)
        self._count = max(2, len(asked))
        self._titles = {claim.id: _title(claim) for claim in asked}
        self._concepts = Counter(name for claim in asked for name in _concepts(claim))
        self._words = Counter(word for title in self._titles.values() for word in title)

    def bits(self, claim: Claim, said: Said) -> float:
        """How much it says of a claim that these words are spoken."""
        # What a cache is made of makes a claim likely that is about the cache.
        tells = said.tells if _CACHE in claim.concepts else said.describes
        told = (name for name in _concepts(claim) if tells(name))
        concepts = sum(self._of(self._concepts[name]) * _share(name, said) for name in told)
        both = self._titles.get(claim.id, frozenset()) & said.words
        words = sum(self._of(self._words[word]) * _share(word, said) for word in both)
        return min(_WORDS_AT_MOST, _CONCEPT * concepts + _TITLE * words)

    def _of(self, held: int) -> float:
        return math.log2(self._count / held) if held else 0.0


UNWEIGHED = Rarity()


def score(conditions: Sequence[Condition]) -> float:
    """What the conditions of one case come to."""
    return sum(map(_weight, conditions))


def _concepts(claim: Claim) -> set[str]:
    return {*claim.concepts, *(name for case in claim.affects for name in case.software)}


def _share(word: str, said: Said) -> float:
    return _FAMILY if word in said.family else 1.0


def _title(claim: Claim) -> frozenset[str]:
    """Its words, and those of what must be so beside it."""
    return Said(" ".join((claim.id, claim.title, *(case.provided or "" for case in claim.affects)))).words


def _weight(part: Condition) -> float:
    holds = part.truth is Truth.YES
    match part.kind:
        case Kind.HARDWARE:
            if part.mostly:  # a card that nearly everybody has says nothing of this machine
                return 0.0
            return min(_CARD_AT_MOST, -math.log2(max(part.reach, 1e-3))) if holds else _CARD_UNKNOWN
        case Kind.SOFTWARE:
            return _LONG_PAST if part.past else _VERSION_HOLDS if holds else _VERSION[part.leans]
        case Kind.SETTING if holds:
            if part.by_default or part.mostly:
                return _BY_DEFAULT
            return _FOLLOWS if part.follows else _SET
        case Kind.SETTING:
            return _NOT_ASKED_FOR if part.opt_in and part.leans is not Truth.NO else _SETTING[part.leans]
        case Kind.PLATFORM:
            if part.name in _SELDOM and not holds and part.leans is not Truth.YES:
                return _SELDOM_HELD
            return _PLATFORM_HOLDS if holds else _PLATFORM[part.leans]
        case Kind.UNSTATED:
            return _WORDS_HOLD if holds else _IN_WORDS[part.leans]
    return 0.0
