"""PyTorch's allocator options: what is in force, one of them changed, and all of them put back.

Options are one string, from whichever of three variables is set first, and writing a string resets every
option that it does not name. So whoever changes one writes all, and whoever asks reads all three variables.

Source: c10/core/AllocatorConfig.cpp of PyTorch 2.13 (order of variables, blanks, `True` and `False` only).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from gpu_gotchas.fixes.refused import Refused

VARIABLES = ("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF")
EXPANDABLE = "expandable_segments"


def in_force(environ: Mapping[str, str] = os.environ) -> str:
    """The options a process starts with: of the variables that are set, the first."""
    return next((environ[name] for name in VARIABLES if environ.get(name)), "")


def options(conf: str) -> dict[str, str]:
    """Names and values. Blanks mean nothing; a list in brackets is one value.

    Raises ValueError for what is no string.
    """
    if not isinstance(conf, str):
        raise ValueError(f"options are one string, such as 'expandable_segments:True', not {conf!r}")
    fields = re.findall(r"(?:[^,\[]|\[[^\]]*\])+", re.sub(r"\s", "", conf))
    return {name: value for name, _, value in (field.partition(":") for field in fields)}


def with_option(conf: str, name: str, value: str) -> str:
    """`conf` with one option set and all others as they were."""
    return ",".join(f"{each}:{said}" for each, said in {**options(conf), name: value}.items())


def is_expandable(conf: str) -> bool:
    """Whether memory grows by remapping, which moves no address and may change what lies behind one."""
    return options(conf).get(EXPANDABLE) == "True"


@contextmanager
def kept(read: Callable[[], str] | None = None, write: Callable[[str], None] | None = None) -> Iterator[str]:
    """Put all options back at the end, whatever was written in between. Gives the string that is kept.

    read, write: how the options in force are asked and set; by default torch's own.
    """
    if read is None or write is None:
        import torch

        read, write = of_torch(torch)
    before = read()
    try:
        yield before
    finally:
        write(before)


def of_torch(torch: Any) -> tuple[Callable[[], str], Callable[[str], None]]:
    """How this torch tells its options and takes new ones.

    2.13 tells them without a card; 2.11 in the snapshot of its CUDA memory, under the old variable's name
    whichever was set.
    """
    tell = getattr(torch._C, "_accelerator_getAllocatorSettings", None)

    def from_snapshot() -> str:
        settings = torch.cuda.memory._snapshot()["allocator_settings"]
        return str(settings.get("PYTORCH_CUDA_ALLOC_CONF", ""))

    return tell or from_snapshot, torch._C._accelerator_setAllocatorSettings


def refuse_remapping(connector: str, environ: Mapping[str, str] = os.environ) -> None:
    """Refuses a transfer that registers memory with a network card where the allocator may remap it.

    connector: its name, for the message. Raises `Refused` when expandable segments are on, under whichever
    variable and however it is spelt.
    """
    if is_expandable(in_force(environ)):
        raise Refused(
            capability="memory that is remapped while it is in use (expandable segments)",
            setting=f"KV connector {connector}",
            way_out=f"take {EXPANDABLE}:True out of {' and '.join(VARIABLES[:2])}",
        )
