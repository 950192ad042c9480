"""Versions that follow from a release."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.requirements import Requirement
from packaging.version import Version

from gpu_gotchas.doctor.packages import software_of_pins
from gpu_gotchas.doctor.pins import _pins, pinned
from gpu_gotchas.hardware.versions import canonical
from gpu_gotchas.repro.packages import PackageError, find_package


def test_a_release_tells_what_it_pins_down_to_triton() -> None:
    assert pinned({"vllm": "0.24.0"}) == {
        "torch": "2.11.0",
        "flashinfer-python": "0.6.12",
        "triton": "3.6.0",
    }


@pytest.mark.parametrize("version", [None, "0.24.0+fork", "0.24.0rc1", "99.0.0"])
def test_what_is_no_known_release_pins_nothing(version: str | None) -> None:
    assert pinned({"vllm": version}) == {}


@given(st.sampled_from(sorted(_pins()["vllm"])), st.sampled_from(("torch", "triton", "flashinfer-python")))
def test_what_is_stated_is_never_pinned_and_counts_for_the_rest(release: str, stated: str) -> None:
    assert stated not in pinned({"vllm": release, stated: "1.0"})
    if stated == "torch":
        assert "triton" not in pinned({"vllm": release, stated: "1.0"})


def test_releases_are_final_and_in_order() -> None:
    for releases in _pins().values():
        versions = [Version(release) for release in releases]
        assert versions == sorted(versions)
        assert not any(one.is_prerelease or one.local for one in versions)


@pytest.mark.parametrize("release", sorted(_pins()["vllm"], key=Version))
def test_the_table_says_what_the_wheel_says(release: str) -> None:
    try:
        folder = find_package(f"vllm=={release}")
    except PackageError as missing:
        pytest.skip(str(missing))
    (metadata,) = folder.glob("*.dist-info/METADATA")
    wanted = {}
    for line in re.findall(r"(?m)^Requires-Dist: (.+)$", metadata.read_text(encoding="utf-8")):
        one = Requirement(line)
        exact = [spec.version for spec in one.specifier if spec.operator == "=="]
        if canonical(one.name) in ("torch", "flashinfer-python") and exact and "extra" not in str(one.marker):
            wanted[canonical(one.name)] = exact[0]
    assert _pins()["vllm"][release] == wanted


@pytest.mark.parametrize("version", ["0.19.0", "0.19", "v0.19", "0.19.0.0"])
def test_equal_versions_pin_the_same(version: str) -> None:
    assert pinned({"vllm": version})["torch"] == "2.10.0"


@given(st.sampled_from(sorted(release for release in _pins()["vllm"] if "post" not in release)))
def test_zeros_at_the_end_count_for_nothing(release: str) -> None:
    assert pinned({"vllm": f"{release}.0"}) == pinned({"vllm": release}) != {}


def test_equal_pins_of_a_file_are_one() -> None:
    assert software_of_pins([("vllm", "0.19"), ("vllm", "0.19.0")]) == {"vllm": "0.19.0"}
    assert software_of_pins([("vllm", "0.19"), ("vllm", "0.20")]) == {}
    assert software_of_pins([("vllm", "0.19"), ("vllm", "")]) == {}
