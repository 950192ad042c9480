"""From a command line, or a shell's text, to the engines that it starts, each with its settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from gpu_gotchas.doctor.command.config_file import with_config
from gpu_gotchas.doctor.command.docker import Container, is_docker, read_docker
from gpu_gotchas.doctor.command.engines import Call, find_call, find_call_of_image, find_call_within
from gpu_gotchas.doctor.command.flags import read_flags
from gpu_gotchas.doctor.command.not_read import not_read
from gpu_gotchas.doctor.command.prefixes import shell_text, strip_prefixes
from gpu_gotchas.doctor.command.shell import commands_of_text, commands_of_words
from gpu_gotchas.doctor.images import is_for_cpu
from gpu_gotchas.doctor.installs import read_install
from gpu_gotchas.records.setting import Setting

MAX_WORDS = 2000
MAX_WORD = 20_000
MAX_TEXT = 200_000
MAX_LAUNCHES = 16
_DEEPEST = 4
_OUTSIDE = Container()
_FOR_CPU = {"VLLM_TARGET_DEVICE": "cpu"}
# Commands whose words may be another command.
_ENGINES = ("vllm", "sglang")
# What commonly stands beside a server's command and starts nothing.
_BESIDE = frozenset(
    {
        *(
            "cd",
            "echo",
            "export",
            "set",
            "source",
            ".",
            "sleep",
            "wait",
            "tee",
            "cat",
            "grep",
            "tail",
            "head",
        ),
        *(
            "less",
            "mkdir",
            "rm",
            "ls",
            "cp",
            "mv",
            "touch",
            "chmod",
            "true",
            "false",
            "trap",
            "exit",
            "return",
        ),
        *("ulimit", "unset", "pip", "pip3", "uv", "conda", "mamba", "apt", "apt-get", "curl", "wget", "git"),
        *(
            "nvidia-smi",
            "rocm-smi",
            "test",
            "[",
            "[[",
            "which",
            "printf",
            "date",
            "kill",
            "pkill",
            "for",
            "if",
        ),
    }
)


class CommandError(ValueError):
    """A command line that cannot be used: says what would be right."""


@dataclass(frozen=True, slots=True)
class Launch:
    """What a command line starts.

    package: vllm or sglang. model: its name or folder, None when not said. settings: what it sets.
    environment: the variables it sets. software: versions that an image names, or that were installed just
    before. shared_memory: bytes of /dev/shm. notes: what was not understood, or is no value that the package
    takes. faults: what the engine refuses to start with. unknown: settings whose value could not be read.
    passed_over: flags that no setting knows, with their values. elsewhere: a file with flags that is not
    here, so that nothing is known to have its default."""

    package: str
    model: str | None
    settings: Mapping[str, str]
    environment: Mapping[str, str] = field(default_factory=dict)
    software: Mapping[str, str | None] = field(default_factory=dict)
    shared_memory: int | None = None
    container: bool = False
    notes: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    passed_over: tuple[str, ...] = ()
    elsewhere: str | None = None


@dataclass(frozen=True, slots=True)
class _Around:
    """What holds where a command runs: variables, versions, the container and its image."""

    environment: Mapping[str, str] = field(default_factory=dict)
    software: Mapping[str, str | None] = field(default_factory=dict)
    container: Container = _OUTSIDE
    image: str | None = None


@dataclass(frozen=True, slots=True)
class _Found:
    """One command: what it starts, or else its words, which start nothing that is known."""

    around: _Around
    call: Call | None
    words: Sequence[str] = ()
    started_by: str = ""


def read_commands(
    words: Sequence[str],
    known: Mapping[str, Setting],
    image: str | None = None,
    base: Path | None = None,
) -> tuple[Launch, ...]:
    """Everything that a command line starts, in order. Raises CommandError where that is neither vLLM nor
    SGLang.

    words: as a program gets them; an operator that stands as a word of its own ends a command, and the text
    of `sh -c TEXT` is read as a shell reads it. image: of the container it runs in, whose own entrypoint may
    start it. base: where a file of flags is looked for; None where none may be read. Raises ConfigError for
    one that cannot be used."""
    if len(words) > MAX_WORDS or any(len(word) > MAX_WORD for word in words):
        text = shell_text(words)
        if text is None or len(words) > MAX_WORDS or len(text) > MAX_TEXT:
            raise CommandError(
                f"the command has more than {MAX_WORDS} words, or a word of over {MAX_WORD} characters"
            )
    shown = (shell_text(words) or " ".join(words))[:80]
    around = _Around(_FOR_CPU if is_for_cpu(image or "") else {}, image=image)
    found = list(_unfolded(commands_of_words(words), around, _DEEPEST))
    starting = [one for one in found if one.call is not None and one.call.only_tells is None]
    if not starting:
        for one in found:
            if one.call is not None:
                raise CommandError(f"{one.call.only_tells} only prints and starts nothing: leave it out")
        raise CommandError(
            f"{shown!r} starts neither vLLM nor SGLang: give a command such as `vllm serve MODEL …` "
            "or `python -m sglang.launch_server --model-path MODEL …`"
        )
    if len(starting) > MAX_LAUNCHES:
        raise CommandError(f"the command starts more than {MAX_LAUNCHES} servers: ask about fewer at once")
    launches = [_launch(one, known, base) for one in starting]
    launches[0] = replace(launches[0], notes=(*launches[0].notes, *_beside(found)))
    return tuple(launches)


def _beside(found: Sequence[_Found]) -> Iterator[str]:
    """What was not read: commands that start nothing that is known, and those that only print."""
    for one in found:
        words = " ".join(one.words)[:80]
        if one.call is None and one.words[0].rpartition("/")[2] not in _BESIDE:
            yield f"passed over, for it starts neither vLLM nor SGLang: {words}"
        elif one.call is not None and one.call.only_tells is not None:
            yield f"passed over, for {one.call.only_tells} only prints: {one.call.package}"


def _unfolded(commands: Sequence[Sequence[str]], around: _Around, depth: int) -> Iterator[_Found]:
    """Every single command, with what the ones before it leave behind for it."""
    for command in commands:
        variables, words = strip_prefixes(command)
        here = replace(around, environment={**around.environment, **variables})
        text = shell_text(words)
        if not words:
            around = here if "export" in command else around  # what is only assigned, no child sees
        elif (change := read_install(words)) is not None:
            around = replace(here, software=change.applied(around.software))
            yield _Found(here, None, words)
        elif text is not None and depth:
            yield from _unfolded(commands_of_text(text), replace(here, image=None), depth - 1)
        elif is_docker(words) and depth:
            container = read_docker(words, here.environment)
            own_environment = _FOR_CPU if is_for_cpu(container.image or "") else {}
            inner = _Around(
                {**own_environment, **container.environment}, container=container, image=container.image
            )
            inside = (*container.entrypoint, *container.arguments)
            own = None if container.entrypoint else find_call_of_image(container.image or "", inside)
            if own is not None and shell_text(inside) is None:
                yield _Found(inner, own)
            else:
                yield from _unfolded([inside], inner, depth - 1)
        else:
            yield from _single(words, here, depth)


def _single(words: Sequence[str], around: _Around, depth: int) -> Iterator[_Found]:
    call, started_by = find_call(words), ""
    if call is None and around.image is not None:
        call = find_call_of_image(around.image, words)
    if call is None:
        call, started_by = find_call_within(words)
    if call is not None:
        yield _Found(around, call, words, started_by)
        return
    for word in words:  # a command as one word, as ssh and tmux take it
        if depth and " " in word and any(name in word for name in _ENGINES):
            found = list(_unfolded(commands_of_text(word), around, depth - 1))
            if any(one.call is not None for one in found):
                yield from found
                return
    yield _Found(around, None, words or ("",))


def _launch(found: _Found, known: Mapping[str, Setting], base: Path | None) -> Launch:
    call, around = found.call, found.around
    assert call is not None
    arguments, elsewhere = with_config(call.arguments, base)
    flags = read_flags(arguments, call.package, known)
    notes = list(flags.notes)
    if elsewhere:
        notes.insert(0, f"--config {elsewhere}: is not here, so what it sets is not known")
    if found.started_by:
        notes.insert(0, f"what stands before {call.package}'s command was passed over: {found.started_by}")
    notes += not_read(call.package, flags.passed_over, notes)
    model, stray = call.model, list(flags.positional)
    if model is None and call.package == "vllm" and stray and stray[0] != "#":
        model = stray.pop(0)
    faults = [f"{call.package} refuses {word!r}: no flag takes it" for word in stray]
    return Launch(
        package=call.package,
        model=(model or flags.model) if call.package == "vllm" else (flags.model or model),
        settings=flags.settings,
        environment=around.environment,
        software={**around.container.software, **around.software},
        shared_memory=around.container.shared_memory,
        container=around.container.image is not None,
        notes=tuple(notes),
        faults=(*faults, *flags.faults),
        unknown=flags.unknown,
        passed_over=flags.passed_over,
        elsewhere=elsewhere,
    )
