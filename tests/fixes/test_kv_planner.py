"""The planner against counts that share none of its formulas: pages are taken one by one."""

from __future__ import annotations

from collections.abc import Callable
from math import nan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpu_gotchas.fixes.kv_capacity import Group, capacity
from gpu_gotchas.fixes.kv_planner import MOST_KINDS, MOST_LAYERS, Plan, plan
from gpu_gotchas.fixes.kv_specs import (
    MOST_TOKENS,
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
STEPS = st.sampled_from([1, 4, 16])
MOST = st.one_of(st.none(), st.integers(16, 200))
FULL = st.builds(FullAttention, token_bytes=st.integers(1, 20), step_tokens=STEPS, most_tokens=MOST)
MLA = st.builds(
    lambda token, step, most, rows: MlaAttention(token, step, most, token if rows else None),
    st.integers(1, 12),
    st.sampled_from([1, 4]),
    MOST,
    st.booleans(),
)
SLIDING = st.builds(
    SlidingWindow,
    token_bytes=st.integers(1, 20),
    window=st.integers(1, 80),
    step_tokens=STEPS,
    most_tokens=MOST,
)
STATE = st.builds(
    LinearState,
    state_bytes=st.integers(1, 2000),
    copies=st.integers(1, 3),
    every=st.one_of(st.none(), st.integers(1, 100)),
)
SMALL_STATE = st.builds(LinearState, state_bytes=st.integers(1, 300))
ANY = st.one_of(FULL, MLA, SLIDING, STATE)
LAYERS = st.lists(ANY, min_size=1, max_size=5)


def taken(layer: Layer, block: int, load: Load) -> int:
    """Blocks that a request takes, token by token, without any formula of the planner."""
    if isinstance(layer, LinearState):
        ends = [at for at in range(1, load.length) if layer.every is not None and at % layer.every == 0]
        return layer.copies + len(ends)
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
    layers=st.lists(ANY, min_size=1, max_size=4),
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
    fit = layer.fit(layer.least * 2)
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
    block = found.page * found.width
    assert found.blocks * block <= budget < (found.blocks + 1) * block
    assert 0 <= found.waste < 1
    groups = [(kind.layer, kind.block) for kind in found.kinds for _ in range(kind.groups)]
    whole, tokens = filled(groups, found.blocks, load)
    assert (found.capacity.requests, found.capacity.tokens) == (whole, tokens)
    # The pool holds those requests and the cut one, and has no room for one token more.
    last = tokens - whole * load.length
    full, cut, more = (
        sum(taken(layer, block, Load(length, load.chunk)) for layer, block in groups) if length else 0
        for length in (load.length, last, last + 1)
    )
    assert whole * full + cut <= found.blocks < whole * full + more


@settings(deadline=None, max_examples=50)
@given(
    layers=st.lists(st.one_of(FULL, MLA, SLIDING, SMALL_STATE), min_size=1, max_size=4),
    load=st.builds(Load, length=st.integers(1, 40), chunk=st.integers(1, 16)),
)
def test_no_legal_page_and_width_tried_one_by_one_is_cheaper(layers: list[Layer], load: Load) -> None:
    named = {str(index): layer for index, layer in enumerate(layers)}
    kinds = set(layers)
    whole_request = max(kind.useful(load) for kind in kinds) + max(kind.least for kind in kinds)
    cheapest = None
    for page in range(1, whole_request + 1):
        fits = {kind: kind.fit(page) for kind in kinds}
        if None in fits.values():
            continue
        for width in range(1, len(layers) + 1):
            cost = sum(
                -(-layers.count(kind) // width) * taken(kind, fit.block, load) * page * width
                for kind, fit in fits.items()
                if fit is not None
            )
            cheapest = cost if cheapest is None else min(cheapest, cost)
    try:
        found = plan(named, budget=1 << 60, load=load, most_waste=1.0)
    except Refused as refused:
        assert cheapest is None, refused
        return
    if cheapest is not None:  # rows of several kinds can need a larger page than any request
        assert found.request_bytes <= cheapest
    if found.page <= whole_request:
        assert found.request_bytes == cheapest


@given(layers=LAYERS, load=LOADS, allowed=st.floats(0, 1))
def test_a_plan_is_refused_exactly_when_it_wastes_more_than_is_allowed(
    layers: list[Layer], load: Load, allowed: float
) -> None:
    named = {str(index): layer for index, layer in enumerate(layers)}

    def waste(most: float) -> float | None:
        try:
            return plan(named, budget=1 << 60, load=load, most_waste=most).waste
        except Refused:
            return None

    least = waste(1.0)
    assert waste(allowed) == (None if least is None or least > allowed else least)


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


def test_a_pool_that_was_logged_as_a_fifth_of_what_it_holds() -> None:
    groups = [Group(FullAttention(1), Fit(528, 528)), *[Group(LinearState(528), Fit(0, 528))] * 3]
    found = capacity(groups, 1000, Load(163_840, 8192))
    assert found.blocks_per_request == 311 + 3
    assert int(found.concurrency * 163_840) == 521_783
    assert 1000 // len(groups) * 528 == 132_000


def test_the_log_of_290_864_tokens_beside_a_concurrency_of_33_04() -> None:
    """https://github.com/vllm-project/vllm/issues/40691: requests of 32,768 tokens, one group of four grows.

    1,487 blocks of 784 tokens are the only pool that gives both figures.
    """
    groups = [Group(FullAttention(1), Fit(784, 784)), *[Group(LinearState(784), Fit(0, 784))] * 3]
    found = capacity(groups, 1487, Load(32_768, 16_384))
    assert 1487 // len(groups) * 784 == 290_864
    assert round(float(found.concurrency), 2) == 33.04
    assert found.tokens > 1_000_000


# https://github.com/syv-ai/qwen38-27b-rtx3090: 16 layers of attention (4 KV heads of 256), 48 of states, a
# drafter of 5 layers with a window of 4,096 (8 heads of 128). With 7 draft tokens a request works on 8 states
# of 10,240 by 10 and 48 by 128 by 128 numbers.
STATES = LinearState(2 * (10_240 * 10 + 48 * 128 * 128), copies=8)


def drafted(token: int, draft_token: int) -> dict[str, Layer]:
    layers: dict[str, Layer] = {f"attention{index}": FullAttention(token) for index in range(16)}
    layers |= {f"state{index}": STATES for index in range(48)}
    return layers | {f"draft{index}": SlidingWindow(draft_token, 4096) for index in range(5)}


def dealt(token: int, draft_token: int, block: int, draft_block: int, width: int) -> list[Group]:
    """Groups as the engine deals them, with the blocks that it chose."""
    layers = drafted(token, draft_token)
    fits: dict[type, Fit] = {
        FullAttention: Fit(block, block * token),
        LinearState: Fit(0, STATES.state_bytes),
        SlidingWindow: Fit(draft_block, draft_block * draft_token),
    }
    return [
        Group(kind, fits[type(kind)])
        for kind in dict.fromkeys(layers.values())
        for _ in range(-(-list(layers.values()).count(kind) // width))
    ]


def test_groups_of_eight_layers_instead_of_five_hold_69_758_tokens_instead_of_45_383() -> None:
    """A bfloat16 cache; the reporter's words for it: from 105 to 78 KB a token."""
    page = 448 * 4096
    fives, eights = (dealt(4096, 4096, 448, 448, width) for width in (5, 8))
    short, long = Load(40_960, 2048), Load(65_536, 2048)
    before, after = capacity(fives, 513, short), capacity(eights, int(5.2 * 2**30) // (page * 8), long)
    assert int(before.concurrency * short.length) == 45_383
    assert int(after.concurrency * long.length) == 69_758
    assert round(before.blocks_per_request * page * 5 / short.length / 1000) == 104
    assert round(after.blocks_per_request * page * 8 / long.length / 1024) == 78
    found = plan(drafted(4096, 4096), budget=int(5.2 * 2**30), load=long)
    assert found.request_bytes < after.blocks_per_request * page * 8


def test_a_cache_of_fewer_bytes_that_took_385_blocks_of_1_71_mebibytes_for_a_window() -> None:
    """One byte a number and four for each head's scale: 2,080 and 2,112 bytes, and no common multiple."""
    page, load = 864 * 2080, Load(32_768, 2048)
    groups = dealt(2080, 2112, 864, 16, 8)
    window = groups[-1]
    assert window.layer.pages(window.fit, load) == 385
    assert round(page / 2**20, 2) == 1.71
    assert round(window.fit.used / page, 4) == 0.0188
    assert round(capacity(groups, 1000, load).blocks_per_request * page * 8 / 2**30, 2) == 6.82
    # The reporter raised the window's blocks to 864 tokens, and every page with them.
    page, load = 864 * 2112, Load(131_072, 2048)
    raised = capacity(dealt(2080, 2112, 864, 864, 8), int(5.2 * 2**30) // (page * 8), load)
    assert int(raised.concurrency * load.length) == 138_696
    found = plan(drafted(2080, 2112), budget=int(5.2 * 2**30), load=Load(32_768, 2048))
    assert found.request_bytes < 0.3 * 6.82 * 2**30
    assert found.capacity.tokens > 69_758


def test_layers_of_several_precisions_share_a_page_in_blocks_of_their_own() -> None:
    layers: dict[str, Layer] = {f"skipped{index}": FullAttention(4096) for index in range(4)}
    layers |= {f"layer{index}": FullAttention(1024) for index in range(28)}
    found = plan(layers, budget=1 << 33, load=Load(65_536, 2048))
    blocks = {kind.layer: kind.block for kind in found.kinds}
    assert blocks[FullAttention(1024)] == 4 * blocks[FullAttention(4096)]
    assert found.waste < 0.001


@pytest.mark.parametrize("length", [10**6, MOST_TOKENS])
def test_long_requests_need_few_tries(length: int) -> None:
    load = Load(length, 8192)
    for kind in (FullAttention(776), MlaAttention(576), SlidingWindow(4096, length)):
        tries = list(kind.turns(load))
        assert len(tries) <= 2 * (length / kind.step_tokens) ** 0.5 + 2
        assert tries == sorted(set(tries))


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
        plan(
            {"a": mla, "b": MlaAttention(577, step_tokens=64, most_tokens=128)},
            budget=1 << 40,
            load=Load(64, 64),
        )
    with pytest.raises(Refused, match=r"leaves 99\.\d% of a request unused"):
        plan({"a": mla, "b": MlaAttention(577, step_tokens=64)}, budget=1 << 40, load=Load(64, 64))


def one(**changed: object) -> Callable[[], object]:
    given = {"budget": 1 << 30, "load": Load(16, 16)} | changed
    return lambda: plan({"a": FullAttention(8)}, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("named", "bad"),
    [
        ("token_bytes", lambda: FullAttention(0)),
        ("token_bytes", lambda: FullAttention(nan)),  # type: ignore[arg-type]
        ("token_bytes", lambda: SlidingWindow(-8, window=1)),
        ("step_tokens", lambda: FullAttention(8, step_tokens=0)),
        ("most_tokens", lambda: FullAttention(8, step_tokens=16, most_tokens=15)),
        ("most_tokens", lambda: FullAttention(8, most_tokens=16.5)),  # type: ignore[arg-type]
        ("window", lambda: SlidingWindow(8, window=0)),
        ("state_bytes", lambda: LinearState(0)),
        ("copies", lambda: LinearState(8, copies=0)),
        ("every", lambda: LinearState(8, every=0)),
        ("row_bytes", lambda: MlaAttention(8, row_bytes=0)),
        ("row_bytes", lambda: MlaAttention(8, row_bytes=7)),
        ("length", lambda: Load(0, 1)),
        ("length", lambda: Load(10**12, 1)),
        ("length", lambda: Load(nan, 1)),  # type: ignore[arg-type]
        ("length", lambda: Load(True, 1)),
        ("chunk", lambda: Load(1, -1)),
        ("block", lambda: Group(LinearState(1), Fit(-1, 1))),
        ("block", lambda: Group(FullAttention(1), Fit(0, 1))),
        ("used", lambda: Group(FullAttention(1), Fit(1, 0))),
        ("layers", lambda: plan({}, budget=1, load=Load(1, 1))),
        ("layers", lambda: plan({"a": 8}, budget=1, load=Load(1, 1))),  # type: ignore[dict-item]
        (
            "layers",
            lambda: plan({str(n): LinearState(8) for n in range(MOST_LAYERS + 1)}, budget=1, load=Load(1, 1)),
        ),
        (
            "layers",
            lambda: plan(
                {str(n): LinearState(n + 1) for n in range(MOST_KINDS + 1)}, budget=1, load=Load(1, 1)
            ),
        ),
        ("layers", lambda: plan([FullAttention(1)], budget=1, load=Load(1, 1))),  # type: ignore[arg-type]
        ("layers", lambda: plan(None, budget=1, load=Load(1, 1))),  # type: ignore[arg-type]
        ("budget", one(budget=0)),
        ("budget", one(budget=-1)),
        ("budget", one(budget=nan)),
        ("budget", one(budget=8e9)),
        ("load", one(load=16)),
        ("most_waste", one(most_waste=nan)),
        ("most_waste", one(most_waste=-0.1)),
        ("most_waste", one(most_waste=25)),
        ("most_waste", one(most_waste="0.25")),
        ("groups", lambda: capacity([], 1, Load(1, 1))),
        ("blocks", lambda: capacity([Group(FullAttention(1), Fit(16, 16))], -1, Load(1, 1))),
        ("blocks", lambda: capacity([Group(FullAttention(1), Fit(16, 16))], nan, Load(1, 1))),  # type: ignore[arg-type]
    ],
)
def test_what_makes_no_sense_is_named(named: str, bad: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=rf"^{named}\b.* must "):
        bad()


@pytest.mark.parametrize(("length", "pages"), [(1, 2), (64, 2), (65, 3), (129, 4)])
def test_states_kept_along_the_way_are_counted_beside_those_in_use(length: int, pages: int) -> None:
    layer = LinearState(100, copies=2, every=64)
    assert layer.pages(Fit(0, 100), Load(length, 16)) == pages
    assert layer.useful(Load(length, 16)) == 100 * pages
