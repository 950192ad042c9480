"""Into how many parts a context is cut, from a small model of the launch.

The model knows how many programs run at once, how many blocks of tokens each has to go through, and what it
costs to start a program and to merge. Its figures are rounded from measurements on an H200. The unit of time
is one block of one program that has a multiprocessor to itself.
"""

from __future__ import annotations

from math import ceil

SCRATCH_BUDGET = 256 << 20
"""Bytes of partial results that a plan may ask for, unless told otherwise."""

_MOST_SPLITS = 512
_PROGRAM = 2.0  # what a program costs besides its blocks
_MERGE = 1.5  # what merging costs at least
_MERGE_BYTES_A_BLOCK = 4.0e6  # partial bytes that all of a card writes and merges in the time of one block


def choose_splits(
    *, programs: int, blocks: int, resident: int, multiprocessors: int, partial_bytes: int, budget: int
) -> int:
    """The number of splits with the least modelled time; the smaller of equals.

    programs: of the launch if nothing were split. blocks: of tokens that each of them walks. resident:
    programs that share a multiprocessor. partial_bytes: what one split of everything leaves to be merged.
    budget: bytes that all splits may leave.
    """
    best, least = 1, float("inf")
    for splits in range(1, min(blocks, _MOST_SPLITS) + 1):
        each = ceil(blocks / splits)
        if splits > 1 and ceil(blocks / each) != splits:
            continue  # the last ones would be empty
        moved = partial_bytes * splits if splits > 1 else 0
        if moved > budget:
            break
        cost = _walking(programs * splits, each, resident, multiprocessors)
        cost += _MERGE + moved / _MERGE_BYTES_A_BLOCK if moved else 0.0
        if cost < least:
            best, least = splits, cost
    return best


def _walking(programs: int, each: int, resident: int, multiprocessors: int) -> float:
    sharing = min(resident, ceil(programs / multiprocessors))
    waves = ceil(programs / (multiprocessors * sharing))
    return waves * (each + _PROGRAM) * (1.0 if sharing == 1 else 0.85 * sharing)
