"""The planner: what it must hold for any sizes, and what it chooses where measurements say so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.fixes.refused import Refused
from gpu_gotchas.fixes.split_kv.forms import KvForm, Widening
from gpu_gotchas.fixes.split_kv.grouped_heads import HEAD_SIZES
from gpu_gotchas.fixes.verify_attention.planner import plan
from gpu_gotchas.hardware.catalogue import find_target, targets
from gpu_gotchas.hardware.targets import Vendor

SUPPORTED = [t for t in targets() if t.vendor is not Vendor.NVIDIA or (t.capability or (0, 0)) >= (8, 0)]
HOPPER = find_target("sm_90")
SIZES = {"heads": 64, "kv_heads": 8, "head": 128, "batch": 1, "context": 32768, "multiprocessors": 132}


@given(
    target=st.sampled_from(SUPPORTED),
    form=st.sampled_from(KvForm),
    queries=st.integers(1, 64),
    kv_heads=st.integers(1, 16),
    group=st.integers(1, 16),
    head=st.sampled_from(HEAD_SIZES),
    batch=st.integers(1, 256),
    context=st.integers(1, 200_000),
    multiprocessors=st.integers(1, 200),
    budget=st.integers(0, 1 << 30),
)
def test_a_plan_covers_every_row_stays_within_the_budget_and_leaves_no_split_empty(
    target, form, queries, kv_heads, group, head, batch, context, multiprocessors, budget
) -> None:
    found = plan(
        target, form, queries=queries, heads=kv_heads * group, kv_heads=kv_heads, head=head, batch=batch,
        context=context, multiprocessors=multiprocessors, scratch_budget=budget,
    )  # fmt: skip
    assert found.row_blocks * found.row_block >= queries * group
    assert found.scratch_elements(batch) * 4 <= budget
    blocks = -(-context // found.kv_block)
    each = -(-blocks // found.splits)
    assert (found.splits - 1) * each < blocks
    assert (found.widening is Widening.NONE) == (form is not KvForm.FP8)


def test_one_long_sequence_fills_the_card_and_keys_are_read_once() -> None:
    found = plan(HOPPER, KvForm.BF16, queries=16, **SIZES)
    assert (found.row_block, found.row_blocks) == (128, 1)
    assert 100 <= found.splits * 8 <= 132
    many = plan(HOPPER, KvForm.BF16, queries=16, **(SIZES | {"batch": 64}))
    assert many.splits < 4


def test_a_cache_of_fp8_is_walked_in_larger_blocks_by_programs_that_share_a_multiprocessor() -> None:
    found = plan(HOPPER, KvForm.FP8, queries=8, **SIZES)
    assert (found.row_block, found.kv_block, found.resident) == (64, 128, 2)
    assert 132 < found.splits * 8 <= 264
    assert plan(HOPPER, KvForm.FP8, queries=16, **SIZES).row_block == 128


@pytest.mark.parametrize("queries", [0, 65])
def test_a_mask_word_holds_at_most_64_tokens(queries: int) -> None:
    with pytest.raises(ValueError, match="queries must be .* at most 64"):
        plan(HOPPER, KvForm.BF16, queries=queries, **SIZES)


@pytest.mark.parametrize("wrong", [{"heads": 63}, {"heads": 4}, {"head": 96}, {"batch": 0}, {"context": 0}])
def test_sizes_that_do_not_fit_together_are_named(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="must be"):
        plan(HOPPER, KvForm.BF16, queries=4, **(SIZES | wrong))


@pytest.mark.parametrize(("target", "form"), [("sm_70", KvForm.FP16), ("sm_75", KvForm.BF16)])
def test_what_a_card_cannot_do_is_refused_with_a_way_out(target: str, form: KvForm) -> None:
    with pytest.raises(Refused) as refusal:
        plan(find_target(target), form, queries=4, **SIZES)
    assert refusal.value.capability == target
    assert refusal.value.way_out
