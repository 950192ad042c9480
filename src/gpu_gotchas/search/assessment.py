"""How a record's claim stands to what is known of a machine, as data. `conditions` finds it out."""

from __future__ import annotations

from typing import NamedTuple

from gpu_gotchas.hardware.truth import Truth


class Assessment(NamedTuple):
    """truth: whether the record's claim covers the machine. The rest says on what grounds."""

    truth: Truth
    agreed: tuple[str, ...] = ()
    disagreed: tuple[str, ...] = ()


NOTHING_KNOWN = Assessment(Truth.UNKNOWN)
