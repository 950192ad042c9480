"""Pages of two kinds of layers, where the larger is no multiple of the smaller: one page size is not found.

Models `vllm/v1/core/kv_cache_utils.py:unify_kv_cache_spec_page_size` of vLLM 0.20.0 (the same code in
0.19.1 to 0.23.0): a smaller page is stretched by a whole ratio of block sizes, and nothing else is tried.
The figures are those of a public report: 8-bit keys with 4-bit values, 2 heads of 256, beside a linear
attention state of 12,648,448 bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from gpu_gotchas.fixes.kv_planner import plan
from gpu_gotchas.fixes.kv_specs import FullAttention, LinearState, Load
from gpu_gotchas.repro.extract import take

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}

TOKEN_BYTES = 2 * 388
STATE_BYTES = 12_648_448
SOURCE = Path("vllm/v1/core/kv_cache_utils.py")


@dataclass(frozen=True)
class Spec:
    """One layer's page, as the engine sees it. fixed: bytes that do not grow with the block, for a state.

    Its attention reads pages by their stride, as FlashAttention does, so that releases that pad may pad it.
    """

    indexes_kv_by_block_stride = True

    block_size: int
    token_bytes: int = 0
    fixed: int = 0
    page_size_padded: int | None = None

    @property
    def page_size_bytes(self):
        return self.page_size_padded or self.fixed or self.block_size * self.token_bytes


def unify(specs):
    """Every spec with the largest page, by stretching blocks; raises what the engine raises."""
    largest = max(spec.page_size_bytes for spec in specs.values())
    unified = {}
    for name, spec in specs.items():
        ratio, rest = divmod(largest, spec.page_size_bytes)
        if rest:
            raise NotImplementedError(
                "The page size of the layer is not divisible by the maximum page size. "
                "Cannot unify by adjusting block_size."
            )
        unified[name] = spec if ratio == 1 else replace(spec, block_size=spec.block_size * ratio)
        assert unified[name].page_size_bytes == largest
    return unified


def engine_specs(state_bytes):
    return {
        "attention": Spec(block_size=16, token_bytes=TOKEN_BYTES),
        "state": Spec(block_size=16, fixed=state_bytes),
    }


def planned_specs():
    """The same two layers with the page that the planner found, padded where they do not fill it."""
    layers = {"attention": FullAttention(TOKEN_BYTES), "state": LinearState(STATE_BYTES)}
    found = plan(layers, budget=8 << 30, load=Load(length=160_000, chunk=8192))
    block = {kind.layer: kind.block for kind in found.kinds}[layers["attention"]]
    return {
        "attention": Spec(block_size=block, token_bytes=TOKEN_BYTES, page_size_padded=found.page),
        "state": Spec(block_size=16, fixed=STATE_BYTES, page_size_padded=found.page),
    }


def blocks(specs):
    return {name: spec.block_size for name, spec in specs.items()}


def bug_logic(target):
    return blocks(unify(engine_specs(STATE_BYTES)))


def control_logic(target):
    """The same call, and a state of whole attention pages."""
    return blocks(unify(engine_specs(-(-STATE_BYTES // (16 * TOKEN_BYTES)) * 16 * TOKEN_BYTES)))


def fixed_logic(target):
    """The planned pages are given to the rule that refused the others, and hold what they must."""
    specs = planned_specs()
    for spec in specs.values():
        assert spec.page_size_padded >= (spec.fixed or spec.block_size * spec.token_bytes)
    return blocks(unify(specs))


def genuine(target):
    """The release's own function. Stand-ins: dataclasses' `replace`, and `AttentionSpec`, the spec above."""
    name = "unify_kv_cache_spec_page_size"
    return take(Path(target.package) / SOURCE, [name], {"replace": replace, "AttentionSpec": Spec})[name]


def bug_package(target):
    return blocks(genuine(target)(engine_specs(STATE_BYTES)))


def fixed_package(target):
    return blocks(genuine(target)(planned_specs()))
