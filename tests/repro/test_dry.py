"""Dry launches, on the installed Triton and on those of the folders that GOTCHAS_TRITON_PATHS names.

A folder is what `pip install --target FOLDER triton==3.8.0` makes; several are joined as in PATH.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gpu_gotchas.hardware.catalogue import find_target
from gpu_gotchas.repro.children import Children
from gpu_gotchas.repro.probe import Tier
from gpu_gotchas.repro.request import Answer, Request
from gpu_gotchas.repro.targets import compiled_targets

pytest.importorskip("torch")
pytest.importorskip("triton")
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="Triton compiles on Linux only")

PROBES = Path(__file__).with_name("dry_probes.py")
TRIAL = Path(sys.modules["gpu_gotchas.repro"].__path__[0]) / "trial.py"
OTHERS = os.environ.get("GOTCHAS_TRITON_PATHS", "")
RELEASES = [pytest.param("", id="installed")] + [
    pytest.param(folder, id=Path(folder).name) for folder in OTHERS.split(os.pathsep) if folder
]
# Targets that a release of Triton generates no code for. 3.6.0 assembles for sm_110a, and its ptxas knows no
# such target; 3.9.0 fails in a pass over gfx1030. Nothing is refused by 3.7.0 and 3.8.0.
REFUSED = {"3.6.0": {"sm_110"}, "3.9.0": {"gfx1030"}}

if not OTHERS:
    unnamed = pytest.mark.skip(reason="GOTCHAS_TRITON_PATHS names no folders of other releases")
    RELEASES.append(pytest.param("", id="others", marks=unnamed))


@dataclass(frozen=True)
class Dry:
    children: Children

    def answer(self, function: str, target: str, path: Path = PROBES) -> Answer:
        seen = self.children.run(Request(str(path), function, Tier.COMPILE, target))
        assert seen.answer is not None, seen
        return seen.answer

    def value(self, function: str, target: str) -> Any:
        answer = self.answer(function, target)
        assert answer.ended == "returned", answer.output
        return answer.value

    def error(self, function: str, target: str) -> str:
        answer = self.answer(function, target)
        assert answer.ended == "raised"
        return answer.exception


@pytest.fixture(scope="module", params=RELEASES)
def dry(request: pytest.FixtureRequest) -> Iterator[Dry]:
    with pytest.MonkeyPatch.context() as patch, Children() as children:
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [request.param, *sys.path])))
        started = Dry(children)
        if request.param:
            where = started.value("tells_triton", "sm_90")["file"]
            assert Path(where).is_relative_to(request.param)
        yield started


def limit(target: str) -> int:
    return find_target(target).shared_optin


@pytest.mark.parametrize("target", ["sm_75", "sm_86", "sm_90", "sm_121", "gfx942", "gfx1100"])
def test_the_target_answers(dry: Dry, target: str) -> None:
    known = find_target(target)
    told = dry.answer("tells_the_card", target).value
    amd = known.vendor.value == "amd"
    assert told["backend"] == ("hip" if amd else "cuda")
    assert told["arch"] == (target if amd else target.removeprefix("sm_"))
    assert told["warp_size"] == known.warp_size
    assert told["capability"] == list(known.capability or (0, 0))
    assert told["named"] == target
    assert told["shared"] == told["limit"] == known.shared_optin
    assert told["available"] is False


@pytest.mark.parametrize("target", ["sm_80", "sm_90", "sm_120", "gfx942"])
def test_a_launch_that_fits_is_recorded(dry: Dry, target: str) -> None:
    (launch,) = dry.value("fits", target)
    assert launch["kernel"] == "matmul"
    assert launch["grid"] == [2, 3, 1]
    assert launch["num_warps"] == 8
    assert 0 < launch["shared"] <= limit(target)
    assert dry.value("fits_without_memory", target) == [launch]


@pytest.mark.parametrize("target", ["sm_80", "sm_86", "sm_90", "sm_120", "gfx942"])
def test_one_that_does_not_raises_what_its_owner_sees_with_the_limit_of_the_target(
    dry: Dry, target: str
) -> None:
    said = dry.error("is_too_large", target)
    assert said.startswith("triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: ")
    assert f"Hardware limit: {limit(target)}." in said
    assert dry.answer("is_too_large", target).launches == 0


def test_too_many_threads_are_refused_too(dry: Dry) -> None:
    assert "threads, Required: 2048, Hardware limit: 1024" in dry.error("asks_for_too_many_threads", "sm_90")


@pytest.mark.parametrize("target", ["sm_75", "sm_80", "sm_86"])
def test_the_compilers_own_error_comes_out_of_a_nested_helper(dry: Dry, target: str) -> None:
    said = dry.error("casts_to_fp8", target)
    assert "type fp8e4nv not supported in this architecture" in said
    assert "tl.store" not in said, "an excerpt of the kernel is no part of the symptom"


@pytest.mark.parametrize("target", ["sm_89", "sm_90", "sm_121", "gfx942"])
def test_and_not_where_the_type_exists(dry: Dry, target: str) -> None:
    assert dry.answer("casts_to_fp8", target).launches == 1


@pytest.mark.parametrize("target", ["sm_80", "sm_90", "sm_120", "gfx942"])
def test_the_shared_memory_of_a_launch_is_what_the_compiler_reports(dry: Dry, target: str) -> None:
    launched, compiled = dry.value("reports", target)
    assert launched == compiled > 0


def test_every_configuration_is_compiled_and_one_that_does_not_fit_is_passed_over(dry: Dry) -> None:
    launches = dry.value("tunes", "gfx942")
    assert len(launches) == 3
    assert len({launch["shared"] for launch in launches}) == 2
    assert len(dry.value("tunes", "sm_90")) == 3


def test_when_none_fits_the_launch_says_so(dry: Dry) -> None:
    assert f"Hardware limit: {limit('sm_90')}." in dry.error("tunes_in_vain", "sm_90")


def test_one_process_serves_one_target(dry: Dry) -> None:
    said = dry.error("becomes_another", "sm_90")
    assert said == "RuntimeError: this process stands in for sm_90, for good: sm_70 needs its own"


def test_every_target_of_the_catalogue_compiles_but_for_those_that_are_known_not_to(dry: Dry) -> None:
    version = dry.answer("tells_triton", "sm_90").value["version"]
    refused = {}
    for target in compiled_targets():
        answer = dry.answer("bug", target.name, TRIAL)
        if answer.ended != "returned" or answer.launches != 1:
            refused[target.name] = answer.exception
    assert refused.keys() == REFUSED.get(version, set()), refused


def test_variables_that_change_what_triton_does_are_kept_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    monkeypatch.setenv("TRITON_OVERRIDE_ARCH", "sm90")
    monkeypatch.setenv("TRITON_CACHE_DIR", "/nonexistent")
    with Children() as children:
        mine = Dry(children)
        assert "fp8e4nv not supported" in mine.error("casts_to_fp8", "sm_86")
        assert f"Hardware limit: {limit('sm_86')}." in mine.error("is_too_large", "sm_86")
        assert len(mine.value("fits", "sm_86")) == 1
