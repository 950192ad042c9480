"""Which kernel, which blocks and how many programs, from the target and the sizes; imports no torch.

With few tokens a product is as fast as its weights are read: what matters is that every multiprocessor reads
all the time, and as much as any other. With many tokens it is arithmetic, and a product of 16-bit weights
that are widened beforehand is faster; from where on was measured on an H200.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from math import ceil

from gpu_gotchas.fixes.refused import Refused
from gpu_gotchas.hardware.targets import Target, Vendor

BLOCK = 128
"""Rows and columns of the weights that share a scale."""

LEAST_UNITS = 4
"""A program gets no fewer units than this, as long as there is work for one: starting it costs about two."""


class Kernel(Enum):
    """PORTABLE runs everywhere, HOPPER and HOPPER_MANY on compute capability 9.0, the second for many tokens.

    DEQUANTISE widens all weights, then calls torch.
    """

    PORTABLE = "portable"
    HOPPER = "hopper"
    HOPPER_MANY = "hopper-many"
    DEQUANTISE = "dequantise"


_DENSE_FROM = {Kernel.HOPPER: 768, Kernel.HOPPER_MANY: 768, Kernel.PORTABLE: 192}
"""Tokens, of an expert where there are experts, from which widening first was faster on an H200."""


class Activation(Enum):
    """The dtype of tokens and result."""

    BF16 = "bf16"
    FP16 = "fp16"


@dataclass(frozen=True, slots=True)
class Plan:
    """A launch, for at most `tokens` tokens of `columns` numbers and weights of `features` rows.

    experts: of a grouped product, 0 for a plain one. row_block, token_block: weight rows and tokens of a
    tile. warps, stages: of a program. programs: that are launched. arranged: whether tokens' columns are put
    in the lanes' order beforehand. unit_blocks: blocks of columns that are worked on at a time. ptx: whether
    codes are widened in NVIDIA's assembly.
    """

    kernel: Kernel
    tokens: int
    features: int
    columns: int
    experts: int
    row_block: int
    token_block: int
    warps: int
    stages: int
    programs: int
    arranged: bool = False
    unit_blocks: int = 1
    ptx: bool = True

    @property
    def token_tiles(self) -> int:
        """Blocks of tokens; of a grouped product, at most."""
        blocks = ceil(self.tokens / self.token_block)
        return blocks + min(self.experts, self.tokens) if self.experts else blocks

    @property
    def tiles(self) -> int:
        return ceil(self.features / self.row_block) * self.token_tiles

    @property
    def arrivals(self) -> int:
        """Counters of parts that have come: one for each piece of a tile that is summed on its own."""
        pieces = self.row_block // 64 if self.kernel is Kernel.HOPPER_MANY else 1
        return self.tiles * pieces if self.programs else 0

    @property
    def partial_floats(self) -> int:
        """Numbers of partial results: two tiles a program."""
        return 2 * self.programs * self.row_block * self.token_block if self.programs else 0

    @property
    def scratch_bytes(self) -> int:
        """Bytes for widened weights or for arranged tokens."""
        if self.kernel is Kernel.DEQUANTISE:
            return 2 * max(self.experts, 1) * self.features * self.columns
        return 2 * self.tokens * self.columns if self.arranged else 0

    @property
    def table_entries(self) -> int:
        """Whole numbers that say which tokens are which expert's."""
        return 1 + 3 * self.token_tiles if self.experts and self.programs else 0


