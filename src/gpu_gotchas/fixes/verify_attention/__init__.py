"""Attention for the verify step of speculative decoding: few query tokens, a long paged KV cache, any tree.

A verify step asks with 1 to 64 tokens of each sequence. Kernels made for prefill give such a sequence a
handful of programs that each walk the whole context; kernels made for decoding read the context again for
every two or four tokens. Here all query tokens and all query heads of one KV head are rows of one matrix
product, so that keys and values are read once, and the context is split until the card is full.

    from gpu_gotchas.fixes.verify_attention import Scratch, plan, verify

    scratch = Scratch.allocate(plan(target, form, ...), requests=8, device="cuda")    # before any capture
    out, lse = verify(query, keys, values, table, contexts, scale=128**-0.5, masks=masks, scratch=scratch)

- `planner` chooses blocks and splits from target, heads, batch and context; it imports no torch.
- `kernel` is one Triton kernel for every target. `reference` is the same in float64.
- `launch` checks arguments and calls them.

The cache is bfloat16, float16 or E4M3; nothing in the kernel spells a dtype out, so a float16 model is served
in float16. FP8 is widened to float16, by the card's instruction or by moving bits where there is none; a
bfloat16 query becomes float16 after each row is scaled by a power of two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_gotchas.fixes.split_kv.forms import KvForm, Widening
from gpu_gotchas.fixes.verify_attention.planner import Plan, plan

if TYPE_CHECKING:
    from gpu_gotchas.fixes.split_kv.scratch import Scratch
    from gpu_gotchas.fixes.verify_attention.launch import verify

__all__ = ["KvForm", "Plan", "Scratch", "Widening", "plan", "verify"]


def __getattr__(name: str) -> Any:
    """`verify` and `Scratch` are looked up when asked for: planning needs neither torch nor Triton."""
    if name not in ("Scratch", "verify"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from gpu_gotchas.fixes.verify_attention import launch

    return getattr(launch, name)
