"""MLA decode attention in float64 torch, one request after the other: what the kernels are held against."""

from __future__ import annotations

import torch
from torch import Tensor

from gpu_gotchas.fixes import e4m3_torch


def reference(
    query: Tensor,
    cache: Tensor,
    table: Tensor,
    contexts: Tensor,
    *,
    scale: float,
    latent: int = 512,
    kv_scale: float = 1.0,
    logit_cap: float = 0.0,
) -> tuple[Tensor, Tensor]:
    """(output, log-sum-exp) in float64, of shape (requests, heads, latent) and (requests, heads).

    Arguments as in `launch.decode`. A request without tokens has output 0 and minus infinity.
    """
    page_size = cache.shape[1]
    outputs, sums = [], []
    for row, pages, context in zip(query.double(), table, contexts.tolist(), strict=True):
        if context == 0:
            outputs.append(row.new_zeros(row.shape[0], latent))
            sums.append(row.new_full((row.shape[0],), float("-inf")))
            continue
        token = torch.arange(context, device=cache.device)
        keys = _values(cache[pages[token // page_size].long(), token % page_size]) * kv_scale
        logits = row @ keys.T * scale
        if logit_cap:
            logits = logit_cap * torch.tanh(logits / logit_cap)
        outputs.append(torch.softmax(logits, dim=1) @ keys[:, :latent])
        sums.append(torch.logsumexp(logits, dim=1))
    return torch.stack(outputs), torch.stack(sums)


def _values(kept: Tensor) -> Tensor:
    if kept.element_size() == 1:
        return e4m3_torch.decode(kept.view(torch.uint8)).double()
    return kept.double()
