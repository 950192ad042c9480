"""What the records and candidates that ship answer to texts whose answer is known for a reason."""

from __future__ import annotations

import pytest

from gpu_gotchas.search import Verdict, search
from gpu_gotchas.search.index import Index

SPEC = "spec-verify-attention-bf16-only"
DTYPES = "triton.compiler.errors.CompilationError: Both operands must be same dtype. Got bf16 and fp16"


def test_a_line_that_strangers_print_too_is_only_likely_without_its_context(shipped: Index) -> None:
    """pytorch/ao#4614 has this line from a kernel of its own."""
    alone = search(f"in _quantized_matmul\n{DTYPES}", index=shipped)
    assert alone.verdict is Verdict.LOOKS_LIKE
    meant = search(f"in _spec_attn_partial\n{DTYPES}", index=shipped)
    assert (meant.verdict, meant.results[0].id) == (Verdict.THIS_IS_IT, SPEC)


@pytest.mark.parametrize(
    "text",
    [
        "RuntimeError: CUDA error: an illegal memory access was encountered",
        "CUDA kernel errors might be asynchronously reported at some other API call",
        "RuntimeError: CUDA error: device-side assert triggered",
        "RuntimeError: Engine core initialization failed. See root cause above.",
    ],
)
def test_what_is_printed_later_than_it_happens_decides_nothing(shipped: Index, text: str) -> None:
    answer = search(text, index=shipped)
    assert answer.verdict is Verdict.NOT_KNOWN
    assert answer.collect


def test_candidates_say_what_helped_and_where_to_read_of_it(shipped: Index) -> None:
    """What people did is in the prose of many; a sentence that says so plainly is shown, and no denial."""
    entries = [entry for entry in shipped.records() if entry["status"] == "candidate"]
    helped = [entry["helped"] for entry in entries if entry["helped"]]
    assert len(helped) >= 60
    assert not [text for text in helped if "nothing" in text.lower() or " not " in text]
    assert all(entry["reports"] for entry in entries if entry["reporters"])
    assert all(len(entry["reports"]) <= 2 for entry in entries)


def test_every_candidate_is_only_likely(shipped: Index) -> None:
    for entry in shipped.records():
        if entry["status"] == "candidate":
            for signature in entry["signatures"]:
                text = "\n".join((*signature["context"], *signature["lines"]))
                answer = search(text, index=shipped)
                assert answer.verdict is not Verdict.THIS_IS_IT or answer.results[0].id != entry["id"]
