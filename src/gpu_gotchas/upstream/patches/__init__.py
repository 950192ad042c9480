"""One module for each patch, with a `PATCH`. A new one is found by its file, and stands in no other list."""

from __future__ import annotations

import importlib
import pkgutil

from gpu_gotchas.upstream.patch import Patch


def all_patches() -> list[Patch]:
    """Every patch, by id. Imports none of the packages that are patched, and neither torch nor Triton."""
    modules = [
        importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)
    ]
    return sorted((module.PATCH for module in modules), key=lambda patch: patch.id)
