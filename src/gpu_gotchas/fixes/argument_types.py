"""Arguments of the wrong type, such as a target's name for a target: an error that names the argument."""

from __future__ import annotations


def of_type(name: str, value: object, wanted: type) -> None:
    """Raises ValueError, naming the argument, where `value` is no `wanted`."""
    if not isinstance(value, wanted):
        raise ValueError(f"{name} must be a {wanted.__name__}, not {value!r}")
