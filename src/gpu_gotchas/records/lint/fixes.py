"""Rules about what a record's fixes point at. Nothing is imported: files are looked up and parsed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from gpu_gotchas.records.lint.base import Finding, each_gotcha
from gpu_gotchas.records.model import Fix, FixType, Gotcha
from gpu_gotchas.records.settings import settings
from gpu_gotchas.records.sources import bound_names, module_file

_MODULE = re.compile(r"gpu_gotchas\.(fixes|upstream)(\.[A-Za-z_][A-Za-z0-9_]*)+")
_UPGRADE = re.compile(r"[a-z0-9]+([._-][a-z0-9]+)*>=[0-9]+(\.[0-9]+)*(\.post[0-9]+)?")


@each_gotcha
def fix_can_be_used(gotcha: Gotcha) -> Iterator[Finding]:
    """People paste what stands under `use`: it must exist, and be of the kind that its type says."""
    for number, fix in enumerate(gotcha.fixes):
        fault = _fault(fix)
        if fault:
            yield Finding(f"fixes[{number}].use", f"{fix.use!r} {fault}")


def _fault(fix: Fix) -> str | None:
    if fix.type is FixType.SETTING:
        return (
            None
            if _is_setting(fix.use)
            else "is no flag, variable or name of schema/settings.yaml: add it there"
        )
    if fix.type is FixType.UPGRADE:
        return None if _UPGRADE.fullmatch(fix.use) else "must be the first good release, such as vllm>=0.34.0"
    match = _MODULE.fullmatch(fix.use)
    if match is None:
        return (
            f"must be an import below gpu_gotchas.fixes or gpu_gotchas.upstream, as type is {fix.type.value}"
        )
    if match[1] == "upstream" and fix.type is not FixType.PATCH:
        return f"lies below upstream, where patches are, but type is {fix.type.value}"
    return None if _exists(fix.use) else "does not exist in this package: add the module, or correct the path"


def _is_setting(use: str) -> bool:
    name = re.split(r"[ =]", use, maxsplit=1)[0]
    return any(name in (key, setting.flag, setting.variable) for key, setting in settings().items())


def _exists(use: str) -> bool:
    """Whether the path names a module, or something that a module binds at its top level."""
    *above, last = use.split(".")[1:]
    return module_file([*above, last]) is not None or _binds(module_file(above), last)


def _binds(path: Path | None, name: str) -> bool:
    return path is not None and name in bound_names(ast.parse(path.read_text(encoding="utf-8")))
