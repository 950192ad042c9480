"""Casts to a 16-bit dtype that code spells out, where it should take the dtype of what it works on.

A literal `.to(torch.bfloat16)` on the way of activations works for the model its author served. With a model
of the other dtype the next matrix product gets one operand of each and stops, or the result is silently
rounded to the wrong one. Casting to the dtype of the operand that it meets works for every model.

    check(forward, torch.float16)       # raises Refused where `forward` casts to bfloat16

The code is read, not run: a cast that is never reached is found as well, one behind a variable is not.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gpu_gotchas.fixes.refused import Refused

_DTYPES = {"bfloat16": "bfloat16", "float16": "float16", "half": "float16"}
_METHODS = {"bfloat16": "bfloat16", "half": "float16"}
_CASTS = ("to", "type", "cast", "astype")


@dataclass(frozen=True, slots=True)
class LiteralCast:
    """A cast that names its dtype. line: in the source that was read. dtype: `bfloat16` or `float16`."""

    line: int
    dtype: str
    text: str


def literal_casts(source: str) -> tuple[LiteralCast, ...]:
    """Every literal cast to a 16-bit dtype in Python source, torch's or Triton's, in the order of lines.

    Raises SyntaxError where the source is none.
    """
    found = [
        LiteralCast(node.lineno, dtype, ast.unparse(node))
        for node in ast.walk(ast.parse(textwrap.dedent(source)))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and (dtype := _dtype_of(node))
    ]
    return tuple(sorted(found, key=lambda cast: cast.line))


def check(function: Callable[..., Any], dtype: Any) -> None:
    """Refuse to serve a model of `dtype` (torch.float16, `bfloat16`) with a function that casts to the other.

    Raises Refused, naming the casts, and OSError when the function's source cannot be read.
    """
    wanted = str(dtype).rpartition(".")[2]
    others = [cast for cast in literal_casts(inspect.getsource(function)) if cast.dtype != wanted]
    if others:
        raise Refused(
            capability=f"a {wanted} model",
            setting=f"{function.__name__} with {', '.join(f'{cast.text!r}' for cast in others)}",
            way_out=f"cast to the dtype of the operand that it meets, or serve in {others[0].dtype}",
        )


def _dtype_of(call: ast.Call) -> str | None:
    """The 16-bit dtype that a call casts to by name; None where it casts to none, or to a variable."""
    assert isinstance(call.func, ast.Attribute)
    if call.func.attr in _METHODS and not call.args and not call.keywords:
        return _METHODS[call.func.attr]
    if call.func.attr not in _CASTS:
        return None
    given = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "dtype")]
    named = (value.attr for value in given if isinstance(value, ast.Attribute))
    return next((_DTYPES[name] for name in named if name in _DTYPES), None)
