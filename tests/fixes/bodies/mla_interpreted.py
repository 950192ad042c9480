"""Run the portable kernel and the merge in Triton's interpreter against float64; prints one line of JSON."""

from __future__ import annotations

import json
import sys

import torch

from gpu_gotchas.fixes import triton_interpreter
from gpu_gotchas.fixes.mla_decode.launch import Scratch, decode
from gpu_gotchas.fixes.mla_decode.planner import Kernel, Plan
from gpu_gotchas.fixes.mla_decode.reference import reference
from gpu_gotchas.fixes.split_kv.forms import KvForm, Widening

DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp8": torch.float8_e4m3fn, "bytes": torch.uint8}

triton_interpreter.apply()


def case(spec: dict) -> list[float]:  # type: ignore[type-arg]
    """Largest errors of output (relative L2) and log-sum-exp, and how many outputs were not written."""
    chance = torch.Generator().manual_seed(spec["seed"])
    latent, rope = spec["latent"]
    contexts = torch.tensor(spec["contexts"], dtype=torch.int32)
    batch, heads, page = len(contexts), spec["heads"], spec["page"]
    pages = max(1, -(-int(contexts.max()) // page))
    kept = torch.randn(batch * pages + 3, page, latent + rope, generator=chance) * 0.7
    dtype = DTYPES[spec["kv"]]
    kept = (
        kept.to(torch.float8_e4m3fn).view(torch.uint8).view(dtype) if dtype.itemsize == 1 else kept.to(dtype)
    )
    if spec.get("gap"):  # a cache that is a view with gaps between pages
        wide = torch.zeros(kept.shape[0], 2, *kept.shape[1:], dtype=torch.uint8).view(torch.uint8)
        wide = wide.to(dtype) if dtype.itemsize > 1 else wide.view(dtype)
        wide[:, 0] = kept
        kept = wide[:, 0]
    table = torch.randperm(batch * pages + 3, generator=chance)[: batch * pages].view(batch, pages).int()
    query_dtype = {"f16": torch.float16, "b16": torch.bfloat16}.get(spec.get("query", ""))
    query_dtype = query_dtype or (torch.float16 if spec["kv"] == "fp16" else torch.bfloat16)
    query = (torch.randn(batch, heads, latent + rope, generator=chance) * spec.get("size", 1.0)).to(
        query_dtype
    )
    form = KvForm(spec["kv"]) if spec["kv"] != "bytes" else KvForm.FP8
    widening = Widening(spec.get("widening", "arithmetic" if form is KvForm.FP8 else "none"))
    plan = Plan(Kernel.PORTABLE, form, widening, 16, spec.get("block", 16), 4, 1, 1, splits=spec["splits"])
    scratch = Scratch.allocate(plan, batch=batch, heads=heads, latent=latent, device="cpu")
    scratch.partial.fill_(float("nan"))
    scratch.lse.fill_(float("nan"))
    out = torch.full((batch, heads, latent), float("nan"), dtype=query.dtype)
    lse = torch.full((batch, heads), float("nan"))
    options = {"scale": spec.get("scale", 0.06), "latent": latent, "logit_cap": spec.get("cap", 0.0)}
    number = spec.get("kv_scale", 1.0)
    passed = torch.tensor([number]) if spec.get("scale_tensor") else number
    decode(
        query, kept, table, contexts, kv_scale=passed, plan=plan, scratch=scratch, out=out, lse=lse, **options
    )
    wanted, wanted_lse = reference(query, kept, table, contexts, kv_scale=number, **options)
    empty = contexts == 0
    unwritten = int(out.isnan().sum()) + int(lse.isnan().sum())
    assert bool((lse[empty] == float("-inf")).all())
    assert bool((out[empty] == 0).all())
    full = ~empty
    if not full.any():
        return [0.0, 0.0, unwritten]
    error = (out[full].double() - wanted[full]).norm() / wanted[full].norm()
    return [float(error), float((lse[full] - wanted_lse[full]).abs().max()), unwritten]


print(json.dumps([case(spec) for spec in json.loads(sys.argv[1])]))
