"""Print, as JSON, the shared memory of the MLA mechanism kernel for each stage count and cache dtype."""

from __future__ import annotations

import importlib.util
import json
import sys
from typing import Any

import torch


class Measured:
    """In place of a kernel: compiles for each stage count and cache dtype, and launches nothing."""

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel
        self.bytes: dict[str, int] = {}

    def __getitem__(self, grid: Any) -> Any:
        def launch(*args: Any, **kwargs: Any) -> None:
            for dtype in (torch.float8_e4m3fn, torch.bfloat16):
                given = [arg.to(dtype) if _is_cache(arg) else arg for arg in args]
                for stages in (2, 1):
                    compiled = self.kernel.warmup(*given, grid=grid, **{**kwargs, "num_stages": stages})
                    self.bytes[f"{stages} {dtype}"] = compiled.metadata.shared

        return launch


def _is_cache(argument: Any) -> bool:
    return isinstance(argument, torch.Tensor) and argument.dtype == torch.float8_e4m3fn


def main(path: str) -> None:
    from gpu_gotchas.repro.probe import ProbeTarget

    spec = importlib.util.spec_from_file_location("mla_repro", path)
    assert spec is not None
    assert spec.loader is not None
    repro = importlib.util.module_from_spec(spec)
    sys.modules["mla_repro"] = repro
    spec.loader.exec_module(repro)
    measured = Measured(repro.mla_decode)
    repro._decode(measured, ProbeTarget(None, runs=False))
    print(json.dumps(measured.bytes))


if __name__ == "__main__":
    main(sys.argv[1])
