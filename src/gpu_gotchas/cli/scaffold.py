"""The files that a new gotcha begins with. Each is sound but for its blanks, which say `FILL:`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from gpu_gotchas.cli.terminal import safe

if TYPE_CHECKING:
    from gpu_gotchas.cli.draft import Draft

_BLANK_LINES = '["FILL: the line that is printed, with holes such as {int}"]'

_RECORD = """\
id: @id@
title: "FILL: one line, at most 90 characters, no full stop"
status: draft
severity: major           # FILL: blocker, major or minor
kind: crash               # FILL: refused, crash, hang, wrong-result, slow or misleading-message
added: "@date@"
concepts: [fill-me]       # FILL: what it is about, such as fp8, shared-memory, triton
symptom:
  summary: "FILL: what a user sees, in a sentence or two"
  signatures:
    - lines: ["FILL: the line that is printed, with holes such as {int}"]
      basis: reported     # FILL: proven, without basis_url, once the repro prints it
      basis_url: https://example.org/   # FILL: the report that shows the text
root_cause: "FILL: why it happens, and where in which code"
workaround:
  - do: "FILL: what helps today"
    costs: "FILL: what that costs"
affects:
  - hardware: {nvidia: {compute_capability: ["<8.9"]}}   # FILL: the ranges are the test plan
control: hardware         # FILL: hardware, version or condition
reporter_count: 0
fixes:
  - use: gpu_gotchas.fixes.@module@
    type: guard           # FILL: kernel, planner, guard, patch, setting or upgrade
    costs: "FILL: what the fix costs"
    risk: low             # FILL: low, medium or high
"""

_REPRO = '''\
"""FILL: one sentence on what this shows, and why it happens."""

from __future__ import annotations

from gpu_gotchas.fixes.@module@ import refuse_if_affected
from gpu_gotchas.repro.probe import ProbeTarget

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}


def bug(target: ProbeTarget) -> None:
    """Fails as a user would see it."""
    raise NotImplementedError("FILL: the ordinary code that fails on an affected target")


def fixed(target: ProbeTarget) -> None:
    """The same with the fix: it refuses, naming the way out, where `bug` would fail."""
    refuse_if_affected(target.capability)
    bug(target)
'''

_FIX = '''\
"""FILL: one sentence on what this does about @id@."""

from __future__ import annotations


def refuse_if_affected(capability: tuple[int, int] | None) -> None:
    """Refuses early what is known to fail.

    capability: (major, minor) of an NVIDIA card, None elsewhere. Raises `Refused` on an affected card.
    Source: FILL: where the limit is documented.
    """
    raise NotImplementedError("FILL: the fix; a guard raises gpu_gotchas.fixes.refused.Refused")
'''

_TEST = '''\
"""The fix of @id@, against a reference that does not use it."""

from __future__ import annotations

import pytest

from gpu_gotchas.fixes.@module@ import refuse_if_affected
from gpu_gotchas.fixes.refused import Refused


def test_an_affected_card_is_refused_with_the_way_out() -> None:
    with pytest.raises(Refused) as refused:
        refuse_if_affected((8, 6))  # FILL: a capability inside the claimed range
    assert refused.value.way_out


def test_an_unaffected_card_is_left_alone() -> None:
    refuse_if_affected((9, 0))  # FILL: a capability outside the claimed range
'''


def files_of(name: str, date: str, draft: Draft | None = None) -> dict[str, str]:
    """Path within the project to text. name: the new id. date: today (ISO 8601). draft: what a paste gave."""
    module = name.replace("-", "_")
    texts = {
        f"gotchas/{name}/gotcha.yaml": _RECORD,
        f"gotchas/{name}/repro.py": _REPRO,
        f"src/gpu_gotchas/fixes/{module}.py": _FIX,
        f"tests/fixes/test_{module}.py": _TEST,
    }
    values = {"@id@": name, "@module@": module, "@date@": date}
    files = {path: _filled(text, values) for path, text in texts.items()}
    if draft is not None:
        record = f"gotchas/{name}/gotcha.yaml"
        files[record] = _with_draft(files[record], draft)
    return files


def _with_draft(record: str, draft: Draft) -> str:
    if draft.signature is not None:
        template = json.dumps(safe(draft.signature), ensure_ascii=False)
        record = record.replace(_BLANK_LINES, f"[{template}]   # FILL: check what is a hole and what is not")
    paste = "".join(f"#   {safe(line)}".rstrip() + "\n" for line in draft.paste)
    return f"{record}# FILL: take this out in the end. From the paste, without personal things:\n{paste}"


def _filled(text: str, values: dict[str, str]) -> str:
    for key, value in values.items():
        text = text.replace(key, value)
    return text
