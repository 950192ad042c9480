"""Refuses FP8 experts in Triton on cards whose compiler target has no FP8 E4M3, before weights are touched.

Triton compiles `fp8e4nv` from compute capability 8.9 on. A launcher that does not ask finds out at its first
launch, with a message that names neither the card nor a way out.
"""

from __future__ import annotations

from gpu_gotchas.fixes.refused import Refused

FIRST_WITH_E4M3 = (8, 9)


def refuse_fp8_experts(capability: tuple[int, int] | None) -> None:
    """Raises `Refused` where Triton has no E4M3. capability: (major, minor) on NVIDIA, None elsewhere."""
    if capability is not None and capability < FIRST_WITH_E4M3:
        raise Refused(
            capability=f"sm_{capability[0]}{capability[1]}",
            setting="an FP8 mixture of experts in Triton",
            way_out="use Marlin, which keeps FP8 weights and computes in 16 bits (--moe-backend marlin)",
        )
