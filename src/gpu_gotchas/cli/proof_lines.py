"""The lines of a `verified.jsonl`, as far as they are to be shown. Judging them is not done here."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from gpu_gotchas.cli.exits import BadInput

_KEYS = ("tier", "probe", "role", "outcome", "subject", "target", "date")
_Key = tuple[str, str, str, str, str, str]


@dataclass(frozen=True, slots=True)
class ProofLine:
    """Results that are alike but for their target. device: the card it ran on, None without one."""

    tier: str
    probe: str
    role: str
    outcome: str
    subject: str
    device: str | None
    targets: tuple[str, ...]
    newest: str


def read_proof(path: Path) -> tuple[ProofLine, ...]:
    """Results by tier, probe, role and outcome; () without a file. Raises BadInput on a broken line."""
    if not path.is_file():
        return ()
    groups: dict[_Key, list[tuple[str, str]]] = {}
    for number, text in enumerate(path.read_text("utf-8").splitlines(), start=1):
        if not text.strip():
            continue
        result = _result(path, number, text)
        tier, probe, role, outcome, subject, target, date = (str(result[key]) for key in _KEYS)
        key = (tier, probe, role, outcome, subject, str(result.get("device") or ""))
        groups.setdefault(key, []).append((target, date))
    return tuple(
        ProofLine(
            tier,
            probe,
            role,
            outcome,
            subject,
            device=device or None,
            targets=tuple(sorted({target for target, _ in found})),
            newest=max(date for _, date in found),
        )
        for (tier, probe, role, outcome, subject, device), found in sorted(groups.items())
    )


def _result(path: Path, number: int, text: str) -> dict[str, object]:
    try:
        result = json.loads(text)
    except ValueError as error:
        raise BadInput(f"{path}:{number}: is no JSON: {error}") from None
    missing = [key for key in _KEYS if not isinstance(result, dict) or key not in result]
    if missing:
        raise BadInput(f"{path}:{number}: a result line lacks {', '.join(missing)}")
    return dict(result)
