"""The card that a device probe runs on. A machine may hold several kinds, and a result names one target."""

from __future__ import annotations

from typing import Any

from gpu_gotchas.hardware.targets import Target, nvidia_target_name


def use_card(target: Target) -> str:
    """Make the first card of `target` torch's current one, so that `cuda` means it; returns its name.

    Raises RuntimeError, saying what torch sees, when there is none.
    """
    import torch

    seen: list[str] = []
    for index in range(torch.cuda.device_count()):
        properties = torch.cuda.get_device_properties(index)
        name = _target_name(properties)
        if name == target.name:
            torch.cuda.set_device(index)
            return str(properties.name)
        seen.append(f"{properties.name} ({name})")
    raise RuntimeError(f"torch sees no card of {target.name} here: {', '.join(seen) or 'no card at all'}")


def _target_name(properties: Any) -> str:
    import torch

    if torch.version.hip:
        # Such as `gfx942:sramecc+:xnack-`, of which the first part is what code is compiled for.
        return str(properties.gcnArchName).partition(":")[0]
    return nvidia_target_name((properties.major, properties.minor))
