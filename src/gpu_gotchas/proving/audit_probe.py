"""The probe of an audit: one kernel of an imported package, for several targets. It runs in a child."""

from __future__ import annotations

import importlib
import json
from typing import Any

from gpu_gotchas.fixes.launch_audit import audit_kernel
from gpu_gotchas.repro.probe import ProbeTarget


def warm(target: ProbeTarget) -> None:
    """Nothing: what it costs is the import before it."""


def audit(target: ProbeTarget, argument: str) -> str:  # noqa: ARG001
    """argument: JSON with `module`, `kernel` and `targets`. Returns the rows as JSON."""
    asked: dict[str, Any] = json.loads(argument)
    module = importlib.import_module(asked["module"])
    rows = audit_kernel(module, asked["kernel"], asked["targets"])
    return json.dumps([row.to_data() for row in rows])
