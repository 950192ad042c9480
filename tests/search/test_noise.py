"""What happens to an error on its way here must not change the answer."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpu_gotchas.search import Answer, Verdict, search
from gpu_gotchas.search.engine import Search
from gpu_gotchas.search.index import Index
from gpu_gotchas.search.lines import lines_of
from tests.corpus.noise import KINDS, noisy

TRACEBACK = """\
Traceback (most recent call last):
  File "/usr/local/lib/python3.12/site-packages/vllm/v1/engine/core.py", line 387, in run_engine_core
    engine_core = EngineCoreProc(*args, **kwargs)
  File "/usr/local/lib/python3.12/site-packages/invented/decode.py", line 12, in _invented_decode_stage1
    kernel[grid](*arguments)
triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 147456, Hardware limit: 101376
"""
FP8 = "ValueError: type fp8e4nv not supported in this architecture. The supported fp8 dtypes are ('fp8e5',)\n"


def answer(index: Index, text: bytes) -> Answer:
    run = Search(index)
    run.feed(lines_of([text]))
    return run.answer()


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"head-cut"}))
@pytest.mark.parametrize("seed", range(3))
def test_a_certain_answer_stays_certain(index: Index, kind: str, seed: int) -> None:
    found = answer(index, noisy(kind, FP8, seed))
    assert found.verdict is Verdict.THIS_IS_IT
    assert found.results[0].id == "sample-fp8e4nv-refused"


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_traceback_is_still_about_its_kernel(index: Index, kind: str) -> None:
    assert answer(index, noisy(kind, TRACEBACK)).results[0].id == "sample-smem-decode"


@settings(max_examples=20, deadline=None)
@given(kind=st.sampled_from(sorted(KINDS.keys() - {"healthy-before"})), seed=st.integers(0, 1_000))
def test_noise_makes_no_claim_out_of_nothing(index: Index, kind: str, seed: int) -> None:
    text = (
        "Traceback (most recent call last):\nKeyError: 'model'\nOSError: [Errno 98] Address already in use\n"
    )
    assert answer(index, noisy(kind, text, seed)).verdict is Verdict.NOT_KNOWN


def test_the_first_failing_rank_decides(index: Index) -> None:
    first = f"(Worker_TP3 pid=703) ERROR 07-02 18:00:01 [worker.py:9] {FP8}"
    later = "".join(
        f"(Worker_TP{rank} pid=70{rank}) ERROR 07-02 18:00:02 [worker.py:9] "
        "RuntimeError: lattice phase blue is not aligned with quantum state\n"
        for rank in (0, 1, 2)
    )
    found = search(first + later, index=index)
    assert (found.verdict, found.results[0].id) == (Verdict.THIS_IS_IT, "sample-fp8e4nv-refused")


def test_the_root_of_a_chain_counts_more_than_what_it_led_to(index: Index) -> None:
    chain = (
        "ValueError: invented turbo keys are wrong\n\n"
        "The above exception was the direct cause of the following exception:\n\n"
        "Traceback (most recent call last):\n"
        "RuntimeError: Engine core initialization failed. See root cause above.\n"
    )
    assert search(chain, index=index).results[0].id == "sample-fp8e4nv-keys"


ASYNCHRONOUS = (
    "RuntimeError: CUDA error: an illegal memory access was encountered\n"
    "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below "
    "might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\n"
    "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"
)


def test_asynchronous_words_decide_nothing(index: Index) -> None:
    assert search(ASYNCHRONOUS, index=index).verdict is Verdict.NOT_KNOWN
    assert search(f"{FP8}{ASYNCHRONOUS}", index=index).results[0].id == "sample-fp8e4nv-refused"
