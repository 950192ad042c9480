"""Text from a record or a result as Markdown or HTML that shows it, and nothing else.

Whatever means something to Markdown or HTML becomes a character reference, which every Markdown
implementation leaves alone, in tables, headings and HTML as well. What does not print is spelt out.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Sequence

_SPECIAL = re.compile(r"[\\`*\[\]{}<>&|~^$#\"]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
# At the start of a block these make lists, headings, quotes, rules, definitions or admonitions.
_OPENING = re.compile(r"[^\w\s(&/]|\d+[.)](?=\s|$)", re.ASCII)
_CODE = re.compile(r"`([^`]*[^`\s][^`]*)`")
_PLAIN_CODE = re.compile(r"[A-Za-z0-9._:/=,+@%-]+(?: [A-Za-z0-9._:/=,+@%-]+)*")
_SHOWN = 160
_URL = re.compile(r"https://[A-Za-z0-9.-]+(?::[0-9]+)?(?:[/?#][A-Za-z0-9._~:/?#@!$&'()*+,;=%-]*)?")


def visible(text: str) -> str:
    """The text with everything that does not print spelt out (`\\x1b`, `\\u202e`), line ends excepted."""
    if all(line.isprintable() for line in text.split("\n")):
        return text
    return "".join(one if one == "\n" or one.isprintable() else _spell(one) for one in text)


def _spell(character: str) -> str:
    if character in "\t\u00a0":
        return " "
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def text(raw: str) -> str:
    """One line of prose, safe wherever inline Markdown may stand: in a line, opening a block, in a table."""
    line = _one_line(raw)
    opening = _OPENING.match(line)
    if opening is None or _SPECIAL.match(line):
        return _inline(line)
    head, mark = opening[0][:-1], opening[0][-1]
    return f"{head}&#{ord(mark)};{_inline(line[opening.end() :])}"


def _one_line(raw: str) -> str:
    return " ".join(visible(raw).split())


def _inline(line: str) -> str:
    return _SPECIAL.sub(_reference, line)


def _reference(match: re.Match[str]) -> str:
    return f"&#{ord(match[0])};"


def sentence(raw: str) -> str:
    """One line of prose in which `a pair of backticks` makes code; everything else is as in `text`."""
    first, *rest = _CODE.split(_one_line(raw))
    shown = [code(piece) if place % 2 == 0 else _inline(piece) for place, piece in enumerate(rest)]
    return "".join([text(first) + " " * first.endswith(" "), *shown])


def prose(raw: str) -> str:
    """Paragraphs of sentences: blank lines part them, and other line ends are blanks."""
    paragraphs = re.split(r"\n\s*\n", visible(raw).strip())
    return "\n\n".join(filter(None, map(sentence, paragraphs)))


def code(raw: str) -> str:
    """Inline code. Backticks where they are safe, since they read best in the source; else HTML."""
    line = _one_line(raw)
    if _PLAIN_CODE.fullmatch(line):
        return f"`{line}`"
    return f"<code>{text(line)}</code>"


def fence(raw: str, language: str = "") -> str:
    """A code block, with a fence longer than any run of backticks inside."""
    body = visible(raw.rstrip("\n").replace("\r\n", "\n"))
    longest = max((len(run) for run in re.findall(r"`+", body)), default=0)
    marks = "`" * max(3, longest + 1)
    return f"{marks}{language}\n{body}\n{marks}"


def link(label: str, url: str) -> str:
    """A link out of the site. label: Markdown. A URL that is not plain https is shown and leads nowhere."""
    if not _URL.fullmatch(url):
        return f"{label} ({text(url)})"
    address = url.replace("&", "&amp;").replace("(", "%28").replace(")", "%29").replace("*", "%2A")
    return f"[{label}]({address})"


def front_matter(title: str, description: str = "", hide: Sequence[str] = ()) -> str:
    """The head of a page. The theme copies these fields into HTML as they are, so they are HTML here.

    The title must stand here: one taken from the heading is unescaped by the theme once too often.
    """
    lines = [f"title: {_yaml(title)}"]
    if description:
        lines.append(f"description: {_yaml(shortened(description))}")
    if hide:
        lines.append(f"hide: [{', '.join(hide)}]")
    return "---\n" + "\n".join(lines) + "\n---"


def shortened(raw: str) -> str:
    """One line of plain text, as much of it as search engines show."""
    line = _one_line(raw)
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN].rpartition(' ')[0] or line[:_SHOWN]} …"


def _yaml(raw: str) -> str:
    return json.dumps(attribute(raw))


def attribute(raw: str) -> str:
    """One line for an HTML attribute, or for HTML text outside Markdown."""
    return html.escape(_one_line(raw), quote=True)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; cells are Markdown. Nothing where there are no rows."""
    body = [f"| {' | '.join(row)} |" for row in rows]
    if not body:
        return ""
    return "\n".join([f"| {' | '.join(head)} |", "|" + " --- |" * len(head), *body])


def bullets(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def details(summary: str, body: str, id: str = "") -> str:
    """A block that opens on demand, without a script. summary and body: Markdown. id: a name for links."""
    named = f' id="{attribute(id)}"' if id else ""
    head = f'<details{named} markdown="1">\n<summary markdown="span">{summary}</summary>'
    return f"{head}\n\n{body}\n\n</details>"


def block(name: str, body: str) -> str:
    """A block that the stylesheet knows by name. body: Markdown."""
    return f'<div class="gg-{name}" markdown="1">\n\n{body}\n\n</div>'


def blocks(*parts: str) -> str:
    """Parts that are there, with a blank line between."""
    return "\n\n".join(part for part in parts if part)
