"""What an audit found, for whom, and how much of the release it looked at."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpu_gotchas.site import audit_page
from gpu_gotchas.site.audits import load_audits
from gpu_gotchas.site.knowledge import Knowledge
from tests.site.rendering import read, render

SAID = {
    "version": 1,
    "package": "vllm==0.33.0",
    "versions": {"triton": "3.7.0"},
    "targets": ["sm_86", "sm_89"],
    "kernels": 9,
    "looked_at": 7,
    "built": 5,
    "not_built": 2,
    "findings": [
        {
            "kernel": "sample.module:_kernel",
            "variant": "fp8",
            "shown": {"sm_86": "no-fp8", "sm_89": "does-not-fit"},
            "errors": ["ValueError: <b>no</b>"],
            "guessed": ["x"],
        }
    ],
}


def test_a_finding_says_what_came_out_on_which_target(tmp_path: Path) -> None:
    (tmp_path / "sample.json").write_text(json.dumps(SAID))
    page = audit_page.page(Knowledge((), (), "2026-11-30", audits=load_audits(tmp_path)))
    said = read(render(page)).text
    assert "vLLM 0.33.0" in said
    assert "7 of its 9 kernels were looked at, with Triton 3.7.0." in said
    assert "sample.module._kernel (fp8): has no FP8 E4M3 to compile it with on sm_86" in said
    assert "ValueError: <b>no</b>" in said
    assert "no proof" in said


def test_without_an_audit_there_is_still_a_page(tmp_path: Path) -> None:
    assert load_audits(tmp_path / "nowhere") == ()
    assert "No release was audited yet." in audit_page.page(Knowledge((), (), "2026-11-30"))


def test_a_broken_audit_names_its_file(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(ValueError, match=r"bad\.json is no audit"):
        load_audits(tmp_path)
