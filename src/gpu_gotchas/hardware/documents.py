"""Read a small YAML or JSON file that people write, keeping the line of everything in it.

Aliases, anchors, duplicate keys and custom tags are refused, and so is a file that is too large or too deep.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import yaml

MAX_BYTES = 1 << 20
MAX_DEPTH = 32
_PLAIN = tuple(f"tag:yaml.org,2002:{kind}" for kind in ("str", "int", "float", "bool", "null"))


class DocumentError(ValueError):
    """A file that cannot be used. problems: one line each, naming file, line and what would be right."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


@dataclass(frozen=True, slots=True)
class Item:
    """A value and the line it stands on. value: a scalar, a tuple of Items, or a mapping of text to Items."""

    value: Mapping[str, Item] | tuple[Item, ...] | str | int | float | bool | None
    line: int


def read_document(path: Path) -> Item:
    """The document in `path`; raises DocumentError naming file and line."""
    import yaml  # here, not at the top: it costs start-up time

    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise DocumentError([f"{path}: cannot be read: {error.strerror or error}"]) from error
    if len(raw) > MAX_BYTES:
        raise DocumentError([f"{path}: has more than {MAX_BYTES} bytes"])
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise DocumentError([f"{path}:{line}: is not UTF-8"]) from error
    if path.suffix == ".json":
        text = text.replace("\t", " ")  # JSON may be indented with tabs, and its strings hold none
    try:
        depth = 0
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            line = event.start_mark.line + 1 if event.start_mark else 1
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > MAX_DEPTH:  # the scanner takes time that grows with the square of the depth
                raise DocumentError([f"{path}:{line}: is nested more than {MAX_DEPTH} deep"])
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                raise DocumentError([f"{path}:{line}: write values out, without & and *"])
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        if node is None:
            raise DocumentError([f"{path}:1: is empty"])
        return _item(node, path)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        what = getattr(error, "problem", None) or getattr(error, "reason", None) or "is no YAML"
        raise DocumentError([f"{path}:{mark.line + 1 if mark else 1}: {what}"]) from error


def _item(node: yaml.Node, path: Path) -> Item:
    import yaml

    line = node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        entries: dict[str, Item] = {}
        for key, below in node.value:
            where = f"{path}:{key.start_mark.line + 1}"
            if not isinstance(key, yaml.ScalarNode) or key.tag != _PLAIN[0]:
                raise DocumentError([f"{where}: a key is a word; quote it if it looks like something else"])
            if key.value in entries:
                raise DocumentError([f"{where}: {key.value!r} stands twice; keep one"])
            entries[key.value] = _item(below, path)
        return Item(entries, line)
    if isinstance(node, yaml.SequenceNode):
        return Item(tuple(_item(entry, path) for entry in node.value), line)
    if node.tag not in _PLAIN:
        raise DocumentError([f"{path}:{line}: {node.value!r} would be read as {node.tag}; put it in quotes"])
    try:
        value: Any = yaml.SafeLoader("").construct_object(node)
        if isinstance(value, str):  # JSON writes what lies beyond U+FFFF as two escapes
            value = value.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except ValueError as error:
        raise DocumentError([f"{path}:{line}: {node.value!r} cannot be read: put it in quotes"]) from error
    return Item(value, line)
