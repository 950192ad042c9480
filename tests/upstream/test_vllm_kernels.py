"""Loading one module of an unpacked vLLM: its own source, under three stand-ins, leaving no trace."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import pytest

pytest.importorskip("triton")

from gpu_gotchas.upstream.vllm_kernels import listen, load_kernel_module


@pytest.fixture
def package(tmp_path: Path) -> str:
    ops = tmp_path / "vllm" / "v1" / "ops"
    ops.mkdir(parents=True)
    (tmp_path / "vllm" / "__init__.py").write_text("raise RuntimeError('the engine was imported')\n")
    (tmp_path / "vllm" / "v1" / "__init__.py").write_text("")
    (ops / "__init__.py").write_text("")
    (ops / "helper.py").write_text("ANSWER = 42\n")
    (ops / "kernels.py").write_text(
        "from vllm.platforms import current_platform\n"
        "from vllm.triton_utils import tl, triton\n"
        "from vllm.v1.ops.helper import ANSWER\n"
        "ROCM, CUDA = current_platform.is_rocm(), current_platform.is_cuda()\n"
    )
    (ops / "needy.py").write_text("import vllm.engine\n")
    return str(tmp_path)


def test_it_is_the_package_s_own_source_under_stand_ins(package: str) -> None:
    import triton

    module = load_kernel_module(package, "v1.ops.kernels")
    assert module.ANSWER == 42
    assert module.triton is triton
    assert (module.CUDA, module.ROCM) == (True, False)
    assert module.__file__ == str(Path(package, "vllm", "v1", "ops", "kernels.py"))


def test_rocm_is_what_the_module_sees_when_asked_for(package: str) -> None:
    module = load_kernel_module(package, "v1.ops.kernels", rocm=True)
    assert (module.CUDA, module.ROCM) == (False, True)


def test_modules_that_were_there_are_put_back(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = ModuleType("vllm")
    monkeypatch.setitem(sys.modules, "vllm", installed)
    load_kernel_module(package, "v1.ops.kernels")
    assert sys.modules["vllm"] is installed
    assert [name for name in sys.modules if name.startswith("vllm.")] == []


def test_a_module_that_needs_more_says_what(package: str) -> None:
    with pytest.raises(ImportError, match=r"vllm\.engine"):
        load_kernel_module(package, "v1.ops.needy")
    assert "vllm" not in sys.modules


def test_a_folder_without_the_module_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="must hold vllm's own source"):
        load_kernel_module(str(tmp_path), "v1.ops.kernels")


def test_a_listener_launches_and_keeps_what_was_compiled() -> None:
    launched: list[tuple[object, ...]] = []

    class Compiled:
        asm: ClassVar = {"ttir": "module {}"}

    class Kernel:
        def __getitem__(self, grid: object) -> Any:
            return lambda *args, **kwargs: launched.append((grid, args, kwargs)) or Compiled

    module = ModuleType("kernels")
    module.__dict__["_stage"] = Kernel()
    heard = listen(module, "_stage")
    assert heard.asm == {}
    module.__dict__["_stage"][(3,)](1, BLOCK=2)
    assert launched == [((3,), (1,), {"BLOCK": 2})]
    assert heard.asm["ttir"] == "module {}"


def test_without_a_folder_there_is_nothing_to_load() -> None:
    with pytest.raises(ValueError, match="vLLM's source"):
        load_kernel_module(None, "v1.ops.kernels")
