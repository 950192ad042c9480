"""Whether the results beside a record prove it. Status is derived from results, never trusted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gpu_gotchas.records.model import ControlAxis, Gotcha, Status
from gpu_gotchas.records.problems import Problem
from gpu_gotchas.repro.fingerprint import fingerprint
from gpu_gotchas.repro.measured import unclaimed, unmeasured
from gpu_gotchas.repro.outcomes import Outcome
from gpu_gotchas.repro.probe import CPU, Probe, Role, Tier
from gpu_gotchas.repro.results import KEPT, Result, ResultError, read_results
from gpu_gotchas.repro.source import Repro, ReproError, read_repro
from gpu_gotchas.repro.targets import affected_targets, claims_hardware, compiled_targets

RULE = "status-is-proven"


@dataclass(frozen=True, slots=True)
class Proof:
    """What results show of one record.

    missing_bug: why it is not shown to fail as claimed. missing_fix: why its fix is not shown to hold.
    contradictions: results on the claimed ground that say the opposite. stale: results about an older form.
    """

    missing_bug: tuple[str, ...] = ()
    missing_fix: tuple[str, ...] = ()
    contradictions: tuple[str, ...] = ()
    stale: int = 0

    @property
    def status(self) -> Status:
        """The most that a record may claim on these results."""
        if self.contradictions:
            return Status.CONTESTED
        if self.missing_bug:
            return Status.DRAFT
        return Status.REPRODUCED if self.missing_fix else Status.VERIFIED


def prove(gotcha: Gotcha, repro: Repro, results: Iterable[Result]) -> Proof:
    """The proof that `results` give of `gotcha` as it stands now."""
    current = fingerprint(gotcha, repro)
    results = list(results)
    fresh = [result for result in results if result.proves == current]
    bug: list[str] = [] if repro.tiers else ["the repro defines no bug"]
    fix: list[str] = []
    for tier in _required_tiers(repro):
        in_tier = [result for result in fresh if result.tier is tier]
        bug += _missing(gotcha, repro, tier, in_tier, Probe.BUG)
        fix += _missing(gotcha, repro, tier, in_tier, Probe.FIXED)
    bug += _missing_version(gotcha, repro, fresh)
    bug += unmeasured(gotcha, fresh)
    contradictions = (
        *(_say(result) for result in fresh if _contradicts(result, fresh)),
        *unclaimed(gotcha, fresh),
    )
    return Proof(tuple(bug), tuple(fix), contradictions, len(results) - len(fresh))


def _required_tiers(repro: Repro) -> tuple[Tier, ...]:
    """Tiers that any machine can run; the others only where nothing else shows the failure."""
    for tiers in ((Tier.LOGIC, Tier.COMPILE), (Tier.PACKAGE,), (Tier.DEVICE,)):
        required = tuple(tier for tier in tiers if tier in repro.tiers)
        if required:
            return required
    return ()


def _missing_version(gotcha: Gotcha, repro: Repro, results: Sequence[Result]) -> list[str]:
    """Where the control is another release, the package is asked whatever else shows the failure."""
    if gotcha.control is not ControlAxis.VERSION or Tier.PACKAGE in _required_tiers(repro):
        return []
    if Tier.PACKAGE not in repro.tiers:
        return ["the control is another release, and the repro defines no bug for the package tier"]
    in_tier = [result for result in results if result.tier is Tier.PACKAGE]
    return _missing(gotcha, repro, Tier.PACKAGE, in_tier, Probe.BUG)


def _missing(gotcha: Gotcha, repro: Repro, tier: Tier, results: Sequence[Result], probe: Probe) -> list[str]:
    passed = {Probe.BUG: {Outcome.REPRODUCED}, Probe.FIXED: {Outcome.FIX_CONFIRMED, Outcome.GUARDED}}[probe]
    if not repro.function(probe, tier):
        return [f"the repro defines no {probe.value} for the {tier.value} tier"]
    shown = {
        result.target
        for result in results
        if result.probe is probe and result.role is Role.AFFECTED and result.outcome in passed
    }
    missing = [
        f"{probe.value} is not shown on {target} ({tier.value})"
        for target in _claimed(gotcha, tier)
        if target not in shown
    ]
    if not shown and not missing:
        missing.append(f"{probe.value} is not shown on any card")
    return missing + _missing_control(gotcha, repro, tier, results, probe)


def _claimed(gotcha: Gotcha, tier: Tier) -> tuple[str, ...]:
    if tier is Tier.LOGIC or (tier is Tier.PACKAGE and not claims_hardware(gotcha)):
        return (CPU,)
    if tier is Tier.DEVICE:
        return ()
    return tuple(target.name for target in affected_targets(gotcha, compiled_targets()))


def _missing_control(
    gotcha: Gotcha, repro: Repro, tier: Tier, results: Sequence[Result], probe: Probe
) -> list[str]:
    """One clean control, and every one that fails explained; a fix must pass on the clean ones as well."""
    if gotcha.control is ControlAxis.VERSION and tier is not Tier.PACKAGE:
        return []  # a model of ours has no releases: see _missing_version
    controls = [result for result in results if _is_control(result)]
    clean = {result.target for result in controls if result.outcome is Outcome.CONTROL_CLEAN}
    if probe is Probe.BUG:
        missing = [] if clean else [f"no control is shown clean ({tier.value})"]
        return missing + [
            f"the control on {result.target} fails and no record explains it"
            for result in controls
            if _is_unexplained(result)
        ]
    if gotcha.control is ControlAxis.CONDITION or not repro.function(Probe.FIXED, tier):
        return []
    held = {
        result.target
        for result in controls
        if result.probe is Probe.FIXED and result.outcome is Outcome.FIX_CONFIRMED
    }
    return [f"fixed is not shown on the control {target} ({tier.value})" for target in sorted(clean - held)]


def _is_control(result: Result) -> bool:
    return result.role is Role.CONTROL or result.probe is Probe.CONTROL


def _is_unexplained(result: Result) -> bool:
    """A control that fails otherwise than the record says neither bears the record out nor denies it."""
    masked = result.outcome is Outcome.MASKED and not result.masked_by
    return _is_control(result) and (masked or result.outcome is Outcome.WRONG_SYMPTOM)


def _contradicts(result: Result, beside: Iterable[Result]) -> bool:
    if result.outcome is Outcome.FIX_FAILED and result.role is Role.CONTROL:
        # Where the unfixed code fails for a reason that nobody knows, its failing is not the fix's.
        place = (result.tier, result.target)
        return not any(_is_unexplained(other) and (other.tier, other.target) == place for other in beside)
    return not _is_unexplained(result) and result.outcome in (
        Outcome.NOT_REPRODUCED,
        Outcome.WRONG_SYMPTOM,
        Outcome.CONTROL_DIRTY,
        Outcome.FIX_FAILED,
        Outcome.OVERBLOCKED,
    )


def _say(result: Result) -> str:
    return f"{result.probe.value} on {result.target} ({result.tier.value}) came out {result.outcome.value}"


def kept_results(gotcha: Gotcha) -> list[Result]:
    """The results that lie beside a record. Raises ResultError naming file and line."""
    return read_results(gotcha.path / KEPT)


def check_proofs(gotchas: Iterable[Gotcha]) -> list[Problem]:
    """A problem for every record whose status its results do not bear."""
    problems: list[Problem] = []
    for gotcha in gotchas:
        try:
            problems += _check(gotcha)
        except (ResultError, ReproError) as error:
            problems.append(Problem(error.path or gotcha.path, error.line, error.message, RULE))
        except SyntaxError as error:  # in a module that the repro or a fix imports
            place = Path(error.filename) if error.filename else gotcha.path
            problems.append(Problem(place, error.lineno, f"this is no Python: {error.msg}", RULE))
    return problems


_NEEDS_PROOF = (Status.VERIFIED, Status.REPRODUCED, Status.DRAFT, Status.CONTESTED)
_RANK = {Status.DRAFT: 0, Status.REPRODUCED: 1, Status.VERIFIED: 2}


def _check(gotcha: Gotcha) -> list[Problem]:
    repro = read_repro(gotcha.path)
    if gotcha.status not in _NEEDS_PROOF or repro is None:
        return []
    proof = prove(gotcha, repro, kept_results(gotcha))
    record = gotcha.path / "gotcha.yaml"
    if proof.contradictions and gotcha.status is not Status.CONTESTED:
        said = "results contradict the record, so it is contested"
        return [Problem(record, None, f"{said}: {what}", RULE) for what in proof.contradictions]
    if _RANK.get(gotcha.status, 0) <= _RANK.get(proof.status, 0):
        return []
    missing = proof.missing_bug if proof.status is Status.DRAFT else proof.missing_fix
    stale = f"; {proof.stale} kept results speak of an older form" if proof.stale else ""
    return [_unproven(record, gotcha, missing, stale)]


def _unproven(record: Path, gotcha: Gotcha, missing: Sequence[str], stale: str) -> Problem:
    shown = "; ".join(missing[:3]) + (f"; and {len(missing) - 3} more" if len(missing) > 3 else "")
    return Problem(
        record,
        None,
        f"status is {gotcha.status.value}, and that is not proven: {shown}{stale}. Run "
        f"`gotchas run {gotcha.id} --report FILE`, then `gotchas results add FILE`, or lower the status",
        RULE,
    )
