"""What a probe returned, in a form that travels as JSON and can be compared."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Any


def comparable(value: Any) -> Any:
    """None, booleans, numbers, text, lists and dicts as they are; a tensor as shape, dtype and digest.

    Keys become text. Raises TypeError for anything else: a probe that returns it would never be compared.
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): comparable(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [comparable(item) for item in value]
    if hasattr(value, "detach") and hasattr(value, "dtype"):
        return _digest(value)
    raise TypeError(f"a probe may not return a {type(value).__name__}: return numbers, text or a tensor")


def same(one: Any, other: Any) -> bool:
    """Whether two comparable values agree; NaN agrees with NaN, a float to one part in a million."""
    if _is_number(one) and _is_number(other) and float in (type(one), type(other)):
        return (math.isnan(one) and math.isnan(other)) or math.isclose(one, other, rel_tol=1e-6)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _digest(tensor: Any) -> dict[str, Any]:
    import torch

    # Flat first: a tensor without dimensions has no bytes to view.
    raw = tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8)
    return {
        "shape": list(tensor.shape),
        "dtype": str(tensor.dtype),
        "sha256": hashlib.sha256(raw.numpy().tobytes()).hexdigest(),
    }
