"""The shape of _heard.yaml: what programs printed in public reports, and which gotcha each is about."""

from __future__ import annotations

from dataclasses import dataclass

from gpu_gotchas.records.shapes import Bad, Sink, items, prose, table
from gpu_gotchas.records.words import identifier, url
from gpu_gotchas.records.yaml_nodes import Node


@dataclass(frozen=True, slots=True)
class Heard:
    """of: id or older name of a record or candidate. url: where it was reported; None for a run of ours."""

    of: str
    text: str
    url: str | None = None


_heard = items(table(Heard, {"of": identifier, "text": prose(20_000)}, {"url": (url, None)}))


def read_heard(node: Node, sink: Sink) -> tuple[Heard, ...] | Bad:
    """Every entry, or BAD when a problem was reported to `sink`."""
    return _heard(node, sink)
