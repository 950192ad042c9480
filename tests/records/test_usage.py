from __future__ import annotations

from pathlib import Path

import pytest

from gpu_gotchas.records import sources
from gpu_gotchas.records.usage import Usage, example_in, read_usage, to_type

MODULE = '''"""Fit what does not fit.

Said at length.

    fitted = fit(load, to=Card("small"))

    print(fitted)

More is said.
"""
raise SystemExit("a fix that was run, not read")
def fit(load, to): ...
class Card: ...
'''
EXAMPLE = ('fitted = fit(load, to=Card("small"))', "", "print(fitted)")


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sources, "package_root", lambda: tmp_path)
    path = tmp_path / "fixes" / "fitting.py"
    path.parent.mkdir()
    path.write_text(MODULE, "utf-8")
    return path


@pytest.mark.parametrize("use", ["gpu_gotchas.fixes.fitting", "gpu_gotchas.fixes.fitting.fit"])
def test_the_example_comes_with_the_import_that_it_needs(module: Path, use: str) -> None:
    usage = read_usage(use)
    assert usage == Usage(
        "Fit what does not fit.", "from gpu_gotchas.fixes.fitting import Card, fit", EXAMPLE
    )
    assert usage.lines == (usage.imports, "", *EXAMPLE)


@pytest.mark.parametrize(
    ("example", "imports"),
    [
        ("fitting.fit(1)", "from gpu_gotchas.fixes import fitting"),
        ("from gpu_gotchas.fixes.fitting import fit\n    fit(1)", ""),
        ("other(1)", "from gpu_gotchas.fixes import fitting"),
    ],
)
def test_an_example_is_imported_as_it_is_written(module: Path, example: str, imports: str) -> None:
    module.write_text(MODULE.replace('fitted = fit(load, to=Card("small"))', example), "utf-8")
    usage = read_usage("gpu_gotchas.fixes.fitting")
    assert usage is not None
    assert usage.imports == imports


@pytest.mark.parametrize(
    ("use", "imports"),
    [
        ("gpu_gotchas.fixes.fitting", "from gpu_gotchas.fixes import fitting"),
        ("gpu_gotchas.fixes.fitting.fit", "from gpu_gotchas.fixes.fitting import fit"),
    ],
)
@pytest.mark.parametrize("text", ['"""Short."""\n', ""])
def test_without_an_example_there_is_an_import(module: Path, use: str, imports: str, text: str) -> None:
    module.write_text(text, "utf-8")
    assert read_usage(use) == Usage("Short." if text else "", imports)


@pytest.mark.parametrize(
    "use",
    ["vllm>=0.34.0", "--flag x", "VARIABLE", "gpu_gotchas", "gpu_gotchas.fixes.no_such.name.at_all", ""],
)
def test_what_is_no_module_has_no_usage(module: Path, use: str) -> None:
    assert read_usage(use) is None


@pytest.mark.parametrize(
    ("docstring", "example"),
    [
        ("A.\n\n    x = 1\n      \n    y = 2\nB.", ("x = 1", "", "y = 2")),
        ("A.\n\n    for x in y:\n        z(x)", ("for x in y:", "    z(x)")),
        ("A.\n\n    no code at all\n\nB.\n\n    x = 1\n", ("x = 1",)),
        ("A list:\n- one\n    x = 1\n", ()),
        ("A.\n\n  x = 1\n", ()),
        ("A.", ()),
        ("", ()),
    ],
)
def test_an_example_is_indented_python_after_a_blank_line(docstring: str, example: tuple[str, ...]) -> None:
    assert example_in(docstring) == example


def test_a_real_fix_shows_how_it_is_used() -> None:
    usage = read_usage("gpu_gotchas.fixes.launch_fit")
    assert usage is not None
    assert usage.imports == "from gpu_gotchas.fixes.launch_fit import LaunchFit"
    assert usage.example[-1].startswith("decode[grid](")


@pytest.mark.parametrize(
    ("use", "typed"),
    [
        ("sglang>=0.5.9", "pip install 'sglang>=0.5.9'"),
        ("vllm==0.24.0", "pip install 'vllm==0.24.0'"),
        ("--kv-cache-dtype auto", "--kv-cache-dtype auto"),
        ("TRITON_INTERPRET=0", "TRITON_INTERPRET=0"),
    ],
)
def test_what_is_typed_sends_nothing_to_a_file(use: str, typed: str) -> None:
    assert to_type(use) == typed


def test_what_an_example_leaves_to_the_reader() -> None:
    lines = ("fast = Fit(your_kernel)", "fast[grid](x, torch.empty(len(x)))")
    assert Usage("", "from fits import Fit", lines).yours == ("your_kernel", "grid", "x")
    assert Usage("", "", ("A=1 serve MODEL",)).yours == ()
