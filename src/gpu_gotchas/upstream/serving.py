"""A process as a server's: `python -m gpu_gotchas.upstream.serving ID…` switches fixes on, then imports.

It asks nothing beforehand and stands in for nothing, so what it says is what a server would say. The answer,
what became of each patch, is one line of JSON on stdout.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os

from gpu_gotchas.upstream.measure import open_release
from gpu_gotchas.upstream.outcome import Waiting, to_json
from gpu_gotchas.upstream.patches import all_patches
from gpu_gotchas.upstream.process import Fixes
from gpu_gotchas.upstream.switch import Switch
from gpu_gotchas.upstream.verdicts import all_known


def outcomes(ids: list[str]) -> dict[str, dict[str, str]]:
    """What becomes of those patches once every module that they wait for is imported."""
    fixes = Fixes(all_patches(), Switch(named=frozenset(ids)), all_known())
    fixes.start()
    for outcome in list(fixes.journal.outcomes.values()):
        if isinstance(outcome, Waiting):
            importlib.import_module(outcome.module)
    return {name: to_json(outcome) for name, outcome in sorted(fixes.journal.outcomes.items())}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m gpu_gotchas.upstream.serving", description=__doc__)
    parser.add_argument("ids", nargs="+", metavar="ID")
    parser.add_argument("--package", help="folder of an unpacked release; else what is installed is used")
    said = parser.parse_args()
    stdout = os.dup(1)
    os.dup2(2, 1)
    open_release(said.package)
    os.write(stdout, (json.dumps(outcomes(said.ids)) + "\n").encode())


if __name__ == "__main__":
    main()
