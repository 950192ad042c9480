"""A tree of processes: our entry point, installed as pip installs it, found and called in each of them.

The made-up package loads its plugins word for word as vLLM does. The last test does it with vLLM itself.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from gpu_gotchas.repro.packages import PackageError, find_package
from gpu_gotchas.repro.upstream.light import has_light, light_folder
from gpu_gotchas.upstream.table import RELEASES
from gpu_gotchas.upstream.verdicts import Verdicts
from tests.upstream import made_up

ROOT = Path(__file__).parents[2]
LOADER = """
import os
from importlib.metadata import entry_points

plugins_loaded = False


def load_general_plugins():
    global plugins_loaded
    if plugins_loaded:
        return
    plugins_loaded = True
    allowed = os.environ.get("VLLM_PLUGINS")
    for plugin in entry_points(group="vllm.general_plugins"):
        if allowed is None or plugin.name in allowed.split(","):
            plugin.load()()
"""
MAIN = """
import json
import multiprocessing
import sys


def work(numbers):
    from made_up.plugins import load_general_plugins

    load_general_plugins()
    from made_up.other import use

    return use(numbers)


if __name__ == "__main__":
    how, when = sys.argv[1:]
    if when == "before":
        import made_up.other
    parent = work([1, 2, 4])
    with multiprocessing.get_context(how).Pool(1) as pool:
        child = pool.apply(work, ([1, 2, 4],))
    print(json.dumps({"parent": parent, "child": child}))
