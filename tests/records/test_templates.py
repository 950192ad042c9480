from __future__ import annotations

import re
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from gpu_gotchas.records import holes as holes_module
from gpu_gotchas.records import templates as templates_module
from gpu_gotchas.records.model import Basis, Signature
from gpu_gotchas.records.templates import LineMatch, Template, match_signature


def find(template: str, line: str) -> dict[str, str] | None:
    return Template.parse(template).find(line)


@pytest.mark.parametrize(
    ("template", "line", "values"),
    [
        ("out of resource", "triton.runtime.errors.OutOfResources: out of resource: shared memory", {}),
        ("Required: {required:int}, Hardware", "Required: 180224, Hardware limit", {"required": "180224"}),
        ("limit: {n:int}", "limit: -1", {"n": "-1"}),
        ("at {p:hex}", "read at 0x7f12ab90 failed", {"p": "0x7f12ab90"}),
        ("code {p:hex}", "code 0", {"p": "0"}),
        ('File "{f:path}", line {n:int}', 'File "/a/b c.py", line 3', None),
        ('File "{f:path}", line {n:int}', 'File "/a/b.py", line 3', {"f": "/a/b.py", "n": "3"}),
        ("{f:path}:{n:int}: error", "/a/b.cu:12: error: x", {"f": "/a/b.cu", "n": "12"}),
        ("dtype {t:word} is", "dtype torch.bfloat16 is wrong", {"t": "torch.bfloat16"}),
        ("from {a:any} to {b:any}!", "from here on to there!", {"a": "here on", "b": "there"}),
        ("got {a:any}", "got everything", {"a": "e"}),
        ("a  literal\twith blanks", "a literal    with\tblanks", {}),
        ("set {{x: {n:int}}}", "set {x: 5}", {"n": "5"}),
        ("{n:int} bytes", "x 1234 bytes", {"n": "1234"}),
        ("sm_{n:int}", "for sm_120 only", {"n": "120"}),
    ],
)
def test_find(template: str, line: str, values: dict[str, str] | None) -> None:
    assert find(template, line) == values


