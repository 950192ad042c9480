"""flash-linear-attention's test for Hopper: true on compute capability 9.0, not on all that came after."""

from __future__ import annotations

import ast
from types import ModuleType
from typing import Any

from gpu_gotchas.hardware.versions import VersionRange
from gpu_gotchas.upstream.patch import Answer, Patch, Place
from gpu_gotchas.upstream.source import source_file

ID = "fla-sm12x-classified-as-hopper"
_OPS = "vllm.third_party.flash_linear_attention.ops", "vllm.model_executor.layers.fla.ops"
_FLAG = "is_nvidia_hopper"


def _is_hopper() -> bool:
    """Asked only where vLLM's own expression, which asks torch for the card, has just been evaluated."""
    import torch

    from gpu_gotchas.fixes.arch_family import is_hopper

    return is_hopper(torch.cuda.get_device_capability())


def _replace(before: bool, module: ModuleType) -> Any:  # noqa: ARG001
    return before and _is_hopper()


def _ask(module: ModuleType) -> Answer:
    """On NVIDIA, whether the flag says what the card is."""
    if not module.is_nvidia:
        return Answer.UNASKED
    return Answer.RIGHT if bool(module.is_nvidia_hopper) == _is_hopper() else Answer.FAULTY


def _probe(module: ModuleType) -> Answer:
    """The record's question: vLLM's own expression, evaluated for the card that the child stands in for."""
    if not module.is_nvidia:
        path = source_file(module.__name__)
        assert path is not None
        module.__dict__["is_nvidia"] = True
        tree = ast.parse(path.read_text(encoding="utf-8"))
        wanted = [
            node
            for node in tree.body
            if isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and node.targets[0].id == _FLAG
        ]
        exec(compile(ast.Module(body=list(wanted), type_ignores=[]), str(path), "exec"), module.__dict__)
    return _ask(module)


PATCH = Patch(
    id=ID,
    does="Calls a card a Hopper in flash-linear-attention only where its compute capability is 9.x.",
    places=tuple(Place(f"{ops}.utils", _FLAG) for ops in _OPS),
    releases=VersionRange("0.10.2", last_bad="0.33.0"),
    replace=_replace,
    ask=_ask,
    probe=_probe,
    card="sm_120",
    # These choose their configurations by the flag while they are imported.
    before=tuple(f"{ops}.{name}" for ops in _OPS for name in ("chunk_o", "chunk", "wy_fast")),
)
