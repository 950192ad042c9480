"""How fast the doctor is, and whether it names what people reported.

    python benchmarks/doctor.py speed [--rounds 25]
    python benchmarks/doctor.py reports FILE [--causes FILE] [--show]

`speed` gives ratios to `python -c pass`, measured interleaved in one run: looking at this machine alone, and
the whole command. `reports` takes the hardware and versions that each report states (and the command line,
where it gives one), asks the doctor, and counts how often it names the report's own gotcha, where the base
has it, and of how many others it warns. A share comes with its 95 % interval (Wilson), a mean with one from
resampling.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from gpu_gotchas.doctor.assess import Verdict, assess_all
from gpu_gotchas.doctor.command.launch import CommandError, Launch, read_command
from gpu_gotchas.doctor.command.prefixes import split_words
from gpu_gotchas.doctor.facts import Facts
from gpu_gotchas.doctor.packages import package_name
from gpu_gotchas.doctor.situation import situation
from gpu_gotchas.hardware.catalogue import UnknownName, find_target, gpus
from gpu_gotchas.hardware.machine import Card, Machine
from gpu_gotchas.records.loading import load_all
from gpu_gotchas.records.model import Gotcha
from gpu_gotchas.records.settings import settings

_VERSION = re.compile(
    r"(?i)\b(vllm|sglang|torch|triton|flashinfer|flash-attn|transformers|driver|rocm|cuda|python)\s*[ =:v]+"
    r"(\d+\.\d+(?:\.\d+)*(?:(?:\.post|\.dev|rc)\d+)?(?:\+[a-z0-9.]+)?)"
)
_NAMES = {"driver": "nvidia-driver", "cuda": "cuda-runtime", "flashinfer": "flashinfer-python"}
_COMMAND = re.compile(r"(?:\w+=\S+ )*(?:vllm serve|python3? -m (?:vllm|sglang)\.\S+|sglang serve) [^\n`]+")
_FLAGS = re.compile(r"--[a-z][a-z0-9_-]+(?:[ =][\w./{}\":-]+)?")


@dataclass(slots=True)
class Run:
    """One command of the comparison. taken: seconds of each run."""

    name: str
    command: Sequence[str]
    taken: list[float] = field(default_factory=list)


def speed(rounds: int) -> dict[str, Any]:
    here = "from gpu_gotchas.hardware.detect import this_machine; this_machine()"
    cli = "import sys; from gpu_gotchas.cli import main; sys.exit(main(sys.argv[1:]))"
    runs = (
        Run("python -c pass", [sys.executable, "-c", "pass"]),
        Run("this_machine()", [sys.executable, "-c", here]),
        Run("gotchas doctor", [sys.executable, "-c", cli, "doctor"]),
    )
    for number in range(rounds + 1):
        for run in runs:
            start = time.perf_counter()
            subprocess.run(run.command, capture_output=True, check=False)
            if number:  # the first one byte-compiles
                run.taken.append(time.perf_counter() - start)
    base = statistics.median(runs[0].taken)
    rows = [
        {
            "name": run.name,
            "against": runs[0].name,
            "ratio": round(statistics.median(run.taken) / base, 2),
            "seconds": round(statistics.median(run.taken), 4),
        }
        for run in runs
    ]
    return {"rounds": rounds, "rows": rows}


def machine_of(report: Mapping[str, Any]) -> Machine:
    """What a report states of its machine; whatever is not plain is unknown."""
    hardware = report.get("hardware") or {}
    named = f"{hardware.get('gpu') or ''}"
    counted = re.match(r"\s*(\d{1,3})\s*x\s+", named)
    software: dict[str, str | None] = {}
    for raw, version in _VERSION.findall(f"{report.get('software') or ''}"):
        name = _NAMES.get(raw.lower()) or package_name(raw)
        if name is not None:
            software.setdefault(name, version)
    card = _card(f"{hardware.get('compute_capability') or ''}", named)
    if card is None:
        return Machine(software=software, described=True)
    count = int(counted[1]) if counted else 1
    return Machine(cards=(card,) * count, count_known=counted is not None, software=software, described=True)


def _card(capability: str, named: str) -> Card | None:
    plain = capability.strip()
    name = f"sm_{plain.replace('.', '')}" if re.fullmatch(r"\d{1,2}\.\d", plain) else plain
    try:
        target = find_target(name)
        return Card(target.name, target, vendor=target.vendor)
    except UnknownName:
        words = " ".join(named.lower().split())
        found = {
            gpu.target
            for gpu in gpus()
            if gpu.name.lower().removeprefix("nvidia ").removeprefix("amd ") in words
        }
        if len(found) != 1:
            return None
        target = found.pop()
        return Card(named, target, vendor=target.vendor)


def launch_of(report: Mapping[str, Any]) -> Launch | None:
    """The command that a report gives, or the flags that its text names."""
    text = "\n".join(f"{report.get(key) or ''}" for key in ("command", "title", "error_text", "software"))
    match = _COMMAND.search(text)
    words = split_words(match[0]) if match else []
    if not words and "vllm" in text.lower():
        flags = [word for flag in _FLAGS.findall(text) for word in flag.split(" ")]
        words = ["vllm", "serve", *flags] if flags else []
    try:
        return read_command(words, settings()) if words else None
    except CommandError:
        return None


def own(report: Mapping[str, Any], gotchas: Sequence[Gotcha], causes: Mapping[str, str]) -> str | None:
    """The record that covers a report, by its cause or by its address."""
    wanted = causes.get(report.get("cause") or "", report.get("cause"))
    for gotcha in gotchas:
        links = {one.url for one in gotcha.reports}
        if wanted in (gotcha.id, *gotcha.aliases) or report.get("url") in links:
            return gotcha.id
    return None


def reports(path: Path, causes_path: Path | None, show: bool) -> dict[str, Any]:
    entries: list[dict[str, Any]] = yaml.safe_load(path.read_text(encoding="utf-8"))
    raw = yaml.safe_load(causes_path.read_text(encoding="utf-8")) if causes_path else {}
    causes = {cause: name for cause, name in raw.items() if isinstance(name, str)}
    gotchas = [one for one in load_all() if not one.status.withdrawn]
    named = {Verdict.WILL: 0, Verdict.MAY: 0, Verdict.CANNOT: 0}
    told = 0
    certain: list[int] = []
    warned: list[int] = []
    open_: list[int] = []
    for entry in entries:
        id = own(entry, gotchas, causes)
        where = situation(Facts(machine_of(entry)), launch_of(entry), settings())
        found = assess_all(gotchas, where.machine, where.defaults)
        others = [one for one in found if one.gotcha.id != id]
        certain.append(sum(one.verdict is Verdict.WILL for one in others))
        warned.append(sum(one.warns for one in others))
        open_.append(sum(one.verdict is Verdict.MAY and not one.warns for one in others))
        mine = next((one for one in found if one.gotcha.id == id), None)
        if mine is None:
            continue
        named[mine.verdict] += 1
        told += mine.warns
        if show and not mine.warns:
            print(
                entry["id"],
                mine.verdict.value,
                entry["hardware"],
                entry["software"],
                mine.open,
                file=sys.stderr,
            )
    covered = sum(named.values())
    return {
        "reports": len(entries),
        "covered by a record": covered,
        "named as will": share(named[Verdict.WILL], covered),
        "named: will, or likely": share(told, covered),
        "will or may": share(named[Verdict.WILL] + named[Verdict.MAY], covered),
        "denied": share(named[Verdict.CANNOT], covered),
        "others that will, each report": mean(certain),
        "others named, each report": mean(warned),
        "others too little known of, each report": mean(open_),
        "reports with at most 3 others named": share(sum(n <= 3 for n in warned), len(warned)),
        "records": len(gotchas),
    }


def share(hits: int, of: int) -> dict[str, Any]:
    """A share with Wilson's 95 % interval."""
    if not of:
        return {"hits": 0, "of": 0}
    z, p = 1.96, hits / of
    middle, wide = p + z * z / (2 * of), z * math.sqrt(p * (1 - p) / of + z * z / (4 * of * of))
    low, high = ((middle - wide) / (1 + z * z / of), (middle + wide) / (1 + z * z / of))
    return {"hits": hits, "of": of, "share": round(p, 3), "interval": [round(low, 3), round(high, 3)]}


def mean(values: Sequence[int], draws: int = 1000) -> dict[str, Any]:
    """A mean with the middle 95 % of means of samples drawn anew."""
    chance = random.Random(0)
    means = sorted(statistics.mean(chance.choices(values, k=len(values))) for _ in range(draws))
    interval = [round(means[draws // 40], 2), round(means[-draws // 40], 2)]
    return {"mean": round(statistics.mean(values), 2), "interval": interval, "most": max(values)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True)
    timed = kinds.add_parser("speed")
    timed.add_argument("--rounds", type=int, default=25)
    judged = kinds.add_parser("reports")
    judged.add_argument("file", type=Path)
    judged.add_argument("--causes", type=Path)
    judged.add_argument("--show", action="store_true", help="each report whose own gotcha is not named")
    chosen = parser.parse_args()
    found = (
        speed(chosen.rounds) if chosen.kind == "speed" else reports(chosen.file, chosen.causes, chosen.show)
    )
    print(json.dumps(found, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
