"""A Triton kernel out of an upstream source file, without importing the package it belongs to.

Triton reads a kernel's source from its file, so a kernel cannot be executed from text as `extract.take` does
with plain functions: it gets a file of its own, with nothing in it but Triton's own imports.
"""

from __future__ import annotations

import ast
import importlib.util
import tempfile
from pathlib import Path
from typing import Any


def jit_function(source: Path, name: str) -> Any:
    """The kernel called `name` at the top level of `source`; it may refer to `tl` and `triton` only.

    Raises LookupError when there is none, FileNotFoundError when the file is not there.
    """
    text = source.read_text(encoding="utf-8")
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name == name and node.decorator_list:
            kernel = "\n".join(text.splitlines()[node.decorator_list[0].lineno - 1 : node.end_lineno])
            break
    else:
        raise LookupError(f"{source} defines no kernel {name}")
    # The file stays: Triton reads it when the kernel is first compiled.
    path = Path(tempfile.mkdtemp(prefix="gpu-gotchas-")) / source.name
    path.write_text(f"import triton\nimport triton.language as tl\n\n\n{kernel}\n", encoding="utf-8")
    spec = importlib.util.spec_from_file_location(f"upstream_{source.stem}", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)
