"""The examination as JSON. Its form is versioned; keys are only ever added within a version."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from gpu_gotchas.doctor.assess import Assessment, Verdict
from gpu_gotchas.doctor.examination import Examination
from gpu_gotchas.doctor.formats.severity import status
from gpu_gotchas.doctor.remedies import Remedy
from gpu_gotchas.doctor.situation import Situation
from gpu_gotchas.hardware.machine import Card

VERSION = 1


def report(examination: Examination, *, everything: bool = False) -> dict[str, Any]:
    """everything: also what cannot happen here."""
    named = {one.gotcha.id for one in examination.named}

    def told(one: Assessment) -> dict[str, Any]:
        return {**gotcha(one, named), "servers": list(examination.servers_of(one.gotcha.id))}

    shown = [one for one in examination.found if everything or one.verdict is not Verdict.CANNOT]
    return {
        "version": VERSION,
        "machine": machine(examination.situation),
        "command": _command(examination.situation),
        "further_commands": [_command(one) for one in examination.further],
        "counts": {
            "will": len(examination.of(Verdict.WILL)),
            "may": len(examination.of(Verdict.MAY)),
            "cannot": len(examination.of(Verdict.CANNOT)),
            "biting": len(examination.biting),
            "ignored": len(examination.ignored),
            "reported": len(examination.reported),
        },
        "gotchas": [told(one) for one in shown],
        "reported": [told(one) for one in examination.reported if everything or one.gotcha.id in named],
        "ignored": [
            {**told(one), "ignored": {"reason": ignore.reason, "until": ignore.until.isoformat()}}
            for one, ignore in examination.ignored
        ],
        "complaints": list(examination.complaints),
        "notes": list(examination.notes),
    }


def machine(situation: Situation) -> dict[str, Any]:
    known = situation.machine
    return {
        "told_by": list(situation.told_by),
        "described": known.described,
        "cards": None if known.cards is None else [_card(card) for card in known.cards],
        "count_known": known.count_known,
        "software": dict(known.software),
        "pinned": dict(situation.pinned),
        "platform": dict(known.platform),
        "p2p": known.p2p,
        "host": {
            "memory": known.host.memory,
            "memory_limit": known.host.memory_limit,
            "shared_memory": known.host.shared_memory,
        },
        "settings": dict(known.settings),
        "unknown": [{"what": one.what, "because": one.because} for one in known.unknown],
    }


def gotcha(one: Assessment, named: Collection[str]) -> dict[str, Any]:
    """named: ids of what is told without being asked for."""
    record = one.gotcha
    return {
        "id": record.id,
        "title": record.title,
        "status": status(one),
        "severity": record.severity and record.severity.value,
        "kind": record.kind and record.kind.value,
        "verdict": one.verdict.value,
        "likely": one.likely,
        "relevance": round(one.relevance, 2),
        "named": record.id in named,
        "bites": one.bites,
        "decide": list(one.open),
        "fix": {"state": one.fix.value, "remedies": [remedy(each) for each in one.remedies]},
        "workarounds": [{"do": each.do, "costs": each.costs} for each in record.workaround],
        "cases": [
            {
                "holds": case.truth.value,
                "conditions": [
                    {
                        "kind": part.kind.value,
                        "name": part.name,
                        "wanted": part.wanted,
                        "found": part.found,
                        "holds": part.truth.value,
                        "decide": part.decide or None,
                    }
                    for part in case.conditions
                ],
            }
            for case in one.cases
        ],
    }


def remedy(each: Remedy) -> dict[str, Any]:
    fix = each.fix
    return {
        "use": fix.use,
        "how": each.how,
        "type": fix.type.value,
        "risk": fix.risk.value,
        "costs": fix.costs,
        "active": each.active,
        "way": each.way.value,
        "open": each.open or None,
    }


def _card(card: Card) -> dict[str, Any]:
    return {
        "name": card.name,
        "gpu": card.gpu,
        "target": card.target.name if card.target else None,
        "memory": card.memory,
        "mig": card.mig,
    }


def _command(situation: Situation) -> dict[str, Any] | None:
    launch = situation.launch
    if launch is None:
        return None
    return {
        "package": launch.package,
        "model": launch.model,
        "settings": dict(launch.settings),
        "variables": sorted(launch.environment),
    }
