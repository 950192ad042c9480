"""Run the portable kernels in Triton's interpreter against float64; prints one line of JSON."""

from __future__ import annotations

import json
import sys

import torch

from gpu_gotchas.fixes import triton_interpreter
from gpu_gotchas.fixes.block_fp8_gemm import Kernel, Plan, grouped_matmul, matmul
from gpu_gotchas.fixes.block_fp8_gemm.launch import Workspace
from gpu_gotchas.fixes.block_fp8_gemm.reference import grouped_reference, reference

triton_interpreter.apply()


def case(spec: dict) -> dict:  # type: ignore[type-arg]
    """Relative L2 error, the largest error in units of the row, unwritten numbers, arrivals left over."""
    chance = torch.Generator().manual_seed(spec["seed"])
    tokens, features, columns = spec["sizes"]
    ends = spec.get("ends")
    dtype = {"bf16": torch.bfloat16, "fp16": torch.float16}[spec["dtype"]]
    experts = len(ends) if ends else 0
    front = (experts,) if ends else ()
    weight = torch.randint(0, 256, (*front, features, columns), generator=chance, dtype=torch.uint8)
    weight[(weight & 0x7F) == 0x7F] = 0  # no NaN codes
    blocks = (-(-features // 128), -(-columns // 128))
    scale = torch.rand(*front, *blocks, generator=chance) * spec.get("scale", 1e-2)
    wide = torch.randn(tokens, columns + 32, generator=chance).to(dtype)
    x = wide[:, :columns] if spec.get("gap") else wide[:, :columns].contiguous()
    kernel = Kernel(spec.get("kernel", "portable"))
    plan = Plan(
        kernel, tokens, features, columns, experts, spec.get("rows", 32), spec.get("block", 16), 4, 2,
        0 if kernel is Kernel.DEQUANTISE else spec.get("programs", 3), ptx=False,
    )  # fmt: skip
    workspace = Workspace.allocate([plan], "cpu")
    workspace.partial.fill_(float("nan"))
    workspace.scratch.fill_(0xFF)
    out = torch.full((tokens, features), float("nan"), dtype=dtype)
    options = {"plan": plan, "workspace": workspace, "out": out}
    for _ in range(2):  # the second finds what the first left
        out.fill_(float("nan"))
        if ends:
            where = torch.tensor(ends, dtype=torch.int32)
            grouped_matmul(x, weight, scale, where, **options)
            wanted = grouped_reference(x, weight, scale, where)
        else:
            matmul(x, weight, scale, **options)
            wanted = reference(x, weight, scale)
    used = ends[-1] if ends else tokens
    beyond = int((~out[used:].isnan()).sum())
    got, wanted = out[:used].double(), wanted[:used]
    error = float((got - wanted).norm() / wanted.norm()) if used else 0.0
    rows = wanted.norm(dim=1, keepdim=True) / features**0.5
    worst = float(((got - wanted).abs() / rows).max()) if used else 0.0
    return {
        "error": error, "worst": worst, "unwritten": int(got.isnan().sum()), "beyond": beyond,
        "arrivals": int(workspace.arrivals.abs().sum()),
    }  # fmt: skip


print(json.dumps([case(spec) for spec in json.loads(sys.argv[1])]))
