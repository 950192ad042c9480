"""Which program works on which part of a product, in plain whole numbers.

A tile of the result is a block of weight rows times a block of tokens; a unit is one tile's next 128 columns
of the weights. Units are numbered tile by tile and dealt out in equal, contiguous shares, so that every
program moves as many bytes as any other, whatever the shape. A tile that lies in several shares is summed by
the program that finishes it last, in the order of the shares: the result does not depend on who that is.

Written once, for Triton here and for Gluon in `hopper`.
"""

from __future__ import annotations

import triton

# Triton's interpreter looks for it beside every function.
import triton.language as tl  # noqa: F401


@triton.jit
def share_begin(program, programs, units):  # type: ignore[no-untyped-def]
    """The first unit of `program`'s share; that of `programs` is `units`."""
    each = units // programs
    more = units - each * programs
    return program * each + (more if program > more else program)


@triton.jit
def owner(unit, programs, units):  # type: ignore[no-untyped-def]
    """The program whose share holds `unit`. There must be no fewer units than programs."""
    each = units // programs
    more = units - each * programs
    longer = more * (each + 1)
    return unit // (each + 1) if unit < longer else more + (unit - longer) // each


@triton.jit
def part_of(program, begin, tile_begin):  # type: ignore[no-untyped-def]
    """Where a program keeps a part of a tile. It has at most two: of its first and of its last tile."""
    return 2 * program + (1 if begin < tile_begin else 0)
