"""The start page: docs/index.md with what changes with the records put in."""

from __future__ import annotations

from collections.abc import Callable

from gpu_gotchas.records.model import Status
from gpu_gotchas.site import paste_box
from gpu_gotchas.site.evidence import Ground, ground
from gpu_gotchas.site.feeds.atom import changed
from gpu_gotchas.site.knowledge import Knowledge
from gpu_gotchas.site.links import Links
from gpu_gotchas.site.markdown import bullets
from gpu_gotchas.site.parts import by_severity, count, people, status_chip
from gpu_gotchas.site.wording import plural

_FEW = 6


class MissingMarker(ValueError):
    """The hand-written start page has no place for something that belongs there."""


def page(written: str, knowledge: Knowledge, links: Links) -> str:
    """written: the hand-written text. Raises MissingMarker naming the comment that it lacks."""
    for name, part in _PARTS.items():
        marker = f"<!-- {name} -->"
        if written.count(marker) != 1:
            raise MissingMarker(
                f"docs/index.md must hold {marker} once: what goes there comes from the records"
            )
        written = written.replace(marker, part(knowledge, links))
    return written


def _counts(knowledge: Knowledge, _: Links) -> str:
    """How many there are, and on what each rests: the words that its badge says."""
    standing = knowledge.standing
    proven = [one for one in standing if one.status in (Status.VERIFIED, Status.REPRODUCED)]
    grounds = [shown for shown in map(ground, proven) if shown]
    said = [f"{grounds.count(one)} {one.value.removeprefix('proven ')}" for one in Ground if one in grounds]
    unproven = len(standing) - len(grounds)
    return " ".join(
        filter(
            None,
            [
                f"{count(knowledge.entries, 'gotcha')}.",
                f"Proven: {', '.join(said)}." if said else "",
                f"Not proven yet: {unproven}." if unproven else "",
                f"Believed, without a repro: {plural(len(knowledge.candidates), 'candidate')}.",
                f"Built on {knowledge.generated}.",
            ],
        )
    )


def _newest(knowledge: Knowledge, links: Links) -> str:
    newest = sorted(by_severity(knowledge.standing), key=changed, reverse=True)
    return bullets(f"{links.gotcha(one.gotcha.id)} {status_chip(one)}" for one in newest[:_FEW])


def _most_reported(knowledge: Knowledge, links: Links) -> str:
    ranked = sorted(by_severity(knowledge.standing), key=lambda one: -one.gotcha.reporter_count)
    return bullets(
        f"{links.gotcha(one.gotcha.id)} {people(one.gotcha)}" for one in ranked[:_FEW] if people(one.gotcha)
    )


_PARTS: dict[str, Callable[[Knowledge, Links], str]] = {
    "paste": lambda knowledge, _: paste_box.box(knowledge),
    "counts": _counts,
    "newest": _newest,
    "most reported": _most_reported,
}
