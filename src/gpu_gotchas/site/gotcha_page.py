"""The page of one gotcha: what you see, what to do, whether it is yours; then why, and how it is known."""

from __future__ import annotations

from collections.abc import Sequence

from gpu_gotchas.records.model import ExpectedExit, Fix, Gotcha, Symptom, Upstream
from gpu_gotchas.records.usage import read_usage, to_type
from gpu_gotchas.site.affected_section import affected
from gpu_gotchas.site.banner import banner
from gpu_gotchas.site.knowledge import Entry, Knowledge
from gpu_gotchas.site.links import Links, json_path, markdown_copy_path
from gpu_gotchas.site.markdown import (
    block,
    blocks,
    bullets,
    code,
    details,
    fence,
    front_matter,
    link,
    prose,
    sentence,
    text,
)
from gpu_gotchas.site.parts import chip, people, reports, severity_chip, signatures, status_chip
from gpu_gotchas.site.proof_section import proof
from gpu_gotchas.site.wording import KINDS, bound_words, in_unit, listed, package_name, plural

_EXITS = {
    ExpectedExit.SIGNAL: "The process is killed by a signal.",
    ExpectedExit.DEVICE_FAULT: "The device reports a fault, and the process cannot use it any more.",
    ExpectedExit.HANG: "The process does not return.",
}


def page(entry: Entry, knowledge: Knowledge, links: Links) -> str:
    """The page's Markdown. Of a withdrawn record no advice is given."""
    gotcha = entry.gotcha
    warning = banner(entry, links)
    valid = not gotcha.status.withdrawn
    return blocks(
        front_matter(gotcha.title),
        f"# {text(gotcha.title)} {{#gotcha}}",
        _facts(entry, links, status=not warning),
        warning,
        _seen(gotcha),
        _advice(gotcha) if valid else "",
        affected(entry, knowledge, links),
        _cause(gotcha),
        _fixes(gotcha) if valid else "",
        proof(entry, links) if entry.proof or entry.results else "",
        _reports(gotcha, links),
        _upstream(gotcha.upstream),
        _siblings(gotcha, links),
        _history(gotcha),
        _repro(entry),
        _about(gotcha, links),
    )


def _facts(entry: Entry, links: Links, *, status: bool) -> str:
    """status: whether to say it here, which a banner does better."""
    gotcha = entry.gotcha
    chips = [severity_chip(gotcha), chip(KINDS[gotcha.kind], "kind")]
    if status:
        chips.append(status_chip(entry))
    concepts = ", ".join(links.concept(concept) for concept in gotcha.concepts)
    return block("facts", f"{' '.join(filter(None, chips))} {concepts}")


def _seen(gotcha: Gotcha) -> str:
    symptom = gotcha.symptom
    return blocks(
        "## What you see",
        prose(symptom.summary),
        _EXITS[symptom.exit] if symptom.exit else "",
        signatures(symptom.signatures),
        _observable(symptom),
    )


def _observable(symptom: Symptom) -> str:
    seen = symptom.observable
    if seen is None:
        return ""
    bad, good = (bound_words(bound.above, f"{bound.value:g}") for bound in (seen.bad, seen.good))
    return (
        f"It shows in the {text(seen.quantity)}, {text(in_unit(seen.unit))}: "
        f"{bad} is bad, {good} is good. {sentence(seen.because)}"
    )


def _advice(gotcha: Gotcha) -> str:
    if not gotcha.workaround:
        return ""
    return blocks(
        "## What to do now",
        bullets(
            sentence(one.do) + (f" *Costs:* {sentence(one.costs)}" if one.costs else "")
            for one in gotcha.workaround
        ),
    )


def _cause(gotcha: Gotcha) -> str:
    models = [
        f"{code(one.function)} of {text(package_name(one.package))} {text(one.version)}"
        for one in gotcha.models
    ]
    return blocks(
        "## Why it happens",
        prose(gotcha.root_cause),
        f"The repro models {', '.join(models)}." if models else "",
    )


def _fixes(gotcha: Gotcha) -> str:
    if not gotcha.fixes:
        return ""
    return blocks("## The fix", *map(_fix, gotcha.fixes))


def _fix(fix: Fix) -> str:
    """Something to copy, then what it is and what it costs."""
    usage = read_usage(fix.use)
    copied = fence("\n".join(usage.lines), "python") if usage else fence(to_type(fix.use), "sh")
    kind = fix.type.value
    said = [
        sentence(usage.summary) if usage else "",
        _yours(usage.yours) if usage else "",
        f"{'An' if kind[0] in 'aeiou' else 'A'} {kind}, {fix.risk.value} risk.",
        f"*Costs:* {sentence(fix.costs)}",
    ]
    return blocks(copied, " ".join(filter(None, said)))


def _yours(names: Sequence[str]) -> str:
    """An example is written for one kernel, and helps others too."""
    return f"Put your own in place of {listed([code(name) for name in names])}." if names else ""


def _reports(gotcha: Gotcha, links: Links) -> str:
    if not gotcha.reports:
        return ""
    count = people(gotcha)
    said = f"{count} {'reproduces' if gotcha.reporter_count == 1 else 'reproduce'} it." if count else ""
    return blocks("## Reports", said, reports(gotcha.reports, links))


def _upstream(found: tuple[Upstream, ...]) -> str:
    if not found:
        return ""
    return blocks("## Upstream", bullets(map(_looked_up, found)))


def _looked_up(one: Upstream) -> str:
    fixed = f", fixed in {text(one.fixed_in)}" if one.fixed_in else ""
    return f"{link(text(one.title), one.url)}: {text(one.state)}{fixed}, looked up {text(one.checked)}"


def _siblings(gotcha: Gotcha, links: Links) -> str:
    if not gotcha.siblings:
        return ""
    return blocks(
        "## Look-alikes",
        bullets(f"{links.gotcha(one.id)}: {sentence(one.tell_apart)}" for one in gotcha.siblings),
    )


def _history(gotcha: Gotcha) -> str:
    """Of a withdrawn record the last reason stands in the banner already."""
    events = gotcha.history
    if not events:
        return ""
    return blocks(
        "## History",
        bullets(
            f"{text(one.date)}: {sentence(one.was)}"
            + (
                ""
                if gotcha.status.withdrawn and one is events[-1]
                else f" Changed, because: {sentence(one.why)}"
            )
            for one in events
        ),
    )


def _repro(entry: Entry) -> str:
    """The command, and what it runs."""
    if not entry.source:
        return ""
    return blocks(
        "## Run it yourself",
        fence(f"gotchas run {entry.gotcha.id}", "sh"),
        details(
            f"What it runs: {plural(entry.source.count(chr(10)), 'line')} of Python",
            fence(entry.source, "python"),
        ),
    )


def _about(gotcha: Gotcha, links: Links) -> str:
    older = f" Older names: {', '.join(map(code, gotcha.aliases))}." if gotcha.aliases else ""
    where = code(f"gotchas/{gotcha.id}/gotcha.yaml")
    json, copy = links.to(json_path(gotcha.id), "JSON"), links.to(markdown_copy_path(gotcha.id), "Markdown")
    return block(
        "about",
        f"{code(gotcha.id)}, added {text(gotcha.added)}.{older} For programs: {json}, {copy}. "
        f"Something is wrong? It stands in {where}.",
    )
