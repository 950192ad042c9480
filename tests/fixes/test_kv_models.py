"""The two repros of the KV planner model vLLM's own functions: both get the same inputs.

GOTCHAS_VLLM_SOURCE names a folder with one unpacked wheel for each version, `<folder>/0.20.0/vllm/...`.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.fixes.kv_specs import Fit, Load, SlidingWindow
from gpu_gotchas.repro.extract import take
from gpu_gotchas.repro.probe import ProbeTarget

ROOT = Path(__file__).parents[2]
SOURCE = os.environ.get("GOTCHAS_VLLM_SOURCE")


def repro(gotcha: str) -> ModuleType:
    name = "model_of_" + gotcha.replace("-", "_")
    spec = importlib.util.spec_from_file_location(name, ROOT / "gotchas" / gotcha / "repro.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


PAGES = repro("kv-page-size-not-divisible")
CAPACITY = repro("hybrid-kv-capacity-misreported")
CPU = ProbeTarget(target=None)


def release(version: str) -> ProbeTarget:
    if not SOURCE:
        pytest.skip("GOTCHAS_VLLM_SOURCE names no folder with unpacked vLLM wheels")
    folder = Path(SOURCE) / version
    if not (folder / "vllm").is_dir():
        pytest.skip(f"no unpacked vLLM {version} in the folder that GOTCHAS_VLLM_SOURCE names")
    return ProbeTarget(target=None, package=str(folder))


def outcome(function: object, specs: dict[str, object]) -> object:
    """What a call gives: block sizes, or the exception's type and text."""
    try:
        return PAGES.blocks(function(specs))  # type: ignore[operator]
    except (NotImplementedError, AssertionError) as error:
        return type(error), str(error)


SPECS = st.dictionaries(
    st.sampled_from("abcd"),
    st.one_of(
        st.builds(
            PAGES.Spec, block_size=st.sampled_from([16, 32, 64]), token_bytes=st.sampled_from([1, 2, 3, 4])
        ),
        st.builds(PAGES.Spec, block_size=st.just(16), fixed=st.sampled_from([16, 48, 64, 96, 100])),
    ),
    min_size=1,
)


@pytest.mark.parametrize("version", ["0.12.0", "0.16.0", "0.19.1", "0.20.0", "0.21.0", "0.23.0"])
def test_the_model_unifies_and_refuses_as_the_package_does(version: str) -> None:
    genuine = PAGES.genuine(release(version))

    @given(SPECS)
    def same(specs: dict[str, object]) -> None:
        assert outcome(PAGES.unify, specs) == outcome(genuine, specs)

    same()


@pytest.mark.parametrize("version", ["0.12.0", "0.16.0", "0.19.1", "0.20.0", "0.21.0", "0.23.0"])
def test_the_package_refuses_the_pages_and_takes_the_planned_ones(version: str) -> None:
    target = release(version)
    with pytest.raises(NotImplementedError, match=r"Cannot unify by adjusting block_size\."):
        PAGES.bug_package(target)
    assert PAGES.fixed_package(target) == PAGES.fixed_logic(CPU)


def test_the_model_refuses_and_its_control_does_not() -> None:
    with pytest.raises(NotImplementedError, match="not divisible by the maximum page size"):
        PAGES.bug_logic(CPU)
    assert PAGES.control_logic(CPU)["attention"] == 16_304
    assert PAGES.fixed_logic(CPU)["attention"] % 16 == 0


@pytest.mark.parametrize("version", ["0.11.2", "0.16.0", "0.19.1", "0.20.0"])
@pytest.mark.parametrize("seed", range(3))
def test_the_log_of_the_package_is_as_wrong_as_the_model(version: str, seed: int) -> None:
    target = release(version)
    assert CAPACITY.bug_package(target, seed) == CAPACITY.bug_logic(CPU, seed)
    assert CAPACITY.logged(target.package, 1000, 528, 163_840, 3) == 132_000


@pytest.mark.parametrize("version", ["0.21.0", "0.23.0"])
@pytest.mark.parametrize("seed", range(3))
def test_later_releases_log_what_counting_shows(version: str, seed: int) -> None:
    target = release(version)
    assert CAPACITY.bug_package(target, seed) < 0.01
    assert CAPACITY.logged(target.package, 1000, 528, 163_840, 3) == 521_783


@pytest.mark.parametrize("seed", range(3))
def test_the_capacity_model_is_far_off_for_hybrids_only(seed: int) -> None:
    assert CAPACITY.bug_logic(CPU, seed) > 0.5
    assert CAPACITY.control_logic(CPU, seed) < 0.01
    assert CAPACITY.fixed_logic(CPU, seed) == 0


@given(
    window=st.integers(1, 5000),
    block=st.sampled_from([16, 32, 528]),
    length=st.integers(1, 20_000),
    chunk=st.integers(1, 9000),
)
def test_a_window_holds_back_the_pages_that_the_package_holds_back(
    window: int, block: int, length: int, chunk: int
) -> None:
    target = release("0.20.0")
    stand_ins = {
        "AttentionSpec": object,
        "dataclass": lambda **_: lambda cls: cls,
        "cdiv": lambda a, b: -(-a // b),
    }
    path = Path(target.package or "") / "vllm/v1/kv_cache_interface.py"
    genuine = take(path, ["SlidingWindowSpec"], stand_ins)["SlidingWindowSpec"]
    spec = SimpleNamespace(sliding_window=window, block_size=block)
    pages = genuine.max_admission_blocks_per_request(spec, chunk, length)
    assert SlidingWindow(1, window, step_tokens=block).pages(Fit(block, block), Load(length, chunk)) == pages
