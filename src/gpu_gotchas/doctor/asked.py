"""`--as` and `--with`: a machine that does not exist yet."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from difflib import get_close_matches

from gpu_gotchas.doctor.packages import package_name
from gpu_gotchas.doctor.readers.named_versions import CALLED
from gpu_gotchas.hardware.catalogue import FORMS, UnknownName
from gpu_gotchas.hardware.description import described_machine
from gpu_gotchas.hardware.machine import Machine
from gpu_gotchas.hardware.nicknames import called, nicknames
from gpu_gotchas.hardware.package_names import OTHER_NAMES, PACKAGES, PROGRAMS

MAX_COUNT = 1024

_KNOWN = frozenset(
    {
        *PACKAGES,
        *PROGRAMS,
        *(other for others in OTHER_NAMES.values() for other in others),
        *(name for name in CALLED.values() if name),
    }
)
# Packages of their own that are called nearly like one of them.
_REAL = ("torchaudio",)
_LIKE = 0.8

_COUNTED = re.compile(r"([0-9]{1,4})\s*x\s*(.+)")
_PIN = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)(?:==?)(v?[0-9][0-9A-Za-z.+!_-]{0,63})")
_WITHOUT = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)==?none")


def machine_as(name: str) -> Machine:
    """A machine with that card (`sm_86`, `nvidia-h200`, a driver's name, `DGX Spark`), or several:
    `8xnvidia-h200`, `g5.12xlarge`.

    How many there are is known only where it is said. Raises UnknownName with a suggestion, and ValueError
    for a count that no machine has.
    """
    counted = _COUNTED.fullmatch(name)
    if counted is None:
        one, count = _named(name)
        if count is None:
            return replace(one, count_known=False)
    else:
        one, each = _named(counted[2])
        count = int(counted[1]) * (each or 1)
    if not 1 <= count <= MAX_COUNT:
        raise ValueError(f"{count} cards: give 1 to {MAX_COUNT}")
    return replace(one, cards=(one.cards or ()) * count)


def not_spoken_of(software: Iterable[str]) -> list[str]:
    """The packages among these that no record can speak of."""
    return [name for name in software if name not in _KNOWN]


def _slip_of(name: str) -> str | None:
    """The package that records speak of and that is spelt nearly like this, None where that is another one's
    own name."""
    if name in _KNOWN or name in _REAL:
        return None
    near = get_close_matches(name, sorted(_KNOWN), n=1, cutoff=_LIKE)
    return next((one for one in near if one.count("-") == name.count("-")), None)


def _named(name: str) -> tuple[Machine, int | None]:
    """With one card of that name, and how many there are where the name tells."""
    card, count = called(name)
    try:
        return described_machine(card), count
    except UnknownName as error:
        raise UnknownName("card", name, (*error.suggestions, *nicknames()), FORMS) from None


def software_with(pins: Iterable[str]) -> dict[str, str | None]:
    """Versions from `vllm==0.19.1`; `vllm==none` says that it is not there.

    Raises ValueError, also for a name that is a slip of one that records speak of."""
    software: dict[str, str | None] = {}
    for pin in pins:
        match = _PIN.fullmatch(pin.strip())
        missing = _WITHOUT.fullmatch(pin.strip())
        called_ = (match or missing)[1] if match or missing else ""  # type: ignore[index]
        name = CALLED.get(called_.lower()) or package_name(called_)
        if name is None:
            raise ValueError(f"{pin!r} is no version: write PACKAGE==VERSION, such as vllm==0.19.1")
        if (near := _slip_of(name)) is not None:
            raise ValueError(f"unknown package {called_!r}; did you mean {near}?")
        if name in software:
            raise ValueError(f"{name} is given twice: give one version of it")
        software[name] = match[2].removeprefix("v") if match else None
    return software
