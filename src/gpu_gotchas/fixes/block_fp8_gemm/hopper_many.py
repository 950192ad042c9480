"""The kernel for compute capability 9.0 and more tokens than one: warps divide the work by kind.

One warp asks the copy engine for codes and tokens. Two groups of four warps, each with half of the weight
rows, widen and multiply them; they wait for data and not for each other, so that one group widens while the
matrix unit works for the other.
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
    following,
    members,
    share_begin,
)

_ELEMENTS = {torch.bfloat16: gl.bfloat16, torch.float16: gl.float16, torch.uint8: gl.uint8}

copy_tile: Any = getattr(tma, "async_load", None) or tma.async_copy_global_to_shared


def descriptor(matrix: Tensor, rows: int) -> Any:
    """How the copy engine takes tiles of so many rows and 128 columns from a matrix; beyond it are zeros."""
    layout = gl.NVMMASharedLayout.get_default_for([rows, 128], _ELEMENTS[matrix.dtype])
    return TensorDescriptor.from_tensor(matrix, [rows, 128], layout)


@gluon.jit
def first_place(  # type: ignore[no-untyped-def]
    begin, k_blocks, token_tiles, tokens, table, TOKENS: gl.constexpr, GROUPED: gl.constexpr
):
    tile = begin // k_blocks
    row_block = tile // token_tiles
    token_tile = tile - row_block * token_tiles
    expert, first, last = members(token_tile, tokens, table, TOKENS, GROUPED)
    return row_block, token_tile, begin - tile * k_blocks, expert, first, last


@gluon.jit
def fetch(  # type: ignore[no-untyped-def]
    x, weight, staged, staged_x, full, empty, begin, end, features, k_blocks, token_tiles, tokens, table,
    GROUPED: gl.constexpr,
):  # fmt: skip
    """Keep the stages full."""
    STAGES: gl.constexpr = staged.shape[0]
    TOKENS: gl.constexpr = staged_x.shape[1]
    place = first_place(begin, k_blocks, token_tiles, tokens, table, TOKENS, GROUPED)
    slot = begin * 0
    phase = begin * 0
    for _ in range(begin, end):
        row_block, _, k_block, expert, first, _ = place
        mbarrier.wait(empty.index(slot), phase ^ 1)
        ready = full.index(slot)
        mbarrier.expect(ready, 128 * 128 + TOKENS * 256)
        copy_tile(weight, [expert * features + row_block * 128, k_block * 128], ready, staged.index(slot))
        copy_tile(x, [first, k_block * 128], ready, staged_x.index(slot))
        place = following(place, k_blocks, token_tiles, tokens, table, TOKENS, GROUPED)
        slot += 1
        if slot == STAGES:
            slot = 0
            phase ^= 1


@gluon.jit
def multiply_half(  # type: ignore[no-untyped-def]
    scale, out, partial, arrivals, staged, staged_x, full, empty, begin, end, program, programs, units,
    features, k_blocks, token_tiles, tokens, table, out_stride, HALF: gl.constexpr, GROUPED: gl.constexpr,
):  # fmt: skip
    """Multiply 64 rows of every unit's 128."""
    STAGES: gl.constexpr = staged.shape[0]
    TOKENS: gl.constexpr = staged_x.shape[1]
    DTYPE: gl.constexpr = staged_x.dtype
    POWER: gl.constexpr = 256.0 if DTYPE == gl.float16 else 1.0
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
    acc = gl.full([64, TOKENS], 0.0, gl.float32, layout=ACC)
    slot = begin * 0
    mbarrier.wait(full.index(0), 0)
    left = as_operand(staged.index(0).slice(HALF * 64, 64, dim=0).load(LANES), DTYPE, OPERAND)
    pending = warpgroup_mma(left, staged_x.index(0).permute((1, 0)), zero, use_acc=False, is_async=True)
    coming = slot + 1
    phase = slot
    mbarrier.wait(full.index(coming), phase, pred=begin + 1 < end)
    then = as_operand(staged.index(coming).slice(HALF * 64, 64, dim=0).load(LANES), DTYPE, OPERAND)
    for unit in range(begin, end):
        row_block, token_tile, k_block, expert, _, _ = place
        block = expert * gl.cdiv(features, 128) + row_block
        factor = gl.load(scale + block * k_blocks + k_block) * POWER
        product, _ = warpgroup_mma_wait(0, deps=[pending, left])
        barrier()
        mbarrier.arrive(empty.index(slot), count=1)
        acc += product * factor
        if (k_block == k_blocks - 1) | (unit == end - 1):
            finish(
                acc, zero, place, unit, begin, program, programs, units, k_blocks,
                partial + HALF * 64 * TOKENS, arrivals + 2 * (row_block * token_tiles + token_tile) + HALF,
                out, features, out_stride, row_block * 128 + HALF * 64, 128 * TOKENS,
            )  # fmt: skip
            acc = zero
        place = following(place, k_blocks, token_tiles, tokens, table, TOKENS, GROUPED)
        # The matrix unit goes on to the next unit, after the last to one that nobody looks at. The codes of
        # the one after that are widened meanwhile: before the loop's end, since compilers move them past a
        # wait, and not past that.
        left = then
        slot = coming
        pending = warpgroup_mma(
            left, staged_x.index(slot).permute((1, 0)), zero, use_acc=False, is_async=True
        )
        coming += 1
        if coming == STAGES:
            coming = 0
            phase ^= 1
        mbarrier.wait(full.index(coming), phase, pred=unit + 2 < end)
        then = as_operand(staged.index(coming).slice(HALF * 64, 64, dim=0).load(LANES), DTYPE, OPERAND)
    warpgroup_mma_wait(0, deps=[pending, left])


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
    TOKENS: gl.constexpr,
    STAGES: gl.constexpr,
    GROUPED: gl.constexpr,
    LEAST: gl.constexpr,
):
    """One program's share of the units. x, weight: descriptors of tiles of 128 columns, x arranged."""
    if GROUPED:
        token_tiles = gl.load(table)
    units = gl.cdiv(features, 128) * token_tiles * k_blocks
    programs = gl.minimum(gl.num_programs(0), gl.maximum(units // LEAST, 1))
    program = gl.program_id(0)
    if (program < programs) & (units > 0):
        begin = share_begin(program, programs, units)
        end = share_begin(program + 1, programs, units)
        staged = gl.allocate_shared_memory(gl.uint8, [STAGES, 128, 128], weight.layout)
        staged_x = gl.allocate_shared_memory(x.dtype, [STAGES, TOKENS, 128], x.layout)
        full = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
        empty = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
        for stage in gl.static_range(STAGES):
            mbarrier.init(full.index(stage), count=1)
            mbarrier.init(empty.index(stage), count=2)
        fence_async_shared()
        UPPER: gl.constexpr = 0
        LOWER: gl.constexpr = 1
        gl.warp_specialize(
            [
                (multiply_half, (
                    scale, out, partial, arrivals, staged, staged_x, full, empty, begin, end, program,
                    programs, units, features, k_blocks, token_tiles, tokens, table, out_stride,
                    UPPER, GROUPED,
                )),
                (multiply_half, (
                    scale, out, partial, arrivals, staged, staged_x, full, empty, begin, end, program,
                    programs, units, features, k_blocks, token_tiles, tokens, table, out_stride,
                    LOWER, GROUPED,
                )),
                (fetch, (
                    x, weight, staged, staged_x, full, empty, begin, end, features, k_blocks, token_tiles,
                    tokens, table, GROUPED,
                )),
            ],
            [4, 1],
            [232, 24],
        )  # fmt: skip
