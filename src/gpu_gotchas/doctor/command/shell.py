"""A shell's text as the commands that it runs one after the other.

What a shell itself does is done: quotes, comments, continued lines, operators, redirections, here-documents,
and variables that the text assigned before. What only running would tell (`$(…)`, an unset variable) stays as
written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

MAX_TEXT = 400_000

OPERATORS = ("&&", "||", ";;", "|&", ";", "|", "&")
_ENDS = (*OPERATORS, "\n", "(", ")")
# Longest first: what begins here, outside quotes.
_STARTS = sorted((*OPERATORS, "\n", "(", ")", "&>>", "&>"), key=len, reverse=True)
_REDIRECTION = re.compile(r"[0-9]?(?:>>|>\||>&|>|<<<|<<-?|<&|<)|&>>?")
_WHOLE_REDIRECTION = re.compile(r"(?:[0-9]?[<>]&[0-9-]|[0-9]?(?:>>|>|<)\S+|&>>?\S+)")
_ALONE_REDIRECTION = re.compile(r"[0-9]?(?:>>|>|<<<|<)|&>>?")
_HOLE = re.compile(r"\$(?:\{([A-Za-z_]\w*)(?::?-([^}$]*))?\}|([A-Za-z_]\w*))")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_HEREDOC = re.compile(r"<<-?[ \t]*(['\"]?)([A-Za-z_]\w*)\1")
# Words that only lead to a command.
_LEADS = ("if", "then", "else", "elif", "do", "while", "until", "!", "{", "}", "fi", "done")


def commands_of_text(text: str) -> list[list[str]]:
    """Each command as its words, in order; a pipe's parts are commands of their own."""
    found: list[list[str]] = []
    assigned: dict[str, str] = {}
    for words in _split(text[:MAX_TEXT].replace("\r\n", "\n")):
        while words and words[0] in _LEADS:
            words = words[1:]
        for word in words[1:] if words[:1] in (["export"], ["set"]) else words:
            match = _ASSIGNMENT.fullmatch(word)
            if match is None:
                break
            assigned[match[1]] = match[2]
        words = [_filled(word, assigned) for word in words]
        if words:
            found.append(words)
    return found


def commands_of_words(words: Sequence[str]) -> list[list[str]]:
    """The same of words that a shell has split already, where an operator stands as a word of its own."""
    found: list[list[str]] = [[]]
    rest = [word for word in words if word not in ("\\", "\\\n")]
    while rest:
        word = rest.pop(0)
        if word in (*OPERATORS, "\n"):
            found.append([])
        elif _ALONE_REDIRECTION.fullmatch(word):
            rest = rest[1:]
        elif not _WHOLE_REDIRECTION.fullmatch(word):
            if len(word) > 1 and word.endswith(";") and "\n" not in word and " " not in word:
                found[-1].append(word[:-1])
                found.append([])
            else:
                found[-1].append(word)
    return [command for command in found if command]


def _filled(word: str, assigned: dict[str, str]) -> str:
    """A word with the variables that are known in it; one that is not known and has a default takes that."""

    def value(hole: re.Match[str]) -> str:
        known = assigned.get(hole[1] or hole[3])
        return known if known is not None else hole[2] if hole[2] is not None else hole[0]

    return _HOLE.sub(value, word) if "$" in word else word


def _split(text: str) -> Iterator[list[str]]:
    words: list[str] = []
    place, heredocs = 0, list[str]()
    while place < len(text):
        rest = text[place]
        if text.startswith("\\\n", place):
            place += 2
        elif rest in " \t":
            place += 1
        elif rest == "#":
            place = _line_end(text, place)
        elif rest == "\n" and heredocs:
            place = _after_heredocs(text, place + 1, heredocs)
            heredocs = []
            yield words
            words = []
        elif (match := _HEREDOC.match(text, place)) is not None:
            heredocs.append(match[2])
            place = match.end()
        elif (match := _REDIRECTION.match(text, place)) is not None:
            place = _target_end(text, match.end())
        elif (sign := _sign(text, place)) is not None:
            place += len(sign)
            yield words
            words = []
        else:
            word, place = _word(text, place)
            words.append(word)
    yield words


def _sign(text: str, place: int) -> str | None:
    return next((one for one in _STARTS if text.startswith(one, place)), None)


def _line_end(text: str, place: int) -> int:
    end = text.find("\n", place)
    return len(text) if end < 0 else end


def _after_heredocs(text: str, place: int, names: Iterable[str]) -> int:
    for name in names:
        while place < len(text):
            end = _line_end(text, place)
            line, place = text[place:end].strip(), end + 1
            if line == name:
                break
    return min(place, len(text))


def _target_end(text: str, place: int) -> int:
    """Behind what a redirection names."""
    while place < len(text) and text[place] in " \t":
        place += 1
    if place >= len(text) or text[place] in "\n;|&()":
        return place
    return _word(text, place)[1]


def _word(text: str, place: int) -> tuple[str, int]:
    """The word that begins here, without its quotes, and where it ends."""
    parts: list[str] = []
    while place < len(text):
        sign = text[place]
        if text.startswith("\\\n", place):
            place += 2
        elif sign == "\\":
            parts.append(text[place + 1 : place + 2])
            place += 2
        elif sign == "'":
            end = text.find("'", place + 1)
            end = len(text) if end < 0 else end
            parts.append(text[place + 1 : end])
            place = end + 1
        elif sign == '"':
            inner, place = _double(text, place + 1)
            parts.append(inner)
        elif text.startswith("$(", place):
            end = _closing(text, place + 2)
            parts.append(text[place:end])
            place = end
        elif sign in " \t\n;|&()<>":
            break
        else:
            parts.append(sign)
            place += 1
    return "".join(parts), place


def _double(text: str, place: int) -> tuple[str, int]:
    parts: list[str] = []
    while place < len(text) and text[place] != '"':
        if text[place] == "\\" and text[place + 1 : place + 2] in ('"', "\\", "$", "`", "\n"):
            parts.append(text[place + 1].replace("\n", ""))
            place += 2
        else:
            parts.append(text[place])
            place += 1
    return "".join(parts), place + 1


def _closing(text: str, place: int) -> int:
    """Behind the bracket that closes `$(`."""
    depth = 1
    while place < len(text) and depth:
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        place += 1
    return place
