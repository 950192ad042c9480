"""The kernel for every target: weight rows are the matrix unit's rows, columns stream by."""

from __future__ import annotations

import triton
import triton.language as tl

from gpu_gotchas.fixes.block_fp8_gemm.schedule import owner, part_of, share_begin
from gpu_gotchas.fixes.block_fp8_gemm.widening import widen


@triton.jit(do_not_specialize=["tokens", "token_tiles", "features"])
def multiply(
    x: tl.tensor,
    weight: tl.tensor,
    scale: tl.tensor,
    out: tl.tensor,
    partial: tl.tensor,
    arrivals: tl.tensor,
    table: tl.tensor,
    tokens: tl.tensor,
    token_tiles: tl.tensor,
    features: tl.tensor,
    columns: tl.tensor,
    x_stride: tl.tensor,
    out_stride: tl.tensor,
    ROWS: tl.constexpr,
    TOKENS: tl.constexpr,
    PTX: tl.constexpr,
    EVEN: tl.constexpr,
    GROUPED: tl.constexpr,
    LEAST: tl.constexpr,
) -> None:
    """One program's share of the units. Arguments as in `launch`; ROWS divides 128."""
    DTYPE: tl.constexpr = out.dtype.element_ty
    POWER: tl.constexpr = 256.0 if DTYPE == tl.float16 else 1.0  # noqa: SIM300
    if GROUPED:
        token_tiles = tl.load(table)
    k_blocks = tl.cdiv(columns, 128)
    scale_rows = tl.cdiv(features, 128)
    units = tl.cdiv(features, ROWS) * token_tiles * k_blocks
    programs = tl.minimum(tl.num_programs(0), tl.maximum(units // LEAST, 1))
    program = tl.program_id(0)
    if (program < programs) & (units > 0):
        begin = share_begin(program, programs, units)
        end = share_begin(program + 1, programs, units)
        feature = tl.arange(0, ROWS)
        member = tl.arange(0, TOKENS)
        column = tl.arange(0, 128)
        inner = feature[:, None] * TOKENS + member[None, :]
        unit = begin
        while unit < end:
            tile = unit // k_blocks
            tile_begin = tile * k_blocks
            row_block = tile // token_tiles
            token_tile = tile - row_block * token_tiles
            stop = tl.minimum(end, tile_begin + k_blocks)
            if GROUPED:
                expert = tl.load(table + 1 + 3 * token_tile)
                first = tl.load(table + 2 + 3 * token_tile)
                last = tl.load(table + 3 + 3 * token_tile) - 1
            else:
                expert = token_tile * 0
                first = token_tile * TOKENS
                last = tokens - 1
            # Beyond the last row or token the last is read again, so that every address is valid.
            row = tl.minimum(row_block * ROWS + feature, features - 1)
            which = tl.minimum(first + member, last)
            codes_at = weight + expert * (tl.cast(features, tl.int64) * columns)
            codes_at += row[:, None] * columns + column[None, :]
            x_at = x + which[None, :].to(tl.int64) * x_stride + column[:, None]
            factor_at = scale + (expert * scale_rows + row_block * ROWS // 128) * k_blocks
            acc = tl.zeros([ROWS, TOKENS], tl.float32)
            for k_block in range(unit - tile_begin, stop - tile_begin):
                if EVEN:
                    codes = tl.load(codes_at + k_block * 128)
                    now = tl.load(x_at + k_block * 128)
                else:
                    inside = k_block * 128 + column < columns
                    codes = tl.load(codes_at + k_block * 128, mask=inside[None, :], other=0)
                    now = tl.load(x_at + k_block * 128, mask=inside[:, None], other=0.0)
                factor = tl.load(factor_at + k_block) * POWER
                acc += tl.dot(widen(codes, DTYPE, PTX), now) * factor
            result = acc
            finished = unit >= 0
            if (begin > tile_begin) | (stop < tile_begin + k_blocks):
                mine = tl.cast(part_of(program, begin, tile_begin), tl.int64) * (ROWS * TOKENS)
                tl.store(partial + mine + inner, acc)
                tl.debug_barrier()
                first_program = owner(tile_begin, programs, units)
                last_program = owner(tile_begin + k_blocks - 1, programs, units)
                came = tl.atomic_add(arrivals + tile, 1, sem="acq_rel", scope="gpu")
                finished = came == last_program - first_program
                if finished:
                    tl.store(arrivals + tile, 0)
                    result = tl.zeros([ROWS, TOKENS], tl.float32)
                    for other in range(first_program, last_program + 1):
                        start = share_begin(other, programs, units)
                        theirs = tl.cast(part_of(other, start, tile_begin), tl.int64) * (ROWS * TOKENS)
                        result += tl.load(partial + theirs + inner, cache_modifier=".cg")
            if finished:
                out_at = out + (first + member)[None, :].to(tl.int64) * out_stride
                out_at += (row_block * ROWS + feature)[:, None]
                inside = (row_block * ROWS + feature < features)[:, None] & (first + member <= last)[None, :]
                tl.store(out_at, result.to(DTYPE), mask=inside)
            unit = stop