"""


@dataclass
class Tree:
    """Folders for processes that find the made-up package, our entry point, and one patch of ours."""

    site: Path
    cache: Path
    variables: dict[str, str] = field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        ours = "GPU_GOTCHAS", "VLLM"
        kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        paths = [str(self.site), str(ROOT / "src"), str(ROOT)]
        return {
            **kept,
            "PYTHONPATH": os.pathsep.join(paths),
            "GPU_GOTCHAS_CACHE": str(self.cache),
            "GPU_GOTCHAS_FIXES": "made-up-total",
            **self.variables,
        }

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *arguments], env=self.environment(), capture_output=True, text=True, check=False
        )

    def main(self, how: str = "spawn", when: str = "after") -> subprocess.CompletedProcess[str]:
        return self.run(str(self.site / "main.py"), how, when)

    def files(self) -> list[dict]:
        folder = self.cache / "fixes/processes"
        return [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]


def entry_points_file(site: Path) -> None:
    """Our metadata as an install writes it, from the table that an install is made from."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    info = site / "gpu_gotchas-0.1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: gpu-gotchas\nVersion: 0.1.0\n")
    group = "vllm.general_plugins"
    lines = [f"[{group}]", *(f"{name} = {value}" for name, value in project["entry-points"][group].items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tree:
    site, cache = tmp_path / "site", tmp_path / "cache"
    made_up.install(site)
    (site / "made_up/plugins.py").write_text(LOADER)
    (site / "main.py").write_text(MAIN)
    entry_points_file(site)
    patches = site / "further_patches"
    patches.mkdir()
    (patches / "made_up_total.py").write_text("from tests.upstream.made_up import patch\n\nPATCH = patch()\n")
    (site / "sitecustomize.py").write_text(
        f"import gpu_gotchas.upstream.patches as patches\n\npatches.__path__.append({str(patches)!r})\n"
    )
    monkeypatch.syspath_prepend(str(site))
    Verdicts((made_up.verdict(made_up.patch()),)).write(cache / "fixes/verdicts.json")
    return Tree(site, cache)


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("how", ["spawn", "fork"])
def test_parent_and_workers_are_patched_whenever_it_is_imported(tree: Tree, how: str, when: str) -> None:
    done = tree.main(how, when)
    assert json.loads(done.stdout) == {"parent": 7, "child": 7}, done.stderr
    said = tree.files()
    assert len(said) == 2
    assert {one["fixes"]["made-up-total"]["outcome"] for one in said} == {"applied and verified"}
    assert {one["versions"]["made_up"] for one in said} == {"1.2.0"}
    # One line for each process that decided for itself, and one when it was applied later.
    lines = [line for line in done.stderr.splitlines() if "gpu-gotchas fixes: 1 " in line]
    assert len(lines) == (2 if how == "spawn" else 1)


@pytest.mark.parametrize(
    "variables", [{"GPU_GOTCHAS_FIXES": "off"}, {"GPU_GOTCHAS_FIXES": ""}, {"VLLM_PLUGINS": "x"}]
)
def test_off_or_left_out_nothing_is_touched(tree: Tree, variables: dict[str, str]) -> None:
    tree.variables = variables
    done = tree.main()
    assert json.loads(done.stdout) == {"parent": 3, "child": 3}
    assert not tree.files()
    assert not done.stderr


def test_a_release_in_which_the_code_has_moved_is_declined_out_loud(tree: Tree) -> None:
    (tree.site / "made_up/core.py").write_text("from made_up.elsewhere import total\n")
    (tree.site / "made_up/elsewhere.py").write_text(made_up.FAULTY)
    done = tree.main()
    assert json.loads(done.stdout) == {"parent": 3, "child": 3}
    assert "its code is not where it was" in done.stderr
    assert {one["fixes"]["made-up-total"]["outcome"] for one in tree.files()} == {"declined"}


def test_a_patch_whose_verify_fails_is_rolled_back_and_said(tree: Tree) -> None:
    (tree.site / "further_patches/made_up_total.py").write_text(
        "from tests.upstream.made_up import patch\n\n"
        "PATCH = patch(replace=lambda before, module: lambda numbers: -1)\n"
    )
    done = tree.main()
    assert json.loads(done.stdout) == {"parent": 3, "child": 3}
    assert "rolled back" in done.stderr


def test_strict_ends_the_process_where_a_patch_is_declined(tree: Tree) -> None:
    tree.variables = {"GPU_GOTCHAS_STRICT": "1"}
    assert tree.main().returncode == 0
    made_up.install(tree.site, made_up.FAULTY.replace("[:-1]", "[1:]"))
    done = tree.main()
    assert done.returncode == 1
    assert "PatchDeclined: made-up-total" in done.stderr
    assert "gotchas fixes prepare" in done.stderr


def test_a_broken_install_of_ours_takes_nothing_down_and_is_said(tree: Tree) -> None:
    (tree.site / "further_patches/made_up_total.py").write_text("import nothing_like_it\n")
    done = tree.main()
    assert json.loads(done.stdout) == {"parent": 3, "child": 3}
    assert "none applied, ModuleNotFoundError" in done.stderr


def test_until_it_is_switched_on_the_entry_point_imports_the_standard_library_only(tree: Tree) -> None:
    (tree.site / "sitecustomize.py").unlink()
    tree.variables = {"GPU_GOTCHAS_FIXES": ""}
    code = """
import sys
from importlib.metadata import entry_points
before = set(sys.modules)
(plugin,) = entry_points(group="vllm.general_plugins")
plugin.load()()
new = {name for name in set(sys.modules) - before if name.partition(".")[0] not in sys.stdlib_module_names}
print(sorted(new))
"""
    done = tree.run("-c", code)
    upstream = "gpu_gotchas.upstream"
    ours = ["gpu_gotchas", upstream, f"{upstream}.plugin", f"{upstream}.switch"]
    assert done.stdout.strip() == str(ours), done.stderr


VLLM_MAIN = """
import json
import multiprocessing
import os


def work(_):
    from gpu_gotchas.repro.upstream import vllm

    vllm.prepare()
    from vllm.plugins import load_general_plugins

    load_general_plugins()
    from vllm.model_executor.layers.fused_moe.fused_moe import get_moe_wna16_block_config

    shape = dict(num_valid_tokens=8, size_k=2048, size_n=1536, num_experts=1536, group_size=32, real_top_k=8)
    return get_moe_wna16_block_config({}, True, block_size_m=16, **shape)["BLOCK_SIZE_K"]


if __name__ == "__main__":
    parent = work(0)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        child = pool.apply(work, (0,))
    print(json.dumps([parent, child]))
"""


@pytest.mark.parametrize(("fixes", "block"), [("off", 512), ("moe-wna16-block-k-illegal", 256)])
def test_vllm_itself_finds_and_calls_it_in_parent_and_worker(tmp_path: Path, fixes: str, block: int) -> None:
    try:
        package = find_package(f"vllm=={RELEASES[-1]}")
    except PackageError as error:
        pytest.skip(str(error))
    if not has_light():
        pytest.skip("`gotchas fetch --light` installs what importing vLLM needs")
    site = tmp_path / "site"
    entry_points_file(site)
    (site / "main.py").write_text(VLLM_MAIN)
    paths = [str(site), str(ROOT / "src"), str(package), str(light_folder())]
    tree = Tree(site, tmp_path / "cache")
    tree.variables = {
        "PYTHONPATH": os.pathsep.join(paths),
        "GPU_GOTCHAS_FIXES": fixes,
        "CUDA_VISIBLE_DEVICES": "",
    }
    done = tree.run(str(site / "main.py"))
    assert done.returncode == 0, done.stderr[-3000:]
    assert json.loads(done.stdout.splitlines()[-1]) == [block, block], done.stderr[-3000:]
    said = [one["fixes"][fixes]["why"] for one in tree.files()]
    assert len(said) == (0 if fixes == "off" else 2)
