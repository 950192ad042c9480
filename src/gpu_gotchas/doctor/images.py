"""Versions that the name of a container image tells."""

from __future__ import annotations

import re
from collections.abc import Mapping

_IMAGE = re.compile(
    r"(?:[a-z0-9-]*[.:][a-z0-9.:-]*/)?(?P<name>[a-z0-9._/-]+?)(?::(?P<tag>[\w.+-]{1,128}))?(?:@.*)?"
)
_VERSION = re.compile(r"v?([0-9]+\.[0-9]+(?:\.[0-9]+)*(?:(?:\.post|rc|\.dev)[0-9]+)?)")
_CUDA = re.compile(r"cu(?:da)?-?([0-9]+\.[0-9]+(?:\.[0-9]+)*|[0-9]{2,3})")
_ROCM = re.compile(r"rocm-?([0-9]+(?:\.[0-9]+)+)")

# The last parts of an image's name to the package that its tag counts.
_PACKAGES = {
    "vllm/vllm-openai": "vllm",
    "vllm/vllm-openai-rocm": "vllm",
    "vllm/vllm-openai-cpu": "vllm",
    "lmsysorg/sglang": "sglang",
    "pytorch/pytorch": "torch",
    "nvidia/cuda": "cuda-toolkit",
    "rocm/dev-ubuntu-22.04": "rocm",
    "rocm/dev-ubuntu-24.04": "rocm",
}

_PUBLISHED = ("vllm/vllm-openai", "vllm/vllm-openai-rocm", "vllm/vllm-openai-cpu")


def software_of(image: str) -> Mapping[str, str | None]:
    """What a tag such as `v0.19.1` or `2.8.0-cuda12.8-cudnn9-devel` says; nothing for `latest`."""
    match = _IMAGE.fullmatch(image.strip().lower()[:500])
    if match is None or not match["tag"]:
        return {}
    name, tag = match["name"], match["tag"]
    package = next(
        (found for known, found in _PACKAGES.items() if name == known or name.endswith("/" + known)), None
    )
    software: dict[str, str | None] = {}
    version = _VERSION.match(tag)
    if package is not None and version is not None:
        software[package] = version[1]
    cuda, rocm = _CUDA.search(tag), _ROCM.search(tag)
    if cuda is not None and package not in (None, "cuda-toolkit"):
        software["cuda-runtime"] = cuda[1] if "." in cuda[1] else f"{cuda[1][:-1]}.{cuda[1][-1]}"
    if rocm is not None:
        software.setdefault("rocm", rocm[1])
    return software


def is_published(image: str) -> bool:
    """Whether it is vLLM's own image, in which nothing else is installed."""
    name = image.strip().partition("@")[0].removeprefix("docker.io/").partition(":")[0]
    return name in _PUBLISHED


def is_for_cpu(image: str) -> bool:
    """Whether a build of vLLM for processors lies in it, such as `vllm-openai-cpu` or
    `vllm-cpu-release-repo`."""
    name = image.partition("@")[0].rpartition("/")[2].partition(":")[0]
    return "vllm" in name and "cpu" in name.split("-")
