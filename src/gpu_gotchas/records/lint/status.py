"""Rules about what a status promises."""

from __future__ import annotations

from collections.abc import Iterator

from gpu_gotchas.records.lint.base import Finding, each_gotcha
from gpu_gotchas.records.model import Gotcha, Status


@each_gotcha
def withdrawal_has_a_reason(gotcha: Gotcha) -> Iterator[Finding]:
    """Whoever relied on a record is owed what it said and why it no longer holds."""
    if gotcha.status.withdrawn and not gotcha.history:
        yield Finding(
            "status", f"is {gotcha.status.value}, so history must say what it claimed and why that ended"
        )


@each_gotcha
def superseded_names_successor(gotcha: Gotcha) -> Iterator[Finding]:
    """Superseded means that something took its place; without a name the reader is lost."""
    if gotcha.status is Status.SUPERSEDED and gotcha.successor is None:
        yield Finding("status", "is superseded, so successor must name what took its place")


@each_gotcha
def only_withdrawn_has_successor(gotcha: Gotcha) -> Iterator[Finding]:
    """A record that holds needs no successor; one that names it is withdrawn by halves."""
    if gotcha.successor is not None and not gotcha.status.withdrawn:
        yield Finding("successor", f"belongs to a withdrawn record, but status is {gotcha.status.value}")


@each_gotcha
def reproduced_has_no_fix(gotcha: Gotcha) -> Iterator[Finding]:
    """`reproduced` tells readers that no fix exists yet."""
    if gotcha.status is Status.REPRODUCED and gotcha.fixes:
        yield Finding(
            "fixes", "is given, but status reproduced means that there is none yet: use draft or verified"
        )


@each_gotcha
def verified_has_a_fix(gotcha: Gotcha) -> Iterator[Finding]:
    """`verified` promises a fix that was seen to work."""
    if gotcha.status is Status.VERIFIED and not gotcha.fixes:
        yield Finding("status", "is verified, but no fix is given: use reproduced")


@each_gotcha
def symptom_can_be_recognised(gotcha: Gotcha) -> Iterator[Finding]:
    """Without a signature, an observable or an exit neither search nor a repro can tell that it happened."""
    symptom = gotcha.symptom
    if not (gotcha.status.withdrawn or symptom.signatures or symptom.observable or symptom.exit):
        yield Finding("symptom", "must have signatures, an observable or an exit")


@each_gotcha
def someone_is_affected(gotcha: Gotcha) -> Iterator[Finding]:
    """A record that affects no machine is never shown by a doctor and never tested."""
    if not (gotcha.affects or gotcha.status.withdrawn):
        yield Finding("affects", "must have at least one case")


@each_gotcha
def says_what_to_do(gotcha: Gotcha) -> Iterator[Finding]:
    """People come for a way out, and a workaround needs no installation of ours."""
    if not (gotcha.workaround or gotcha.status.withdrawn):
        yield Finding("", "key 'workaround' must say what to do without a fix of ours")


@each_gotcha
def retracted_gives_no_advice(gotcha: Gotcha) -> Iterator[Finding]:
    """What cures a fault that was never there must not be recommended; history may tell what it was."""
    if gotcha.status is Status.RETRACTED and gotcha.workaround:
        yield Finding("workaround", "must be empty in a retracted record: tell it under history")
    if gotcha.status is Status.RETRACTED and gotcha.fixes:
        yield Finding("fixes", "must be empty in a retracted record: tell it under history")
