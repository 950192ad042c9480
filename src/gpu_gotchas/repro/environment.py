"""The environment of a child: what it needs to run, and nothing that changes what it shows."""

from __future__ import annotations

import os
from pathlib import Path

# By allow-list: with TRITON_INTERPRET=1 no probe reaches the driver and everything passes, with
# TRITON_OVERRIDE_ARCH the target is another one, and a token has no business in a repro.
_KEPT = frozenset(
    {
        "PATH", "HOME", "LANG", "TZ", "TMPDIR", "TEMP", "TMP", "USERPROFILE", "SYSTEMROOT",
        "LD_LIBRARY_PATH", "LIBRARY_PATH", "PYTHONPATH", "VIRTUAL_ENV", "CC", "CXX",
        "CUDA_HOME", "CUDA_PATH", "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES",
        "ROCM_PATH", "HIP_PATH", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
        "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "OMP_NUM_THREADS", "GPU_GOTCHAS_CACHE",
    }
)  # fmt: skip


def child_environment(cache: Path, *, cards: bool, first: str | None = None) -> dict[str, str]:
    """Variables for a child whose Triton caches in `cache`; without `cards` it sees no card at all.

    first: a folder that it imports from before any other.
    """
    kept = {name: value for name, value in os.environ.items() if name in _KEPT or name.startswith("LC_")}
    kept["TRITON_CACHE_DIR"] = str(cache)
    kept["PYTHONDONTWRITEBYTECODE"] = "1"
    if first:
        kept["PYTHONPATH"] = os.pathsep.join(filter(None, (first, kept.get("PYTHONPATH"))))
    if not cards:
        kept["CUDA_VISIBLE_DEVICES"] = ""
        kept["HIP_VISIBLE_DEVICES"] = ""
    return kept
