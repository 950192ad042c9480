"""vLLM's Triton kernel for block-scaled FP8 says that it runs on every CUDA card, and does not below 8.9.

The class that vLLM's selection asks is asked for the target, and where it says yes the launcher that it would
call is run, with its own kernel and default configuration; Triton compiles it for the target. `fixed` takes
the same weights with activations in 16 bits. Stand-ins: the base class, the platform (CUDA-like), `envs`, and
the table of tuned configurations, which is empty.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import torch
import triton
from triton.compiler.errors import CompilationError

from gpu_gotchas.fixes.block_fp8_gemm import matmul
from gpu_gotchas.fixes.block_fp8_gemm.planner import Activation, plan
from gpu_gotchas.repro.extract import take
from gpu_gotchas.repro.probe import ProbeTarget
from gpu_gotchas.upstream.jit_functions import jit_function

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}

TOKENS, FEATURES, COLUMNS, BLOCK = 16, 256, 512, 128
KERNELS = Path("vllm/model_executor/kernels/linear/scaled_mm/triton.py")
UTILS = Path("vllm/model_executor/layers/quantization/utils/fp8_utils.py")


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


def bug_package(target: ProbeTarget, seed: int) -> int:
    x, weight, scale = inputs(target)
    supported, _ = ask(target)
    if not supported:
        return 0
    narrow, factor = quantise(x)
    try:
        launcher(target)(narrow, weight, factor, scale, [BLOCK, BLOCK], x.dtype)
    except CompilationError as error:
        if "type fp8e4nv not supported in this architecture" in str(error.__cause__ or error):
            return 1
        raise
    return 0


def fixed_package(target: ProbeTarget, seed: int) -> int:
    x, weight, scale = inputs(target)
    activation = Activation.BF16 if x.dtype == torch.bfloat16 else Activation.FP16
    sizes = {"tokens": TOKENS, "features": FEATURES, "columns": COLUMNS}
    assert target.target
    matmul(x, weight, scale, plan=plan(target.target, activation, multiprocessors=64, **sizes))
    return 0


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
