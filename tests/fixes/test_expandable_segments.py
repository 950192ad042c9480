"""The table, row by row: what breaks outweighs what is needed, and nothing is said without a reason."""

from __future__ import annotations

from itertools import product

import pytest

from gpu_gotchas.fixes.allocator import is_expandable, with_option
from gpu_gotchas.fixes.expandable_segments import OPTION, Decision, Serving, decide

ALL = [Serving(*values) for values in product((False, True), repeat=4)]


@pytest.mark.parametrize("serving", ALL, ids=str)
def test_every_row(serving: Serving) -> None:
    found = decide(serving)
    breaks = serving.wsl2 + serving.custom_all_reduce + serving.kv_connector
    assert found.on == (False if breaks else True if serving.delta_net else None)
    assert len(found.because) == (breaks or serving.delta_net)
    assert bool(found.instead) == bool(breaks and serving.delta_net)


def test_nothing_is_changed_where_nothing_asks_for_it() -> None:
    assert decide(Serving()) == Decision(None)
    assert decide(Serving()).option is None


def test_its_option_is_what_the_allocator_reads() -> None:
    for serving, on in ((Serving(delta_net=True), True), (Serving(wsl2=True), False)):
        option = decide(serving).option
        assert option is not None
        name, _, value = option.partition(":")
        assert name == OPTION
        assert is_expandable(with_option("max_split_size_mb:64", name, value)) == on
