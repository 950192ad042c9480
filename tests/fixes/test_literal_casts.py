"""Literal casts are found where they are, and nowhere else."""

from __future__ import annotations

import pytest

from gpu_gotchas.fixes.literal_casts import LiteralCast, check, literal_casts
from gpu_gotchas.fixes.refused import Refused


@pytest.mark.parametrize(
    ("line", "dtype"),
    [
        ("q = q.to(torch.bfloat16)", "bfloat16"),
        ("q = q.to(dtype=torch.float16, copy=True)", "float16"),
        ("q = q.to(device, torch.half)", "float16"),
        ("q = q.type(torch.bfloat16)", "bfloat16"),
        ("q = q.bfloat16()", "bfloat16"),
        ("q = (a + b).half()", "float16"),
        ("p = p.to(tl.bfloat16)", "bfloat16"),
        ("p = tl.cast(p, tl.float16)", "float16"),
        ("return bmm(q.to(torch.bfloat16), w)", "bfloat16"),
    ],
)
def test_a_cast_by_name_is_found(line: str, dtype: str) -> None:
    (found,) = literal_casts(f"def f(q):\n    x = 1\n    {line}\n")
    assert (found.line, found.dtype) == (3, dtype)


@pytest.mark.parametrize(
    "line",
    [
        "q = q.to(k.dtype)",
        "q = q.to(dtype)",
        "q = q.to(torch.float32)",
        "q = torch.zeros(3, dtype=torch.bfloat16)",
        "if q.dtype == torch.bfloat16: pass",
        "q = q.to(device)",
        "q = q.half(3)",
        "s = 'q.to(torch.bfloat16)'",
    ],
)
def test_nothing_else_is(line: str) -> None:
    assert literal_casts(f"def f(q):\n    {line}\n") == ()


def test_casts_come_in_the_order_of_lines() -> None:
    found = literal_casts("a = b(c.half())\nd = e.to(torch.bfloat16)\n")
    assert found == (
        LiteralCast(1, "float16", "c.half()"),
        LiteralCast(2, "bfloat16", "e.to(torch.bfloat16)"),
    )


def narrow(q):  # type: ignore[no-untyped-def]
    return q.bfloat16()


def test_a_model_of_the_other_dtype_is_refused_and_one_of_the_same_is_not() -> None:
    check(narrow, "torch.bfloat16")
    with pytest.raises(Refused) as refusal:
        check(narrow, "torch.float16")
    assert refusal.value.capability == "a float16 model"
    assert "q.bfloat16()" in refusal.value.setting
    assert "bfloat16" in refusal.value.way_out
