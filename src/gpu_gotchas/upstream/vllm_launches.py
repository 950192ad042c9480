"""Launches of vLLM's own attention kernels, by its own launchers, on a few tokens.

What records and patches ask of a release: whether the kernel compiles for a card, and what it is compiled to.
The modules come from `vllm_kernels`, or are those of an installed vLLM.
"""

from __future__ import annotations

import inspect
from types import ModuleType

import torch

MLA_DECODE = "v1.attention.ops.triton_decode_attention"
TURBOQUANT_STORE = "v1.attention.ops.triton_turboquant_store"
PAGE = 16


def decode_mla(
    module: ModuleType, cache_dtype: torch.dtype, *, heads: int = 128, table: torch.Tensor | None = None
) -> None:
    """`_decode_grouped_att_m_fwd` of MLA_DECODE on two requests with DeepSeek's latent and rope columns.

    table: their pages, (2, 4); four times page 0 where absent.
    """
    latent, rope, splits = 512, 64, 4
    cache = torch.zeros(8, PAGE, 1, latent + rope).to(cache_dtype)
    arguments = {
        "q": torch.zeros(2, heads, latent + rope, dtype=torch.bfloat16),
        "k_buffer": cache,
        "v_buffer": cache[..., :latent],
        "att_out": torch.zeros(2, heads, splits, latent + 1),
        "Req_to_tokens": torch.zeros(2, 4, dtype=torch.int32) if table is None else table,
        "B_Seqlen": torch.full((2,), 3 * PAGE, dtype=torch.int32),
        "num_kv_splits": splits,
        "sm_scale": (latent + rope) ** -0.5,
        "page_size": PAGE,
        "logit_cap": 0.0,
        "k_scale": torch.ones(()),
        "v_scale": torch.ones(()),
        "is_mla": True,
    }
    launcher = module._decode_grouped_att_m_fwd
    known = inspect.signature(launcher).parameters  # `is_mla` came with 0.20.0
    launcher(**{name: value for name, value in arguments.items() if name in known})


def store_turboquant(module: ModuleType, keys: torch.Tensor) -> None:
    """`triton_turboquant_store` of TURBOQUANT_STORE on keys (tokens, heads, head), in the k8v4 form."""
    tokens, heads, head = keys.shape
    # One byte for each key, half a byte for each value, a float16 scale and zero.
    slot = head + head // 2 + 4
    module.triton_turboquant_store(
        keys,
        torch.zeros_like(keys),
        torch.zeros(-(-tokens // PAGE), PAGE, heads, slot, dtype=torch.uint8),
        torch.arange(tokens, dtype=torch.int32),
        PiT=torch.eye(head),
        midpoints=torch.zeros(7),
        mse_bits=3,
        key_packed_size=head,
        value_quant_bits=4,
        key_fp8=True,
    )
