"""From the options of `doctor`, `diff` and `fixes` to an examination."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

from gpu_gotchas.cli.exits import BadInput, UsageFailed
from gpu_gotchas.doctor.asked import machine_as, software_with
from gpu_gotchas.doctor.assess import assess_all
from gpu_gotchas.doctor.command.launch import CommandError, Launch, read_command
from gpu_gotchas.doctor.examination import Examination
from gpu_gotchas.doctor.facts import Facts, merged
from gpu_gotchas.doctor.ignores import Ignore, IgnoresError, read_ignores, sort_out
from gpu_gotchas.doctor.model_folder import ModelError
from gpu_gotchas.doctor.readers.reader import UnreadableFile
from gpu_gotchas.doctor.situation import Situation, situation
from gpu_gotchas.hardware.catalogue import UnknownName
from gpu_gotchas.hardware.machine import Machine
from gpu_gotchas.records.loading import load_all
from gpu_gotchas.records.model import Gotcha
from gpu_gotchas.records.settings import settings

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Question:
    """As the options of `gotchas doctor`. pasted: what a file among the sources may hold."""

    words: tuple[str, ...] = ()
    sources: tuple[Path, ...] = ()
    as_card: str | None = None
    versions: tuple[str, ...] = ()
    python: Path | None = None
    deep: bool = False
    ignore_file: Path | None = None
    pasted: str = ""

    @property
    def here(self) -> bool:
        """Whether this machine is asked about."""
        return not self.sources and self.as_card is None and not self.pasted


def examine(question: Question, *, everything: bool = False) -> Examination:
    """The whole answer; everything: also what cannot happen. Raises UsageFailed and BadInput."""
    from gpu_gotchas.cli.concerned import concerned

    known = settings()
    where = situation_of(question)
    asked = concerned(where, known, everything=everything)
    found = assess_all(asked.gotchas, where.machine, where.defaults, known)
    parted = sort_out(found, _ignores(question.ignore_file), asked.names, datetime.now(UTC).date())
    return Examination(where, parted.kept, parted.ignored, parted.complaints, asked.passed_over)


def situation_of(question: Question) -> Situation:
    """What is known of the machine and of the command. Raises UsageFailed and BadInput."""
    known = settings()
    facts = facts_of(question)
    launch: Launch | None = None
    words: Sequence[str] = question.words or facts.command
    try:
        launch = read_command(words, known, facts.image) if words else None
    except CommandError as error:
        if question.words:
            raise UsageFailed(str(error)) from None
        # A Dockerfile may end in any command: it just says nothing then.
    return _or_bad_input(lambda: situation(facts, launch, known, Path()))


def facts_of(question: Question) -> Facts:
    """Options outweigh files, files in their order."""
    if question.here:
        asked = _asked(question)
        return merged([asked, *_here(question)])
    if question.deep or question.python:
        raise UsageFailed("--deep and --python ask this machine: leave out --from and --as")
    asked = _asked(question)
    if not question.sources and not question.pasted:
        return asked
    from gpu_gotchas.doctor.readers.reading import (
        read_file,
        read_text,
    )  # every reader: only where one is asked

    told = [_or_bad_input(partial(read_file, path)) for path in question.sources]
    if question.pasted:
        told.append(_or_bad_input(partial(read_text, question.pasted, Path("what was pasted"))))
    return merged([asked, *told])


def gotchas() -> tuple[Gotcha, ...]:
    return load_all()


def _asked(question: Question) -> Facts:
    try:
        machine = Machine(described=True) if question.as_card is None else machine_as(question.as_card)
    except (UnknownName, ValueError) as error:
        raise UsageFailed(f"--as {question.as_card}: {error}") from None
    try:
        return Facts(replace(machine, software=software_with(question.versions)), told_by=("the options",))
    except ValueError as error:
        raise UsageFailed(f"--with: {error}") from None


def _here(question: Question) -> list[Facts]:
    from gpu_gotchas.doctor.here import this_machine_facts
    from gpu_gotchas.doctor.pythons import NoPython, chosen, named

    try:
        environment = named(question.python) if question.python else chosen()
    except NoPython as error:
        raise UsageFailed(f"--python {error}") from None
    found = [this_machine_facts(environment, settings())]
    if question.deep:
        from gpu_gotchas.doctor.deep import ask_torch

        found.append(ask_torch(environment.python))
    return found


def _ignores(file: Path | None) -> tuple[Ignore, ...]:
    path = file or Path("pyproject.toml")
    if file is None and not path.is_file():
        return ()
    try:
        return read_ignores(path)
    except IgnoresError as error:
        raise BadInput(str(error)) from None


def _or_bad_input(ask: Callable[[], T]) -> T:
    try:
        return ask()
    except (UnreadableFile, ModelError) as error:
        raise BadInput(str(error)) from None
