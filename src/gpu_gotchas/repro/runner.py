"""Running what was planned: a child for each probe, a verdict on what was seen, a result."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from gpu_gotchas.cache import cache_folder
from gpu_gotchas.repro.children import TIMEOUT, Children
from gpu_gotchas.repro.fingerprint import fingerprint
from gpu_gotchas.repro.judge import Knowledge, Verdict, judge
from gpu_gotchas.repro.outcomes import Outcome
from gpu_gotchas.repro.packages import PackageError, find_package
from gpu_gotchas.repro.plan import NotRun, Run
from gpu_gotchas.repro.probe import Probe, Role, Subject, Tier
from gpu_gotchas.repro.request import Observation, Request
from gpu_gotchas.repro.results import Result
from gpu_gotchas.repro.telling import last_line, needs, plain, telling_line
from gpu_gotchas.repro.upstream.light import has_light
from gpu_gotchas.repro.values import same

NOWHERE = "none"
_TRIAL = Path(__file__).with_name("trial.py")


class Runner:
    """Turns planned runs into results. Children, and what they showed, are kept for its lifetime.

    timeout: seconds for one probe; by default as long as its repro needs, and never less than TIMEOUT.
    described: the hardware was read from a file, so that no result may be kept.
    by: who runs it, as results will say.
    """

    def __init__(
        self,
        children: Children,
        knowledge: Knowledge,
        *,
        timeout: float | None = None,
        described: bool = False,
        by: str | None = None,
    ) -> None:
        self._children = children
        self._knowledge = knowledge
        self._timeout = timeout
        self._described = described
        self._by = by
        self._seen: dict[Request, Observation] = {}
        self._proves: dict[str, str] = {}

    def run(self, planned: Run | NotRun) -> Result:
        """Run one probe in a child and judge it; what cannot run becomes a result that says why."""
        if isinstance(planned, NotRun):
            return self._not_run(planned)
        try:
            request = _request(planned)
        except PackageError as error:
            return self._result(planned, Verdict(Outcome.SKIPPED, str(error)))
        refusal = self._refusal(planned)
        if refusal:
            return self._result(planned, Verdict(Outcome.SKIPPED, refusal))
        seen = self._observe(request, planned)
        verdict = judge(planned, seen, self._knowledge)
        if verdict.outcome is Outcome.FIX_CONFIRMED and planned.role is Role.CONTROL:
            verdict = self._compared_with_bug(planned, seen, verdict)
        return self._result(planned, verdict, seen)

    def _observe(self, request: Request, run: Run) -> Observation:
        if request in self._seen:
            return self._seen[request]
        seen = self._children.run(request, self._timeout or max(TIMEOUT, run.repro.needs.minutes * 60))
        if not seen.lost:
            self._seen[request] = seen
        return seen

    def _refusal(self, run: Run) -> str | None:
        """Why the installed Triton cannot be asked about this target, in its own words, or None."""
        if run.target is None or run.tier is Tier.DEVICE:
            return None
        trial = Request(str(_TRIAL), "bug", Tier.COMPILE, run.target_name, first=_first(run))
        seen = self._observe(trial, run)
        if seen.answer and seen.answer.ended == "returned":
            return None
        # A trial that never came to an end says nothing about the target; the probe itself will tell.
        if seen.lost or seen.timed_out:
            return None
        if seen.answer and seen.answer.missing:
            return needs(seen.answer.missing)
        if seen.answer and seen.answer.ended == "unloadable":
            return f"Triton cannot be used here: {last_line(seen.answer.exception)}"
        words = seen.answer.exception if seen.answer else seen.streams
        return f"the Triton here generates no code for {run.target_name}: {telling_line(words)}"

    def _compared_with_bug(self, run: Run, seen: Observation, verdict: Verdict) -> Verdict:
        """On a control nothing was broken, so the fix must give what the unfixed code gives."""
        function = run.repro.function(Probe.BUG, run.tier)
        if function is None or seen.answer is None or run.tier is not Tier.DEVICE:
            return verdict
        bug = self._observe(_request(run, function), run)
        if bug.answer is None or bug.answer.ended != "returned" or same(bug.answer.value, seen.answer.value):
            return verdict
        return Verdict(Outcome.FIX_FAILED, f"gives {seen.answer.value}, the unfixed code {bug.answer.value}")

    def _result(self, run: Run, verdict: Verdict, seen: Observation | None = None) -> Result:
        answer = seen.answer if seen else None
        versions: Mapping[str, str] = answer.versions if answer else {}
        if run.package:
            name, _, version = run.package.partition("==")
            versions = {**versions, name: version}
        return Result(
            gotcha=run.gotcha.id,
            tier=run.tier,
            target=run.target_name,
            probe=run.probe,
            role=run.role,
            subject=run.subject,
            outcome=verdict.outcome,
            reason=plain(verdict.reason),
            proves=self._fingerprint(run),
            seconds=seen.seconds if seen else 0.0,
            versions=versions,
            device=answer.device if answer else None,
            date=_now(),
            by=self._by,
            package=run.package,
            masked_by=verdict.masked_by,
            described=self._described,
            measured=answer.measured if answer else (),
            stand_ins=answer.stand_ins if answer else (),
        )

    def _not_run(self, planned: NotRun) -> Result:
        return Result(
            gotcha=planned.gotcha.id,
            tier=planned.tier,
            target=NOWHERE,
            probe=Probe.BUG,
            role=Role.AFFECTED,
            subject=Subject.MECHANISM,
            outcome=Outcome.SKIPPED,
            reason=planned.because,
            proves="",
            seconds=0.0,
            versions={},
            device=None,
            date=_now(),
            by=self._by,
            described=self._described,
        )

    def _fingerprint(self, run: Run) -> str:
        if run.gotcha.id not in self._proves:
            self._proves[run.gotcha.id] = fingerprint(run.gotcha, run.repro)
        return self._proves[run.gotcha.id]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _first(run: Run) -> str | None:
    return str(find_package(run.beside)) if run.beside else None


def _package(run: Run) -> str | None:
    """The folder of the release under test. Raises PackageError where it, or what it needs, is not here."""
    if run.package is None:
        return None
    folder = find_package(run.package)
    unpacked = folder.is_relative_to(cache_folder())
    if run.repro.needs.imports and unpacked and not has_light():
        raise PackageError(f"importing {run.package} needs more: `gotchas fetch --light` installs it apart")
    return str(folder)


def _request(run: Run, function: str | None = None) -> Request:
    observable = run.gotcha.symptom.observable
    return Request(
        path=str(run.repro.path),
        function=function or run.function,
        tier=run.tier,
        target=run.target_name,
        package=_package(run),
        imports=run.repro.needs.imports if run.package else (),
        first=_first(run),
        seeds=observable.seeds if observable else 0,
        repeats=observable.repeats if observable else 1,
    )
