"""Asking beforehand: without the patch, with it, and once it is out again; what cannot be asked is said."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from gpu_gotchas.upstream import measure as asking
from gpu_gotchas.upstream.measure import measure
from gpu_gotchas.upstream.patch import Answer, Place
from gpu_gotchas.upstream.prepare import ChildFailed, ask_child
from tests.upstream import made_up
from tests.upstream.made_up import patch

VERSIONS = {"made_up": "1.2.0", "triton": "3.7.0"}


def test_a_patch_that_helps(package: Path) -> None:
    found = measure(patch(compiled=True), VERSIONS)
    assert (found.before, found.after, found.fault) == (Answer.FAULTY, Answer.RIGHT, "")
    assert (found.release, found.triton) == ("1.2.0", "3.7.0")
    assert importlib.import_module("made_up.core").total([1, 2, 4]) == 3


def test_code_that_is_right_is_never_patched(package: Path) -> None:
    made_up.install(package, made_up.RIGHT)

    def forbidden(before: Any, module: ModuleType) -> Any:
        raise AssertionError("right code was patched")

    found = measure(patch(replace=forbidden), VERSIONS)
    assert (found.before, found.after, found.fault) == (Answer.RIGHT, Answer.RIGHT, "")


def test_code_that_is_not_there_is_not_asked(package: Path) -> None:
    assert measure(patch(places=(Place("made_up.gone", "total"),)), VERSIONS).signature is None


def asked_in_vain(module: ModuleType) -> Answer:
    raise KeyError("a question that does not fit")


def leaves_traces(before: Any, module: ModuleType) -> Any:
    module.__dict__["sum"] = lambda numbers: 7
    return lambda numbers: 7


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"probe": asked_in_vain}, "a question that does not fit"),
        ({"replace": leaves_traces}, "does not answer as it did before"),
    ],
)
def test_what_goes_wrong_is_a_fault_and_no_verdict_that_helps(
    package: Path, change: dict[str, Any], fault: str
) -> None:
    found = measure(patch(**change), VERSIONS)
    assert fault in found.fault
    assert found.after is Answer.UNASKED


def test_asking_happens_in_a_process_of_its_own(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def spoils(module: ModuleType) -> Answer:
        module.__dict__["spoilt"] = True
        return made_up.ask(module)

    one = patch(probe=spoils)
    monkeypatch.setattr(asking, "all_patches", lambda: [one])
    (found,) = asking.measure_all([one])
    assert (found.before, found.after) == (Answer.FAULTY, Answer.RIGHT)
    assert not hasattr(importlib.import_module("made_up.core"), "spoilt")


def test_a_child_that_dies_says_how() -> None:
    with pytest.raises(ChildFailed, match="exit code 2"):
        ask_child("gpu_gotchas.upstream.measure", ["--no-such-option"], None)
