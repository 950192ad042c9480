"""What was run of a gotcha, on what, with what outcome, in its own words."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence

from gpu_gotchas.records.model import Gotcha
from gpu_gotchas.repro.outcomes import Outcome
from gpu_gotchas.repro.probe import CPU, Probe, Role, Subject, Tier
from gpu_gotchas.repro.results import Result
from gpu_gotchas.site.knowledge import Entry
from gpu_gotchas.site.links import Links
from gpu_gotchas.site.markdown import block, blocks, bullets, details, text
from gpu_gotchas.site.wording import listed, measured, package_name, plural

_ORDER = (Tier.DEVICE, Tier.PACKAGE, Tier.COMPILE, Tier.LOGIC)
Group = Sequence[Result]
_MOST_REASONS = 3
_FEW_TARGETS = 6
_LONGEST_REASON = 300

_SUBJECTS = {
    Subject.MECHANISM: "Mechanism: code of this project that models the fault",
    Subject.UPSTREAM: "Upstream: the package's own code",
}
_WORDS = {
    Outcome.REPRODUCED: "fails as described",
    Outcome.FIX_CONFIRMED: "the fix holds",
    Outcome.GUARDED: "the fix refuses in time, with the way out",
    Outcome.CONTROL_CLEAN: "does not fail",
    Outcome.FIXED_HERE: "does not fail outside the claimed versions",
    Outcome.NOT_REPRODUCED: "does not fail, against the record's claim",
    Outcome.WRONG_SYMPTOM: "fails otherwise than described",
    Outcome.FIX_FAILED: "the fix does not hold",
    Outcome.CONTROL_DIRTY: "fails as well, against the record's claim",
    Outcome.OVERBLOCKED: "the fix refuses where nothing is wrong",
    Outcome.CRASHED: "the probe crashed",
    Outcome.TIMED_OUT: "the probe did not end in time",
    Outcome.MASKED: "another failure comes first",
    Outcome.INCONCLUSIVE: "neither good nor bad",
    Outcome.ELSEWHERE: "no proof, since outside the claimed range: run",
    Outcome.SKIPPED: "not run",
}
# Without a card nothing is launched, so nothing there may be said to run.
_COMPILED = {
    Outcome.FIX_CONFIRMED: "with the fix compiles and fits",
    Outcome.CONTROL_CLEAN: "compiles and fits",
}


# Where nothing failed, the reason says that again.
_NOTHING_TO_ADD = {Outcome.FIX_CONFIRMED, Outcome.CONTROL_CLEAN, Outcome.FIXED_HERE}


def proof(entry: Entry, links: Links) -> str:
    """Results by how they were had, and what is still missing."""
    groups = sorted(_group(sorted(entry.results, key=_order), _setting), key=_release)
    runs = _merged(groups, lambda group: _run(group, entry.gotcha, links))
    shown = blocks(*(f"### {how}\n\n{said}" for how, said in runs))
    return blocks(
        "## Proof",
        bullets(f"{how}: {said}" for how, said in _merged(groups, _brief)) or "Nothing was run yet.",
        details("Every run, in its own words", block("proof", shown)) if shown else "",
        _missing(entry),
        _stale(entry),
    )


def _merged(groups: Sequence[Group], say: Callable[[Group], str]) -> list[tuple[str, str]]:
    """How each group was run, and what it says; releases in a row that say the same are one."""
    found: list[tuple[list[Group], str]] = []
    for group in groups:
        said = say(group)
        if found and found[-1][1] == said and _package(found[-1][0][0]) == _package(group) != "":
            found[-1][0].append(group)
        else:
            found.append(([group], said))
    return [(_how([group[0] for group in alike]), said) for alike, said in found]


def _package(group: Group) -> str:
    """The package whose releases are run, "" where none is."""
    first = group[0]
    return (first.package or "").partition("==")[0] if first.tier is Tier.PACKAGE else ""


def _brief(group: Group) -> str:
    """In one line what failed, what holds, what is clean."""
    counted: dict[str, set[str]] = {}
    for result in group:
        counted.setdefault(outcome_words(result), set()).add(result.target)
    said = [f"{words}{_on(targets - {CPU})}" for words, targets in counted.items()]
    return "; ".join(said)


def _on(targets: set[str]) -> str:
    """Few targets by name, many by their number."""
    if len(targets) > _FEW_TARGETS:
        return f" for {len(targets)} targets"
    return f" for {', '.join(map(text, sorted(targets, key=_natural)))}" if targets else ""


def _group(results: Iterable[Result], key: Callable[[Result], Hashable]) -> list[list[Result]]:
    found: dict[Hashable, list[Result]] = {}
    for result in results:
        found.setdefault(key(result), []).append(result)
    return list(found.values())


def _order(result: Result) -> tuple[int, str, str]:
    return _ORDER.index(result.tier), result.role.value, result.probe.value


def _release(group: Group) -> tuple[int, list[tuple[str, int]]]:
    """Releases in their order, which is not that of their letters."""
    return _ORDER.index(group[0].tier), _natural(group[0].package or "")


def _setting(result: Result) -> Hashable:
    """What says how a result was had, versions apart."""
    return result.tier, result.subject, result.package, result.device


def _run(group: Group, gotcha: Gotcha, links: Links) -> str:
    """Whose code it was, then outcomes; versions that came to the same share them."""
    runs: dict[str, list[str]] = {}
    for one in _group(group, lambda result: tuple(sorted(result.versions.items()))):
        alike = _group(one, lambda result: (outcome_words(result), result.masked_by))
        runs.setdefault(bullets(_shown(some, gotcha, links) for some in alike), []).append(_with(one))
    parts = [f"{_upper('; '.join(withs))}.\n\n{outcomes}" for outcomes, withs in runs.items()]
    parts[0] = f"{_SUBJECTS[group[0].subject]}. {parts[0]}"
    return blocks(*parts)


def _with(group: Sequence[Result]) -> str:
    newest = max(group, key=lambda result: result.date)
    tested = (newest.package or "").partition("==")[0]  # stands in the heading
    used = [
        f"{text(package_name(name))} {text(version)}"
        for name, version in sorted(newest.versions.items())
        if name != tested
    ]
    return f"{f'with {listed(used)}' if used else 'run'} on {text(newest.date[:10])}"


def _upper(said: str) -> str:
    return said[:1].upper() + said[1:]


def _how(alike: Sequence[Result]) -> str:
    """Of the first results of groups that say the same, which are releases of one package in a row."""
    result = alike[0]
    if result.tier is Tier.DEVICE:
        return f"On a card: {text(result.device or 'not named')}"
    if result.tier is Tier.PACKAGE:
        name, _, version = (result.package or "").partition("==")
        last = (alike[-1].package or "").partition("==")[2]
        to = f" to {text(last)} ({len(alike)} releases)" if len(alike) > 1 else ""
        return f"{text(package_name(name))} {text(version)}{to}, without a GPU"
    return "Compiled, nothing launched" if result.tier is Tier.COMPILE else "Reasoning, on a CPU"


def _shown(group: Sequence[Result], gotcha: Gotcha, links: Links) -> str:
    first = group[0]
    said = outcome_words(first)
    if first.masked_by:
        said += f": {links.gotcha(first.masked_by)}"
    targets = sorted({result.target for result in group} - {CPU}, key=_natural)
    where = f" for {', '.join(map(text, targets))}" if targets else ""
    return f"{said}{where}{_measured(group, gotcha)}{_reasons(group)}"


def _natural(target: str) -> list[tuple[str, int]]:
    """Orders sm_89 before sm_120."""
    return [(name, int(number or 0)) for name, number in re.findall(r"(\D*)(\d*)", target)]


def outcome_words(result: Result) -> str:
    """What came out, in words that claim no more than the tier shows."""
    # A package is asked to compile for a target; asked as none at all, its code ran.
    compiled = _COMPILED if result.target != CPU and result.tier in (Tier.COMPILE, Tier.PACKAGE) else {}
    words = compiled.get(result.outcome, _WORDS[result.outcome])
    control = result.role is Role.CONTROL or result.probe is Probe.CONTROL
    return f"control: {words}" if control else words


def _measured(group: Iterable[Result], gotcha: Gotcha) -> str:
    values = [value for result in group for value in result.measured]
    if not values:
        return ""
    observable = gotcha.symptom.observable
    return f"; measured {text(measured(values, observable.unit if observable else ''))}"


def _reasons(group: Sequence[Result]) -> str:
    """What failed in its own words: equal ones once, and the rest of many in the JSON."""
    targets: dict[str, list[str]] = {}
    for result in group:
        # Of a measured quantity the number stands there already.
        if result.reason.strip() and not result.measured and result.outcome not in _NOTHING_TO_ADD:
            where = targets.setdefault(result.reason.strip(), [])
            where += [result.target] * (result.target not in where)
    if not targets:
        return ""
    said = [
        (f"{', '.join(map(text, where))}: " if len(targets) > 1 else "") + f"<code>{_cut(reason)}</code>"
        for reason, where in list(targets.items())[:_MOST_REASONS]
    ]
    if len(targets) > _MOST_REASONS:
        said.append(f"{len(targets) - _MOST_REASONS} more in the JSON")
    return f"<br>{'<br>'.join(said)}"


def _cut(reason: str) -> str:
    if len(reason) <= _LONGEST_REASON:
        return text(reason)
    return f"{text(reason[:_LONGEST_REASON])} … (whole in the JSON)"


def _missing(entry: Entry) -> str:
    """What keeps the record from being proven."""
    if entry.proof is None or entry.gotcha.status.withdrawn:
        return ""
    missing = [*entry.proof.missing_bug, *entry.proof.missing_fix]
    if not missing:
        return ""
    return details(f"Not shown yet: {plural(len(missing), 'thing')}", bullets(map(text, missing)))


def _stale(entry: Entry) -> str:
    if entry.proof is None or not entry.proof.stale:
        return ""
    return (
        f"{plural(entry.proof.stale, 'older result')} about an earlier form of this record "
        f"{'is' if entry.proof.stale == 1 else 'are'} left out: what changed has to be shown again."
    )
