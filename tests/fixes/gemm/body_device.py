"""Every kernel on a card against float64, with fresh random data; prints a line for each case, then JSON."""

from __future__ import annotations

import json
import sys
from typing import Any

import torch

from gpu_gotchas.fixes.block_fp8_gemm import Activation, Kernel, Plan, grouped_matmul, matmul, plan
from gpu_gotchas.fixes.block_fp8_gemm.launch import Workspace
from gpu_gotchas.fixes.block_fp8_gemm.reference import grouped_reference, reference
from gpu_gotchas.fixes.launch_fit import current_target_name
from gpu_gotchas.hardware.catalogue import find_target

DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}
LARGEST = {"bf16": 3e-3, "fp16": 4e-4}
TARGET = find_target(current_target_name().partition(":")[0])
MULTIPROCESSORS = torch.cuda.get_device_properties(0).multi_processor_count
DEVICE = "cuda"


def make_plan(activation: str, sizes: tuple[int, int, int], experts: int, kernel: str | None) -> Plan:
    tokens, features, columns = sizes
    return plan(
        TARGET, Activation(activation), tokens=tokens, features=features, columns=columns, experts=experts,
        multiprocessors=MULTIPROCESSORS, kernel=Kernel(kernel) if kernel else None,
    )  # fmt: skip


def weights(*shape: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Every finite code, and scales that differ from block to block."""
    codes = torch.randint(0, 256, shape, device=DEVICE, dtype=torch.uint8)
    codes[(codes & 0x7F) == 0x7F] = 1
    blocks = (*shape[:-2], -(-shape[-2] // 128), -(-shape[-1] // 128))
    return codes, torch.rand(blocks, device=DEVICE) * 1e-2


def check(got: torch.Tensor, wanted: torch.Tensor, line: dict[str, Any]) -> None:
    """Every element is written, near its value, and all together nearer."""
    assert not got.isnan().any(), ("unwritten", line)
    line["error"] = float((got.double() - wanted).norm() / wanted.norm())
    rows = wanted.norm(dim=1, keepdim=True) / wanted.shape[1] ** 0.5
    line["worst"] = float(((got.double() - wanted).abs() / rows).max())
    print(line, flush=True)
    assert line["error"] < LARGEST[line["activation"]], line
    assert line["worst"] < 0.1, line
    RESULTS.append(line)


def case(activation: str, sizes: tuple[int, int, int], kernel: str | None = None, gap: bool = False) -> None:
    tokens, features, columns = sizes
    made = make_plan(activation, sizes, 0, kernel)
    weight, scale = weights(features, columns)
    x = torch.randn(tokens, columns + (64 if gap else 0), device=DEVICE).to(DTYPES[activation])[:, :columns]
    workspace = Workspace.allocate([made], DEVICE)
    workspace.partial.fill_(float("nan"))
    workspace.scratch.fill_(0xFF)
    out = torch.full((tokens, features), float("nan"), dtype=x.dtype, device=DEVICE)
    first = None
    for _ in range(3):
        out.fill_(float("nan"))
        matmul(x, weight, scale, plan=made, workspace=workspace, out=out)
        first = out.clone() if first is None else first
        assert torch.equal(out, first), ("not the same twice", sizes, made)
    assert not workspace.arrivals.any(), ("arrivals left", sizes, made)
    line = {"activation": activation, "sizes": sizes, "kernel": made.kernel.value, "gap": gap,
            "programs": made.programs, "tiles": made.tiles}  # fmt: skip
    check(out, reference(x, weight, scale), line)


def grouped(activation: str, counts: list[int], sizes: tuple[int, int], kernel: str | None = None) -> None:
    features, columns = sizes
    experts, tokens = len(counts), sum(counts)
    made = make_plan(activation, (tokens, features, columns), experts, kernel)
    weight, scale = weights(experts, features, columns)
    x = torch.randn(tokens, columns, device=DEVICE).to(DTYPES[activation])
    ends = torch.tensor(counts, device=DEVICE).cumsum(0).int()
    workspace = Workspace.allocate([made], DEVICE)
    workspace.partial.fill_(float("nan"))
    workspace.scratch.fill_(0xFF)
    out = torch.full((tokens, features), float("nan"), dtype=x.dtype, device=DEVICE)
    grouped_matmul(x, weight, scale, ends, plan=made, workspace=workspace, out=out)
    assert not workspace.arrivals.any(), ("arrivals left", counts, made)
    line = {"activation": activation, "experts": experts, "most": max(counts), "sizes": (tokens, *sizes),
            "kernel": made.kernel.value}  # fmt: skip
    check(out, grouped_reference(x, weight, scale, ends), line)


def graph(activation: str, kernel: str | None) -> None:
    """A captured product follows tokens and groups that change between replays."""
    experts, sizes = 16, (48, 384, 1024)
    plain, many = make_plan(activation, sizes, 0, kernel), make_plan(activation, sizes, experts, kernel)
    workspace = Workspace.allocate([plain, many], DEVICE)
    weight, scale = weights(experts, *sizes[1:])
    x = torch.randn(sizes[0], sizes[2], device=DEVICE).to(DTYPES[activation])
    ends = torch.arange(3, 51, 3, device=DEVICE, dtype=torch.int32)

    def both() -> tuple[torch.Tensor, torch.Tensor]:
        one = matmul(x, weight[0], scale[0], plan=plain, workspace=workspace)
        return one, grouped_matmul(x, weight, scale, ends, plan=many, workspace=workspace)

    both()
    torch.cuda.synchronize()
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        one, other = both()
    for counts in ([3] * 16, [0] * 15 + [48], [48] + [0] * 15, [1, 5] * 8):
        x.normal_()
        ends.copy_(torch.tensor(counts).cumsum(0))
        one.fill_(float("nan"))
        other.fill_(float("nan"))
        captured.replay()
        line = {"activation": activation, "graph": str(kernel), "counts": counts[:3]}
        check(one, reference(x, weight[0], scale[0]), dict(line))
        check(other, grouped_reference(x, weight, scale, ends), dict(line))


def every(activation: str, kernel: str | None) -> None:
    for tokens in (1, 5, 16, 17, 33, 64, 100, 129, 300):
        case(activation, (tokens, 1536, 2048), kernel)
    case(activation, (7, 2112, 7168), kernel)
    case(activation, (2, 70, 128), kernel)
    case(activation, (3, 300, 384), kernel, gap=True)
    case(activation, (65, 300, 384), kernel, gap=True)
    case(activation, (1, 128, 18432), kernel)
    case(activation, (40, 24576, 1536), kernel)
    if "hopper" not in str(kernel):  # which take whole blocks of columns only
        case(activation, (3, 96, 272), kernel)
        case(activation, (40, 96, 272), kernel)
    if kernel != "dequantise" or (activation == "bf16" and torch.cuda.get_device_capability() == (9, 0)):
        grouped(activation, [0, 3, 0, 0, 17, 1, 64, 2], (512, 768), kernel)
        grouped(activation, [1] * 60 + [0] * 4, (256, 2048), kernel)
        grouped(activation, [200, 0, 130, 1], (384, 512), kernel)
        graph(activation, kernel)


def main() -> None:
    kernels = ["portable", "dequantise"]
    if torch.cuda.get_device_capability() == (9, 0):
        kernels += ["hopper", "hopper-many"]
    for wanted in sys.argv[1:] or [f"{activation}:{kernel}" for activation in DTYPES for kernel in kernels]:
        every(*wanted.split(":"))
    print(json.dumps(RESULTS))


RESULTS: list[dict[str, Any]] = []
if __name__ == "__main__":
    sys.exit(main())
