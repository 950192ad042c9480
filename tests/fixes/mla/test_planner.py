"""The planner: what it must hold for any sizes, and what it chooses where measurements say so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.fixes.mla_decode.planner import Kernel, plan
from gpu_gotchas.fixes.refused import Refused
from gpu_gotchas.fixes.split_kv.forms import KvForm, Widening
from gpu_gotchas.hardware.catalogue import find_target, targets
from gpu_gotchas.hardware.targets import Vendor

SUPPORTED = [t for t in targets() if t.vendor is not Vendor.NVIDIA or (t.capability or (0, 0)) >= (8, 0)]
SIZES = {"multiprocessors": 132}


@given(
    target=st.sampled_from(SUPPORTED),
    form=st.sampled_from(KvForm),
    heads=st.integers(1, 256),
    batch=st.integers(1, 512),
    context=st.integers(1, 200_000),
    multiprocessors=st.integers(1, 200),
    budget=st.integers(0, 1 << 30),
)
def test_a_plan_stays_within_the_budget_and_leaves_no_split_empty(
    target, form, heads, batch, context, multiprocessors, budget
) -> None:
    found = plan(
        target, form, heads=heads, batch=batch, context=context, multiprocessors=multiprocessors,
        scratch_budget=budget,
    )  # fmt: skip
    assert found.scratch_bytes(batch, heads) <= budget
    blocks = -(-context // found.kv_block)
    each = -(-blocks // found.splits)
    assert (found.splits - 1) * each < blocks
    assert (found.widening is Widening.NONE) == (form is not KvForm.FP8)


def test_a_full_card_is_not_split_and_a_lone_request_fills_it() -> None:
    hopper = find_target("sm_90")
    full = plan(hopper, KvForm.FP8, heads=128, batch=64, context=8192, **SIZES)
    assert (full.kernel, full.splits) == (Kernel.MANY_HEADS, 1)
    alone = plan(hopper, KvForm.FP8, heads=128, batch=1, context=65536, **SIZES)
    assert 50 <= alone.splits <= 66
    few = plan(hopper, KvForm.FP8, heads=16, batch=64, context=8192, **SIZES)
    assert (few.kernel, few.splits) == (Kernel.FEW_HEADS, 4)
    assert plan(hopper, KvForm.BF16, heads=16, batch=1, context=1, **SIZES).splits == 1


def test_splits_follow_batch_and_heads_not_the_context_alone() -> None:
    ampere = find_target("sm_86")
    sizes = {"context": 8192, "multiprocessors": 84}
    counts = [plan(ampere, KvForm.FP8, heads=16, batch=batch, **sizes).splits for batch in (1, 8, 84, 400)]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > 8 * counts[-1]


def test_fp8_is_moved_by_bits_but_where_converting_is_faster() -> None:
    def way(target: str, form: KvForm = KvForm.FP8) -> Widening:
        return plan(find_target(target), form, heads=16, batch=1, context=64, **SIZES).widening

    assert [way(name) for name in ("sm_75", "sm_86", "sm_89", "sm_120")] == [Widening.BITS] * 4
    assert way("sm_90") is Widening.INSTRUCTION
    assert way("gfx942") is Widening.ARITHMETIC
    assert way("sm_86", KvForm.BF16) is Widening.NONE


@pytest.mark.parametrize(
    ("target", "form", "widening"),
    [
        ("sm_70", KvForm.FP16, None),
        ("sm_75", KvForm.BF16, None),
        ("sm_86", KvForm.FP8, Widening.INSTRUCTION),
        ("gfx942", KvForm.FP8, Widening.BITS),
    ],
)
def test_what_a_card_cannot_do_is_refused_with_a_way_out(target, form, widening) -> None:
    with pytest.raises(Refused) as refusal:
        plan(find_target(target), form, heads=16, batch=1, context=64, widening=widening, **SIZES)
    assert refusal.value.capability == target
    assert refusal.value.way_out


@pytest.mark.parametrize("wrong", ["heads", "batch", "context", "multiprocessors"])
def test_sizes_below_one_are_no_sizes(wrong: str) -> None:
    sizes = {"heads": 16, "batch": 1, "context": 64, "multiprocessors": 8} | {wrong: 0}
    with pytest.raises(ValueError, match="at least 1"):
        plan(find_target("sm_90"), KvForm.FP8, **sizes)