@pytest.mark.parametrize(
    ("template", "line"),
    [
        ("limit: 101376", "limit: 1013760"),
        ("limit: 101376", "limit 101376"),
        ("86 cards", "sm_186 cards"),
        ("{n:int} bytes", "no bytes"),
        ("at {p:hex}!", "at 0x!"),
        ("a{w:word}c", "a b c"),
        ("two words", "twowords"),
        ("x{a:any}x", "xx"),
        ("got {any}", "got "),
    ],
)
def test_no_match(template: str, line: str) -> None:
    assert find(template, line) is None


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("half {open", "'{' has no partner"),
        ("half} open", "'}' has no partner"),
        ("{number}", "{number} is no hole: there are {int}, {hex}, {path}, {word}, {any}"),
        ("x {} y", "{} is no hole"),
        ("x { int} y", "{ int} is no hole"),
        ("x {Big:int} y", "{Big:int} is no hole"),
        ("x {a:int} {a:int}", "'a' stands twice"),
        ("{int}{word}", "nothing but holes"),
    ],
)
def test_a_bad_template_says_why(template: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        Template.parse(template)


def test_longest_literal_and_shape() -> None:
    template = Template.parse("a {required:int}  longer  one {{}} {any} b")
    assert template.longest_literal == " longer one {} "
    assert template.shape == "a {int} longer one {{}} {any} b"
    assert Template.parse(template.shape).shape == template.shape


# Against regular expressions ------------------------------------------------------------------------------

REGEX = {
    "int": "-?[0-9]+",
    "hex": "(?:0x)?[0-9a-fA-F]+",
    "path": r"[^\s\"'<>|]+",
    "word": r"\S+",
    "any": ".+?",
}
EDGE = r"(?:(?<![0-9])|(?![0-9]))"

small_literals = st.text("a0x- ", min_size=1, max_size=3)
small_holes = st.sampled_from(sorted(REGEX))
small_parts = st.lists(
    st.one_of(small_literals, small_holes.map(lambda kind: (kind,))), min_size=1, max_size=6
)


def as_template(parts: list[Any]) -> str:
    """Holes get names by their place."""
    return "".join(
        part if isinstance(part, str) else "{" + f"h{number}:{part[0]}" + "}"
        for number, part in enumerate(parts)
    )


def as_regex(template: Template) -> re.Pattern[str]:
    pieces = [
        re.escape(part.text)
        if isinstance(part, holes_module.Literal)
        else f"(?P<{part.name}>{REGEX[part.kind]})"
        for part in template.parts
    ]
    return re.compile(EDGE + "".join(pieces) + EDGE)


@given(parts=small_parts, line=st.text("a0x-' f", max_size=14))
@example(parts=["a", ("int",), ("any",), "0"], line="a00")
@example(parts=[("hex",), "x"], line="00x0x")
@example(parts=[("any",), "a", ("word",)], line="a aaa")
def test_a_template_finds_what_its_regular_expression_finds(parts: list[Any], line: str) -> None:
    try:
        template = Template.parse(as_template(parts))
    except ValueError:
        assume(False)
        raise
    line = " ".join(line.split())
    expected = as_regex(template).search(line)
    assert template.find(line) == (expected.groupdict() if expected else None)


# Rendered and shifted -------------------------------------------------------------------------------------

VALUES = {
    "int": st.integers(-10_000, 10_000).map(str),
    "hex": st.integers(0, 2**40).map(hex),
    "path": st.from_regex(r"/[A-Z]{1,5}(/[A-Z.]{1,5}){0,2}", fullmatch=True),
    "word": st.from_regex(r"[A-Z]{1,8}", fullmatch=True),
    "any": st.lists(st.from_regex(r"[A-Z]{1,4}", fullmatch=True), min_size=1, max_size=3).map(" ".join),
}
lower_words = st.from_regex(r"[a-z]{4}", fullmatch=True)


@st.composite
def rendered(draw: Callable[..., Any], kinds: list[str]) -> tuple[list[str], str]:
    """The words of a template, of which two or more are literal and no two alike, and a line it prints."""
    literals = draw(st.lists(lower_words, min_size=2, max_size=5, unique=True))
    chosen = draw(st.lists(st.sampled_from(kinds), max_size=4))
    words = draw(st.permutations([*literals, *("{" + kind + "}" for kind in chosen)]))
    line = " ".join(draw(VALUES[word[1:-1]]) if word.startswith("{") else word for word in words)
    return words, line


@given(
    rendered(sorted(VALUES)),
    st.sampled_from(["", "(EngineCore pid=12) ", "E   "]),
    st.sampled_from(["", " [x]"]),
)
def test_what_a_template_prints_it_finds(case: tuple[list[str], str], before: str, after: str) -> None:
    words, line = case
    assert Template.parse(" ".join(words)).find(before + line + after) is not None


@given(rendered(["int", "hex", "path", "word"]), st.integers(1, 8))
def test_shifted_by_a_word_it_finds_nothing(case: tuple[list[str], str], by: int) -> None:
    words, line = case
    by %= len(words)
    assume(by)
    assert Template.parse(" ".join(words[by:] + words[:by])).find(line) is None


@given(rendered(["int", "word", "any"]), st.data())
def test_with_a_word_changed_it_finds_nothing(case: tuple[list[str], str], data: st.DataObject) -> None:
    words, line = case
    at = data.draw(st.sampled_from([n for n, word in enumerate(words) if not word.startswith("{")]))
    assert Template.parse(" ".join([*words[:at], words[at] + "q", *words[at + 1 :]])).find(line) is None


@given(st.text(max_size=40), small_parts)
def test_the_longest_literal_is_in_every_line_that_matches(line: str, parts: list[Any]) -> None:
    try:
        template = Template.parse(as_template(parts))
    except ValueError:
        return
    if template.find(line) is not None:
        assert template.longest_literal in templates_module.normal_blanks(line)


# Linear ---------------------------------------------------------------------------------------------------


def steps(template: str, line: str) -> int:
    """Lines of Python that `find` runs. None does more than pass over the line once."""
    parsed = Template.parse(template)
    parsed.find(line)
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        if frame.f_code.co_filename not in (holes_module.__file__, templates_module.__file__):
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        parsed.find(line)
    finally:
        sys.settrace(before)
    return count


ADVERSARIAL = [
    ("a{any}a{any}a{any}a{any}b", "a"),
    ("{int}{int}{int}{int}{int} bytes", "0"),
    ("{word}{word}{word}{word}!", "a"),
    ("{path}/{path}/{path}/{path}:", "/a"),
    ("{hex}{int}{hex}{int}x", "0x1"),
    ("a {any} b {any} c {any} d {any} e", "a b c d "),
    ("{word} {word} {word} end", "a "),
    ("aaaaaaab{any}c", "aaaaaaa"),
]


@pytest.mark.parametrize(("template", "unit"), ADVERSARIAL)
@pytest.mark.parametrize("end", ["", "b", " bytes", "!", ":", "x", "c", "e", " end"])
def test_steps_grow_no_faster_than_the_line(template: str, unit: str, end: str) -> None:
    short, long = (steps(template, unit * times + end) for times in (200, 1600))
    assert long <= 8 * short + 40
    assert long <= 40 * len(Template.parse(template).parts) + 5 * 1600 * len(unit) * len(
        Template.parse(template).parts
    )


@given(
    st.sampled_from([template for template, _ in ADVERSARIAL]), st.text("a0x/ :!b", min_size=1, max_size=6)
)
def test_steps_grow_no_faster_than_any_repeated_line(template: str, unit: str) -> None:
    short, long = (steps(template, unit * times) for times in (20, 160))
    assert long <= 8 * short + 8 * 40


# Signatures -----------------------------------------------------------------------------------------------


def signature(*lines: str, context: tuple[str, ...] = ()) -> Signature:
    return Signature(lines, Basis.PROVEN, context=context)


LINES = [
    "  File x.py, in _fwd_grouped_kernel_stage1",
    "noise",
    "OutOfResources: out of resource: shared memory, Required: 180224, Hardware limit: 101376",
]


def test_all_templates_in_order() -> None:
    match = match_signature(
        signature("_fwd_grouped_kernel_stage1", "Required: {required:int}, Hardware"), LINES
    )
    assert match is not None
    assert match.lines == (
        LineMatch("_fwd_grouped_kernel_stage1", 0, {}),
        LineMatch("Required: {required:int}, Hardware", 2, {"required": "180224"}),
    )
    assert match.values == {"required": "180224"}


def test_one_line_may_meet_several_templates() -> None:
    match = match_signature(signature("out of resource", "Hardware limit: {int}"), LINES)
    assert match is not None
    assert [each.line for each in match.lines] == [2, 2]


def test_out_of_order_is_no_match() -> None:
    assert match_signature(signature("out of resource", "_fwd_grouped_kernel_stage1"), LINES) is None


def test_a_missing_template_is_no_match() -> None:
    assert match_signature(signature("out of resource", "nowhere to be seen"), LINES) is None
    assert match_signature(signature("out of resource"), []) is None


def test_context_may_stand_anywhere_or_nowhere() -> None:
    wanted = signature("out of resource", context=("in _fwd_{word}", "nowhere to be seen"))
    match = match_signature(wanted, LINES)
    assert match is not None
    assert match.context == (LineMatch("in _fwd_{word}", 0, {}),)


def test_a_repeated_name_keeps_its_first_value() -> None:
    match = match_signature(signature("Required: {n:int}", "limit: {n:int}"), LINES)
    assert match is not None
    assert match.values == {"n": "180224"}
