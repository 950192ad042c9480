"""Which settings a text says are in force: on a command line, in a printed configuration, as a variable."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

_VALUE = r"['\"]?\s*(?:%s)\s*['\"]?(?:torch\.)?([A-Za-z0-9_.]+)"
_KEYED = r"[^})]*?(?<![\w-])%s['\"\\]*\s*[:=]\s*['\"\\]*([A-Za-z0-9_.]+)"
_BOOLEANS = {"1": "true", "0": "false", "on": "true", "off": "false"}
SAYS_SO = ("config", "args")
# Behind these words a text says what could be set, or what cured it, and not what is set where it fails.
_CURES = r"(?:helps|fixes|solves|avoids|cures|works|(?:has |have )?(?:helped|fixed|solved|cured|avoided))"
_ADVICE = (
    r"\bfor example\b|\be\.g\.|\bsuch as\b|\binstead\b|\b[Yy]ou can\b|\b[Cc]onsider\b"
    r"|\b[Tt]ry (?:to|setting|using|with|-)|\b[Pp]lease (?:use|set|specify|try|pass)\b"
    r"|\bby (?:explicitly )?(?:setting|passing)\b|\b(?:[Uu]se|[Ss]et|[Pp]ass) [`'\"]?--"
    r"|\b(?:works?|starts?|runs?|trains?|returns?|fine|ok|cured|fixed|solved|gone|goes away)"
    r" (?:again )?(?:with|when|after|once|if|by)\b"
    rf"|[`'\"]?(?<![\w-])[\w-]{{1,60}}(?:[= ][\w.-]{{1,60}})?[`'\"]? (?:it )?{_CURES}\b"
)


def values_in(lines: Iterable[str], settings: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Name to the values that are told, mostly one. One that leaves it open counts as none."""
    found: dict[str, dict[str, None]] = {}
    names = {name: _spellings(name, told) for name, told in settings.items()}
    for whole in lines:
        line = re.split(_ADVICE, whole, maxsplit=1)[0]
        for name, spellings in names.items():
            if any(spelling in line for spelling in spellings):
                found.setdefault(name, {}).update(dict.fromkeys(_stated(line, name, settings[name])))
    return {
        name: tuple(values)
        for name, values in found.items()
        if values and not ("auto" in values and settings[name]["open"])
    }


def _spellings(name: str, told: Mapping[str, Any]) -> list[str]:
    flags = [spelling for flag in told["flags"] for spelling in (flag, _underscored(flag))]
    return [name, *flags, *told["within"], *([told["variable"]] if told["variable"] else [])]


def _underscored(flag: str) -> str:
    """As vLLM takes it too: `--kv_cache_dtype`."""
    bare = flag.lstrip("-")
    return flag[: len(flag) - len(bare)] + bare.replace("-", "_")


def _stated(line: str, name: str, told: Mapping[str, Any]) -> list[str]:
    """A bare name counts where the line is about a configuration, begins with it, or has it as a JSON key."""
    flags = dict.fromkeys(spelling for flag in told["flags"] for spelling in (flag, _underscored(flag)))
    asked = [(re.escape(flag), r"=|\s") for flag in flags]
    if told["variable"]:
        asked.append((re.escape(told["variable"]), r"="))
    if line.startswith(name) or any(word in line.lower() for word in SAYS_SO):
        asked.append((re.escape(name), r"[=:]|\s" if line.startswith(name) else r"[=:]"))
    asked.append((f"[\"']{re.escape(name)}", r":"))
    inside = [_inside(line, holder, told["key"]) for holder in told["within"] if holder in line]
    values = [
        *filter(None, inside),
        *(
            value
            for spelling, between in asked
            for value in re.findall(rf"(?<![\w-]){spelling}" + _VALUE % between, line)
        ),
    ]
    return [plain for value in values if (plain := _plain(value, told)) is not None]


def _inside(line: str, holder: str, key: str) -> str | None:
    """The value of one key of a JSON object, a dict or a printed configuration."""
    start = line.index(holder) + len(holder)
    found = re.match(_KEYED % re.escape(key), line[start:])
    return found[1] if found else None


def _plain(value: str, told: Mapping[str, Any]) -> str | None:
    """The value as the catalogue of settings spells it; None where it is none of its values."""
    value = value.rstrip(".")
    if told["values"] == ["true", "false"]:
        value = _BOOLEANS.get(value.lower(), value.lower())
    value = str(told["same"].get(value, value))
    return None if value == "None" or (told["values"] and value not in told["values"]) else value
