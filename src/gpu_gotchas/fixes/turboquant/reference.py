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
        packed = torch.cat([_packed(index, form.key_bits), _bytes(norms)], dim=2)
    wide = values.double()
    least = wide.amin(2, keepdim=True)
    most = 2**form.value_bits - 1
    scale = ((wide.amax(2, keepdim=True) - least) / most).clamp(min=1e-8)
    steps = ((wide - least) / scale + 0.5).floor().clamp(0, most).long()
    return torch.cat([packed, _packed(steps, form.value_bits), _bytes(scale), _bytes(least)], dim=2)


def decoded(
    slots: Tensor, *, form: Form, head: int, codebook: Codebook | None = None
) -> tuple[Tensor, Tensor]:
    """Keys and values in float64, (…, head), of slots (…, slot bytes). Keys of an index are turned back."""
    if form is Form.K8V4:
        keys = e4m3_torch.decode(slots[..., :head]).double()
    else:
        assert codebook is not None
        data = form.key_bytes(head) - 2
        keys = codebook.centroids.double()[_unpacked(slots[..., :data], form.key_bits)]
        keys = keys / (keys.square().sum(-1, keepdim=True) + 1e-16).sqrt()
        keys = keys * _number(slots, data) @ codebook.rotation.double().T
    at = form.key_bytes(head)
    end = at + form.value_bytes(head) - 4
    steps = _unpacked(slots[..., at:end], form.value_bits).double()
    return keys, steps * _number(slots, end) + _number(slots, end + 2)


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


def _packed(numbers: Tensor, bits: int) -> Tensor:
    """Numbers of so many bits one after the other, the lowest bits first, as bytes."""
    each = (numbers[..., None] >> torch.arange(bits, device=numbers.device)) & 1
    flat = each.flatten(-2).unflatten(-1, (-1, 8))
    return (flat << torch.arange(8, device=numbers.device)).sum(-1).to(torch.uint8)


def _unpacked(packed: Tensor, bits: int) -> Tensor:
    each = (packed[..., None].long() >> torch.arange(8, device=packed.device)) & 1
    flat = each.flatten(-2).unflatten(-1, (-1, bits))
    return (flat << torch.arange(bits, device=packed.device)).sum(-1)


def _bytes(numbers: Tensor) -> Tensor:
    return numbers.half().contiguous().view(torch.uint8)


def _number(slots: Tensor, at: int) -> Tensor:
    return slots[..., at : at + 2].contiguous().view(torch.float16).double()
