"""From a kernel and its first launch to something that can be compiled, with what was guessed."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from gpu_gotchas.fixes.launch_audit import guesses
from gpu_gotchas.fixes.launch_audit.declared import WITH_FP8, Declared
from gpu_gotchas.fixes.launch_audit.sites import first_launch, pointers

MODEL = "bf16"
FP8 = "fp8e4nv"
_OPTIONS = ("num_warps", "num_stages", "num_ctas")


class CannotBuild(ValueError):
    """A kernel of which no specialisation can be made. The message says for want of what."""


@dataclass(frozen=True, slots=True)
class Specialisation:
    """types: parameter to its type, `constexpr` for constants. constants: their values.

    options: num_warps and the like. guessed: parameters that neither the launch nor a default gives.
    """

    types: Mapping[str, str]
    constants: Mapping[str, Any]
    options: Mapping[str, int]
    guessed: tuple[str, ...]

    @property
    def divisible(self) -> tuple[str, ...]:
        """Parameters said to be divisible by 16, as pointers from an allocator and strides of rows are."""
        return tuple(
            name
            for name, kind in self.types.items()
            if kind.startswith("*") or (kind == "i32" and "stride" in name.lower())
        )


def kernel_of(module: ModuleType, name: str) -> tuple[Any, Mapping[str, Any], Mapping[str, int]]:
    """(the jitted function, constants, options) below an autotuner's first configuration and heuristics.

    Raises CannotBuild for what is no kernel in this process.
    """
    found: Any = getattr(module, name, None)
    constants: dict[str, Any] = {}
    options: dict[str, int] = {}
    while found is not None and not hasattr(found, "cache_key"):
        configs = getattr(found, "configs", None)
        if configs:
            constants |= configs[0].kwargs
            options |= {key: getattr(configs[0], key) for key in _OPTIONS[:2]}
        found = getattr(found, "fn", None)
    if found is None or not hasattr(found, "arg_names"):
        raise CannotBuild("is no kernel here: another backend's, or made when it is first used")
    return found, constants, options


def specialise(module: ModuleType, name: str, *, fp8: bool = False) -> tuple[Any, Specialisation]:
    """The jitted function and a specialisation of it. fp8: caches and quantised operands hold E4M3.

    Raises CannotBuild.
    """
    function, constants, options = kernel_of(module, name)
    source = inspect.getsource(inspect.getmodule(function.fn) or module)
    parameters = list(function.arg_names)
    launch = first_launch(source, name, parameters)
    passed = launch.arguments
    options = {**options, **_options(passed, module)}
    own = _own_source(function)
    bases = pointers(own, set(parameters))
    declared = WITH_FP8.get(name, Declared()) if fp8 else Declared()
    options = {**options, **declared.options}
    types: dict[str, str] = {}
    values: dict[str, Any] = {}
    guessed: list[str] = []
    for parameter in function.params:
        key = parameter.name
        if key in declared.constants:
            types[key], values[key] = "constexpr", declared.constants[key]
        elif key in declared.types:
            types[key] = declared.types[key]
        elif parameter.is_constexpr:
            types[key] = "constexpr"
            known, value = _constant(key, constants, passed, module, parameter)
            if not known:
                guessed.append(key)
                value = _guess(key, passed.get(key, ""), launch.absent, fp8=fp8)
            values[key] = value
        elif passed.get(key) == "None":
            types[key], values[key] = "constexpr", None
        else:
            types[key] = _type(key, passed.get(key), is_pointer=key in bases, fp8=fp8)
            if types[key] != "i32":  # that a number is a whole one is no guess worth telling
                guessed.append(key)
    return function, Specialisation(types, values, options, tuple(guessed))


def _own_source(function: Any) -> str:
    text: str = function.src
    return text


def _constant(
    key: str, constants: Mapping[str, Any], passed: Mapping[str, str], module: ModuleType, parameter: Any
) -> tuple[bool, Any]:
    if key in constants:
        return True, constants[key]
    if key in passed:
        known, value = _literal(passed[key], module)
        if known:
            return True, value
    elif parameter.default is not inspect.Parameter.empty:
        return True, parameter.default
    return False, None


def _literal(text: str, module: ModuleType) -> tuple[bool, Any]:
    """The value of an expression that is a literal or a constant of the module."""
    try:
        return True, ast.literal_eval(text)
    except (ValueError, SyntaxError):
        pass
    value = getattr(module, text, None) if text.isidentifier() else None
    return (True, value) if isinstance(value, bool | int | float | str) else (False, None)


def _options(passed: Mapping[str, str], module: ModuleType) -> dict[str, int]:
    found = {}
    for key in _OPTIONS:
        known, value = _literal(passed.get(key, ""), module)
        if known and isinstance(value, int):
            found[key] = value
    return found


def _guess(key: str, expression: str, absent: frozenset[str], *, fp8: bool) -> guesses.Value:
    if fp8 and "fp8" in key.lower():
        return True
    if absent & _names(expression):
        return False  # what is derived from an argument that is not there switches its use off
    if any(word in expression for word in (" is not ", " is ", " == ", " in ", "not ", " > ", "bool(")):
        return False
    try:
        return guesses.constant(key)
    except KeyError:
        raise CannotBuild(f"nothing says what {key} is") from None


def _names(expression: str) -> set[str]:
    try:
        return {node.id for node in ast.walk(ast.parse(expression)) if isinstance(node, ast.Name)}
    except SyntaxError:
        return set()


def _type(key: str, expression: str | None, *, is_pointer: bool, fp8: bool) -> str:
    lower = key.lower()
    if not is_pointer and not _ends_as_pointer(lower):
        return guesses.scalar(lower)
    if fp8 and _may_be_fp8(lower, expression or ""):
        return f"*{FP8}"
    return f"*{guesses.element(lower, MODEL)}"


def _ends_as_pointer(name: str) -> bool:
    return name.endswith(("_ptr", "_ptrs")) or name == "ptr"


def _may_be_fp8(name: str, expression: str) -> bool:
    told = f"{name} {expression.lower()}"
    holds = any(word in told for word in ("cache", "fp8", "k_buffer", "v_buffer"))
    return holds and not any(word in name for word in ("scale", "table", "len", "loc", "slot"))


def wants_fp8(source: str, names: Iterable[str]) -> bool:
    """Whether a kernel speaks of FP8 or reads a cache, so that it is also built with E4M3 operands."""
    text = source.lower()
    return "fp8" in text or "float8" in text or any("cache" in name.lower() for name in names)
