"""Python's regular expressions as JavaScript's, with the same meaning for the same text.

Python's word, digit and boundary classes know every script; JavaScript's know ASCII, so they are spelt out.
Only what the patterns of search use is known, and anything else is refused: no new pattern means another.
"""

from __future__ import annotations

import re

_CODE = r"\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}"
_TOKEN = re.compile(
    _CODE + r"|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?P<\w+>|\(\?[aimsux]+\)|\(\?(?:[:=!]|<[=!])|.", re.DOTALL
)
_WORD, _DIGIT = r"\p{L}\p{N}_", r"\p{Nd}"
_SPACE = r"\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_CLASSES = {"w": _WORD, "d": _DIGIT, "s": _SPACE}
_BOUNDARY = f"(?:(?<=[{_WORD}])(?![{_WORD}])|(?<![{_WORD}])(?=[{_WORD}]))"
# What has to be escaped with the flag u, and may be: everything else stands for itself there.
_SYNTAX = set("^$\\.*+?()[]{}|/")
_SPELT = {"n": r"\n", "t": r"\t", "r": r"\r", "f": r"\f", "v": r"\v"}


def js_pattern(pattern: re.Pattern[str] | str) -> tuple[str, str]:
    """(source, flags) for `new RegExp`. Raises ValueError for what is not known here."""
    compiled = re.compile(pattern)
    verbose, flags = bool(compiled.flags & re.VERBOSE), "u" + "i" * bool(compiled.flags & re.IGNORECASE)
    if compiled.flags & (re.MULTILINE | re.DOTALL | re.ASCII | re.LOCALE):
        raise ValueError(f"{compiled.pattern!r}: these flags have no translation here")
    seen: set[str] = set()
    said = []
    for token in _TOKEN.findall(compiled.pattern):
        if verbose and (token.isspace() or token == "#"):
            if token == "#":
                raise ValueError(f"{compiled.pattern!r}: comments have no translation here")
            continue
        said.append(_token(token, seen))
    return "".join(said), flags


def _token(token: str, seen: set[str]) -> str:
    if token.startswith("(?P<"):
        name = token[4:-1]
        # JavaScript wants names once; of alternatives in different patterns each is its own.
        if name in seen:
            raise ValueError(f"group {name!r} stands twice")
        seen.add(name)
        return f"(?<{name}>"
    if re.fullmatch(r"\(\?[aimsux]+\)", token):
        return ""
    if token.startswith("["):
        return _class(token)
    if re.fullmatch(_CODE, token):
        return token
    if token.startswith("\\"):
        return _escape(token[1], inside=False)
    return r"\/" if token == "/" else token


def _class(token: str) -> str:
    inside = token[1:-1]
    negated = inside.startswith("^")
    said = []
    for piece in re.findall(_CODE + r"|\\.|.", inside[negated:], re.DOTALL):
        if re.fullmatch(_CODE, piece):
            said.append(piece)
        elif piece.startswith("\\"):
            said.append(_escape(piece[1], inside=True))
        elif piece in "[]":
            said.append("\\" + piece)
        else:
            said.append(piece)
    return f"[{'^' * negated}{''.join(said)}]"


def _escape(one: str, *, inside: bool) -> str:
    if one in _CLASSES:
        return _CLASSES[one] if inside else f"[{_CLASSES[one]}]"
    if one.lower() in _CLASSES and not inside:
        return f"[^{_CLASSES[one.lower()]}]"
    if one == "b" and not inside:
        return _BOUNDARY
    if one in _SPELT:
        return _SPELT[one]
    if one in _SYNTAX or (inside and one == "-"):
        return "\\" + one
    if one.isalnum():
        raise ValueError(f"\\{one} has no translation here")
    return one
