"""What `rocm-smi --json`, `amd-smi static --json`, `rocminfo` and `rocm-smi --showproductname` print."""

from __future__ import annotations

import re
from collections.abc import Callable

from gpu_gotchas.doctor.facts import Facts
from gpu_gotchas.doctor.readers.cards import MAX_CARDS, card_named
from gpu_gotchas.doctor.readers.labels import unquoted
from gpu_gotchas.doctor.readers.reader import Reader, Text
from gpu_gotchas.doctor.readers.versions import short_version
from gpu_gotchas.hardware.detect import amd_smi, rocm_smi, rocminfo
from gpu_gotchas.hardware.detect.finding import Finding
from gpu_gotchas.hardware.detect.tools import Output
from gpu_gotchas.hardware.machine import Machine

_PRODUCT = re.compile(r"^GPU\[([0-9]{1,4})\]\s*: (Card [Ss]eries|GFX Version):\s*(\S.*)$")
_LONGEST = 300
_TOOL_HEAD = re.compile(r"AMD-SMI .*?ROCm version: ([0-9.]+)")


def _of(name: str, marks: tuple[str, ...], ask: Callable[[Output], Finding]) -> Reader:
    """A reader that leaves the work to what reads the same tool on this machine."""

    def recognises(text: Text) -> bool:
        return all(mark in text.text for mark in marks)

    def read(text: Text) -> Facts:
        finding = ask(Output("\n".join(line[:_LONGEST] for line in unquoted(text.text)), 0))
        if finding.cards is None:
            raise ValueError("; ".join(one.because for one in finding.unknown))
        return Facts(Machine(cards=finding.cards[:MAX_CARDS], software=finding.software, described=True))

    return Reader(name, recognises, read, whole=False)


def _recognises_products(text: Text) -> bool:
    return any(map(_PRODUCT.match, unquoted(text.text)))


def _read_products(text: Text) -> Facts:
    """`GPU[0] : Card series: AMD Instinct MI300X`, as rocm-smi --showproductname prints it."""
    parts: dict[int, dict[str, str]] = {}
    for line in unquoted(text.text):
        match = _PRODUCT.match(line)
        if match:
            parts.setdefault(int(match[1]), {})[match[2].lower()] = match[3]
    made = (
        card_named(part.get("card series") or "AMD GPU", target=part.get("gfx version") or "gfx?")
        for part in list(parts.values())[:MAX_CARDS]
    )
    head = _TOOL_HEAD.search(text.text)
    rocm = short_version(head[1]) if head else None
    cards = tuple(one for one in made if one is not None)
    return Facts(Machine(cards=cards, software={"rocm": rocm} if rocm else {}, described=True))


ROCMINFO = _of("output of rocminfo", ("HSA Agents", "Device Type:"), rocminfo.read)
AMD_SMI = _of("JSON of amd-smi", ('"asic"', '"vram"'), amd_smi.read)
ROCM_SMI = _of("JSON of rocm-smi", ('"card0"', "Card"), rocm_smi.read)
PRODUCTS = Reader("output of rocm-smi", _recognises_products, _read_products, whole=False)
