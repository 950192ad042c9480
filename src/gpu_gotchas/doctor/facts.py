"""What is known of a machine and of what is to run on it, before the two are put together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from gpu_gotchas.hardware.machine import Host, Machine


@dataclass(frozen=True, slots=True)
class Facts:
    """machine: as far as it is known. environment: variables that are set, by name.

    seen: beginnings of the names that were looked for, so that a name that is missing is known not to be set;
    "" for all. commands: command lines that came along, each as its words, such as a Dockerfile's. image:
    whose own entrypoint takes them, where there is one. told_by: what it was read from. words: a report's
    own, which decide nothing. flags: those that a report names, which need not be all that were given. notes:
    what a file says and nothing reads."""

    machine: Machine = field(default_factory=lambda: Machine(described=True))
    environment: Mapping[str, str] = field(default_factory=dict)
    seen: tuple[str, ...] = ()
    commands: tuple[tuple[str, ...], ...] = ()
    image: str | None = None
    told_by: tuple[str, ...] = ()
    words: str = ""
    flags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def merged(parts: Iterable[Facts]) -> Facts:
    """All of it; where two parts answer one question, the earlier one is believed."""
    result = Facts()
    for part in parts:
        result = Facts(
            machine=machines_merged(result.machine, part.machine),
            environment={**part.environment, **result.environment},
            seen=(*result.seen, *part.seen),
            commands=result.commands or part.commands,
            image=result.image or part.image,
            told_by=(*result.told_by, *part.told_by),
            flags=(*result.flags, *part.flags),
            notes=(*result.notes, *part.notes),
            words=" ".join(filter(None, (result.words, part.words))),
        )
    return result


def machines_merged(known: Machine, more: Machine) -> Machine:
    """What is known, filled up with more. Cards are taken whole, never mixed from two lists."""
    one, other = known.host, more.host
    return replace(
        known,
        cards=more.cards if known.cards is None else known.cards,
        count_known=more.count_known if known.cards is None else known.count_known,
        software={**more.software, **known.software},
        platform={**more.platform, **known.platform},
        settings={**more.settings, **known.settings},
        p2p=more.p2p if known.p2p is None else known.p2p,
        described=known.described and more.described,
        unknown=(*known.unknown, *more.unknown),
        host=Host(
            other.memory if one.memory is None else one.memory,
            other.memory_limit if one.memory_limit is None else one.memory_limit,
            other.shared_memory if one.shared_memory is None else one.shared_memory,
        ),
    )
