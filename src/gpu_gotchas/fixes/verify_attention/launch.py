"""Check what a verify step is asked for; launch the kernel and, where a context was split, the merge."""

from __future__ import annotations

import torch
from torch import Tensor

from gpu_gotchas.fixes.split_kv.forms import KvForm
from gpu_gotchas.fixes.split_kv.merge import merge_parts
from gpu_gotchas.fixes.split_kv.results import result
from gpu_gotchas.fixes.split_kv.scratch import Scratch
from gpu_gotchas.fixes.verify_attention.kernel import attend
from gpu_gotchas.fixes.verify_attention.planner import Plan

_FORMS = {
    torch.bfloat16: KvForm.BF16,
    torch.float16: KvForm.FP16,
    torch.float8_e4m3fn: KvForm.FP8,
    torch.uint8: KvForm.FP8,
}


def verify(
    query: Tensor,
    keys: Tensor,
    values: Tensor,
    table: Tensor,
    contexts: Tensor,
    *,
    scale: float,
    scratch: Scratch[Plan],
    masks: Tensor | None = None,
    lengths: Tensor | None = None,
    key_scale: Tensor | float = 1.0,
    value_scale: Tensor | float = 1.0,
    out: Tensor | None = None,
    lse: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Attend from the last tokens of each request, the draft, to its cached tokens, which include them.

    query: (requests, queries, heads, head), bfloat16 or float16, the cache's dtype unless that is FP8; as
    many queries as the plan says. keys, values: (pages, page size, KV heads, head), both bfloat16, float16,
    float8_e4m3fn, or uint8 with E4M3 codes; the last dimension contiguous. table: (requests, pages of a
    request), int32. contexts: (requests,), int32: tokens in the cache, the draft included, 0 allowed.
    scale: what logits are multiplied by, above zero. scratch: plan and memory.

    masks: (requests, queries), int64: bit j of a query's word says whether it sees draft token j; all see
    what came before the draft. Causal where absent. lengths: (requests,), int32: how many of the queries are
    real, the first ones; all where absent. key_scale, value_scale: what cached numbers are multiplied by: a
    float or, to change under a captured graph, a float32 tensor of one element. out, lse: written where
    given.

    Returns the output, as `query`, and the natural log-sum-exp of the logits, (requests, queries, heads) in
    float32. A query that sees no token, and one beyond its request's length, has output 0 and minus infinity,
    never NaN. No part of it looks at values on the card, so it can be captured in a CUDA graph.

    Raises ValueError for arguments that do not fit together, Refused for more requests than scratch holds.
    """
    plan = scratch.plan
    _check(plan, query, keys, values, table, contexts, masks, lengths, scale)
    requests = query.shape[0]
    out = result(out, "out", tuple(query.shape), query.dtype, query.device)
    lse = result(lse, "lse", tuple(query.shape[:3]), torch.float32, query.device)
    if requests == 0:
        return out, lse
    whole = plan.splits == 1
    partial, partial_lse = out, lse
    if not whole:
        partial, partial_lse = scratch.parts(lse.numel() * plan.splits, plan.head)
    if plan.form is KvForm.FP8:
        keys, values = keys.view(torch.uint8), values.view(torch.uint8)
    attend[(plan.kv_heads * plan.row_blocks, plan.splits, requests)](
        query,
        keys,
        values,
        table,
        contexts,
        contexts if lengths is None else lengths,
        contexts if masks is None else masks,
        partial,
        partial_lse,
        key_scale if isinstance(key_scale, Tensor) else lse,
        value_scale if isinstance(value_scale, Tensor) else lse,
        float(scale),
        1.0 if isinstance(key_scale, Tensor) else float(key_scale),
        1.0 if isinstance(value_scale, Tensor) else float(value_scale),
        *query.stride()[:3],
        *keys.stride()[:3],
        *values.stride()[:3],
        table.stride(0),
        plan.splits,
        QUERIES=plan.queries,
        HEADS=plan.heads,
        GROUP=plan.heads // plan.kv_heads,
        HEAD=plan.head,
        PAGE=keys.shape[1],
        BLOCK_M=plan.row_block,
        BLOCK_N=plan.kv_block,
        WIDENING=plan.widening.value,
        TREE=masks is not None,
        RAGGED=lengths is not None,
        KEY_SCALED=isinstance(key_scale, Tensor),
        VALUE_SCALED=isinstance(value_scale, Tensor),
        WHOLE=whole,
        num_warps=plan.warps,
        num_stages=plan.stages,
    )
    if not whole:
        merge_parts(partial, partial_lse, out, lse, plan.splits)
    return out, lse


def _check(
    plan: Plan,
    query: Tensor,
    keys: Tensor,
    values: Tensor,
    table: Tensor,
    contexts: Tensor,
    masks: Tensor | None,
    lengths: Tensor | None,
    scale: float,
) -> None:
    wanted = (plan.queries, plan.heads, plan.head)
    if query.dtype not in (torch.bfloat16, torch.float16) or tuple(query.shape[1:]) != wanted:
        raise ValueError(
            f"query must be bfloat16 or float16 of shape (requests, {plan.queries}, {plan.heads}, "
            f"{plan.head}), as planned, not {query.dtype} {tuple(query.shape)}"
        )
    for name, cache in (("keys", keys), ("values", values)):
        if cache.dtype not in _FORMS or cache.dim() != 4 or cache.shape[2:] != (plan.kv_heads, plan.head):
            raise ValueError(
                f"{name} must be bfloat16, float16, float8_e4m3fn or uint8 of shape (pages, page size, "
                f"{plan.kv_heads}, {plan.head}), not {cache.dtype} {tuple(cache.shape)}"
            )
    if keys.dtype != values.dtype or keys.shape[1] != values.shape[1]:
        raise ValueError("keys and values must have one dtype and one page size")
    if _FORMS[keys.dtype] is not plan.form:
        raise ValueError(f"the plan is for a cache of {plan.form.value}, not {_FORMS[keys.dtype].value}")
    if plan.form is not KvForm.FP8 and keys.dtype != query.dtype:
        raise ValueError(f"a cache of {keys.dtype} needs a query of {keys.dtype}, not {query.dtype}")
    if any(tensor.stride(-1) != 1 for tensor in (query, keys, values, table)):
        raise ValueError("the last dimension of query, keys, values and table must be contiguous")
    if table.dim() != 2 or table.dtype != torch.int32 or contexts.dtype != torch.int32:
        raise ValueError("table (requests, pages) and contexts (requests,) must be int32")
    requests = query.shape[0]
    if table.shape[0] < requests or contexts.shape[0] < requests:
        raise ValueError(f"table and contexts must have a row for each of {requests} requests")
    if masks is not None and (
        masks.dtype != torch.int64 or masks.shape != query.shape[:2] or not masks.is_contiguous()
    ):
        raise ValueError(f"masks must be contiguous int64 of shape {tuple(query.shape[:2])}")
    if lengths is not None and (lengths.dtype != torch.int32 or lengths.shape[0] < requests):
        raise ValueError(f"lengths must be int32 with one for each of {requests} requests")
    if not scale > 0:
        raise ValueError(f"scale must be above zero, not {scale}")
