"""Check what a product is asked for; launch what was planned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import ceil
from typing import Any

import torch
from torch import Tensor

from gpu_gotchas.fixes.block_fp8_gemm import helpers, portable
from gpu_gotchas.fixes.block_fp8_gemm.planner import (
    BLOCK,
    LEAST_UNITS,
    Activation,
    Kernel,
    Plan,
    plan,
)
from gpu_gotchas.fixes.launch_fit import current_target_name
from gpu_gotchas.hardware.catalogue import find_target

_ACTIVATIONS = {torch.bfloat16: Activation.BF16, torch.float16: Activation.FP16}


@dataclass(frozen=True, slots=True)
class Workspace:
    """Memory that products work in, to be allocated once and handed to every call that a graph captures.

    One serves any number of products that run one after the other, not two at a time. `arrivals` must be zero
    between products, as every product leaves it. It must outlive the graphs that hold it.
    """

    partial: Tensor
    arrivals: Tensor
    table: Tensor
    scratch: Tensor

    @classmethod
    def allocate(cls, plans: Sequence[Plan], device: torch.device | str) -> Workspace:
        """Enough for each of the plans."""

        def most(sizes: Sequence[int], dtype: torch.dtype) -> Tensor:
            return torch.zeros(max(sizes), dtype=dtype, device=device)

        return cls(
            most([each.partial_floats for each in plans], torch.float32),
            most([each.arrivals for each in plans], torch.int32),
            most([each.table_entries for each in plans], torch.int32),
            most([each.scratch_bytes for each in plans], torch.uint8),
        )

    def holds(self, plan: Plan) -> bool:
        return bool(
            self.partial.numel() >= plan.partial_floats
            and self.arrivals.numel() >= plan.arrivals
            and self.table.numel() >= plan.table_entries
            and self.scratch.numel() >= plan.scratch_bytes
        )


def matmul(
    x: Tensor,
    weight: Tensor,
    scale: Tensor,
    *,
    plan: Plan | None = None,
    workspace: Workspace | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """x @ (weight * scale).T, the weights FP8 with one scale for each block of 128 x 128.

    x: (tokens, columns), bfloat16 or float16, columns contiguous. weight: (features, columns), float8_e4m3fn,
    or uint8 with E4M3 codes; contiguous. scale: (features / 128, columns / 128) rounded up, float32,
    contiguous; what a block's numbers are multiplied by (`weight_scale_inv` in DeepSeek's checkpoints).
    plan: from `planner.plan`; made from the sizes where absent. workspace: allocated here where absent.
    out: written where given.

    Returns (tokens, features) in x's dtype. Numbers are exact until they are summed, in float32; where the
    plan widens beforehand, each weight is rounded to 16 bits after its scale. It can be captured in a CUDA
    graph, with `workspace` given.

    Raises ValueError for arguments that do not fit together, Refused for what the card cannot do.
    """
    activation = _check(x, weight, scale, experts=0)
    return _product(x, weight, scale, None, activation, plan, workspace, out)


def grouped_matmul(
    x: Tensor,
    weight: Tensor,
    scale: Tensor,
    ends: Tensor,
    *,
    plan: Plan | None = None,
    workspace: Workspace | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The same for a mixture of experts: each token times the weights of its own expert.

    x: (tokens, columns), sorted by expert. weight: (experts, features, columns). scale: (experts,
    features / 128, columns / 128) rounded up. ends: (experts,), int32, on the device: where each expert's
    tokens end, never falling, the last at most `tokens`; what rows beyond hold is not defined. Nothing here
    looks at its values, so a captured graph follows them.
    """
    activation = _check(x, weight, scale, experts=weight.shape[0] if weight.dim() == 3 else -1)
    if ends.shape != weight.shape[:1] or ends.dtype != torch.int32 or not ends.is_contiguous():
        raise ValueError(f"ends must be contiguous int32 of shape ({weight.shape[0]},)")
    return _product(x, weight, scale, ends, activation, plan, workspace, out)


