"""From what matched to an answer. Pure: no text is read here, no file, no machine.

A wrong answer costs more than none, so *this is it* needs a proven signature with which nothing that is
known disagrees, and no other record left that explains the same lines as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from gpu_gotchas.hardware.truth import Truth
from gpu_gotchas.search.answer import Answer, Loser, Result, Verdict, Withdrawn
from gpu_gotchas.search.assessment import NOTHING_KNOWN, Assessment
from gpu_gotchas.search.certain import doubts, tells_where
from gpu_gotchas.search.match import Hit
from gpu_gotchas.search.ranked import THRESHOLD, Ranked
from gpu_gotchas.search.strength import strength

MOST_RESULTS = 3
_CERTAIN = 1.0
_AGAINST, _AGAINST_A_HIT = 0.5, 0.9
_CLOSE = 0.3

# What a signature adds to what a record explains by its words, which is unbounded as in BM25.
_MATCH, _CONTEXT, _MOST_CONTEXT = 12.0, 3.0, 2
_HALF = 10.0
_CANNOT_BE_SURE = frozenset({"draft", "contested", "candidate"})


class Found(NamedTuple):
    """A record that matched: its index entry, how it matched, and what the machine says to it.

    follows: what matched is from another rank than the one that failed first. others: how many more records
    have a signature, as specific, that the same lines met. earlier: which line may be the reason for what
    matched, as a clause. beside: what the text says beside it that takes from it, as a clause. ways: what to
    do, the one that suits the text best first.
    """

    entry: Mapping[str, Any]
    assessment: Assessment
    hit: Hit | None = None
    ranked: Ranked | None = None
    follows: bool = False
    others: int = 0
    earlier: str | None = None
    beside: str | None = None
    ways: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        return str(self.entry["id"])

    @property
    def withdrawn(self) -> bool:
        return self.entry["withdrawn"] is not None

    @property
    def draft(self) -> bool:
        """Whether nobody vouches for it yet: then it keeps no other from being sure."""
        return bool(self.entry["status"] == "draft")

    @property
    def doubted(self) -> bool:
        return self.assessment.truth is Truth.NO


def decide(
    by_signature: Sequence[Found],
    by_words: Sequence[Found],
    successors: Mapping[str, Mapping[str, Any]],
    index_date: str,
) -> Answer:
    """by_signature: at most one for each record, none generic without context. by_words: best first.

    successors: index entries of the records that follow withdrawn ones, by id.
    """
    by_signature = [found._replace(others=_others(found, by_signature)) for found in by_signature]
    live = [found for found in by_signature if not found.withdrawn]
    first = [found for found in live if not found.follows] or live
    left = _left([found for found in first if not found.doubted])
    sure = _left([one for one in first if not one.doubted and _stands_alone(one) and not one.draft])
    if sure and _certain(sure):
        results = [_from_signature(sure[0], left, _CERTAIN)]
        results += [
            _from_signature(found, left, _score(found))
            for found in left
            if found.hit and found.hit.proven and found.id != sure[0].id and _stands_alone(found)
        ]
        results = results[:MOST_RESULTS]
        nearest = _nearest(by_signature, by_words, results)
        return Answer(Verdict.THIS_IS_IT, tuple(results), index_date, nearest)
    likely = sorted((*by_signature, *by_words), key=lambda one: (-_weight(one), one.id))
    if not by_signature and not any(_trust(one) >= THRESHOLD for one in by_words):
        return Answer(Verdict.NOT_KNOWN, (), index_date, _nearest(by_signature, by_words, ()))
    results = []
    for found in [one for one in likely if _weight(one) >= _CLOSE * _weight(likely[0])][:MOST_RESULTS]:
        result = _from_signature(found, left, _score(found)) if found.hit else _from_words(found)
        results += _withdrawn(found, result, successors) if found.withdrawn else [result]
    shown = _distinct(results)[:MOST_RESULTS]
    between = _tells_between(likely, shown)
    if between is not None:
        beside = [one for one in likely if any(one.id == result.id for result in shown)]
        shown = (*shown[: MOST_RESULTS - 1], _from_signature(between, beside, _score(between)))
    return Answer(
        Verdict.LOOKS_LIKE,
        shown,
        index_date,
        _nearest(by_signature, by_words, shown),
        strength=strength([_weight(one) for one in likely], unsure=_unsure(likely[0])),
    )


def _tells_between(likely: Sequence[Found], shown: Sequence[Result]) -> Found | None:
    """The proven record that tells what is shown from its siblings, where their lines are its own."""
    named = {result.id for result in shown}
    knows = (
        found
        for found in likely
        if found.hit and found.hit.proven and not (found.withdrawn or found.doubted) and found.id not in named
    )
    return next((found for found in knows if len(named & set(found.entry["siblings"])) > 1), None)


def _unsure(found: Found) -> bool:
    if found.doubted or found.hit is None:
        return found.doubted or found.beside is not None
    # A reported signature that something came before was measured to be no less right for it.
    doubted = _doubts(found) if found.hit.proven else doubts(found.hit, found.entry)
    return bool(doubted or found.beside) or not _stands_alone(found)


def _doubts(found: Found) -> tuple[str, ...]:
    """Why what was met may not be the failure itself, and why it may not be the first."""
    return (*doubts(_hit(found), found.entry), *filter(None, (found.earlier, found.beside)))


def _nearest(
    by_signature: Sequence[Found], by_words: Sequence[Found], shown: Sequence[Result]
) -> Loser | None:
    """The best that is not shown."""
    named = {result.id for result in shown}
    left = [found for found in (*by_signature, *by_words) if found.id not in named]
    best = max(left, key=lambda found: (_weight(found), found.id), default=None)
    return best and Loser(best.id, str(best.entry["title"]), _why_not(best))


def _why_not(found: Found) -> str:
    if found.doubted:
        return "what is known of the machine disagrees: " + "; ".join(found.assessment.disagreed)
    if found.hit is not None:
        lines = ", ".join(str(seen.number) for seen in found.hit.lines)
        context = "" if found.hit.context or not found.hit.shared else " and met none of its context"
        return f"it matched line {lines}{context}, but others explain more of the text"
    words = ", ".join(found.ranked.words) if found.ranked else ""
    if _trust(found) < THRESHOLD:
        return f"it shares too little with any one line: {words or 'only common words'}"
    return f"others explain more of the text than {words}"


def _trust(found: Found) -> float:
    assert found.ranked is not None
    return found.ranked.confidence * (_AGAINST if found.doubted else 1.0)


def _weight(found: Found) -> float:
    """How much speaks for a record: its words, its signature with the context that was met, its reporters."""
    total = found.ranked.score if found.ranked else 0.0
    if found.hit and (found.hit.context or not found.hit.shared):
        total += _MATCH / (1 + found.others)
    if found.hit:
        total += _CONTEXT * min(_MOST_CONTEXT, len(found.hit.context))
    if found.follows:
        total *= _AGAINST
    if found.doubted:
        total *= _AGAINST_A_HIT if found.hit else _AGAINST
    return total


def _score(found: Found) -> float:
    """The same between 0 and 1."""
    weight = _weight(found)
    return weight / (weight + _HALF)


def _left(found: Sequence[Found]) -> list[Found]:
    """Those that no other beats on the same lines, the most specific first."""
    kept = [one for one in found if not any(_beats(other, one) for other in found)]
    return sorted(kept, key=lambda one: (*(-part for part in _hit(one).rank), not _hit(one).proven, one.id))


def _beats(one: Found, other: Found) -> bool:
    if one.id == other.id or not _share_lines(_hit(one), _hit(other)):
        return False
    if _siblings(one, other):
        return len(_hit(one).context) > len(_hit(other).context)
    return _hit(one).rank > _hit(other).rank


def _certain(left: Sequence[Found]) -> bool:
    top, *rest = left
    hit = _hit(top)
    if not hit.proven or top.entry["status"] in _CANNOT_BE_SURE or _doubts(top):
        return False
    if top.entry["measured"]:  # no line says by how much
        return False
    return not any(_share_lines(_hit(top), _hit(one)) or _siblings(top, one) for one in rest)


def _stands_alone(found: Found) -> bool:
    """Whether its signature says enough without context: else what was met speaks for others as well."""
    return not _hit(found).shared or tells_where(_hit(found), found.entry)


def _share_lines(one: Hit, other: Hit) -> bool:
    return not {seen.number for seen in one.lines}.isdisjoint(seen.number for seen in other.lines)


def _others(found: Found, by_signature: Sequence[Found]) -> int:
    hit = _hit(found)
    others = [_hit(other) for other in by_signature if other.id != found.id]
    return sum(other.rank >= hit.rank and _share_lines(hit, other) for other in others)


def _siblings(one: Found, other: Found) -> bool:
    return other.id in one.entry["siblings"] or one.id in other.entry["siblings"]


def _hit(found: Found) -> Hit:
    assert found.hit is not None, f"{found.id} did not match by a signature"
    return found.hit


def _from_signature(found: Found, left: Sequence[Found], score: float) -> Result:
    hit = _hit(found)
    numbers = list(dict.fromkeys(seen.number for seen in hit.lines))
    basis = "proven" if hit.proven else "reported"
    where = ("line " if len(numbers) == 1 else "lines ") + ", ".join(map(str, numbers))
    why = f"{where} met a {basis} signature"
    if hit.context:
        why += " and its context"
    elif hit.shared:
        why += ", which other causes may print too, and none of its context"
    if found.doubted:
        why += ", but what is known of the machine disagrees"
    elif unsure := _doubts(found):
        why += f", but {unsure[0]}"
    told = {one.id: found.entry["siblings"].get(one.id) for one in left if one.id != found.id}
    return _result(
        found,
        by="signature",
        score=score,
        why=why,
        rests_on=hit.lines[0].text,
        confirm=None if score == _CERTAIN else _confirm(found, left),
        lines=hit.lines,
        context=hit.context,
        tell_apart={name: text for name, text in told.items() if text},
    )


def _from_words(found: Found) -> Result:
    assert found.ranked is not None
    words = found.ranked.words
    return _result(
        found,
        by="words",
        score=_score(found),
        why="shares the words " + ", ".join(words),
        words=words,
        rests_on=found.ranked.line,
        confirm=_confirm(found, ()),
    )


def _confirm(found: Found, left: Sequence[Found]) -> str | None:
    """What would make it certain. Nothing makes a withdrawn record that."""
    if found.withdrawn:
        return None
    if found.doubted:
        return "that it happens on a machine that the record is about"
    hit = found.hit
    if hit is None:
        lines = [line for signature in found.entry["signatures"][:1] for line in signature["lines"]]
        if lines:
            return "in the log: " + " … ".join(lines)
        return "what the record says is seen, on this machine"
    if hit.shared and not hit.context:
        return "in the log, one of: " + ", ".join(found.entry["signatures"][hit.signature]["context"])
    if doubts(hit, found.entry) or found.beside:
        return "the error itself, as the program printed it"
    if found.earlier:
        return "that it still happens where that line is not there"
    if found.entry["measured"]:
        return f"measuring it: {found.entry['measured']}"
    if not hit.proven or found.entry["status"] in _CANNOT_BE_SURE:
        wanted = found.entry["wanted"]
        return "a repro: so far it is reported, not proven" + (f". Wanted: {wanted}" if wanted else "")
    others = ", ".join(one.id for one in left if one.id != found.id)
    return f"what tells it from {others}" if others else "the card and the versions that it happened on"


def _withdrawn(found: Found, result: Result, successors: Mapping[str, Mapping[str, Any]]) -> list[Result]:
    """The withdrawn record, and what replaced it where that is known."""
    name = found.entry["withdrawn"]["successor"]
    entry = successors.get(name) if name else None
    if entry is None:
        return [result]
    follower = Found(entry, NOTHING_KNOWN, ways=tuple(filter(None, (entry["do"], *entry["otherwise"]))))
    return [result, _result(follower, by="successor", score=result.score, why=f"replaces {found.id}")]


def _result(found: Found, **how: Any) -> Result:
    entry = found.entry
    withdrawn = entry["withdrawn"]
    ways = () if withdrawn or found.doubted else found.ways
    return Result(
        id=found.id,
        title=entry["title"],
        status=entry["status"],
        severity=entry["severity"],
        kind=entry["kind"],
        agreed=found.assessment.agreed,
        disagreed=found.assessment.disagreed,
        do=ways[0] if ways else None,
        otherwise=ways[1:],
        believed=entry["believed"],
        helped=None if found.doubted else entry["helped"],
        reports=tuple(entry["reports"]),
        withdrawn=withdrawn and Withdrawn(withdrawn["because"], withdrawn["successor"]),
        **how,
    )


def _distinct(results: Sequence[Result]) -> tuple[Result, ...]:
    first: dict[str, Result] = {}
    for result in results:
        first.setdefault(result.id, result)
    return tuple(first.values())
