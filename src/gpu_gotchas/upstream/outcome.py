"""What became of a patch in one process, as types: each outcome can only carry what belongs to it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Shown(Enum):
    """How a patch was shown to help."""

    HERE = "the patched code was asked in this process and answered right"
    BEFOREHAND = "this very code was asked beforehand, with the patch and without"


class Fine(Enum):
    """Why a patch is not needed."""

    NOT_YET = "this release does not have the code yet"
    GONE = "this release no longer has the code"
    FIXED_UPSTREAM = "fixed upstream: this release's code answers right by itself"


class Reason(Enum):
    """Why a patch is declined."""

    UNRECOGNISED = "its code here is none that was asked before: run `gotchas fixes prepare`"
    MOVED = "its code is not where it was, in a release that should have it"
    OUT_OF_REACH = "the fault is there in another form, which this patch does not reach"
    REPLACED = "what is loaded is not what the file says: something else changed it"
    NO_HELP = "this code was asked beforehand, and the patch does not help it"
    VERIFY_FAILED = "the patched code still answers wrong, so it was rolled back"
    RAISED = "the patch itself failed, so it was rolled back"
    UNSALTED = "it changes code that is traced, and the key of the compile cache would not know of it"
    CAPTURE_BEGUN = "it changes code that is traced, and tracing or capture has begun"
    TOO_LATE = "what it changes was taken over by a module that had been imported before"
    UNKNOWN_ID = "no patch has this id"
    NOT_INSTALLED = "its package is not installed here"


@dataclass(frozen=True, slots=True)
class Applied:
    """shown: how it was verified."""

    shown: Shown


@dataclass(frozen=True, slots=True)
class NotNeeded:
    why: Fine


@dataclass(frozen=True, slots=True)
class Declined:
    """detail: what was met, such as an exception's text."""

    why: Reason
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Needed, and applied as soon as `module` is imported."""

    module: str


Outcome = Applied | NotNeeded | Declined | Waiting
WORDS = {
    Applied: "applied and verified",
    NotNeeded: "not needed",
    Declined: "declined",
    Waiting: "waiting",
}


def to_json(outcome: Outcome) -> dict[str, str]:
    """The outcome as flat JSON data: `outcome`, `why` and, where there is one, `detail`."""
    said = {"outcome": WORDS[type(outcome)]}
    match outcome:
        case Applied(shown):
            said["why"] = shown.value
        case NotNeeded(why):
            said["why"] = why.value
        case Declined(reason, detail):
            said["why"] = reason.value
            if detail:
                said["detail"] = detail
        case Waiting(module):
            said["why"] = f"applied once {module} is imported"
    return said
