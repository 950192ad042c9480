"""How the end of a child is told: short, whole, and in the words of the program where it has any."""

from __future__ import annotations

import signal

from gpu_gotchas.repro.request import Observation


def summary(seen: Observation) -> str:
    """What came of a probe, without judging it."""
    answer = seen.answer
    if answer is None:
        return f"{exit_text(seen.exit)}: {last_line(seen.streams)}"
    if answer.ended == "raised":
        return answer.exception.strip()
    if answer.measured:
        return f"measured {', '.join(f'{number:.4g}' for number in answer.measured)}"
    if answer.launches:
        return f"compiles and fits, {answer.launches} launch{'es' if answer.launches > 1 else ''}"
    return "returned"


def exit_text(code: int) -> str:
    """code: exit code, negative for a signal."""
    if code >= 0:
        return f"ended with exit code {code} and no answer"
    try:
        return f"ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"ended by signal {-code}"


def last_line(text: str) -> str:
    """The last line that is not blank."""
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else "it printed nothing"
