"""Lines that hold an error and are none: words about it, lists, tests, quotations, and that it is over."""

from __future__ import annotations

import json

import pytest

from gpu_gotchas.search import Verdict, search
from gpu_gotchas.search.index import Index
from gpu_gotchas.search.strength import Strength
from tests.search.pasted import FP8, HEAD, LINKS


@pytest.mark.parametrize(
    "text",
    [
        "tests/test_fp8.py::test_says[type fp8e4nv not supported in this architecture] PASSED [ 20%]",
        f"ok 3 - {FP8}",
        f"test_says ({FP8}) ... ok",
        f'with pytest.raises(CompilationError, match="{FP8}"):',
        f"Changelog: {FP8} (#1234)",
        f"Skipping autotune config: {FP8}",
        f"Upgrading to triton 3.4 avoids: {FP8}",
        "I read that type fp8e4nv not supported in this architecture means there is no E4M3 below Ada.",
        'The error "type fp8e4nv not supported in this architecture" is what older cards print.',
        "what does type fp8e4nv not supported in this architecture mean?",
        "when type fp8e4nv not supported in this architecture is raised, we fall back to int8",
        "INFO 10-06 14:26:10 [fp8.py:4] type fp8e4nv not supported in this architecture, using Marlin",
        "WARNING [fp8.py:1] type fp8e4nv not supported in this architecture, falling back to Marlin",
        'raise ValueError(f"type fp8e4nv not supported in this architecture. The supported types are {x}")',
        "Fixed: docs say type fp8e4nv not supported in this architecture on Ampere",
    ],
)
def test_words_about_the_error_are_not_the_error(shipped: Index, text: str) -> None:
    assert search(text, index=shipped).verdict is not Verdict.THIS_IS_IT


LISTED = [
    f"RuntimeError: no backend fits. TRITON_ATTN: [{FP8}], FLASH_ATTN: [head size]",
    f"ValueError: Reasons: {{'FLASH': ['head size'], 'TRITON_ATTN': ['{FP8}']}}",
    f"RuntimeError: no backend fits. TRITON_ATTN: [ValueError: {FP8}], FLASH_ATTN: [head size]",
    f"RuntimeError: no backend fits: {{'FLASH': 'head size', 'TRITON': 'ValueError: {FP8}'}}",
    f"RUN echo 'ValueError: {FP8}'",
    f"grep -n 'ValueError: {FP8}' server.log",
    f"expected: ValueError: {FP8}",
    f"RuntimeError: none is valid: ['head size not supported', '{FP8}']",
    f"RuntimeError: this happens because {FP8}",
]


@pytest.mark.parametrize("text", LISTED)
def test_one_reason_in_the_message_of_another_error_is_not_that_error(shipped: Index, text: str) -> None:
    assert search(text, index=shipped).verdict is Verdict.LOOKS_LIKE


NO_FAILURE = [
    f"-{FP8}",
    f"+{FP8}",
    f"- ValueError: {FP8}",
    f"# {FP8}",
    f"// CHECK: error: {FP8}",
    f"~~{FP8}~~",
    f"✓ {FP8}",
    f"PASS: {FP8}",
    f"[  OK  ] {FP8}",
    f"tests/test_a.py:12: {FP8}",
    f'pytest.skip("{FP8}")',
    f"SKIP {FP8}",
    f"resolved: {FP8}",
    f"{FP8} (closed)",
    f'pattern = "{FP8}"',
]
BESIDE = [
    f"ValueError: {FP8}\nThat is gone now.",
    f"ValueError: {FP8}\n1 passed in 2s",
    f"I do not get this any more\nValueError: {FP8}",
    f"ValueError: {FP8}\nINFO: Application startup complete.",
    f"```\nValueError: {FP8}\n```\nThis is what older cards print.",
    f"## Changelog\n\nValueError: {FP8}",
    f"commit 0123456789abcdef\n\n    ValueError: {FP8}",
    f"FAQ\nValueError: {FP8}",
    f"fix(attention): cast keys\n\nValueError: {FP8}",
]


@pytest.mark.parametrize("text", [*NO_FAILURE, *BESIDE])
def test_what_is_no_failure_or_is_over_is_fair_at_most(shipped: Index, text: str) -> None:
    answer = search(text, index=shipped)
    assert answer.verdict is Verdict.LOOKS_LIKE
    assert answer.strength is not Strength.STRONG


NOT_BESIDE = [
    json.dumps({"log": f"{HEAD}\nValueError: {FP8}\n\n{LINKS[0]}\n\nRuntimeError: x"}),
    f"vllm does not start any more\nValueError: {FP8}",
    f"1 failed, 3 passed in 2s\nValueError: {FP8}",
    f"```\nValueError: {FP8}\n```",
    f'level=error msg="ValueError: {FP8}"',
    f"##[error]ValueError: {FP8}",
]


@pytest.mark.parametrize("text", NOT_BESIDE)
def test_what_only_looks_like_being_over_takes_no_certainty(shipped: Index, text: str) -> None:
    assert search(text, index=shipped).verdict is Verdict.THIS_IS_IT


HANDED_ON = [
    f"RuntimeError: Worker failed with error 'ValueError: {FP8}'",
    f'{{"error": {{"message": "ValueError: {FP8}", "code": 500}}}}',
    f"E   ValueError: {FP8}",
    f"RuntimeError: ValueError: {FP8}",
    f"server.log:1234:ValueError: {FP8}",
    f'{{"MESSAGE": "ValueError: {FP8}", "PRIORITY": "3"}}',
    f'{{"stream": "stderr", "log": "ValueError: {FP8}"}}',
]


@pytest.mark.parametrize("text", HANDED_ON)
def test_an_error_that_is_handed_on_whole_is_that_error(shipped: Index, text: str) -> None:
    assert search(text, index=shipped).verdict is Verdict.THIS_IS_IT
