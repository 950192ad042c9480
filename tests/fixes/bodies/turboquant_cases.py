"""One random cache packed and attended to, held against float64, on a CPU in the interpreter or on a card."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from gpu_gotchas.fixes.split_kv.forms import Widening
from gpu_gotchas.fixes.split_kv.scratch import Scratch
from gpu_gotchas.fixes.turboquant import Codebook, Form, decode, store
from gpu_gotchas.fixes.turboquant import reference as float64
from gpu_gotchas.fixes.turboquant.planner import Plan

DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp32": torch.float32}


def numbers(tokens: int, heads: int, head: int, size: float, device: str) -> torch.Tensor:
    """Normal numbers, a few channels of which are 20 times as large."""
    found = torch.randn(tokens, heads, head, device=device) * size
    found[..., torch.randperm(head)[:3]] *= 20
    return found


def check(spec: dict[str, Any], plan: Plan, device: str) -> dict[str, float]:
    """How many packed bytes differ from float64's, and the largest errors of output and log-sum-exp."""
    torch.manual_seed(spec.get("seed", torch.seed() & 0xFFFF))
    form, head, page = plan.form, plan.head, spec.get("page", 16)
    contexts = torch.tensor(spec["contexts"], dtype=torch.int32, device=device)
    requests = len(contexts)
    pages = max(1, -(-int(contexts.max()) // page))
    total, far = requests * pages + 1, spec.get("far", 0)
    book = None if form is Form.K8V4 else Codebook.of(head, device, bits=form.key_bits)
    slot = form.slot_bytes(head)
    cache = torch.empty(far + total, page, plan.kv_heads, slot, dtype=torch.uint8, device=device)
    cache[far:] = 0xAB
    if spec.get("gap"):
        cache = torch.cat([cache, cache], dim=1)[:, :page]
    table = torch.randperm(total, device=device)[: requests * pages].view(requests, pages).int() + far
    dtype = DTYPES[spec.get("kept", "bf16")]
    keys, values = (
        numbers(total * page, plan.kv_heads, head, spec.get("larger", 1.0), device).to(dtype)
        for _ in range(2)
    )
    slots = torch.randperm(total * page, device=device) + far * page
    slots = slots if spec.get("wide") else slots.int()
    slots[::7] = -1
    store(
        keys, values, cache, slots, form=form, codebook=book, instruction=bool(spec.get("instruction", False))
    )
    flat = cache[far:].reshape(total * page, plan.kv_heads, slot)
    kept = slots >= 0
    wanted_bytes = float64.encode(keys[kept], values[kept], form=form, codebook=book)
    got_bytes = flat[slots[kept].long() - far * page]
    differ = got_bytes != wanted_bytes
    untouched = torch.ones(total * page, dtype=torch.bool, device=device)
    untouched[slots[kept].long() - far * page] = False
    assert bool((flat[untouched] == 0xAB).all()), ("a slot that nobody named", spec)
    # What was left out holds no numbers: give it some.
    if untouched.any():
        few = float64.encode(keys[~kept], values[~kept], form=form, codebook=book)
        spots = untouched.nonzero().flatten()
        cache[far + spots // page, spots % page] = few

    query = torch.randn(requests, plan.heads, head, device=device) * spec.get("asked", 0.3)
    query = query.to(torch.float16 if spec.get("half") else torch.bfloat16)
    scratch = Scratch.allocate(plan, requests=requests, device=device)
    scratch.memory.take(plan.scratch_elements(requests)).fill_(float("nan"))
    out = torch.full(query.shape, float("nan"), dtype=query.dtype, device=device)
    lse = torch.full(query.shape[:2], float("nan"), device=device)
    scale = spec.get("scale", head**-0.5)
    decode(query, cache, table, contexts, scale=scale, scratch=scratch, codebook=book, out=out, lse=lse)
    wanted, wanted_lse = float64.attend(query, cache, table, contexts, form=form, scale=scale, codebook=book)
    assert not out.isnan().any(), ("NaN or unwritten", spec)
    assert not lse.isnan().any(), ("NaN or unwritten", spec)
    full = contexts > 0
    assert bool((out[~full] == 0).all()), spec
    assert bool((lse[~full] == float("-inf")).all()), spec
    found = {
        "differ": float(differ.float().mean()),
        "keys_differ": float(differ[..., : form.key_bytes(head)].float().mean()),
        "error": 0.0,
        "lse": 0.0,
    }
    if full.any():
        found["error"] = float((out[full].double() - wanted[full]).norm() / wanted[full].norm())
        found["lse"] = float((lse[full] - wanted_lse[full]).abs().max())
    return found


def small_plan(spec: dict[str, Any]) -> Plan:
    """A plan with small blocks, so that every edge is met by small inputs."""
    base = Plan(Form(spec["form"]), Widening(spec.get("widening", "arithmetic")), 6, 2, 64, 16, 4, 1, 1)
    known = ("heads", "kv_heads", "head", "kv_block", "splits")
    return replace(base, **{name: spec[name] for name in known if name in spec})
