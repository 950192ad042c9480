"""NVIDIA cards through the command nvidia-smi, for machines without nvidia-ml-py."""

from __future__ import annotations

from gpu_gotchas.hardware.detect.finding import NVIDIA_GPUS, Finding, card, nothing
from gpu_gotchas.hardware.detect.tools import Output, run
from gpu_gotchas.hardware.machine import Card, Unknown
from gpu_gotchas.hardware.targets import Vendor

# Drivers before 510 do not know compute_cap and answer no query that holds it.
_QUERIES = (
    "name,memory.total,driver_version,compute_cap,mig.mode.current",
    "name,memory.total,driver_version,compute_cap",
    "name,memory.total,driver_version",
)
_MIB = 1024**2


def find() -> Finding:
    """Cards and `nvidia-driver`. Never raises."""
    reason = ""
    for query in _QUERIES:
        answer = run(["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader,nounits"])
        if isinstance(answer, Unknown):
            return nothing(NVIDIA_GPUS, f"nvidia-smi: {answer.because}")
        if answer.status == 0:
            return read(answer)
        reason = " ".join(answer.text.split())[:200]
    return nothing(NVIDIA_GPUS, f"nvidia-smi: {reason}")


def read(answer: Output) -> Finding:
    """Read rows of name, MiB, driver's version and, from newer drivers, compute capability and MIG mode."""
    if "no devices were found" in answer.text.lower():
        return Finding(cards=())
    cards: list[Card] = []
    drivers: set[str] = set()
    for line in answer.text.splitlines():
        if not line.strip():
            continue
        fields = [field.strip() for field in line.split(",")]
        if len(fields) < 3:
            return nothing(NVIDIA_GPUS, f"nvidia-smi: {line.strip()[:200]!r} is no row of its answer")
        name, memory, driver, *rest = fields
        cards.append(card(Vendor.NVIDIA, name, _target(rest), _bytes(memory), _mig(rest)))
        if driver[:1].isdigit():
            drivers.add(driver)
    if not cards:
        return nothing(NVIDIA_GPUS, "nvidia-smi: it listed nothing")
    return Finding(tuple(cards), {"nvidia-driver": drivers.pop()} if len(drivers) == 1 else {})


def _target(fields: list[str]) -> str | None:
    """`8.6` as `sm_86`; None where the driver does not say."""
    capability = fields[0] if fields else ""
    return f"sm_{capability.replace('.', '')}" if capability[:1].isdigit() else None


def _mig(fields: list[str]) -> bool | None:
    """None where the card cannot be divided, or the driver does not say."""
    return {"Enabled": True, "Disabled": False}.get(fields[1]) if len(fields) > 1 else None


def _bytes(mib: str) -> int | None:
    return int(mib) * _MIB if mib.isascii() and mib.isdigit() else None
