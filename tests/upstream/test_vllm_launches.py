"""What vLLM's launchers are handed: what a release knows of, in sizes that fit together."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

pytest.importorskip("torch")

import torch

from gpu_gotchas.upstream.vllm_launches import PAGE, decode_mla, store_turboquant


def asked(name: str, launcher: Any) -> ModuleType:
    module = ModuleType("module")
    module.__dict__[name] = launcher
    return module


def test_a_release_is_handed_only_what_its_launcher_takes() -> None:
    got: dict[str, Any] = {}

    def before_is_mla(q: Any, k_buffer: Any, Req_to_tokens: Any, page_size: int) -> None:
        got.update(q=q, cache=k_buffer, table=Req_to_tokens, page=page_size)

    decode_mla(asked("_decode_grouped_att_m_fwd", before_is_mla), torch.float8_e4m3fn, heads=16)
    assert got["q"].shape == (2, 16, 576)
    assert (got["cache"].dtype, got["cache"].shape[1]) == (torch.float8_e4m3fn, got["page"])
    assert got["table"].tolist() == [[0] * 4] * 2


def test_a_page_table_is_handed_on_as_it_is() -> None:
    table = torch.full((2, 4), 7, dtype=torch.int64)
    got: list[Any] = []
    module = asked("_decode_grouped_att_m_fwd", lambda Req_to_tokens, is_mla: got.append(Req_to_tokens))
    decode_mla(module, torch.bfloat16, table=table)
    assert got[0] is table


@pytest.mark.parametrize("tokens", [1, PAGE, PAGE + 1])
def test_the_cache_has_a_slot_for_every_key(tokens: int) -> None:
    got: list[Any] = []

    def store(keys: Any, values: Any, cache: Any, slots: Any, **more: Any) -> None:
        got.extend((keys, values, cache, slots, more))

    given = torch.ones(tokens, 2, 128, dtype=torch.float16)
    store_turboquant(asked("triton_turboquant_store", store), given)
    keys, values, cache, slots, more = got
    assert keys is given
    assert (values.shape, values.dtype) == (keys.shape, keys.dtype)
    assert int(slots.max()) < cache.shape[0] * cache.shape[1]
    assert cache.shape[3] == more["key_packed_size"] + 128 * more["value_quant_bits"] // 8 + 4
