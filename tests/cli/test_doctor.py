"""doctor, diff and fixes as commands: exit codes, options that contradict each other, other machines."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Gotchas
from tests.search.samples import CANDIDATES, write_records

# The invented record about Ampere and vLLM, see tests/search/samples.py.
RECORD = "sample-fp8e4nv-refused"
HOPPER = {"nvidia": {"compute_capability": [">=9.0,<10.0"]}}
AFFECTED = ("--as", "sm_86", "--with", "vllm==0.10.0", "--with", "triton==3.4.0")


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No pyproject.toml of ours lends its ignores."""
    monkeypatch.chdir(tmp_path)


def verdicts(gotchas: Gotchas, *arguments: str) -> dict[str, str]:
    ran = gotchas("doctor", "--json", "--all", *arguments)
    assert ran.code in (0, 1), ran.err
    return {one["id"]: one["verdict"] for one in json.loads(ran.out)["gotchas"]}


def test_what_will_happen_is_1_and_what_cannot_is_0(gotchas: Gotchas) -> None:
    assert verdicts(gotchas, *AFFECTED)[RECORD] == "will"
    assert verdicts(gotchas, "--as", "sm_90", "--with", "vllm==0.10.0")[RECORD] == "cannot"
    assert gotchas("doctor", *AFFECTED).code == 1


def test_this_machine_is_looked_at_when_no_other_is_named(gotchas: Gotchas) -> None:
    ran = gotchas("doctor")
    assert ran.code in (0, 1)
    assert ran.out.startswith("Cards: ")
    assert " will bite, " in ran.out


def test_the_withdrawn_are_not_asked(gotchas: Gotchas) -> None:
    assert "sample-withdrawn-story" not in verdicts(gotchas, *AFFECTED)


def test_text_says_what_will_happen_why_and_what_helps(gotchas: Gotchas) -> None:
    out = gotchas("doctor", *AFFECTED, "--explain").out
    assert f"{RECORD}  (" in out
    assert "yes hardware: sm_86" in out
    assert "Will happen (" in out


def test_a_command_line_sets_and_defaults(gotchas: Gotchas) -> None:
    ran = gotchas(
        "doctor", "--json", "--as", "sm_86", "--", "vllm", "serve", "m", "--kv-cache-dtype", "fp8", "-tp", "2"
    )
    assert json.loads(ran.out)["command"]["settings"] == {
        "kv_cache_dtype": "fp8",
        "tensor_parallel_size": "2",
    }


def test_a_file_is_read_and_options_outweigh_it(gotchas: Gotchas) -> None:
    Path("requirements.txt").write_text("vllm==0.33.0\ntriton==3.4.0\n")
    ran = gotchas("doctor", "--json", "--from", "requirements.txt", *AFFECTED)
    machine = json.loads(ran.out)["machine"]
    assert machine["software"] == {"vllm": "0.10.0", "torch": "2.7.1", "triton": "3.4.0"}
    assert machine["pinned"] == {"torch": "2.7.1"}
    assert machine["told_by"] == ["the options", "requirements or list of packages"]


def test_ignores_of_the_project_hold_and_are_reported_when_they_do_nothing(gotchas: Gotchas) -> None:
    entry = '[[tool.gpu-gotchas.ignore]]\nid = "{}"\nreason = "We know."\nuntil = "{}"\n'
    biting = json.loads(gotchas("doctor", "--json", *AFFECTED).out)
    wanted = [one["id"] for one in biting["gotchas"] if one["bites"]]
    Path("pyproject.toml").write_text("".join(entry.format(id, "9999-12-31") for id in wanted))
    ran = gotchas("doctor", *AFFECTED)
    assert ran.code == 0
    assert f"Ignored ({len(wanted)})" in ran.out
    Path("pyproject.toml").write_text(entry.format(RECORD, "2020-01-01"))
    ran = gotchas("doctor", *AFFECTED)
    assert ran.code == 1
    assert "was ignored until 2020-01-01" in ran.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--as", "sm_68"), "did you mean"),
        (("--with", "vllm"), "PACKAGE==VERSION"),
        (("--format", "xml"), "none of text, json, github, sarif"),
        (("--json", "--format", "sarif"), "contradict"),
        (("--as", "sm_86", "--deep"), "ask this machine"),
        (("--python", "nowhere"), "virtual environment"),
        (("--", "ls"), "vllm serve MODEL"),
        (("--as", "sm_86", "--as", "sm_90"), "--as is given twice"),
        (("--format=json", "--format", "sarif"), "--format is given twice"),
        (("--reported", "--proven-only"), "contradict each other"),
        (("--with", "vllm==0.19.1", "--with", "vllm==0.20.0"), "vllm is given twice"),
        (("--explain", "--json"), "--explain is for text"),
        (("--all", "--format", "sarif"), "--all is for text and JSON"),
        (("--", "vllm", "serve", "--help"), "only prints and starts nothing"),
        (("--", "vllm", "serve", "m", "#", "--dtype", "half"), "refuses '#'"),
        (("--", "vllm", "serve", "m", "--hf-overrides", "{"), "is no JSON"),
        (("--no-such-option",), "o such option"),
    ],
)
def test_a_wrong_use_is_2(gotchas: Gotchas, arguments: tuple[str, ...], told: str) -> None:
    ran = gotchas("doctor", *arguments)
    assert ran.code == 2
    assert told in ran.err


