"""Whether a patch that is asked for takes hold: which are asked for, and what became of each in a release."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

from gpu_gotchas.doctor.setting_truth import InForce
from gpu_gotchas.hardware.machine import Machine
from gpu_gotchas.hardware.truth import Truth
from gpu_gotchas.hardware.versions import release_of
from gpu_gotchas.upstream.switch import FIXES, parse

if TYPE_CHECKING:
    from gpu_gotchas.upstream.table import Table

OURS = "gpu-gotchas"
"""The package that patches come with; where it is not beside vLLM, none is applied."""

_PLUGINS, _PLUGIN = "VLLM_PLUGINS", "gpu_gotchas"
_APPLIED = "applied and verified"


def asked_for(patch: str, in_force: InForce) -> bool:
    """Whether the variables ask for it by its id, or by `auto` where it is part of that."""
    switch = parse({FIXES: in_force.value(FIXES) or ""})
    plugins = in_force.value(_PLUGINS)
    if not switch.on or (plugins is not None and _PLUGIN not in map(str.strip, plugins.split(","))):
        return False
    return patch in switch.named or (switch.auto and patch in _in_auto())


def takes_hold(patch: str, machine: Machine) -> Truth:
    """Whether it is applied in the machine's vLLM; UNKNOWN for a release that nobody ran it in."""
    found = _outcomes(patch).get(_plain(machine.software.get("vllm")))
    return Truth.UNKNOWN if found is None else Truth.of(found == _APPLIED)


@cache
def _outcomes(patch: str) -> dict[Version | None, str]:
    return {_plain(release): cell.outcome for release, cell in _table().get(patch, {}).items()}


@cache
def _table() -> Table:
    from gpu_gotchas.upstream.table import read  # only where a record has a patch

    return read()


@cache
def _in_auto() -> frozenset[str]:
    from gpu_gotchas.upstream.patches import all_patches  # every patch: only where `auto` is said

    return frozenset(one.id for one in all_patches() if not one.opt_in)


def _plain(version: str | None) -> Version | None:
    """As something that compares: 0.19 is 0.19.0."""
    release = release_of(version) if version else None
    try:
        return Version(release) if release else None
    except InvalidVersion:
        return None
