"""Compose files and Kubernetes manifests: each container that may start an engine, as `docker run` would.

Containers that name no engine are left out. A value such as `${TAG:-v0.24.0}` takes its default.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from gpu_gotchas.doctor.command.docker import VISIBLE, as_docker_run, numbered
from gpu_gotchas.doctor.facts import Facts
from gpu_gotchas.doctor.readers.loose_yaml import documents
from gpu_gotchas.doctor.readers.nested import mappings
from gpu_gotchas.doctor.readers.nodes import cards_of, selected
from gpu_gotchas.doctor.readers.reader import Reader, Text
from gpu_gotchas.hardware.machine import Machine

MAX_CONTAINERS = 64
_COMPOSE = re.compile(r"^services:\s*(?:#.*)?$", re.MULTILINE)
_KIND = re.compile(r"^kind: *\S", re.MULTILINE)
_CONTAINERS = re.compile(r"^\s*(?:- )?containers:\s*(?:#.*)?$", re.MULTILINE)
_HOLE = re.compile(r"\$\{[A-Za-z_]\w*(?::?-([^}$]*))\}")
_ENGINES = ("vllm", "sglang")
_BUILT_HERE = "built-from-source"


def recognises(text: Text) -> bool:
    return bool(_COMPOSE.search(text.text) or (_KIND.search(text.text) and _CONTAINERS.search(text.text)))


def read(text: Text) -> Facts:
    """Raises ValueError for text that is no YAML, and where no container starts an engine."""
    commands: list[tuple[str, ...]] = []
    nodes: list[tuple[str, str]] = []
    for document in documents(text.text):
        if not isinstance(document, dict):
            continue
        services = document.get("services")
        found = services.values() if isinstance(services, dict) else ()
        commands += filter(None, map(_service, found))
        commands += filter(None, map(_kubernetes, _containers(document)))
        nodes += selected(document)
    if not commands:
        raise ValueError("no container in it names vLLM or SGLang")
    cards, notes = cards_of(nodes)
    if len(commands) > MAX_CONTAINERS:
        notes = (*notes, f"only the first {MAX_CONTAINERS} containers are read")
    return Facts(
        Machine(
            cards=cards,
            count_known=False,
            platform={"container": True, "linux": True},
            described=True,
        ),
        commands=tuple(commands[:MAX_CONTAINERS]),
        notes=notes,
    )


def _service(service: Any) -> tuple[str, ...] | None:
    if not isinstance(service, dict):
        return None
    environment = _environment(service.get("environment"))
    seen = _seen(service)
    if seen is not None:
        environment.setdefault(VISIBLE, seen)
    return _container(
        service.get("image"),
        service.get("entrypoint"),
        service.get("command"),
        environment,
        _text(service.get("shm_size")),
    )


def _kubernetes(container: Mapping[str, Any]) -> tuple[str, ...] | None:
    environment = _environment(container.get("env"))
    limits = _below(container, "resources", "limits")
    count = (
        _text(limits.get("nvidia.com/gpu") or limits.get("amd.com/gpu")) if isinstance(limits, dict) else None
    )
    if count is not None and count.isdigit() and 0 < int(count) < 1000:
        environment.setdefault(VISIBLE, numbered(int(count)))
    return _container(
        container.get("image"), container.get("command"), container.get("args"), environment, None
    )


def _container(
    image: Any, entrypoint: Any, command: Any, environment: Mapping[str, str], shared_memory: str | None
) -> tuple[str, ...] | None:
    image = _text(image) or _BUILT_HERE
    before, behind = _words(entrypoint), _words(command)
    said = " ".join((image, *before, *behind))
    if not any(name in said for name in _ENGINES):
        return None
    return as_docker_run(image, behind, before, environment, shared_memory)


def _words(value: Any) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(text for one in value if (text := _text(one)) is not None)
    if not isinstance(value, str):
        return ()
    try:
        return tuple(map(_filled, shlex.split(value)))
    except ValueError:
        return tuple(_filled(value).split())


def _text(value: Any) -> str | None:
    if isinstance(value, bool):
        return str(value).lower()
    return _filled(str(value)) if isinstance(value, (str, int, float)) else None


def _filled(text: str) -> str:
    return _HOLE.sub(lambda hole: hole[1], text).replace("$$", "$")


def _environment(value: Any) -> dict[str, str]:
    """A mapping, a list of `NAME=VALUE`, or a list of name and value."""
    pairs: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        pairs = list(value.items())
    for one in value if isinstance(value, list) else ():
        if isinstance(one, dict):
            pairs.append((one.get("name"), one.get("value")))
        elif isinstance(one, str) and "=" in one:
            name, _, value_ = one.partition("=")
            pairs.append((name, value_))
    named = ((name, _text(given)) for name, given in pairs if isinstance(name, str))
    return {name: text for name, text in named if text is not None}


def _seen(service: Mapping[str, Any]) -> str | None:
    """The cards that a service reserves, None where it takes all, or does not say."""
    devices = _below(service, "deploy", "resources", "reservations", "devices")
    for one in (*_dicts(devices), *_dicts(service.get("gpus"))):
        ids = one.get("device_ids")
        if isinstance(ids, list) and ids:
            return ",".join(text for each in ids if (text := _text(each)) is not None)
        count = _text(one.get("count"))
        if count is not None and count.isdigit() and 0 < int(count) < 1000:
            return numbered(int(count))
    return None


def _dicts(value: Any) -> Iterator[Mapping[str, Any]]:
    yield from (one for one in value if isinstance(one, dict)) if isinstance(value, list) else ()


def _below(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _containers(document: Any) -> Iterator[Mapping[str, Any]]:
    """Every entry of a list called `containers`, wherever it lies."""
    for part in mappings(document):
        yield from _dicts(part.get("containers"))


READER = Reader("compose file or Kubernetes manifest", recognises, read, whole=True)
