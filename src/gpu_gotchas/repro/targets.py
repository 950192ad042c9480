"""Which targets a record's ranges put to the test: the ranges are the test plan."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gpu_gotchas.hardware.catalogue import targets
from gpu_gotchas.hardware.targets import Target, Vendor
from gpu_gotchas.hardware.truth import Truth, some
from gpu_gotchas.records.model import Gotcha

_BACKENDS = (Vendor.NVIDIA, Vendor.AMD)


def compiled_targets() -> tuple[Target, ...]:
    """Targets that Triton has a backend for; the installed Triton is asked before each run."""
    return tuple(target for target in targets() if target.vendor in _BACKENDS)


def claims_hardware(gotcha: Gotcha) -> bool:
    """Whether the record says anything about targets; if not, a package is asked as no target at all."""
    return any(case.hardware.vendors or case.hardware.shared_memory for case in gotcha.affects)


def is_affected(gotcha: Gotcha, target: Target) -> bool:
    """Whether the record claims this target, settings and versions being as it asks."""
    return some(case.hardware.on_target(target) for case in gotcha.affects) is Truth.YES


def affected_targets(gotcha: Gotcha, known: Iterable[Target]) -> tuple[Target, ...]:
    return tuple(target for target in known if is_affected(gotcha, target))


def control_targets(gotcha: Gotcha, known: Sequence[Target]) -> tuple[Target, ...]:
    """The nearest targets outside the ranges: on NVIDIA on each side of every run of affected targets.

    gfx names have no order: on AMD every other known member of a listed target's family is a control.
    """
    controls: list[Target] = []
    ordered = [target for target in known if target.vendor is Vendor.NVIDIA]
    inside = [is_affected(gotcha, target) for target in ordered]
    for place, target in enumerate(ordered):
        beside = inside[max(0, place - 1) : place] + inside[place + 1 : place + 2]
        if not inside[place] and any(beside):
            controls.append(target)
    families = {
        target.family for target in known if target.vendor is Vendor.AMD and is_affected(gotcha, target)
    }
    controls += [
        target
        for target in known
        if target.vendor is Vendor.AMD and target.family in families and not is_affected(gotcha, target)
    ]
    return tuple(controls)
