"""Which program a line or a frame is of, and what another one that prints the same takes."""

from __future__ import annotations

import pytest

from gpu_gotchas.search import Verdict, search
from gpu_gotchas.search.index import Index
from tests.search.pasted import FP8, MLA, OVERFLOW, TURBOQUANT

FRAME = '  File "{place}", line 9, in decode'


OTHER_PROGRAMS = [
    f"jaxlib.xla_extension.XlaRuntimeError: INTERNAL: {FP8}",
    f"{FRAME.format(place='/lib/dist-packages/jax/_src/pallas/x.py')}\nValueError: {FP8}",
    f"[TensorRT-LLM][ERROR] {FP8}",
    f"{FRAME.format(place='/lib/site-packages/tensorrt_llm/x.py')}\nValueError: {FP8}",
    f"ggml_cuda_init: {FP8}",
    *(
        MLA.replace("dist-packages/vllm/v1", f"{place}/v1")
        for place in ("dist-packages/lmdeploy", "site-packages/sglang/srt", "dist-packages/lmcache")
    ),
    MLA.replace("/usr/lib/python3/dist-packages/vllm", "/home/vllm/lmdeploy/lmdeploy"),
]


@pytest.mark.parametrize("text", OTHER_PROGRAMS)
def test_another_program_that_prints_the_same_is_not_certain(shipped: Index, text: str) -> None:
    answer = search(text, index=shipped)
    assert answer.verdict is Verdict.LOOKS_LIKE
    proven = [one for one in answer.results if one.by == "signature" and one.status != "candidate"]
    assert all(any("the code is " in said for said in one.disagreed) for one in proven)
    assert not [one.id for one in proven if one.do], "advice for another program"


def test_a_frame_tells_that_the_signature_does_not_ask_for(shipped: Index) -> None:
    text = f"{FRAME}\nin _fwd_grouped_kernel_stage1\n{OVERFLOW}"
    mine = search(text.format(place="/x/site-packages/vllm/x.py"), index=shipped)
    assert (mine.verdict, mine.results[0].id) == (Verdict.THIS_IS_IT, "triton-mla-fp8-smem-overflow")
    other = search(text.format(place="/x/site-packages/lmdeploy/x.py"), index=shipped)
    assert other.verdict is Verdict.LOOKS_LIKE
    assert other.results[0].id != "triton-mla-fp8-smem-overflow"


@pytest.mark.parametrize(
    "place",
    [
        "/usr/lib/python3/dist-packages/vllm/v1",
        "/workspace/vllm/vllm/v1",
        "/home/lmdeploy/vllm/vllm/v1",
        "/home/me/sglang/.venv/lib/python3.12/site-packages/vllm/v1",
        "C:\\venv\\Lib\\site-packages\\vllm\\v1",
    ],
)
def test_where_a_package_lies_makes_no_difference(shipped: Index, place: str) -> None:
    text = MLA.replace("/usr/lib/python3/dist-packages/vllm/v1", place)
    assert search(text, index=shipped).verdict is Verdict.THIS_IS_IT


@pytest.mark.parametrize("library", ["flash_attn", "flashinfer", "sgl_kernel", "xformers", "torch", "triton"])
def test_a_library_between_takes_no_certainty(shipped: Index, library: str) -> None:
    frame = FRAME.format(place=f"/usr/lib/python3/dist-packages/{library}/x.py")
    assert search(f"{frame}\n{MLA}", index=shipped).verdict is Verdict.THIS_IS_IT


def test_a_copy_of_the_code_in_another_package_gets_no_advice_for_this_one(shipped: Index) -> None:
    answer = search(TURBOQUANT.format(package="lmcache/v1"), index=shipped)
    assert answer.verdict is Verdict.LOOKS_LIKE
    result = answer.results[0]
    assert result.do is None
    assert "lmcache" in result.disagreed[0]
