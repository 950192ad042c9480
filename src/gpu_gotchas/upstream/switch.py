"""What the user asked for: GPU_GOTCHAS_FIXES and GPU_GOTCHAS_STRICT. Standard library only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

FIXES = "GPU_GOTCHAS_FIXES"
STRICT = "GPU_GOTCHAS_STRICT"
AUTO = "auto"
OFF = "off"


@dataclass(frozen=True, slots=True)
class Switch:
    """auto: every patch that need not be asked for by name. named: patches asked for. strict: see `parse`."""

    auto: bool = False
    named: frozenset[str] = frozenset()
    strict: bool = False

    @property
    def on(self) -> bool:
        return self.auto or bool(self.named)


def parse(environ: Mapping[str, str]) -> Switch:
    """What `environ` says. GPU_GOTCHAS_FIXES is `off` (the default), `auto`, or ids with commas between.

    Names may stand beside `auto`, for patches that it leaves out. GPU_GOTCHAS_STRICT=1 makes a patch that
    is declined fatal. An empty variable is one that is not set.
    """
    words = [word.strip() for word in environ.get(FIXES, "").split(",")]
    named = frozenset(word for word in words if word and word.lower() not in (AUTO, OFF))
    auto = any(word.lower() == AUTO for word in words)
    strict = environ.get(STRICT, "").strip().lower() in ("1", "true", "yes", "on")
    return Switch(auto, named, strict)
