"""Launch a Triton kernel in the first configuration whose shared memory the card can give a block.

How many bytes a kernel needs is known only after it is compiled, and depends on the dtypes, strides and
alignments of its arguments. So each candidate is compiled, which Triton keeps for the launch anyway, and the
number is read from the compiled kernel: no formula is copied from a compiler that changes.

    decode = LaunchFit(decode_kernel, [{"num_stages": 2}, {"num_stages": 1}, {"BLOCK_N": 16}])
    decode[grid](q, k, v, BLOCK_N=32)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from triton.runtime.driver import driver

from gpu_gotchas.fixes.refused import Refused

Config = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Attempt:
    """A configuration and the shared memory that it needs, in bytes per block."""

    config: Config
    shared: int

    def __str__(self) -> str:
        named = ", ".join(f"{name}={value}" for name, value in self.config.items())
        return f"{named or 'as launched'}: {self.shared} bytes"


@dataclass(frozen=True, slots=True)
class Fit:
    """The chosen configuration. shared: bytes that it needs. limit: bytes that a block may have.

    passed_over: the candidates before it, which need more than the limit.
    """

    config: Config
    shared: int
    limit: int
    passed_over: tuple[Attempt, ...] = ()


class LaunchFit:
    """A kernel that launches in the first of its candidates that fits.

    kernel: a `@triton.jit` function, not an autotuned one. candidates: keyword arguments of the launch, best
    first; each replaces what the caller passes under the same name, so `{}` is the launch as it stands.
    Other attributes are the kernel's own, so that it can stand in for it.

    The choice is remembered for each way in which Triton compiles what the caller passes and what it makes of
    the first candidate (kernel, target, specialisation), and for each limit.
    """

    def __init__(self, kernel: Any, candidates: Sequence[Config]) -> None:
        if not candidates:
            raise ValueError(
                "LaunchFit needs at least one candidate configuration; {} is the launch as it is"
            )
        self.kernel = kernel
        self.candidates = tuple(dict(candidate) for candidate in candidates)
        self._chosen: dict[tuple[str, str, int], Fit] = {}

    def __getattr__(self, name: str) -> Any:
        if name == "kernel":  # not set yet, as in an unpickled copy: looking further would never end
            raise AttributeError(name)
        return getattr(self.kernel, name)

    def __getitem__(self, grid: Any) -> Callable[..., Any]:
        def launch(*args: Any, **kwargs: Any) -> Any:
            fit = self.fit(*args, **kwargs)
            return self.kernel[grid](*args, **{**kwargs, **fit.config})

        return launch

    def fit(self, *args: Any, **kwargs: Any) -> Fit:
        """The configuration for a launch with these arguments; compiles, launches nothing.

        Raises Refused, naming bytes needed and allowed, when no candidate fits. What the compiler raises
        passes through: a kernel that does not compile is another failure.
        """
        limit = shared_memory_limit()
        first = self._compile(self.candidates[0], args, kwargs)
        # Later candidates keep what the caller passes where the first one replaces it.
        replaced = tuple(sorted((name, kwargs.get(name)) for name in self.candidates[0]))
        key = (str(first.hash), repr(replaced), limit)
        if key not in self._chosen:
            self._chosen[key] = self._choose(first.metadata.shared, limit, args, kwargs)
        return self._chosen[key]

    def _choose(self, first_shared: int, limit: int, args: tuple[Any, ...], kwargs: Config) -> Fit:
        too_large: list[Attempt] = []
        for index, config in enumerate(self.candidates):
            shared = self._compile(config, args, kwargs).metadata.shared if index else first_shared
            if shared <= limit:
                return Fit(config, shared, limit, tuple(too_large))
            too_large.append(Attempt(config, shared))
        raise Refused(
            capability=current_target_name(),
            setting=f"{self.kernel.__name__} with {'; '.join(map(str, too_large))} of shared memory",
            way_out=f"a block may have at most {limit} bytes; offer a candidate with smaller blocks",
        )

    def _compile(self, config: Config, args: tuple[Any, ...], kwargs: Config) -> Any:
        return self.kernel.warmup(*args, grid=(1,), **{**kwargs, **config})


def shared_memory_limit() -> int:
    """Bytes of shared memory that a block may have at most on the current device, as Triton's driver says."""
    device = driver.active.get_current_device()
    return int(driver.active.utils.get_device_properties(device)["max_shared_mem"])


def current_target_name() -> str:
    """The current target as this package names it: `sm_86`, `gfx942`."""
    target = driver.active.get_current_target()
    return f"sm_{target.arch}" if target.backend == "cuda" else str(target.arch)