def test_bad_input_is_4_and_names_the_file(gotchas: Gotchas) -> None:
    Path("noise").write_bytes(b"\x00\x01" * 100)
    Path("ignores.toml").write_text("[[ignore]]\nid = 'x'\n")
    Path("model").mkdir()
    Path("model/config.json").write_text("{")
    for arguments, named in (
        (("--from", "noise"), "noise: is no text"),
        (("--from", "missing"), "missing: cannot be read"),
        (("--as", "sm_86", "--ignore-file", "ignores.toml"), "ignores.toml: ignore[0]"),
        (("--as", "sm_86", "--", "vllm", "serve", "model"), "config.json: is no JSON"),
    ):
        ran = gotchas("doctor", *arguments)
        assert (ran.code, named in ran.err) == (4, True), (arguments, ran)


@pytest.mark.parametrize("form", ["json", "github", "sarif"])
def test_other_forms(gotchas: Gotchas, form: str) -> None:
    ran = gotchas("doctor", *AFFECTED, "--format", form)
    assert ran.code == 1
    if form == "github":
        assert ran.out.startswith("::")
    else:
        assert json.loads(ran.out)["version"] in (1, "2.1.0")


def test_control_characters_of_a_command_never_reach_the_terminal(gotchas: Gotchas) -> None:
    ran = gotchas("doctor", "--as", "sm_86", "--", "vllm", "serve", "m", "--quantization", "\x1b[31mx")
    assert "\x1b" not in ran.out + ran.err


def test_diff(gotchas: Gotchas) -> None:
    sides = ("--from", "vllm==0.10.0", "--to", "vllm==99.0.0", "--as", "sm_86", "--with", "triton==3.4.0")
    ran = gotchas("diff", *sides, "--json")
    report = json.loads(ran.out)
    assert (report["version"], report["from"]) == (1, {"vllm": "0.10.0"})
    assert {one["id"]: one["before"] for one in report["gotchas"]}[RECORD] == "will"
    assert gotchas("diff", *sides).code == ran.code
    assert gotchas("diff", "--from", "vllm==0.10.0").code == 2
    assert gotchas("diff", "--from", "vllm", "--to", "vllm==1").code == 2


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--with", "vllm==0.20.0"), "--with vllm: --from and --to give its version"),
        (("--from", "vllm==0.11.0"), "vllm is given twice"),
        (("--to", "vllm==0.11.0"), "vllm is given twice"),
        (("--as", "sm_90"), "--as is given twice"),
        (("--machine", "a", "--machine", "b"), "--machine is given twice"),
    ],
)
def test_diff_drops_nothing_in_silence(gotchas: Gotchas, arguments: tuple[str, ...], told: str) -> None:
    sides = ("--from", "vllm==0.10.0", "--to", "vllm==99.0.0", "--as", "sm_86")
    ran = gotchas("diff", *sides, *arguments)
    assert (ran.code, told in ran.err) == (2, True), ran


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--only", "nope", "--check"), "--only, --check: no use here"),
        (("--triton", "3.6.0"), "--triton: no use here"),
        (("status", "--as", "sm_86"), "--as: no use with status"),
        (("status", "--check"), "--check: no use with status"),
        (("prepare", "--json"), "--json: no use with prepare"),
        (("prepare", "--with", "vllm==0.20.0"), "--with: no use with prepare"),
        (("table", "0.33.0", "--all"), "--all: no use with table"),
        (("--as", "sm_86", "--as", "sm_90"), "--as is given twice"),
    ],
)
def test_fixes_drops_nothing_in_silence(gotchas: Gotchas, arguments: tuple[str, ...], told: str) -> None:
    ran = gotchas("fixes", *arguments)
    assert (ran.code, told in ran.err) == (2, True), ran


