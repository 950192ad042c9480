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
_PLAIN = ("auto", "true", "false", "none", "0", "1", "text")
_LONG_HEAD = 8
# What few models have, and whose names the table holds: a model that is named otherwise hardly has it.
_RARE = ("model_attention", "model_layers", "model_experts")


class Said:
    """Words that stand somewhere, to be asked for phrases. `FP8_E4M3`, `fp8-e4m3` and `fp8 e4m3` are one."""

    def __init__(self, text: str = "", *, model: bool = False) -> None:
        """model: whether a model's name is among the words."""
        self._model = model
        lowered = text[:MAX_TEXT].lower()
        # Qwen3 stays as it is and is found as Qwen 3 too; nothing runs from one form into the other.
        apart = _LETTERS_AND_DIGITS.sub(r"\1 \2", lowered)
        self._text = f"-{_plain(lowered)}--{_plain(apart)}-"
        # Each word, of two letters or digits at least.
        self.words = frozenset(word for word in self._text.split("-") if len(word) > 1)

    def __bool__(self) -> bool:
        return self._text.strip("-") != ""

    def holds(self, phrase: str) -> bool:
        """Whether it is said, in the plural too."""
        wanted = _plain(phrase)
        return bool(wanted) and (f"-{wanted}-" in self._text or f"-{wanted}s-" in self._text)

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
        if plain in _PLAIN or len(plain) < 3:
            return False
        head = plain.partition("-")[0]
        return self.holds(plain) or (len(head) >= _LONG_HEAD and self.holds(head))


@lru_cache(maxsize=4096)
def _plain(text: str) -> str:
    return _OTHER.sub("-", text.lower()).strip("-")


NOTHING_SAID = Said()


@cache
def _phrases() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """`data/words.json`: for each setting its values, and what people call them."""
    text = (Path(__file__).parent / "data" / "words.json").read_text(encoding="utf-8")
    found: Mapping[str, Mapping[str, Sequence[str]]] = json.loads(text)
    return found
