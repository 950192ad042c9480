from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from gpu_gotchas.records.problems import RecordErrors
from gpu_gotchas.records.yaml_nodes import (
    MAX_BYTES,
    MAX_DEPTH,
    Scalar,
    ScalarKind,
    Table,
    compose,
    kind_of,
    line_index,
    read_yaml,
)

LOADERS = [yaml.SafeLoader] + ([yaml.CSafeLoader] if yaml.__with_libyaml__ else [])
HERE = Path("gotcha.yaml")


def refusal(text: str, loader: Any) -> list[tuple[int | None, str]]:
    with pytest.raises(RecordErrors) as caught:
        compose(text, HERE, loader)
    return [(problem.line, problem.message) for problem in caught.value.problems]


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        ("a: 1\nb: 2\na: 3\n", 3, "key 'a' stands twice: line 1 has it already"),
        ("a:\n  b: {c: 1,\n    c: 2}\n", 3, "key 'c' stands twice: line 2"),
        ("a: &x 1\n", 1, "anchor &x is not allowed"),
        ("a: 1\nb: *x\n", 2, "alias *x is not allowed"),
        ("a: 1\nb: !!python/object:os.system x\n", 2, "tag tag:yaml.org,2002:python/object:os.system"),
        ("a: !!str 1\n", 1, "tag tag:yaml.org,2002:str is not allowed"),
        ("%YAML 1.1\n---\na: 1\n", 1, "directives"),
        ("a: 1\n---\nb: 2\n", 2, "a second document"),
        ("a: 1\n\tb: 2\n", 2, "U+0009"),
        ("a: 1\nb: x\u202ey\n", 2, "U+202E (right-to-left override)"),
        ("a: 1\nb: x\u200by\n", 2, "U+200B (zero width space)"),
        ("# \u0430dmin\n", 1, "U+0430 (cyrillic small letter a)"),
        ("a: \uff21\n", 1, "U+FF21 (fullwidth latin capital letter a)"),
        ("a: b\u00a0c\n", 1, "use an ordinary blank"),
        ("a: x \u2013 y\n", 1, 'use "-"'),
        ("\ufeffa: 1\n", 1, "byte order mark"),
        ("a: \x07\n", 1, "U+0007"),
        ("a: \x7f\n", 1, "U+007F"),
        ('a: 1\nb: "\\u202e"\n', 2, "U+202E"),
        ('a: 1\nb: "\\e[31m"\n', 2, "U+001B"),
        ('a: "x\\0"\n', 1, "U+0000"),
        ("a: [1\n", None, "is not YAML"),
        ("a: b: c\n", 1, 'quote text that holds ": "'),
        ("? [a]\n: 1\n", 1, "a key must be a word"),
        ("", None, "is empty"),
        ("# only a comment\n", None, "is empty"),
        ("[" * 40, None, "levels deep"),
        ("a: {" * 40, None, "levels deep"),
        ('a: "\\UFFFFFFFF"', None, "is not YAML"),
        ('a: "\\ud800"', None, ""),
    ],
)
def test_refused(text: str, line: int | None, part: str, loader: Any) -> None:
    found = refusal(text, loader)
    assert any(part in message and (line is None or at == line) for at, message in found), found


@pytest.mark.parametrize("loader", LOADERS)
def test_anchors_tags_and_keys_are_told_together(loader: Any) -> None:
    found = refusal("a: &x 1\nb: !t 2\nc: *x\na: 4\n", loader)
    assert [line for line, _ in found] == [1, 2, 3, 4]


@pytest.mark.parametrize("loader", LOADERS)
def test_lines_and_kinds(loader: Any) -> None:
    node = compose("a:\n  - x\n  - {on: yes, q: 'yes'}\nb: >-\n  one\n  two\n", HERE, loader)
    assert line_index(node) == {"": 1, "a": 1, "a[0]": 2, "a[1]": 3, "a[1].on": 3, "a[1].q": 3, "b": 4}
    assert isinstance(node, Table)
    assert node.entries[1].node == Scalar(4, "one two", ScalarKind.TEXT)


@pytest.mark.parametrize("loader", LOADERS)
def test_windows_line_ends_are_let_in(loader: Any) -> None:
    assert compose("a: x\r\nb: y\r\n", HERE, loader) == compose("a: x\nb: y\n", HERE, loader)


