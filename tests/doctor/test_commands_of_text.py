"""Commands as a shell reads them: comments, operators, several servers, what starts none."""

from __future__ import annotations

import shlex

import pytest

from gpu_gotchas.doctor.command.launch import CommandError, Launch, read_commands
from gpu_gotchas.records.settings import settings
from tests.doctor.samples import launches_of


def read(text: str) -> Launch:
    (launch,) = read_commands(shlex.split(text), settings())
    return launch


def test_a_comment_ends_a_command_in_text_and_is_refused_as_an_argument() -> None:
    (launch,) = launches_of("vllm serve m --dtype half # --dtype bfloat16")
    assert (launch.settings, launch.faults) == ({"dtype": "half"}, ())
    for launch in (
        read("vllm serve m --dtype half '#' --dtype bfloat16"),
        *launches_of("vllm serve m --port 80 '#' --dtype half"),
    ):
        assert launch.faults == ("vllm refuses '#': no flag takes it",)


@pytest.mark.parametrize(
    ("text", "started"),
    [
        ("vllm serve a && vllm serve b", ["a", "b"]),
        ("vllm serve a; sglang serve --model-path b", ["a", "b"]),
        ("vllm serve a | tee log & vllm serve b", ["a", "b"]),
        ("vllm serve a\nvllm serve b\n", ["a", "b"]),
        ("bash -c 'vllm serve a & vllm serve b; wait'", ["a", "b"]),
        ("docker run x bash -c 'vllm serve a && vllm serve b'", ["a", "b"]),
        ("ssh host 'vllm serve a; vllm serve b'", ["a", "b"]),
        ("if x; then vllm serve a; else vllm serve b; fi", ["a", "b"]),
    ],
)
def test_every_server_is_read(text: str, started: list[str]) -> None:
    assert [launch.model for launch in launches_of(text)] == started


def test_operators_among_words_end_a_command_too() -> None:
    for words in (
        ["vllm", "serve", "a", "&&", "vllm", "serve", "b"],
        ["vllm", "serve", "a;", "vllm", "serve", "b"],
        ["vllm serve a && vllm serve b"],
    ):
        assert [launch.model for launch in read_commands(words, settings())] == ["a", "b"]


def test_what_is_not_read_is_said() -> None:
    first, _ = launches_of("cd /x && ./start.sh | tee log; vllm serve --help; vllm serve a; vllm serve b")
    assert first.notes == (
        "passed over, for it starts neither vLLM nor SGLang: ./start.sh",
        "passed over, for --help only prints: vllm",
    )


def test_what_came_before_holds_for_what_comes_after() -> None:
    launch, other = launches_of(
        "export VLLM_BATCH_INVARIANT=1\nNOT_EXPORTED=1\nM=org/m\npip install vllm==0.19.1\n"
        "X=2 vllm serve $M --dtype ${D:-half} > log\nvllm serve $UNSET"
    )
    assert (launch.model, launch.settings) == ("org/m", {"dtype": "half"})
    assert launch.environment == {"VLLM_BATCH_INVARIANT": "1", "X": "2"}
    assert launch.software == {"vllm": "0.19.1"}
    assert (other.model, other.environment) == ("$UNSET", {"VLLM_BATCH_INVARIANT": "1"})


@pytest.mark.parametrize("flag", ["--help", "-h", "--help=all", "--version"])
@pytest.mark.parametrize("start", ["vllm serve", "vllm serve m", "python -m sglang.launch_server"])
def test_what_only_prints_starts_nothing(start: str, flag: str) -> None:
    with pytest.raises(CommandError, match="only prints and starts nothing"):
        read(f"{start} {flag}")


@pytest.mark.parametrize("text", ["vllm --version", "vllm --help", "vllm bench serve --model m", "vllm chat"])
def test_what_asks_a_server_starts_none(text: str) -> None:
    with pytest.raises(CommandError, match="starts neither"):
        read(text)
