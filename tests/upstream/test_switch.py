"""What GPU_GOTCHAS_FIXES and GPU_GOTCHAS_STRICT say."""

from __future__ import annotations

import pytest

from gpu_gotchas.upstream.switch import Switch, parse


@pytest.mark.parametrize("said", [None, "", " ", "off", "OFF", ","])
def test_nothing_is_on_unless_asked_for(said: str | None) -> None:
    assert not parse({} if said is None else {"GPU_GOTCHAS_FIXES": said}).on


def test_ids_are_a_list_and_may_stand_beside_auto() -> None:
    assert parse({"GPU_GOTCHAS_FIXES": "a, b"}) == Switch(named=frozenset({"a", "b"}))
    assert parse({"GPU_GOTCHAS_FIXES": "auto,b"}) == Switch(auto=True, named=frozenset({"b"}))


@pytest.mark.parametrize(("said", "strict"), [("1", True), ("true", True), ("0", False), ("", False)])
def test_strict_is_off_unless_it_says_yes(said: str, strict: bool) -> None:
    assert parse({"GPU_GOTCHAS_FIXES": "auto", "GPU_GOTCHAS_STRICT": said}).strict is strict
