"""The planner against counts that share none of its formulas: pages are taken one by one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpu_gotchas.fixes.kv_capacity import Group, capacity
from gpu_gotchas.fixes.kv_planner import Plan, plan
from gpu_gotchas.fixes.kv_specs import (
    Fit,
    FullAttention,
    Layer,
    LinearState,
    Load,
    MlaAttention,
    SlidingWindow,
)
from gpu_gotchas.fixes.refused import Refused

LOADS = st.builds(Load, length=st.integers(1, 300), chunk=st.integers(1, 64))
FULL = st.builds(FullAttention, token_bytes=st.integers(1, 40), step_tokens=st.sampled_from([1, 4, 16]))
SLIDING = st.builds(
    SlidingWindow,
    token_bytes=st.integers(1, 40),
    window=st.integers(1, 80),
    step_tokens=st.sampled_from([1, 4, 16]),
)
STATE = st.builds(LinearState, state_bytes=st.integers(1, 2000), copies=st.integers(1, 3))
LAYERS = st.lists(st.one_of(FULL, SLIDING, STATE), min_size=1, max_size=5)


def taken(layer: Layer, block: int, load: Load) -> int:
    """Blocks that a request takes, token by token, without any formula of the planner."""
    if isinstance(layer, LinearState):
        return layer.copies
    if isinstance(layer, SlidingWindow):
        # What the engine sets aside: the window and one step, and a block because of where it may begin.
        tokens = [0] * min(layer.window - 1 + load.chunk, load.length)
    else:
        tokens = [0] * load.length
    blocks = 0
    for position, _ in enumerate(tokens):
        blocks += position % block == 0
    return blocks + isinstance(layer, SlidingWindow)


def filled(groups: list[tuple[Layer, int]], blocks: int, load: Load) -> tuple[int, int]:
    """Whole requests, and tokens, that a pool holds: requests are let in until one is too large."""
    free = blocks
    whole = 0
    while (need := sum(taken(layer, block, load) for layer, block in groups)) <= free:
        free -= need
        whole += 1
    last = 0
    for length in range(1, load.length + 1):
        if sum(taken(layer, block, Load(length, load.chunk)) for layer, block in groups) > free:
            break
        last = length
    return whole, whole * load.length + last


@given(
    layers=st.lists(st.one_of(FULL, SLIDING, STATE), min_size=1, max_size=4),
    factor=st.integers(1, 6),
    blocks=st.integers(0, 400),
    load=LOADS,
)
def test_a_pool_holds_what_taking_its_blocks_one_by_one_shows(
    layers: list[Layer], factor: int, blocks: int, load: Load
) -> None:
    def block(layer: Layer) -> int:
        return 0 if isinstance(layer, LinearState) else layer.step_tokens * factor  # type: ignore[attr-defined]

    groups = [Group(layer, Fit(block(layer), 1)) for layer in layers]
    found = capacity(groups, blocks, load)
    assert (found.requests, found.tokens) == filled([(layer, block(layer)) for layer in layers], blocks, load)
    assert found.concurrency * found.blocks_per_request == blocks


@given(layer=SLIDING, load=LOADS, starts=st.data())
def test_no_schedule_of_a_window_needs_more_pages_than_are_held_back(
    layer: SlidingWindow, load: Load, starts: st.DataObject
) -> None:
    fit = layer.fit(layer.step * 2)
    assert fit is not None
    held = layer.pages(fit, load)
    done = 0
    while done < load.length:
        step = starts.draw(st.integers(1, min(load.chunk, load.length - done)))
        first = max(0, done - (layer.window - 1))
        live = {position // fit.block for position in range(first, done + step)}
        assert len(live) <= held
        done += step


@given(layers=LAYERS, load=LOADS, budget=st.integers(1, 1 << 20))
def test_every_plan_has_one_page_that_all_layers_fit_and_loses_no_byte(
    layers: list[Layer], load: Load, budget: int
) -> None:
    named = {str(index): layer for index, layer in enumerate(layers)}
    try:
        found = plan(named, budget=budget, load=load, most_waste=1.0)
    except Refused:
        return
    assert sum(kind.layers for kind in found.kinds) == len(layers)
    for kind in found.kinds:
        used = found.page - kind.padding
        if isinstance(kind.layer, LinearState):
            assert used == kind.layer.state_bytes
        else:
            assert used == kind.block * kind.layer.token_bytes > 0  # type: ignore[attr-defined]
            assert kind.block % kind.layer.step_tokens == 0  # type: ignore[attr-defined]
        assert kind.padding >= 0
        assert (kind.groups - 1) * found.width < kind.layers <= kind.groups * found.width
    places = sum(kind.groups for kind in found.kinds) * found.width
    assert found.fillers == places - len(layers)
    assert found.blocks * found.page * found.width <= budget
    assert 0 <= found.waste < 1
    groups = [(kind.layer, kind.block) for kind in found.kinds for _ in range(kind.groups)]
    assert (found.capacity.requests, found.capacity.tokens) == filled(groups, found.blocks, load)


@settings(deadline=None)
@given(layers=LAYERS, load=LOADS)
def test_no_page_and_width_tried_one_by_one_is_cheaper(layers: list[Layer], load: Load) -> None:
    named = {str(index): layer for index, layer in enumerate(layers)}
    found = plan(named, budget=1 << 40, load=load, most_waste=1.0)
    kinds = set(layers)
    for page in range(max(layer.least for layer in kinds), found.page + 50):
        for width in range(1, len(layers) + 1):
            cost = 0
            for kind in kinds:
                fit = kind.fit(page)
                assert fit is not None
                groups = -(-layers.count(kind) // width)
                cost += groups * taken(kind, fit.block, load) * page * width
            assert found.request_bytes <= cost


@given(load=LOADS, half=st.integers(1, 20), state=st.integers(1, 2000), states=st.integers(0, 3))
def test_halving_the_bytes_of_a_token_never_costs_memory(
    load: Load, half: int, state: int, states: int
) -> None:
    def bytes_of(token: int) -> int:
        layers: dict[str, Layer] = {"attention": FullAttention(token)}
        layers |= {str(index): LinearState(state) for index in range(states)}
        return plan(layers, budget=1 << 40, load=load, most_waste=1.0).request_bytes

    assert bytes_of(half) <= bytes_of(2 * half)


def hybrid(**options: object) -> Plan:
    layers: dict[str, Layer] = {f"attention{index}": FullAttention(776) for index in range(10)}
    layers |= {f"state{index}": LinearState(12_648_448) for index in range(30)}
    return plan(layers, **({"budget": 8 << 30, "load": Load(262_144, 8192)} | options))  # type: ignore[arg-type]


def test_a_model_that_vllm_could_not_load_gets_a_page_with_little_waste() -> None:
    found = hybrid()
    assert {kind.layers: kind.groups for kind in found.kinds} == {10: 1, 30: 3}
    assert found.fillers == 0
    assert found.waste < 0.01
    assert found.capacity.fixed_blocks == 4
    assert found.fixed_bytes == 4 * found.page * 10


def test_the_published_figures_of_a_hybrid_pool() -> None:
    groups = [Group(FullAttention(1), Fit(528, 528)), *[Group(LinearState(528), Fit(0, 528))] * 3]
    found = capacity(groups, 1000, Load(163_840, 8192))
    assert found.blocks_per_request == 311 + 3
    assert int(found.concurrency * 163_840) == 521_783
    assert 1000 // len(groups) * 528 == 132_000


def test_waste_above_the_limit_is_refused_with_its_share_and_a_way_out() -> None:
    layers: dict[str, Layer] = {"attention": FullAttention(8), "state": LinearState(1_000_000)}
    with pytest.raises(Refused, match=r"leaves 4\d\.\d% of a request unused.*pools of their own"):
        plan(layers, budget=1 << 30, load=Load(1000, 512))
    assert plan(layers, budget=1 << 30, load=Load(1000, 512), most_waste=0.6).waste > 0.4


def test_a_budget_without_room_for_one_request_says_what_would_fit() -> None:
    with pytest.raises(Refused, match=r"requests of at most 16 tokens"):
        plan({"attention": FullAttention(8)}, budget=8 * 16, load=Load(32, 16))


def test_latent_attention_is_never_padded_between_its_rows() -> None:
    mla = MlaAttention(576, step_tokens=64)
    assert mla.fit(64 * 576 + 1) is None
    assert mla.fit(64 * 576) == Fit(64, 64 * 576)
    assert MlaAttention(576, step_tokens=64, row_bytes=576).fit(65 * 576) == Fit(64, 64 * 576)
    with pytest.raises(Refused, match="no page size suits all of them"):
        plan({"a": mla, "b": MlaAttention(577, step_tokens=64)}, budget=1 << 40, load=Load(64, 64))


@pytest.mark.parametrize(
    "bad",
    [
        lambda: FullAttention(0),
        lambda: FullAttention(8, step_tokens=16, most_tokens=15),
        lambda: SlidingWindow(8, window=0),
        lambda: LinearState(0),
        lambda: LinearState(8, every=0),
        lambda: MlaAttention(8, row_bytes=0),
        lambda: Load(0, 1),
        lambda: plan({}, budget=1, load=Load(1, 1)),
        lambda: capacity([], 1, Load(1, 1)),
    ],
)
def test_sizes_that_make_no_sense_are_named(bad: object) -> None:
    with pytest.raises(ValueError, match=r"at least|must hold|needs a group"):
        bad()  # type: ignore[operator]


def test_states_kept_along_the_way_are_counted() -> None:
    layer = LinearState(100, every=64)
    assert layer.pages(Fit(0, 100), Load(129, 16)) == 3
    assert layer.useful(Load(129, 16)) == 300
