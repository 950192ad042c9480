"""The kernel for compute capability 9.0: codes come through shared memory once and are widened in registers.

Weight rows are the matrix unit's rows, so that a few tokens fill its narrow side. A lane takes 16 codes of a
row at a time; the matrix unit wants other columns of it in each step. No data moves for that: a sum over
columns may run in any order, so the tokens' columns are put into shared memory in the order in which the
lanes hold the codes.

The next units' codes are on their way while one is multiplied, also across the end of a tile.
"""

from __future__ import annotations

from typing import Any

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.ampere import async_copy
from triton.experimental.gluon.language.nvidia.hopper import (
    fence_async_shared,
    warpgroup_mma,
    warpgroup_mma_wait,
)

from gpu_gotchas.fixes.block_fp8_gemm import schedule
from gpu_gotchas.fixes.block_fp8_gemm.widening import TO_BFLOAT16
from gpu_gotchas.fixes.e4m3_moves import TO_FLOAT16

copy_in: Any = getattr(async_copy, "async_load", None) or async_copy.async_copy_global_to_shared
barrier: Any = getattr(gl, "thread_barrier", None) or gl.barrier
REINTERPRETS = gl.constexpr(hasattr(gl.shared_memory_descriptor, "reinterpret"))

share_begin = gluon.jit(schedule.share_begin.fn)
owner = gluon.jit(schedule.owner.fn)
part_of = gluon.jit(schedule.part_of.fn)


@gluon.jit
def widen(codes, DTYPE: gl.constexpr):  # type: ignore[no-untyped-def]
    """As `widening.widen`, for Gluon; same shape and layout."""
    if DTYPE == gl.float16:  # noqa: SIM300
        return gl.inline_asm_elementwise(
            TO_FLOAT16, "=r,=r,r", [codes], dtype=gl.float16, is_pure=True, pack=4
        )
    else:
        return gl.inline_asm_elementwise(
            TO_BFLOAT16, "=r,=r,r", [codes], dtype=gl.bfloat16, is_pure=True, pack=4
        )


@gluon.jit
def as_operand(codes, DTYPE: gl.constexpr, OPERAND: gl.constexpr):  # type: ignore[no-untyped-def]
    """Widened codes as the matrix unit's left operand, columns in the lanes' order; moves nothing."""
    ROWS: gl.constexpr = codes.shape[0]
    wide = widen(codes, DTYPE).reshape([ROWS, 2, 4, 4, 2, 2]).permute((0, 1, 3, 4, 2, 5))
    return gl.convert_layout(wide.reshape([ROWS, 128]), OPERAND, assert_trivial=True)


@gluon.jit
def tokens_at(tile, DTYPE: gl.constexpr):  # type: ignore[no-untyped-def]
    """A tile of words of two columns each as one of columns, turned around."""
    SHAPE: gl.constexpr = [tile.shape[0], 128]
    LAYOUT: gl.constexpr = gl.NVMMASharedLayout.get_default_for(SHAPE, DTYPE)
    if REINTERPRETS:
        return tile.reinterpret(DTYPE, SHAPE, LAYOUT).permute((1, 0))
    else:
        return tile._reinterpret(DTYPE, SHAPE, LAYOUT).permute((1, 0))


