"""Which package a line of a log is from: the code of a frame, the class of an exception, or a logger's tag.

Packages are called as records call them, which is how they are installed: the code of `flash_attn` is
`flash-attn`'s.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

_HOME = r"[/\\](?:home|Users)[/\\][^/\\]+[/\\]"
_INSTALLED = r"(?:site|dist)-packages[/\\](\w+)(?=[/\\]|\.py\b)"
_SOURCE = (
    r"(?<![\w.-])(vllm|sglang|lmdeploy|lmcache|tensorrt_llm|jax|jaxlib|tensorflow|aiter|xformers|flashinfer"
    r"|flash_attn|sgl_kernel|exllamav[23]|text_generation_server|mlc_llm|ktransformers|lightllm|aphrodite"
    r"|deepspeed|diffusers|comfy|unsloth|nunchaku|ggml)[/\\](?=[\w.+/\\-]{0,300}\.(?:py|cc|cpp|cu|cuh|h)\b)"
)
"""In a checkout: the first folder that bears a program's name. Installed code is told by where it lies."""

_CLASS = r"^([a-z]\w*)\.[\w.]*(?:Error|Exception|OutOfResources)\b"
_TAG = (
    r"\[(TensorRT-LLM|TRT-LLM|tensorrt_llm|TM|lmdeploy|vllm|sglang)\]"
    r"|\s-\s(lmdeploy|tensorrt_llm)\s-\s|\b(ggml)[_-]\w+|\b(llama)_(?:model|context|kv|init)\w*:"
)
_OTHERWISE = {
    "jaxlib": "jax",
    "onnxruntime": "onnxruntime-gpu",
    "flashinfer-python": "flashinfer",
    "sglang-kernel": "sgl-kernel",
    "trt-llm": "tensorrt-llm",
    "tm": "lmdeploy",
    "ggml": "llama.cpp",
    "llama": "llama.cpp",
    "llama-cpp": "llama.cpp",
    "comfy": "comfyui",
}
BENEATH = frozenset({"torch", "triton"})
"""What the others stand on: that its code is in a traceback says nothing of whose fault it is."""

APART = frozenset(
    {"jax", "tensorflow", "llama.cpp", "mlc-llm", "ctranslate2", "onnxruntime-gpu", "tensorrt-llm"}
)
"""Programs that make their kernels by other means: what they print is not torch's or triton's either, unless
code of these is in the traceback."""

PROGRAMS = APART | {
    *("vllm", "sglang", "lmdeploy", "lmcache", "tensorrt-llm", "text-generation-server", "exllamav2"),
    *("exllamav3", "ktransformers", "lightllm", "aphrodite", "deepspeed", "comfyui", "unsloth", "diffusers"),
    "nunchaku",
}
"""Those that people start. The libraries that they share stand under several of them."""


def package(name: str) -> str:
    """An import's or an installed name as records have it."""
    plain = name.lower().replace("_", "-")
    return _OTHERWISE.get(plain, plain)


def code_in(text: str) -> tuple[str, ...]:
    """The packages whose files a line names."""
    found = re.findall(_INSTALLED, text) or re.findall(_SOURCE, re.sub(_HOME, "/", text))[:1]
    return tuple(package(name) for name in found)


def programs_of(text: str, message: str) -> tuple[str, ...]:
    """The programs whose error a line is, by the class of the exception or the tag of the logger.

    text: the line, cleaned. message: the same without its prefixes.
    """
    said = re.findall(_CLASS, message) + [name for names in re.findall(_TAG, text) for name in names]
    return tuple(found for name in said if name and (found := package(name)) in PROGRAMS)


def strange(claimed: Collection[str], seen: Iterable[str], around: Iterable[str]) -> str | None:
    """A package that the failure is of and nothing is claimed about, None where there is none.

    claimed: what a record is about. seen: whose code the lines that met its signature are of. around: the
    programs whose traceback these stand in, or whose logger or exception it is.
    """
    known = {package(name) for name in claimed}
    told = (*seen, *(name for name in around if name in PROGRAMS | BENEATH))
    if not known:
        return None
    if known <= BENEATH:
        return None if known & {*told} else next((name for name in told if name in APART), None)
    if known & {*told} - BENEATH:
        return None
    return next((name for name in told if name not in known | BENEATH), None)