def plan(
    target: Target,
    activation: Activation,
    *,
    tokens: int,
    features: int,
    columns: int,
    multiprocessors: int,
    experts: int = 0,
    kernel: Kernel | None = None,
) -> Plan:
    """The plan for at most so many tokens; fewer stay right, and are as fast as that plan is for them.

    multiprocessors: of the card. experts: of a grouped product. kernel: another than the one expected to be
    fastest.

    Raises ValueError for sizes that are none, Refused where the target cannot do it.
    """
    if min(tokens, features, columns, multiprocessors) < 1 or experts < 0:
        raise ValueError("tokens, features, columns and multiprocessors must be at least 1")
    _check(target, activation, kernel, columns, experts)
    each = ceil(tokens / experts) if experts else tokens
    if kernel is None:
        kernel = Kernel.PORTABLE
        if target.capability == (9, 0) and columns % BLOCK == 0:
            kernel = Kernel.HOPPER if each <= _HOPPER[-1][0] else Kernel.HOPPER_MANY
        # Below 8.0 Triton has no matrix instruction.
        old = target.capability is not None and target.capability < (8, 0)
        if (old or each >= _DENSE_FROM[kernel]) and (not experts or _torch_groups(target, activation)):
            kernel = Kernel.DEQUANTISE
    ptx = target.vendor is Vendor.NVIDIA
    sizes = (kernel, tokens, features, columns, experts)
    if kernel is Kernel.DEQUANTISE:
        return Plan(*sizes, row_block=64, token_block=tokens, warps=4, stages=1, programs=0, ptx=ptx)
    if kernel is Kernel.HOPPER:
        token_block, stages, resident = next(
            blocks for blocks in _HOPPER if each <= blocks[0] or blocks is _HOPPER[-1]
        )
        row_block, warps, unit_blocks = 64, 4, 2
        # Arranging tokens is a launch of its own; it pays where many programs copy many of them.
        arranged = token_block > 16 or (token_block == 16 and features * columns >= 64 << 20)
        if ceil(columns / BLOCK) % 2:
            unit_blocks, stages = 1, stages + 1
    elif kernel is Kernel.HOPPER_MANY:
        warps, resident, unit_blocks, arranged = 4, 1, 1, True
        token_block, row_block, stages = next(
            blocks for blocks in _HOPPER_MANY if each <= blocks[0] or blocks is _HOPPER_MANY[-1]
        )
    else:
        row_block, token_block, warps, stages, resident = _portable(target, each)
        unit_blocks, arranged = 1, False
    made = Plan(*sizes, row_block, token_block, warps, stages, 1, arranged, unit_blocks, ptx)
    units = made.tiles * ceil(columns / BLOCK)
    return replace(made, programs=max(1, min(multiprocessors * resident, units // LEAST_UNITS)))


_HOPPER = ((8, 3, 3), (16, 3, 3), (32, 3, 2))
"""(tokens, stages, programs that share a multiprocessor)."""


_HOPPER_MANY = ((64, 192, 5), (128, 128, 4))
"""(tokens, rows, stages)."""


def _portable(target: Target, tokens: int) -> tuple[int, int, int, int, int]:
    """(row block, token block, warps, stages, programs that share a multiprocessor) that fit the target."""
    wide = target.shared_optin >= 160 << 10
    if target.shared_optin < 96 << 10:
        return 64, 16 if tokens <= 16 else 32, 4, 2, 2
    if tokens <= 32:
        return 64, 16 if tokens <= 16 else 32, 4, 4, 3 if wide else 2
    if tokens <= 64 or not wide:
        return 128, 64, 4, 3 if wide else 2, 2 if wide else 1
    return 128, 128, 8, 3, 1


def _torch_groups(target: Target, activation: Activation) -> bool:
    """Whether torch has a grouped product that asks nothing of the CPU; tried on 9.0 only."""
    return target.capability == (9, 0) and activation is Activation.BF16


def _check(target: Target, activation: Activation, kernel: Kernel | None, columns: int, experts: int) -> None:
    capability = target.capability
    if experts and capability is not None and capability < (7, 5):
        raise Refused(
            capability=target.name,
            setting="a grouped product with FP8 weights",
            way_out="use a card of compute capability 7.5 or later",
        )
    if activation is Activation.BF16 and capability is not None and capability < (8, 0):
        raise Refused(
            capability=target.name,
            setting="bfloat16 activations",
            way_out="serve in float16 (`--dtype float16`)",
        )
    if kernel is Kernel.DEQUANTISE and experts and not _torch_groups(target, activation):
        raise Refused(
            capability=target.name,
            setting=f"widening experts first in {activation.value}",
            way_out="leave the choice of kernel to the planner",
        )
    if kernel in (Kernel.HOPPER, Kernel.HOPPER_MANY) and (capability != (9, 0) or columns % BLOCK):
        raise Refused(
            capability=target.name,
            setting=f"a kernel for compute capability 9.0 on {columns} columns",
            way_out="leave the choice of kernel to the planner",
        )
