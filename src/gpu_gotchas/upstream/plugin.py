"""The entry point that vLLM calls in each of its processes (`vllm.general_plugins`).

Until it is switched on it imports the standard library only and does nothing. It never raises, except in
strict mode: vLLM passes what a plugin raises on, which ends the process.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from gpu_gotchas.upstream.switch import parse

if TYPE_CHECKING:
    from gpu_gotchas.upstream.process import Fixes

started: Fixes | None = None


def register() -> None:
    """Apply the fixes that GPU_GOTCHAS_FIXES names, in this process. A second call does nothing."""
    global started
    switch = parse(os.environ)
    if not switch.on or started is not None:
        return
    try:
        from gpu_gotchas.upstream.patches import all_patches
        from gpu_gotchas.upstream.process import Fixes
        from gpu_gotchas.upstream.verdicts import all_known

        started = Fixes(all_patches(), switch, all_known())
    except Exception as error:
        # A broken install of ours must not take the server down, and must not pass unnoticed either.
        print(
            f"gpu-gotchas fixes: none applied, {type(error).__name__}: {error}", file=sys.stderr, flush=True
        )
        if switch.strict:
            raise
        return
    started.start()
