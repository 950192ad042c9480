from __future__ import annotations

import ast
from pathlib import Path

import pytest

from gpu_gotchas.cli.checking import BLANK
from gpu_gotchas.cli.draft import draft_from
from gpu_gotchas.records import root, sources
from gpu_gotchas.records.templates import Template
from gpu_gotchas.search.lines import lines_of
from tests.cli.conftest import Gotchas

ID = "sample-brand-new"
FP8 = "type fp8e4nv not supported in this architecture"
FILES = (
    f"gotchas/{ID}/gotcha.yaml",
    f"gotchas/{ID}/repro.py",
    "src/gpu_gotchas/fixes/sample_brand_new.py",
    "tests/fixes/test_sample_brand_new.py",
)


@pytest.fixture
def begun(gotchas: Gotchas, checkout: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sources, "package_root", lambda: checkout / "src" / "gpu_gotchas")
    ran = gotchas("new", ID)
    assert ran.code == 0
    assert tuple(ran.out.replace("\\", "/").split()) == FILES
    return checkout


def test_record_repro_fix_and_test_are_written(begun: Path) -> None:
    for name in FILES:
        text = (begun / name).read_text("utf-8")
        assert BLANK in text
        assert "@" not in text.replace("@pytest", "")
        if name.endswith(".py"):
            ast.parse(text)


def test_what_is_written_imports_only_what_it_uses(begun: Path) -> None:
    for name in filter(lambda name: name.endswith(".py"), FILES):
        text = (begun / name).read_text("utf-8")
        imports = [
            node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)
        ]
        bound = {alias.asname or alias.name for node in imports for alias in node.names} - {"annotations"}
        assert all(text.count(each) > 1 for each in bound), name


def test_check_complains_of_nothing_but_the_blanks(gotchas: Gotchas, begun: Path) -> None:
    ran = gotchas("check", str(begun / "gotchas" / ID))
    assert ran.code == 1
    assert all("a blank to fill" in line for line in ran.out.splitlines()), ran.out
    told = ran.out.replace("\\", "/")
    for name in FILES:
        assert told.count(f"{name}:") == (begun / name).read_text("utf-8").count(BLANK)


def test_with_its_blanks_filled_check_is_content(gotchas: Gotchas, begun: Path) -> None:
    for name in FILES:
        path = begun / name
        text = path.read_text("utf-8").replace("no full stop", "short").replace("FILL: ", "filled in with ")
        path.write_text(text, "utf-8")
    ran = gotchas("check", str(begun / "gotchas" / ID))
    assert (ran.code, ran.out) == (0, "")


def test_a_blank_in_a_fix_is_not_told_to_whoever_asks_of_another_record(
    gotchas: Gotchas, begun: Path
) -> None:
    ran = gotchas("check", str(begun / "gotchas" / "sample-smem-gemm"))
    assert "a blank to fill" not in ran.out


@pytest.mark.parametrize("name", [ID, "sample-page-size", "sample-old-fp8-name", "sample-loose-cable"])
def test_a_name_is_never_used_twice(gotchas: Gotchas, begun: Path, name: str) -> None:
    before = (begun / FILES[0]).read_text("utf-8")
    ran = gotchas("new", name)
    assert ran.code == 2
    assert "taken" in ran.err
    assert (begun / FILES[0]).read_text("utf-8") == before


def test_a_fix_that_is_there_is_not_overwritten(gotchas: Gotchas, checkout: Path) -> None:
    module = checkout / FILES[2]
    module.parent.mkdir(parents=True)
    module.write_text("kept", "utf-8")
    assert gotchas("new", ID).code == 2
    assert module.read_text("utf-8") == "kept"
    assert not (checkout / "gotchas" / ID).exists()


@pytest.mark.parametrize(
    "name", ["Upper-case", "under_score", "two--hyphens", "-dash", "../up", "8bit", "ü", "a" * 81]
)
def test_a_bad_name_is_refused(gotchas: Gotchas, name: str) -> None:
    ran = gotchas("new", "--", name)
    assert ran.code == 2


def test_an_install_has_no_place_for_it(
    gotchas: Gotchas, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(root, "is_checkout", lambda: False)
    monkeypatch.chdir(tmp_path)
    ran = gotchas("new", ID)
    assert ran.code == 2
    assert "needs a working copy of the project, and this is an installed gotchas: clone it" in ran.err


@pytest.mark.parametrize("arguments", [("new", ID), ("results", "add", "r.jsonl")])
def test_in_a_clone_an_install_names_the_environment_that_has_one(
    gotchas: Gotchas, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], tmp_path: Path
) -> None:
    monkeypatch.setattr(root, "is_checkout", lambda: False)
    clone = tmp_path / "clone"
    (clone / "gotchas" / "deep").mkdir(parents=True)
    (clone / "pyproject.toml").write_text('[project]\nname = "gpu-gotchas"\n')
    monkeypatch.chdir(clone / "gotchas" / "deep")
    ran = gotchas(*arguments)
    assert ran.code == 2
    assert "this is an installed gotchas" in ran.err
    assert ".venv/bin/gotchas, which the command under *Develop* in README.md makes" in ran.err


LOGGED = "(EngineCore_DP0 pid=4021) ERROR 10-06 14:26:34 [core.py:700] "
PASTE = f"""\
{LOGGED}Traceback (most recent call last):
{LOGGED}  File "/home/maria/vllm/lattice.py", line 3, in go
{LOGGED}RuntimeError: lattice {{x}} of 12 bytes at 0x7f00 on sm_120
connected to 10.1.2.3, token=hf_abcdefghijklmnop, mail maria@example.org
"""


