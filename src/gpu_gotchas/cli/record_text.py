"""A whole record as text for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpu_gotchas.cli.proof_lines import ProofLine
from gpu_gotchas.cli.prose import after_because, heading, item, prose, section
from gpu_gotchas.cli.terminal import Terminal, bold, dim
from gpu_gotchas.records.model import Case, Fix, Gotcha, Signature
from gpu_gotchas.records.usage import read_usage, to_type
from gpu_gotchas.search.conditions import describe_hardware, describe_versions
from gpu_gotchas.search.raw import raw_case


def print_record(gotcha: Gotcha, proof: Sequence[ProofLine], terminal: Terminal) -> None:
    """Everything that the record says; of a withdrawn one no workaround, which is no advice any more."""
    labels = f"{gotcha.status.value}, {gotcha.severity.value}, {gotcha.kind.value}"
    terminal.line(bold(gotcha.id), dim(f"  ({labels})"))
    prose(terminal, gotcha.title)
    if gotcha.status.withdrawn:
        because = gotcha.history[-1].why if gotcha.history else "The record does not say why."
        prose(terminal, f"Withdrawn, because {after_because(because)}")
        if gotcha.successor:
            prose(terminal, f"See instead: {gotcha.successor}")
    heading(terminal, "What is seen")
    prose(terminal, gotcha.symptom.summary)
    _signatures(gotcha.symptom.signatures, terminal)
    _observable(gotcha, terminal)
    heading(terminal, "Why")
    prose(terminal, gotcha.root_cause)
    for model in gotcha.models:
        item(terminal, f"models {model.function} of {model.package} {model.version}")
    if not gotcha.status.withdrawn:
        section(terminal, "What to do", _advice(gotcha))
        _fixes(gotcha.fixes, terminal)
    section(terminal, "Who is affected", (" ".join(_case(case)) for case in gotcha.affects))
    section(terminal, "Told apart from", (f"{one.id}: {one.tell_apart}" for one in gotcha.siblings))
    section(terminal, "Proof", (_proof(line) for line in proof))
    section(terminal, f"Reports ({gotcha.reporter_count} reproduce)", _reports(gotcha))
    section(terminal, "Upstream", _upstream(gotcha))
    section(terminal, "History", (f"{one.date}, was: {one.was} Now: {one.why}" for one in gotcha.history))
    heading(terminal, "Also")
    item(terminal, f"concepts: {', '.join(gotcha.concepts)}")
    if gotcha.aliases:
        item(terminal, f"older names: {', '.join(gotcha.aliases)}")
    item(terminal, f"added: {gotcha.added}")


def _signatures(signatures: Sequence[Signature], terminal: Terminal) -> None:
    for signature in signatures:
        terminal.line()
        told = signature.basis.value + (f" in {signature.basis_url}" if signature.basis_url else "")
        terminal.line("  ", dim(f"signature, {told}:"))
        for line in signature.lines:
            terminal.line("    ", line)
        for line in signature.context:
            terminal.line("    ", dim("context: "), line)


def _observable(gotcha: Gotcha, terminal: Terminal) -> None:
    seen = gotcha.symptom.observable
    if seen is not None:
        item(
            terminal,
            f"{seen.quantity} in {seen.unit}: bad {seen.bad}, good {seen.good}, "
            f"over {seen.seeds} seeds. {seen.because}",
        )
    if gotcha.symptom.exit is not None:
        item(terminal, f"the process ends by {gotcha.symptom.exit.value}")


def _advice(gotcha: Gotcha) -> Iterator[str]:
    for workaround in gotcha.workaround:
        yield workaround.do + (f" Costs: {workaround.costs}" if workaround.costs else "")


def _fixes(fixes: Sequence[Fix], terminal: Terminal) -> None:
    """Each with what its module says of itself, and lines to copy, which are never wrapped."""
    if fixes:
        heading(terminal, "Fixes")
    for fix in fixes:
        usage = read_usage(fix.use)
        said = f" {usage.summary}" if usage and usage.summary else ""
        item(
            terminal,
            f"{to_type(fix.use)} ({fix.type.value}, {fix.risk.value} risk).{said} Costs: {fix.costs}",
        )
        if usage and usage.example:
            terminal.line()
            for line in usage.lines:
                terminal.line("      " * bool(line), line)
            if usage.yours:
                prose(
                    terminal, f"Put your own in place of {', '.join(usage.yours)}.", first="    ", rest="    "
                )


def _case(case: Case) -> Iterator[str]:
    raw = raw_case(case)
    parts = [describe_hardware(raw["hardware"])]
    for package, ranges in raw["software"].items():
        parts.append(f"{package} {' or '.join(map(describe_versions, ranges))}")
    parts += raw["platform"]
    parts += [f"{name}={'|'.join(values)}" for name, values in raw["when"].items()]
    parts += [f"provided that {case.provided}"] if case.provided else []
    yield "; ".join(parts)


def _proof(line: ProofLine) -> str:
    where = f"{line.tier} on {line.device}" if line.device else line.tier
    what = f"{line.probe} ({line.role}) {line.outcome} for {', '.join(line.targets)}"
    return f"{where}: {what} [{line.subject}, {line.newest}]"


def _reports(gotcha: Gotcha) -> Iterator[str]:
    for report in gotcha.reports:
        on = f" on {', '.join(report.on)}" if report.on else ""
        yield f"{report.date} {report.by}{on}: {report.says} {report.url}"


def _upstream(gotcha: Gotcha) -> Iterator[str]:
    for link in gotcha.upstream:
        fixed = f", fixed in {link.fixed_in}" if link.fixed_in else ""
        yield f"{link.title} ({link.state}{fixed}, looked up {link.checked}) {link.url}"
