"""Paged MLA decode attention for caches in bfloat16, float16 and FP8, on cards with and without FP8.

In MLA one latent vector for each token is key and value at once, for all heads, beside a short rotary part
that is key only. Decoding reads that cache once: what is slow is reading it again for every few heads,
widening FP8 at the rate of a slow conversion, and splitting a context into more or fewer parts than the card
has room for.

    from gpu_gotchas.fixes.mla_decode import decode

    out, lse = decode(query, cache, block_table, contexts, scale=192**-0.5, kv_scale=kv_scale)

- `planner` chooses kernel, blocks and splits from target, heads, batch and context; it imports no torch.
- `portable` is one Triton kernel for every target; `hopper_*` are Gluon kernels for compute capability 9.0.
- `reference` is the same in float64. `launch` checks arguments and calls them; `split_kv` merges the parts.

FP8 is widened to float16, which holds every E4M3 value exactly; a bfloat16 query becomes float16 after each
row is scaled by a power of two, so no bit of a normal value is lost. All scales are applied outside the loop
over tokens. E4M3's two NaN codes, which a cache that saturates never holds, read as NaN where the card
converts and as 480 with a sign where bits are moved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_gotchas.fixes.mla_decode.planner import Kernel, Plan, plan
from gpu_gotchas.fixes.split_kv.forms import KvForm, Widening

if TYPE_CHECKING:
    from gpu_gotchas.fixes.mla_decode.launch import Scratch, decode

__all__ = ["Kernel", "KvForm", "Plan", "Scratch", "Widening", "decode", "plan"]


def __getattr__(name: str) -> Any:
    """`decode` and `Scratch` are looked up when asked for: planning needs neither torch nor Triton."""
    if name not in ("Scratch", "decode"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from gpu_gotchas.fixes.mla_decode import launch

    return getattr(launch, name)
