"""Check what a decode is asked for; launch the planned kernel and, where a context was split, the merge."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache as cached
from typing import Any

import torch
from torch import Tensor

from gpu_gotchas.fixes.launch_fit import current_target_name
from gpu_gotchas.fixes.mla_decode import portable
from gpu_gotchas.fixes.mla_decode.planner import Kernel, Plan, plan
from gpu_gotchas.fixes.split_kv.forms import KvForm
from gpu_gotchas.fixes.split_kv.merge import merge_parts
from gpu_gotchas.fixes.split_kv.results import result
from gpu_gotchas.fixes.split_kv.splits import SCRATCH_BUDGET
from gpu_gotchas.hardware.catalogue import find_target

_FORMS = {
    torch.bfloat16: KvForm.BF16,
    torch.float16: KvForm.FP16,
    torch.float8_e4m3fn: KvForm.FP8,
    torch.uint8: KvForm.FP8,
}


@dataclass(frozen=True, slots=True)
class Scratch:
    """Memory for the results of splits, to be allocated once and handed to every call that a graph captures.

    It must outlive the graph: memory that was given back may be unmapped when the next graph is captured.
    """

    partial: Tensor
    lse: Tensor

    @classmethod
    def allocate(
        cls, plan: Plan, *, batch: int, heads: int, latent: int = 512, device: torch.device | str
    ) -> Scratch:
        """For up to `batch` requests under `plan`; empty where nothing is split."""
        rows = batch * heads * plan.splits if plan.splits > 1 else 0
        return cls(
            torch.empty(rows * latent, dtype=torch.float32, device=device),
            torch.empty(rows, dtype=torch.float32, device=device),
        )


def decode(
    query: Tensor,
    cache: Tensor,
    table: Tensor,
    contexts: Tensor,
    *,
    scale: float,
    latent: int = 512,
    kv_scale: Tensor | float = 1.0,
    logit_cap: float = 0.0,
    plan: Plan | None = None,
    scratch: Scratch | None = None,
    out: Tensor | None = None,
    lse: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Attend from one token of each request to its cached tokens.

    query: (requests, heads, latent + rope), bfloat16 or float16; the cache's dtype unless that is FP8.
    cache: (pages, page size, latent + rope), bfloat16, float16, float8_e4m3fn, or uint8 with E4M3 codes; the
    first `latent` columns are key and value, the others key only; the last dimension contiguous.
    table: (requests, pages of a request), int32, page numbers in order. contexts: (requests,), int32, tokens
    of each request, 0 allowed. scale: what logits are multiplied by. kv_scale: what cached numbers are
    multiplied by: a float or, to change under a captured graph, a float32 tensor of one element there.
    logit_cap: c of c * tanh(logit / c), 0 for none. plan: from `planner.plan`; made from the table's width
    where absent. scratch: allocated here where absent. out, lse: written where given.

    Returns the output, (requests, heads, latent) in the query's dtype, and the natural log-sum-exp of the
    logits, (requests, heads) in float32. A request without tokens has output 0 and minus infinity. No part of
    it looks at the contexts' values, so it can be captured in a CUDA graph.

    Raises ValueError for arguments that do not fit together, Refused for what the card cannot do.
    """
    form = _check(query, cache, table, contexts, latent)
    batch, heads, width = query.shape
    if plan is None:
        plan = _plan_for(query.device, form, heads, batch, table.shape[1] * cache.shape[1], latent)
    if plan.form is not form:
        raise ValueError(f"the plan is for a cache of {plan.form.value}, not {form.value}")
    out = result(out, "out", (batch, heads, latent), query.dtype, query.device)
    lse = result(lse, "lse", (batch, heads), torch.float32, query.device)
    if batch == 0:
        return out, lse
    whole = plan.splits == 1
    if not whole:
        scratch = scratch or Scratch.allocate(
            plan, batch=batch, heads=heads, latent=latent, device=query.device
        )
        if scratch.lse.numel() < batch * heads * plan.splits:
            raise ValueError(
                f"scratch is too small for {batch} requests of {heads} heads in {plan.splits} splits"
            )
    partial, partial_lse = (out, lse) if whole or scratch is None else (scratch.partial, scratch.lse)
    codes = cache.view(torch.uint8) if form is KvForm.FP8 else cache
    scaled = isinstance(kv_scale, Tensor)
    fixed_scale = 1.0 if isinstance(kv_scale, Tensor) else float(kv_scale)
    launch = _kernel(plan)[(plan.head_blocks(heads), plan.splits, batch)]
    launch(
        query,
        codes,
        table,
        contexts,
        partial,
        partial_lse,
        kv_scale if scaled else lse,
        float(scale),
        float(logit_cap) or 1.0,
        query.stride(0),
        query.stride(1),
        codes.stride(0),
        codes.stride(1),
        table.stride(0),
        plan.splits,
        fixed_scale,
        HEADS=heads,
        LATENT=latent,
        ROPE=width - latent,
        PAGE=cache.shape[1],
        BLOCK_H=plan.head_block,
        BLOCK_N=plan.kv_block,
        WIDENING=plan.widening.value,
        SCALED=scaled,
        CAPPED=logit_cap > 0,
        WHOLE=whole,
        num_warps=plan.warps,
        num_stages=plan.stages,
    )
    if not whole:
        merge_parts(partial, partial_lse, out, lse, plan.splits)
    return out, lse


