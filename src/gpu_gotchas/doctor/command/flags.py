"""The flags of a command line, as settings of schema/settings.yaml.

vLLM takes `--kv_cache_dtype` for `--kv-cache-dtype`, `--flag=value`, `--no-flag`, `-tp4`, JSON values and
`--speculative-config.method ngram` for a key inside one. A flag that the settings do not know is passed over;
where it looks like a slip, that is said.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpu_gotchas.doctor.command.json_value import fault_of, inside, wants_json
from gpu_gotchas.doctor.command.typos import meant
from gpu_gotchas.records.setting import Setting, ValueKind

_MODEL_FLAGS = ("--model", "--model-path", "--model-tag")
# A flag of its own, though the name of another begins with it.
_WHOLE = ("--device",)
_SHORT_WITH_VALUE = re.compile(r"(-(?:tp|pp|dp|dcp|pcp|n|r|O|q))([0-9]+)")
_NUMBER_WITH_UNIT = re.compile(r"([0-9]+(?:\.[0-9]+)?)([kKmMgGtT])")
_UNITS = {"k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Flags:
    """model: by flag. positional: words that no flag takes, the first of which may be the model.

    notes: values that the settings do not allow, and flags without their value. faults: what the engine
    refuses to start with. unknown: settings whose value stands in what cannot be read. passed_over: flags
    that no setting knows, with their values."""

    model: str | None
    settings: Mapping[str, str]
    notes: tuple[str, ...]
    passed_over: tuple[str, ...] = ()
    positional: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def read_flags(words: Sequence[str], package: str, known: Mapping[str, Setting]) -> Flags:
    """What the arguments of a `package` command set; where a flag stands twice, the last one holds."""
    spelt = _spellings(package, known)
    settings: dict[str, str] = {}
    notes: list[str] = []
    passed_over: list[str] = []
    positional: list[str] = []
    faults: list[str] = []
    unknown: list[str] = []
    model: str | None = None
    # Whether the next word can only be one that no flag takes; a flag that is not known may take several.
    alone = True
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("-") or word == "-":
            if alone or word == "#":
                positional.append(word)
            continue
        flag, value = _parted(word)
        on = True
        if flag not in spelt and flag.startswith("--no-") and "--" + flag[5:] in spelt:
            flag, on = "--" + flag[5:], False
        names = spelt.get(flag, {})
        if not names and (begun := _shortened(flag, spelt)):
            names = spelt[begun[0]]
            if all(spelt[one] == names for one in begun):
                notes.append(f"{flag} is taken for {begun[0]}")
            else:
                names = {}
                notes.append(f"{flag} was passed over: {' or '.join(begun)} may be meant: write it in full")
        switch = bool(names) and all(known[name].kind is ValueKind.BOOLEAN for name in names.values())
        if value is None and rest and _is_value(rest[0]) and not (switch and not _is_truth(rest[0])):
            value = rest.pop(0)
        alone = bool(names) or flag in _MODEL_FLAGS
        if flag in _MODEL_FLAGS:
            model = value or model
            continue
        if not names:
            if "." not in flag and (near := meant(flag, (*spelt, *_MODEL_FLAGS))):
                notes.append(f"{flag} was passed over: no such flag is known; {near} may be meant")
            passed_over += [flag] if value is None else [flag, value]
        if value is not None and wants_json(flag, value, keyed=None not in names and bool(names)):
            fault = fault_of(value)
            if fault is not None:
                faults.append(f"{flag} {value[:80]}: {fault}; what it sets is not known")
                unknown += names.values()
                for name in names.values():
                    settings.pop(name, None)
                continue
        if switch and value is None:
            value = "true" if on else "false"
        for key, name in names.items():
            text = value if key is None else inside(value, key)
            if text is not None:
                _set(settings, notes, name, known[name], flag, text)
            elif key is None:
                notes.append(f"{flag} stands without a value")
    return Flags(
        model,
        settings,
        tuple(notes),
        tuple(passed_over),
        tuple(positional),
        tuple(faults),
        tuple(name for name in dict.fromkeys(unknown) if name not in settings),
    )


def _spellings(package: str, known: Mapping[str, Setting]) -> dict[str, dict[str | None, str]]:
    """From a flag to its settings, by the key inside its JSON value, None where it has no such value.

    A key can be written behind the flag too: `-sc.method`.
    """
    found: dict[str, dict[str | None, str]] = {}
    for name, setting in known.items():
        if setting.package != package or setting.flag is None:
            continue
        ways = [setting.flag if setting.key is None else f"{setting.flag}.{setting.key}", *setting.aliases]
        for way in ways:
            flag, dot, key = way.partition(".")
            if dot:
                found.setdefault(flag, {})[key] = name
            found.setdefault(way, {})[None] = name
    if package == "vllm" and "optimization_level" in known:
        found["-O"] = {None: "optimization_level"}
    return found


def _shortened(flag: str, spelt: Mapping[str, object]) -> list[str]:
    """The flags that begin with `flag`. argparse takes the beginning of one flag for it, and refuses that of
    several; so a command that works means the only one of these."""
    if not flag.startswith("--") or len(flag) < 6 or flag in (*_MODEL_FLAGS, *_WHOLE):
        return []
    return sorted(known for known in spelt if known.startswith(flag) and "." not in known)


def _parted(word: str) -> tuple[str, str | None]:
    """The flag with hyphens, and the value that is written with it."""
    flag, joined, value = word.partition("=")
    short = _SHORT_WITH_VALUE.fullmatch(flag)
    if short and not joined:
        return short[1], short[2]
    if flag.startswith("--"):
        head, dot, key = flag.partition(".")
        flag = head.replace("_", "-") + dot + key
    return flag, value if joined else None


def _is_value(word: str) -> bool:
    """Whether a word can be a flag's value: no flag itself; negative numbers are values."""
    return not word.startswith("-") or re.fullmatch(r"-[0-9.]+", word) is not None or word == "-"


def _is_truth(word: str) -> bool:
    return word.lower() in ("true", "false", "1", "0")


def _set(
    settings: dict[str, str], notes: list[str], name: str, setting: Setting, flag: str, text: str
) -> None:
    text = text.strip().strip("'\"")[:_LONGEST]
    if setting.kind is ValueKind.BOOLEAN:
        text = {"1": "true", "0": "false"}.get(text, text.lower())
    elif setting.kind is ValueKind.INTEGER:
        text = _whole(text)
    elif not setting.allows(text):
        near = [value for value in setting.values if value.lower() == text.lower()]
        text = near[0] if near else text
    if not setting.allows(text):
        notes.append(f"{flag} {text}: is no value that {setting.package} is known to take")
    settings[name] = text


def _whole(text: str) -> str:
    """`160k` and `1M` as vLLM reads them: small letters count in thousands, capitals in powers of two."""
    match = _NUMBER_WITH_UNIT.fullmatch(text)
    if match is None:
        return text
    unit = _UNITS.get(match[2]) or _BINARY[match[2]]
    return str(int(float(match[1]) * unit))
