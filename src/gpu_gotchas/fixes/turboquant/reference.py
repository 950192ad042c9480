"""TurboQuant in float64 torch, from the layout's definition: what the kernels are held against."""

from __future__ import annotations

import torch
from torch import Tensor

from gpu_gotchas.fixes import e4m3_torch
from gpu_gotchas.fixes.turboquant.codebook import Codebook
from gpu_gotchas.fixes.turboquant.layout import Form


def encode(keys: Tensor, values: Tensor, *, form: Form, codebook: Codebook | None = None) -> Tensor:
    """(tokens, KV heads, slot bytes) uint8 from keys and values (tokens, KV heads, head)."""
    if form is Form.K8V4:
        packed = e4m3_torch.encode(keys)
    else:
        assert codebook is not None
        wide = keys.double()
        norms = wide.norm(dim=2, keepdim=True)
        turned = wide / (norms + 1e-8) @ codebook.rotation.double()
        index = torch.searchsorted(codebook.midpoints.double(), turned.contiguous(), right=True)
        packed = torch.cat([_pairs(index), _bytes(norms)], dim=2)
    wide = values.double()
    least = wide.amin(2, keepdim=True)
    scale = ((wide.amax(2, keepdim=True) - least) / 15).clamp(min=1e-8)
    steps = ((wide - least) / scale + 0.5).floor().clamp(0, 15).long()
    return torch.cat([packed, _pairs(steps), _bytes(scale), _bytes(least)], dim=2)


def decoded(
    slots: Tensor, *, form: Form, head: int, codebook: Codebook | None = None
) -> tuple[Tensor, Tensor]:
    """Keys and values in float64, (…, head), of slots (…, slot bytes). 4-bit keys are turned back."""
    if form is Form.K8V4:
        keys = e4m3_torch.decode(slots[..., :head]).double()
    else:
        assert codebook is not None
        keys = codebook.centroids.double()[_halves(slots[..., : head // 2])]
        keys = keys / (keys.square().sum(-1, keepdim=True) + 1e-16).sqrt()
        keys = keys * _number(slots, head // 2) @ codebook.rotation.double().T
    at = form.key_bytes(head)
    steps = _halves(slots[..., at : at + head // 2]).double()
    return keys, steps * _number(slots, at + head // 2) + _number(slots, at + head // 2 + 2)


def attend(
    query: Tensor,
    cache: Tensor,
    table: Tensor,
    contexts: Tensor,
    *,
    form: Form,
    scale: float,
    codebook: Codebook | None = None,
) -> tuple[Tensor, Tensor]:
    """(output, log-sum-exp) in float64, (requests, heads, head) and (requests, heads). As `launch.decode`."""
    requests, heads, head = query.shape
    out = torch.zeros(query.shape, dtype=torch.float64, device=query.device)
    lse = torch.full((requests, heads), float("-inf"), dtype=torch.float64, device=query.device)
    for request, context in enumerate(contexts.tolist()):
        if context == 0:
            continue
        token = torch.arange(context, device=query.device)
        kept = cache[table[request][token // cache.shape[1]].long(), token % cache.shape[1]]
        keys, values = decoded(kept, form=form, head=head, codebook=codebook)
        group = heads // keys.shape[1]
        grouped = query[request].double().view(-1, group, head)
        logits = torch.einsum("hgd,thd->hgt", grouped, keys) * scale
        lse[request] = torch.logsumexp(logits, dim=2).flatten()
        out[request] = torch.einsum("hgt,thd->hgd", torch.softmax(logits, dim=2), values).reshape(heads, head)
    return out, lse


def _pairs(numbers: Tensor) -> Tensor:
    return (numbers[..., ::2] | numbers[..., 1::2] << 4).to(torch.uint8)


def _halves(packed: Tensor) -> Tensor:
    return torch.stack([packed & 15, packed >> 4], dim=-1).flatten(-2).long()


def _bytes(numbers: Tensor) -> Tensor:
    return numbers.half().contiguous().view(torch.uint8)


def _number(slots: Tensor, at: int) -> Tensor:
    return slots[..., at : at + 2].contiguous().view(torch.float16).double()