@pytest.mark.parametrize(
    "arguments",
    [
        ("search", "x", "--as", "sm_86", "--as", "sm_90"),
        ("search", "-f", "a", "--file", "b"),
        ("list", "--target", "sm_86", "--target=sm_90"),
        ("run", "x", "--report", "a", "--report", "b"),
        ("results", "add", "x", "--by", "a", "--by", "b"),
        ("sweep", "x", "--package", "vllm", "--package", "triton"),
        ("coverage", "x", "--as", "sm_86", "--as", "sm_90"),
        ("site", "x", "--docs", "a", "--docs", "b"),
        ("new", "x", "--from", "a", "--from", "b"),
        ("audit", "--package", "a==1", "--as", "sm_86", "--report", "r", "--report", "s"),
    ],
)
def test_no_command_drops_one_of_two_values_in_silence(gotchas: Gotchas, arguments: tuple[str, ...]) -> None:
    ran = gotchas(*arguments)
    assert (ran.code, "is given twice" in ran.err) == (2, True), ran


def test_what_stands_behind_the_dashes_is_another_program_s(gotchas: Gotchas) -> None:
    command = ("--as", "sm_86", "--", "vllm", "serve", "m", "--as", "x", "--as", "y")
    assert gotchas("doctor", *command).code in (0, 1)


def test_every_server_of_a_command_is_told(gotchas: Gotchas) -> None:
    words = ("--", "vllm", "serve", "a", "--dtype", "half", "&&", "vllm", "serve", "b", "--enforce-eager")
    ran = gotchas("doctor", "--as", "sm_86", *words)
    assert "Server 1: vllm a" in ran.out
    assert "Server 2: vllm b" in ran.out
    said = json.loads(gotchas("doctor", "--json", "--as", "sm_86", *words).out)
    assert said["command"]["settings"] == {"dtype": "half"}
    assert [one["settings"] for one in said["further_commands"]] == [{"enforce_eager": "true"}]
    ran = gotchas("diff", "--from", "vllm==0.10.0", "--to", "vllm==0.11.0", "--as", "sm_86", *words)
    assert "Server 2: vllm b" in ran.out


def test_what_a_file_s_command_cannot_say_is_noted(gotchas: Gotchas) -> None:
    Path("Dockerfile").write_text("FROM a/b\nCMD vllm serve m --hf-overrides '{' ; ./other\n")
    notes = json.loads(gotchas("doctor", "--json", "--from", "Dockerfile").out)["notes"]
    assert [note.partition(":")[0] for note in notes] == [
        "--hf-overrides {",
        "not read, for no record asks for it",
        "passed over, for it starts neither vLLM nor SGLang",
    ]
    Path("Dockerfile").write_text("FROM vllm/vllm-openai:v0.24.0\nENTRYPOINT ./start.sh\n")
    (note,) = json.loads(gotchas("doctor", "--json", "--from", "Dockerfile").out)["notes"]
    assert note.startswith("a command was passed over: './start.sh' starts neither")


def test_ignores_under_another_name_are_4(gotchas: Gotchas) -> None:
    for name, text in (
        ("pyproject.toml", "[[tool.gpu_gotchas.ignore]]\nid = 'x'\n"),
        ("own.toml", "[[ignores]]\nid = 'x'\n"),
    ):
        Path(name).write_text(text)
        ran = gotchas("doctor", "--as", "sm_86", "--ignore-file", name)
        assert (ran.code, "write [[" in ran.err) == (4, True), ran


def test_fixes(gotchas: Gotchas) -> None:
    ran = gotchas("fixes", *AFFECTED, "--json")
    assert json.loads(ran.out)["version"] == 1
    assert gotchas("fixes", *AFFECTED).code == ran.code
    assert gotchas("fixes", "--as", "sm_86", "--all").code in (0, 1)


