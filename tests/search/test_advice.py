"""What somebody is told to collect for a text that no record explains."""

from __future__ import annotations

import pytest

from gpu_gotchas.search import Verdict, search
from gpu_gotchas.search.answer import Lack
from gpu_gotchas.search.index import Index
from tests.search.logs import healthy_log, wrapped

ECHO = "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}"
DEAD = (
    "vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue. "
    "See stack trace (above) for the root cause."
)
SIGQUIT = "Received sigquit from a child process. It usually means the child failed."
FRAMES = 'Traceback (most recent call last):\n  File "vllm/v1/engine/utils.py", line 500, in wait\n'
NEW = "KeyError: 'model.layers.0.invented_gate'"


@pytest.mark.parametrize(
    "text",
    [
        healthy_log(400),
        healthy_log(30),
        "INFO 10-01 10:00:00 [api_server.py:1] Application startup complete.",
        "INFO 10-01 10:00:00 [x.py:1] error_handler: none, failed requests: 0",
        "WARNING 10-01 10:00:00 [x.py:1] Using default MoE config.",
        "GPU 0: NVIDIA H100\n" * 20,
    ],
)
def test_a_text_that_reads_like_no_failure_lacks_one(index: Index, text: str) -> None:
    answer = search(text, index=index)
    assert (answer.verdict, answer.lacks) == (Verdict.NOT_KNOWN, Lack.FAILURE)
    assert "no line here looks like one" in answer.collect[0]


@pytest.mark.parametrize(
    "text",
    [
        ECHO,
        f"{FRAMES}    raise RuntimeError(\n{ECHO}",
        wrapped(f"{FRAMES}    raise RuntimeError(\n    ^^^^^^^^^^^^^^^^^^^\n{ECHO}"),
        f"{healthy_log(200)}{FRAMES}{ECHO}\n",
        f"{FRAMES}{DEAD}\n{ECHO}",
        f"[2025-07-02 07:41:58] {SIGQUIT}",
    ],
)
def test_a_text_of_echoes_lacks_the_cause_and_is_told_where_that_stands(index: Index, text: str) -> None:
    answer = search(text, index=index)
    assert (answer.verdict, answer.lacks) == (Verdict.NOT_KNOWN, Lack.CAUSE)
    assert "stands above" in answer.collect[0]
    assert "grep -n" in answer.collect[0]


@pytest.mark.parametrize(
    "text",
    [
        NEW,
        f"{FRAMES}{NEW}",
        wrapped(f"{FRAMES}    return gates[name]\n{NEW}\n{ECHO}"),
        f"{NEW}\n{FRAMES}    raise RuntimeError(\n{ECHO}",
        wrapped("the invented device has left"),
        wrapped(f"{FRAMES}    raise odd"),
        "why is the invented model slow",
        "RuntimeError: CUDA error: an illegal memory access was encountered",
        "RuntimeError: NCCL error: unhandled cuda error (run with NCCL_DEBUG=INFO for details)",
        "terminate called after throwing an instance of 'c10::Error'",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB",
    ],
)
def test_a_failure_that_is_only_new_lacks_nothing(index: Index, text: str) -> None:
    answer = search(text, index=index)
    assert answer.lacks is None


def test_what_is_known_lacks_nothing(index: Index) -> None:
    assert search("type fp8e4nv not supported in this architecture", index=index).lacks is None
    assert search(f"{ECHO}\ntype fp8e4nv not supported in this architecture", index=index).lacks is None


def test_an_answer_is_true_when_it_names_something(index: Index) -> None:
    assert search("type fp8e4nv not supported in this architecture", index=index)
    assert search("fp8e4nv", index=index)
    assert not search(NEW, index=index)
    assert not search("", index=index)
