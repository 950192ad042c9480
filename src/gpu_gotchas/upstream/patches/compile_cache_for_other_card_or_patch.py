"""vLLM's key of compiled code: knows which patches changed what is traced, and for which card.

By name, and with any patch of traced code: without one there is nothing that the key would miss. Its gotcha
is believed and not yet a record.
"""

from __future__ import annotations

import hashlib
from types import ModuleType, SimpleNamespace
from typing import Any

from gpu_gotchas.hardware.versions import VersionRange
from gpu_gotchas.upstream.patch import Answer, Patch, Place
from gpu_gotchas.upstream.salt import pretending, salt
from gpu_gotchas.upstream.wrapping import with_result

ID = "compile-cache-for-other-card-or-patch"


class _Bare(SimpleNamespace):
    """A configuration in which nothing is set, and each of its parts."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Bare() if name.endswith("_config") else None

    def compute_hash(self) -> str:
        return ""


def _salted(key: str, /, *_: Any, **__: Any) -> str:
    grain = salt()
    return hashlib.sha256(f"{key}{grain}".encode()).hexdigest()[: len(key)] if grain else key


def _replace(before: Any, module: ModuleType) -> Any:  # noqa: ARG001
    return with_result(before, ID, _salted)


def _ask(module: ModuleType) -> Answer:
    """The key of one configuration without and with a patch of traced code: the two must differ."""
    key = module.VllmConfig.compute_hash
    bare = _Bare()
    plain = key(bare)
    with pretending("a patch"):
        patched = key(bare)
    return Answer.RIGHT if plain != patched and plain == key(bare) else Answer.FAULTY


PATCH = Patch(
    id=ID,
    does="Adds to the key of vLLM's compile cache which patches change traced code, and for which card.",
    places=(Place("vllm.config.vllm", "VllmConfig.compute_hash"),),
    releases=VersionRange("0.16.0", last_bad="0.33.0"),
    replace=_replace,
    ask=_ask,
    opt_in=True,
    salts=True,
)
