"""Every condition of a record's case, how it came out on a machine, and what would decide it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from gpu_gotchas.doctor.circumstances import circumstances
from gpu_gotchas.doctor.device import elsewhere
from gpu_gotchas.doctor.implied import implied
from gpu_gotchas.doctor.said import NOTHING_SAID, Said
from gpu_gotchas.doctor.setting_truth import AUTO, NOTHING_IN_FORCE, InForce, setting_truth
from gpu_gotchas.doctor.wording import card_words, hardware_words, ranges_words, setting_question
from gpu_gotchas.hardware.catalogue import targets
from gpu_gotchas.hardware.conditions import HardwareCondition, VersionRange, software_holds
from gpu_gotchas.hardware.machine import Machine
from gpu_gotchas.hardware.truth import Truth
from gpu_gotchas.hardware.versions import canonical
from gpu_gotchas.records.model import Case
from gpu_gotchas.records.setting import Setting

_OLDEST = (7, 5)
# What a package brings with it, or is never used without.
_BRINGS = {
    "vllm": ("torch", "triton", "transformers", "nccl", "flashinfer-python", "deep-gemm", "deep-ep"),
    "sglang": (
        "torch",
        "triton",
        "transformers",
        "nccl",
        "flashinfer-python",
        "sgl-kernel",
        "deep-gemm",
        "deep-ep",
    ),
    "torch": ("triton", "nccl"),
}


class Kind(Enum):
    HARDWARE = "hardware"
    SOFTWARE = "software"
    PLATFORM = "platform"
    SETTING = "setting"
    UNSTATED = "unstated"
    UNPROVEN = "unproven"


# What is reported and not proven is told apart by its section, so that it need not be said of each.
NOT_PROVEN = "a proof: it was reported, and nobody has shown yet when it happens"


@dataclass(frozen=True, slots=True)
class Condition:
    """name: the package, platform or setting. wanted: what the record speaks of. found: what is so here.

    decide: what would settle it, empty unless truth is UNKNOWN. opt_in: whether it can only hold where
    somebody asks for it, and nobody is seen to. mostly: whether it holds for nearly everybody, so that it
    says little of this machine. by_default: whether it comes out so because nothing was set. leans: what
    words speak for where truth is UNKNOWN. follows: whether it was worked out of command, model and cards.
    past: whether it is a release long after the last that was looked at. reach: the share of all targets that
    is meant, for hardware.
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
    leans: Truth = Truth.UNKNOWN
    follows: bool = False
    past: bool = False
    reach: float = 1.0

    def __str__(self) -> str:
        return f"{self.name}: {self.found}, the record is about {self.wanted}"


def unstated(
    id: str,
    provided: str | None = None,
    said: Said = NOTHING_SAID,
    in_force: InForce = NOTHING_IN_FORCE,
    known: Mapping[str, Setting] | None = None,
) -> Condition:
    """What a record describes in words: something of a model, or of its inputs, which settings may settle."""
    words = provided or "what the record describes, and no setting says"
    rule = circumstances().get(id)
    truth = rule.truth(in_force, known or {}) if rule and provided else Truth.UNKNOWN
    if truth is not Truth.UNKNOWN:
        found = "it is so" if truth is Truth.YES else "it is not so"
        return Condition(Kind.UNSTATED, "condition", words, found, truth)
    what = f"whether {provided}" if provided else "whether it applies to your model and inputs"
    asked = "; ".join(rule.open(in_force, known or {})) if rule and provided else ""
    decide = asked or f"{what}: gotchas show {id}"
    leans = _told(provided or "", said)
    return Condition(Kind.UNSTATED, "condition", words, "not known", Truth.UNKNOWN, decide, leans=leans)


def _told(provided: str, said: Said) -> Truth:
    """Whether the names in a condition are spoken of; NO where others are and these are not."""
    names = tuple(_telling(provided))
    if any(map(said.describes, names)):
        return Truth.YES
    return Truth.NO if names and said and not any(map(said.tells, names)) else Truth.UNKNOWN


def _telling(provided: str) -> Iterator[str]:
    """The names in a condition that is put in words, such as FP8 or MTP: no ordinary words."""
    return (word for word in re.findall(r"[A-Za-z0-9_]+", provided) if sum(map(str.isupper, word)) > 1)


def no_release(case: Case, id: str) -> Condition | None:
    """Where a case is about every card and names no release: nobody knows then which releases have it."""
    if case.software or not _reach(case.hardware, hardware_words(case.hardware))[1]:
        return None
    words = "the releases that have it, which the record does not name"
    decide = f"whether your release has it: gotchas show {id}"
    return Condition(Kind.UNSTATED, "release", words, "not known", Truth.UNKNOWN, decide)


def unproven(id: str, *, reported: bool = False) -> Condition:
    """What a draft claims, which no run has shown yet. reported: a candidate, which has no run at all."""
    decide = (
        NOT_PROVEN if reported else f"a proof: no run has shown yet what the record claims: gotchas show {id}"
    )
    return Condition(Kind.UNPROVEN, "proof", "what was shown", "none yet", Truth.UNKNOWN, decide)


def conditions(
    case: Case, machine: Machine, in_force: InForce, known: Mapping[str, Setting], said: Said = NOTHING_SAID
) -> tuple[Condition, ...]:
    """Each part of a case that asks something. known: the settings by name. said: words that came along."""
    return tuple(_conditions(case, machine, in_force, known, said))


