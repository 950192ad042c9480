"""Asks each patch's full question in a process of its own: `python -m gpu_gotchas.upstream.measure ID…`.

The process holds the genuine package, stands in for the card that the patches name, and is thrown away after.
Each patch is asked without the patch, with it, and once it is taken out again, which must be as before.
The answer is one line of JSON on stdout.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from typing import Any

from gpu_gotchas.upstream import lifecycle
from gpu_gotchas.upstream.patch import Answer, Patch
from gpu_gotchas.upstream.process import installed_versions
from gpu_gotchas.upstream.verdicts import Verdict


def measure(patch: Patch, versions: Mapping[str, str]) -> tuple[Verdict | None, str]:
    """The verdict over the installed code, and a word on what went wrong, if anything. None: no such code."""
    place, signature = lifecycle.find(patch)
    if place is None or signature is None:
        return None, "not there"
    module = importlib.import_module(place.module)
    answers, fault = [], ""
    try:
        answers.append(patch.question(module))
        lifecycle.put(patch, place, module)
        answers.append(patch.question(module))
    except Exception as error:
        fault = "".join(traceback.format_exception(error))
    lifecycle.revert(patch)
    before, after, *_ = (*answers, Answer.UNASKED, Answer.UNASKED)
    if not fault and patch.question(module) is not before:
        fault, after = "taken out again, the code does not answer as before", Answer.UNASKED
    return Verdict(patch.id, signature, before, after, patch.card, versions), fault


def _stand_in_for(card: str | None) -> None:
    """Make this process one on that card, for good: the package's platform, and Triton's driver."""
    from gpu_gotchas.hardware.catalogue import find_target
    from gpu_gotchas.repro import dry
    from gpu_gotchas.upstream.stand_in_card import stand_in_for

    if card is not None:
        target = find_target(card)
        dry.install(target)
        stand_in_for(target)


def main(names: Sequence[str]) -> None:
    from gpu_gotchas.upstream.patches import all_patches

    # The answer stands alone on stdout; what packages print goes to stderr.
    stdout = os.dup(1)
    os.dup2(2, 1)
    patches = [patch for patch in all_patches() if patch.id in names]
    cards = {patch.card for patch in patches}
    if len(cards) > 1:
        raise SystemExit(f"one process stands in for one card, not for {cards}")
    versions = installed_versions({place.package for one in patches for place in one.places})
    # Import first, then stand in: a package that finds CUDA at import wants its compiled parts.
    for patch in patches:
        place, _ = lifecycle.find(patch)
        if place is not None:
            importlib.import_module(place.module)
    for card in cards:
        _stand_in_for(card)
    rows: list[dict[str, Any]] = []
    for patch in patches:
        verdict, fault = measure(patch, versions)
        rows.append(
            {
                "patch": patch.id,
                "signature": verdict.signature if verdict else None,
                "before": verdict.before.value if verdict else None,
                "after": verdict.after.value if verdict else None,
                "card": patch.card,
                "versions": dict(versions),
                "fault": fault,
            }
        )
    os.write(stdout, (json.dumps(rows) + "\n").encode())


if __name__ == "__main__":
    main(sys.argv[1:])
