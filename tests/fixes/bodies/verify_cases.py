"""One random verify step held against float64, on a CPU in Triton's interpreter or on a card."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from gpu_gotchas.fixes.split_kv.scratch import Scratch
from gpu_gotchas.fixes.verify_attention import KvForm, Widening, verify
from gpu_gotchas.fixes.verify_attention.planner import Plan
from gpu_gotchas.fixes.verify_attention.reference import reference

DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp8": torch.float8_e4m3fn, "bytes": torch.uint8}


def form_of(kv: str) -> KvForm:
    return KvForm.FP8 if kv in ("fp8", "bytes") else KvForm(kv)


def cache_of(kv: str, shape: tuple[int, ...], device: str) -> torch.Tensor:
    kept = torch.randn(shape, device=device, dtype=torch.bfloat16)
    dtype = DTYPES[kv]
    return kept.to(torch.float8_e4m3fn).view(dtype) if dtype.itemsize == 1 else kept.to(dtype)


def tree(requests: int, queries: int, device: str) -> torch.Tensor:
    """Random trees: each token sees itself and all that its parent, an earlier token, sees."""
    words = torch.zeros(requests, queries, dtype=torch.int64)
    for request in range(requests):
        for index in range(queries):
            parent = int(torch.randint(-1, index, (1,))) if index else -1
            above = int(words[request, parent]) if parent >= 0 else 0
            word = (above | 1 << index) & (1 << 64) - 1
            words[request, index] = word - (1 << 64) if word >> 63 else word
    return words.to(device)


def masks_of(kind: str, requests: int, queries: int, device: str) -> torch.Tensor | None:
    if kind == "causal":
        return None
    if kind == "tree":
        return tree(requests, queries, device)
    if kind == "none":
        return torch.zeros(requests, queries, dtype=torch.int64, device=device)
    words = torch.randint(-(2**63), 2**63 - 1, (requests, queries), dtype=torch.int64)
    words[:, ::3] = 0  # some see no draft token at all
    return words.to(device)


def check(spec: dict[str, Any], plan: Plan, device: str) -> dict[str, float]:
    """Largest errors of output (relative L2) and log-sum-exp; asserts what holds exactly."""
    torch.manual_seed(spec.get("seed", torch.seed() & 0xFFFF))
    contexts = torch.tensor(spec["contexts"], dtype=torch.int32, device=device)
    requests, page = len(contexts), spec.get("page", 16)
    pages = max(1, -(-int(contexts.max()) // page))
    far = spec.get("far", 0)
    shape = (requests * pages + 1, page, plan.kv_heads, plan.head)
    order = (torch.randperm(requests * pages + 1, device=device)[: requests * pages]).view(requests, pages)
    caches = []
    for _ in range(2):
        kept = cache_of(spec["kv"], shape, device)
        if spec.get("gap"):  # keys beside values, as one tensor
            wide = torch.zeros(shape[0], 2, *shape[1:], dtype=torch.uint8, device=device)
            wide = wide.view(kept.dtype) if kept.element_size() == 1 else wide.to(kept.dtype)
            wide[:, 1] = kept
            kept = wide[:, 1]
        if far:  # pages whose first element lies beyond 2**31
            wide = torch.empty(far + shape[0], *shape[1:], dtype=kept.dtype, device=device)
            wide[far:] = kept
            kept = wide
        caches.append(kept)
    table = (order + far).int()
    half = spec["kv"] == "fp16" or spec.get("half")
    query = torch.randn(requests, plan.queries, plan.heads, plan.head, device=device) * spec.get("size", 1.0)
    query = query.to(torch.float16 if half else torch.bfloat16)
    masks = masks_of(spec.get("mask", "causal"), requests, plan.queries, device)
    lengths = None
    if "lengths" in spec:
        lengths = torch.tensor(spec["lengths"], dtype=torch.int32, device=device)
    scratch = Scratch.allocate(plan, requests=requests, device=device)
    scratch.memory.take(plan.scratch_elements(requests)).fill_(float("nan"))
    out = torch.full(query.shape, float("nan"), dtype=query.dtype, device=device)
    lse = torch.full(query.shape[:3], float("nan"), device=device)
    numbers = spec.get("scales", (1.0, 1.0))
    passed = [torch.tensor([number], device=device) for number in numbers] if spec.get("tensors") else numbers
    scale = spec.get("scale", plan.head**-0.5)
    verify(
        query, *caches, table, contexts, scale=scale, scratch=scratch, masks=masks, lengths=lengths,
        key_scale=passed[0], value_scale=passed[1], out=out, lse=lse,
    )  # fmt: skip
    wanted, wanted_lse = reference(
        query, *caches, table, contexts, scale=scale, masks=masks, lengths=lengths,
        key_scale=numbers[0], value_scale=numbers[1],
    )  # fmt: skip
    assert not out.isnan().any(), ("NaN or unwritten", spec)
    assert not lse.isnan().any(), ("NaN or unwritten", spec)
    blind = wanted_lse == float("-inf")
    assert bool((lse[blind] == float("-inf")).all()), spec
    assert bool((out[blind] == 0).all()), spec
    if blind.all():
        return {"error": 0.0, "lse": 0.0}
    error = (out.double() - wanted).norm() / wanted.norm()
    return {"error": float(error), "lse": float((lse[~blind] - wanted_lse[~blind]).abs().max())}


def small_plan(spec: dict[str, Any]) -> Plan:
    """A plan with small blocks, so that every edge is met by small inputs."""
    form = form_of(spec["kv"])
    widening = Widening(spec.get("widening", "arithmetic" if form is KvForm.FP8 else "none"))
    base = Plan(form, widening, 4, 6, 2, 64, 16, 16, 4, 1, 1)
    known = ("queries", "heads", "kv_heads", "head", "row_block", "kv_block", "splits")
    return replace(base, **{name: spec[name] for name in known if name in spec})
