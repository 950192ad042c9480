"""Query heads in groups over KV heads: which numbers and sizes the kernels take. Imports no torch."""

from __future__ import annotations

HEAD_SIZES = (64, 128, 256)


def check_heads(heads: int, kv_heads: int, head: int) -> None:
    """Raises ValueError unless every KV head has as many query heads and `head` is one of HEAD_SIZES."""
    if heads < kv_heads or heads % kv_heads or head not in HEAD_SIZES:
        raise ValueError(f"heads must be a multiple of kv_heads, the head size one of {HEAD_SIZES}")