def _conditions(
    case: Case, machine: Machine, in_force: InForce, known: Mapping[str, Setting], said: Said
) -> Iterator[Condition]:
    if case.hardware != HardwareCondition():
        yield _hardware(case.hardware, machine)
    other = elsewhere(in_force.given)
    if other is not None:
        yield _device(*other, any_card=case.hardware == HardwareCondition())
    for package, ranges in case.software.items():
        yield _software(package, ranges, machine, said)
    for name in case.platform:
        truth = Truth.of(machine.platform.get(name))
        found = {Truth.YES: "yes", Truth.NO: "no"}.get(truth, "not known")
        decide = f"whether this is {name}" if truth is Truth.UNKNOWN else ""
        leans = Truth.YES if truth is Truth.UNKNOWN and said.holds(name) else Truth.UNKNOWN
        yield Condition(Kind.PLATFORM, name, name, found, truth, decide, leans=leans)
    for name, wanted in case.when.items():
        yield _setting(name, wanted, in_force, known.get(name), said)
    for name, (needed, backend) in implied(case.when).items():
        told = said.speaks_for(name, needed) is not Truth.UNKNOWN
        if in_force.value(name) is not None or (told and in_force.value(backend) is None):
            yield _setting(name, needed, in_force, known.get(name), said)


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
    words = hardware_words(condition)
    reach, mostly = _reach(condition, words)
    return Condition(Kind.HARDWARE, "hardware", words, found, truth, decide, mostly=mostly, reach=reach)


def _device(found: str, truth: Truth, *, any_card: bool) -> Condition:
    """A launch that uses no GPU. any_card: the record names no hardware, so that it may be met without
    one."""
    truth = Truth.UNKNOWN if any_card else truth
    decide = f"whether it happens without a GPU too: {found}" if truth is Truth.UNKNOWN else ""
    return Condition(Kind.HARDWARE, "device", "a launch that uses a GPU", found, truth, decide, opt_in=True)


# What a condition's words come to; they say all of it. Records ask for the same few over and over.
_REACHES: dict[str, tuple[float, bool]] = {}


def _reach(condition: HardwareCondition, words: str) -> tuple[float, bool]:
    """The share of all targets that is meant, and whether all of NVIDIA are that engines still run on."""
    if words not in _REACHES:
        meant = {target for target in targets() if condition.on_target(target) is Truth.YES}
        served = {one for one in targets() if one.capability and one.capability >= _OLDEST}
        plain = (condition.memory, condition.count, condition.p2p) == (None, None, None)
        _REACHES[words] = (len(meant) / len(targets()), plain and served <= meant)
    return _REACHES[words]


def _software(package: str, ranges: Sequence[VersionRange], machine: Machine, said: Said) -> Condition:
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
    leans = _named(name, machine, said) if truth is Truth.UNKNOWN else Truth.UNKNOWN
    past = version is not None and bool(ranges) and all(span.long_past(version) for span in ranges)
    return Condition(Kind.SOFTWARE, name, words, found, truth, decide, mostly=mostly, leans=leans, past=past)


def _named(name: str, machine: Machine, said: Said) -> Truth:
    """Whether a package is spoken of; where others are, and it is not, words speak against it."""
    if machine.software.get(name) or said.package(name):
        return Truth.YES
    brought = (one for one, more in _BRINGS.items() if name in more)
    if any(machine.software.get(one) or said.package(one) for one in brought):
        return Truth.UNKNOWN
    return Truth.NO if any(machine.software.values()) or said else Truth.UNKNOWN


def _why_open(name: str, version: str, ranges: Sequence[VersionRange]) -> str:
    last = next((span.last_bad for span in ranges if span.last_bad), None)
    if last is not None and version.replace(".", "").isdigit():
        return f"a test on {name} {version}: it is newer than {last}, the last that was looked at"
    return f"which release {name} {version} holds: it is no final release, and lies near an end of the range"


def _setting(
    name: str, wanted: Sequence[str], in_force: InForce, setting: Setting | None, said: Said
) -> Condition:
    value = in_force.value(name)
    truth = setting_truth(setting, wanted, value)
    found = "not known" if value is None else value
    if in_force.by_default(name):
        found += " (by default)"
    decide = ""
    if truth is Truth.UNKNOWN:
        if value == AUTO and setting is not None and setting.flag:
            way = "the model decides; name its folder in the command, or set it"
            decide = f"what {setting.flag} {AUTO} comes to: {way}"
        else:
            decide = setting_question(name, setting)
    opt_in = (
        truth is Truth.UNKNOWN
        and value is None
        and setting is not None
        and setting.default is not None
        and setting_truth(setting, wanted, setting.default) is Truth.NO
    )
    leans = said.speaks_for(name, wanted) if truth is Truth.UNKNOWN else Truth.UNKNOWN
    return Condition(
        Kind.SETTING,
        name,
        " or ".join(wanted),
        found,
        truth,
        decide,
        opt_in=opt_in and leans is not Truth.YES,
        by_default=in_force.by_default(name),
        follows=setting is not None and setting.package == "launch",
        mostly=setting is not None and value is not None and setting.plain(value) in setting.usual,
        leans=leans,
    )
