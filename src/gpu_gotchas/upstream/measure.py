"""A process in which patches are asked their full question: `python -m gpu_gotchas.upstream.measure ID…`.

It holds the genuine package, stands in for the cards that patches name, and is thrown away after. The code is
asked without the patch, with it, and once it is taken out again, which must be as before. It answers with one
line of JSON on stdout.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import traceback
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from itertools import groupby
from multiprocessing import get_context

from gpu_gotchas.upstream import lifecycle
from gpu_gotchas.upstream.patch import Answer, Patch
from gpu_gotchas.upstream.patches import all_patches
from gpu_gotchas.upstream.process import installed_versions


@dataclass(frozen=True, slots=True)
class Measured:
    """What the code at a patch's place answered. fault: what went wrong in asking, empty if nothing did.

    signature is None where the installed release has no such code; then nothing was asked. release: of the
    package. triton: the release that compiled, for a patch whose answer takes a compiler.
    """

    patch: str
    signature: str | None
    before: Answer = Answer.UNASKED
    after: Answer = Answer.UNASKED
    card: str | None = None
    release: str | None = None
    triton: str | None = None
    fault: str = ""


def measure(patch: Patch, versions: Mapping[str, str]) -> Measured:
    """Ask the installed code without the patch and with it, in this process."""
    place, signature = lifecycle.find(patch)
    if place is None:
        return Measured(patch.id, None)
    module = importlib.import_module(place.module)
    answers, fault = [], ""
    try:
        answers.append(patch.question(module))
        # Code that is right is never patched, and need not have what the patch looks for.
        if answers[0] is Answer.FAULTY:
            lifecycle.put(patch, place, module)
        answers.append(patch.question(module))
    except Exception as error:
        fault = "".join(traceback.format_exception(error))
    lifecycle.revert(patch)
    before, after, *_ = (*answers, Answer.UNASKED, Answer.UNASKED)
    if not fault and patch.question(module) is not before:
        fault = "taken out again, the code does not answer as it did before"
        after = Answer.UNASKED
    triton = versions.get("triton") if patch.compiled else None
    release = versions.get(place.package)
    return Measured(patch.id, signature, before, after, patch.card, release, triton, fault)


def measure_all(patches: Sequence[Patch]) -> list[Measured]:
    """Every one of `patches`: modules are imported once, and a process forked for each card they name."""
    versions = installed_versions({place.package for one in patches for place in one.places})
    for patch in patches:
        place, _ = lifecycle.find(patch)
        if place is not None:
            importlib.import_module(place.module)
    found: list[Measured] = []
    ordered = sorted(patches, key=lambda patch: (patch.card or "", patch.id))
    for card, group in groupby(ordered, key=lambda patch: patch.card):
        ids = [patch.id for patch in group]
        with ProcessPoolExecutor(1, mp_context=get_context("fork")) as child:
            found += child.submit(_on_card, card, ids, versions).result()
    return found


def _on_card(card: str | None, ids: Sequence[str], versions: Mapping[str, str]) -> list[Measured]:
    """Stand in for the card, for good, and ask. All is imported: meeting a card then wants compiled parts."""
    patches = [patch for patch in all_patches() if patch.id in ids]
    if card is not None and any(lifecycle.find(patch)[0] for patch in patches):
        _stand_in_for(card)
    return [measure(patch, versions) for patch in patches]


def _stand_in_for(card: str) -> None:
    from gpu_gotchas.hardware.catalogue import find_target
    from gpu_gotchas.repro import dry
    from gpu_gotchas.repro.upstream import as_capability

    target = find_target(card)
    dry.install(target)
    as_capability(target.capability or (0, 0))


def to_json(found: Measured) -> dict[str, object]:
    return {**asdict(found), "before": found.before.value, "after": found.after.value}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m gpu_gotchas.upstream.measure", description=__doc__)
    parser.add_argument("ids", nargs="+", metavar="ID")
    parser.add_argument("--package", help="folder of an unpacked release; else what is installed is asked")
    said = parser.parse_args()
    # The answer stands alone on stdout; what packages print goes to stderr.
    stdout = os.dup(1)
    os.dup2(2, 1)
    open_release(said.package)
    found = measure_all([patch for patch in all_patches() if patch.id in said.ids])
    os.write(stdout, (json.dumps([to_json(one) for one in found]) + "\n").encode())


def open_release(folder: str | None) -> None:
    """Import vLLM from `folder` as from an installed package, and begin without a card."""
    from gpu_gotchas.repro.paths import open_package
    from gpu_gotchas.repro.upstream import vllm

    if folder is not None:
        open_package(folder, ["vllm"])
    else:
        vllm.prepare()


if __name__ == "__main__":
    main()
