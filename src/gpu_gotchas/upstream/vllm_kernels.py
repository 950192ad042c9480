"""Load a kernel module of an unpacked vLLM, without running the rest of vLLM.

The module's own source is executed as it lies there, and its imports inside vLLM find the package's own
files. Three names stand in for what would need a compiled extension or a whole engine:

- `vllm`: a package with the folder as its path; its `__init__` is not run.
- `vllm.platforms`: `current_platform`, which says CUDA or ROCm and nothing else.
- `vllm.triton_utils`: `triton` and `tl`, the real ones, without vLLM's check for a driver.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType


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


def load_kernel_module(package: str, name: str, *, rocm: bool = False) -> ModuleType:
    """The module `vllm.<name>` from the source below `package`, the folder that holds `vllm/`.

    What was imported as `vllm` before is put back, so that an installed vLLM stays untouched. Raises
    FileNotFoundError when the folder holds no such module, ImportError when it needs more than the stand-ins.
    """
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
