"""Take one launcher of SGLang's Triton attention out of an unpacked release; nothing else of it runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
import triton
import triton.language as tl

from gpu_gotchas.repro.extract import take

_PLACES = ("kernels/ops/attention", "srt/layers/attention/triton_ops")
"""Where the files lie, in newer releases and in older ones."""


def take_launcher(
    package: str | None,
    file: str,
    launcher: str,
    kernel: str,
    *,
    capability: tuple[int, int] | None,
    if_there: Sequence[str] = (),
) -> Any:
    """The function `launcher` of `file`, which launches `kernel` of its own; its globals hold both.

    package: the folder that holds `sglang/`. capability: of the card, which the file asks for while it is
    imported. if_there: names of the file that only some releases have. Raises ValueError without a folder,
    FileNotFoundError when no place has the file, LookupError when it lacks one of the two.
    """
    if package is None:
        raise ValueError("a folder that holds SGLang's source is needed")
    paths = [Path(package, "sglang", place, file) for place in _PLACES]
    source = next((path for path in paths if path.is_file()), paths[-1])
    stand_ins = {
        "torch": torch, "triton": triton, "tl": tl, "_is_cuda": True, "_is_hip": False,
        "CUDA_CAPABILITY": capability,
    }  # fmt: skip
    return take(source, [launcher, kernel], stand_ins, if_there=if_there)[launcher]
