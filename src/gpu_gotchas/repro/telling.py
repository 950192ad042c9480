"""How the end of a child is told: short, whole, and in the words of the program where it has any."""

from __future__ import annotations

import re
import signal

from gpu_gotchas.repro.request import Observation

_FOLDERS = re.compile(r"(?<![\w.:/])/(?:[^\s/'\"]+/)+")
_NOT_INSTALLED = ", which is not installed here"
_LACKS = " does not have what is asked: "
_ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")


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


def needs(package: str) -> str:
    """Why what needs a package did not run."""
    return f"needs {package}{_NOT_INSTALLED}"


def needed(reason: str) -> str | None:
    """The package that a reason made by `needs` names, or None for any other reason."""
    package = reason.removeprefix("needs ").removesuffix(_NOT_INSTALLED)
    return package if reason == needs(package) else None


def lacking(package: str, what: str) -> str:
    """Why a release says nothing: it does not have what it is asked."""
    return f"{package}{_LACKS}{what}"


def lacks(reason: str) -> bool:
    """Whether a reason was made by `lacking`."""
    return _LACKS in reason


def exit_text(code: int) -> str:
    """code: exit code, negative for a signal."""
    if code >= 0:
        return f"ended with exit code {code} and no answer"
    try:
        return f"ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"ended by signal {-code}"


def plain(text: str) -> str:
    """Text that a terminal, a file and a page can take: without colours, what does not print spelt out.

    Where files lie is nobody's business and differs from run to run, so a path begins at its package.
    """
    text = _ANSI.sub("", text).replace("\t", "    ")
    text = _FOLDERS.sub(lambda found: _without_root(found[0]), text)
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)


def _without_root(folders: str) -> str:
    _, inside, package = folders.rpartition("/site-packages/")
    return package if inside else "…/"


def telling_line(text: str) -> str:
    """The line that says what went wrong, where a tool names it so; else the last one."""
    lines = [line.strip() for line in text.splitlines() if re.search(r"\b(fatal|error)\b", line)]
    return lines[-1] if lines else last_line(text)


def last_line(text: str) -> str:
    """The last line that is not blank."""
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else "it printed nothing"
