"""The shape of `affects`: on which hardware, versions, platforms and settings a failure strikes."""

from __future__ import annotations

from collections.abc import Mapping

from gpu_gotchas.hardware.conditions import (
    CapabilityRange,
    HardwareCondition,
    NumberRange,
    VendorCondition,
    VersionRange,
)
from gpu_gotchas.hardware.platforms import PLATFORMS
from gpu_gotchas.hardware.targets import Vendor
from gpu_gotchas.records.model import Case
from gpu_gotchas.records.shapes import (
    BAD,
    Bad,
    Shape,
    Sink,
    boolean,
    either,
    items,
    mapping,
    one_of,
    parsed,
    table,
    text,
)
from gpu_gotchas.records.words import gfx, package, release, setting
from gpu_gotchas.records.yaml_nodes import Items, Node, Scalar, ScalarKind

capability_range = parsed(text(wanted='a range such as ">=8.9,<9.0"'), CapabilityRange.parse)
number_range = parsed(text(wanted='a range such as "<=101376"'), NumberRange.parse)


def _nvidia(compute_capability: tuple[CapabilityRange, ...]) -> VendorCondition:
    return VendorCondition(capabilities=compute_capability)


def _amd(gfx: tuple[str, ...]) -> VendorCondition:
    return VendorCondition(names=gfx)


def _hardware(
    nvidia: VendorCondition | None,
    amd: VendorCondition | None,
    intel: VendorCondition | None,
    **properties: NumberRange | bool | None,
) -> HardwareCondition:
    named = {Vendor.NVIDIA: nvidia, Vendor.AMD: amd, Vendor.INTEL: intel}
    vendors = {vendor: condition for vendor, condition in named.items() if condition is not None}
    if not vendors and all(value is None for value in properties.values()):
        raise ValueError("must say something, or be any")
    return HardwareCondition(vendors or None, **properties)  # type: ignore[arg-type]


_ANY = VendorCondition()

hardware: Shape[HardwareCondition] = either(
    "any",
    HardwareCondition(),
    table(
        _hardware,
        required={},
        optional={
            "nvidia": (
                either("any", _ANY, table(_nvidia, {"compute_capability": items(capability_range, least=1)})),
                None,
            ),
            "amd": (either("any", _ANY, table(_amd, {"gfx": items(gfx, least=1, unique=True)})), None),
            "intel": (either("any", _ANY, table(VendorCondition, {})), None),
            "shared_memory": (number_range, None),
            "memory": (number_range, None),
            "count": (number_range, None),
            "p2p": (boolean, None),
        },
    ),
)


def _versions(
    introduced: str | None, fixed: str | None, last_bad: str | None, measured: bool
) -> VersionRange:
    if introduced is fixed is last_bad is None:
        raise ValueError("must give introduced, fixed or last_bad, or be any")
    return VersionRange(introduced, fixed, last_bad, measured)


_version_range = table(
    _versions,
    required={},
    optional={
        "introduced": (release, None),
        "fixed": (release, None),
        "last_bad": (release, None),
        "measured": (boolean, False),
    },
)
_several_ranges = items(_version_range, least=1)


def versions(node: Node, sink: Sink) -> tuple[VersionRange, ...] | Bad:
    """`any`, one range, or a list of ranges."""
    if isinstance(node, Items):
        return _several_ranges(node, sink)
    one = either("any", VersionRange(), _version_range)(node, sink)
    return BAD if isinstance(one, Bad) else (one,)


_text_value = text(wanted="a setting's value")


def setting_value(node: Node, sink: Sink) -> str | Bad:
    """A value as a command line would hold it; true, false and whole numbers need no quotes."""
    if isinstance(node, Scalar) and node.kind in (ScalarKind.BOOLEAN, ScalarKind.INTEGER):
        return node.value
    return _text_value(node, sink)


def _case(
    hardware: HardwareCondition | None,
    software: Mapping[str, tuple[VersionRange, ...]],
    platform: tuple[str, ...],
    when: Mapping[str, tuple[str, ...]],
    provided: str | None,
) -> Case:
    if hardware is None and not (software or platform or when):
        raise ValueError("must give hardware, software, platform or when")
    return Case(hardware or HardwareCondition(), software, platform, when, provided)


case = table(
    _case,
    required={},
    optional={
        "hardware": (hardware, None),
        "software": (mapping(package, versions, least=1), {}),
        "platform": (items(one_of(PLATFORMS), least=1, unique=True), ()),
        "when": (mapping(setting, items(setting_value, least=1, unique=True), least=1), {}),
        "provided": (text(wanted="what else must be so, in words"), None),
    },
)
