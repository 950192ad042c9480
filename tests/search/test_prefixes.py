from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.search.prefixes import unwrap

MESSAGE = "ValueError: type fp8e4nv not supported in this architecture"


@pytest.mark.parametrize(
    "prefix",
    [
        "(EngineCore_DP0 pid=385020) ERROR 07-02 18:16:49 [core.py:1047] ",
        "(APIServer pid=1) ",
        "(Worker_TP3 pid=99) ERROR 07-02 18:16:49.123 [multiproc_executor.py:12] ",
        "vllm-1  | ",
        "vllm-1  | (EngineCore_DP0 pid=7) ERROR 07-02 18:16:49 [core.py:1047] ",
        "[rank3]: ",
        "[rank0]:[rank1]: ",
        "[1,0]<stderr>: ",
        "> ",
        "> > ",
        "2026-07-02T18:16:49.123456Z ",
        "2026-07-02 18:16:49,123 ",
        "[2026-07-02 18:16:49 TP0] ",
        "Jul  2 18:16:49 host python3[123]: ",
        "E0702 18:16:49.123456 12345 loader.cc:12] ",
        "[  123.456789] ",
        "ERROR: ",
        "[pod/vllm-0/server] ",
        "(RayWorkerWrapper pid=12, ip=10.0.0.7) ",
    ],
)
def test_prefixes_come_off(prefix: str) -> None:
    message = unwrap(prefix + MESSAGE)
    assert message.text == MESSAGE
    assert message.logged == (not prefix.startswith(">"))


@pytest.mark.parametrize(
    "text",
    [
        "[Errno 98] Address already in use",
        "NVRM: Xid (PCI:0000:01:00): 31, pid=1",
        "RuntimeError: CUDA error: 700",
        "torch.cuda.OutOfMemoryError: CUDA out of memory",
    ],
)
def test_what_is_no_prefix_stays(text: str) -> None:
    assert unwrap(text).text == text


def test_the_level_is_noticed() -> None:
    assert unwrap("ERROR 07-02 18:16:49 [core.py:1] x").severe
    assert not unwrap("INFO 07-02 18:16:49 [core.py:1] x").severe


@given(st.text(max_size=300))
def test_any_text_is_survived_and_only_shortened(text: str) -> None:
    assert unwrap(text).text in text
