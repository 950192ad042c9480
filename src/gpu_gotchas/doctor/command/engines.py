"""Which words of a command start vLLM or SGLang."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_VLLM_COMMANDS = ("serve", "bench", "run-batch", "launch")
# `bench serve` asks a server that runs already.
_BENCHES = ("latency", "throughput", "startup")
_VLLM_MODULES = (
    "vllm.entrypoints.openai.api_server",
    "vllm.entrypoints.api_server",
    "vllm.entrypoints.openai.run_batch",
    "vllm.entrypoints.cli.main",
)
_SGLANG_MODULES = (
    "sglang.launch_server",
    "sglang.bench_one_batch",
    "sglang.bench_offline_throughput",
    "sglang",
)
_SGLANG_COMMANDS = ("serve", "launch_server")
_BAKED_IN = {"vllm-openai": "vllm", "vllm-openai-rocm": "vllm", "vllm-openai-cpu": "vllm"}
_TELLING = ("-h", "--help", "--version")


@dataclass(frozen=True, slots=True)
class Call:
    """package: vllm or sglang. arguments: its flags. model: the one named without a flag."""

    package: str
    arguments: tuple[str, ...]
    model: str | None = None

    @property
    def only_tells(self) -> str | None:
        """The flag for which it prints its help or its version and starts nothing."""
        return next((one for one in self.arguments if one.partition("=")[0] in _TELLING), None)


def find_call(words: Sequence[str]) -> Call | None:
    """What the command starts."""
    name = words[0].rpartition("/")[2] if words else ""
    if name == "vllm" and len(words) > 1:
        return _vllm(list(words[1:]))
    if name == "sglang" and len(words) > 1 and words[1] in _SGLANG_COMMANDS:
        return _with_model("sglang", list(words[2:]))
    return _module(list(words[1:])) if name.startswith("python") else None


def find_call_of_image(image: str, words: Sequence[str]) -> Call | None:
    """What an image starts whose own entrypoint is an engine, None for any other image."""
    package = _BAKED_IN.get(image.partition("@")[0].rpartition("/")[2].partition(":")[0])
    if package is None:
        return None
    return _with_model(package, list(words[1:] if words[:1] == ("serve",) else words))


def find_call_within(words: Sequence[str]) -> tuple[Call | None, str]:
    """What a command starts by way of another program, such as `srun` or `kubectl exec`, and that program."""
    for at in range(1, len(words)):
        name = words[at].rpartition("/")[2]
        if name in ("vllm", "sglang") or name.startswith("python"):
            call = find_call(words[at:])
            if call is not None:
                return call, " ".join(words[:at])[:80]
    return None, ""


def _vllm(words: list[str]) -> Call | None:
    if words[0] not in _VLLM_COMMANDS:
        return None
    rest = words[1:]
    if words[0] == "bench":
        if not rest or rest[0] not in _BENCHES:
            return None
        rest = rest[1:]
    elif words[0] == "launch" and rest[:1] == ["render"]:
        rest = rest[1:]
    return _with_model("vllm", rest)


def _module(words: list[str]) -> Call | None:
    """`python OPTIONS -m MODULE …`."""
    while words and words[0].startswith("-") and words[0] != "-m":
        words = words[1:]
    if words[:1] != ["-m"] or len(words) < 2:
        return None
    module, rest = words[1], words[2:]
    if module in _VLLM_MODULES:
        return _vllm(rest) if module.endswith("cli.main") and rest else Call("vllm", tuple(rest))
    if module == "vllm" and rest:
        return _vllm(rest)
    if module in _SGLANG_MODULES:
        rest = rest[1:] if module == "sglang" and rest[:1] and rest[0] in _SGLANG_COMMANDS else rest
        return Call("sglang", tuple(rest))
    return None


def _with_model(package: str, rest: list[str]) -> Call:
    """The model is the first word, unless that is a flag."""
    if rest and not rest[0].startswith("-"):
        return Call(package, tuple(rest[1:]), rest[0])
    return Call(package, tuple(rest))
