"""Small records, runs, observations and results to judge, and repros to run."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import yaml

from gpu_gotchas.hardware.catalogue import find_target
from gpu_gotchas.records.loading import load_gotcha
from gpu_gotchas.records.model import Gotcha
from gpu_gotchas.repro.judge import Knowledge
from gpu_gotchas.repro.outcomes import Outcome
from gpu_gotchas.repro.plan import Run
from gpu_gotchas.repro.probe import Probe, Role, Subject, Tier
from gpu_gotchas.repro.request import Answer, Observation
from gpu_gotchas.repro.results import Result
from gpu_gotchas.repro.source import Repro, read_repro

SIGNATURE = {"lines": ["the widget {word} does not fit"], "basis": "proven"}
FAILURE = "ValueError: the widget w7 does not fit"
OBSERVABLE = {
    "quantity": "error",
    "unit": "share",
    "bad": ">= 0.3",
    "good": "<= 0.01",
    "seeds": 2,
    "repeats": 1,
    "because": "These are made-up numbers.",
}

LOGIC_REPRO = """
'''A made-up fault.'''

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}


def bug_logic(target):
    raise ValueError("the widget w7 does not fit")


def fixed_logic(target):
    return 7


def control_logic(target):
    return 7
"""


def record(**changes: Any) -> dict[str, Any]:
    """A record as data: a refusal on compute capability below 8.9, with the given parts changed."""
    return {
        "id": "made-up",
        "title": "A made-up fault",
        "status": "draft",
        "severity": "minor",
        "kind": "crash",
        "added": "2026-11-30",
        "concepts": ["made-up"],
        "symptom": {"summary": "A widget does not fit.", "signatures": [SIGNATURE]},
        "root_cause": "Somebody made it up.",
        "workaround": [{"do": "Nothing."}],
        "affects": [{"hardware": {"nvidia": {"compute_capability": ["<8.9"]}}}],
        "control": "hardware",
        "reporter_count": 0,
        "fixes": [{"use": "gpu_gotchas.fixes.refused", "type": "kernel", "costs": "Nothing.", "risk": "low"}],
    } | changes


def write_gotcha(root: Path, repro: str | None = LOGIC_REPRO, **changes: Any) -> Path:
    """A gotcha's folder below `root`, named by its id."""
    data = record(**changes)
    folder = root / str(data["id"])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "gotcha.yaml").write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
    if repro is not None:
        (folder / "repro.py").write_text(textwrap.dedent(repro).lstrip(), encoding="utf-8")
    return folder


def read_gotcha(root: Path, repro: str | None = LOGIC_REPRO, **changes: Any) -> tuple[Gotcha, Repro]:
    folder = write_gotcha(root, repro, **changes)
    return load_gotcha(folder), read_repro(folder) or Repro(folder / "repro.py", frozenset())


def a_run(
    gotcha: Gotcha,
    probe: Probe = Probe.BUG,
    role: Role = Role.AFFECTED,
    tier: Tier = Tier.LOGIC,
    target: str | None = None,
    package: str | None = None,
) -> Run:
    repro = Repro(gotcha.path / "repro.py", frozenset())
    where = find_target(target) if target else None
    return Run(gotcha, repro, tier, where, probe, role, probe.value, package)


def returned(value: Any = None, **parts: Any) -> Observation:
    return Observation(Answer("returned", value=value, **parts), exit=0, seconds=0.1)


def raised(exception: str = FAILURE, **parts: Any) -> Observation:
    said = f"Traceback (most recent call last):\n{exception}"
    return Observation(Answer("raised", exception=exception, output=said, **parts), exit=0, seconds=0.1)


def knows(first: str | None = "made-up", *others: str) -> Knowledge:
    """A base in which every text leads to `first` and meets the signatures of `others`."""
    return Knowledge(first=lambda _: first, others=lambda _: others)


def a_result(**changes: Any) -> Result:
    parts: dict[str, Any] = {
        "gotcha": "made-up",
        "tier": Tier.LOGIC,
        "target": "cpu",
        "probe": Probe.BUG,
        "role": Role.AFFECTED,
        "subject": Subject.MECHANISM,
        "outcome": Outcome.REPRODUCED,
        "reason": FAILURE,
        "proves": "0123456789abcdef",
        "seconds": 0.5,
        "versions": {"python": "3.11.7"},
        "device": None,
        "date": "2026-11-30T12:00:00+00:00",
    }
    return Result(**{**parts, **changes})
