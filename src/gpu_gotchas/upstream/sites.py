"""Places in memory that patches stand in, and what stood there before.

Several patches may stand in one place. What is installed is always built anew from the original, a layer for
each patch in the order of their ids, so that neither the order of arrival nor that of departure matters.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import FunctionType, ModuleType
from typing import Any

Layer = Callable[[Any], Any]

_lock = threading.RLock()
_sites: dict[tuple[int, str], _Site]


@dataclass(slots=True)
class _Site:
    """owner: a module, class or dict. original, installed: what stood there, and what stands there now."""

    owner: Any
    name: str
    original: Any
    installed: Any
    layers: dict[str, Layer] = field(default_factory=dict)


_sites = {}


def read(owner: Any, name: str) -> Any:
    """What stands at `name` of a module, a class or a dict, as it is stored there."""
    return owner[name] if isinstance(owner, dict) else vars(owner)[name]


def add(patch: str, owner: Any, name: str, layer: Layer) -> None:
    """Let `layer` make what stands at `name` of `owner` from what stood there before.

    Whoever holds the same object under a global name in the same package gets the new one as well: modules
    imported before that took it by value. Raises what `layer` raises; then nothing has changed.
    """
    with _lock:
        now = read(owner, name)
        site = _sites.get((id(owner), name))
        # A module that was loaded anew has lost its layers: it starts over.
        if site is None or site.installed is not now:
            site = _Site(owner, name, now, now)
        layers = {**site.layers, patch: layer}
        _install(site, layers)
        _sites[id(owner), name] = site


def remove(patch: str) -> None:
    """Take every layer of `patch` away; with the last one, the original stands there again."""
    with _lock:
        for key, site in list(_sites.items()):
            if patch not in site.layers:
                continue
            if read(site.owner, site.name) is site.installed:
                _install(site, {name: layer for name, layer in site.layers.items() if name != patch})
            else:
                del site.layers[patch]
            if not site.layers:
                del _sites[key]


def original(owner: Any, name: str) -> Any:
    """What stood there before any patch."""
    site = _sites.get((id(owner), name))
    now = read(owner, name)
    return site.original if site is not None and site.installed is now else now


def _install(site: _Site, layers: dict[str, Layer]) -> None:
    kind = type(site.original) if isinstance(site.original, classmethod | staticmethod) else None
    made = site.original.__func__ if kind else site.original
    for patch in sorted(layers):
        made = layers[patch](made)
    if not layers:
        made = site.original
    elif kind:
        made = kind(made)
    before = site.installed
    _store(site.owner, site.name, made)
    for module, name in list(_holders(site.owner, before)):
        setattr(module, name, made)
    site.installed, site.layers = made, layers


def _store(owner: Any, name: str, value: Any) -> None:
    if isinstance(owner, dict):
        owner[name] = value
    else:
        setattr(owner, name, value)


def _holders(owner: Any, value: Any) -> Iterator[tuple[ModuleType, str]]:
    """Other modules of the owner's package in which a global is that very object.

    Only what is one of a kind is looked for: functions and the like, not flags that many names share.
    """
    if not isinstance(owner, ModuleType) or not _one_of_a_kind(value):
        return
    top = owner.__name__.partition(".")[0]
    for name, module in list(sys.modules.items()):
        if module is owner or not (name == top or name.startswith(f"{top}.")):
            continue
        for key, held in list(getattr(module, "__dict__", {}).items()):
            if held is value:
                yield module, key


def _one_of_a_kind(value: Any) -> bool:
    return isinstance(value, FunctionType) or (hasattr(value, "__dict__") and callable(value))
