"""The index in fewer bytes, for those who wait for it on a phone; packed.js of the site undoes this."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

ABSENT: dict[str, dict[str, Any]] = {
    "record": {
        "affects": [], "aliases": [], "do": None, "helped": None, "kind": None, "otherwise": [],
        "reports": [], "severity": None, "siblings": {}, "withdrawn": None,
    },
    "signature": {"basis": "reported", "conditions": [], "context": [], "generic": False},
}  # fmt: skip
"""What is left out, by what it says when it is left out."""

_UNREAD = frozenset({"id", "added", "basis_url", "reporters", "summary"})
"""What no answer of the browser says: the id is the key, the rest stands on the record's page."""


def record(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Without what is absent in it and in its signatures, and without what the browser does not read."""
    signatures = [_without(one, ABSENT["signature"]) for one in entry["signatures"]]
    return {**_without(entry, ABSENT["record"]), "signatures": signatures}


def _without(found: Mapping[str, Any], absent: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value
        for name, value in found.items()
        if name not in _UNREAD
        and (name not in absent or value != absent[name] or type(value) is not type(absent[name]))
    }


def pairs(held: Iterable[Sequence[int]]) -> list[int]:
    """[[4, 67], [9, 30]] as [4, 67, 5, 30]: by how much each position grows, then what it holds."""
    flat: list[int] = []
    before = 0
    for position, weight in held:
        flat += (position - before, weight)
        before = position
    return flat
