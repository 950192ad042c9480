"""Places where patches stand: any order of coming and going gives the same, and nothing stays behind."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.upstream import sites


def layer(name: str):
    return lambda before: lambda: [*before(), name]


@given(st.lists(st.tuples(st.booleans(), st.sampled_from("abc"))))
def test_what_stands_there_is_the_original_and_one_layer_for_each_patch_that_is_in(moves: list) -> None:
    owner = SimpleNamespace(call=lambda: [])
    original, inside = owner.call, set()
    for comes, name in moves:
        if comes:
            sites.add(name, owner, "call", layer(name))
            inside.add(name)
        else:
            sites.remove(name)
            inside.discard(name)
        assert owner.call() == sorted(inside)
        assert inside or owner.call is original
    for name in "abc":
        sites.remove(name)
    assert owner.call is original


def test_modules_that_took_it_by_value_get_it_too_before_and_after(package: Path) -> None:
    early = importlib.import_module("made_up.other")
    core = importlib.import_module("made_up.core")
    sites.add("fix", core, "total", lambda before: lambda numbers: 7)
    assert early.use([1]) == 7
    late = importlib.reload(early)
    assert late.use([1]) == 7
    sites.remove("fix")
    assert late.total is core.total
    assert late.use([1, 2]) == 1


def test_class_methods_stay_class_methods(package: Path) -> None:
    core = importlib.import_module("made_up.core")
    sites.add("fix", core.Shelf, "size", lambda before: lambda cls: before(cls) + 1)
    assert core.Shelf.size() == core.Shelf().size() == 2
    sites.remove("fix")
    assert core.Shelf.size() == 1


def test_a_flag_is_changed_where_it_stands_and_not_wherever_its_value_occurs(package: Path) -> None:
    core = importlib.import_module("made_up.core")
    other = importlib.import_module("made_up.other")
    other.TRUE = True
    sites.add("fix", core, "FLAG", lambda before: False)
    assert (core.FLAG, other.TRUE) == (False, True)
    sites.remove("fix")
    assert core.FLAG is True


def test_a_layer_that_fails_changes_nothing(package: Path) -> None:
    core = importlib.import_module("made_up.core")
    sites.add("a", core, "total", lambda before: lambda numbers: 7)

    def broken(before: object) -> object:
        raise TypeError("no such argument")

    with pytest.raises(TypeError):
        sites.add("b", core, "total", broken)
    assert core.total([1]) == 7
    sites.remove("a")
    assert core.total([1, 2]) == 1


def test_a_module_that_is_loaded_anew_starts_over(package: Path) -> None:
    core = importlib.import_module("made_up.core")
    sites.add("a", core, "total", lambda before: lambda numbers: 7)
    importlib.reload(core)
    assert core.total([1, 2]) == 1
    sites.add("a", core, "total", lambda before: lambda numbers: before(numbers) + 10)
    assert core.total([1, 2]) == 11
