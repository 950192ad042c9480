"""vLLM's Triton kernel for block-scaled FP8 says that it runs on every CUDA card, and does not below 8.9.

The mechanism is a check that looks at the vendor only, as `TritonFp8BlockScaledMMKernel.is_supported` does,
and a product of FP8 activations with block-scaled FP8 weights, as `_w8a8_triton_block_scaled_mm` is. `fixed`
takes the same weights with activations in 16 bits.

The upstream probes ask the class that vLLM's selection asks, and then run the launcher that it would call,
with its default configuration. Stand-ins: the base class, the platform (CUDA-like), `envs`, and the table of
tuned configurations, which is empty.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import torch
import triton
import triton.language as tl

from gpu_gotchas.fixes.block_fp8_gemm import matmul
from gpu_gotchas.fixes.block_fp8_gemm.planner import Activation, plan
from gpu_gotchas.fixes.block_fp8_gemm.reference import reference
from gpu_gotchas.repro.extract import take
from gpu_gotchas.repro.probe import ProbeTarget
from gpu_gotchas.upstream.jit_functions import jit_function

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}

TOKENS, FEATURES, COLUMNS, BLOCK = 16, 256, 512, 128
KERNELS = Path("vllm/model_executor/kernels/linear/scaled_mm/triton.py")
UTILS = Path("vllm/model_executor/layers/quantization/utils/fp8_utils.py")


@triton.jit
def multiply_blocks(
    a_ptr, b_ptr, a_scale_ptr, b_scale_ptr, out_ptr, FEATURES: tl.constexpr, COLUMNS: tl.constexpr,
    TOKENS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    token = tl.arange(0, TOKENS)
    feature = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    column = tl.arange(0, BLOCK)
    acc = tl.zeros([TOKENS, BLOCK], tl.float32)
    for block in range(COLUMNS // BLOCK):
        a = tl.load(a_ptr + token[:, None] * COLUMNS + block * BLOCK + column[None, :])
        b = tl.load(b_ptr + feature[None, :] * COLUMNS + block * BLOCK + column[:, None])
        a_scale = tl.load(a_scale_ptr + token * (COLUMNS // BLOCK) + block)
        b_scale = tl.load(b_scale_ptr + tl.program_id(0) * (COLUMNS // BLOCK) + block)
        acc += tl.dot(a, b) * a_scale[:, None] * b_scale
    tl.store(out_ptr + token[:, None] * FEATURES + feature[None, :], acc)


def is_supported(cuda_alike: bool) -> bool:
    """As upstream's: the capability is not asked for."""
    return cuda_alike


def inputs(target: ProbeTarget) -> tuple[torch.Tensor, ...]:
    """Activations, weights and the scales of their blocks; bfloat16 where the card has it."""
    torch.manual_seed(0)
    dtype = torch.float16 if target.capability is not None and target.capability < (8, 0) else torch.bfloat16
    x = torch.randn(TOKENS, COLUMNS).to(dtype)
    weight = torch.randn(FEATURES, COLUMNS).to(torch.float8_e4m3fn)
    scale = torch.rand(FEATURES // BLOCK, COLUMNS // BLOCK) + 0.5
    return x.to(target.device), weight.to(target.device), scale.to(target.device)


def quantise(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Activations in FP8, one scale for each token and block of columns."""
    blocks = x.float().view(TOKENS, -1, BLOCK)
    scale = blocks.abs().amax(-1) / 448
    return (blocks / scale[..., None]).to(torch.float8_e4m3fn).view(TOKENS, -1), scale


def bug(target: ProbeTarget) -> None:
    x, weight, scale = inputs(target)
    if not is_supported(cuda_alike=True):
        return
    narrow, factor = quantise(x)
    out = torch.empty(TOKENS, FEATURES, device=x.device)
    multiply_blocks[(FEATURES // BLOCK,)](
        narrow, weight, factor, scale, out,
        FEATURES=FEATURES, COLUMNS=COLUMNS, TOKENS=TOKENS, BLOCK=BLOCK,
    )  # fmt: skip
    if target.runs:
        torch.testing.assert_close(out.double(), reference(x, weight, scale), rtol=0.1, atol=4.0)


def fixed(target: ProbeTarget) -> None:
    x, weight, scale = inputs(target)
    activation = Activation.BF16 if x.dtype == torch.bfloat16 else Activation.FP16
    sizes = {"tokens": TOKENS, "features": FEATURES, "columns": COLUMNS}
    assert target.target
    made = plan(target.target, activation, multiprocessors=64, **sizes)
    out = matmul(x, weight, scale, plan=made)
    if target.runs:
        torch.testing.assert_close(out.double(), reference(x, weight, scale), rtol=1e-2, atol=0.3)


def bug_package(target: ProbeTarget) -> None:
    x, weight, scale = inputs(target)
    supported, _ = ask(target)
    if not supported:
        return
    narrow, factor = quantise(x)
    launcher(target)(narrow, weight, factor, scale, [BLOCK, BLOCK], x.dtype)


def fixed_package(target: ProbeTarget) -> None:
    fixed(target)


def ask(target: ProbeTarget) -> tuple[bool, str | None]:
    """What the package's own class says of the target."""
    platform = SimpleNamespace(is_cuda_alike=lambda: True, is_xpu=lambda: False)
    stand_ins = {"Fp8BlockScaledMMLinearKernel": object, "current_platform": platform}
    name = "TritonFp8BlockScaledMMKernel"
    assert target.package
    kernel = take(Path(target.package) / KERNELS, [name], stand_ins)[name]
    major, minor = target.capability or (0, 0)
    return kernel.is_supported(10 * major + minor)


def launcher(target: ProbeTarget):
    """The package's own launcher, with its own kernel."""
    assert target.package
    source = Path(target.package) / UTILS
    kernel, name = "_w8a8_triton_block_scaled_mm", "w8a8_triton_block_scaled_mm"
    stand_ins = {
        "torch": torch,
        "triton": triton,
        "envs": SimpleNamespace(VLLM_BATCH_INVARIANT=False),
        "current_platform": SimpleNamespace(is_rocm=lambda: False),
        "get_w8a8_block_fp8_configs": lambda *_: None,
        kernel: jit_function(source, kernel),
    }
    return take(source, [name], stand_ins)[name]
