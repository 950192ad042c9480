"""A small package to patch, `made_up`, with metadata as an installed one has, and patches for it.

Its `total` forgets the last number. `other` took it by value, `Shelf.size` is a class method.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

from gpu_gotchas.hardware.versions import VersionRange
from gpu_gotchas.upstream.patch import Answer, Patch, Place
from gpu_gotchas.upstream.source import signature
from gpu_gotchas.upstream.verdicts import Verdict, Verdicts
from gpu_gotchas.upstream.wrapping import with_result

FAULTY = '''
def total(numbers):
    """The sum."""
    return sum(numbers[:-1])


class Shelf:
    @classmethod
    def size(cls):
        return 1


FLAG = 1 > 0
'''
RIGHT = FAULTY.replace("numbers[:-1]", "numbers")


def install(folder: Path, core: str = FAULTY, version: str = "1.2.0") -> Path:
    """Write the package and its metadata below `folder`, which is to be put on the path."""
    package = folder / "made_up"
    package.mkdir(parents=True, exist_ok=True)
    (package / "__init__.py").write_text("")
    (package / "core.py").write_text(core)
    other = "from made_up.core import total\n\ndef use(numbers):\n    return total(numbers)\n"
    (package / "other.py").write_text(other)
    info = folder / f"made_up-{version}.dist-info"
    info.mkdir(exist_ok=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: made_up\nVersion: {version}\n")
    return folder


PLACE = Place("made_up.core", "total")


def ask(module: ModuleType) -> Answer:
    return Answer.RIGHT if module.total([1, 2, 4]) == 7 else Answer.FAULTY


def mend(before: Any, module: ModuleType) -> Any:
    return with_result(before, "made-up-total", lambda found, /, numbers: sum(numbers))


def patch(**changes: Any) -> Patch:
    """One that helps, with changes."""
    given: dict[str, Any] = {
        "id": "made-up-total",
        "does": "Counts the last number too.",
        "places": (PLACE,),
        "releases": VersionRange("1.0.0", fixed="2.0.0"),
        "replace": mend,
        "ask": ask,
    }
    return Patch(**{**given, **changes})


def verdict(one: Patch, before: Answer = Answer.FAULTY, after: Answer = Answer.RIGHT) -> Verdict:
    """A verdict about the code that can be imported now."""
    found = signature(one.places[0])
    assert found is not None
    return Verdict(one.id, found, before, after, one.card, "3.7.0" if one.compiled else None)


def verdicts(*patches: Patch) -> Verdicts:
    return Verdicts(tuple(verdict(one) for one in patches))
