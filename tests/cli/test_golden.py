"""What people see, kept as files. Set GOTCHAS_UPDATE_GOLDEN=1 to write them anew."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.conftest import Gotchas
from tests.search.logs import wrapped

GOLDEN = Path(__file__).parent / "golden"
OVERFLOW = "out of resource: shared memory, Required: 147456, Hardware limit: 101376"
FP8 = "type fp8e4nv not supported in this architecture"
CASES = {
    "search-this-is-it": ("search", FP8),
    "search-explain": (
        "search",
        "--explain",
        "--as",
        "sm_86",
        wrapped(f"in _invented_decode_stage1\n{OVERFLOW}"),
    ),
    "search-siblings": ("search", OVERFLOW),
    "search-words": ("search", "fp8e4nv"),
    "search-disagrees": ("search", "--as", "sm_90", FP8),
    "search-withdrawn": ("search", "phantom ring fault"),
    "search-not-known": ("search", "OSError: [Errno 98] Address already in use"),
    "search-json": ("search", "--json", FP8),
    "list": ("list",),
    "show": ("show", "sample-smem-decode"),
    "show-observable": ("show", "sample-silent-saturation"),
    "show-candidate": ("show", "sample-loose-cable"),
}


@pytest.mark.parametrize("name", CASES)
def test_output_is_as_kept(gotchas: Gotchas, name: str) -> None:
    ran = gotchas(*CASES[name])
    shown = f"exit code {ran.code}\n{ran.out}" + (f"--- standard error\n{ran.err}" if ran.err else "")
    kept = GOLDEN / f"{name}.txt"
    if os.environ.get("GOTCHAS_UPDATE_GOLDEN"):
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(shown, "utf-8", newline="\n")
    assert shown == kept.read_text("utf-8"), "wanted? then set GOTCHAS_UPDATE_GOLDEN=1"


def test_no_kept_file_is_left_over() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == set(CASES)