def test_a_paste_gives_the_signature_and_stays_as_a_comment(
    gotchas: Gotchas, checkout: Path, monkeypatch
) -> None:
    monkeypatch.setattr(sources, "package_root", lambda: checkout / "src" / "gpu_gotchas")
    (checkout / "error.log").write_text(PASTE, "utf-8")
    assert gotchas("new", ID, "--from", str(checkout / "error.log")).code == 0
    text = (checkout / FILES[0]).read_text("utf-8")
    assert 'lines: ["RuntimeError: lattice {{x}} of {int} bytes at {hex} on sm_120"]' in text
    for personal in ("maria", "10.1.2.3", "hf_abcdefghijklmnop"):
        assert personal not in text
    ran = gotchas("check", str(checkout / "gotchas" / ID))
    assert all("a blank to fill" in line for line in ran.out.splitlines()), ran.out


def test_an_empty_paste_is_refused(gotchas: Gotchas, checkout: Path) -> None:
    (checkout / "error.log").write_text("\n \n", "utf-8")
    assert gotchas("new", ID, "--from", str(checkout / "error.log")).code == 2
    assert not (checkout / FILES[0]).exists()


LOG = f"{LOGGED}ValueError: {FP8}. The supported fp8 dtypes are ('fp8e5',)\n"


@pytest.mark.parametrize("text", [LOG, f"fine\n{FP8}\n"])
def test_a_paste_that_is_known_is_named_and_nothing_is_written(
    gotchas: Gotchas, checkout: Path, text: str
) -> None:
    (checkout / "error.log").write_text(text, "utf-8")
    ran = gotchas("new", ID, "--from", str(checkout / "error.log"))
    assert (ran.code, ran.out) == (2, "")
    for told in ("sample-fp8e4nv-refused", "this is it", "gotchas show sample-fp8e4nv-refused", "--anyway"):
        assert told in ran.err
    assert not (checkout / "gotchas" / ID).exists()


def test_a_likeness_is_refused_too_and_a_weak_one_is_only_said(gotchas: Gotchas, checkout: Path) -> None:
    log = checkout / "error.log"
    log.write_text("lattice phase odd is not aligned with quantum state\n", "utf-8")
    ran = gotchas("new", ID, "--from", str(log))
    assert ran.code == 2
    assert "looks like sample-reported-only" in ran.err
    log.write_text("out of resource: shared memory, Required: 147456, Hardware limit: 101376\n", "utf-8")
    assert "A weak likeness" in gotchas("search", str(log)).out
    ran = gotchas("new", ID, "--from", str(log))
    assert ran.code == 0
    assert "sample-smem" in ran.err


def test_anyway_begins_one_and_the_draft_takes_nothing_from_what_was_known(
    gotchas: Gotchas, checkout: Path
) -> None:
    """A draft has no proof: whatever it says of its signatures, and however much longer they are."""
    (checkout / "error.log").write_text(LOG, "utf-8")
    before = gotchas("search", str(checkout / "error.log"))
    assert before.out.startswith("This is it:\n\nsample-fp8e4nv-refused")
    ran = gotchas("new", ID, "--anyway", "--from", str(checkout / "error.log"))
    assert ran.code == 0
    assert "sample-fp8e4nv-refused" in ran.err
    record = checkout / FILES[0]
    draft = record.read_text("utf-8")
    assert "basis: reported" in draft
    assert f"ValueError: {FP8}" in draft
    assert gotchas("search", str(checkout / "error.log")).out == before.out
    proven = draft.replace("basis: reported", "basis: proven").replace("basis_url: https", "# https")
    record.write_text(proven, "utf-8")
    assert gotchas("search", str(checkout / "error.log")).out == before.out
    assert gotchas("search", FP8).out.startswith("This is it:\n\nsample-fp8e4nv-refused")


def test_what_only_a_draft_knows_is_never_certain(gotchas: Gotchas, checkout: Path) -> None:
    (checkout / "error.log").write_text(PASTE, "utf-8")
    assert gotchas("new", ID, "--from", str(checkout / "error.log")).code == 0
    record = checkout / FILES[0]
    record.write_text(record.read_text("utf-8").replace("basis: reported", "basis: proven"), "utf-8")
    ran = gotchas("search", str(checkout / "error.log"))
    assert ran.out.startswith("Looks like:")
    assert f"{ID}  (draft" in ran.out
    assert "met a reported signature" in ran.out


@pytest.mark.parametrize(
    "line",
    [
        "gate of user alice on gpu07.acme.com (GPU-12345678-1234-1234-1234-123456789abc) lost 12 pages",
        "gate lost at http://wiki.acme.corp:81/gpu/07, see s3://acme-secret/x/y for pages",
        "gate lost: /fsx/alice/venv/lib/python3.12/site-packages/odd/x.py cannot be read by root@node07",
        "gate lost by alice@acme.com from 52.14.3.9 with token=abcdefgh9 in /nfs/home/alice/x",
        "gate of registry.acme.com:5000/team/odd:v0.9 lost its pages",
    ],
)
def test_a_signature_still_meets_the_line_that_things_were_taken_out_of(line: str) -> None:
    text = f"OddGateError: {line} for good"
    draft = draft_from(lines_of([text.encode()]))
    assert draft.signature is not None
    assert not [
        one for one in ("alice", "acme", "gpu07", "123456789abc", "abcdefgh9") if one in draft.signature
    ]
    assert "<" not in draft.signature
    assert "}{" not in draft.signature
    assert Template.parse(draft.signature).find_normal(text) is not None
