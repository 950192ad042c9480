"""What failed before the error that was met, or is told beside a quotation of it."""

from __future__ import annotations

import json

import pytest

from gpu_gotchas.search import Verdict, search
from gpu_gotchas.search.index import Index
from gpu_gotchas.search.strength import Strength
from tests.search.pasted import FP8, HEAD, LINKS, RAISED

CAME_FIRST = [
    *(
        (f"{HEAD}\n{first}\n\n{link}\n\n{HEAD}\n{RAISED}", 2, first)
        for link in LINKS
        for first in (
            "OSError: [Errno 28] No space left on device",
            "torch.OutOfMemoryError: CUDA out of memory.",
        )
    ),
    (
        f"{HEAD}\nKeyError: 'a'\n\n{LINKS[0]}\n\n{HEAD}\nValueError: b\n\n{LINKS[1]}\n\n{HEAD}\n{RAISED}",
        2,
        "'a'",
    ),
    (
        f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n{RAISED}",
        1,
        "OutOfMemory",
    ),
    (
        f"[rank3]: RuntimeError: NCCL error in: x.cpp:3690, unhandled cuda error\n[rank0]: {FP8}",
        1,
        "NCCL",
    ),
    (f"RuntimeError: CUDA error: an illegal memory access was encountered\n{RAISED}", 1, "illegal"),
    (f"Fatal Python error: Segmentation fault\n{RAISED}", 1, "Segmentation"),
    (f"W1 exitcode  : -9 (pid: 7)\nSignal 9 (SIGKILL) received by PID 7\n{RAISED}", 2, "SIGKILL"),
    (f"Out of memory: Killed process 4711 (VLLM::Worker)\n{RAISED}", 1, "Killed"),
    (f"worker died with exit code -11\n{RAISED}", 1, "-11"),
    (f"[12345.678901] NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.\n{RAISED}", 1, "Xid"),
    *(
        (f"{first}\n{RAISED}", 1, first.split()[-1])
        for first in (
            "Memory cgroup out of memory: Killed process 4711 (python)",
            "Last State: Terminated, Reason: OOMKilled",
            "vllm-1 exited with code 137",
            "Bus error (core dumped)",
            "Aborted (core dumped)",
            "x.cpp:1: NCCL Error 2: unhandled system error",
            "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate",
            "RuntimeError: CUDA error: uncorrectable ECC error encountered",
            "RuntimeError: Triton Error [CUDA]: out of memory",
            "node:7:9 [0] NCCL WARN Cuda failure 700 'an illegal memory access was encountered'",
        )
    ),
    (f"[rank3]: FileNotFoundError: /w.bin\n[rank0]: {FP8}", 1, "FileNotFound"),
    (f"[rank1]: KeyError: 'a'\n[rank1]: {LINKS[0]}\n[rank1]: OSError: b\n[rank0]: {FP8}", 1, "KeyError"),
    (
        f"jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: out of memory\n{RAISED}",
        1,
        "EXHAUSTED",
    ),
]


@pytest.mark.parametrize(("text", "line", "says"), CAME_FIRST)
def test_where_another_failure_came_first_it_is_said_and_nothing_is_certain(
    shipped: Index, text: str, line: int, says: str
) -> None:
    answer = search(text, index=shipped)
    assert answer.verdict is Verdict.LOOKS_LIKE
    found = next(one for one in answer.results if one.id == "triton-fp8e4nv-below-sm89")
    assert f"line {line} came first: " in found.why
    assert says in found.why
    assert answer.strength is not Strength.STRONG


FIRST_OF_ALL = [
    # the error is the first of them, whatever came of it
    *(f"{HEAD}\n{RAISED}\n\n{link}\n\n{HEAD}\nRuntimeError: the engine died" for link in LINKS),
    *(f"{HEAD}\nValueError: {FP8}\n\n{link}\n\n{HEAD}\n{RAISED}" for link in LINKS),
    f"{RAISED}\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
    f"{RAISED}\nSignal 11 (SIGSEGV) received by PID 7",
    # a chain that ended before it
    f"{HEAD}\nKeyError: 'a'\n\n{LINKS[0]}\n\n{HEAD}\nOSError: b\nINFO served\n{HEAD}\n{RAISED}",
    # another rank's, of the same and of a later failure
    f"[rank1]: ValueError: {FP8}\n[rank0]: ValueError: {FP8}",
    f"[rank0]: ValueError: {FP8}\n[rank1]: OSError: b",
    # what only speaks of such a failure
    f"INFO To avoid CUDA out of memory, lower --gpu-memory-utilization\n{RAISED}",
    f"WARNING [w.py:1] CUDA out of memory, retrying with a smaller batch\n{RAISED}",
    f"test_oom[CUDA out of memory] PASSED\n{RAISED}",
    f"    except torch.cuda.OutOfMemoryError:\n{RAISED}",
    f"    if signal.SIGSEGV:\n{RAISED}",
    f"Process 7 exited with exit code 0\n{RAISED}",
]


@pytest.mark.parametrize("text", FIRST_OF_ALL)
def test_what_comes_later_or_elsewhere_takes_no_certainty(shipped: Index, text: str) -> None:
    answer = search(text, index=shipped)
    assert (answer.verdict, answer.results[0].id) == (Verdict.THIS_IS_IT, "triton-fp8e4nv-below-sm89")


@pytest.mark.parametrize("link", LINKS)
def test_a_chain_whose_begin_is_cut_off_is_not_certain(shipped: Index, link: str) -> None:
    answer = search(f"{link}\n\n{HEAD}\n{RAISED}", index=shipped)
    assert answer.verdict is Verdict.LOOKS_LIKE
    assert "cut off" in answer.results[0].why


QUOTED = [
    f"> ValueError: {FP8}\n\nThat is gone. Now it says\nRuntimeError: CUDA error: no kernel image",
    f"RuntimeError: CUDA error: no kernel image\n\nLast week it was\n> ValueError: {FP8}",
]


@pytest.mark.parametrize("text", QUOTED)
def test_what_is_quoted_is_not_the_error_beside_one_that_is_not(shipped: Index, text: str) -> None:
    answer = search(text, index=shipped)
    assert answer.verdict is Verdict.LOOKS_LIKE
    assert any("is quoted" in one.why for one in answer.results)


def test_a_paste_that_is_quoted_whole_is_as_good(shipped: Index) -> None:
    quoted = "".join(f"> {line}\n" for line in f"{HEAD}\n{RAISED}".splitlines())
    assert search(quoted, index=shipped).verdict is Verdict.THIS_IS_IT


FOLDED = [
    "(EngineCore pid=7) During handling of the above exception,\n"
    f"another exception occurred:\n{HEAD}\n{RAISED}",
    *(
        json.dumps({"log": f"{first}\n{HEAD}\n{RAISED}"})
        for first in (f"OSError: x\n\n{LINKS[0]}\n", "CUDA out of memory. Tried to allocate 2 GiB")
    ),
]


@pytest.mark.parametrize("text", FOLDED)
def test_what_came_first_is_seen_in_a_folded_line_and_within_one(shipped: Index, text: str) -> None:
    answer = search(text, index=shipped)
    assert answer.verdict is Verdict.LOOKS_LIKE
    assert "another exception led to it" in answer.results[0].why or "came first" in answer.results[0].why
