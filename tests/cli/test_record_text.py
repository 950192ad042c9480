from __future__ import annotations

import io

from gpu_gotchas.cli.record_text import print_record
from gpu_gotchas.cli.terminal import Terminal
from gpu_gotchas.records.model import Fix, FixType, Risk
from tests.site.samples import gotcha


def shown(*uses: str) -> str:
    out = io.StringIO()
    fixes = tuple(Fix(use, FixType.PLANNER, "Time.", Risk.LOW) for use in uses)
    print_record(gotcha(fixes=fixes), (), Terminal(out, out, {"COLUMNS": "60"}))
    return out.getvalue()


def test_a_fix_is_shown_with_lines_to_copy_that_are_not_wrapped() -> None:
    out = shown("gpu_gotchas.fixes.launch_fit", "gpu_gotchas.fixes.refused")
    assert "\n      from gpu_gotchas.fixes.launch_fit import LaunchFit\n\n      decode = LaunchFit(" in out
    assert 'decode = LaunchFit(decode_kernel, [{"num_stages": 2}, {"num_stages": 1}, {"BLOCK_N": 16}])' in out
    assert "Put your own in place of decode_kernel, grid, q, k, v." in out
    assert "Launch a Triton kernel in the first configuration" in " ".join(out.split())


def test_a_fix_without_an_example_says_what_its_module_is() -> None:
    out = " ".join(shown("gpu_gotchas.fixes.refused").split())
    assert "gpu_gotchas.fixes.refused (planner, low risk). The one exception with which" in out


def test_a_release_has_no_module_to_tell_of() -> None:
    assert "pip install 'vllm>=0.34.0' (planner, low risk). Costs: Time." in shown("vllm>=0.34.0")
