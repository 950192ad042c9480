"""Check what a store or a decode is asked for, and launch it."""

from __future__ import annotations

import torch
from torch import Tensor

from gpu_gotchas.fixes.launch_fit import current_target_name
from gpu_gotchas.fixes.split_kv.grouped_heads import HEAD_SIZES
from gpu_gotchas.fixes.split_kv.merge import merge_parts
from gpu_gotchas.fixes.split_kv.results import result
from gpu_gotchas.fixes.split_kv.scratch import Scratch
from gpu_gotchas.fixes.turboquant.codebook import Codebook
from gpu_gotchas.fixes.turboquant.decoding import attend
from gpu_gotchas.fixes.turboquant.layout import Form
from gpu_gotchas.fixes.turboquant.planner import Plan
from gpu_gotchas.fixes.turboquant.storing import pack
from gpu_gotchas.hardware.catalogue import find_target

_FLOATS = (torch.bfloat16, torch.float16, torch.float32)
_ROWS = 8


def store(
    keys: Tensor,
    values: Tensor,
    cache: Tensor,
    slots: Tensor,
    *,
    form: Form,
    codebook: Codebook | None = None,
    instruction: bool | None = None,
) -> None:
    """Pack the keys and values of new tokens into their slots.

    keys, values: (tokens, KV heads, head), bfloat16, float16 or float32, the last dimension contiguous.
    cache: (pages, page size, KV heads, slot bytes), uint8, the slots of a token side by side. slots:
    (tokens,), int32 or int64: page * page size + place; below zero leaves a token out. codebook: for keys of
    fewer than 8 bits. instruction: whether E4M3 codes come from the card's conversion; chosen by the target
    where absent, with equal codes.

    Keys beyond 448 become 448; values keep steps between their least and largest number.
    Raises ValueError for arguments that do not fit together.
    """
    tokens, heads, head = keys.shape
    _check_cache(cache, form, heads, head)
    if keys.dtype not in _FLOATS or values.dtype not in _FLOATS or values.shape != keys.shape:
        raise ValueError(f"keys and values must be floats of one shape, not {keys.shape} and {values.shape}")
    if keys.stride(2) != 1 or values.stride(2) != 1:
        raise ValueError("the last dimension of keys and values must be contiguous")
    if slots.shape != (tokens,) or slots.dtype not in (torch.int32, torch.int64):
        raise ValueError(f"slots must be int32 or int64 of shape ({tokens},)")
    if tokens == 0:
        return
    fp8 = form is Form.K8V4
    norms = midpoints = slots
    if not fp8:
        book = _book(codebook, form)
        wide = keys.float()
        lengths = wide.norm(dim=2, keepdim=True)
        keys = wide / (lengths + 1e-8) @ book.rotation
        norms, midpoints = lengths.contiguous(), book.midpoints
    elif instruction is None:
        capability = find_target(current_target_name().partition(":")[0]).capability
        instruction = capability is not None and capability >= (8, 9)
    rows = tokens * heads
    pack[(-(-rows // _ROWS),)](
        keys,
        values,
        norms,
        midpoints,
        cache,
        slots,
        rows,
        *keys.stride()[:2],
        *values.stride()[:2],
        *cache.stride()[:2],
        HEADS=heads,
        HEAD=head,
        PAGE=cache.shape[1],
        SLOT=form.slot_bytes(head),
        KEY_BYTES=form.key_bytes(head),
        KEY_BITS=form.key_bits,
        VALUE_BITS=form.value_bits,
        INSTRUCTION=bool(instruction),
        ROWS=_ROWS,
        num_warps=4,
    )


def decode(
    query: Tensor,
    cache: Tensor,
    table: Tensor,
    contexts: Tensor,
    *,
    scale: float,
    scratch: Scratch[Plan],
    codebook: Codebook | None = None,
    out: Tensor | None = None,
    lse: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Attend from one token of each request to its cached tokens.

    query: (requests, heads, head), bfloat16 or float16. cache: as in `store`. table: (requests, pages of a
    request), int32. contexts: (requests,), int32, 0 allowed. scale: what logits are multiplied by. scratch:
    plan and memory. codebook: that keys of fewer than 8 bits were stored with. out, lse: written where given.

    Returns the output, as `query`, and the natural log-sum-exp of the logits, (requests, heads) in float32. A
    request without tokens has output 0 and minus infinity. No part of it looks at values on the card, so it
    can be captured in a CUDA graph.

    Raises ValueError for arguments that do not fit together, Refused for more requests than scratch holds.
    """
    plan = scratch.plan
    if query.dtype not in _FLOATS[:2] or tuple(query.shape[1:]) != (plan.heads, plan.head):
        raise ValueError(
            f"query must be bfloat16 or float16 of shape (requests, {plan.heads}, {plan.head}), as planned, "
            f"not {query.dtype} {tuple(query.shape)}"
        )
    _check_cache(cache, plan.form, plan.kv_heads, plan.head)
    if table.dim() != 2 or table.dtype != torch.int32 or contexts.dtype != torch.int32:
        raise ValueError("table (requests, pages) and contexts (requests,) must be int32")
    if query.stride(2) != 1 or table.stride(1) != 1:
        raise ValueError("the last dimension of query and table must be contiguous")
    requests = query.shape[0]
    if table.shape[0] < requests or contexts.shape[0] < requests:
        raise ValueError(f"table and contexts must have a row for each of {requests} requests")
    out = result(out, "out", tuple(query.shape), query.dtype, query.device)
    lse = result(lse, "lse", tuple(query.shape[:2]), torch.float32, query.device)
    if requests == 0:
        return out, lse
    pairs = contexts
    if plan.form is not Form.K8V4:
        book = _book(codebook, plan.form)
        query = query.float() @ book.rotation
        pairs = book.pairs
    whole = plan.splits == 1
    partial, partial_lse = out, lse
    if not whole:
        partial, partial_lse = scratch.parts(lse.numel() * plan.splits, plan.head)
    attend[(plan.kv_heads, plan.splits, requests)](
        query,
        cache,
        table,
        contexts,
        pairs,
        partial,
        partial_lse,
        float(scale),
        *query.stride()[:2],
        cache.stride(0),
        table.stride(0),
        plan.splits,
        HEADS=plan.heads,
        GROUP=plan.heads // plan.kv_heads,
        HEAD=plan.head,
        PAGE=cache.shape[1],
        SLOT=plan.form.slot_bytes(plan.head),
        TOKEN_STRIDE=cache.stride(1),
        KEY_BYTES=plan.form.key_bytes(plan.head),
        KEY_BITS=plan.form.key_bits,
        VALUE_BITS=plan.form.value_bits,
        WIDENING=plan.widening.value,
        BLOCK_M=plan.row_block,
        BLOCK_N=plan.kv_block,
        WHOLE=whole,
        num_warps=plan.warps,
        num_stages=plan.stages,
    )
    if not whole:
        merge_parts(partial, partial_lse, out, lse, plan.splits)
    return out, lse


def _check_cache(cache: Tensor, form: Form, heads: int, head: int) -> None:
    if head not in HEAD_SIZES:
        raise ValueError(f"the head size must be one of {HEAD_SIZES}, not {head}")
    slot = form.slot_bytes(head)
    if cache.dtype != torch.uint8 or cache.dim() != 4 or tuple(cache.shape[2:]) != (heads, slot):
        raise ValueError(
            f"a {form.value} cache must be uint8 of shape (pages, page size, {heads}, {slot}), "
            f"not {cache.dtype} {tuple(cache.shape)}"
        )
    if cache.stride(3) != 1 or cache.stride(2) != slot or cache.stride(0) % 2 or cache.stride(1) % 2:
        raise ValueError("the slots of a token must lie side by side, tokens and pages at even bytes")


def _book(codebook: Codebook | None, form: Form) -> Codebook:
    if codebook is None:
        raise ValueError(f"{form.key_bits}-bit keys need the codebook that they are stored with")
    if len(codebook.centroids) != 2**form.key_bits:
        raise ValueError(
            f"{form.key_bits}-bit keys need a codebook of {2**form.key_bits} centroids, "
            f"not of {len(codebook.centroids)}"
        )
    return codebook
