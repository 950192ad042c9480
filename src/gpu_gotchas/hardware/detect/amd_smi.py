"""AMD cards through the command amd-smi."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from gpu_gotchas.hardware.detect.finding import AMD_GPUS, Finding, card, nothing
from gpu_gotchas.hardware.detect.json_output import first_json
from gpu_gotchas.hardware.detect.tools import Output, run
from gpu_gotchas.hardware.machine import Unknown
from gpu_gotchas.hardware.targets import Vendor

_UNITS = {"B": 1, "KB": 1024, "MB": 1024**2, "GB": 1024**3, "": 1024**2}


def find() -> Finding:
    """Cards. Never raises."""
    answer = run(["amd-smi", "static", "--asic", "--vram", "--json"])
    if isinstance(answer, Unknown):
        return nothing(AMD_GPUS, f"amd-smi: {answer.because}")
    return read(answer)


def read(answer: Output) -> Finding:
    """Read a list of GPUs, or since ROCm 7 an object that holds it as `gpu_data`."""
    data = first_json(answer.text)
    rows = data.get("gpu_data") if isinstance(data, dict) else data
    if not isinstance(rows, list):
        return nothing(AMD_GPUS, f"amd-smi: no list of GPUs in its answer (status {answer.status})")
    cards = []
    for row in rows:
        asic = row.get("asic") if isinstance(row, dict) else None
        if not isinstance(asic, dict):
            return nothing(AMD_GPUS, "amd-smi: a GPU without 'asic'")
        gfx = str(asic.get("target_graphics_version", ""))
        target = gfx if re.fullmatch(r"gfx[0-9a-f]+", gfx) else None
        name = str(asic.get("market_name", "N/A"))
        if name == "N/A" or name.startswith("0x"):
            name = f"AMD {target or 'GPU'}"
        cards.append(card(Vendor.AMD, name, target, _bytes(row.get("vram"))))
    return Finding(tuple(cards))


def _bytes(vram: Any) -> int | None:
    """A size such as {"value": 196592, "unit": "MB"} or "196592 MB", in bytes."""
    size = vram.get("size") if isinstance(vram, Mapping) else None
    if isinstance(size, Mapping):
        size = f"{size.get('value')} {size.get('unit', '')}"
    match = re.fullmatch(r"([0-9]{1,12})\s*([KMG]?B?)", str(size).strip())
    if match is None or match[2] not in _UNITS:
        return None
    return int(match[1]) * _UNITS[match[2]]
