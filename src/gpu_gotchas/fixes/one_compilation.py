"""Triton kernels that are compiled once, however the sizes that they are launched with change.

Triton compiles a kernel anew for what it knows of each whole number: whether it is 1, a multiple of 16, or
neither. A number that changes from request to request (tokens, sequences) therefore costs up to three
compilations, each at the first request that needs it. Either the kernel is told not to look, or every case is
compiled before the first request comes.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

import triton


def unspecialised(kernel: Any, names: Iterable[str]) -> Any:
    """The same kernel, a function under `triton.jit`, that knows nothing of the arguments `names`.

    For sizes that no address is made of; an alignment that is not known any more costs wide loads. Raises
    ValueError for a name that is no argument.
    """
    names = list(names)
    unknown = set(names) - set(kernel.arg_names)
    if unknown:
        raise ValueError(f"{kernel.fn.__name__} has no argument {', '.join(sorted(unknown))}")
    return triton.jit(kernel.fn, do_not_specialize=names)


def cases_of(*sizes: int) -> list[tuple[int, ...]]:
    """What to launch a kernel with, once each, so that no values of these arguments compile it later.

    sizes: how large each argument may get. 1, 2 and 16 stand for the cases, as far as a size gets there.
    """
    return list(product(*([one for one in (1, 2, 16) if one <= largest] for largest in sizes)))
