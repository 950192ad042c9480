"""Which names of hosts, folders and people in a text are somebody's own, and what stands for them instead."""

from __future__ import annotations

import re

from gpu_gotchas.cli.known_names import (
    INTERNAL,
    LIKELY,
    MOUNTS,
    NO_PERSON,
    PROGRAMS,
    PUBLIC,
    SURE,
    SYSTEM,
)
from gpu_gotchas.search.common_words import ENGLISH

_LOCAL = ("localhost", "127.", "0.0.0.0", "255.", "::1")
_NOWHERE = frozenset(("none", "null", "true", "false", "str", "host"))

_API = r"/(?:v\d|health|metrics|generate|completions?|chat|models|ping|docs|invocations|tokenize|version)\b"
_IN_QUERY = r"(?i)([?&][\w-]*(?:token|key|sig|signature|credential|secret)=)[^&\s<]+"
_IN_ANY_CASE = r"(?i)(?:\b(?:ip|addr|address|host)=|//|\bIP |@)$"
_VERSIONED = (
    r"(?i)(?:[=<>~!]=|[-_+/]|\bv|\b(?:nvidia|cu|rocm|hip|nccl|rccl|driver|release|torch|triton|tensorrt|nvrtc"
    r"|nvjitlink|lib|kernel|firmware|vbios|toolkit|onnx|mkl|opencv|boost)[\w.-]*\W{1,3}|\bversions?\W{1,3})$"
)
_MAYBE_VERSIONED = (
    r"(?i)(?:\bversions?\b|\b(?:got|expected|reports?|found|requires?|needs?|built with)\W{1,3}$)"
)
_PRIVATE = r"(?:10|192\.168|192\.0\.2|172\.(?:1[6-9]|2\d|3[01])|169\.254|100\.(?:6[4-9]|[7-9]\d|1[012]\d))\."
_BEFORE = 40
_OF_WSL = ("/mnt/wsl", "/mnt/c/Users/user", "/mnt/c/Windows")


def host_of(match: re.Match[str]) -> str:
    """A URL: as it is where everybody can read it, else without its host and the path that only that has."""
    scheme, host, port, rest = match[1], match[2], match[3] or "", match[4]
    name = host.rpartition("@")[2].lower()
    if name.startswith(_LOCAL) or _is_public(name) or not name[:1].isalnum():
        return re.sub(_IN_QUERY, r"\1<secret>", match[0])
    if not re.match(_API, rest) and len(rest) > 1:
        rest = "/<path>"
    return f"{scheme}<host>{port}{rest}"


def dotted_host(match: re.Match[str]) -> str:
    """A name with dots is a host by how it ends, and by more where attributes end so too.

    Of a path behind it the last part stays.
    """
    port, path = match["port"] or "", match["path"] or ""
    name = match["name"].lower()
    *within, end = name.split(".")
    if _is_public(name) or end not in SURE | LIKELY:
        return match[0]
    if end not in SURE:
        numbered = any("-" in label or label[-1].isdigit() for label in within)
        telling = (len(within) > 1 and numbered) or len(within) > 2 or within[-1] in INTERNAL
        if not telling or name != match["name"]:
            return match[0]
    return f"<host>{port}" + (f"/{path.rpartition('/')[2]}" if path else "")


def named_host(match: re.Match[str]) -> str:
    """What is called a host: everything but what means this machine, nothing, or a number."""
    told = match[2].lower()
    if told.startswith(_LOCAL) or told in _NOWHERE or re.fullmatch(r"[\d.]+", told):
        return match[0]
    return f"{match[1]}<host>"


def person(match: re.Match[str]) -> str:
    """A name behind `user`, where it is no word of a sentence or of a program."""
    told = match[2].rstrip(".")
    if told.lower() in NO_PERSON | ENGLISH or told.isdigit() or "_" in told:
        return match[0]
    return f"{match[1]}<user>{match[2][len(told) :]}"


def address(match: re.Match[str]) -> str:
    """Four numbers are an address unless one is above 255, they mean this machine, or a version is told."""
    told, text = match[0], match.string
    if told.startswith(_LOCAL) or any(int(part) > 255 for part in told.split(".")):
        return told
    before = text[max(0, match.start() - _BEFORE) : match.start()]
    if re.match(r":\d{2,5}\b", text[match.end() :]) or re.search(_IN_ANY_CASE, before):
        return "<ip>"
    if re.search(_VERSIONED, before) or (
        not re.match(_PRIVATE, told) and re.search(_MAYBE_VERSIONED, before)
    ):
        return told
    return "<ip>"


def package_path(match: re.Match[str]) -> str:
    """An installed package: from `lib/python…` on, and where it is a usual place what is before it."""
    return match[0] if match[1].startswith(SYSTEM) else f"<path>{match[2]}"


def folder(match: re.Match[str]) -> str:
    """What lies on somebody's own disks: from a program's folder on, else its last part."""
    if match["root"].lower() not in MOUNTS or match[0].startswith(_OF_WSL):
        return match[0]
    parts = match[0].strip("/").split("/")
    first = next((at for at, part in enumerate(parts) if part in PROGRAMS), len(parts) - 1)
    return "/".join(("<path>", *parts[first:]))


def _is_public(name: str) -> bool:
    labels = name.split(".")
    return any(".".join(labels[at:]) in PUBLIC for at in range(len(labels)))
