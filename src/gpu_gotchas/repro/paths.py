"""Where a child imports from, in the package tier."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import suppress

from gpu_gotchas.repro.upstream import vllm
from gpu_gotchas.repro.upstream.light import light_folder

# What a package wants done before any of its modules is imported.
_PREPARATIONS = {"vllm": vllm.prepare}


def open_package(folder: str, imports: Iterable[str] = ()) -> None:
    """Import from `folder`, the upstream package's, before all else, and what it needs from behind all else.

    imports: modules that will be imported whole. What cannot be prepared for them fails where they are.
    """
    if folder not in sys.path:
        sys.path.insert(0, folder)
    light = str(light_folder())
    if light not in sys.path:
        sys.path.append(light)
    for name in dict.fromkeys(module.partition(".")[0] for module in imports):
        if name in _PREPARATIONS:
            with suppress(ImportError):
                _PREPARATIONS[name]()
