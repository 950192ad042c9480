"""Ask torch itself, in a child with a time limit: importing it is slow, and a broken driver can hang it."""

from __future__ import annotations

import json
from typing import Any

from gpu_gotchas.doctor.facts import Facts
from gpu_gotchas.doctor.readers.cards import MAX_CARDS, card_named
from gpu_gotchas.hardware.detect.tools import run
from gpu_gotchas.hardware.machine import Card, Machine, Unknown
from gpu_gotchas.hardware.targets import nvidia_target_name

SECONDS = 60.0
_MARK = "gotchas-deep "

_CODE = """
import json, sys
said = {}
try:
    import torch
    said["torch"] = torch.__version__
    said["cuda"], said["hip"] = torch.version.cuda, getattr(torch.version, "hip", None)
    count = torch.cuda.device_count()
    cards = []
    for index in range(count):
        p = torch.cuda.get_device_properties(index)
        cards.append([p.name, p.major, p.minor, p.total_memory, getattr(p, "gcnArchName", None)])
    said["cards"] = cards
    pairs = [(a, b) for a in range(count) for b in range(count) if a != b]
    said["peers"] = [torch.cuda.can_device_access_peer(a, b) for a, b in pairs]
    if count:
        torch.zeros(1, device="cuda").cpu()
        said["ran"] = True
except BaseException as error:
    said["error"] = f"{type(error).__name__}: {error}"[:500]
print("gotchas-deep " + json.dumps(said))
"""


def ask_torch(python: str | None, seconds: float = SECONDS) -> Facts:
    """What torch says of cards and of itself; what went wrong is unknown, with its own words."""
    if python is None:
        return _nothing("no interpreter was found in the environment")
    answer = run([python, "-c", _CODE], seconds=seconds)
    if isinstance(answer, Unknown):
        return _nothing(answer.because)
    return read_answer(answer.text)


def read_answer(text: str) -> Facts:
    """Read what the child printed."""
    lines = [line for line in text.splitlines() if line.startswith(_MARK)]
    try:
        said = json.loads(lines[-1][len(_MARK) :]) if lines else None
    except ValueError:
        said = None
    if not isinstance(said, dict):
        return _nothing("it ended without an answer")
    try:
        return _facts(said)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        return _nothing(f"its answer cannot be read: {error!r}")


def _facts(said: dict[str, Any]) -> Facts:
    software: dict[str, str | None] = {}
    for key, name in (("torch", "torch"), ("cuda", "cuda-runtime")):
        if isinstance(said.get(key), str):
            software[name] = said[key]
    if isinstance(said.get("hip"), str):
        software["rocm"] = ".".join(said["hip"].split(".")[:2])
    cards = None
    if isinstance(said.get("cards"), list):
        made = (_card(*row) for row in said["cards"][:MAX_CARDS])
        cards = tuple(one for one in made if one is not None)
    peers = said.get("peers")
    p2p = peers[0] if isinstance(peers, list) and peers and len(set(peers)) == 1 else None
    error = said.get("error")
    unknown = (Unknown("torch", str(error)[:500]),) if error else ()
    return Facts(
        Machine(cards=cards if not error else None, software=software, p2p=p2p, unknown=unknown),
        told_by=("torch",),
    )


def _card(name: object, major: object, minor: object, memory: object, gfx: object) -> Card | None:
    arch = str(gfx).partition(":")[0]
    numbers = [int(str(number)) for number in (major, minor, memory)]
    target = arch if arch.startswith("gfx") else nvidia_target_name((numbers[0], numbers[1]))
    return card_named(str(name), numbers[2], target=target)


def _nothing(because: str) -> Facts:
    return Facts(Machine(unknown=(Unknown("torch", because),)))
