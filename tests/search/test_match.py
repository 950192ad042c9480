from __future__ import annotations

from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpu_gotchas.records.loading import load_all
from gpu_gotchas.records.templates import match_signature
from gpu_gotchas.search.build import build_index
from gpu_gotchas.search.index import Index
from gpu_gotchas.search.lines import Line
from gpu_gotchas.search.match import WINDOW, Hit, Matcher
from tests.search.samples import record, signature, symptom, write_records


def hits(index: Index, lines: list[str], block: int = 7) -> dict[str, Hit]:
    matcher = Matcher(index)
    numbered = [Line(number, text) for number, text in enumerate(lines, start=1)]
    for start in range(0, len(numbered), block):
        matcher.feed(numbered[start : start + block])
    return {hit.record: hit for hit in matcher.hits()}


def test_templates_are_met_in_order_on_several_lines(index: Index) -> None:
    lines = [
        "planning invented pages for 12 layers",
        "noise",
        "RuntimeError: invented page 24 is not divisible by 7",
    ]
    hit = hits(index, lines)["sample-page-size"]
    assert [seen.number for seen in hit.lines] == [1, 3]
    assert [seen.holes for seen in hit.lines] == [{"layers": "12"}, {"page": "24", "block": "7"}]
    assert "sample-page-size" not in hits(index, lines[::-1])


def test_the_error_itself_is_met_rather_than_the_code_that_raises_it(index: Index) -> None:
    error = "RuntimeError: invented page 24 is not divisible by 7"
    lines = ["planning invented pages for 12 layers", f'raise Refused("{error}")']
    assert [seen.number for seen in hits(index, lines)["sample-page-size"].lines] == [1, 2]
    assert [seen.number for seen in hits(index, [*lines, error])["sample-page-size"].lines] == [1, 3]


def test_context_is_seen_before_and_after(index: Index) -> None:
    overflow = "out of resource: shared memory, Required: 9, Hardware limit: 8"
    frame = "in _invented_decode_stage1"
    for lines in ([overflow, frame], [frame, overflow]):
        found = hits(index, lines)
        assert len(found["sample-smem-decode"].context) == 1
        assert found["sample-smem-gemm"].context == ()


def test_templates_further_apart_than_the_window_are_two_stories(index: Index) -> None:
    first, last = (
        "planning invented pages for 1 layers",
        "RuntimeError: invented page 2 is not divisible by 3",
    )
    assert "sample-page-size" in hits(index, [first, *["-"] * (WINDOW - 2), last], block=500)
    assert "sample-page-size" not in hits(index, [first, *["-"] * WINDOW, last], block=500)
    assert "sample-page-size" in hits(index, [first, *["-"] * WINDOW, first, last], block=500)


TEMPLATES = [
    "ab {int}",
    "{any} cd",
    "ab {int} cd",
    "ef",
    "x{x:int}y",
    "cd {word}",
    "one inner word {int}",
    "{word} inner",
]
LINES = st.lists(
    st.sampled_from(
        [
            "ab 1",
            "ab 12 cd",
            "z cd q",
            "ef",
            "x7y ef",
            "x y",
            "ab cd",
            "nothing",
            "some one inner word 5",
            "inner word",
        ]
    ),
    max_size=8,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(st.sampled_from(TEMPLATES), min_size=1, max_size=3), min_size=1, max_size=3), LINES)
def test_a_stream_matches_as_the_whole_does(
    tmp_path_factory, signatures: list[list[str]], lines: list[str]
) -> None:
    root: Path = tmp_path_factory.mktemp("records")
    write_records(root, [record("sample-any", symptom=symptom(*(signature(*one) for one in signatures)))])
    found = Matcher(Index(build_index(root)))
    for number, text in enumerate(lines):
        found.feed([Line(number, text)])
    expected = [match_signature(one, lines) for one in load_all(root)[0].symptom.signatures]
    streamed = {hit.signature: [seen.holes for seen in hit.lines] for hit in found.hits()}
    assert set(streamed) == {number for number, match in enumerate(expected) if match}
