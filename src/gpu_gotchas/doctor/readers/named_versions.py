"""Versions in a sentence: `vllm 0.19.1, torch 2.9, driver 580`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpu_gotchas.doctor.packages import package_name
from gpu_gotchas.hardware.package_names import OTHER_NAMES, PACKAGES, PROGRAMS

CALLED: dict[str, str | None] = {
    "driver": "nvidia-driver",
    "cuda driver": None,  # counts as CUDA does, and is no driver's version
    "nvcc": "cuda-toolkit",
    "cudatoolkit": "cuda-runtime",
    "transformer engine": "transformer-engine",
    "tgi": "text-generation-server",
    "text-generation-inference": "text-generation-server",
    "vllm-openai": "vllm",
    "vllm-openai-rocm": "vllm",
    "llama.cpp": "ggml",
    "mistral.rs": "mistralrs",
    "cuda": "cuda-runtime",
    "cuda toolkit": "cuda-toolkit",
    "cuda-toolkit": "cuda-toolkit",
    "rocm": "rocm",
    "python": "python",
    "pytorch": "torch",
    "flash attention": "flash-attn",
    "flash_attn": "flash-attn",
    "flashattention": "flash-attn",
}
# Components that are counted by two numbers; of packages, two numbers name a line of releases.
_SHORT = ("nvidia-driver", "cuda-runtime", "cuda-toolkit", "rocm", "python")
_BY_ONE = ("nvidia-driver", "cuda-runtime")
# Containers are named by year and month.
_YEAR = 20
_OTHERS = (other for others in OTHER_NAMES.values() for other in others)
_NAMES = "|".join(map(re.escape, sorted({*CALLED, *PACKAGES, *PROGRAMS, *_OTHERS}, key=len, reverse=True)))
_VERSION = re.compile(
    rf"(?i)(?<![\w-])({_NAMES})(?: version)?[ =:@v(~]{{1,4}}"
    r"(?P<version>[0-9]{1,4}(?:\.(?:[0-9]{1,9}|x))*(?:(?:\.post|\.?dev|rc)[0-9]*)*"
    r"(?:\+[a-z0-9]+(?:\.[a-z0-9]+)*)?)(?![0-9a-z])"
    # What makes it one of several, or a line of releases.
    r"(?P<more>(?:[-/ ]*|,? (?:and|or) |(?:-[a-z]+[0-9]+)?, v?)"
    r"(?:[0-9]+\.[0-9x]|era\b|dev\b|main\b|nightly\b)"
    r"|\+(?![a-z0-9]))?"
)


def named_versions(text: str) -> Iterator[tuple[str, str]]:
    """Package and version, `0.19.x` for a line of releases. Of two different ones, neither is taken."""
    found: dict[str, set[str]] = {}
    for match in _VERSION.finditer(text):
        called = match[1].lower()
        name = CALLED.get(called) or package_name(called)
        if name is not None:
            about = "~" if "~" in match[0] else ""
            stated = _as_stated(name, match["version"], (match["more"] or "") + about)
            found.setdefault(name, set()).add(stated)
    for name, versions in found.items():
        if len(versions) == 1 and (version := versions.pop()):
            yield name, version


def _as_stated(name: str, version: str, more: str) -> str:
    """ "" where what is said covers several lines, or is no version of the package."""
    if re.search(r"[0-9]", more) or more.startswith("+"):
        return ""
    parts = version.split(".")
    if len(parts) == 1:  # vLLM V1 is no release
        return f"{version}.x" if name in _BY_ONE and version.isdigit() else ""
    if name not in _SHORT and int(parts[0]) >= _YEAR:
        return ""
    if name not in _SHORT and len(parts) == 2 and parts[1].isdigit():
        return f"{version}.x"
    if more and len(parts) > 2 and parts[1].isdigit():
        return f"{parts[0]}.{parts[1]}.x"
    return version
