"""Which block of a request holds the state of a recurrent layer, counted in that layer's own blocks.

Layers of a hybrid model keep blocks of different lengths. A column of the block table that was counted in the
blocks of another kind of layer names another block, or lies far outside the row.
"""

from __future__ import annotations


def state_column(computed: int, state_block: int) -> int:
    """The column of the state after `computed` tokens; 0 before the first one.

    state_block: tokens in a block of the recurrent layers, not of the attention layers. Raises ValueError
    when it is not positive or `computed` is negative.
    """
    if state_block < 1 or computed < 0:
        raise ValueError(f"{computed} tokens in blocks of {state_block} cannot be")
    return max(computed - 1, 0) // state_block
