"""What importing and asking costs: nothing heavy is imported before it is needed, and torch never."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("torch", "triton", "yaml", "packaging", "pynvml", "jsonschema", "pydantic")


def imported(code: str) -> set[str]:
    """The heavy modules that are loaded once `code` has run in a fresh interpreter."""
    show = f"import sys; print(*(name for name in {HEAVY!r} if name in sys.modules))"
    result = subprocess.run(
        [sys.executable, "-c", f"{code}\n{show}"], capture_output=True, text=True, check=True
    )
    return set(result.stdout.split())


@pytest.mark.parametrize(
    "module", ["catalogue", "conditions", "description", "detect", "documents", "machine", "targets"]
)
def test_importing_a_module_imports_nothing_heavy(module: str) -> None:
    assert imported(f"import gpu_gotchas.hardware.{module}") == set()


def test_the_catalogue_and_conditions_on_hardware_need_nothing_heavy() -> None:
    code = """
from gpu_gotchas.hardware.conditions import *
from gpu_gotchas.hardware.description import described_machine
from gpu_gotchas.hardware.truth import Truth
VersionRange(introduced="0.9", fixed="0.10")
condition = HardwareCondition(shared_memory=NumberRange.parse("<=101376"))
assert condition.on_machine(described_machine("sm_86")) is Truth.YES
"""
    assert imported(code) == set()


def test_looking_at_this_machine_imports_neither_torch_nor_triton() -> None:
    code = "from gpu_gotchas.hardware.detect import this_machine; this_machine()"
    assert imported(code) == set()
