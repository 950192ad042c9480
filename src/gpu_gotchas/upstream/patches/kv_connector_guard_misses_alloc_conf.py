"""The guard against KV connectors under expandable segments: asks all variables that torch's allocator reads.

vLLM's guard reads PYTORCH_CUDA_ALLOC_CONF alone, and in one spelling. Torch reads PYTORCH_ALLOC_CONF first.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType, SimpleNamespace
from typing import Any

from gpu_gotchas.hardware.versions import VersionRange
from gpu_gotchas.upstream.editing import edited
from gpu_gotchas.upstream.patch import Answer, Patch, Place
from gpu_gotchas.upstream.wrapping import with_globals

ID = "kv-connector-guard-misses-alloc-conf"
VARIABLES = ("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF")
"""In the order in which torch looks for the first that is set."""
_SEGMENTS = "expandable_segments"


def allocator_settings(environ: Mapping[str, str]) -> str:
    """What torch's allocator is set to, the one option that matters spelled as the guard wants it."""
    conf = next((environ[name] for name in VARIABLES if environ.get(name)), "")
    fields = [field.partition(":") for field in conf.split(",")]
    on = any(
        name.strip() == _SEGMENTS and value.strip().lower() in ("true", "1") for name, _, value in fields
    )
    return f"{_SEGMENTS}:True" if on else ""


def _replace(before: Any, module: ModuleType) -> Any:  # noqa: ARG001
    return edited(
        before,
        {'os.environ.get("PYTORCH_CUDA_ALLOC_CONF", "")': "_allocator_settings(os.environ)"},
        {"_allocator_settings": allocator_settings},
    )


def _ask(module: ModuleType) -> Answer:
    """A connector, and the option in each of torch's variables: the guard must refuse every time.

    The guard is asked with an environment of its own; that of the process stays out of it.
    """
    guard = vars(module.VllmConfig)["_verify_kv_transfer_compat"]
    config = SimpleNamespace(
        kv_transfer_config=SimpleNamespace(kv_connector="NixlConnector"),
        model_config=None,
    )
    environments = [{name: f"{_SEGMENTS}:True"} for name in VARIABLES]
    if not all(_refuses(guard, config, environ) for environ in environments):
        return Answer.FAULTY
    return Answer.FAULTY if _refuses(guard, config, {}) else Answer.RIGHT


def _refuses(guard: Any, config: Any, environ: Mapping[str, str]) -> bool:
    try:
        with_globals(guard, {"os": SimpleNamespace(environ=environ, getenv=environ.get)})(config)
    except ValueError:
        return True
    return False


PATCH = Patch(
    id=ID,
    does="Holds every variable of torch's allocator against a KV connector, not the old one alone.",
    places=(Place("vllm.config.vllm", "VllmConfig._verify_kv_transfer_compat"),),
    releases=VersionRange("0.21.0", last_bad="0.33.0"),
    replace=_replace,
    ask=_ask,
)
