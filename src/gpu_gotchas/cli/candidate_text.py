"""A candidate as text for people."""

from __future__ import annotations

from gpu_gotchas.cli.prose import heading, item, prose
from gpu_gotchas.cli.terminal import Terminal, bold, dim
from gpu_gotchas.records.model import Candidate


def print_candidate(candidate: Candidate, terminal: Terminal) -> None:
    """Everything that is believed, marked as such."""
    terminal.line(bold(candidate.id), dim("  (candidate: believed, not proven)"))
    prose(terminal, candidate.title)
    for title, text in (
        ("What is seen", candidate.symptom),
        ("What is believed", candidate.believed),
        ("Why it is believed", candidate.because),
        ("Wanted: a repro", candidate.repro_wanted),
    ):
        heading(terminal, title)
        prose(terminal, text)
    heading(terminal, f"Reports ({candidate.reporter_count} reproduce)")
    for report in candidate.reports:
        item(terminal, f"{report.date} {report.by or 'not named'}: {report.says} {report.url}")
    if candidate.claimed is not None:
        item(terminal, f"elsewhere {candidate.claimed.number} are claimed: {candidate.claimed.url}")
