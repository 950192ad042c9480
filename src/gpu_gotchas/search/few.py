"""A text of a word or two: it means a record only where few are called so.

Of many words one or the other is rare, and ranking can tell. `fp8` alone is in a hundred records, and so is
`fp8e5` in those that are about another type: here a word counts where a record is named by it, or prints it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from gpu_gotchas.records.templates import Template
from gpu_gotchas.search.boilerplate import without_boilerplate
from gpu_gotchas.search.index import Index
from gpu_gotchas.search.words import is_common, words

_LONGEST = 6
_FEW = 3
_MOST_MEANT = 3
_HALF = 2
_CALM = frozenset({"INFO", "DEBUG", "TRACE"})
_CARD = r"sm_\d+|gfx\w+|[abhltv]\d{1,3}s?|gb\d+|mi\d+x?|[rg]tx|geforce|tesla|radeon|instinct"
"""A card is no failure."""


def meant_by(index: Index, texts: Sequence[str]) -> set[str] | None:
    """The records that a text of few words may mean: those called by all of its telling words, else by two of
    three. None where it has more to say than that."""
    said = [word for text in texts for word in text.split()]
    told = {word for part in said for word in words(part) if not is_common(word)}
    if len(said) > _LONGEST or len(told) > _FEW:
        return None
    if all(re.fullmatch(_CARD, word) for word in told) or said[0] in _CALM:
        return set()
    holders = {record for word in told for record, _ in index.postings(word)}
    shared: dict[str, int] = {}
    for position in holders:
        entry = index.record(index.ids[position])
        if entry is not None:
            shared[entry["id"]] = len(told & names_of(entry))
    by_all = {name for name, count in shared.items() if count == len(told)}
    if len(by_all) > _MOST_MEANT * len(told):  # then only those whose very id says so
        by_all = {name for name in by_all if told <= set(words(name))}
    if by_all or len(told) < _FEW:
        return by_all if len(by_all) <= _MOST_MEANT * len(told) else set()
    by_most = {name for name, count in shared.items() if count == len(told) - 1}
    return by_most if len(by_most) <= _MOST_MEANT else set()


def printed_by(index: Index, texts: Sequence[str]) -> set[str]:
    """The records of which a text of few words is a piece of what is printed, at least half of one literal.

    Its words may all be common: `out of resource: shared memory` is one program's sentence.
    """
    said = " ".join(" ".join(texts).split()).lower()
    if not _FEW <= said.count(" ") + 1 <= _LONGEST:
        return set()
    return {
        index.ids[record]
        for held in index.literals.values()
        for literal, places in held
        if len(literal) <= _HALF * len(said) and said in literal.lower() and _tells(literal)
        for record, signature, position in places
        if position >= 0 and not index.is_generic(record, signature)
    }


def _tells(literal: str) -> bool:
    return bool(without_boilerplate(literal) and without_boilerplate(f"CUDA error: {literal}"))


def names_of(entry: Mapping[str, Any]) -> set[str]:
    """The words that a record is called by, and those that its failure prints."""
    called = (entry["id"], *entry["aliases"], *entry["concepts"], entry["title"])
    printed = (
        line for signature in entry["signatures"] for line in (*signature["lines"], *signature["context"])
    )
    literals = (literal for line in printed for literal in Template.parse(line).literals)
    return {word for text in (*called, *literals) for word in words(text)}
