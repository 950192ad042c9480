"""Every condition of a record's case, how it came out on a machine, and what would decide it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from gpu_gotchas.doctor.setting_truth import AUTO, InForce, setting_truth
from gpu_gotchas.doctor.wording import card_words, hardware_words, ranges_words
from gpu_gotchas.hardware.catalogue import targets
from gpu_gotchas.hardware.conditions import HardwareCondition, VersionRange, software_holds
from gpu_gotchas.hardware.machine import Machine
from gpu_gotchas.hardware.truth import Truth
from gpu_gotchas.hardware.versions import canonical
from gpu_gotchas.records.model import Case
from gpu_gotchas.records.settings import Setting

_OLDEST = (7, 5)


class Kind(Enum):
    HARDWARE = "hardware"
    SOFTWARE = "software"
    PLATFORM = "platform"
    SETTING = "setting"
    UNSTATED = "unstated"
    UNPROVEN = "unproven"


@dataclass(frozen=True, slots=True)
class Condition:
    """name: the package, platform or setting. wanted: what the record speaks of. found: what is so here.

    decide: what would settle it, empty unless truth is UNKNOWN. opt_in: whether it can only hold where
    somebody asks for it, and nobody is seen to. mostly: whether it holds for nearly everybody, so that it
    says little of this machine. by_default: whether it comes out so because nothing was set.
    """

    kind: Kind
    name: str
    wanted: str
    found: str
    truth: Truth
    decide: str = ""
    opt_in: bool = False
    mostly: bool = False
    by_default: bool = False

    def __str__(self) -> str:
        return f"{self.name}: {self.found}, the record is about {self.wanted}"


def unstated(id: str, provided: str | None = None) -> Condition:
    """What a record describes in words alone: something of a model, or of its inputs."""
    words = provided or "what the record describes, and no setting says"
    what = f"whether {provided}" if provided else "whether it applies to your model and inputs"
    decide = f"{what}: gotchas show {id}"
    return Condition(Kind.UNSTATED, "condition", words, "not known", Truth.UNKNOWN, decide)


def no_release(case: Case, id: str) -> Condition | None:
    """Where a case is about every card and names no release: nobody knows then which releases have it."""
    if case.software or not _for_all(case.hardware):
        return None
    words = "the releases that have it, which the record does not name"
    decide = f"whether your release has it: gotchas show {id}"
    return Condition(Kind.UNSTATED, "release", words, "not known", Truth.UNKNOWN, decide)


def unproven(id: str) -> Condition:
    """What a draft claims, which no run has shown yet."""
    decide = f"a proof: no run has shown yet what the record claims: gotchas show {id}"
    return Condition(Kind.UNPROVEN, "proof", "what was shown", "none yet", Truth.UNKNOWN, decide)


def conditions(
    case: Case, machine: Machine, in_force: InForce, known: Mapping[str, Setting]
) -> tuple[Condition, ...]:
    """Each part of a case that asks something. known: the settings by name."""
    return tuple(_conditions(case, machine, in_force, known))


def _conditions(
    case: Case, machine: Machine, in_force: InForce, known: Mapping[str, Setting]
) -> Iterator[Condition]:
    if case.hardware != HardwareCondition():
        yield _hardware(case.hardware, machine)
    for package, ranges in case.software.items():
        yield _software(package, ranges, machine)
    for name in case.platform:
        truth = Truth.of(machine.platform.get(name))
        found = {Truth.YES: "yes", Truth.NO: "no"}.get(truth, "not known")
        decide = f"whether this is {name}" if truth is Truth.UNKNOWN else ""
        yield Condition(Kind.PLATFORM, name, name, found, truth, decide)
    for name, wanted in case.when.items():
        yield _setting(name, wanted, in_force, known.get(name))


def _hardware(condition: HardwareCondition, machine: Machine) -> Condition:
    truth = condition.on_machine(machine)
    if machine.cards is None:
        reasons = "; ".join(f"{one.what}: {one.because}" for one in machine.unknown if "GPU" in one.what)
        found, decide = "cards not known", f"the card ({reasons})" if reasons else "the card: give --as"
    else:
        found = ", ".join(card_words(machine.cards)) or "no card"
        decide = "the card's target or memory, or whether its cards reach each other"
    if condition.p2p is not None:
        found += {True: ", peer access", False: ", no peer access", None: ""}[machine.p2p]
    decide = decide if truth is Truth.UNKNOWN else ""
    return Condition(
        Kind.HARDWARE, "hardware", hardware_words(condition), found, truth, decide, mostly=_for_all(condition)
    )


def _for_all(condition: HardwareCondition) -> bool:
    """Whether every NVIDIA card that engines still run on is meant."""
    if (condition.memory, condition.count, condition.p2p) != (None, None, None):
        return False
    served = [target for target in targets() if target.capability and target.capability >= _OLDEST]
    return all(condition.on_target(target) is Truth.YES for target in served)


def _software(package: str, ranges: Sequence[VersionRange], machine: Machine) -> Condition:
    name = canonical(package)
    truth = software_holds(ranges, machine, package)
    version = machine.software.get(name)
    if name not in machine.software:
        found, decide = "not known", f"the version of {name}: give --with {name}==VERSION"
    elif version is None:
        found, decide = "not there", ""
    else:
        found, decide = version, _why_open(name, version, ranges) if truth is Truth.UNKNOWN else ""
    mostly = truth is Truth.UNKNOWN and not any(span.fixed for span in ranges)
    words = f"{name} {ranges_words(ranges)}"
    return Condition(Kind.SOFTWARE, name, words, found, truth, decide, mostly=mostly)


def _why_open(name: str, version: str, ranges: Sequence[VersionRange]) -> str:
    last = next((span.last_bad for span in ranges if span.last_bad), None)
    if last is not None and version.replace(".", "").isdigit():
        return f"a test on {name} {version}: it is newer than {last}, the last that was looked at"
    return f"which release {name} {version} holds: it is no final release, and lies near an end of the range"


def _setting(name: str, wanted: Sequence[str], in_force: InForce, setting: Setting | None) -> Condition:
    value = in_force.value(name)
    truth = setting_truth(setting, wanted, value)
    found = "not known" if value is None else value
    if in_force.by_default(name):
        found += " (by default)"
    decide = ""
    if truth is Truth.UNKNOWN:
        decide = f"what {name} comes to"
        if setting is not None and setting.fact is not None:
            decide += ": name the model's folder in the command"
        elif value == AUTO:
            decide += ": the model decides; name its folder in the command, or set it"
        elif setting is not None:
            decide += f": give {setting.flag or setting.variable} in the command"
    opt_in = (
        truth is Truth.UNKNOWN
        and value is None
        and setting is not None
        and setting.default is not None
        and setting_truth(setting, wanted, setting.default) is Truth.NO
    )
    default = in_force.by_default(name)
    return Condition(
        Kind.SETTING, name, " or ".join(wanted), found, truth, decide, opt_in=opt_in, by_default=default
    )
