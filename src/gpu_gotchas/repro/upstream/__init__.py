"""The whole of an upstream package, imported from its released files on a box without its compiled parts.

A repro names the modules it imports in `NEEDS = {"imports": ["vllm.config"]}`: a process for each release
imports them once, and probes are forked from it. A probe imports what it asks first, then says which card it
is on with `as_capability`, then asks.
"""

from __future__ import annotations

import sys

from gpu_gotchas.hardware.catalogue import find_target
from gpu_gotchas.hardware.targets import Target
from gpu_gotchas.repro.upstream import flashinfer, sglang, torchao, vllm
from gpu_gotchas.repro.upstream.stand_ins import say_stood_in, stand_in, stood_in

__all__ = ["MEMORY", "as_capability", "say_stood_in", "stand_in", "stood_in"]

MEMORY = 24 * 2**30
"""Bytes of memory that a card has where nobody says how many."""

_FLIPS = {
    "vllm": vllm.flip,
    "sglang": sglang.flip,
    "flashinfer": flashinfer.flip,
    "torchao": torchao.flip,
}


def as_capability(capability: tuple[int, int], *, memory: int = MEMORY) -> Target:
    """Make every imported package believe it runs on one NVIDIA card of `capability`, such as (8, 6).

    Can be called again for another card. What a module worked out while it was imported, on a box without a
    card, it keeps. Raises UnknownName for a capability that no table of ours has, and RuntimeError where
    no package is imported yet, since a package that meets a card while it is imported asks for its
    compiled parts.
    """
    major, minor = capability
    target = find_target(f"sm_{major}{minor}")
    imported = [flip for name, flip in _FLIPS.items() if name in sys.modules]
    if not imported:
        raise RuntimeError(f"import one of {', '.join(_FLIPS)} first, then say which card it is on")
    from gpu_gotchas.repro.dry import answer_for

    answer_for(target, memory=memory)
    say_stood_in("torch.cuda")
    for flip in imported:
        flip(target, memory)
    return target
