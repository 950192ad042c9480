"""Different facts get different folders, equal ones the same."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.fixes.compile_salt import salted_root

FACTS = st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=4)


@given(FACTS, FACTS)
def test_folders_are_equal_just_where_facts_are(first: dict[str, str], second: dict[str, str]) -> None:
    root = Path("cache")
    assert (salted_root(root, first) == salted_root(root, second)) is (first == second)
    assert salted_root(root, first).parent == root


def test_the_order_of_facts_does_not_matter() -> None:
    facts = {"patch": "a", "card": "8.6"}
    assert salted_root(Path(), facts) == salted_root(Path(), dict(reversed(facts.items())))
