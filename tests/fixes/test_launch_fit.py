"""The planner under dry launch: the first candidate that fits, launched as planned, or a refusal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("triton")

from gpu_gotchas.fixes.launch_fit import LaunchFit
from gpu_gotchas.fixes.refused import Refused
from tests.fixes.triton_children import dry

BODY = Path(__file__).parent / "bodies" / "fit.py"
# From large to small: as launched (three stages of 256), two stages, blocks of 32 in one stage.
CANDIDATES: list[dict[str, int]] = [{}, {"num_stages": 2}, {"num_stages": 1, "BLOCK": 32}]


def fit_on(target: str, cache: Path, *dtypes: str, candidates: Any = None) -> dict[str, Any]:
    pytest.importorskip("gpu_gotchas.repro.dry")
    said: dict[str, Any] = dry(target, BODY, cache, json.dumps(candidates or CANDIDATES), *dtypes)
    return said


@pytest.mark.parametrize("target", ["sm_75", "sm_86", "sm_89", "sm_90", "sm_120", "gfx942"])
def test_what_is_launched_fits_and_what_came_before_does_not(target: str, tmp_path: Path) -> None:
    said = fit_on(target, tmp_path, "float16", "float32")
    assert said["target"] == target
    for told in said["told"]:
        assert told["launched"] == told["shared"] <= said["limit"]
        assert all(shared > said["limit"] for shared in told["passed_over"])
        assert told["config"] == CANDIDATES[len(told["passed_over"])]


def test_a_roomy_card_keeps_the_launch_as_it_stands(tmp_path: Path) -> None:
    (told,) = fit_on("sm_90", tmp_path, "float16")["told"]
    assert told["config"] == {}
    assert told["passed_over"] == []


def test_the_choice_depends_on_the_specialisation(tmp_path: Path) -> None:
    half, single = fit_on("sm_86", tmp_path, "float16", "float32")["told"]
    assert len(single["passed_over"]) > len(half["passed_over"])


def test_a_grid_sees_the_chosen_blocks(tmp_path: Path) -> None:
    only_small = [{"num_stages": 1, "BLOCK": 32}]
    (told,) = fit_on("sm_86", tmp_path, "float16", candidates=only_small)["told"]
    assert told["grid"] == [32, 1, 1]


def test_none_fits_is_refused_with_bytes_and_target(tmp_path: Path) -> None:
    said = fit_on("sm_86", tmp_path, "float32", candidates=[{}, {"num_stages": 3, "BLOCK": 512}])
    (told,) = said["told"]
    assert told["capability"] == "sm_86"
    assert "multiply with as launched: " in told["refused"]
    assert "num_stages=3, BLOCK=512: " in told["refused"]
    assert f"at most {said['limit']} bytes" in told["refused"]


def test_no_candidates_is_an_error() -> None:
    with pytest.raises(ValueError, match="at least one candidate"):
        LaunchFit(object(), [])


class FakeCompiled:
    def __init__(self, shared: int, name: str) -> None:
        self.hash = name
        self.metadata = type("Metadata", (), {"shared": shared})


class FakeKernel:
    """A kernel whose shared memory is said by its keyword `shared`; it counts compilations."""

    __name__ = "fake"

    def __init__(self) -> None:
        self.compiled: list[int] = []

    def warmup(self, name: str, *, grid: Any, shared: int) -> FakeCompiled:
        self.compiled.append(shared)
        return FakeCompiled(shared, name)


@pytest.fixture
def limit(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    bytes_allowed = [100]
    monkeypatch.setattr("gpu_gotchas.fixes.launch_fit.shared_memory_limit", lambda: bytes_allowed[0])
    return bytes_allowed


def test_a_choice_is_remembered_until_specialisation_or_limit_change(limit: list[int]) -> None:
    kernel = FakeKernel()
    fitted = LaunchFit(kernel, [{"shared": 150}, {"shared": 120}, {"shared": 90}])
    assert fitted.fit("one").shared == 90
    assert kernel.compiled == [150, 120, 90]
    fitted.fit("one")
    assert kernel.compiled[3:] == [150]  # the first alone, to know the specialisation
    fitted.fit("another")
    assert kernel.compiled[4:] == [150, 120, 90]
    limit[0] = 130
    assert fitted.fit("one").shared == 120


def test_a_choice_holds_only_for_what_the_caller_passes(
    limit: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first candidate hides the caller's value; the second lets it through."""
    fitted = LaunchFit(FakeKernel(), [{"shared": 150}, {}])
    assert fitted.fit("one", shared=90).shared == 90
    assert limit == [100]
    monkeypatch.setattr("gpu_gotchas.fixes.launch_fit.current_target_name", lambda: "sm_86")
    with pytest.raises(Refused):
        fitted.fit("one", shared=120)


def test_it_stands_in_for_its_kernel() -> None:
    kernel = FakeKernel()
    assert LaunchFit(kernel, [{}]).compiled is kernel.compiled
