"""AMD cards through the command rocminfo."""

from __future__ import annotations

import re

from gpu_gotchas.hardware.detect.finding import AMD_GPUS, Finding, card, nothing
from gpu_gotchas.hardware.detect.tools import Output, run
from gpu_gotchas.hardware.machine import Unknown
from gpu_gotchas.hardware.targets import Vendor

_AGENT = re.compile(r"^\*+\s*\nAgent [0-9]+\s*\n\*+\s*$", re.MULTILINE)
_FIELD = re.compile(r"^  ([A-Z][A-Za-z ]*): *(.*?)\s*$", re.MULTILINE)
_POOL = re.compile(r"Segment: +GLOBAL; FLAGS: COARSE GRAINED\s*\n\s*Size: +([0-9]{1,15})\(0x[0-9a-f]+\) KB")


def find() -> Finding:
    """Cards. Never raises."""
    answer = run(["rocminfo"])
    if isinstance(answer, Unknown):
        return nothing(AMD_GPUS, f"rocminfo: {answer.because}")
    return read(answer)


def read(answer: Output) -> Finding:
    """Read the agents that are GPUs; the first agent of every machine is its CPU."""
    agents = _AGENT.split(answer.text)[1:]
    if not agents:
        return nothing(AMD_GPUS, f"rocminfo: {' '.join(answer.text.split())[:200] or 'it printed nothing'}")
    cards = []
    for agent in agents:
        fields: dict[str, str] = {}
        for name, value in _FIELD.findall(agent):
            fields.setdefault(name, value)
        if fields.get("Device Type") != "GPU":
            continue
        gfx = fields.get("Name", "").partition(":")[0]  # features follow, as in gfx90a:sramecc+
        pool = _POOL.search(agent)
        memory = int(pool[1]) * 1024 if pool else None
        cards.append(
            card(Vendor.AMD, fields.get("Marketing Name") or f"AMD {gfx or 'GPU'}", gfx or None, memory)
        )
    return Finding(tuple(cards))
