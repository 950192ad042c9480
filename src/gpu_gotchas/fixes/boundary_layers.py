"""Which layers of a model keep their keys and values unquantised, counted among those that have any.

Schemes that quantise a KV cache spare the first and last attention layers. In a hybrid model most layers
keep a state instead, so the ends of the model are not the ends of its attention.
"""

from __future__ import annotations

from collections.abc import Sequence

ATTENTION = frozenset({"full_attention", "attention", "hybrid", "sliding_attention"})
"""What checkpoints call layers that keep keys and values (`layer_types`, `layers_block_type`)."""


def attention_layers(kinds: Sequence[str]) -> list[int]:
    """Indices of the layers that keep keys and values. kinds: the checkpoint's list, one name a layer."""
    return [index for index, kind in enumerate(kinds) if kind in ATTENTION]


def boundary_layers(kinds: Sequence[str], ends: int = 2) -> list[str]:
    """The first and last `ends` attention layers, as `kv_cache_dtype_skip_layers` takes them, in order.

    At most half of the attention layers, as vLLM spares them in models without states. Raises ValueError
    where no layer keeps keys and values.
    """
    layers = attention_layers(kinds)
    if not layers:
        raise ValueError(f"no layer keeps keys and values: {', '.join(sorted(set(kinds))) or 'no layers'}")
    ends = min(max(ends, 0), len(layers) // 2)
    return [str(index) for index in (*layers[:ends], *layers[len(layers) - ends :])]
