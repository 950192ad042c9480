"""Verify attention in float64 torch, one request after the other: what the kernel is held against."""

from __future__ import annotations

import torch
from torch import Tensor

from gpu_gotchas.fixes import e4m3_torch


def reference(
    query: Tensor,
    keys: Tensor,
    values: Tensor,
    table: Tensor,
    contexts: Tensor,
    *,
    scale: float,
    masks: Tensor | None = None,
    lengths: Tensor | None = None,
    key_scale: float = 1.0,
    value_scale: float = 1.0,
) -> tuple[Tensor, Tensor]:
    """(output, log-sum-exp) in float64, (requests, queries, heads, head) and (requests, queries, heads).

    Arguments as in `launch.verify`. A row that sees nothing has output 0 and minus infinity.
    """
    _, queries, heads, _ = query.shape
    out = torch.zeros(query.shape, dtype=torch.float64, device=query.device)
    lse = torch.full(query.shape[:3], float("-inf"), dtype=torch.float64, device=query.device)
    group = heads // keys.shape[2]
    for request, context in enumerate(contexts.tolist()):
        length = queries if lengths is None else int(lengths[request])
        token = torch.arange(context, device=query.device)
        at = table[request][token // keys.shape[1]].long(), token % keys.shape[1]
        k, v = (
            (_numbers(kept[at]) * factor).repeat_interleave(group, dim=1)
            for kept, factor in ((keys, key_scale), (values, value_scale))
        )
        logits = torch.einsum("qhd,thd->qht", query[request].double(), k) * scale
        seen = _seen(context, length, queries, None if masks is None else masks[request], query.device)
        logits = logits.masked_fill(~seen[:, None, :], float("-inf"))
        if context == 0:
            continue
        lse[request] = torch.logsumexp(logits, dim=2)
        out[request] = torch.einsum("qht,thd->qhd", torch.softmax(logits, dim=2).nan_to_num(0.0), v)
    return out, lse


def _seen(context: int, length: int, queries: int, masks: Tensor | None, device: torch.device) -> Tensor:
    """(queries, context): which tokens each query sees, one by one from the definition."""
    seen = torch.zeros(queries, context, dtype=torch.bool)
    prefix = context - length
    for index in range(length):
        word = (2 << index) - 1 if masks is None else int(masks[index])
        for draft in range(max(0, -prefix), length):
            seen[index, prefix + draft] = bool(word >> draft & 1)
        seen[index, : max(prefix, 0)] = True
    return seen.to(device)


def _numbers(kept: Tensor) -> Tensor:
    if kept.element_size() == 1:
        return e4m3_torch.decode(kept.view(torch.uint8)).double()
    return kept.double()
