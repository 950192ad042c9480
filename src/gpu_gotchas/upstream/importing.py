"""Something to do each time a module has been imported, without importing it. Standard library only."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

Then = Callable[[ModuleType], None]


class AfterImport(MetaPathFinder):
    """Stands first among the finders, lets the others find, and calls back once a module has run.

    Where a module is loaded anew, the callback is called anew. What it raises fails the import.
    """

    def __init__(self) -> None:
        self._then: dict[str, list[Then]] = {}
        self._looking = threading.local()

    def call(self, module: str, then: Then) -> None:
        """Call `then(module)` after each import of `module`; at once as well when it is there already."""
        self._then.setdefault(module, []).append(then)
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)
        there = sys.modules.get(module)
        # A module that is being imported further up the stack has found its loader without us.
        if there is not None and not getattr(there.__spec__, "_initializing", False):
            then(there)

    def stop(self) -> None:
        """Call nobody any more."""
        self._then.clear()
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in self._then or getattr(self._looking, "on", False):
            return None
        self._looking.on = True
        try:
            spec = _found_by_others(self, fullname, path, target)
        finally:
            self._looking.on = False
        if spec is not None and spec.loader is not None:
            self._listen(spec)
        return spec

    def _listen(self, spec: ModuleSpec) -> None:
        """A loader belongs to one spec: its `exec_module` is overlaid until the module has run."""
        loader = spec.loader
        execute = loader.exec_module  # type: ignore[union-attr]

        def exec_module(module: ModuleType) -> None:
            execute(module)
            for then in list(self._then.get(spec.name, ())):
                then(module)

        loader.exec_module = exec_module  # type: ignore[union-attr, method-assign]


def _found_by_others(
    ours: AfterImport, name: str, path: Sequence[str] | None, target: ModuleType | None
) -> ModuleSpec | None:
    for finder in list(sys.meta_path):
        find = getattr(finder, "find_spec", None)
        if finder is ours or find is None:
            continue
        spec = find(name, path, target)
        if spec is not None:
            return spec  # type: ignore[no-any-return]
    return None