def _kernel(plan: Plan) -> Any:
    """The kernel's function. Gluon's are imported when wanted: not every release has what they use."""
    if plan.kernel is Kernel.MANY_HEADS:
        from gpu_gotchas.fixes.mla_decode.hopper_many_heads import attend_many_heads

        return attend_many_heads
    if plan.kernel is Kernel.FEW_HEADS and plan.form is KvForm.FP8:
        from gpu_gotchas.fixes.mla_decode.hopper_few_heads_fp8 import attend_few_heads_fp8

        return attend_few_heads_fp8
    if plan.kernel is Kernel.FEW_HEADS:
        from gpu_gotchas.fixes.mla_decode.hopper_few_heads import attend_few_heads

        return attend_few_heads
    return portable.attend


@cached
def _plan_for(device: torch.device, form: KvForm, heads: int, batch: int, context: int, latent: int) -> Plan:
    target = find_target(current_target_name().partition(":")[0])
    return plan(
        target,
        form,
        heads=heads,
        batch=max(batch, 1),
        context=max(context, 1),
        multiprocessors=torch.cuda.get_device_properties(device).multi_processor_count,
        latent=latent,
        scratch_budget=SCRATCH_BUDGET,
    )


def _check(query: Tensor, cache: Tensor, table: Tensor, contexts: Tensor, latent: int) -> KvForm:
    if query.dim() != 3 or query.dtype not in (torch.bfloat16, torch.float16):
        raise ValueError(
            f"query must be bfloat16 or float16 of shape (requests, heads, latent + rope), "
            f"not {query.dtype} {tuple(query.shape)}"
        )
    form = _FORMS.get(cache.dtype)
    if form is None or cache.dim() != 3 or cache.shape[2] != query.shape[2]:
        raise ValueError(
            f"cache must be bfloat16, float16, float8_e4m3fn or uint8 of shape (pages, page size, "
            f"{query.shape[2]}), not {cache.dtype} {tuple(cache.shape)}"
        )
    if form is not KvForm.FP8 and cache.dtype != query.dtype:
        raise ValueError(f"a cache of {cache.dtype} needs a query of {cache.dtype}, not {query.dtype}")
    rope = query.shape[2] - latent
    if latent not in (256, 512) or rope not in (32, 64):
        raise ValueError(f"latent must be 256 or 512 and rope 32 or 64, not {latent} and {rope}")
    if query.stride(2) != 1 or cache.stride(2) != 1 or table.stride(1) != 1:
        raise ValueError("the last dimension of query, cache and table must be contiguous")
    if table.dim() != 2 or table.dtype != torch.int32 or contexts.dtype != torch.int32:
        raise ValueError("table (requests, pages) and contexts (requests,) must be int32")
    if table.shape[0] < query.shape[0] or contexts.shape[0] < query.shape[0]:
        raise ValueError(f"table and contexts must have a row for each of {query.shape[0]} requests")
    return form
