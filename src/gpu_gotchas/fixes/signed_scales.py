"""Group scales of 4-bit weights without a sign, for kernels that read them as unsigned.

A weight is `(code - 8) * scale`. Some quantisers write negative scales. The same weight is
`(16 - code - 8) * -scale`, so the sign can move into the codes, and every kernel agrees on what is left.
"""

from __future__ import annotations

import torch
from torch import Tensor

MIDDLE, LARGEST = 8, 15


def fold_signs(codes: Tensor, scales: Tensor, group_size: int) -> tuple[Tensor, Tensor, int]:
    """The same weights with scales that are not negative.

    codes: (k, n) integers from 0 to 15, unpacked, with 8 as their zero (`uint4b8`). scales: (k /
    group_size, n), any float dtype.

    Returns new codes, new scales, and how many weights changed: code 0 under a negative scale would become 16
    and becomes 15, one step nearer to zero. All others are exact. Raises ValueError when shapes do not fit.
    """
    if scales.shape[0] * group_size != codes.shape[0] or scales.shape[1:] != codes.shape[1:]:
        raise ValueError(
            f"scales {tuple(scales.shape)} in groups of {group_size} do not fit {tuple(codes.shape)}"
        )
    negative = (scales < 0).repeat_interleave(group_size, dim=0)
    turned = torch.where(negative, 2 * MIDDLE - codes, codes)
    changed = int((turned > LARGEST).sum())
    return turned.clamp(max=LARGEST), scales.abs(), changed
