"""The one exception with which a guard refuses, so that a caller can tell a refusal from a fault."""

from __future__ import annotations


class Refused(RuntimeError):
    """Raised before any work is done, when going on would meet a known failure.

    capability: what the card offers (`sm_86`). setting: what was asked of it. way_out: what to do instead.
    """

    def __init__(self, *, capability: str, setting: str, way_out: str) -> None:
        self.capability = capability
        self.setting = setting
        self.way_out = way_out
        super().__init__(f"{setting} does not work on {capability}: {way_out}")
