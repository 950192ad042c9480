"""vLLM's check for a KV connector under expandable segments: of what torch's allocator reads.

vLLM looks at PYTORCH_CUDA_ALLOC_CONF alone, and in one spelling. Torch reads PYTORCH_ALLOC_CONF first.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType, SimpleNamespace
from typing import Any

from gpu_gotchas.fixes.allocator import EXPANDABLE, in_force, is_expandable
from gpu_gotchas.hardware.versions import VersionRange
from gpu_gotchas.upstream.editing import edited
from gpu_gotchas.upstream.patch import Answer, Patch, Place
from gpu_gotchas.upstream.wrapping import with_globals

ID = "kv-connector-with-expandable-segments"
_ON = (
    {"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"},
    {"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments: True"},
    {"PYTORCH_ALLOC_CONF": "expandable_segments:True"},
)
_OFF: tuple[dict[str, str], ...] = ({}, {"PYTORCH_ALLOC_CONF": "expandable_segments:False"})


def _as_looked_for(environ: Mapping[str, str]) -> str:
    """What is in force, spelled as vLLM's check looks for it."""
    return f"{EXPANDABLE}:True" if is_expandable(in_force(environ)) else ""


def _replace(before: Any, module: ModuleType) -> Any:  # noqa: ARG001
    return edited(
        before,
        ID,
        {'os.environ.get("PYTORCH_CUDA_ALLOC_CONF", "")': "_as_looked_for(os.environ)"},
        {"_as_looked_for": _as_looked_for},
    )


def _ask(module: ModuleType) -> Answer:
    """The record's settings: the check must refuse each that switches the option on, and no other.

    It is asked with an environment of its own; that of the process stays out of it.
    """
    check = vars(module.VllmConfig)["_verify_kv_transfer_compat"]
    right = all(_refuses(check, environ) for environ in _ON) and not any(
        _refuses(check, environ) for environ in _OFF
    )
    return Answer.RIGHT if right else Answer.FAULTY


def _refuses(check: Any, environ: Mapping[str, str]) -> bool:
    config = SimpleNamespace(
        kv_transfer_config=SimpleNamespace(kv_connector="NixlConnector"), model_config=None
    )
    stand_in = SimpleNamespace(environ=environ, getenv=environ.get)
    try:
        with_globals(check, {"os": stand_in})(config)
    except ValueError:
        return True
    return False


PATCH = Patch(
    id=ID,
    does="Holds all that torch's allocator reads against a KV connector, not one variable in one spelling.",
    places=(Place("vllm.config.vllm", "VllmConfig._verify_kv_transfer_compat"),),
    releases=VersionRange(last_bad="0.33.0"),
    replace=_replace,
    ask=_ask,
    # Before there was no such check at all.
    from_release="0.21.0",
)
