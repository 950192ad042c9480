"""The four verbs of a patch, in this process: `needed`, `apply`, `verify`, `revert`.

`needed` reads source and asks nobody. `apply` and `verify` run when the module is there; they call its own
pure functions at most. What takes a compiler or another platform was found out beforehand, see `measure`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from types import ModuleType
from typing import Any

from gpu_gotchas.hardware.truth import Truth
from gpu_gotchas.upstream import sites
from gpu_gotchas.upstream.outcome import Applied, Declined, Fine, NotNeeded, Reason, Shown
from gpu_gotchas.upstream.patch import Answer, Patch, Place
from gpu_gotchas.upstream.salt import traced, untraced
from gpu_gotchas.upstream.source import is_loaded_code, signature, source_file
from gpu_gotchas.upstream.verdicts import Verdict, Verdicts


@dataclass(frozen=True, slots=True)
class Need:
    """A patch is to be applied at `place`, whose code is that of `verdict`."""

    place: Place
    verdict: Verdict


def needed(patch: Patch, versions: Mapping[str, str], verdicts: Verdicts) -> Need | NotNeeded | Declined:
    """Whether the code that is installed has the fault, as far as its source and verdicts about it say.

    versions: of the installed packages, by name.
    """
    release = versions.get(patch.places[0].package)
    if release is None or source_file(patch.places[0].package) is None:
        return Declined(Reason.NOT_INSTALLED, patch.places[0].package)
    place, found = find(patch)
    if place is None or found is None:
        return _missing(patch, release)
    verdict = verdicts.about(patch, found, versions)
    if verdict is None or verdict.before is Answer.UNASKED:
        return Declined(Reason.UNRECOGNISED, f"{place} of {place.package} {release} ({found})")
    if verdict.before is Answer.RIGHT:
        return NotNeeded(Fine.FIXED_UPSTREAM)
    if verdict.after is not Answer.RIGHT:
        return Declined(Reason.NO_HELP, f"{place} of {place.package} {release} ({found})")
    return Need(place, verdict)


def find(patch: Patch) -> tuple[Place, str] | tuple[None, None]:
    """The place that the installed release defines, and the signature of its code."""
    for place in patch.places:
        found = signature(place)
        if found is not None:
            return place, found
    return None, None


def apply(patch: Patch, need: Need, module: ModuleType) -> NotNeeded | Declined | None:
    """Put the patch in place in the imported `module`; None once it is. Raises what the patch raises."""
    if patch.traced and capture_has_begun():
        return Declined(Reason.CAPTURE_BEGUN)
    late = [name for name in patch.before if _is_imported(name)]
    if late:
        return Declined(Reason.TOO_LATE, late[0])
    owner, name = owner_of(module, need.place.name)
    if not is_loaded_code(need.place, sites.original(owner, name)):
        return Declined(Reason.REPLACED, str(need.place))
    if patch.ask(module) is Answer.RIGHT:
        return NotNeeded(Fine.FIXED_UPSTREAM)
    put(patch, need.place, module)
    return None


def verify(patch: Patch, need: Need, module: ModuleType) -> Applied | Declined:
    """Ask the patched code. Where it cannot be asked here, the verdict about this very code stands."""
    match patch.ask(module):
        case Answer.RIGHT:
            return Applied(Shown.HERE)
        case Answer.UNASKED if need.verdict.after is Answer.RIGHT:
            return Applied(Shown.BEFOREHAND)
    return Declined(Reason.VERIFY_FAILED, str(need.place))


def revert(patch: Patch) -> None:
    """Take the patch out again. Where it is not in place, nothing happens."""
    sites.remove(patch.id)
    untraced(patch.id)


def put(patch: Patch, place: Place, module: ModuleType) -> None:
    """Put the replacement where the patch wants it, without asking anything."""
    owners = list(patch.owners(module)) if patch.owners else [owner_of(module, place.name)]
    for owner, name in owners:
        sites.add(patch.id, owner, name, _layer(patch.replace, module))
    if patch.traced:
        traced(patch.id)


def owner_of(module: ModuleType, name: str) -> tuple[Any, str]:
    """The object that holds the last part of a dotted name, and that part. Raises AttributeError."""
    *above, last = name.split(".")
    return reduce(getattr, above, module), last


def _is_imported(name: str) -> bool:
    """Whether a module has run to its end. One that is just importing what is patched has not used it yet."""
    module = sys.modules.get(name)
    return module is not None and not getattr(module.__spec__, "_initializing", False)


def capture_has_begun() -> bool:
    """Whether vLLM has traced or captured anything in this process, as its own counters say."""
    counters = getattr(sys.modules.get("vllm.compilation.counter"), "compilation_counter", None)
    names = "num_graphs_seen", "num_cudagraph_captured", "num_gpu_runner_capture_triggers"
    return any(getattr(counters, name, 0) for name in names)


def _layer(replace: Callable[[Any, ModuleType], Any], module: ModuleType) -> sites.Layer:
    return lambda before: replace(before, module)


def _missing(patch: Patch, release: str) -> NotNeeded | Declined:
    """The code is not there: before the fault came and after it went that is as it should be."""
    if patch.from_release is not None and _earlier(release, patch.from_release):
        return Declined(Reason.OUT_OF_REACH, f"{patch.places[0].package} {release}")
    holds = patch.releases.holds(release)
    if holds is Truth.NO:
        before = patch.releases.introduced is not None and _earlier(release, patch.releases.introduced)
        return NotNeeded(Fine.NOT_YET if before else Fine.GONE)
    return Declined(Reason.MOVED, f"{patch.places[0]} in {patch.places[0].package} {release}")


def _earlier(release: str, other: str) -> bool:
    from packaging.version import InvalidVersion, Version

    try:
        return Version(release) < Version(other)
    except InvalidVersion:
        return False
