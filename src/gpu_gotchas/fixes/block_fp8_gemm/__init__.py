"""Matrix products with block-scaled FP8 weights and 16-bit activations (W8A16), with and without FP8 units.

The weights are E4M3 with one float32 scale for each block of 128 x 128, as in the FP8 checkpoints of DeepSeek
and Qwen. Cards below compute capability 8.9 cannot convert them, and Triton has no such type there: here the
bytes stay bytes, and become float16 or bfloat16 by three or four operations for two codes.

    from gpu_gotchas.fixes.block_fp8_gemm import grouped_matmul, matmul

    y = matmul(x, weight, scale)                        # (tokens, features)
    y = grouped_matmul(x, weights, scales, ends)        # tokens sorted by expert

- `planner` chooses kernel, blocks and programs, or to widen the weights first; it imports no torch.
- `schedule` deals the work out in equal shares and says who sums a tile that several worked on.
- `portable` is one Triton kernel for every target; `hopper` is a Gluon kernel for compute capability 9.0.
- `helpers` are the small kernels around them; `reference` is the same in float64.
- `launch` checks arguments and calls them.

E4M3's two NaN codes read as 480 with a sign.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_gotchas.fixes.block_fp8_gemm.planner import Activation, Kernel, Plan, plan

if TYPE_CHECKING:
    from gpu_gotchas.fixes.block_fp8_gemm.launch import Workspace, grouped_matmul, matmul

__all__ = ["Activation", "Kernel", "Plan", "Workspace", "grouped_matmul", "matmul", "plan"]


def __getattr__(name: str) -> Any:
    """What needs torch is looked up when asked for: planning needs neither torch nor Triton."""
    if name not in ("Workspace", "grouped_matmul", "matmul"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from gpu_gotchas.fixes.block_fp8_gemm import launch

    return getattr(launch, name)
