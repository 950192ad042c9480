"""The catalogue: every target that code is compiled for, and the GPUs that it runs on.

The data lies in `data/*.json`, one line for each entry, checked against schema/gpu.schema.json by the tests.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from gpu_gotchas.hardware.gpus import Gpu, OtherGpu, plain_name, size_as_sold
from gpu_gotchas.hardware.targets import Target, Vendor, format_capability

FORMS = "name it as sm_86, gfx942 or 8.6, or name a GPU, such as RTX 3090 or nvidia-l4"
_DATA = Path(__file__).resolve().parent / "data"


class UnknownName(LookupError):
    """A name that the catalogue does not know. suggestions: the nearest names that it does, best first.

    forms: what such names look like, told where nothing is near.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str], forms: str = "") -> None:
        import difflib  # here, not at the top: it costs start-up time

        self.kind = kind
        self.name = name
        self.suggestions = tuple(difflib.get_close_matches(name.casefold(), list(known), n=3, cutoff=0.6))
        hint = f"did you mean {' or '.join(self.suggestions)}?" if self.suggestions else forms
        super().__init__(f"unknown {kind} {name!r}{f'; {hint}' if hint else ''}")


class CatalogueError(ValueError):
    """An entry of the catalogue that cannot be read: names the file, the entry and what is wrong."""


@cache
def targets() -> tuple[Target, ...]:
    """Every target: NVIDIA by ascending compute capability, then AMD in the order of the data."""
    found = [_target(entry, where) for where, entry in _entries("targets.json", "targets")]
    return tuple(
        sorted(found, key=lambda target: (target.vendor is not Vendor.NVIDIA, target.capability or (0, 0)))
    )


@cache
def gpus() -> tuple[Gpu, ...]:
    """Every GPU, NVIDIA first, in the order of the data."""
    files = ("gpus_nvidia.json", "gpus_amd.json")
    return tuple(_gpu(entry, where) for file in files for where, entry in _entries(file, "gpus"))


@cache
def others() -> tuple[OtherGpu, ...]:
    """GPUs that are known, and of which no record claims anything yet."""
    return tuple(_other(entry, where) for where, entry in _entries("others.json", "others"))


def other_named(name: str) -> OtherGpu | None:
    """One of `others`, by id or by its driver's name."""
    return next((one for one in others() if name == one.id or plain_name(name) == plain_name(one.name)), None)


def find_target(name: str) -> Target:
    """The target called `name`: `sm_86`, `gfx942`, `8.6`, a GPU's id or name, or `DGX Spark`.

    Raises UnknownName with a suggestion, or with what names look like.
    """
    found = _targets_by_name().get(name.casefold())
    if found is not None:
        return found
    called = {gpu.target for gpu in gpus_called(name)}
    if len(called) != 1:
        from gpu_gotchas.hardware import nicknames  # a file more: only for what is not known

        card, _ = nicknames.called(name)
        if card != name:
            return find_target(card)
        raise UnknownName("target", name, [*_targets_by_name(), *_gpus_called()], FORMS)
    return called.pop()


def gpus_called(name: str) -> tuple[Gpu, ...]:
    """Every GPU with this id, or with this name: a driver's, or as people say it (`RTX 3090`, `rtx-3090`)."""
    called = _gpus_called()
    exact = called.get(plain_name(name)) or called.get(plain_name(name.replace("-", " ")))
    return exact or _with_words(name)


_WORD = re.compile(r"[a-z]+[0-9]*|[0-9]+[a-z]*")


def _with_words(name: str) -> tuple[Gpu, ...]:
    """Every GPU whose name holds all words of `name`: `h100` is each H100. A laptop's must be asked for."""
    spaced = re.sub(r"\b(rtx|gtx|rx)(?=[0-9])", r"\1 ", plain_name(name.replace("-", " ")))
    words = set(_WORD.findall(spaced))
    if not any(character.isdigit() for character in name):
        return ()
    held = {gpu: set(_WORD.findall(plain_name(gpu.name))) for gpu in gpus()}
    return tuple(
        gpu for gpu, names in held.items() if words <= names and ("laptop" in words or "laptop" not in names)
    )


