"""The method of speculative decoding: what was asked for stands, whatever words the model's path holds."""

from __future__ import annotations

import dataclasses
import functools
from contextvars import ContextVar
from types import ModuleType
from typing import Any

from gpu_gotchas.hardware.versions import VersionRange
from gpu_gotchas.upstream.asking import Open
from gpu_gotchas.upstream.editing import edited
from gpu_gotchas.upstream.patch import Answer, Patch, Place

ID = "dflash-substring-selects-method"
_asked: ContextVar[str | None] = ContextVar("asked", default=None)


def searched(path: str) -> str:
    """What vLLM looks for words in: the path where no method was asked for, nothing where one was."""
    return path.lower() if _asked.get() is None else ""


def _replace(before: Any, module: ModuleType) -> Any:  # noqa: ARG001
    inner = edited(
        before,
        ID,
        {"self.draft_model_config.model.lower()": "_searched(self.draft_model_config.model)"},
        {"_searched": searched},
        everywhere=True,
    )

    @functools.wraps(before)
    def post_init(self: Any, *args: Any, **kwargs: Any) -> Any:
        # vLLM fills in `method` before it looks at the path, so only here can be told what was asked for.
        token = _asked.set(self.method)
        try:
            return inner(self, *args, **kwargs)
        finally:
            _asked.reset(token)

    return post_init


def _probe(module: ModuleType) -> Answer:
    """The record's question: a small draft model and method `draft_model`, in a folder that is called dflash.

    `ModelConfig` and `ParallelConfig` of the module are stood in for; the process is thrown away after.
    """
    path = "/models/dflash-tests/Qwen3.5-4B"
    hf_config = Open(model_type="qwen3", architectures=["Qwen3ForCausalLM"], vocab_size=151_936)

    def draft(model: str, **_: object) -> Open:
        return Open(
            model=model, hf_config=hf_config, architectures=hf_config.architectures, max_model_len=4096
        )

    module.__dict__.update(ModelConfig=draft, ParallelConfig=Open)
    asked = _blank(module.SpeculativeConfig)
    target = Open(model=path, hf_config=hf_config, hf_text_config=hf_config, max_model_len=4096)
    given = {
        "method": "draft_model",
        "model": path,
        "num_speculative_tokens": 2,
        "target_model_config": target,
        "target_parallel_config": Open(tensor_parallel_size=1),
    }
    for name, value in given.items():
        object.__setattr__(asked, name, value)
    try:
        asked.__post_init__()
    except (ImportError, ValueError, NotImplementedError, AttributeError, TypeError):
        # A method that was not asked for wants what this checkpoint has not.
        if asked.method == "draft_model":
            raise
    return Answer.RIGHT if asked.method == "draft_model" else Answer.FAULTY


def _blank(kind: Any) -> Any:
    """An instance with every field at its default, of which nothing has been checked yet."""
    made = object.__new__(kind)
    for field in dataclasses.fields(kind):
        value = getattr(field.default, "default", field.default)  # pydantic keeps it in a field of its own
        if value is dataclasses.MISSING:
            value = None if field.default_factory is dataclasses.MISSING else field.default_factory()
        object.__setattr__(made, field.name, value)
    return made


PATCH = Patch(
    id=ID,
    does="Keeps the method of speculative decoding that was asked for, whatever its folder is called.",
    places=(Place("vllm.config.speculative", "SpeculativeConfig.__post_init__"),),
    releases=VersionRange("0.20.0", last_bad="0.33.0"),
    replace=_replace,
    probe=_probe,
)
