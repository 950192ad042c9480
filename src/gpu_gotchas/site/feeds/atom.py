"""feed.xml: new and changed records, newest first (RFC 4287)."""

from __future__ import annotations

import uuid
from xml.sax.saxutils import escape

from gpu_gotchas.site.knowledge import Entry, Knowledge
from gpu_gotchas.site.links import gotcha_address
from gpu_gotchas.site.markdown import visible

MOST = 50
FEED_PATH = "feed.xml"
# An Atom id lasts wherever the site is served from, so it is no address. This number is nobody else's.
_SPACE = uuid.UUID("6f0b6c52-4d0e-4b57-9a0a-0d6b5c0f9e31")


def atom(knowledge: Knowledge) -> str:
    """Addresses are relative to the feed's own: the site does not know where it is served."""
    newest = sorted(knowledge.entries, key=lambda one: (changed(one), one.gotcha.id), reverse=True)[:MOST]
    updated = max(map(changed, newest), default=knowledge.generated)
    return "\n".join(
        [
            '<?xml version="1.0" encoding="utf-8"?>',
            '<feed xmlns="http://www.w3.org/2005/Atom">',
            "<title>GPU gotchas: new and changed</title>",
            f"<id>{_id('')}</id>",
            f"<updated>{_instant(updated)}</updated>",
            "<author><name>gpu-gotchas</name></author>",
            f'<link rel="self" type="application/atom+xml" href="{FEED_PATH}"/>',
            '<link rel="alternate" type="text/html" href="./"/>',
            "<rights>CC0-1.0</rights>",
            *map(_entry, newest),
            "</feed>",
        ]
    )


def changed(entry: Entry) -> str:
    """The day (ISO) on which the record last came to say something else."""
    return max([entry.gotcha.added, *(event.date for event in entry.gotcha.history)])


def _entry(entry: Entry) -> str:
    gotcha = entry.gotcha
    events = sorted(gotcha.history, key=lambda event: event.date)
    what = (
        f"{entry.status.value.capitalize()}, changed: {events[-1].why}" if events else gotcha.symptom.summary
    )
    return "".join(
        [
            f"<entry><id>{_id(gotcha.id)}</id><title>{_text(gotcha.title)}</title>",
            f"<updated>{_instant(changed(entry))}</updated><published>{_instant(gotcha.added)}</published>",
            f'<link rel="alternate" type="text/html" href="{gotcha_address(gotcha.id)}"/>',
            f"<summary>{_text(what)}</summary></entry>",
        ]
    )


def _id(name: str) -> str:
    return uuid.uuid5(_SPACE, name).urn


def _instant(day: str) -> str:
    return f"{_text(day)}T00:00:00Z"


def _text(raw: str) -> str:
    """XML 1.0 cannot hold most control characters in any form, so what does not print is spelt out."""
    return escape(" ".join(visible(raw).split()))
