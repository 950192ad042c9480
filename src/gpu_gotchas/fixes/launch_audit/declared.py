"""Launches that cannot be read from source: what well-known kernels are launched with, written down.

Taken from the launching code of vLLM 0.33.0, at its default sizes. A kernel is looked up by its name alone;
what is not written here is read from its launch or guessed as for any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Declared:
    """fp8: stands for the variant with E4M3 operands only; the other one is guessed."""

    types: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, int] = field(default_factory=dict)


_E4M3 = "*fp8e4nv"

WITH_FP8: Mapping[str, Declared] = {
    # DeepSeek's latent: 512 columns and 64 of rope, an FP8 cache of pages of 16 tokens, bfloat16 queries.
    "_fwd_grouped_kernel_stage1": Declared(
        {
            "Q": "*bf16", "K_Buffer": _E4M3, "V_Buffer": _E4M3, "Req_to_tokens": "*i32", "B_Seqlen": "*i32",
            "Att_Out": "*fp32", "sm_scale": "fp32", "k_scale": "*fp32", "v_scale": "*fp32",
        },
        {
            "kv_group_num": 128, "q_head_num": 128, "BLOCK_DMODEL": 512, "BLOCK_DPE": 64, "BLOCK_DV": 512,
            "BLOCK_N": 32, "BLOCK_H": 16, "NUM_KV_SPLITS": 4, "PAGE_SIZE": 16, "logit_cap": 0.0, "Lk": 576,
            "Lv": 512, "IS_MLA": True,
        },
        {"num_warps": 4, "num_stages": 2},
    ),
    "_w8a8_triton_block_scaled_mm": Declared(
        {"A": _E4M3, "B": _E4M3, "C": "*bf16", "As": "*fp32", "Bs": "*fp32"},
        {
            "group_n": 128, "group_k": 128, "BLOCK_SIZE_M": 64, "BLOCK_SIZE_N": 128, "BLOCK_SIZE_K": 128,
            "GROUP_SIZE_M": 32,
        },
        {"num_warps": 4, "num_stages": 2},
    ),
    "fused_moe_kernel": Declared(
        {"a_ptr": _E4M3, "b_ptr": _E4M3, "c_ptr": "*bf16", "a_scale_ptr": "*fp32", "b_scale_ptr": "*fp32"},
        {
            "group_n": 128, "group_k": 128, "BLOCK_SIZE_M": 64, "BLOCK_SIZE_N": 128, "BLOCK_SIZE_K": 128,
            "GROUP_SIZE_M": 32, "top_k": 8, "use_fp8_w8a8": True,
        },
        {"num_warps": 4, "num_stages": 3},
    ),
}  # fmt: skip
