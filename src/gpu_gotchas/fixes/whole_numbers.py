"""Sizes and counts as whole numbers in a range, or an error that names the argument."""

from __future__ import annotations


def whole(name: str, value: object, least: int = 1, most: int | None = None) -> None:
    """Raises ValueError, naming the argument, where `value` is no whole number in that range."""
    whole_number = isinstance(value, int) and not isinstance(value, bool)
    if not whole_number or value < least or (most is not None and value > most):  # type: ignore[operator]
        end = "" if most is None else f" and at most {most}"
        raise ValueError(f"{name} must be a whole number of at least {least}{end}, not {value!r}")
