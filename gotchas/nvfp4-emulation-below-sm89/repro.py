"""vLLM's last resort for NVFP4 weights says that it runs on every card, and does not compile below 8.9.

The emulation is asked as it stands in the release: whether it is supported on the card, and then to multiply.
Its kernels round scales through Triton's `fp8e4nv`, which cards below 8.9 do not have. The whole package is
imported; nothing is stood in for but what results name: the card, and extension modules that hold no part of
this path.
"""

from __future__ import annotations

import torch

from gpu_gotchas.repro.upstream import as_capability

NEEDS = {
    "gpus": 1,
    "memory_gib": 1,
    "minutes": 2,
    "imports": ["vllm.model_executor.kernels.linear.nvfp4.emulation"],
}

ROWS, COLUMNS, TOKENS, GROUP = 64, 128, 4, 16


def bug_package(target):
    from vllm.model_executor.kernels.linear.nvfp4.emulation import EmulationNvFp4LinearKernel as Emulation

    major, minor = target.capability
    as_capability(target.capability)
    supported, _ = Emulation.is_supported(major * 10 + minor)
    if not supported:
        return "refused before anything is launched"
    emulation = object.__new__(Emulation)
    layer = an_nvfp4_layer()
    emulation.process_weights_after_loading(layer)
    out = emulation.apply_weights(layer, torch.zeros(TOKENS, COLUMNS, dtype=torch.bfloat16))
    return list(out.shape)


def an_nvfp4_layer():
    """What vLLM's linear layer holds for NVFP4: two values a byte, a scale in E4M3 for 16 of them."""
    layer = torch.nn.Module()
    layer.weight = torch.nn.Parameter(torch.zeros(ROWS, COLUMNS // 2, dtype=torch.uint8), requires_grad=False)
    layer.weight_scale = torch.zeros(ROWS, COLUMNS // GROUP).to(torch.float8_e4m3fn)
    layer.weight_global_scale = torch.ones(1)
    layer.input_global_scale_inv = torch.ones(1)
    return layer
