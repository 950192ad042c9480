"""What the words of a command or a report speak for, where nothing states it: `Qwen3-30B-A3B` has experts.

Words never decide: a verdict needs what is stated. They say which of the things that *may* happen come first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path

from gpu_gotchas.hardware.package_names import OTHER_NAMES
from gpu_gotchas.hardware.truth import Truth

MAX_TEXT = 100_000

_OTHER = re.compile(r"[^a-z0-9]+")
_LETTERS_AND_DIGITS = re.compile(r"\b([a-z]{3,})([0-9])")
PLAIN = ("auto", "true", "false", "none", "0", "1", "text")
_LONG_HEAD = 8
# What few models have, and whose names the table holds: a model that is named otherwise hardly has it.
_RARE = ("model_attention", "model_layers", "model_experts")


class Said:
    """Words that stand somewhere, to be asked for phrases. `FP8_E4M3`, `fp8-e4m3` and `fp8 e4m3` are one."""

    def __init__(self, text: str = "", *, model: str = "", asked: str = "", aside: str = "") -> None:
        """model: a model's name, which is said too. asked: the values that were set; they tell what a record
        is about, and not what other settings come to. aside: those of them that say nothing of the model
        either: an FP8 cache makes no FP8 checkpoint."""
        self._model = bool(model)
        self._text, self._asked = _forms(f"{text} {model}"), _forms(asked)
        self._aside = _forms(aside)
        # Each word, of two letters or digits at least.
        self.words = _words(f"{self._text}{self._asked}")
        # Who made the model, its name and size, where only its name says so.
        self.family = _words(_forms(model)) - _words(f"{_forms(text)}{self._asked}") - _telling_words()

    def __bool__(self) -> bool:
        return bool(self.words)

    def tells(self, phrase: str) -> bool:
        """Whether it is said or asked for."""
        return self.holds(phrase) or _within(phrase, self._asked)

    def describes(self, phrase: str) -> bool:
        """Whether it is said or asked for, and not only of a cache."""
        return self.tells(phrase) and (self.holds(phrase) or not _within(phrase, self._aside))

    def holds(self, phrase: str) -> bool:
        """Whether it is said, in the plural too."""
        return _within(phrase, self._text)

    def package(self, name: str) -> bool:
        """Whether a package is named, by one of its names."""
        return any(map(self.holds, (name, *OTHER_NAMES.get(name, ()))))

    def speaks_for(self, setting: str, wanted: Sequence[str]) -> Truth:
        """Whether words speak for one of the values that are wanted, or for other ones of the setting."""
        table = _phrases().get(setting, {})
        if any(self._names(value, table) for value in wanted):
            return Truth.YES
        others = (phrase for value, phrases in table.items() if value not in wanted for phrase in phrases)
        rare = self._model and setting in _RARE and any(value in table for value in wanted)
        return Truth.NO if rare or any(map(self.holds, others)) else Truth.UNKNOWN

    def _names(self, value: str, table: Mapping[str, Sequence[str]]) -> bool:
        if any(map(self.holds, table.get(value, ()))):
            return True
        plain = _plain(value.lower())
        if plain in PLAIN or len(plain) < 3:
            return False
        head = plain.partition("-")[0]
        return self.holds(plain) or (len(head) >= _LONG_HEAD and self.holds(head))


def _forms(text: str) -> str:
    lowered = text[:MAX_TEXT].lower()
    # Qwen3 stays as it is and is found as Qwen 3 too; nothing runs from one form into the other.
    apart = _LETTERS_AND_DIGITS.sub(r"\1 \2", lowered)
    return f"-{_plain(lowered)}--{_plain(apart)}-"


def _words(form: str) -> frozenset[str]:
    return frozenset(word for word in form.split("-") if len(word) > 1)


def _within(phrase: str, text: str) -> bool:
    wanted = _plain(phrase)
    return bool(wanted) and (f"-{wanted}-" in text or f"-{wanted}s-" in text)


@lru_cache(maxsize=4096)
def _plain(text: str) -> str:
    return _OTHER.sub("-", text.lower()).strip("-")


@cache
def _phrases() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """`data/words.json`: for each setting its values, and what people call them."""
    text = (Path(__file__).parent / "data" / "words.json").read_text(encoding="utf-8")
    found: Mapping[str, Mapping[str, Sequence[str]]] = json.loads(text)
    return found


@cache
def _telling_words() -> frozenset[str]:
    """Every single word that tells a value, such as `gptq` or `moe`."""
    phrases = (one for values in _phrases().values() for told in values.values() for one in told)
    return frozenset(map(_plain, phrases))


NOTHING_SAID = Said()
