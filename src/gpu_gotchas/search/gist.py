"""The few lines of a text that word ranking and evidence look at, however long the text is.

Patterns are compiled when a text is long enough to need sifting, or when its lines are asked for: a single
error that a signature explains needs none.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from gpu_gotchas.search.lines import Line

_MOST_TROUBLE = 120
_MOST_AROUND = 40
_BEFORE_TROUBLE = 6
_MOST_TOLD = 80


class Gist:
    """Keeps the first and the last lines, and of those that read like trouble the first and the last, with a
    few lines before them; and the first lines that bear a fact."""

    def __init__(self) -> None:
        self.count = 0
        self._first: list[str] = []
        self._last: deque[str] = deque(maxlen=_MOST_AROUND)
        self._recent: deque[str] = deque(maxlen=_BEFORE_TROUBLE)
        self._told: dict[str, None] = {}
        self._trouble: dict[str, None] = {}
        self._last_trouble: deque[str] = deque(maxlen=_MOST_TROUBLE)

    def feed(self, lines: Iterable[Line]) -> None:
        for line in lines:
            if not line.text:
                continue
            self.count += 1
            if self.count <= _MOST_AROUND:
                self._first.append(line.text)
            else:
                self._sift(line.text)

    def _sift(self, text: str) -> None:
        from gpu_gotchas.search.evidence import states_a_fact
        from gpu_gotchas.search.trouble import is_trouble

        if len(self._told) < _MOST_TOLD and states_a_fact(text):
            self._told[text] = None
        if not is_trouble(text):
            self._last.append(text)
            self._recent.append(text)
            return
        told = (*self._recent, text)
        self._recent.clear()
        if len(self._trouble) < _MOST_TROUBLE:
            self._trouble.update(dict.fromkeys(told))
        else:
            self._last_trouble.extend(told)

    @property
    def kept(self) -> Sequence[str]:
        """The lines that may say what went wrong, in order."""
        return (*self._first, *self._trouble, *self._last_trouble)

    @property
    def facts(self) -> Sequence[str]:
        """The lines that may say on what machine it went wrong."""
        return (*self.kept, *self._told, *self._last)
