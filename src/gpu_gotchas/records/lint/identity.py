"""Rules about names."""

from __future__ import annotations

from collections.abc import Iterator

from gpu_gotchas.records.lint.base import Base, Entry, Finding, each_entry, each_entry_in_base, each_gotcha
from gpu_gotchas.records.model import Gotcha


@each_gotcha
def id_is_folder_name(gotcha: Gotcha) -> Iterator[Finding]:
    """A gotcha is found by its folder; two names for one thing would split links and results."""
    if gotcha.id != gotcha.path.name:
        yield Finding("id", f"is {gotcha.id!r}, but the folder is called {gotcha.path.name!r}: make them one")


@each_entry_in_base
def names_are_unique(entry: Entry, base: Base) -> Iterator[Finding]:
    """Ids and aliases of records and candidates share one namespace: a name once given means one thing."""
    for other in base.entries:
        if other is entry:
            continue
        taken = {other.id, *other.aliases}
        if entry.id in taken:
            yield Finding("id", f"{entry.id!r} is taken by {other.id}: ids and aliases are never used twice")
        for number, alias in enumerate(entry.aliases):
            if alias in taken:
                yield Finding(f"aliases[{number}]", f"{alias!r} is taken by {other.id}: choose another")


@each_entry
def alias_is_not_own_id(entry: Entry) -> Iterator[Finding]:
    """An alias is an older name; the present one in the list says that something was renamed by halves."""
    if entry.id in entry.aliases:
        yield Finding(f"aliases[{entry.aliases.index(entry.id)}]", "is the id itself: take it out")


@each_entry_in_base
def titles_differ(entry: Entry, base: Base) -> Iterator[Finding]:
    """Two entries of one title can't be told apart in a list, and are often one gotcha recorded twice."""
    for other in base.entries:
        if other is not entry and other.title.casefold() == entry.title.casefold():
            yield Finding("title", f"is the title of {other.id} too: say what sets them apart, or merge them")
