"""The logged KV cache size of a hybrid model: what the pool holds, instead of blocks divided by groups."""

from __future__ import annotations

from types import ModuleType, SimpleNamespace
from typing import Any

from gpu_gotchas.hardware.versions import VersionRange
from gpu_gotchas.upstream.asking import Listener, standing_in
from gpu_gotchas.upstream.patch import Answer, Patch, Place
from gpu_gotchas.upstream.wrapping import instead

ID = "hybrid-kv-capacity-misreported"


def _replace(before: Any, module: ModuleType) -> Any:
    def report(vllm_config: Any, kv_cache_config: Any) -> None:
        """As 0.20.1 reports: requests of full length that fit, times that length."""
        length = vllm_config.model_config.max_model_len
        concurrency = module.get_max_concurrency_for_kv_cache_config(vllm_config, kv_cache_config)
        module.logger.info_once("GPU KV cache size: %s tokens", f"{int(concurrency * length):,}")
        module.logger.info_once(
            "Maximum concurrency for %s tokens per request: %.2fx", f"{length:,}", concurrency
        )

    return instead(before, ID, report)


def _ask(module: ModuleType) -> Answer:
    """A pool of 1,000 blocks of 528 tokens for one attention group and three of states, and long requests.

    A request takes 311 + 3 blocks, so 3.18 of them fit: 521,783 tokens. The faulty figure is 132,000.
    """
    block, length, blocks = 528, 163_840, 1_000
    pages = [-(-length // block), 1, 1, 1]
    groups = [
        SimpleNamespace(
            layer_names=["layer"],
            kv_cache_spec=SimpleNamespace(
                block_size=block,
                page_size_bytes=block,
                max_memory_usage_bytes=lambda _, pages=one: pages * block,
            ),
        )
        for one in pages
    ]
    config = SimpleNamespace(
        model_config=SimpleNamespace(max_model_len=length),
        parallel_config=SimpleNamespace(decode_context_parallel_size=1, prefill_context_parallel_size=1),
    )
    heard = Listener()
    with standing_in(module, "logger", heard):
        module._report_kv_cache_config(config, SimpleNamespace(num_blocks=blocks, kv_cache_groups=groups))
    said = next(values[0] for text, *values in heard.lines if text.startswith("GPU KV cache size"))
    truth = blocks / sum(pages) * length
    return Answer.RIGHT if abs(int(said.replace(",", "")) - truth) < 0.02 * truth else Answer.FAULTY


PATCH = Patch(
    id=ID,
    does="Logs the KV cache size of a hybrid model as the number of tokens that fit.",
    places=(
        Place(
            "vllm.v1.core.kv_cache_utils",
            "_report_kv_cache_config",
            ("get_max_concurrency_for_kv_cache_config", "max_memory_usage_bytes"),
        ),
    ),
    releases=VersionRange(fixed="0.20.1"),
    replace=_replace,
    ask=_ask,
)
