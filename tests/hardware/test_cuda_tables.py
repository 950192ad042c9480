"""Limits of shared memory, held against NVIDIA's own occupancy tables, as CUDA and Triton ship them.

The header is C: a program of a few lines asks it for the largest size that a capability accepts for one
multiprocessor. From 8.0 on the system keeps 1 KiB of that for each block.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from pathlib import Path

import pytest

from gpu_gotchas.hardware.catalogue import targets
from gpu_gotchas.hardware.targets import KIB, Vendor

_PROGRAM = """
#include <stdio.h>
#include <stddef.h>
#include <limits.h>
#include "cuda_occupancy.h"
int main(int count, char **words) {
    cudaOccDeviceProp card = {0};
    for (int i = 1; i + 1 < count; i += 2) {
        card.computeMajor = atoi(words[i]);
        card.computeMinor = atoi(words[i + 1]);
        size_t most = 0;
        for (size_t kib = 1; kib <= 512; kib++) {
            size_t size = kib * 1024;
            if (cudaOccAlignUpShmemSizeVoltaPlus(&size, &card) == CUDA_OCC_SUCCESS) most = kib * 1024;
        }
        printf("%zu\\n", most);
    }
    return 0;
}
"""
_RESERVED_FROM = (8, 0)


def _headers() -> list[Path]:
    spec = importlib.util.find_spec("triton")
    triton = (
        [Path(place) / "backends/nvidia/include" for place in (spec.submodule_search_locations or ())]
        if spec
        else []
    )
    places = [*triton, Path("/usr/local/cuda/include")]
    return [place for place in places if (place / "cuda_occupancy.h").is_file()]


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
@pytest.mark.skipif(not _headers(), reason="neither Triton nor CUDA is installed with its headers")
@pytest.mark.parametrize(
    "headers", _headers(), ids=lambda path: path.parts[-4] if "triton" in str(path) else "cuda"
)
def test_shared_memory_is_what_nvidia_s_own_table_says(headers: Path, tmp_path: Path) -> None:
    known = [one for one in targets() if one.vendor is Vendor.NVIDIA and (one.capability or (0, 0)) >= (7, 0)]
    source, program = tmp_path / "ask.c", tmp_path / "ask"
    source.write_text("#include <stdlib.h>\n#include <string.h>\n" + _PROGRAM)
    subprocess.run(["cc", "-w", f"-I{headers}", str(source), "-o", str(program), "-lm"], check=True)
    asked = [str(number) for one in known for number in one.capability or ()]
    answer = subprocess.run([str(program), *asked], check=True, capture_output=True, text=True).stdout.split()
    assert len(answer) == len(known) >= 10
    for one, most in zip(known, map(int, answer), strict=True):
        if most == 0:
            continue  # this release of the table is older than the card
        reserved = KIB if (one.capability or (0, 0)) >= _RESERVED_FROM else 0
        assert (one.name, one.shared_optin) == (one.name, most - reserved)
    assert sum(size != "0" for size in answer) >= 8, "the table knows hardly any card: it was not read"
