"""What search is held against: three plain ways to find a record by a text, on the records' own texts."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher

from gpu_gotchas.records.heard import Heard
from gpu_gotchas.records.model import Candidate, Gotcha

_TOKEN = re.compile(r"[A-Za-z0-9_]+")
_NUMBER = re.compile(r"\d+")
_HOLE = re.compile(r"\{(?:\w+:)?(\w+)\}")


def texts_of(entries: Iterable[Gotcha | Candidate]) -> dict[str, str]:
    """Each record's or candidate's id to everything that it says of its failure."""
    return {entry.id: "\n".join(_sayings(entry)) for entry in entries}


def with_reports(records: Mapping[str, str], heard: Iterable[Heard]) -> dict[str, str]:
    """The same with what was printed in the reports of each."""
    told: dict[str, str] = defaultdict(str)
    for one in heard:
        told[one.of] += one.text + "\n"
    return {name: f"{said}\n{told[name]}" for name, said in records.items()}


def _sayings(entry: Gotcha | Candidate) -> list[str]:
    said = [entry.id, entry.title, *entry.concepts, *entry.asked_as]
    if isinstance(entry, Candidate):
        said += [entry.symptom, entry.believed, entry.because]
        signatures = entry.signatures
    else:
        said += [entry.symptom.summary, entry.root_cause]
        signatures = entry.symptom.signatures
    lines = [line for signature in signatures for line in (*signature.lines, *signature.context)]
    return said + [_HOLE.sub(lambda hole: "0" if hole[1] == "int" else " ", line) for line in lines]


class Bm25:
    """Okapi BM25 over whole texts, k1 1.2 and b 0.75, words of the query joined by *or*."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._counts = {name: Counter(_tokens(text)) for name, text in texts.items()}
        self._lengths = {name: sum(counts.values()) for name, counts in self._counts.items()}
        self._average = sum(self._lengths.values()) / max(1, len(self._lengths))
        self._held = Counter(word for counts in self._counts.values() for word in counts)

    def __call__(self, text: str) -> list[str]:
        wanted = set(_tokens(text))
        scores = {name: self._score(wanted, name) for name in self._counts}
        return [name for name in sorted(scores, key=lambda name: (-scores[name], name)) if scores[name]][:3]

    def _score(self, wanted: set[str], name: str) -> float:
        counts = self._counts[name]
        drag = 1.2 * (0.25 + 0.75 * self._lengths[name] / self._average)
        total = 0.0
        for word in wanted & counts.keys():
            rarity = math.log(1 + (len(self._counts) - self._held[word] + 0.5) / (self._held[word] + 0.5))
            total += rarity * counts[word] * 2.2 / (counts[word] + drag)
        return total


class LastLine:
    """The records that hold the last line of the text, numbers made one."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._lines = {name: _plain(text) for name, text in texts.items()}

    def __call__(self, text: str) -> list[str]:
        lines = [line for line in text.splitlines() if line.strip()]
        last = _plain(lines[-1]) if lines else ""
        return [name for name, held in sorted(self._lines.items()) if last and last in held][:3]


class LongestSubstring:
    """The records that share the longest run of characters with the text, which is cut to its end."""

    _MOST = 1_500

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = dict(texts)

    def __call__(self, text: str) -> list[str]:
        matcher = SequenceMatcher(autojunk=False)
        matcher.set_seq2(text[-self._MOST :])
        shared: dict[str, int] = {}
        for name, held in self._texts.items():
            matcher.set_seq1(held[: self._MOST])
            shared[name] = matcher.find_longest_match().size
        return sorted(shared, key=lambda name: (-shared[name], name))[:3]


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text.lower())


def _plain(text: str) -> str:
    return _NUMBER.sub("0", " ".join(text.split()))


BASELINES = {"bm25": Bm25, "last line exact": LastLine, "longest common substring": LongestSubstring}
