"""How each setting is written that a claim speaks of, as the index keeps it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpu_gotchas.records.model import (
    Candidate,
    Gotcha,
)
from gpu_gotchas.records.setting import Setting, ValueKind
from gpu_gotchas.records.settings import settings


def settings_of(entries: Sequence[Gotcha | Candidate]) -> dict[str, Any]:
    """How each setting is written that a claim speaks of."""
    names = sorted({name for entry in entries for case in entry.affects for name in case.when})
    return {name: _written(settings()[name]) for name in names if name in settings()}


def _written(setting: Setting) -> dict[str, Any]:
    whole = setting.flag if setting.key else None
    flags = setting.aliases if setting.key else (setting.flag, *setting.aliases)
    return {
        "flags": [flag for flag in flags if flag],
        "key": setting.key,
        "within": _holders(whole) if whole else [],
        "variable": setting.variable,
        "values": ["true", "false"] if setting.kind is ValueKind.BOOLEAN else list(setting.values),
        "open": bool(setting.auto),
        "same": dict(setting.same),
    }


def _holders(flag: str) -> list[str]:
    """How a setting of several keys is called: as a flag, in Python, and as what vLLM prints of itself."""
    name = flag.lstrip("-").replace("-", "_")
    return [flag, name, name.replace("_", " ").title().replace(" ", "") + "("]
