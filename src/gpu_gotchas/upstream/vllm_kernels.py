"""Load a kernel module of an unpacked vLLM, without running the rest of vLLM.

The module's own source is executed as it lies there, and its imports inside vLLM find the package's own
files. Three names stand in for what would need a compiled extension or a whole engine:

- `vllm`: a package with the folder as its path; its `__init__` is not run.
- `vllm.platforms`: `current_platform`, which says CUDA or ROCm and nothing else.
- `vllm.triton_utils`: `triton` and `tl`, the real ones, without vLLM's check for a driver.

`listen` hears what the compiler made of one of its kernels, which vLLM's launchers keep to themselves.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any


class StandInPlatform:
    """What the kernel modules ask of vLLM's `current_platform`."""

    def __init__(self, *, rocm: bool) -> None:
        self._rocm = rocm

    def is_rocm(self) -> bool:
        return self._rocm

    def is_cuda(self) -> bool:
        return not self._rocm

    def is_cuda_alike(self) -> bool:
        return True


class KernelListener:
    """A kernel that launches as before. asm: what the compiler made of the last launch, by kind of code."""

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel
        self.asm: Mapping[str, Any] = {}

    def __getitem__(self, grid: Any) -> Any:
        def launch(*args: Any, **kwargs: Any) -> None:
            self.asm = self._kernel[grid](*args, **kwargs).asm

        return launch


def listen(module: ModuleType, kernel: str) -> KernelListener:
    """Put a listener in the place of one of the module's kernels."""
    listener = KernelListener(getattr(module, kernel))
    setattr(module, kernel, listener)
    return listener


def load_kernel_module(package: str | None, name: str, *, rocm: bool = False) -> ModuleType:
    """The module `vllm.<name>` from the source below `package`, the folder that holds `vllm/`.

    What was imported as `vllm` before is put back, so that an installed vLLM stays untouched. Raises
    ValueError without a folder, FileNotFoundError when it holds no such module, ImportError when the module
    needs more than the stand-ins.
    """
    if package is None:
        raise ValueError("a folder that holds vLLM's source is needed")
    folder = Path(package) / "vllm"
    source = folder.joinpath(*name.split(".")).with_suffix(".py")
    if not source.is_file():
        raise FileNotFoundError(f"{source} is not there: the package's folder must hold vllm's own source")
    before = {key: sys.modules.pop(key) for key in _vllm_modules()}
    sys.modules.update(_stand_ins(folder, rocm=rocm))
    try:
        return importlib.import_module(f"vllm.{name}")
    finally:
        for key in _vllm_modules():
            del sys.modules[key]
        sys.modules.update(before)


def _vllm_modules() -> list[str]:
    return [name for name in sys.modules if name == "vllm" or name.startswith("vllm.")]


def _stand_ins(folder: Path, *, rocm: bool) -> dict[str, ModuleType]:
    import triton
    import triton.language as tl

    package = ModuleType("vllm", "Stand-in: the package's folder without its __init__.")
    package.__path__ = [str(folder)]
    platforms = ModuleType("vllm.platforms", "Stand-in.")
    platforms.__dict__["current_platform"] = StandInPlatform(rocm=rocm)
    triton_utils = ModuleType("vllm.triton_utils", "Stand-in.")
    triton_utils.__dict__.update(triton=triton, tl=tl)
    return {"vllm": package, "vllm.platforms": platforms, "vllm.triton_utils": triton_utils}
