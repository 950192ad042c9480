"""vLLM: one platform object that every module shares, whose class says which card there is."""

from __future__ import annotations

import importlib
from typing import Any

from gpu_gotchas.hardware.targets import Target
from gpu_gotchas.repro.upstream.stand_ins import clear_caches, say_stood_in, stand_in_for_extensions


def prepare() -> None:
    """Have vLLM begin without a card, also on a machine that has one.

    With a card, importing it asks for compiled parts. Raises ImportError where it cannot be imported.
    """
    platforms = importlib.import_module("vllm.platforms")
    interface = importlib.import_module("vllm.platforms.interface")
    if vars(platforms).get("_current_platform") is None:
        vars(platforms)["_current_platform"] = interface.UnspecifiedPlatform()


def flip(target: Target, memory: int) -> None:
    """Give the platform object vLLM's own CUDA class, which answers for a card of `target`."""
    stand_in_for_extensions("vllm", "vllm")
    platform: Any = importlib.import_module("vllm.platforms").current_platform
    interface = importlib.import_module("vllm.platforms.interface")
    # The class that does not ask NVML: which card there is comes from torch.cuda.
    genuine: Any = importlib.import_module("vllm.platforms.cuda").NonNvmlCudaPlatform
    capability = interface.DeviceCapability(*(target.capability or (0, 0)))

    class Card(genuine):  # type: ignore[misc]
        @classmethod
        def get_device_capability(cls, device_id: int = 0) -> Any:  # noqa: ARG003
            return capability

        @classmethod
        def get_device_name(cls, device_id: int = 0) -> str:  # noqa: ARG003
            return target.name

        @classmethod
        def get_device_total_memory(cls, device_id: int = 0) -> int:  # noqa: ARG003
            return memory

        @classmethod
        def device_count(cls) -> int:
            return 1

    platform.__class__ = Card
    clear_caches("vllm")
    say_stood_in("vllm.platforms.current_platform")
