"""Scanning finds in a log what matching finds line by line, however the log is cut."""

from __future__ import annotations

import html
import random
import tracemalloc
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpu_gotchas.search.anchors import choose
from gpu_gotchas.search.build import build_index
from gpu_gotchas.search.engine import Search
from gpu_gotchas.search.index import Index
from gpu_gotchas.search.lines import LONGEST_LINE, OVERLAP, lines_of
from gpu_gotchas.search.match import Matcher
from gpu_gotchas.search.normalise import clean
from gpu_gotchas.search.scan import BLOCK, Finding, Scanner
from tests.corpus.noise import healthy_lines
from tests.search.logs import healthy_log
from tests.search.samples import record, signature, symptom, write_records

FP8 = "ValueError: type fp8e4nv not supported in this architecture. The supported fp8 dtypes are ('fp8e5',)"
OVERFLOW = "out of resource: shared memory, Required: 147456, Hardware limit: 101376"


def scan(index: Index, *chunks: bytes) -> dict[str, Finding]:
    scanner = Scanner(index)
    for chunk in chunks:
        scanner.feed(chunk)
    scanner.finish()
    return {found.hit.record: found for found in scanner.findings()}


def test_every_gotcha_is_found_with_its_lines(index: Index) -> None:
    log = f"{healthy_log(100)}{FP8}\n{healthy_log(50)}{FP8}\n{OVERFLOW}\n"
    found = scan(index, log.encode())
    assert found["sample-fp8e4nv-refused"].places == (101, 152)
    assert found["sample-fp8e4nv-refused"].met == 2
    assert found["sample-smem-decode"].places == (153,)


def test_what_speaks_against_a_gotcha_is_said(index: Index) -> None:
    """As `search` does: a card that the record is not about, and a test that passed."""
    sure = scan(index, f"running on sm_86\n{FP8}\n".encode())["sample-fp8e4nv-refused"]
    assert sure.against == ()
    other = scan(index, f"running on sm_90\n{FP8}\n".encode())["sample-fp8e4nv-refused"]
    assert "sm_90" in other.against[0]
    passed = scan(index, f"{FP8} PASSED\n".encode())["sample-fp8e4nv-refused"]
    assert "passed" in passed.against[0]


def test_a_healthy_log_holds_none(index: Index) -> None:
    assert scan(index, healthy_log(5_000).encode()) == {}


@pytest.mark.parametrize(
    "line",
    [
        f"\x1b[31m{FP8.replace('not', chr(27) + '[1mnot' + chr(27) + '[0m')}\x1b[0m",
        f"vllm-1  | [rank3]: {FP8}",
        FP8.replace(" ", "  "),
        FP8.replace(" ", "\t"),
        f"{FP8}\r",
        f"10%\r20%\r{FP8}\rdone",
        f"{'x' * 30_000} {FP8}",
    ],
)
def test_noise_in_a_line_hides_nothing(index: Index, line: str) -> None:
    assert scan(index, f"first\n{line}\nlast\n".encode())["sample-fp8e4nv-refused"].places == (2,)


def test_what_powershell_redirects_is_read(index: Index) -> None:
    assert "sample-fp8e4nv-refused" in scan(index, f"first\r\n{FP8}\r\n".encode("utf-16"))


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_its_mark_is_read(index: Index, encoding: str) -> None:
    assert "sample-fp8e4nv-refused" in scan(index, f"first\r\n{FP8}\r\n".encode(encoding))


WRAPPINGS = {
    "nothing": lambda text: text,
    "colour": lambda text: f"\x1b[1;31m{text}\x1b[0m",
    "cursor": lambda text: f"\x1b[2K\x1b[1A{text[:20]}\x1b[?25l{text[20:]}\x1b[K",
    "link": lambda text: f"{text[:9]}\x1b]8;;file:///a b/c.py\x07{text[9:30]}\x1b]8;;\x07{text[30:]}",
    "link, other end": lambda text: f"\x1b]8;id=1;https://example.org\x1b\\{text}\x1b]8;;\x1b\\",
    "device control": lambda text: f"{text[:12]}\x1bPq#0;2;0;0;0\x1b\\{text[12:]}",
    "zeros": lambda text: "\0".join(text),
    "controls": lambda text: f"{text[:7]}\x08\x0b{text[7:14]}\x7f\x85{text[14:]}",
    "invisible": lambda text: "\u200b".join(text).replace("8", "8\ufeff\u2060"),
    "no-break": lambda text: text.replace(" ", "\u00a0 \u202f"),
    "wide blanks": lambda text: text.replace(" ", "\u2003\t\u3000"),
    "entities": lambda text: html.escape(text),
    "twice entities": lambda text: html.escape(html.escape(text)),
    "numbered": lambda text: text.replace("'", "&#39;").replace(" ", "&nbsp;"),
    "quotes": lambda text: text.replace("'", "\u2019").replace('"', "\u201c"),
    "progress": lambda text: f"10%\r50%\r{text}\rdone",
    "far": lambda text: f"{'x' * 30_000} {text} {'y' * 20_000}",
    "web": lambda text: f"&lt;code&gt;{text}&lt;/code&gt; a=1&b=2; c",
}
"""What the normaliser undoes, as programs, terminals and web pages do it."""

QUOTED = "NotImplementedError: \"sample_cast\" not implemented for 'Float8_e4m3fn' & <unknown>"
SIGNATURES = {
    "sample-fp8": FP8[12:60],
    "sample-smem": "{required:int}, Hardware limit: 101376",
    "sample-cast": QUOTED,
}