def _product(
    x: Tensor,
    weight: Tensor,
    scale: Tensor,
    ends: Tensor | None,
    activation: Activation,
    plan: Plan | None,
    workspace: Workspace | None,
    out: Tensor | None,
) -> Tensor:
    tokens, columns = x.shape
    features = weight.shape[-2]
    experts = 0 if ends is None else weight.shape[0]
    if out is None:
        out = torch.empty(tokens, features, dtype=x.dtype, device=x.device)
    if out.shape != (tokens, features) or out.dtype != x.dtype or out.stride(1) != 1:
        raise ValueError(f"out must be {x.dtype} of shape ({tokens}, {features}), its rows contiguous")
    if tokens == 0:
        return out
    if plan is None:
        plan = _plan_for(x.device, activation, tokens, features, columns, experts)
    if (plan.features, plan.columns, plan.experts) != (features, columns, experts) or tokens > plan.tokens:
        raise ValueError(f"the plan is for other sizes: {plan}")
    workspace = workspace or Workspace.allocate([plan], x.device)
    if not workspace.holds(plan):
        raise ValueError("the workspace is too small for the plan")
    codes = weight.view(torch.uint8)
    if plan.kernel is Kernel.DEQUANTISE:
        return _widen_first(x, codes, scale, ends, plan, workspace, out)
    token_tiles = ceil(tokens / plan.token_block)
    if ends is not None:
        helpers.lay_out[(1,)](
            ends,
            workspace.table,
            experts,
            TOKENS=plan.token_block,
            EXPERTS=1 << (experts - 1).bit_length(),
        )
    shared: dict[str, Any] = {
        "TOKENS": plan.token_block,
        "GROUPED": ends is not None,
        "LEAST": max(1, LEAST_UNITS // plan.unit_blocks),
        "num_warps": plan.warps,
    }
    memory = (workspace.partial, workspace.arrivals, workspace.table)
    if plan.kernel is Kernel.HOPPER_MANY:
        from gpu_gotchas.fixes.block_fp8_gemm.hopper_many import descriptor, multiply_hopper_many

        arranged = _words(x, plan, workspace).view(x.dtype)
        multiply_hopper_many[(plan.programs,)](
            descriptor(arranged, plan.token_block), descriptor(codes.view(-1, columns), 64), scale, out,
            *memory, tokens, token_tiles, features, columns // BLOCK, out.stride(0),
            GROUPS=plan.row_block // 64, STAGES=plan.stages, **shared,
        )  # fmt: skip
    elif plan.kernel is Kernel.HOPPER:
        from gpu_gotchas.fixes.block_fp8_gemm.hopper import multiply_hopper

        words = _words(x, plan, workspace)
        multiply_hopper[(plan.programs,)](
            words, codes, scale, out, *memory, tokens, token_tiles, features, columns // BLOCK,
            words.stride(0), out.stride(0), ROWS=plan.row_block, STAGES=plan.stages, SUB=plan.unit_blocks,
            ARRANGED=plan.arranged, **shared,
        )  # fmt: skip
    else:
        portable.multiply[(plan.programs,)](
            x, codes, scale, out, *memory, tokens, token_tiles, features, columns,
            x.stride(0), out.stride(0), ROWS=plan.row_block, PTX=plan.ptx, EVEN=columns % BLOCK == 0,
            num_stages=plan.stages, **shared,
        )  # fmt: skip
    return out


def _words(x: Tensor, plan: Plan, workspace: Workspace) -> Tensor:
    """Tokens as words of two columns, in the lanes' order where the plan says so."""
    if x.stride(0) % 2 or x.data_ptr() % 4:
        x = x.contiguous()
    words = x.view(torch.int32)
    if not plan.arranged:
        return words
    count = x.shape[0] * words.shape[1]
    arranged = workspace.scratch[: 4 * count].view(torch.int32).view(x.shape[0], words.shape[1])
    helpers.arrange[(x.shape[0], ceil(words.shape[1] / 1024))](
        words, arranged, words.stride(0), words.shape[1], BLOCK=1024, num_warps=4
    )
    return arranged


def _widen_first(
    x: Tensor,
    codes: Tensor,
    scale: Tensor,
    ends: Tensor | None,
    plan: Plan,
    workspace: Workspace,
    out: Tensor,
) -> Tensor:
    dense = workspace.scratch[: 2 * codes.numel()].view(x.dtype).view(codes.shape)
    widen(codes, scale, dense, plan)
    if ends is None:
        return torch.mm(x, dense.T, out=out)
    return out.copy_(torch._grouped_mm(x, dense.mT, offs=ends))


def widen(codes: Tensor, scale: Tensor, out: Tensor, plan: Plan) -> Tensor:
    """Codes (features, columns) or (experts, features, columns) times their scales, into 16-bit `out`."""
    features, columns = codes.shape[-2:]
    grid = (ceil(columns / BLOCK), ceil(features / plan.row_block), max(plan.experts, 1))
    helpers.dequantise[grid](
        codes,
        scale,
        out,
        features,
        columns,
        ROWS=plan.row_block,
        PTX=plan.ptx,
        EVEN=columns % BLOCK == 0,
        num_warps=plan.warps,
    )
    return out


@cache
def _target() -> Any:
    return find_target(current_target_name().partition(":")[0])


@cache
def _plan_for(
    device: torch.device, activation: Activation, tokens: int, features: int, columns: int, experts: int
) -> Plan:
    return plan(
        _target(),
        activation,
        tokens=tokens,
        features=features,
        columns=columns,
        experts=experts,
        multiprocessors=torch.cuda.get_device_properties(device).multi_processor_count,
    )


def _check(x: Tensor, weight: Tensor, scale: Tensor, *, experts: int) -> Activation:
    activation = _ACTIVATIONS.get(x.dtype)
    if activation is None or x.dim() != 2 or x.stride(1) != 1:
        raise ValueError(
            f"x must be bfloat16 or float16 of shape (tokens, columns), its rows contiguous, "
            f"not {x.dtype} {tuple(x.shape)}"
        )
    front = weight.shape[:-2]
    if weight.dim() != (3 if experts else 2) or weight.dtype not in (torch.float8_e4m3fn, torch.uint8):
        raise ValueError(
            f"weight must be float8_e4m3fn or uint8 of shape {'(experts, ' if experts else '('}features, "
            f"columns), not {weight.dtype} {tuple(weight.shape)}"
        )
    if weight.shape[-1] != x.shape[1] or weight.shape[-1] % 16 or not weight.is_contiguous():
        raise ValueError(
            f"weight must be contiguous, with the {x.shape[1]} columns of x and a multiple of 16 of them"
        )
    if weight.shape[-2] * weight.shape[-1] >= 1 << 31:
        raise ValueError("a weight matrix must be smaller than 2 GiB: divide it by rows")
    wanted = (*front, ceil(weight.shape[-2] / BLOCK), ceil(weight.shape[-1] / BLOCK))
    if scale.shape != wanted or scale.dtype != torch.float32 or not scale.is_contiguous():
        raise ValueError(f"scale must be contiguous float32 of shape {tuple(wanted)}, one for each block")
    return activation
