"""vLLM's launcher of FP8 experts in Triton asks no card whether it can, and the compiler says no.

The release's own `invoke_fused_moe_triton_kernel` launches its own kernel with FP8 activations and weights,
and Triton compiles it for the target. Stand-ins: what the launcher asks about tensor descriptors and
swapped operands, answered with no.
"""

from __future__ import annotations

import logging
from pathlib import Path

import torch
import triton
import triton.language as tl
from triton.compiler.errors import CompilationError

from gpu_gotchas.fixes.fp8_moe import refuse_fp8_experts
from gpu_gotchas.repro.extract import take
from gpu_gotchas.repro.probe import ProbeTarget

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}

SOURCE = Path("vllm/model_executor/layers/fused_moe/fused_moe.py")
LAUNCHER = "invoke_fused_moe_triton_kernel"
TOKENS, EXPERTS, TOP_K, HIDDEN, ROWS, BLOCK = 4, 8, 2, 128, 128, 16


def _launch(target: ProbeTarget) -> None:
    assert target.package is not None
    stand_ins = {
        "torch": torch, "triton": triton, "tl": tl, "logger": logging.getLogger("vllm"),
        "enable_swap_ab": lambda *_: False, "resolve_moe_use_td": lambda: False,
        "warn_if_moe_use_td_ineffective": lambda *_, **__: None,
    }  # fmt: skip
    names = [LAUNCHER, "fused_moe_kernel", "write_zeros_to_output"]
    launch = take(Path(target.package) / SOURCE, names, stand_ins)[LAUNCHER]
    padded = EXPERTS * BLOCK
    launch(
        torch.zeros(TOKENS, HIDDEN).to(torch.float8_e4m3fn),
        torch.zeros(EXPERTS, ROWS, HIDDEN).to(torch.float8_e4m3fn),
        torch.zeros(TOKENS, TOP_K, ROWS, dtype=torch.bfloat16),
        torch.ones(1),
        torch.ones(EXPERTS),
        torch.ones(TOKENS, TOP_K),
        torch.zeros(padded, dtype=torch.int32),
        torch.zeros(padded // BLOCK, dtype=torch.int32),
        torch.tensor([padded], dtype=torch.int32),
        mul_routed_weight=False,
        top_k=TOP_K,
        config={"BLOCK_SIZE_M": BLOCK, "BLOCK_SIZE_N": 32, "BLOCK_SIZE_K": 64, "GROUP_SIZE_M": 1},
        compute_type=tl.bfloat16,
        use_fp8_w8a8=True,
        use_int8_w8a8=False,
        use_int8_w8a16=False,
        use_int4_w4a16=False,
        per_channel_quant=False,
    )


def bug_package(target: ProbeTarget, seed: int) -> int:
    try:
        _launch(target)
    except CompilationError as error:
        if "type fp8e4nv not supported in this architecture" in str(error.__cause__ or error):
            return 1
        raise
    return 0


def fixed_package(target: ProbeTarget, seed: int) -> int:
    refuse_fp8_experts(target.capability)
    return bug_package(target, seed)
