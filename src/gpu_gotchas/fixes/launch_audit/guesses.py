"""What an argument is when its launch does not say: by its name. A small table, tried from the top.

Every use of it is told in the audit's result, since another value may compile otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

Value = bool | int | float | str | None

# (what the name holds, the element that such a pointer points to). Upper and lower case alike.
_ELEMENTS: Final[Sequence[tuple[str, str]]] = (
    (r"mask|finished|is_|has_|flag", "i8"),
    (r"slot_mapping|seed", "i64"),
    (
        r"ind|idx|ids|table|lens?$|lens?_|loc|map|offs|cu_|num_|count|position|pos_|start|tokens?_ptr|req|"
        r"sorted|expert|perm|length|seq|next|last|draft|parent|tree",
        "i32",
    ),
    (
        r"scale|lse|logit|max|sum|acc|partial|norm_fac|mean|rstd|var|prob|temp|alpha|beta|zp",
        "fp32",
    ),
    (r"packed|uint8|byte|qweight|fp4|int4|u8|bitmask", "i8"),
)
_SCALARS: Final[Sequence[tuple[str, str]]] = (
    (r"^(has|is|use|do|enable|apply)_", "i1"),
    (
        r"scale|eps|alpha|beta|theta|prob|temp|limit|cap$|factor|slope|inv_|rate|min_val|max_val",
        "fp32",
    ),
)
_CONSTANTS: Final[Sequence[tuple[str, Value]]] = (
    (r"^(IS|HAS|USE|ENABLE|DO|APPLY|SKIP|RETURN|WITH|STORE|SAVE|CAUSAL|FUSE|NEEDS?|ALLOW|FORCE)(_|$)", False),
    (r"pdl|causal|fp8|quant|bias|varlen|alibi|sink|cap|debug|interleave|neox|is_|has_|use_|enable", False),
    (r"GROUP_SIZE_M|GROUP_M|top_?k|num_stage|NUM_SPLIT|SPLIT|WAVES", 1),
    (r"HEAD|DMODEL|BLOCK_D|DV|DPE|D_?K|latent|ROPE|_DIM|dim|HIDDEN|PADDED|stride", 128),
    (r"PAGE|block_size$|BLOCK_H|KV_BLOCK", 16),
    (r"BLOCK_K|BLOCK_SIZE_K", 64),
    (r"BLOCK|TILE|CHUNK|^B[A-Z]$|SIZE|GROUP", 64),
    (r"NUM_WARPS|num_warps", 4),
    (r"NUM|COUNT|LEN|WIDTH|PER|RATIO|REPEAT", 8),
    (r"LAYOUT|PRECISION|MODE|TYPE|DTYPE|FORMAT|ACT", None),
    (r"", 16),
)


def element(name: str, model: str) -> str:
    """The element type that a pointer called `name` points to; `model` is the model's own, such as bf16."""
    return _first(_ELEMENTS, name) or model


def scalar(name: str) -> str:
    """The type of a number called `name`."""
    return _first(_SCALARS, name) or "i32"


def constant(name: str) -> Value:
    """A value for a constexpr called `name`. Raises KeyError where none can be guessed."""
    guess = next(
        value
        for pattern, value in _CONSTANTS
        if re.search(pattern, name, 0 if pattern.startswith("^") else re.IGNORECASE)
    )
    if guess is None:
        raise KeyError(name)
    return guess


def _first(table: Sequence[tuple[str, str]], name: str) -> str | None:
    return next((kind for pattern, kind in table if re.search(pattern, name, re.IGNORECASE)), None)
