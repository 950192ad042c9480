"""Commands that install or remove packages, and what they make of the versions that were there.

`pip`, `pip3`, `python -m pip`, `uv pip`, `uv add`, `poetry add`, `conda` and `mamba`. A package that is
installed without an exact version keeps the one that is there, unless it is upgraded or that does not do;
then its version is not known."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gpu_gotchas.doctor.packages import package_name
from gpu_gotchas.doctor.readers.pin import SOURCE, Pin, pin_of
from gpu_gotchas.hardware.truth import Truth

_PIP = re.compile(r"pip[0-9.]*")
_PYTHON = re.compile(r"python[0-9.]*")
_CONDAS = ("conda", "mamba", "micromamba")
_ADDERS = ("uv", "poetry", "pdm", "rye")
_UPGRADES = ("-U", "--upgrade", "--pre", "--force-reinstall")
# Options of pip that take the next word.
_WITH_VALUE = (
    *("-r", "--requirement", "-c", "--constraint", "-i", "--index-url", "--extra-index-url", "-f"),
    *("--find-links", "-t", "--target", "--prefix", "--root", "--python", "-p", "--index", "--default-index"),
    *(
        "--torch-backend",
        "-n",
        "--name",
        "--channel",
        "--no-binary",
        "--only-binary",
        "--platform",
        "--index-strategy",
    ),
    *(
        "--timeout",
        "--retries",
        "--trusted-host",
        "--proxy",
        "--cache-dir",
        "-C",
        "--config-settings",
        "--group",
    ),
)
_CUDA = re.compile(r"/cu([0-9]{2,3})/?$|^cu([0-9]{2,3})$")
_SOURCE = re.compile(r"(?:git\+)?https?://[^\s#?@]+?/([A-Za-z0-9._-]+?)(?:\.git)?(?:@[^\s/]+)?(?:[#?].*)?")
# What decides, of these, for which CUDA they were built.
_BUILT = ("torch", "vllm", "sglang")


@dataclass(frozen=True, slots=True)
class Change:
    """pins: exact versions. open: installed without one; a specifier where one is given. gone: removed.

    upgrade: whether newer ones replace what is there. cuda: the runtime of the wheels' index.
    """

    pins: tuple[tuple[str, str], ...] = ()
    open: tuple[tuple[str, str], ...] = ()
    gone: tuple[str, ...] = ()
    upgrade: bool = False
    cuda: str | None = None

    def applied(self, software: Mapping[str, str | None]) -> dict[str, str | None]:
        """The versions after it; a package whose version it leaves open is no longer among them."""
        after = dict(software)
        if self.pins or self.open:
            # What was taken out may come back as a dependency.
            after = {name: version for name, version in after.items() if version is not None}
        after.update(dict.fromkeys(self.gone))
        for name, specifier in self.open:
            known = after.get(name)
            if known is None or self.upgrade or not _satisfies(known, specifier):
                after.pop(name, None)
        after.update(self.pins)
        if self.cuda is not None:
            after["cuda-runtime"] = self.cuda
        return after


def read_install(words: Sequence[str]) -> Change | None:
    """What the command changes, None for a command that neither installs nor removes."""
    rest = _verb(list(words))
    if rest is None:
        return None
    verb, arguments, conda = rest
    pins: list[tuple[str, str]] = []
    open_: list[tuple[str, str]] = []
    gone: list[str] = []
    upgrade, cuda = False, None
    while arguments:
        word = arguments.pop(0)
        option, joined, value = word.partition("=")
        if word.startswith("-"):
            upgrade = upgrade or word in _UPGRADES
            if not joined and option in _WITH_VALUE:
                value = arguments.pop(0) if arguments else ""
            found = (
                _CUDA.search(value)
                if option.endswith(("-url", "index", "-backend", "-i", "-f", "links"))
                else None
            )
            if found:
                digits = found[1] or found[2]
                cuda = f"{digits[:-1]}.{digits[-1]}"
            continue
        if verb == "remove":
            gone += filter(None, [package_name(word)])
            continue
        for pin in _wanted(word, conda=conda):
            name = package_name(pin.name)
            if name is None or pin.holds is Truth.NO:
                continue
            if pin.version is not None and pin.holds is Truth.YES:
                pins.append((name, pin.version))
            else:
                open_.append((name, "" if pin.version else pin.specifier))
    named = {name for name, _ in (*pins, *open_)}
    local = any("+cu" in version for _, version in pins)
    built = cuda if not local and named & set(_BUILT) else None
    return Change(tuple(pins), tuple(open_), tuple(gone), upgrade, built)


def _verb(words: list[str]) -> tuple[str, list[str], bool] | None:
    """install or remove, what stands behind it, and whether conda reads it."""
    if words and _PYTHON.fullmatch(words[0].rpartition("/")[2]):
        while words[1:] and words[1].startswith("-") and words[1] != "-m":
            del words[1]
        if words[1:2] != ["-m"]:
            return None
        words = words[2:]
    name = words[0].rpartition("/")[2] if words else ""
    words = words[1:]
    if name == "uv" and words[:1] == ["pip"]:
        name, words = "pip", words[1:]
    pip, conda = _PIP.fullmatch(name) is not None, name in _CONDAS
    while words and words[0].startswith("-"):
        words = words[2:] if words[0] in _WITH_VALUE else words[1:]
    verb = words[0] if words else ""
    if (pip or conda) and verb == "install":
        return "install", words[1:], conda
    if (pip and verb == "uninstall") or (conda and verb in ("remove", "uninstall")):
        return "remove", words[1:], conda
    if name in _ADDERS and verb in ("add", "remove"):
        return "install" if verb == "add" else "remove", words[1:], False
    return None


def _wanted(word: str, *, conda: bool) -> Iterator[Pin]:
    pin = pin_of(word, conda=conda)
    source = _SOURCE.fullmatch(word)
    if pin is not None:
        yield pin
    elif source is not None and not word.endswith((".txt", ".toml")):
        yield Pin(source[1], specifier=SOURCE)


def _satisfies(version: str, specifier: str) -> bool:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet  # only where one is given

    try:
        return not specifier or SpecifierSet(specifier).contains(version, prereleases=True)
    except (InvalidSpecifier, ValueError):
        return False
