"""Dry launch: Triton's own path from call to launch, for a card that is not there.

A stand-in driver reports a target and its limits. Binding, specialisation, compilation and the check of
resources stay Triton's own; only loading the binary and starting it are left out. The exception that comes
out is the one that the owner of such a card sees. A launch that comes through says "compiles and fits",
never "runs".

One process serves one target: Triton's caches, and those of the functions under test, are not keyed by
target everywhere. On AMD only code that asks Triton is answered: `torch.version.hip` stays None.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import torch
from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase
from triton.runtime.driver import driver as active_driver

from gpu_gotchas.hardware.targets import Target, Vendor

_REGISTERS_PER_BLOCK = 65536
_THREADS_PER_BLOCK = 1024


@dataclass(frozen=True, slots=True)
class Launch:
    """A launch that would have happened. shared: bytes of shared memory per block."""

    kernel: str
    grid: tuple[int, int, int]
    shared: int
    num_warps: int


class _Utils:
    """Stands where Triton's compiled helpers stand: the target's limits, and a load that loads nothing."""

    def __init__(self, target: Target) -> None:
        self._target = target

    def get_device_properties(self, device: int) -> dict[str, Any]:  # noqa: ARG002
        return {
            "max_shared_mem": self._target.shared_optin,
            "max_num_regs": _REGISTERS_PER_BLOCK,
            "multiprocessor_count": 1,
            "warpSize": self._target.warp_size,
            "arch": self._target.name,
            "sm_clock_rate": 1,
            "mem_clock_rate": 1,
            "mem_bus_width": 1,
        }

    def load_binary(self, *_: Any) -> tuple[int, int, int, int, int]:
        """(module, function, registers, spills, threads per block); handles must only not be None."""
        return 1, 1, 0, 0, _THREADS_PER_BLOCK

    def unload_module(self, module: int) -> None: ...


class DryDriver(DriverBase):  # type: ignore[misc]
    """A Triton driver for `target` that records launches instead of making them."""

    def __init__(self, target: Target) -> None:
        super().__init__()
        self.target = target
        self.utils = _Utils(target)
        self.launches: list[Launch] = []
        self.launcher_cls = self._make_launcher

    def _make_launcher(self, src: Any, metadata: Any) -> Any:  # noqa: ARG002
        def launch(grid_x: int, grid_y: int, grid_z: int, *_: Any) -> None:
            self.launches.append(
                Launch(metadata.name, (grid_x, grid_y, grid_z), metadata.shared, metadata.num_warps)
            )

        return launch

    @staticmethod
    def is_active() -> bool:
        return True

    def map_python_to_cpp_type(self, ty: str) -> str:  # noqa: ARG002
        return "void*"

    def get_current_target(self) -> Any:
        if self.target.vendor is Vendor.AMD:
            return GPUTarget("hip", self.target.name, self.target.warp_size)
        major, minor = self.target.capability or (0, 0)
        return GPUTarget("cuda", major * 10 + minor, self.target.warp_size)

    def get_current_device(self) -> int:
        return 0

    def set_current_device(self, device: int) -> None: ...

    def get_current_stream(self, device: int) -> int:  # noqa: ARG002
        return 0

    def get_device_capability(self, device: int = 0) -> tuple[int, int]:  # noqa: ARG002
        return self.target.capability or (0, 0)

    def get_active_torch_device(self) -> torch.device:
        return torch.device("cpu")

    def get_device_interface(self) -> Any:
        return torch.cpu

    def get_benchmarker(self) -> Any:
        """Calls the function once, so that every configuration compiles and one that does not fit raises."""

        def once(fn: Any, quantiles: Any = None, **_: Any) -> Any:
            fn()
            return [1.0] * len(quantiles) if quantiles else 1.0

        return once

    def get_empty_cache_for_benchmark(self) -> torch.Tensor:
        return torch.empty(1)

    def clear_cache(self, cache: torch.Tensor) -> None: ...


_installed: list[DryDriver] = []


def install(target: Target) -> DryDriver:
    """Make `target` the card of this process, for good. There is no way back: use a child process.

    Raises RuntimeError where this process stands in for another target already.
    """
    if _installed and _installed[0].target != target:
        held = _installed[0].target.name
        raise RuntimeError(f"this process stands in for {held}, for good: {target.name} needs its own")
    if not _installed:
        _installed.append(DryDriver(target))
        active_driver.set_active(_installed[0])
        answer_for(target)
    return _installed[0]


def answer_for(target: Target, *, memory: int = 0) -> None:
    """Let torch's questions about the card be answered for the target, where launching code asks them.

    memory: bytes that the card is said to have.
    """
    properties = SimpleNamespace(
        name=target.name,
        major=(target.capability or (0, 0))[0],
        minor=(target.capability or (0, 0))[1],
        gcnArchName=target.name,
        multi_processor_count=1,
        shared_memory_per_block=target.shared_default,
        shared_memory_per_block_optin=target.shared_optin,
        warp_size=target.warp_size,
        total_memory=memory,
    )
    answers: dict[str, Any] = {
        "get_device_capability": lambda device=None: target.capability or (0, 0),  # noqa: ARG005
        "get_device_properties": lambda device=None: properties,  # noqa: ARG005
        "get_device_name": lambda device=None: target.name,  # noqa: ARG005
        "current_device": lambda: 0,
        "synchronize": lambda device=None: None,  # noqa: ARG005
    }
    for name, answer in answers.items():
        setattr(torch.cuda, name, answer)
