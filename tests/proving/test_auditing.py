"""An audit goes kernel by kernel through children, and on from where it ended."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from gpu_gotchas.fixes.launch_audit.compiling import Compiled
from gpu_gotchas.fixes.launch_audit.rows import Row
from gpu_gotchas.fixes.launch_audit.sites import Kernel, find_kernels
from gpu_gotchas.proving.auditing import audited, for_nvidia, left, read_rows


def test_a_tree_is_audited_in_children(tmp_path: Path) -> None:
    pytest.importorskip("triton")
    source = Path(__file__).parent.parent / "fixes" / "launch_audit" / "kernels.py"
    (tmp_path / "made_up").mkdir()
    (tmp_path / "made_up" / "__init__.py").write_text("")
    shutil.copy(source, tmp_path / "made_up" / "kernels.py")
    (tmp_path / "made_up" / "broken.py").write_text(
        "import no_such_package, triton\n@triton.jit\ndef f(x): ...\ndef run(): f[(1,)](1)\n"
    )
    wanted = [kernel for kernel in find_kernels(tmp_path, "made_up") if kernel.name in ("f", "to_fp8")]
    found = {kernel.name: rows for kernel, rows in audited(tmp_path, wanted, ["sm_86", "sm_89"], seconds=60)}
    assert found["f"][0].not_built == "ModuleNotFoundError: No module named 'no_such_package'"
    errors = {target: bool(one.error) for target, one in found["to_fp8"][0].compiled.items()}
    assert errors == {"sm_86": True, "sm_89": False}


def row(name: str, *targets: str, not_built: str = "") -> Row:
    return Row(f"m:{name}", "plain", not_built, compiled={target: Compiled(target) for target in targets})


def test_what_is_known_is_not_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    rows = [row("done", "sm_86", "sm_89"), row("half", "sm_86"), row("unbuilt", not_built="why")]
    lines = [json.dumps(each.to_data()) for each in rows]
    path.write_text("\n".join([*lines, '{"kernel": "m:cut', "[]"]))
    assert read_rows(path) == rows
    assert read_rows(tmp_path / "none.jsonl") == []
    kernels = [Kernel("m", name) for name in ("done", "half", "unbuilt", "new")]
    assert [kernel.name for kernel in left(kernels, rows, ["sm_86", "sm_89"])] == ["half", "new"]


@pytest.mark.parametrize(
    ("module", "name", "is_it"),
    [
        ("vllm.models.x.nvidia.ops", "k", True),
        ("vllm.models.x.amd.ops", "k", False),
        ("vllm.ops.rocm_aiter", "k", False),
        ("vllm.ops", "k_gfx950", False),
        ("vllm.cpuinfo", "k", True),
    ],
)
def test_other_vendors_kernels_are_left_out(module: str, name: str, is_it: bool) -> None:
    assert for_nvidia(Kernel(module, name)) is is_it
