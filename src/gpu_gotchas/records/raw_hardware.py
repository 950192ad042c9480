"""What a record asks of hardware as plain data, the form in which built documents keep it, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpu_gotchas.hardware.conditions import CapabilityRange, HardwareCondition, NumberRange, VendorCondition
from gpu_gotchas.hardware.targets import Vendor


def raw_hardware(condition: HardwareCondition) -> dict[str, Any]:
    """Ranges stay in the record's own words; `hardware_condition` parses them again."""
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


def hardware_condition(raw: Mapping[str, Any]) -> HardwareCondition:
    """The condition that `raw_hardware` wrote down."""
    vendors = raw["vendors"]
    return HardwareCondition(
        vendors=None
        if vendors is None
        else {
            Vendor(name): VendorCondition(
                tuple(CapabilityRange.parse(text) for text in vendor["capabilities"]),
                tuple(vendor["names"]),
            )
            for name, vendor in vendors.items()
        },
        shared_memory=_number(raw["shared_memory"]),
        memory=_number(raw["memory"]),
        count=_number(raw["count"]),
        p2p=raw["p2p"],
    )


def _number(text: str | None) -> NumberRange | None:
    return None if text is None else NumberRange.parse(text)
