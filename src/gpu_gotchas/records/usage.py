"""How a fix is used, as its module's own docstring shows it. Nothing is imported."""

from __future__ import annotations

import ast
import builtins
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gpu_gotchas.records.sources import module_file, read_source
from gpu_gotchas.records.switches import PATCHES, switched_on

_CODE = " " * 4
_REQUIREMENT = re.compile(r"[a-z0-9][a-z0-9._-]* ?[<>=!~]=?[^ ]+")


@dataclass(frozen=True, slots=True)
class Usage:
    """summary: the first line of the module's docstring.

    imports: the line to copy, "" where the example has its own. example: lines that go on from there, ()
    where the docstring shows none.
    """

    summary: str
    imports: str
    example: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        """What to copy: the example with what it needs."""
        between = [""] if self.imports and self.example else []
        return tuple([self.imports] * bool(self.imports) + between) + self.example

    @property
    def yours(self) -> tuple[str, ...]:
        """What the lines use and do not define, such as a kernel of the reader's own, in their order."""
        try:
            nodes = list(ast.walk(ast.parse("\n".join(self.lines))))
        except SyntaxError:  # a command
            return ()
        names = [one for one in nodes if isinstance(one, ast.Name)]
        names.sort(key=lambda one: (one.lineno, one.col_offset))
        bound = {*dir(builtins), "torch"} | {one.id for one in names if not isinstance(one.ctx, ast.Load)}
        bound |= {one.asname or one.name for one in nodes if isinstance(one, ast.alias)}
        bound |= {one.arg for one in nodes if isinstance(one, ast.arg)}
        bound |= {one.name for one in nodes if isinstance(one, ast.FunctionDef)}
        return tuple(dict.fromkeys(one.id for one in names if one.id not in bound))


def to_type(use: str) -> str:
    """A release, a flag or a variable as a shell takes it: `>` would send what follows to a file."""
    return f"pip install '{use}'" if is_requirement(use) else use


def is_requirement(use: str) -> bool:
    """Whether a fix is used as a release of a package, such as `vllm>=0.24.0`."""
    return _REQUIREMENT.fullmatch(use) is not None


def read_usage(use: str) -> Usage | None:
    """What the module of a fix says. use: a path such as `gpu_gotchas.fixes.launch_fit`, or a name in it.

    None where `use` names no module of this package: for a flag, a variable or a release.
    """
    package, *names = use.split(".")
    if package != "gpu_gotchas" or not names or not all(name.isidentifier() for name in names):
        return None
    path, module = module_file(names), use
    if path is None:
        path, module = module_file(names[:-1]), use.rpartition(".")[0]
    if path is None:
        return None
    source = read_source(path)
    docstring = source.docstring or ""
    if module.startswith(PATCHES):
        return Usage(docstring.partition("\n")[0], "", (f"{switched_on(module)} vllm serve MODEL",))
    example = example_in(docstring)
    return Usage(docstring.partition("\n")[0], _imports(use, module, source.names, example), example)


def example_in(docstring: str) -> tuple[str, ...]:
    """The first indented block that is Python; what is not is prose, a formula or a table."""
    for block in _indented(docstring):
        if _names_used(block) is not None:
            return tuple(block.split("\n"))
    return ()


def _indented(docstring: str) -> Iterator[str]:
    """Blocks of four blanks or more after a blank line, as Markdown has code."""
    block: list[str] = []
    before = ""
    for line in [*docstring.split("\n"), "end"]:
        begins = line.startswith(_CODE) and not before.strip()
        if begins or (block and (line.startswith(_CODE) or not line.strip())):
            block.append(line.rstrip())
        elif block:
            yield textwrap.dedent("\n".join(block)).strip("\n")
            block = []
        before = line


def _imports(use: str, module: str, bound: frozenset[str], example: Sequence[str]) -> str:
    """The import with which the example runs as it stands."""
    if any(re.match(r"(from|import) ", line) for line in example):
        return ""
    used = _names_used("\n".join(example)) or frozenset()
    above, _, name = use.rpartition(".")
    wanted = sorted(one for one in used & bound if not one.startswith("_"))
    if wanted and module.rpartition(".")[2] not in used:
        return f"from {module} import {', '.join(wanted)}"
    return f"from {above} import {name}"


def _names_used(code: str) -> frozenset[str] | None:
    """Every name in the code, None where it is not Python."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
