"""From the options of `doctor`, `diff` and `fixes` to an examination."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

from gpu_gotchas.cli.exits import BadInput, UsageFailed
from gpu_gotchas.doctor.asked import machine_as, not_spoken_of, software_with
from gpu_gotchas.doctor.assess import Assessment, Verdict, assess_all, worst
from gpu_gotchas.doctor.command.config_file import ConfigError
from gpu_gotchas.doctor.command.launch import CommandError, Launch, read_commands
from gpu_gotchas.doctor.command.not_read import model_not_read
from gpu_gotchas.doctor.examination import Examination, met_by
from gpu_gotchas.doctor.facts import Facts, merged
from gpu_gotchas.doctor.ignores import Ignore, IgnoresError, Sorted, read_ignores, sort_out
from gpu_gotchas.doctor.knowledge import Knowledge
from gpu_gotchas.doctor.model_folder import ModelError
from gpu_gotchas.doctor.readers.reader import UnreadableFile
from gpu_gotchas.doctor.situation import Situation, situation
from gpu_gotchas.doctor.store import open_knowledge
from gpu_gotchas.hardware.catalogue import UnknownName
from gpu_gotchas.hardware.machine import Machine
from gpu_gotchas.records.setting import Setting

T = TypeVar("T")
STANDARD_INPUT = Path("-")


@dataclass(frozen=True, slots=True)
class Question:
    """As the options of `gotchas doctor`. pasted: what a file among the sources may hold.

    reported: whether candidates are asked too.
    """

    words: tuple[str, ...] = ()
    sources: tuple[Path, ...] = ()
    as_card: str | None = None
    versions: tuple[str, ...] = ()
    python: Path | None = None
    deep: bool = False
    ignore_file: Path | None = None
    pasted: str = ""
    reported: bool = True

    @property
    def here(self) -> bool:
        """Whether this machine is asked about."""
        return not self.sources and self.as_card is None and not self.pasted


def examine(question: Question) -> Examination:
    """The whole answer. Raises UsageFailed, BadInput, RecordErrors and KnowledgeUnusable."""
    known = open_knowledge()
    where = situations_of(question, known.settings)
    candidates = [one for one in known.candidates if one.affects] if question.reported else []
    asked = [*known.records, *candidates]
    each = [assess_all(asked, one.machine, one.defaults, known.settings, one.said) for one in where]
    found = worst(each)
    parted = without_ignored(found, question.ignore_file, known)
    return Examination(
        where[0],
        tuple(one for one in parted.kept if one.gotcha.status is not None),
        parted.ignored,
        parted.complaints,
        tuple(one for one in parted.kept if one.gotcha.status is None and one.verdict is Verdict.MAY),
        question.reported,
        where[1:],
        met_by(each, found),
    )


def without_ignored(found: Iterable[Assessment], file: Path | None, known: Knowledge) -> Sorted:
    """With what the project's own file of ignores, or `file`, takes out. Raises BadInput for a broken one."""
    reported = {name: one.id for one in known.candidates for name in (one.id, *one.aliases)}
    return sort_out(found, _ignores(file), {**reported, **known.names}, datetime.now(UTC).date())


def situations_of(question: Question, known: Mapping[str, Setting]) -> tuple[Situation, ...]:
    """What is known of the machine and of each server that is started, one where none is. Raises UsageFailed
    and BadInput."""
    facts = facts_of(question, known)
    launches, notes = _launches(question, facts, known)
    found = [_or_bad_input(partial(situation, facts, one, known, Path())) for one in launches or (None,)]
    notes += [*facts.notes, *_not_read(question, facts)]
    return tuple(replace(one, notes=(*one.notes, *_of_its_own(one), *notes)) for one in found)


def _of_its_own(situation: Situation) -> list[str]:
    model = situation.launch.model if situation.launch else None
    note = model_not_read(model, Path())
    return [note] if note else []


def _not_read(question: Question, facts: Facts) -> Iterator[str]:
    for name in not_spoken_of(software_with(question.versions)):
        yield f"--with {name}: no record speaks of it"
    if question.words and facts.commands:
        yield "the command of the file is not read: the one that is given goes before it"


def _launches(
    question: Question, facts: Facts, known: Mapping[str, Setting]
) -> tuple[list[Launch], list[str]]:
    """Everything that is started. What a file's own commands say badly is noted; those of the question must
    do."""
    found: list[Launch] = []
    notes: list[str] = []
    for words in (question.words,) if question.words else facts.commands:
        try:
            found += read_commands(words, known, facts.image, Path())
        except ConfigError as error:
            raise BadInput(str(error)) from None
        except CommandError as error:
            if question.words:
                raise UsageFailed(str(error)) from None
            # A Dockerfile may end in any command.
            notes.append(f"a command was passed over: {error}")
    faults = [fault for one in found for fault in one.faults]
    if question.words and faults:
        raise UsageFailed("\n".join(faults))
    return found, notes


def facts_of(question: Question, known: Mapping[str, Setting]) -> Facts:
    """Options outweigh files, files in their order."""
    if question.here:
        asked = _asked(question)
        return merged([asked, *_here(question, known)])
    if question.deep or question.python:
        raise UsageFailed("--deep and --python ask this machine: leave out --from and --as")
    asked = _asked(question)
    if not question.sources and not question.pasted:
        return asked
    from gpu_gotchas.doctor.readers.reading import (
        MAX_BYTES,
        read_bytes,
        read_file,
        read_text,
    )  # every reader: only where one is asked

    def read(path: Path) -> Facts:
        if path != STANDARD_INPUT:
            return read_file(path)
        return read_bytes(sys.stdin.buffer.read(MAX_BYTES + 1), Path("standard input"))

    told = [_or_bad_input(partial(read, path)) for path in question.sources]
    if question.pasted:
        told.append(_or_bad_input(partial(read_text, question.pasted, Path("what was pasted"))))
    return merged([asked, *told])


def _asked(question: Question) -> Facts:
    try:
        machine = Machine(described=True) if question.as_card is None else machine_as(question.as_card)
    except (UnknownName, ValueError) as error:
        raise UsageFailed(f"--as {question.as_card}: {error}") from None
    try:
        return Facts(replace(machine, software=software_with(question.versions)), told_by=("the options",))
    except ValueError as error:
        raise UsageFailed(f"--with: {error}") from None


def _here(question: Question, known: Mapping[str, Setting]) -> list[Facts]:
    from gpu_gotchas.doctor.here import this_machine_facts
    from gpu_gotchas.doctor.pythons import NoPython, chosen, named

    try:
        environment = named(question.python) if question.python else chosen()
    except NoPython as error:
        raise UsageFailed(f"--python {error}") from None
    found = [this_machine_facts(environment, known)]
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