@pytest.mark.parametrize("text", ["é", "ß", "…", "2 × 3 ≤ 7", "12 µs", "±1"])
def test_signs_that_look_like_nothing_else_are_let_in(text: str) -> None:
    node = compose(f"a: {text}\n", HERE)
    assert isinstance(node, Table)
    assert node.entries[0].node == Scalar(1, text, ScalarKind.TEXT)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("", ScalarKind.NULL),
        ("null", ScalarKind.NULL),
        ("~", ScalarKind.NULL),
        ("true", ScalarKind.BOOLEAN),
        ("12", ScalarKind.INTEGER),
        ("-3", ScalarKind.INTEGER),
        ("8.9", ScalarKind.NUMBER),
        ("1e-3", ScalarKind.NUMBER),
        ("+1", ScalarKind.NUMBER),
        ("2026-11-30", ScalarKind.DATE),
        ("2026-11-30 10:00:00", ScalarKind.DATE),
        ("yes", ScalarKind.ODD),
        ("Off", ScalarKind.ODD),
        ("True", ScalarKind.ODD),
        ("0x1f", ScalarKind.ODD),
        ("1_000", ScalarKind.ODD),
        ("12:30", ScalarKind.ODD),
        (".inf", ScalarKind.ODD),
        ("3.0.0", ScalarKind.TEXT),
        ("sm_86", ScalarKind.TEXT),
        ("fp8", ScalarKind.TEXT),
    ],
)
def test_what_a_plain_scalar_is_to_yaml(value: str, kind: ScalarKind) -> None:
    assert kind_of(value) is kind


@given(st.text(max_size=30))
def test_no_other_reader_sees_more_than_text_in_what_counts_as_text(value: str) -> None:
    if kind_of(value) is ScalarKind.TEXT:
        try:
            read = yaml.safe_load(value)
        except yaml.YAMLError:
            return
        assert read is None or isinstance(read, str | list | dict)


def test_a_large_file_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "gotcha.yaml"
    path.write_bytes(b"a: " + b"x" * MAX_BYTES)
    with pytest.raises(RecordErrors, match="larger than 512 KiB"):
        read_yaml(path)


def test_invalid_utf8_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "gotcha.yaml"
    path.write_bytes(b"a: 1\nb: \xff\n")
    with pytest.raises(RecordErrors) as caught:
        read_yaml(path)
    assert [(problem.line, problem.message) for problem in caught.value.problems] == [
        (2, "is not valid UTF-8: save the file as UTF-8")
    ]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RecordErrors, match="cannot be read"):
        read_yaml(tmp_path / "gotcha.yaml")
    with pytest.raises(RecordErrors, match="cannot be read"):
        read_yaml(tmp_path)


def test_the_deepest_record_that_is_let_in() -> None:
    compose("[" * MAX_DEPTH + "]" * MAX_DEPTH, HERE)
    with pytest.raises(RecordErrors, match="levels deep"):
        compose("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), HERE)


PIECES = [
    "a",
    ": ",
    "\n",
    "  ",
    "- ",
    "[",
    "]",
    "{",
    "}",
    ",",
    "&x ",
    "*x",
    "!t ",
    "'",
    '"',
    "#",
    "|",
    ">",
    "? ",
    "---",
    "\\u",
]


@given(st.one_of(st.lists(st.sampled_from(PIECES), max_size=40).map("".join), st.text(max_size=60)))
@example("%TAG ! x\n---\n")
@example('"\\xZZ"')
@example("!<")
def test_nothing_but_record_errors_is_raised(text: str) -> None:
    for loader in LOADERS:
        try:
            compose(text, HERE, loader)
        except RecordErrors:
            continue


@given(st.binary(max_size=60))
def test_no_bytes_raise_anything_else(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "bytes.yaml"
    path.write_bytes(raw)
    try:
        read_yaml(path)
    except RecordErrors:
        return


def test_a_caller_may_allow_a_larger_file(tmp_path: Path) -> None:
    path = tmp_path / "_candidates.yaml"
    path.write_bytes(b"a: " + b"x" * MAX_BYTES)
    assert isinstance(read_yaml(path, most=2 * MAX_BYTES), Table)
    with pytest.raises(RecordErrors, match="larger than 1 KiB"):
        read_yaml(path, most=1024)
