"""Annotations that GitHub Actions reads from a job's output, one to a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpu_gotchas.doctor.examination import Examination
from gpu_gotchas.doctor.formats.severity import level, message
from gpu_gotchas.doctor.places import Place

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def lines(examination: Examination, places: Mapping[str, Place] | None = None) -> Iterator[str]:
    """places: of findings in files, by id.

    An error or a warning for what will happen, a notice for what may and is named, a warning for idle
    ignores, a notice for what was not read."""
    for one in examination.named:
        title = "gotcha" if one.gotcha.status is not None else "gotcha, reported and not proven"
        text = message(one, examination.server_words(one.gotcha.id))
        place = (places or {}).get(one.gotcha.id)
        yield _line(_COMMANDS[level(one)], f"{title}: {one.gotcha.id}", text, place)
    for complaint in examination.complaints:
        yield _line("warning", "gotchas: an ignore", complaint)
    for note in examination.notes:
        yield _line("notice", "gotchas: note", note)


def _line(command: str, title: str, text: str, place: Place | None = None) -> str:
    where = f"file={_property(place.file)}," if place else ""
    where += f"line={place.line}," if place and place.line else ""
    return f"::{command} {where}title={_property(title)}::{_escaped(text)}"


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")


def _escaped(text: str) -> str:
    """A line break would begin a command of its own."""
    flat = "".join(character if character.isprintable() or character in "\r\n" else "?" for character in text)
    return flat.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
