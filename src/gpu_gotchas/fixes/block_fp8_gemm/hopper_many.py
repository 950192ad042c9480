"""The kernel for compute capability 9.0 and many tokens: warps divide the work by kind.

One warp asks the copy engine for codes and tokens. Two or three groups of four warps, with 64 of the weight
rows each, widen and multiply them; they wait for data and not for each other, so that one group widens while
the matrix unit works for another.

What binds is how fast the second-level cache hands out data: every block of rows reads all tokens again, and
every block of tokens all weights. At 128 tokens registers allow two groups; a third, which sums in two steps,
was slower on an H200.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import (
    fence_async_shared,
    mbarrier,
    tma,
    warpgroup_mma,
    warpgroup_mma_wait,
)
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor

from gpu_gotchas.fixes.block_fp8_gemm.hopper import (
    as_operand,
    barrier,
    finish,
    first_place,
    following,
    share_begin,
    shares,
)

_ELEMENTS = {torch.bfloat16: gl.bfloat16, torch.float16: gl.float16, torch.uint8: gl.uint8}

copy_tile: Any = getattr(tma, "async_load", None) or tma.async_copy_global_to_shared


def descriptor(matrix: Tensor, rows: int) -> Any:
    """How the copy engine takes tiles of so many rows and 128 columns from a matrix; beyond it are zeros."""
    layout = gl.NVMMASharedLayout.get_default_for([rows, 128], _ELEMENTS[matrix.dtype])
    return TensorDescriptor.from_tensor(matrix, [rows, 128], layout)


@gluon.jit
def fetch(  # type: ignore[no-untyped-def]
    x, weight, staged, staged_x, ways, sizes, GROUPS: gl.constexpr, GROUPED: gl.constexpr
):
    """Keep the stages full."""
    full, empty, begin, end = ways
    features, k_blocks, token_tiles, tokens, table = sizes
    STAGES: gl.constexpr = full.shape[0]
    TOKENS: gl.constexpr = staged_x.shape[1]
    place = first_place(begin, k_blocks, token_tiles, tokens, table, TOKENS, GROUPED)
    slot = begin * 0
    phase = begin * 0
    for _ in range(begin, end):
        row_block, _, k_block, expert, first, _ = place
        mbarrier.wait(empty.index(slot), phase ^ 1)
        ready = full.index(slot)
        mbarrier.expect(ready, GROUPS * 64 * 128 + TOKENS * 256)
        row = expert * features + row_block * (GROUPS * 64)
        for group in gl.static_range(GROUPS):
            copy_tile(weight, [row + group * 64, k_block * 128], ready, staged.index(slot * GROUPS + group))
        copy_tile(x, [first, k_block * 128], ready, staged_x.index(slot))
        place = following(place, k_blocks, token_tiles, tokens, table, TOKENS, GROUPED)
        slot += 1
        if slot == STAGES:
            slot = 0
            phase ^= 1


@gluon.jit
def multiply_rows(  # type: ignore[no-untyped-def]
    results, staged, staged_x, ways, sizes,
    GROUP: gl.constexpr, GROUPS: gl.constexpr, GROUPED: gl.constexpr, LEAST: gl.constexpr,
):  # fmt: skip
    """Multiply this group's 64 rows of every unit."""
    scale, out, partial, arrivals, out_stride = results
    full, empty, begin, end = ways
    features, k_blocks, token_tiles, tokens, table = sizes
    STAGES: gl.constexpr = full.shape[0]
    TOKENS: gl.constexpr = staged_x.shape[1]
    DTYPE: gl.constexpr = staged_x.dtype
    POWER: gl.constexpr = 256.0 if DTYPE == gl.float16 else 1.0  # noqa: SIM300
    ACC: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, TOKENS, 16])
    OPERAND: gl.constexpr = gl.DotOperandLayout(0, ACC, 2)
    LANES: gl.constexpr = gl.DistributedLinearLayout(
        [[0, 1], [0, 2], [0, 4], [0, 8], [0, 64], [8, 0]],
        [[0, 16], [0, 32], [1, 0], [2, 0], [4, 0]],
        [[16, 0], [32, 0]],
        [],
        [64, 128],
    )
    place = first_place(begin, k_blocks, token_tiles, tokens, table, TOKENS, GROUPED)
    zero = gl.full([64, TOKENS], 0.0, gl.float32, layout=ACC)
    acc = zero
    slot = begin * 0
    phase = begin * 0
    for unit in range(begin, end):
        row_block, token_tile, k_block, expert, first, last = place
        first_feature = row_block * (GROUPS * 64) + GROUP * 64
        block = expert * gl.cdiv(features, 128) + gl.minimum(first_feature, features - 1) // 128
        factor = gl.load(scale + block * k_blocks + k_block) * POWER
        mbarrier.wait(full.index(slot), phase)
        left = as_operand(staged.index(slot * GROUPS + GROUP).load(LANES), DTYPE, OPERAND)
        pending = warpgroup_mma(
            left, staged_x.index(slot).permute((1, 0)), zero, use_acc=False, is_async=True
        )
        product, _ = warpgroup_mma_wait(0, deps=[pending, left])
        acc += product * factor
        barrier()
        mbarrier.arrive(empty.index(slot), count=1)
        if (k_block == k_blocks - 1) | (unit == end - 1):
            finish(
                acc, zero, k_block, first, last, unit, k_blocks, token_tiles, partial + GROUP * (64 * TOKENS),
                arrivals + (row_block * token_tiles + token_tile) * GROUPS + GROUP, out, features, out_stride,
                first_feature, GROUPS * 64, GROUPS * 64 * TOKENS, LEAST,
            )  # fmt: skip
            acc = zero
        place = following(place, k_blocks, token_tiles, tokens, table, TOKENS, GROUPED)
        slot += 1
        if slot == STAGES:
            slot = 0
            phase ^= 1


