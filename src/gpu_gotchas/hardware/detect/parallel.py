"""Ask several slow questions at once. Each waits on a process or a driver, so threads are enough."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Mapping
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


def together(questions: Mapping[K, Callable[[], T]]) -> dict[K, T]:
    """The answer to each question, in the order of the questions; what one raises is raised at the end."""
    answers: dict[K, T] = {}
    errors: list[BaseException] = []

    def ask(name: K, question: Callable[[], T]) -> None:
        try:
            answers[name] = question()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=ask, args=pair, daemon=True) for pair in list(questions.items())[1:]]
    for thread in threads:
        thread.start()
    for name, question in list(questions.items())[:1]:  # one of them needs no thread of its own
        ask(name, question)
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return {name: answers[name] for name in questions}