def test_fixes_tells_every_workaround_that_show_has(gotchas: Gotchas) -> None:
    told = {one["do"] for one in json.loads(gotchas("fixes", *AFFECTED, "--json").out)["workarounds"]}
    shown = json.loads(gotchas("show", RECORD, "--json").out)["workaround"]
    assert {one["do"] for one in shown} <= told
    out = gotchas("fixes", *AFFECTED).out
    assert "Without a fix" in out
    assert all(one["do"].split()[0] in out for one in shown)


def test_what_is_reported_stands_apart_and_changes_no_exit_code(gotchas: Gotchas, checkout: Path) -> None:
    candidate = {
        **CANDIDATES[0],
        "affects": [{"hardware": HOPPER, "software": {"vllm": "any"}}],
    }
    write_records(checkout / "gotchas", [], [candidate])
    there, elsewhere = ("--as", "sm_90", "--with", "vllm==0.10.0"), ("--as", "sm_86", "--with", "vllm==99.0")
    told = gotchas("doctor", *there)
    assert told.code == 0
    assert "Reported, not proven (1)" in told.out
    assert "sample-loose-cable  (reported, not proven)" in told.out
    assert "An invented loose cable" in told.out
    without = gotchas("doctor", *there, "--proven-only")
    assert (without.code, "sample-loose-cable" in without.out) == (0, False)
    assert "was not asked" in without.out
    assert "sample-loose-cable" not in gotchas("doctor", *elsewhere, "--all").out
    (one,) = json.loads(gotchas("doctor", "--json", *there).out)["reported"]
    assert (one["id"], one["status"], one["verdict"], one["bites"]) == (
        "sample-loose-cable",
        "candidate",
        "may",
        False,
    )
    Path("pyproject.toml").write_text(
        '[[tool.gpu-gotchas.ignore]]\nid = "sample-loose-cable"\nreason = "We know."\nuntil = "9999-12-31"\n'
    )
    ignored = gotchas("doctor", *there).out
    assert "Ignored (1)" in ignored
    assert "Reported, not proven" not in ignored


def test_a_report_in_words_is_read(gotchas: Gotchas) -> None:
    Path("issue.txt").write_text("RTX 3090, vllm 0.10.0, triton 3.4.0: it dies\n")
    ran = gotchas("doctor", "--json", "--from", "issue.txt")
    said = json.loads(ran.out)
    assert ran.code == 1
    assert said["machine"]["told_by"] == ["the options", "a report in words"]
    assert said["machine"]["cards"][0]["gpu"] == "nvidia-rtx-3090"
    assert {one["id"]: one["verdict"] for one in said["gotchas"]}[RECORD] == "will"


def test_flags_of_a_file_are_read_and_a_broken_file_is_4(gotchas: Gotchas) -> None:
    Path("flags.yaml").write_text("kv-cache-dtype: fp8\n")
    command = ("--as", "sm_86", "--", "vllm", "serve", "m", "--config", "flags.yaml")
    assert json.loads(gotchas("doctor", "--json", *command).out)["command"]["settings"] == {
        "kv_cache_dtype": "fp8"
    }
    Path("flags.yaml").write_text("- fp8\n")
    ran = gotchas("doctor", *command)
    assert ran.code == 4
    assert "flags.yaml:1" in ran.err


def test_what_is_not_read_is_said(gotchas: Gotchas, monkeypatch: pytest.MonkeyPatch) -> None:
    def notes(*arguments: str) -> str:
        return "\n".join(json.loads(gotchas("doctor", "--json", "--as", "sm_86", *arguments).out)["notes"])

    assert "model ./nowhere: no such folder here" in notes("--", "vllm", "serve", "./nowhere")
    assert "no such folder" not in notes("--", "vllm", "serve", "org/model")
    Path("m.gguf").touch()
    assert "model m.gguf: is a file, which is not read" in notes("--", "vllm", "serve", "m.gguf")
    assert "not read, for no record asks for it: --foo" in notes("--", "vllm", "serve", "m", "--foo=3")
    assert "--all: stands behind --" in notes("--", "vllm", "serve", "m", "--all")
    assert "--with numpy: no record speaks of it" in notes("--with", "numpy==2.0")
    Path("Dockerfile").write_text("FROM vllm/vllm-openai:v0.24.0\nCMD --model m\n")
    assert "the command of the file is not read" in notes("--from", "Dockerfile", "--", "vllm", "serve", "m")
    ran = gotchas("doctor", "--with", "vlm==0.22.0")
    assert (ran.code, "did you mean vllm?" in ran.err) == (2, True)


