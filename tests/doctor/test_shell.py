"""A shell's text: what is run, as a shell would, and what is only written down."""

from __future__ import annotations

import shlex
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.doctor.command.shell import commands_of_text, commands_of_words


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("a b # c d", [["a", "b"]]),
        ("a b#c '#' \"# d\" \\# e", [["a", "b#c", "#", "# d", "#", "e"]]),
        ("# nothing\na", [["a"]]),
        ("a && b || c; d & e | f |& g", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"], ["g"]]),
        ("a '&&' b \";\" c", [["a", "&&", "b", ";", "c"]]),
        ("a\nb\r\nc", [["a"], ["b"], ["c"]]),
        ("a \\\n  b \\\r\n c", [["a", "b", "c"]]),
        ("a > log 2>&1 b >>log </dev/null c &> all", [["a", "b", "c"]]),
        ("a 2>err b", [["a", "b"]]),
        ("(a; b) && { c; }", [["a"], ["b"], ["c"]]),
        ("if x; then a; else b; fi", [["x"], ["a"], ["b"]]),
        ("while ! x; do a; done", [["x"], ["a"]]),
        ("cat <<EOF > f\nvllm serve no\nEOF\na", [["cat"], ["a"]]),
        ("cat <<-'E' | b\n x\n\tE\na", [["cat"], ["b"], ["a"]]),
        ("a $(b; c | d) e", [["a", "$(b; c | d)", "e"]]),
        ('a "b $(c) \\"d\\"" e\'f\'g', [["a", 'b $(c) "d"', "efg"]]),
        ("M=x\na $M ${M} ${N:-y} ${N-z} $N", [["M=x"], ["a", "x", "x", "y", "z", "$N"]]),
        ("export M=x; a $M", [["export", "M=x"], ["a", "x"]]),
        ("a 'b", [["a", "b"]]),
        ("", []),
    ],
)
def test_text(text: str, commands: list[list[str]]) -> None:
    assert commands_of_text(text) == commands


@pytest.mark.parametrize(
    ("words", "commands"),
    [
        (["a", "#", "b"], [["a", "#", "b"]]),
        (["a", "&&", "b", ";", "c", "|", "d"], [["a"], ["b"], ["c"], ["d"]]),
        (["a;", "b"], [["a"], ["b"]]),
        (["a", ">", "log", "b", "2>&1", "c", "2>err"], [["a", "b", "c"]]),
        (["a", "\\", "b", "\n", "c"], [["a", "b"], ["c"]]),
        (["a", '{"x": 1}', "b c; d"], [["a", '{"x": 1}', "b c; d"]]),
        ([], []),
    ],
)
def test_words(words: list[str], commands: list[list[str]]) -> None:
    assert commands_of_words(words) == commands


@given(st.lists(st.text(st.sampled_from("ab'\"\\ #$;|&<>()\n\t{}=*~"), max_size=8), min_size=1, max_size=4))
def test_what_is_quoted_comes_out_as_it_was(words: list[str]) -> None:
    text = " ".join(map(shlex.quote, ["x", *words]))
    assert commands_of_text(f"{text} # more\ny") == [["x", *words], ["y"]]


@given(st.text(st.sampled_from("ab '\"\\#$;|&<>()\n{}`=E-!1"), max_size=60))
def test_no_text_raises_or_hangs(text: str) -> None:
    for command in commands_of_text(text):
        assert command
        assert all(isinstance(word, str) for word in command)


@pytest.mark.skipif(shutil.which("sh") is None, reason="there is no sh here")
@pytest.mark.parametrize(
    "text",
    [
        "p a b # c",
        "p 'a # b' c#d",
        "p a \\\n b; p c",
        'p "x y" z && p "q\\"r"',
        "M=3; p $M ${M} ${N:-4}",
        "p a > /dev/null b; p c 2>&1",
        "p '&&' ';' && p \\#",
    ],
)
def test_a_shell_passes_the_same_words(text: str) -> None:
    show = "p() { for word; do printf '%s\\n' \"$word\" >&2; done; }"
    ran = subprocess.run(["sh", "-c", f"{show}\n{text}"], check=True, capture_output=True, text=True)
    ours = [word for command in commands_of_text(text) if command[0] == "p" for word in command[1:]]
    # What goes to standard error and from there to standard output is still what was passed.
    assert [*ran.stderr.splitlines(), *ran.stdout.splitlines()] == ours
