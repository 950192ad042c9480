"""Kernels of a source tree, and what launches in the same file say of their arguments. Nothing is run."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Kernel:
    """A Triton kernel that its own file launches. module: its dotted name below the tree."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}:{self.name}"


@dataclass(frozen=True, slots=True)
class Launch:
    """What a launch passes: parameter to the expression, as source text. Empty where it passes none by name
    or place that can be told. absent: names of the launching function that are None unless it is told
    otherwise."""

    arguments: Mapping[str, str] = field(default_factory=dict)
    absent: frozenset[str] = frozenset()


def find_kernels(root: Path, package: str) -> Iterator[Kernel]:
    """Every kernel of `package` below `root` that is launched in the file that defines it, in file order."""
    for path in sorted((root / package).rglob("*.py")):
        text = path.read_text(encoding="utf-8", errors="replace")
        if "triton.jit" not in text:
            continue
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        launched = {name for name, _ in _launches(tree)}
        parts = path.relative_to(root).with_suffix("").parts
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name in launched and _is_kernel(node):
                yield Kernel(module, node.name)


def first_launch(source: str, kernel: str, parameters: list[str]) -> Launch:
    """The first launch of `kernel` in `source`, as far as it can be read."""
    tree = ast.parse(source)
    for name, call in _launches(tree):
        if name != kernel:
            continue
        passed: dict[str, str] = {}
        around = _literals_around(tree, call)
        for place, argument in enumerate(call.args):
            if isinstance(argument, ast.Starred) or place >= len(parameters):
                break
            passed[parameters[place]] = ast.unparse(argument)
        passed |= {word.arg: ast.unparse(word.value) for word in call.keywords if word.arg}
        absent = frozenset(name for name, text in around.items() if text == "None")
        return Launch({name: around.get(text, text) for name, text in passed.items()}, absent)
    return Launch()


def _literals_around(tree: ast.Module, call: ast.Call) -> dict[str, str]:
    """Names in the launching function that are given one literal: by an assignment, or as a default."""
    found: dict[str, set[str]] = {}
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef) or not any(node is call for node in ast.walk(function)):
            continue
        named = function.args.posonlyargs + function.args.args
        defaults: list[tuple[ast.arg, ast.expr | None]] = [
            *zip(reversed(named), reversed(function.args.defaults), strict=False)
        ]
        defaults += [*zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)]
        pairs = [(argument.arg, value) for argument, value in defaults if value is not None]
        pairs += [
            (node.targets[0].id, node.value)
            for node in ast.walk(function)
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        ]
        for name, value in pairs:
            found.setdefault(name, set()).add(ast.unparse(value) if isinstance(value, ast.Constant) else "")
    return {name: next(iter(texts)) for name, texts in found.items() if len(texts) == 1 and texts != {""}}


def pointers(source: str, parameters: set[str]) -> set[str]:
    """Parameters of a kernel that are the base of an address that it loads from or stores to."""
    tree = ast.parse(source)
    assigned: dict[str, list[ast.expr]] = {}
    addresses: list[ast.expr] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            assigned.setdefault(node.targets[0].id, []).append(node.value)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            assigned.setdefault(node.target.id, []).append(node.target)
        elif isinstance(node, ast.Call) and node.args and _reaches_memory(node.func):
            addresses.append(node.args[0])
    found: set[str] = set()
    seen: set[str] = set()
    waiting = [base for address in addresses for base in _bases(address)]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        if name in parameters:
            found.add(name)
        waiting += [base for value in assigned.get(name, ()) for base in _bases(value)]
    return found


def _reaches_memory(function: ast.expr) -> bool:
    name = ast.unparse(function)
    return name.startswith("tl.") and name[3:].startswith(
        ("load", "store", "atomic_", "make_block_ptr", "make_tensor_descriptor")
    )


def _bases(address: ast.expr) -> Iterator[str]:
    """The names at the left end of an address: of `base + offset`, the base."""
    if isinstance(address, ast.BinOp):
        yield from _bases(address.left)
    elif isinstance(address, ast.Name):
        yield address.id
    elif isinstance(address, ast.Call):
        # `ptr.to(tl.pointer_type(…))`, `tl.multiple_of(ptr, 16)`, `tl.advance(ptr, …)`
        if isinstance(address.func, ast.Attribute) and ast.unparse(address.func.value) != "tl":
            yield from _bases(address.func.value)
        elif address.args:
            yield from _bases(address.args[0])
    elif isinstance(address, ast.IfExp):
        yield from _bases(address.body)
        yield from _bases(address.orelse)


def _launches(tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Subscript):
            continue
        if isinstance(node.func.value, ast.Name):
            yield node.func.value.id, node


def _is_kernel(node: ast.FunctionDef) -> bool:
    return any("triton.jit" in ast.unparse(decorator) for decorator in node.decorator_list)