@pytest.fixture(scope="module")
def wrapped(tmp_path_factory: pytest.TempPathFactory) -> Index:
    root: Path = tmp_path_factory.mktemp("wrapped")
    records = [record(name, symptom=symptom(signature(text))) for name, text in SIGNATURES.items()]
    write_records(root, records)
    return Index(build_index(root))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from(sorted(WRAPPINGS)), min_size=1, max_size=3, unique=True),
    st.sampled_from([FP8, OVERFLOW, QUOTED]),
    st.integers(0, 40),
)
def test_it_finds_what_search_finds_however_a_line_is_wrapped(
    wrapped: Index, names: list[str], text: str, before: int
) -> None:
    for name in names:
        text = WRAPPINGS[name](text)
    data = f"{'INFO all is well' * (before > 20)}\n{'-' * before}\n{text}\nlast\n".encode()
    run = Search(wrapped)
    run.feed(lines_of([data]))
    found = {result.id for result in run.answer().results if result.by == "signature"}
    assert set(scan(wrapped, data)) == found
    if len(names) == 1:
        assert found, "the normaliser undoes it"


def test_a_signature_across_a_cut_of_an_endless_line_is_found_once(index: Index) -> None:
    for at in (LONGEST_LINE - 20, LONGEST_LINE - OVERLAP + 10, 4 * BLOCK - 20, 4 * BLOCK - OVERLAP + 10):
        line = b"-" * at + FP8.encode() + b"-" * (2 * BLOCK)
        found = scan(index, *(line[start : start + 50_000] for start in range(0, len(line), 50_000)))
        assert found["sample-fp8e4nv-refused"].met == 1


@pytest.mark.parametrize(
    ("log", "said"),
    [
        (f"torch.OutOfMemoryError: CUDA out of memory.\n{'ok' * 9}\n{FP8}\n", "line 1 came first"),
        (
            f"KeyError: 'x'\nDuring handling of the above exception, another exception occurred:\n{FP8}\n",
            "line 1",
        ),
        (f"Signal 11 (SIGSEGV) received by PID 7\n{FP8}\n", "line 1 came first"),
    ],
)
def test_an_earlier_failure_speaks_against_it(index: Index, log: str, said: str) -> None:
    assert said in scan(index, log.encode())["sample-fp8e4nv-refused"].against[0]


def test_a_signature_is_followed_over_blocks(index: Index) -> None:
    first, last = (
        "planning invented pages for 12 layers",
        "RuntimeError: invented page 24 is not divisible by 7",
    )
    between = ("-" * 2_000 + "\n") * (BLOCK // 2_000 + 10)
    found = scan(index, f"{first}\n{between}{last}\n".encode())
    assert found["sample-page-size"].hit.lines[1].number == between.count("\n") + 2


def test_context_decides_which_of_two_strangers_is_meant(index: Index) -> None:
    found = scan(index, f"in _invented_gemm_kernel\n{OVERFLOW}\n".encode())
    assert set(found) == {"sample-smem-gemm"}


LINES = [
    "ab 1",
    "ab 12 cd",
    "z cd q",
    "ef",
    "x7y ef",
    "ab cd",
    "nothing",
    "an inner word 5 here",
    "inner word",
    "12 34",
]
TEMPLATES = ["ab {int}", "{any} cd", "ef", "x{x:int}y", "inner word {int}", "cd {word}", "12 {int}"]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.lists(st.sampled_from(TEMPLATES), min_size=1, max_size=3), min_size=1, max_size=3),
    st.lists(st.sampled_from(LINES), max_size=12),
    st.lists(st.integers(0, 100), max_size=4),
)
def test_it_finds_what_matching_finds(
    tmp_path_factory, signatures: list[list[str]], lines: list[str], cuts: list[int]
) -> None:
    root: Path = tmp_path_factory.mktemp("records")
    write_records(root, [record("sample-any", symptom=symptom(*(signature(*one) for one in signatures)))])
    index = Index(build_index(root))
    data = "\n".join(lines).encode()
    matcher = Matcher(index)
    matcher.feed([line._replace(text=clean(line.text)) for line in lines_of([data])])
    places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    found = scan(index, *(data[start:stop] for start, stop in pairwise(places)))
    hits = [hit for hit in matcher.hits() if not hit.generic]
    assert bool(found) == bool(hits)


def test_a_log_of_any_size_is_scanned_in_constant_memory(index: Index) -> None:
    chance = random.Random(1)
    chunk = healthy_lines(3_000, chance).encode()
    scanner = Scanner(index)
    scanner.feed(chunk * 8)
    tracemalloc.start()
    for _ in range(40):
        scanner.feed(chunk)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 12 * BLOCK, f"{peak} bytes for {40 * len(chunk)} bytes of log"


def test_a_line_without_an_end_is_not_held_whole(index: Index) -> None:
    scanner = Scanner(index)
    for _ in range(30):
        scanner.feed(b"y" * BLOCK)
        assert len(scanner._rest) <= 5 * BLOCK


@given(st.lists(st.binary(min_size=1, max_size=12), max_size=12), st.binary(max_size=60))
def test_every_literal_holds_its_anchor(literals: list[bytes], sample: bytes) -> None:
    chosen = choose(literals, sample)
    assert {literal for held in chosen.values() for literal in held} == set(literals)
    assert all(anchor in literal for anchor, held in chosen.items() for literal in held)
