"""The whole package asked as any card: on the released files, where they and what they need are here."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from gpu_gotchas.repro.children import Children
from gpu_gotchas.repro.packages import PackageError, find_package
from gpu_gotchas.repro.probe import Tier
from gpu_gotchas.repro.request import Answer, Request
from gpu_gotchas.repro.upstream import as_capability
from gpu_gotchas.repro.upstream.light import has_light

CAPABILITIES = [(7, 5), (8, 6), (8, 9), (9, 0), (12, 0), (8, 0)]


def asked(tmp_path: Path, children: Children, release: str, imports: str, code: str) -> Answer:
    try:
        folder = find_package(release)
    except PackageError as error:
        pytest.skip(str(error))
    if not has_light():
        pytest.skip("what importing it needs is not here: `gotchas fetch --light`")
    repro = tmp_path / "repro.py"
    head = "from gpu_gotchas.repro.upstream import as_capability\n"
    repro.write_text(head + textwrap.dedent(code))
    request = Request(str(repro), "bug_package", Tier.PACKAGE, "cpu", str(folder), (imports,))
    answer = children.run(request).answer
    assert answer is not None
    assert answer.ended == "returned", answer.output
    return answer


@pytest.mark.parametrize("release", ["vllm==0.16.0", "vllm==0.33.0"])
def test_vllm_s_own_platform_answers_for_every_card_in_one_process(
    tmp_path: Path, children: Children, release: str
) -> None:
    code = f"""
    def bug_package(target):
        from vllm.platforms import current_platform
        seen = []
        for capability in {CAPABILITIES}:
            as_capability(capability)
            found = current_platform.get_device_capability()
            fp8 = current_platform.supports_fp8()
            seen.append([found.major, found.minor, current_platform.is_cuda(), fp8])
        return seen
    """
    answer = asked(tmp_path, children, release, "vllm.config", code)
    assert answer.value == [[*capability, True, capability >= (8, 9)] for capability in CAPABILITIES]
    assert "vllm.platforms.current_platform" in answer.stand_ins


def test_sglang_s_gates_answer_for_every_card_in_one_process(tmp_path: Path, children: Children) -> None:
    code = f"""
    def bug_package(target):
        from sglang.srt.utils import common
        seen = []
        for capability in {CAPABILITIES}:
            as_capability(capability)
            seen.append([common.get_device_sm(), common.is_sm120_supported()])
        return seen
    """
    answer = asked(tmp_path, children, "sglang==0.5.23", "sglang.srt.utils.common", code)
    assert answer.value == [[10 * major + minor, major == 12] for major, minor in CAPABILITIES]


def test_flashinfer_s_gates_answer_without_a_card(tmp_path: Path, children: Children) -> None:
    code = f"""
    import torch

    def bug_package(target):
        from flashinfer.utils import get_compute_capability
        seen = []
        for capability in {CAPABILITIES}:
            as_capability(capability)
            seen.append(list(get_compute_capability(torch.device("cuda", 0))))
        return seen
    """
    answer = asked(tmp_path, children, "flashinfer-python==0.7.2.post1", "flashinfer.utils", code)
    assert answer.value == [list(capability) for capability in CAPABILITIES]


def test_torchao_s_gates_answer_for_every_card_in_one_process(tmp_path: Path, children: Children) -> None:
    code = f"""
    def bug_package(target):
        from torchao.utils import is_sm_at_least_89, is_sm_at_least_90
        seen = []
        for capability in {CAPABILITIES}:
            as_capability(capability)
            seen.append([is_sm_at_least_89(), is_sm_at_least_90()])
        return seen
    """
    answer = asked(tmp_path, children, "torchao==0.18.0", "torchao.utils", code)
    assert answer.value == [[each >= (8, 9), each >= (9, 0)] for each in CAPABILITIES]


def test_a_card_comes_after_the_import() -> None:
    with pytest.raises(RuntimeError, match="import one of vllm"):
        as_capability((8, 6))