def test_standard_input_is_a_file_too(gotchas: Gotchas, monkeypatch: pytest.MonkeyPatch) -> None:
    def piped(text: bytes) -> Any:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
        return gotchas("doctor", "--json", "--from", "-")

    machine = json.loads(piped(b"vllm==0.10.0\ntriton==3.4.0\n").out)["machine"]
    assert machine["software"]["vllm"] == "0.10.0"
    ran = piped(b"\x00\x01")
    assert (ran.code, "standard input: is no text" in ran.err) == (4, True)


def test_diff_says_what_helps_and_minds_ignores(gotchas: Gotchas) -> None:
    sides = ("--to", "vllm==0.10.0", "--from", "vllm==none", "--as", "sm_86", "--with", "triton==3.4.0")
    ran = gotchas("diff", *sides)
    assert ran.code == 1
    assert re.search(rf"New \([0-9]+\)\n  {RECORD}.*\n.*\n    (Fix|Do|For|No fix)", ran.out)
    report = json.loads(gotchas("diff", *sides, "--json").out)
    assert all(one["do"] for one in report["gotchas"])
    new = [one["id"] for one in report["gotchas"] if one["change"] == "new" and one["after"] == "will"]
    entry = '[[ignore]]\nid = "{}"\nreason = "We know."\nuntil = "9999-12-31"\n'
    Path("own.toml").write_text("".join(map(entry.format, (*new, "no-such"))))
    ran = gotchas("diff", *sides, "--ignore-file", "own.toml")
    assert (ran.code, f"Ignored ({len(new)})" in ran.out) == (0, True)
    assert "ignore: no-such is ignored, and no record has that id" in ran.err
    assert json.loads(gotchas("diff", *sides, "--json", "--ignore-file", "own.toml").out)[
        "ignored"
    ] == sorted(new)
    Path("pyproject.toml").write_text(
        Path("own.toml").read_text().replace("[[ignore", "[[tool.gpu-gotchas.ignore")
    )
    assert gotchas("diff", *sides).code == 0


def test_findings_point_into_the_file_that_was_asked_about(gotchas: Gotchas, tmp_path: Path) -> None:
    Path("sub").mkdir()
    file = Path("sub/requirements.txt")
    file.write_text("triton==3.4.0\nvllm==0.10.0\n")
    for named in (file, file.resolve()):
        ran = gotchas("doctor", "--as", "sm_86", "--from", str(named), "--format", "github")
        assert re.search(
            rf"^::error file=sub/requirements.txt,line=[12],title=gotcha%3A {RECORD}::", ran.out, re.M
        )
    ran = gotchas("doctor", *AFFECTED, "--format", "github")
    assert "file=" not in ran.out
    (run,) = json.loads(gotchas("doctor", *AFFECTED, "--format", "sarif").out)["runs"]
    assert not [one for one in run["results"] if "physicalLocation" in one["locations"][0]]


def test_what_is_not_shown_is_counted_and_what_would_settle_it_named(gotchas: Gotchas) -> None:
    out = gotchas("doctor", "--with", "triton==3.4.0", "--as", "sm_86").out
    assert re.search(
        r"^Less likely here, and not shown: [0-9]+ more records?( and [0-9]+ more reports?)? \(--all\)\.$",
        out,
        re.M,
    )
    assert "add a version (--with vllm==VERSION), the command (-- vllm serve MODEL …)." in out
    assert "To settle more" not in gotchas("doctor", *AFFECTED, "--", "vllm", "serve", "m").out
    assert "not shown" not in gotchas("doctor", "--as", "sm_86", "--all").out


def test_of_several_servers_it_is_said_which_meets_what(gotchas: Gotchas) -> None:
    words = ("--", "vllm", "serve", "a", "--device", "cpu", "&&", "vllm", "serve", "b")
    out = gotchas("doctor", *AFFECTED, *words).out
    assert f"{RECORD}  (" in out
    assert "Of server 2: vllm b" in out
