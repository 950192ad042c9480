"""How a cache holds its numbers, and how FP8 codes become float16."""

from __future__ import annotations

from enum import Enum

from gpu_gotchas.fixes.refused import Refused
from gpu_gotchas.hardware.targets import Target, Vendor


class KvForm(Enum):
    """What one number of the cache is. FP8 is E4M3 (`float8_e4m3fn`), also when it is kept as `uint8`."""

    BF16 = "bf16"
    FP16 = "fp16"
    FP8 = "fp8"

    @property
    def bytes(self) -> int:
        return 1 if self is KvForm.FP8 else 2


class Widening(Enum):
    """How an E4M3 code becomes a float16.

    INSTRUCTION: the card's conversion (NVIDIA from 8.9 on). BITS: six operations for four codes, inline PTX.
    ARITHMETIC: the same moves in plain Triton, for AMD and for Triton's interpreter.
    Moved bits are the value over 256, which the kernels fold into the scales.
    """

    NONE = "none"
    INSTRUCTION = "instruction"
    BITS = "bits"
    ARITHMETIC = "arithmetic"

    @property
    def power(self) -> float:
        """What a widened code must be multiplied by to be its value."""
        return 256.0 if self in (Widening.BITS, Widening.ARITHMETIC) else 1.0


def widening_for(target: Target, form: KvForm, *, triton: bool) -> Widening:
    """The fastest way that `target` has, in a kernel that Triton lays out (triton) or in one of Gluon's.

    Triton splits the instruction's operands into bytes first, which takes more registers than there are: the
    bits were 1.03 to 1.2 times as fast on an H200.
    """
    if form is not KvForm.FP8:
        return Widening.NONE
    if target.vendor is not Vendor.NVIDIA:
        return Widening.ARITHMETIC
    return Widening.BITS if triton or (target.capability or (0, 0)) < (8, 9) else Widening.INSTRUCTION


def refuse_what_lacks(target: Target, form: KvForm, widening: Widening | None, *, what: str) -> None:
    """Raises Refused where `target` can't run `what` on this form of cache, widened in this way if given."""
    capability = target.capability
    if capability is not None and capability < (7, 5):
        raise Refused(
            capability=target.name,
            setting=what,
            way_out="use a card of compute capability 7.5 or later",
        )
    if form is KvForm.BF16 and capability is not None and capability < (8, 0):
        raise Refused(
            capability=target.name,
            setting="a bfloat16 KV cache",
            way_out="keep the cache in float16 or FP8, which is decoded in software",
        )
    lacks = capability is None or capability < (8, 9)
    if widening is Widening.INSTRUCTION and lacks:
        raise Refused(
            capability=target.name,
            setting="converting FP8 by instruction",
            way_out="leave the choice of widening to the planner",
        )
    if widening is Widening.BITS and target.vendor is not Vendor.NVIDIA:
        raise Refused(
            capability=target.name, setting="PTX", way_out="leave the choice of widening to the planner"
        )
