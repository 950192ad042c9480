"""A literal cast on the way of activations: the query becomes bfloat16, whatever the model is.

Models the first form of a change to vLLM's Triton MLA backend (pull request 35833): with an FP8 cache the
query is cast to bfloat16, the result takes the query's dtype, and the up-projection of the value, in the
model's dtype, is multiplied with it. Nothing here needs a card: the product stops before anything runs.
"""

from __future__ import annotations

import torch

from gpu_gotchas.fixes import literal_casts
from gpu_gotchas.repro.probe import ProbeTarget

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}

REQUESTS, HEADS, LATENT, ROPE, VALUE, TOKENS = 2, 4, 64, 16, 32, 12


def decode(query: torch.Tensor, cache: torch.Tensor, up: torch.Tensor, fp8: bool) -> torch.Tensor:
    """One decode step over a cache of tokens, and the up-projection of its result."""
    if fp8:
        query = query.to(torch.bfloat16)
    out = torch.zeros(REQUESTS, HEADS, LATENT, dtype=query.dtype, device=query.device)
    keys = cache.to(query.dtype)
    weights = torch.softmax(query.float() @ keys.float().mT, dim=-1)
    out.copy_(weights @ keys[..., :LATENT].float())
    return torch.bmm(out.transpose(0, 1), up)


def step(dtype: torch.dtype, device: str) -> torch.Tensor:
    torch.manual_seed(0)
    query = torch.randn(REQUESTS, HEADS, LATENT + ROPE, device=device).to(dtype)
    cache = torch.randn(REQUESTS, TOKENS, LATENT + ROPE, device=device).to(torch.float8_e4m3fn)
    up = torch.randn(HEADS, LATENT, VALUE, device=device).to(dtype)
    return decode(query, cache, up, fp8=True)


def bug_logic(target: ProbeTarget) -> None:
    step(torch.float16, target.device)


def control_logic(target: ProbeTarget) -> None:
    """The model whose dtype the cast names."""
    step(torch.bfloat16, target.device)


def fixed_logic(target: ProbeTarget) -> None:
    literal_casts.check(decode, torch.float16)


def bug_device(target: ProbeTarget) -> None:
    step(torch.float16, target.device)


def control_device(target: ProbeTarget) -> None:
    step(torch.bfloat16, target.device)


def fixed_device(target: ProbeTarget) -> None:
    literal_casts.check(decode, torch.float16)
