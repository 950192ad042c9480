"""The few lines of a text that word ranking looks at, however long the text is."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from gpu_gotchas.search.lines import Line
from gpu_gotchas.search.normalise import Message, unwrap
from gpu_gotchas.search.words import is_trouble

SHORT = 12
"""Lines. In a text no longer than this every line may be a question; in a longer one only trouble is."""

_MOST_TROUBLE = 60
_MOST_AROUND = 40


class Gist:
    """Keeps the first and the last lines, and the distinct ones that read like trouble, first and last."""

    def __init__(self) -> None:
        self._count = 0
        self._first: list[Message] = []
        self._last: deque[Message] = deque(maxlen=_MOST_AROUND)
        self._trouble: dict[str, Message] = {}
        self._last_trouble: deque[Message] = deque(maxlen=_MOST_TROUBLE)

    def feed(self, lines: Iterable[Line]) -> None:
        for line in lines:
            if not line.text or line.text.isspace():
                continue
            self._count += 1
            trouble = is_trouble(line.text)
            if not trouble and self._count > _MOST_AROUND:
                self._last.append(Message(line.text))
                continue
            message = unwrap(line.text)
            if self._count <= _MOST_AROUND:
                self._first.append(message)
            if trouble or message.severe:
                if len(self._trouble) < _MOST_TROUBLE:
                    self._trouble.setdefault(message.text, message)
                else:
                    self._last_trouble.append(message)

    @property
    def questions(self) -> tuple[str, ...]:
        """The lines that may say what went wrong, without repeats."""
        if self._count <= SHORT:
            chosen: Iterable[Message] = self._first
            if any(message.logged for message in self._first):
                chosen = [message for message in self._first if message.text in self._trouble]
        else:
            chosen = [*self._trouble.values(), *self._last_trouble]
        return tuple(dict.fromkeys(message.text for message in chosen if message.text))

    @property
    def facts(self) -> tuple[str, ...]:
        """The lines that may say on what machine it went wrong."""
        kept = (*self._first, *self._trouble.values(), *self._last_trouble, *self._last)
        return tuple(dict.fromkeys(message.text for message in kept))
