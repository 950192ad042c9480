"""A gotcha as frozen data. Parsing lives in `loading`, judgement in `lint`; nothing here reads a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from gpu_gotchas.hardware.conditions import HardwareCondition, VersionRange


class Status(Enum):
    DRAFT = "draft"
    REPRODUCED = "reproduced"
    VERIFIED = "verified"
    CONTESTED = "contested"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"

    @property
    def withdrawn(self) -> bool:
        """No longer given as advice, and in need of no repro."""
        return self in (Status.SUPERSEDED, Status.RETRACTED)


class Severity(Enum):
    BLOCKER = "blocker"
    MAJOR = "major"
    MINOR = "minor"


class Kind(Enum):
    REFUSED = "refused"
    CRASH = "crash"
    HANG = "hang"
    WRONG_RESULT = "wrong-result"
    SLOW = "slow"
    MISLEADING_MESSAGE = "misleading-message"


class Basis(Enum):
    """How a signature's text is known: a repro of ours printed it, or a public report shows it."""

    PROVEN = "proven"
    REPORTED = "reported"


class ControlAxis(Enum):
    """Along what a control differs from an affected run."""

    HARDWARE = "hardware"
    VERSION = "version"
    CONDITION = "condition"


class FixType(Enum):
    KERNEL = "kernel"
    PLANNER = "planner"
    GUARD = "guard"
    PATCH = "patch"
    SETTING = "setting"
    UPGRADE = "upgrade"


class Risk(Enum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class ExpectedExit(Enum):
    """A symptom that is itself the end of a process."""

    SIGNAL = "signal"
    DEVICE_FAULT = "device-fault"
    HANG = "hang"


@dataclass(frozen=True, slots=True)
class Signature:
    """What the user sees: line templates that must all occur, in this order.

    basis_url: the report that shows the text, required when basis is REPORTED.
    context: further lines that a user's paste may hold and a repro of ours cannot print.
    """

    lines: tuple[str, ...]
    basis: Basis
    basis_url: str | None = None
    context: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bound:
    """A one-sided bound on a measured quantity, such as `>= 0.05`."""

    above: bool
    value: float

    def holds(self, measured: float) -> bool:
        return measured >= self.value if self.above else measured <= self.value

    def __str__(self) -> str:
        return f"{'>=' if self.above else '<='} {self.value:g}"


@dataclass(frozen=True, slots=True)
class Observable:
    """A symptom without an error text: a quantity that a probe measures and returns.

    seeds: how many seeds a probe is called with (`bug(target, seed)`). repeats: calls for each seed.
    because: why the bounds lie where they lie.
    """

    quantity: str
    unit: str
    bad: Bound
    good: Bound
    seeds: int
    repeats: int
    because: str


@dataclass(frozen=True, slots=True)
class Symptom:
    summary: str
    signatures: tuple[Signature, ...] = ()
    observable: Observable | None = None
    exit: ExpectedExit | None = None


@dataclass(frozen=True, slots=True)
class Workaround:
    do: str
    costs: str | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """One way to be affected; every part that is given must hold.

    software: package name to its ranges; affected when one of them holds.
    platform: names that must hold. when: setting to the values that bring the failure about.
    provided: what else must be so and no setting says, as the end of "provided that …"; None when nothing.
    """

    hardware: HardwareCondition
    software: Mapping[str, tuple[VersionRange, ...]]
    platform: tuple[str, ...]
    when: Mapping[str, tuple[str, ...]]
    provided: str | None = None


@dataclass(frozen=True, slots=True)
class Sibling:
    id: str
    tell_apart: str


@dataclass(frozen=True, slots=True)
class Report:
    """A person's public account. says: `reproduces`, `does-not-reproduce` or `withdrawn`.

    A candidate's may lack by, when nobody noted who it was, and may know its date to the month or year only.
    """

    url: str
    by: str | None
    date: str
    on: tuple[str, ...]
    says: str


@dataclass(frozen=True, slots=True)
class Fix:
    """use: an import path below `gpu_gotchas`, a flag or a variable."""

    use: str
    type: FixType
    costs: str
    risk: Risk


@dataclass(frozen=True, slots=True)
class Upstream:
    """An upstream issue or pull request. checked: the day its state was looked up (ISO date)."""

    url: str
    title: str
    state: str
    fixed_in: str | None
    checked: str


@dataclass(frozen=True, slots=True)
class Event:
    """One entry of a record's history: what it said before, and why that changed."""

    date: str
    was: str
    why: str


@dataclass(frozen=True, slots=True)
class Model:
    """The upstream function that a mechanism of ours models, and the version it was read in."""

    package: str
    version: str
    function: str


@dataclass(frozen=True, slots=True)
class Gotcha:
    """One record. path: the folder that holds it. successor: what replaces a withdrawn record.

    asked_as: how people put it who do not know the cause. Only search reads it.
    lines: from a place in the file, such as `affects[0].hardware`, to its line.
    """

    id: str
    title: str
    status: Status
    severity: Severity
    kind: Kind
    added: str
    concepts: tuple[str, ...]
    aliases: tuple[str, ...]
    symptom: Symptom
    root_cause: str
    workaround: tuple[Workaround, ...]
    affects: tuple[Case, ...]
    control: ControlAxis | None
    models: tuple[Model, ...]
    siblings: tuple[Sibling, ...]
    reports: tuple[Report, ...]
    reporter_count: int
    fixes: tuple[Fix, ...]
    upstream: tuple[Upstream, ...]
    history: tuple[Event, ...]
    successor: str | None
    path: Path
    asked_as: tuple[str, ...] = ()
    lines: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Claim:
    """How many people are said elsewhere to have met a failure; url: where that is said."""

    number: int
    url: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """A believed gotcha without a repro.

    believed: what is thought to be the cause; because: why. repro_wanted: what an honest repro would need.
    affects: where reports place it, as far as they say; empty where they do not.
    reporter_count: counted from `reports`; claimed: a number that stands elsewhere.
    path: the file that holds it. asked_as, lines: as in `Gotcha`.
    """

    id: str
    title: str
    symptom: str
    believed: str
    because: str
    repro_wanted: str
    concepts: tuple[str, ...]
    aliases: tuple[str, ...]
    signatures: tuple[Signature, ...]
    affects: tuple[Case, ...]
    reports: tuple[Report, ...]
    reporter_count: int
    claimed: Claim | None
    path: Path
    asked_as: tuple[str, ...] = ()
    lines: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)