@gluon.jit
def shares(  # type: ignore[no-untyped-def]
    features, token_tiles, k_units, ROWS: gl.constexpr, LEAST: gl.constexpr
):
    """How many units there are, and how many programs share them."""
    units = gl.cdiv(features, ROWS) * token_tiles * k_units
    return units, gl.minimum(gl.num_programs(0), gl.maximum(units // LEAST, 1))


@gluon.jit
def members(token_tile, tokens, table, TOKENS: gl.constexpr, GROUPED: gl.constexpr):  # type: ignore[no-untyped-def]
    """(expert, first token, last token) of a block of tokens."""
    if GROUPED:
        entry = table + 1 + 3 * token_tile
        return gl.load(entry), gl.load(entry + 1), gl.load(entry + 2) - 1
    else:
        return token_tile * 0, token_tile * TOKENS, tokens - 1


@gluon.jit
def first_place(  # type: ignore[no-untyped-def]
    begin, k_units, token_tiles, tokens, table, TOKENS: gl.constexpr, GROUPED: gl.constexpr
):
    """Where a share begins: (row block, token tile, unit of columns, expert, first and last token)."""
    tile = begin // k_units
    row_block = tile // token_tiles
    token_tile = tile - row_block * token_tiles
    expert, first, last = members(token_tile, tokens, table, TOKENS, GROUPED)
    return row_block, token_tile, begin - tile * k_units, expert, first, last


@gluon.jit
def following(  # type: ignore[no-untyped-def]
    place, k_units, token_tiles, tokens, table, TOKENS: gl.constexpr, GROUPED: gl.constexpr
):
    """The place of the next unit: (row block, token tile, which columns, expert, first, last token)."""
    row_block, token_tile, k_unit, expert, first, last = place
    k_unit += 1
    if k_unit == k_units:
        k_unit = 0
        token_tile += 1
        if token_tile == token_tiles:
            token_tile = 0
            row_block += 1
        expert, first, last = members(token_tile, tokens, table, TOKENS, GROUPED)
    return row_block, token_tile, k_unit, expert, first, last


@gluon.jit
def copy_unit(  # type: ignore[no-untyped-def]
    place, wanted, slot, weight, x, staged, staged_x, row, column, token, word, features, k_units, x_stride,
    SUB: gl.constexpr,
):  # fmt: skip
    """Start copying the codes and the tokens of a unit, unless it is not wanted; one group of copies."""
    row_block, _, k_unit, expert, first, last = place
    columns = k_units * (SUB * 128)
    # Beyond the last row or token the last is read again, so that every address is valid.
    rows = gl.minimum(row_block * staged.shape[1] + row, features - 1)
    codes = weight + (expert * (features.to(gl.int64) * columns) + k_unit * (SUB * 128))
    copy_in(staged.index(slot), codes + (rows[:, None] * columns + column[None, :]), mask=wanted)
    tokens = gl.minimum(first + token, last)
    words = x + k_unit * (SUB * 64) + (tokens[:, None] * x_stride + word[None, :])
    for sub in gl.static_range(SUB):
        copy_in(staged_x.index(slot * SUB + sub), words + sub * 64, mask=wanted)
    async_copy.commit_group()


@gluon.jit
def product(  # type: ignore[no-untyped-def]
    staged, staged_x, slot, zero, factors,
    DTYPE: gl.constexpr, LANES: gl.constexpr, OPERAND: gl.constexpr, SUB: gl.constexpr,
):  # fmt: skip
    """A unit's weights times its tokens, each block of columns times its scale."""
    codes = staged.index(slot)
    tokens = tokens_at(staged_x.index(slot * SUB), DTYPE)
    if SUB == 1:
        left = as_operand(codes.load(LANES), DTYPE, OPERAND)
        pending = warpgroup_mma(left, tokens, zero, use_acc=False, is_async=True)
        done, _ = warpgroup_mma_wait(0, deps=[pending, left])
        return done * factors[0]
    else:
        left = as_operand(codes.slice(0, 128, dim=1).load(LANES), DTYPE, OPERAND)
        pending = warpgroup_mma(left, tokens, zero, use_acc=False, is_async=True)
        other = as_operand(codes.slice(128, 128, dim=1).load(LANES), DTYPE, OPERAND)
        tokens = tokens_at(staged_x.index(slot * SUB + 1), DTYPE)
        more = warpgroup_mma(other, tokens, zero, use_acc=False, is_async=True)
        done, also, _, _ = warpgroup_mma_wait(0, deps=[pending, more, left, other])
        return done * factors[0] + also * factors[1]


@gluon.jit
def finish(  # type: ignore[no-untyped-def]
    acc, zero, k_unit, first, last, unit, k_units, token_tiles, partial, count, out, features, out_stride,
    first_feature, TILE_ROWS: gl.constexpr, PART: gl.constexpr, LEAST: gl.constexpr,
):  # fmt: skip
    """Store what a program has of a tile, or of the rows of it that it sees to: whole, or as a part.

    The last program to bring a part sums all of them, in their order. count: parts that have come, zero again
    in the end. PART: numbers that a part of the whole tile takes. Who has which share is worked out again:
    here it is needed once a tile, and no register holds it meanwhile.
    """
    ROWS: gl.constexpr = acc.shape[0]
    TOKENS: gl.constexpr = acc.shape[1]
    ACC: gl.constexpr = acc.type.layout
    program = gl.program_id(0)
    units, programs = shares(features, token_tiles, k_units, TILE_ROWS, LEAST)
    begin = share_begin(program, programs, units)
    tile_begin = unit - k_unit
    feature = gl.arange(0, ROWS, layout=gl.SliceLayout(1, ACC))
    member = gl.arange(0, TOKENS, layout=gl.SliceLayout(0, ACC))
    finished = unit >= 0
    if (begin > tile_begin) | (k_unit < k_units - 1):
        inner = feature[:, None] * TOKENS + member[None, :]
        mine = part_of(program, begin, tile_begin).to(gl.int64) * PART
        gl.store(partial + mine + inner, acc)
        barrier()
        first_program = owner(tile_begin, programs, units)
        last_program = owner(tile_begin + k_units - 1, programs, units)
        came = gl.atomic_add(count, 1, sem="acq_rel", scope="gpu")
        finished = came == last_program - first_program
        if finished:
            gl.store(count, 0)
            acc = zero
            for other in range(first_program, last_program + 1):
                start = share_begin(other, programs, units)
                theirs = part_of(other, start, tile_begin).to(gl.int64) * PART
                acc += gl.load(partial + theirs + inner, cache_modifier=".cg")
    if finished:
        feature = first_feature + feature
        member = first + member
        at_out = out + member[None, :].to(gl.int64) * out_stride + feature[:, None]
        inside = (feature < features)[:, None] & (member <= last)[None, :]
        gl.store(at_out, acc.to(out.dtype.element_ty), mask=inside)


@gluon.jit(do_not_specialize=["tokens", "token_tiles", "features", "k_blocks"])
def multiply_hopper(  # type: ignore[no-untyped-def]
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
    x_stride,
    out_stride,
    ROWS: gl.constexpr,
    TOKENS: gl.constexpr,
    STAGES: gl.constexpr,
    SUB: gl.constexpr,
    ARRANGED: gl.constexpr,
    GROUPED: gl.constexpr,
    LEAST: gl.constexpr,
):
    """One program's share of the units. Arguments as in `launch`; x and x_stride in words of two columns.

    SUB: blocks of columns in a unit, 1 or 2: with two, a row's next 256 bytes are asked for at a time.
    """
    W: gl.constexpr = gl.num_warps()
    DTYPE: gl.constexpr = out.dtype.element_ty
    POWER: gl.constexpr = 256.0 if DTYPE == gl.float16 else 1.0  # noqa: SIM300
    ACC: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [W, 1], [16, TOKENS, 16])
    OPERAND: gl.constexpr = gl.DotOperandLayout(0, ACC, 2)
    # A lane's codes: 16 in a row, 16 more 64 further on, and the same eight rows below.
    LANES: gl.constexpr = gl.DistributedLinearLayout(
        [[0, 1], [0, 2], [0, 4], [0, 8], [0, 64], [8, 0]],
        [[0, 16], [0, 32], [1, 0], [2, 0], [4, 0]],
        [[16, 0], [32, 0]],
        [],
        [ROWS, 128],
    )
    STAGED: gl.constexpr = gl.SwizzledSharedLayout(64, 1, 2, [1, 0])
    COPY: gl.constexpr = gl.BlockedLayout([1, 16], [4 // SUB, 8 * SUB], [W, 1], [1, 0])
    COPY_X: gl.constexpr = gl.BlockedLayout(
        [1, 4] if ARRANGED else [1, 1], [2, 16] if ARRANGED else [1, 32], [W, 1], [1, 0]
    )
    X_TILE: gl.constexpr = gl.NVMMASharedLayout.get_default_for([TOKENS, 64], gl.int32)

    if GROUPED:
        token_tiles = gl.load(table)
    k_units = k_blocks // SUB
    units, programs = shares(features, token_tiles, k_units, ROWS, LEAST)
    program = gl.program_id(0)
    if (program < programs) & (units > 0):
        begin = share_begin(program, programs, units)
        end = share_begin(program + 1, programs, units)
        staged = gl.allocate_shared_memory(gl.uint8, [STAGES, ROWS, SUB * 128], STAGED)
        staged_x = gl.allocate_shared_memory(gl.int32, [STAGES * SUB, TOKENS, 64], X_TILE)
        row = gl.arange(0, ROWS, layout=gl.SliceLayout(1, COPY))
        column = gl.arange(0, SUB * 128, layout=gl.SliceLayout(0, COPY))
        token = gl.arange(0, TOKENS, layout=gl.SliceLayout(1, COPY_X))
        word = gl.arange(0, 64, layout=gl.SliceLayout(0, COPY_X))
        if not ARRANGED:
            word = (word >> 5) * 32 + (word & 3) * 8 + ((word >> 3) & 3) * 2 + ((word >> 2) & 1)

        place = first_place(begin, k_units, token_tiles, tokens, table, TOKENS, GROUPED)
        ahead = place
        for step in gl.static_range(STAGES - 1):
            copy_unit(
                ahead, begin + step < end, step, weight, x, staged, staged_x, row, column, token, word,
                features, k_units, x_stride, SUB,
            )  # fmt: skip
            ahead = following(ahead, k_units, token_tiles, tokens, table, TOKENS, GROUPED)

        zero = gl.full([ROWS, TOKENS], 0.0, gl.float32, layout=ACC)
        acc = gl.full([ROWS, TOKENS], 0.0, gl.float32, layout=ACC)
        slot = begin * 0
        for unit in range(begin, end):
            row_block, token_tile, k_unit, expert, first, last = place
            block = expert * gl.cdiv(features, 128) + row_block * ROWS // 128
            at_scale = scale + block * k_blocks + k_unit * SUB
            factors = (gl.load(at_scale) * POWER, gl.load(at_scale + (SUB - 1)) * POWER)
            async_copy.wait_group(STAGES - 2)
            fence_async_shared()
            barrier()
            # Every warp is past the unit before this one: the next copy takes its place.
            copy_unit(
                ahead, unit + STAGES - 1 < end, gl.where(slot == 0, STAGES - 1, slot - 1), weight, x, staged,
                staged_x, row, column, token, word, features, k_units, x_stride, SUB,
            )  # fmt: skip
            ahead = following(ahead, k_units, token_tiles, tokens, table, TOKENS, GROUPED)
            acc += product(staged, staged_x, slot, zero, factors, DTYPE, LANES, OPERAND, SUB)
            slot = gl.where(slot + 1 == STAGES, 0, slot + 1)
            if (k_unit == k_units - 1) | (unit == end - 1):
                finish(
                    acc, zero, k_unit, first, last, unit, k_units, token_tiles, partial,
                    arrivals + row_block * token_tiles + token_tile, out, features, out_stride,
                    row_block * ROWS, ROWS, ROWS * TOKENS, LEAST,
                )  # fmt: skip
                acc = zero
            place = following(place, k_units, token_tiles, tokens, table, TOKENS, GROUPED)
        async_copy.wait_group(0)
