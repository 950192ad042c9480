"""Single expressions of a long function changed, where one of them is the fault and nothing can be wrapped.

The function is parsed from its own file, each edit must match exactly once, and the result is compiled in its
own module and under its own lines. Nothing is written anywhere.
"""

from __future__ import annotations

import ast
import copy
import functools
import inspect
import textwrap
from collections.abc import Callable, Mapping
from types import CodeType, FunctionType
from typing import Any

from gpu_gotchas.fixes.refused import Refused
from gpu_gotchas.upstream.wrapping import BODY, say


class EditError(RuntimeError):
    """An edit that does not fit: it matches nothing, or more than one thing."""


def edited(
    function: Any,
    patch: str,
    edits: Mapping[str, str],
    names: Mapping[str, Callable[..., Any]] | None = None,
    *,
    everywhere: bool = False,
) -> Any:
    """`function` with each source expression of `edits` replaced by the other one, for `patch`.

    Expressions are compared by structure. Where a key is a whole statement, the value is one too. names: what
    the new expressions call beside the function's own globals. When one of them raises, that is said and the
    function is called as it was.
    Raises EditError where an edit does not match exactly once (everywhere: at least once), or for a function
    with free variables.
    """
    if function.__code__.co_freevars:
        raise EditError(f"{function.__qualname__} has free variables, which an edit would lose")
    lines, first = inspect.getsourcelines(function)
    tree = ast.parse(textwrap.dedent("".join(lines)))
    for old, new in edits.items():
        editor = _Editor(_node(old), _node(new))
        editor.visit(tree)
        if editor.found == 0 or (editor.found > 1 and not everywhere):
            raise EditError(f"{old!r} occurs {editor.found} times in {function.__qualname__}")
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    definition.decorator_list = []
    # The names arrive as free variables of the copy: its globals stay its module's own.
    given = {name: _ours(helper) for name, helper in (names or {}).items()}
    maker = ast.parse(f"def _make({', '.join(given)}):\n return 0").body[0]
    assert isinstance(maker, ast.FunctionDef)
    maker.body = [definition, ast.parse(f"return {definition.name}").body[0]]
    module = ast.fix_missing_locations(ast.Module(body=[maker], type_ignores=[]))
    ast.increment_lineno(module, first - 1)
    flags = function.__code__.co_flags & _FUTURES
    code = compile(module, function.__code__.co_filename, "exec", flags=flags, dont_inherit=True)
    scope: dict[str, Any] = {}
    exec(code, function.__globals__, scope)
    made = scope["_make"](**given)
    assert isinstance(made, FunctionType)
    made.__code__ = _renamed(made.__code__, function.__qualname__)
    made.__defaults__, made.__kwdefaults__ = function.__defaults__, function.__kwdefaults__

    @functools.wraps(function)
    def patched(*args: Any, **kwargs: Any) -> Any:
        try:
            return made(*args, **kwargs)
        except _OurFault as fault:
            say(patch, fault.error)
        return function(*args, **kwargs)

    patched.__dict__.update({BODY: made, _SOURCE: ast.unparse(definition)})
    return patched


def source_of(function: Any) -> str:
    """The source of a function as it runs, with its edits, without indentation before it."""
    edited_source: str | None = getattr(function, _SOURCE, None)
    return edited_source or textwrap.dedent(inspect.getsource(function))


class _OurFault(Exception):
    def __init__(self, error: Exception) -> None:
        self.error = error


def _ours(helper: Callable[..., Any]) -> Callable[..., Any]:
    """What it raises is the patch's fault, and told from what the function raises by itself."""

    @functools.wraps(helper)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        try:
            return helper(*args, **kwargs)
        except Refused:
            raise
        except Exception as error:
            raise _OurFault(error) from error

    return guarded


_SOURCE = "__edited_source__"
_FUTURES = __import__("__future__").annotations.compiler_flag


def _renamed(code: CodeType, qualname: str) -> CodeType:
    return code.replace(co_qualname=qualname)


def _node(text: str) -> ast.AST:
    statement = ast.parse(text).body[0]
    return statement.value if isinstance(statement, ast.Expr) else statement


class _Editor(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self._old = ast.dump(old)
        self._new = new
        self.found = 0

    def visit(self, node: ast.AST) -> Any:
        if ast.dump(node) == self._old:
            self.found += 1
            return ast.copy_location(copy.deepcopy(self._new), node)
        return self.generic_visit(node)
