"""AMD cards through the older command rocm-smi."""

from __future__ import annotations

from gpu_gotchas.hardware.detect.finding import AMD_GPUS, Finding, card, nothing
from gpu_gotchas.hardware.detect.json_output import first_json
from gpu_gotchas.hardware.detect.tools import Output, run
from gpu_gotchas.hardware.machine import Unknown
from gpu_gotchas.hardware.targets import Vendor


def find() -> Finding:
    """Cards. Never raises."""
    answer = run(["rocm-smi", "--showproductname", "--showmeminfo", "vram", "--json"])
    if isinstance(answer, Unknown):
        return nothing(AMD_GPUS, f"rocm-smi: {answer.because}")
    return read(answer)


def read(answer: Output) -> Finding:
    """Read an object of `card0`, `card1` and so on; older versions do not say the target."""
    data = first_json(answer.text)
    if not isinstance(data, dict):
        return nothing(AMD_GPUS, f"rocm-smi: no JSON in its answer (status {answer.status})")
    rows = [row for key, row in data.items() if key.startswith("card") and isinstance(row, dict)]
    if not rows:
        return nothing(AMD_GPUS, "rocm-smi: it listed no card")
    cards = []
    for row in rows:
        fields = {key.casefold(): str(value) for key, value in row.items()}  # "Card series" before ROCm 6
        gfx = fields.get("gfx version", "")
        target = gfx if gfx.startswith("gfx") else None
        size = fields.get("vram total memory (b)", "")
        memory = int(size) if size.isascii() and size.isdigit() else None
        name = fields.get("card series") or f"AMD {target or 'GPU'}"
        cards.append(card(Vendor.AMD, name, target, memory))
    return Finding(tuple(cards))
