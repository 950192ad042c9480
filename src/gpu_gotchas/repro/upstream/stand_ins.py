"""What stands where a compiled part would be, each by name, so that a result can say so."""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

from gpu_gotchas.repro.packages import listed_files

_COMPILED = (".so", ".pyd")
_CACHED = type(functools.cache(lambda: None))
_stood_in: list[str] = []


def stood_in() -> tuple[str, ...]:
    """Names of all that stood in for something in this process, in order."""
    return tuple(dict.fromkeys(_stood_in))


def say_stood_in(*names: str) -> None:
    """Have the result of this probe name what a repro replaced itself."""
    _stood_in.extend(names)


def stand_in(place: object, name: str, value: Any) -> None:
    """Put `value` where `place` has, or would have, a compiled function, and have the result say so."""
    setattr(place, name, value)
    where = getattr(place, "__name__", None) or type(place).__name__
    say_stood_in(f"{where}.{name}")


class EmptyExtensions(MetaPathFinder, Loader):
    """Finds the extension modules that a package's wheel holds and its unpacked folder lacks: empty ones.

    Importing one registers no operator, so whatever calls into it still fails, by name.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._names = {
            _module_name(entry.name) for entry in listed_files(folder, name) if entry.name.endswith(_COMPILED)
        }

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,  # noqa: ARG002
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        return ModuleSpec(fullname, self) if fullname in self._names else None

    def create_module(self, spec: ModuleSpec) -> None: ...

    def exec_module(self, module: ModuleType) -> None:
        say_stood_in(module.__name__)


def stand_in_for_extensions(package: str, distribution: str) -> None:
    """From here on, extension modules of the imported `package` are empty where they cannot be found."""
    source = getattr(sys.modules[package], "__file__", None)
    if source and not any(isinstance(finder, EmptyExtensions) for finder in sys.meta_path):
        # Behind all others: what is really there is what is imported.
        sys.meta_path.append(EmptyExtensions(Path(source).parent.parent, distribution))


def clear_caches(package: str) -> None:
    """Forget what functions of `package` remembered about another card."""
    for name, module in list(sys.modules.items()):
        if name == package or name.startswith(f"{package}."):
            for value in list(vars(module).values()):
                if isinstance(value, _CACHED):  # asked by type: a lazy stub imports when asked for a name
                    value.cache_clear()


def _module_name(file: str) -> str:
    """`vllm/_C.abi3.so` is `vllm._C`."""
    *folders, last = file.split("/")
    return ".".join((*folders, last.partition(".")[0]))
