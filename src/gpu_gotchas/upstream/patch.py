"""What a patch is: where the faulty code lies, what replaces it, and the question that tells the two apart.

A patch is data and three small functions. What decides over it (`lifecycle`), puts it in place (`sites`)
and accounts for it (`journal`) is the same for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum
from types import ModuleType
from typing import Any

from gpu_gotchas.hardware.versions import VersionRange


class Answer(Enum):
    """What the code under a patch says when it is asked."""

    FAULTY = "faulty"
    RIGHT = "right"
    UNASKED = "unasked"
    """It cannot be asked here: another platform, or an answer that takes a compiler."""


@dataclass(frozen=True, slots=True)
class Place:
    """A definition in an installed package.

    module: dotted name. name: of the function, method (`Class.method`) or module variable in it.
    also: further definitions of the same file on which the fault depends. They belong to what is known.
    """

    module: str
    name: str
    also: tuple[str, ...] = ()

    @property
    def package(self) -> str:
        return self.module.partition(".")[0]

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


Replace = Callable[[Any, ModuleType], Any]
Ask = Callable[[ModuleType], Answer]
Owners = Callable[[ModuleType], Iterable[tuple[Any, str]]]


@dataclass(frozen=True, slots=True)
class Patch:
    """One fix of an installed package.

    id: that of the record it belongs to, and what GPU_GOTCHAS_FIXES names. does: one sentence.
    places: where the code lies; the first that the installed release defines is meant.
    releases: those that have the fault, as in the record. They say what it means that a place is missing.
    from_release: the first of them that has the places, where earlier ones have the fault in another form.
    replace: given what is there and its module, what is to stand there instead.
    ask: the question, put to the module's own pure functions; it touches nothing and compiles nothing.
    probe: the full question, for a child process made ready for `card`; `ask` where there is none.
    card: the target that the probe stands in for. compiled: whether the answer depends on Triton's release.
    owners: what is replaced, where it is not the place itself: (object or dict, name) pairs.
    traced: whether torch.compile or a CUDA graph captures the code. opt_in: not part of `auto`.
    salts: makes the key of the compile cache know of patches; comes along with any that is traced.
    before: modules that take over what it changes while they are imported; once one is there it is too late.
    """

    id: str
    does: str
    places: tuple[Place, ...]
    releases: VersionRange
    replace: Replace
    ask: Ask = field(default=lambda module: Answer.UNASKED)  # noqa: ARG005
    probe: Ask | None = None
    card: str | None = None
    compiled: bool = False
    owners: Owners | None = None
    from_release: str | None = None
    traced: bool = False
    opt_in: bool = False
    salts: bool = False
    before: tuple[str, ...] = ()

    @property
    def question(self) -> Ask:
        """What is asked beforehand, in a child."""
        return self.probe or self.ask