@gluon.jit(do_not_specialize=["tokens", "token_tiles", "features", "k_blocks"])
def multiply_hopper_many(  # type: ignore[no-untyped-def]
    x,
    weight,
    scale,
    out,
    partial,
    arrivals,
    table,
    tokens,
    token_tiles,
    features,
    k_blocks,
    out_stride,
    GROUPS: gl.constexpr,
    TOKENS: gl.constexpr,
    STAGES: gl.constexpr,
    GROUPED: gl.constexpr,
    LEAST: gl.constexpr,
):
    """One program's share of the units. x, weight: descriptors of tiles of 128 columns, x arranged."""
    if GROUPED:
        token_tiles = gl.load(table)
    units, programs = shares(features, token_tiles, k_blocks, GROUPS * 64, LEAST)
    program = gl.program_id(0)
    if (program < programs) & (units > 0):
        begin = share_begin(program, programs, units)
        end = share_begin(program + 1, programs, units)
        staged = gl.allocate_shared_memory(gl.uint8, [STAGES * GROUPS, 64, 128], weight.layout)
        staged_x = gl.allocate_shared_memory(x.dtype, [STAGES, TOKENS, 128], x.layout)
        full = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
        empty = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
        for stage in gl.static_range(STAGES):
            mbarrier.init(full.index(stage), count=1)
            mbarrier.init(empty.index(stage), count=GROUPS)
        fence_async_shared()
        FIRST: gl.constexpr = 0
        SECOND: gl.constexpr = 1
        THIRD: gl.constexpr = 2
        ways = full, empty, begin, end
        sizes = features, k_blocks, token_tiles, tokens, table
        results = scale, out, partial, arrivals, out_stride
        if GROUPS == 2:
            gl.warp_specialize(
                [
                    (multiply_rows, (results, staged, staged_x, ways, sizes, FIRST, GROUPS, GROUPED, LEAST)),
                    (multiply_rows, (results, staged, staged_x, ways, sizes, SECOND, GROUPS, GROUPED, LEAST)),
                    (fetch, (x, weight, staged, staged_x, ways, sizes, GROUPS, GROUPED)),
                ],
                [4, 1],
                [232, 24],
            )
        else:
            gl.warp_specialize(
                [
                    (multiply_rows, (results, staged, staged_x, ways, sizes, FIRST, GROUPS, GROUPED, LEAST)),
                    (multiply_rows, (results, staged, staged_x, ways, sizes, SECOND, GROUPS, GROUPED, LEAST)),
                    (multiply_rows, (results, staged, staged_x, ways, sizes, THIRD, GROUPS, GROUPED, LEAST)),
                    (fetch, (x, weight, staged, staged_x, ways, sizes, GROUPS, GROUPED)),
                ],
                [4, 4, 1],
                [160, 160, 24],
            )
