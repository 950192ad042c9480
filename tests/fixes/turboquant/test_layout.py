"""Bytes, tables and plans of TurboQuant; no kernel runs here."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("torch")

import torch

from gpu_gotchas.fixes.split_kv.grouped_heads import HEAD_SIZES
from gpu_gotchas.fixes.turboquant import Form, plan
from gpu_gotchas.fixes.turboquant import reference as float64
from gpu_gotchas.fixes.turboquant.codebook import Codebook, hadamard, lloyd_max
from gpu_gotchas.hardware.catalogue import find_target


def test_bytes_a_token_are_those_of_the_published_formats() -> None:
    assert {form.value: form.slot_bytes(128) for form in Form} == {
        "k8v4": 196, "4bit_nc": 134, "k3v4_nc": 118, "3bit_nc": 102,
    }  # fmt: skip
    assert all(form.slot_bytes(head) % 2 == 0 for form in Form for head in HEAD_SIZES)


def test_keys_come_back_as_e4m3_and_values_within_half_a_step() -> None:
    torch.manual_seed(0)
    keys, values = torch.randn(50, 3, 128) * 100, torch.randn(50, 3, 128)
    slots = float64.encode(keys, values, form=Form.K8V4)
    assert slots.shape == (50, 3, 196)
    back, near = float64.decoded(slots, form=Form.K8V4, head=128)
    assert torch.equal(back.float(), keys.clamp(-448, 448).to(torch.float8_e4m3fn).float())
    step = (values.amax(2, keepdim=True) - values.amin(2, keepdim=True)) / 15
    assert bool(((near - values).abs() <= step * 0.51 + 2e-3).all())


@pytest.mark.parametrize("form", Form)
def test_every_form_is_found_by_the_name_that_the_engine_gives_it(form: Form) -> None:
    assert Form.named(form.value) is Form.named(f"turboquant_{form.value}") is form


@pytest.mark.parametrize("name", ["turboquant_k4v4", "fp8", "", "K8V4"])
def test_another_name_is_refused_with_those_that_there_are(name: str) -> None:
    with pytest.raises(
        ValueError, match=rf"^'{name}' is no TurboQuant cache: there are turboquant_k8v4, .*3bit_nc$"
    ):
        Form.named(name)


@given(
    bits=st.sampled_from([3, 4]),
    numbers=st.lists(st.integers(0, 7), min_size=16, max_size=16),
)
def test_numbers_of_few_bits_lie_one_after_the_other(bits: int, numbers: list[int]) -> None:
    packed = float64._packed(torch.tensor(numbers), bits)
    whole = sum(number << bits * place for place, number in enumerate(numbers))
    assert bytes(packed.tolist()) == whole.to_bytes(16 * bits // 8, "little")
    assert float64._unpacked(packed, bits).tolist() == numbers


def test_three_bit_forms_lose_more_and_keep_the_norm() -> None:
    torch.manual_seed(0)
    keys, values = torch.randn(50, 3, 128), torch.randn(50, 3, 128)
    for form, near in ((Form.K3V4, 0.96), (Form.NC3, 0.96)):
        book = Codebook.of(128, "cpu", bits=3)
        slots = float64.encode(keys, values, form=form, codebook=book)
        back, kept = float64.decoded(slots, form=form, head=128, codebook=book)
        assert torch.allclose(back.norm(dim=2), keys.norm(dim=2).double(), rtol=1e-3)
        assert float(torch.nn.functional.cosine_similarity(back, keys.double(), dim=2).min()) > near
        step = (values.amax(2, keepdim=True) - values.amin(2, keepdim=True)) / (2**form.value_bits - 1)
        assert bool(((kept - values).abs() <= step * 0.51 + 2e-3).all())


def test_four_bit_keys_keep_their_norm_and_nearly_their_direction() -> None:
    torch.manual_seed(0)
    book = Codebook.of(128, "cpu")
    keys, values = torch.randn(50, 3, 128), torch.randn(50, 3, 128)
    slots = float64.encode(keys, values, form=Form.NC4, codebook=book)
    back, _ = float64.decoded(slots, form=Form.NC4, head=128, codebook=book)
    assert torch.allclose(back.norm(dim=2), keys.norm(dim=2).double(), rtol=1e-3)
    assert float(torch.nn.functional.cosine_similarity(back, keys.double(), dim=2).min()) > 0.985


def test_levels_are_where_their_cells_balance() -> None:
    levels = lloyd_max(16)
    assert levels == sorted(levels)
    assert max(abs(a + b) for a, b in zip(levels, reversed(levels), strict=True)) < 1e-9
    assert levels[-1] == pytest.approx(2.7326, abs=1e-3)  # Max, 1960, table I
    assert levels[8] == pytest.approx(0.1284, abs=1e-3)


def test_the_rotation_is_orthonormal_and_its_own_inverse() -> None:
    matrix = hadamard(64).double()
    assert torch.allclose(matrix @ matrix, torch.eye(64, dtype=torch.float64), atol=1e-6)


def test_a_byte_names_two_centroids() -> None:
    book = Codebook.of(64, "cpu")
    halves = book.pairs.view(torch.float16).view(256, 2)
    assert torch.equal(halves[0x3C], book.centroids[[0xC, 0x3]].half())


@given(
    target=st.sampled_from(["sm_75", "sm_86", "sm_90", "sm_120", "gfx942"]),
    form=st.sampled_from(Form),
    kv_heads=st.integers(1, 16),
    group=st.integers(1, 40),
    batch=st.integers(1, 256),
    context=st.integers(1, 200_000),
    budget=st.integers(0, 1 << 30),
)
def test_a_plan_holds_a_group_stays_within_the_budget_and_leaves_no_split_empty(
    target, form, kv_heads, group, batch, context, budget
) -> None:
    found = plan(
        find_target(target), form, heads=kv_heads * group, kv_heads=kv_heads, head=128, batch=batch,
        context=context, multiprocessors=84, scratch_budget=budget,
    )  # fmt: skip
    assert found.row_block >= group
    assert found.scratch_elements(batch) * 4 <= budget
    blocks = -(-context // found.kv_block)
    assert (found.splits - 1) * -(-blocks // found.splits) < blocks


@pytest.mark.parametrize("wrong", [{"heads": 7}, {"head": 80}, {"batch": 0}])
def test_sizes_that_do_not_fit_together_are_named(wrong: dict[str, int]) -> None:
    sizes = {"heads": 8, "kv_heads": 2, "head": 128, "batch": 1, "context": 9, "multiprocessors": 8}
    with pytest.raises(ValueError, match="must be"):
        plan(find_target("sm_90"), Form.K8V4, **(sizes | wrong))
