"""A case of a record as plain data, the form in which the index keeps it."""

from __future__ import annotations

from typing import Any

from gpu_gotchas.records.model import Case
from gpu_gotchas.records.raw_hardware import raw_hardware


def raw_case(case: Case) -> dict[str, Any]:
    """Conditions stay in the record's own words; `conditions` parses them again."""
    return {
        "hardware": raw_hardware(case.hardware),
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
