"""The few lines of a text that word ranking and evidence look at, however long the text is.

Patterns are compiled when a text is long enough to need sifting, or when its lines are asked for: a single
error that a signature explains needs none.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from gpu_gotchas.search.lines import Line

SHORT = 12
"""Lines. In a text no longer than this every line may be a question; in a longer one only trouble is."""

_MOST_TROUBLE = 60
_MOST_AROUND = 40


class Gist:
    """Keeps the first and the last lines, and of those that read like trouble the first and the last."""

    def __init__(self) -> None:
        self._count = 0
        self._first: list[str] = []
        self._last: deque[str] = deque(maxlen=_MOST_AROUND)
        self._trouble: dict[str, None] = {}
        self._last_trouble: deque[str] = deque(maxlen=_MOST_TROUBLE)

    def feed(self, lines: Iterable[Line]) -> None:
        for line in lines:
            if not line.text:
                continue
            self._count += 1
            if self._count <= _MOST_AROUND:
                self._first.append(line.text)
            else:
                self._sift(line.text)

    def _sift(self, text: str) -> None:
        from gpu_gotchas.search.trouble import is_trouble

        if not is_trouble(text):
            self._last.append(text)
        elif len(self._trouble) < _MOST_TROUBLE:
            self._trouble[text] = None
        else:
            self._last_trouble.append(text)

    @property
    def questions(self) -> tuple[str, ...]:
        """The lines that may say what went wrong, unwrapped, without repeats."""
        from gpu_gotchas.search.prefixes import unwrap
        from gpu_gotchas.search.trouble import is_trouble

        messages = [unwrap(text) for text in self._kept]
        if self._count > SHORT or any(message.logged for message in messages):
            messages = [message for message in messages if message.severe or is_trouble(message.text)]
        return tuple(dict.fromkeys(message.text for message in messages if message.text))

    @property
    def facts(self) -> Sequence[str]:
        """The lines that may say on what machine it went wrong."""
        return (*self._kept, *self._last)

    @property
    def _kept(self) -> Sequence[str]:
        return (*self._first, *self._trouble, *self._last_trouble)