def find_gpu(id: str) -> Gpu:
    """The GPU with this id (`nvidia-rtx-a5000`); raises UnknownName with a suggestion."""
    found = _gpus_by_id().get(id.casefold())
    if found is None:
        raise UnknownName("GPU", id, _gpus_by_id())
    return found


def gpus_by_driver_name(name: str) -> tuple[Gpu, ...]:
    """Every GPU that a driver reports under `name`: several where models share one, none where unknown."""
    return _gpus_by_name().get(plain_name(name), ())


def gpu_by_driver_name(name: str, memory: int | None = None) -> Gpu | None:
    """The GPU that a driver reports under `name`, or None where that is unknown or not decided.

    memory: bytes that the driver reports, which tells models apart that share a name (RTX 3080).
    """
    found = gpus_by_driver_name(name)
    if len(found) > 1 and memory is not None:
        found = tuple(gpu for gpu in found if size_as_sold(gpu, memory) in gpu.memory)
    return found[0] if len(found) == 1 else None


def target_by_driver_name(name: str) -> Target | None:
    """The target of every GPU that a driver reports under `name`, or None where that is unknown."""
    found = gpus_by_driver_name(name)
    return found[0].target if found else None


@cache
def _targets_by_name() -> dict[str, Target]:
    """By name, and on NVIDIA by compute capability as well."""
    by_capability = {
        format_capability(target.capability): target for target in targets() if target.capability
    }
    return by_capability | {target.name: target for target in targets()}


@cache
def _gpus_called() -> dict[str, tuple[Gpu, ...]]:
    found: dict[str, tuple[Gpu, ...]] = {}
    for gpu in gpus():
        names = {plain_name(name) for name in gpu.names}
        for name in {gpu.id, *names, *map(_without_brand, names)}:
            found[name] = (*found.get(name, ()), gpu)
    return found


def _without_brand(name: str) -> str:
    brand, _, rest = name.partition(" ")
    return rest if brand in ("geforce", "quadro", "tesla", "radeon", "instinct") and rest else name


@cache
def _gpus_by_id() -> dict[str, Gpu]:
    return {gpu.id: gpu for gpu in gpus()}


@cache
def _gpus_by_name() -> dict[str, tuple[Gpu, ...]]:
    found: dict[str, tuple[Gpu, ...]] = {}
    for gpu in gpus():
        for name in {plain_name(name) for name in gpu.names}:
            found[name] = (*found.get(name, ()), gpu)
    return found


def _entries(file: str, key: str) -> list[tuple[str, Mapping[str, Any]]]:
    try:
        entries = json.loads((_DATA / file).read_text(encoding="utf-8"))[key]
    except (OSError, ValueError, KeyError) as error:
        raise CatalogueError(f"{file}: wants an object with {key!r}: {error}") from error
    return [(f"{file}: {entry.get('id') or entry.get('name')}", entry) for entry in entries]


def _target(entry: Mapping[str, Any], where: str) -> Target:
    try:
        capability = entry.get("capability")
        major, minor = map(int, capability.split(".")) if capability else (0, 0)
        return Target(
            name=entry["name"],
            vendor=Vendor(entry["vendor"]),
            capability=(major, minor) if capability else None,
            warp_size=entry["warp_size"],
            shared_default=entry["shared_default"],
            shared_optin=entry["shared_optin"],
            source=entry["source"],
        )
    except (KeyError, ValueError) as error:
        raise CatalogueError(f"{where}: {error}") from error


def _other(entry: Mapping[str, Any], where: str) -> OtherGpu:
    try:
        return OtherGpu(entry["id"], Vendor(entry["vendor"]), entry["name"], entry["source"])
    except (KeyError, ValueError) as error:
        raise CatalogueError(f"{where}: {error}") from error


def _gpu(entry: Mapping[str, Any], where: str) -> Gpu:
    try:
        return Gpu(
            id=entry["id"],
            vendor=Vendor(entry["vendor"]),
            name=entry["name"],
            also=tuple(entry.get("also", ())),
            target=_targets_by_name()[entry["target"]],
            memory=tuple(entry["memory"]),
            multiprocessors=entry["multiprocessors"],
            source=entry["source"],
        )
    except (LookupError, ValueError) as error:
        raise CatalogueError(f"{where}: {error}") from error
