"""vLLM's platform, made one of CUDA with any compute capability, on a machine without a card. For children only.

vLLM imports on a CPU as an unspecified platform, and every module of it holds the same platform object. Giving
that object another class turns the whole imported package at once.
"""

from __future__ import annotations

import importlib
from typing import Any

from gpu_gotchas.hardware.targets import Target

_MEMORY = 24 << 30


def stand_in_for(target: Target) -> None:
    """Let the imported vLLM see an NVIDIA card of `target`'s capability, for good.

    Import what is to be asked first: what finds CUDA at import wants compiled parts.
    """
    platforms = importlib.import_module("vllm.platforms")
    interface = importlib.import_module("vllm.platforms.interface")
    major, minor = target.capability or (0, 0)

    class StandIn(interface.Platform):  # type: ignore[misc, name-defined]
        _enum = interface.PlatformEnum.CUDA
        device_name = device_type = "cuda"
        dispatch_key = "CUDA"

        @classmethod
        def get_device_capability(cls, device_id: int = 0) -> Any:  # noqa: ARG003
            return interface.DeviceCapability(major, minor)

        @classmethod
        def get_device_name(cls, device_id: int = 0) -> str:  # noqa: ARG003
            return target.name

        @classmethod
        def get_device_total_memory(cls, device_id: int = 0) -> int:  # noqa: ARG003
            return _MEMORY

        @classmethod
        def supports_fp8(cls) -> bool:
            return bool(cls.has_device_capability(89))

    platforms.current_platform.__class__ = StandIn
