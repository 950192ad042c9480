"""Environment variables that settings name, read as the release reads them that is to run.

A variable that a release has dropped has no effect there, and a flag that it does not have is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpu_gotchas.hardware.truth import Truth
from gpu_gotchas.records.setting import Releases, Setting

_LONGEST = 2000


@dataclass(frozen=True, slots=True)
class Variables:
    """given: settings that have an effect. open: those of which it is not known whether the release reads
    them, with their values. notes: variables that it does not read."""

    given: Mapping[str, str]
    open: Mapping[str, str]
    notes: tuple[str, ...]


def read_variables(
    environment: Mapping[str, str], known: Mapping[str, Setting], software: Mapping[str, str | None]
) -> Variables:
    """Variables that settings name; no other one is looked at. software: versions by package."""
    given, open_, notes = {}, {}, []
    for name, setting in known.items():
        value = environment.get(setting.variable, "").strip()[:_LONGEST] if setting.variable else ""
        if not value:
            continue
        read = _known_to(setting.variable_releases, setting.package, software)
        if read is Truth.YES:
            given[name] = value
        elif read is Truth.UNKNOWN:
            open_[name] = value
        else:
            instead = f"; {setting.flag} does" if setting.flag else ""
            version = software.get(setting.package)
            notes.append(f"{setting.package} {version} does not read {setting.variable}{instead}")
    return Variables(given, open_, tuple(notes))


def refused_flags(
    asked: Mapping[str, str], known: Mapping[str, Setting], software: Mapping[str, str | None]
) -> Iterator[str]:
    """Of the settings that a command line sets, those whose flag the release does not have, as notes."""
    for name in asked:
        setting = known[name]
        if _known_to(setting.flag_releases, setting.package, software) is Truth.NO:
            has = f"{setting.package} {software.get(setting.package)} has no {setting.flag}"
            yield f"{has}, and refuses to start with it"


def _known_to(releases: Releases | None, package: str, software: Mapping[str, str | None]) -> Truth:
    return Truth.YES if releases is None else releases.hold(software.get(package))
