"""A case of a record as plain data, the form in which the index keeps it."""

from __future__ import annotations

from typing import Any

from gpu_gotchas.hardware.conditions import HardwareCondition, NumberRange
from gpu_gotchas.records.model import Case


def raw_case(case: Case) -> dict[str, Any]:
    """Conditions stay in the record's own words; `conditions` parses them again."""
    return {
        "hardware": _hardware(case.hardware),
        "software": {
            package: [
                {"introduced": span.introduced, "fixed": span.fixed, "last_bad": span.last_bad}
                for span in ranges
            ]
            for package, ranges in case.software.items()
        },
        "platform": list(case.platform),
        "when": {name: list(values) for name, values in case.when.items()},
    }


def _hardware(condition: HardwareCondition) -> dict[str, Any]:
    vendors = condition.vendors
    return {
        "vendors": None
        if vendors is None
        else {
            vendor.value: {
                "capabilities": [span.text for span in wanted.capabilities],
                "names": list(wanted.names),
            }
            for vendor, wanted in vendors.items()
        },
        "shared_memory": _text(condition.shared_memory),
        "memory": _text(condition.memory),
        "count": _text(condition.count),
        "p2p": condition.p2p,
    }


def _text(span: NumberRange | None) -> str | None:
    return None if span is None else span.text
