"""From the words of a command line to what it starts, and with which settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from gpu_gotchas.doctor.command.config_file import with_config
from gpu_gotchas.doctor.command.docker import Container, is_docker, read_docker
from gpu_gotchas.doctor.command.engines import Call, find_call, find_call_within
from gpu_gotchas.doctor.command.flags import read_flags
from gpu_gotchas.doctor.command.prefixes import strip_prefixes
from gpu_gotchas.records.setting import Setting

MAX_WORDS = 2000
MAX_WORD = 20_000


class CommandError(ValueError):
    """A command line that cannot be used: says what would be right."""


@dataclass(frozen=True, slots=True)
class Launch:
    """What a command line starts.

    package: vllm or sglang. model: its name or folder, None when not said. settings: what it sets.
    environment: the variables it sets. software: versions that an image names. shared_memory: bytes of
    /dev/shm. notes: what was not understood, or is no value that the package takes. passed_over: flags that
    no setting knows, with their values. elsewhere: a file with flags that is not here, so that nothing is
    known to have its default.
    """

    package: str
    model: str | None
    settings: Mapping[str, str]
    environment: Mapping[str, str] = field(default_factory=dict)
    software: Mapping[str, str | None] = field(default_factory=dict)
    shared_memory: int | None = None
    container: bool = False
    notes: tuple[str, ...] = ()
    passed_over: tuple[str, ...] = ()
    elsewhere: str | None = None


def read_command(
    words: Sequence[str],
    known: Mapping[str, Setting],
    image: str | None = None,
    base: Path | None = None,
) -> Launch:
    """What the command line `words` starts. Raises CommandError where it starts neither vLLM nor SGLang.

    image: of the container it runs in, whose own entrypoint may start it. base: where a file of flags is
    looked for; None where none may be read. Raises ConfigError for one that cannot be used.
    """
    if len(words) > MAX_WORDS or any(len(word) > MAX_WORD for word in words):
        raise CommandError(
            f"the command has more than {MAX_WORDS} words, or a word of over {MAX_WORD} characters"
        )
    environment, rest = strip_prefixes(words)
    container = Container()
    if is_docker(rest):
        container = read_docker(rest)
        environment = {**environment, **container.environment}
        inner, rest = strip_prefixes(container.arguments)
        environment.update(inner)
    call, started_by = find_call(rest, container.image or image), ""
    if call is None:
        call, started_by = find_call_within(rest)
    if call is None:
        shown = " ".join(words)[:80]
        raise CommandError(
            f"{shown!r} starts neither vLLM nor SGLang: give a command such as `vllm serve MODEL …` "
            "or `python -m sglang.launch_server --model-path MODEL …`"
        )
    launch = _launch(call, environment, container, known, base)
    if not started_by:
        return launch
    return replace(
        launch,
        notes=(f"what stands before {call.package}'s command was passed over: {started_by}", *launch.notes),
    )


def _launch(
    call: Call,
    environment: Mapping[str, str],
    container: Container,
    known: Mapping[str, Setting],
    base: Path | None,
) -> Launch:
    arguments, elsewhere = with_config(call.arguments, base)
    flags = read_flags(arguments, call.package, known)
    missing = (f"--config {elsewhere}: is not here, so what it sets is not known",) if elsewhere else ()
    return Launch(
        package=call.package,
        model=(call.model or flags.model) if call.package == "vllm" else (flags.model or call.model),
        settings=flags.settings,
        environment=environment,
        software=container.software,
        shared_memory=container.shared_memory,
        container=container.image is not None,
        notes=(*missing, *flags.notes),
        passed_over=flags.passed_over,
        elsewhere=elsewhere,
    )
