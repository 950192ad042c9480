"""The patches of this process: chosen, applied as their modules come, and accounted for."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import metadata
from types import ModuleType
from typing import TypeVar

from gpu_gotchas.upstream import lifecycle
from gpu_gotchas.upstream.importing import AfterImport
from gpu_gotchas.upstream.journal import Journal
from gpu_gotchas.upstream.lifecycle import Need
from gpu_gotchas.upstream.outcome import Declined, Outcome, Reason, Waiting
from gpu_gotchas.upstream.patch import Patch
from gpu_gotchas.upstream.switch import Switch
from gpu_gotchas.upstream.verdicts import Verdicts

Result = TypeVar("Result")

# Beside a patch's own package, what its verdict may depend on.
COMPILERS = ("triton", "torch")


class PatchDeclined(RuntimeError):
    """Raised in strict mode only, for a patch that was asked for and declined."""


class Fixes:
    """Applies `patches` in this process, as `switch` and `verdicts` say.

    One that waits for its module is applied each time that module is imported. Nothing but `PatchDeclined`
    leaves this class, and that in strict mode only: a fix must not take down what it is to help.
    """

    def __init__(self, patches: Iterable[Patch], switch: Switch, verdicts: Verdicts) -> None:
        self.patches = {patch.id: patch for patch in patches}
        self.switch = switch
        self.verdicts = verdicts
        self.versions = installed_versions(
            {place.package for one in self.patches.values() for place in one.places}
        )
        self.journal = Journal(self.versions)
        self._imports = AfterImport()

    def start(self) -> None:
        """Decide over every patch that was asked for, and hook the modules of those that are needed."""
        for name in sorted(self.switch.named - self.patches.keys()):
            self._declined(name, Declined(Reason.UNKNOWN_ID))
        for patch in self._chosen():
            decided = self._guarded(patch, lambda patch=patch: self._decide(patch))  # type: ignore[misc]
            if isinstance(decided, Need):
                self._wait(patch, decided)
            else:
                self._note(patch, decided)
        self.journal.summary()
        # A forked worker has the patches, and is told apart by its own file only.
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.journal.write)

    def revert(self, name: str) -> None:
        """Take one patch out again. It stays out until its module is loaded anew."""
        lifecycle.revert(self.patches[name])
        self.journal.outcomes.pop(name, None)
        self.journal.write()

    def stop(self) -> None:
        """Take every patch out and hook no import any more."""
        self._imports.stop()
        for patch in self.patches.values():
            lifecycle.revert(patch)

    def _chosen(self) -> list[Patch]:
        chosen = {
            patch.id: patch
            for patch in self.patches.values()
            if patch.id in self.switch.named or (self.switch.auto and not patch.opt_in)
        }
        # What is traced is cached under a key that knows of no patches: the one that salts it comes along.
        if any(patch.traced for patch in chosen.values()):
            chosen.update((one.id, one) for one in self.patches.values() if one.salts)
        return list(chosen.values())

    def _decide(self, patch: Patch) -> Need | Outcome:
        if patch.traced and not any(
            isinstance(lifecycle.needed(one, self.versions, self.verdicts), Need)
            for one in self.patches.values()
            if one.salts
        ):
            return Declined(Reason.UNSALTED)
        return lifecycle.needed(patch, self.versions, self.verdicts)

    def _wait(self, patch: Patch, need: Need) -> None:
        self.journal.note(patch.id, Waiting(need.place.module))
        self._imports.call(need.place.module, lambda module: self._arrived(patch, need, module))

    def _arrived(self, patch: Patch, need: Need, module: ModuleType) -> None:
        outcome = self._guarded(patch, lambda: _applied(patch, need, module))
        self._note(patch, outcome)

    def _guarded(self, patch: Patch, act: Callable[[], Result]) -> Result | Declined:
        try:
            return act()
        except Exception as error:
            lifecycle.revert(patch)
            return Declined(Reason.RAISED, f"{type(error).__name__}: {error}")

    def _note(self, patch: Patch, outcome: Outcome) -> None:
        if isinstance(outcome, Declined):
            self._declined(patch.id, outcome)
        else:
            self.journal.note(patch.id, outcome)

    def _declined(self, name: str, outcome: Declined) -> None:
        self.journal.note(name, outcome)
        if self.switch.strict:
            self.journal.write()
            raise PatchDeclined(
                f"{name}: {outcome.why.value}{': ' if outcome.detail else ''}{outcome.detail}"
            )


def _applied(patch: Patch, need: Need, module: ModuleType) -> Outcome:
    refused = lifecycle.apply(patch, need, module)
    if refused is not None:
        return refused
    outcome = lifecycle.verify(patch, need, module)
    if isinstance(outcome, Declined):
        lifecycle.revert(patch)
    return outcome


def installed_versions(packages: Iterable[str]) -> Mapping[str, str]:
    """The versions of those packages, and of what compiles for them, as far as they are installed."""
    found = {}
    for name in sorted({*packages, *COMPILERS}):
        try:
            found[name] = metadata.version(name).partition("+")[0]
        except metadata.PackageNotFoundError:
            continue
    return found


def of_this_process() -> Fixes | None:
    """The fixes that the plugin started here, if it did."""
    return getattr(sys.modules.get("gpu_gotchas.upstream.plugin"), "started", None)
