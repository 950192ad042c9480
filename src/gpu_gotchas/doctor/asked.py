"""`--as` and `--with`: a machine that does not exist yet."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from gpu_gotchas.doctor.packages import package_name
from gpu_gotchas.doctor.readers.nicknames import called, nicknames
from gpu_gotchas.hardware.catalogue import FORMS, UnknownName
from gpu_gotchas.hardware.description import described_machine
from gpu_gotchas.hardware.machine import Machine

MAX_COUNT = 1024

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


def _named(name: str) -> tuple[Machine, int | None]:
    """With one card of that name, and how many there are where the name tells."""
    card, count = called(name)
    try:
        return described_machine(card), count
    except UnknownName as error:
        raise UnknownName("card", name, (*error.suggestions, *nicknames()), FORMS) from None


def software_with(pins: Iterable[str]) -> dict[str, str | None]:
    """Versions from `vllm==0.19.1`; `vllm==none` says that it is not there. Raises ValueError."""
    software: dict[str, str | None] = {}
    for pin in pins:
        match = _PIN.fullmatch(pin.strip())
        missing = _WITHOUT.fullmatch(pin.strip())
        name = package_name((match or missing)[1]) if match or missing else None  # type: ignore[index]
        if name is None:
            raise ValueError(f"{pin!r} is no version: write PACKAGE==VERSION, such as vllm==0.19.1")
        if name in software:
            raise ValueError(f"{name} is given twice: give one version of it")
        software[name] = match[2].removeprefix("v") if match else None
    return software
