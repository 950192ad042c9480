"""The planner: what it must hold for any sizes, and what it chooses where measurements say so."""

from __future__ import annotations

from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.fixes.block_fp8_gemm.planner import LEAST_UNITS, Activation, Kernel, plan
from gpu_gotchas.fixes.refused import Refused
from gpu_gotchas.hardware.catalogue import find_target, targets
from gpu_gotchas.hardware.targets import Vendor

SUPPORTED = [t for t in targets() if t.vendor is not Vendor.NVIDIA or (t.capability or (0, 0)) >= (8, 0)]
SIZES = {"features": 7168, "columns": 18432, "multiprocessors": 132}


@given(
    target=st.sampled_from(SUPPORTED),
    activation=st.sampled_from(Activation),
    tokens=st.integers(1, 20_000),
    features=st.integers(1, 60_000),
    columns=st.integers(1, 2_000).map(lambda sixteens: 16 * sixteens),
    experts=st.integers(0, 300),
    multiprocessors=st.integers(1, 200),
)
def test_every_program_has_work_and_every_tile_its_place(
    target, activation, tokens, features, columns, experts, multiprocessors
):
    made = plan(
        target, activation, tokens=tokens, features=features, columns=columns, experts=experts,
        multiprocessors=multiprocessors,
    )  # fmt: skip
    if made.kernel is Kernel.DEQUANTISE:
        assert made.scratch_bytes == 2 * max(experts, 1) * features * columns
        assert made.partial_floats == made.arrivals == made.table_entries == 0
        return
    assert made.programs >= 1
    assert made.programs == 1 or made.programs * LEAST_UNITS <= made.tiles * ceil(columns / 128)
    assert made.partial_floats == 2 * made.programs * made.row_block * made.token_block
    assert made.arrivals * made.row_block >= features
    assert made.table_entries >= (1 + 3 * min(experts, tokens) if experts else 0)
    assert 128 % made.row_block == 0 or made.row_block == 192
    assert ceil(columns / 128) % made.unit_blocks == 0


def test_tokens_decide_the_kernel() -> None:
    hopper, ampere = find_target("sm_90"), find_target("sm_86")

    def chosen(target, tokens: int, experts: int = 0) -> Kernel:
        return plan(target, Activation.BF16, tokens=tokens, experts=experts, **SIZES).kernel

    assert [chosen(hopper, tokens) for tokens in (1, 32, 33, 128, 8192)] == [
        Kernel.HOPPER,
        Kernel.HOPPER,
        Kernel.HOPPER_MANY,
        Kernel.HOPPER_MANY,
        Kernel.DEQUANTISE,
    ]
    assert [chosen(ampere, tokens) for tokens in (1, 64, 8192)] == [
        Kernel.PORTABLE,
        Kernel.PORTABLE,
        Kernel.DEQUANTISE,
    ]
    # Of experts, it is the tokens of one that count.
    assert chosen(hopper, 2048, experts=256) is Kernel.HOPPER
    assert chosen(hopper, 2048, experts=4) is not Kernel.HOPPER


def test_columns_that_fill_no_block_go_to_the_portable_kernel() -> None:
    sizes = {**SIZES, "columns": 18432 + 16}
    assert plan(find_target("sm_90"), Activation.BF16, tokens=4, **sizes).kernel is Kernel.PORTABLE


def test_turing_widens_first_and_groups_in_the_portable_kernel() -> None:
    turing = find_target("sm_75")
    assert plan(turing, Activation.FP16, tokens=1, **SIZES).kernel is Kernel.DEQUANTISE
    assert plan(turing, Activation.FP16, tokens=1, experts=8, **SIZES).kernel is Kernel.PORTABLE


@pytest.mark.parametrize(
    ("target", "changed"),
    [
        ("sm_70", {"experts": 8}),
        ("sm_75", {"activation": Activation.BF16}),
        ("sm_86", {"kernel": Kernel.HOPPER}),
        ("gfx942", {"kernel": Kernel.HOPPER_MANY}),
        ("sm_90", {"kernel": Kernel.HOPPER, "columns": 80}),
        ("sm_90", {"kernel": Kernel.DEQUANTISE, "experts": 4}),
    ],
)
def test_what_a_card_cannot_do_is_refused_with_a_way_out(target: str, changed: dict[str, object]) -> None:
    with pytest.raises(Refused) as refusal:
        plan(find_target(target), **({"activation": Activation.FP16, "tokens": 4, **SIZES} | changed))
    assert refusal.value.capability == target
    assert refusal.value.way_out


@pytest.mark.parametrize("wrong", ["tokens", "features", "columns", "multiprocessors"])
def test_sizes_below_one_are_no_sizes(wrong: str) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        plan(find_target("sm_90"), Activation.BF16, **({"tokens": 1, **SIZES} | {wrong: 0}))
