from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.cli.redact import redact


@pytest.mark.parametrize(
    ("personal", "left"),
    [
        ("/home/maria/x.py", "/home/user/x.py"),
        ("/Users/maria/x.py", "/Users/user/x.py"),
        (r"C:\Users\maria\x.py", r"C:\Users\user\x.py"),
        ("/" + "root/x.py", "/home/user/x.py"),
        ("HF_TOKEN=abcdefgh", "HF_TOKEN=<secret>"),
        ("hf_abcdefghijkl", "<token>"),
        ("--api-key: 'abc-def'", "--api-key: '<secret>'"),
        ("Authorization: Bearer abc.def", "Authorization: Bearer <secret>"),
        ("https://me:pw@example.org/x", "https://<secret>@example.org/x"),
        ("maria@example.org", "<mail>"),
        ("10.1.2.3:8000", "<ip>:8000"),
        ("fe80:0:0:0:1:2:3:4", "<ip>"),
        ("node7.cluster.internal", "<host>"),
        ("Jul  2 18:16:49 bigbox python3[12]: x", "Jul  2 18:16:49 <host> python3[12]: x"),
        ("bigbox:822:822 [0] NCCL INFO x", "<host>:822:822 [0] NCCL INFO x"),
        ("GPU-12345678-1234-1234-1234-123456789abc", "GPU-<uuid>"),
    ],
)
def test_personal_things_go(personal: str, left: str) -> None:
    assert redact(personal) == left


@pytest.mark.parametrize(
    "text",
    [
        "127.0.0.1:8000",
        "torch 2.6.0+cu126, vllm 0.19.1, driver 570.86.15",
        "sm_120 gfx942 fp8_e4m3 head_dim=256 Xid 79",
        "max_num_batched_tokens: 8192",
        "Avg generation throughput: 12.0 tokens/s",
        "/usr/lib/python3.12/site-packages/vllm/engine.py",
    ],
)
def test_what_carries_meaning_stays(text: str) -> None:
    assert redact(text) == text


@given(st.text(max_size=200))
def test_redacting_twice_changes_nothing(text: str) -> None:
    assert redact(redact(text)) == redact(text)
