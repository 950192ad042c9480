"""What the index is built from beside records: the reports that may be built on, kept as gotchas/_heard.yaml.

    GOTCHAS_UPDATE_GOLDEN=1 python -m pytest tests/search/test_heard.py

writes it anew, after a report or what covers its cause has changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import yaml

from gpu_gotchas.records.heard import Heard
from tests.corpus import BUILD, Report, causes, part

HEAD = (
    "# What programs printed in the public reports that may be built on, by the gotcha that each is about.\n"
    "# Made from tests/corpus by tests/search/test_heard.py: nothing here is written by hand.\n"
)


def heard(reports: Iterable[Report] = part(BUILD)) -> tuple[Heard, ...]:
    """One entry for each report whose cause is in the base, by what covers it and then by address."""
    where = causes()
    found = [
        Heard(where[report.cause], _plain(report.error_text), report.url)
        for report in reports
        if report.cause in where
    ]
    return tuple(sorted(found, key=lambda one: (one.of, one.url or "", one.text)))


def _plain(text: str) -> str:
    """What programs print is ASCII; a record may hold nothing else."""
    lines = (re.sub(r"[^\x20-\x7e]+", " ", line).rstrip() for line in text.split("\n"))
    return "\n".join(lines).strip()


def document() -> str:
    """The whole file."""
    rows = [
        {"of": one.of, **({"url": one.url} if one.url else {}), "text": one.text + "\n"} for one in heard()
    ]
    return HEAD + yaml.dump(rows, Dumper=_Blocks, sort_keys=False, allow_unicode=True, width=10_000)


class _Blocks(yaml.SafeDumper):
    """Texts of several lines as blocks."""


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.Node:
    return dumper.represent_scalar(
        "tag:yaml.org,2002:str", value, style="|" if value.endswith("\n") else None
    )


_Blocks.add_representer(str, _text)
