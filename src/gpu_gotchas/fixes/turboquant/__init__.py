"""TurboQuant KV caches of all four forms that mean the same on every card, and a decode that reads them once.

A slot holds one token of one KV head as vLLM 0.33 lays it out: the packed key, then the packed value.

    k8v4                      key: one E4M3 code a number.                        value: 4 bits a number,
    4bit_nc, k3v4_nc, 3bit_nc key: 4 or 3 bits of index into a codebook,           or 3; scale and zero
                              rotated; its norm.

vLLM's FP8 keys become another format below compute capability 8.9, one that ends at 1.75. Here they are E4M3
everywhere: converted by instruction where there is one, by exact integer arithmetic where there is none. Its
decode gives each query head a program of its own, so the heads of a group read and decode the same bytes
again; here a group is the rows of one matrix product.

    from gpu_gotchas.fixes.turboquant import Form, Scratch, decode, plan, store

    store(keys, values, cache, slots, form=Form.K8V4)
    scratch = Scratch.allocate(plan(target, Form.K8V4, ...), requests=8, device="cuda")  # before any capture
    out, lse = decode(query, cache, table, contexts, scale=128**-0.5, scratch=scratch)

- `layout` is bytes and offsets, `codebook` the table of keys of few bits, `planner` blocks and splits; no
  torch in the first and the last.
- `storing` and `decoding` are the kernels, `launch` checks arguments and calls them.
- `reference` decodes and attends in float64.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_gotchas.fixes.turboquant.layout import Form
from gpu_gotchas.fixes.turboquant.planner import Plan, plan

if TYPE_CHECKING:
    from gpu_gotchas.fixes.split_kv.scratch import Scratch
    from gpu_gotchas.fixes.turboquant.codebook import Codebook
    from gpu_gotchas.fixes.turboquant.launch import decode, store

__all__ = ["Codebook", "Form", "Plan", "Scratch", "decode", "plan", "store"]

_LATE = {"Codebook": "codebook", "Scratch": "launch", "decode": "launch", "store": "launch"}


def __getattr__(name: str) -> Any:
    """What needs torch and Triton is looked up when asked for: planning needs neither."""
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_LATE[name]}"), name)
