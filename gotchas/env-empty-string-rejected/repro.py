"""A variable that is set to nothing is not one that is not set: vLLM holds "" against its list of choices.

Models `vllm/envs.py:env_with_choices` of vLLM 0.33.0, unchanged in behaviour since 0.11.0.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from gpu_gotchas.fixes.empty_variables import drop_empty
from gpu_gotchas.repro.extract import take
from gpu_gotchas.repro.probe import ProbeTarget

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}

NAME, CHOICES = "VLLM_MARLIN_INPUT_DTYPE", ["int8", "fp8"]


def env_with_choices(name: str, default: str | None, choices: list[str]) -> Callable[[], str | None]:
    """A reader of one variable."""

    def read() -> str | None:
        value = os.getenv(name)
        if value is not None and value not in choices:
            raise ValueError(f"Invalid value '{value}' for {name}. Valid options: {choices}.")
        return default if value is None else value

    return read


def _genuine(target: ProbeTarget) -> Callable[..., Callable[[], str | None]]:
    """The release's own factory of readers. Stand-in: the module `os`, which it reads through."""
    assert target.package is not None
    source = Path(target.package) / "vllm/envs.py"
    return take(source, ["env_with_choices"], {"os": os})["env_with_choices"]  # type: ignore[no-any-return]


def bug_logic(target: ProbeTarget) -> str | None:
    os.environ[NAME] = ""
    return env_with_choices(NAME, None, CHOICES)()


def control_logic(target: ProbeTarget) -> str | None:
    """The same reader, and the variable is not set."""
    os.environ.pop(NAME, None)
    return env_with_choices(NAME, None, CHOICES)()


def fixed_logic(target: ProbeTarget) -> str | None:
    os.environ[NAME] = ""
    assert drop_empty(os.environ) == [NAME]
    return env_with_choices(NAME, None, CHOICES)()


def bug_package(target: ProbeTarget) -> str | None:
    os.environ[NAME] = ""
    return _genuine(target)(NAME, None, CHOICES)()


def control_package(target: ProbeTarget) -> str | None:
    os.environ.pop(NAME, None)
    return _genuine(target)(NAME, None, CHOICES)()


def fixed_package(target: ProbeTarget) -> str | None:
    os.environ[NAME] = ""
    drop_empty(os.environ)
    return _genuine(target)(NAME, None, CHOICES)()
