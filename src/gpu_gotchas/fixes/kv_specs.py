"""What one layer keeps in a paged KV cache, as small frozen data.

A spec answers two questions and knows nothing of pools: how it fills a page of a given size (`fit`), and
how many pages one request holds back (`pages`). Sizes are bytes, lengths are tokens.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from gpu_gotchas.fixes.whole_numbers import whole

MOST_TOKENS = 1 << 27
"""The longest request that is planned for, over ten times the longest that models are made for."""


def ceil_div(number: int, divisor: int) -> int:
    """The quotient, rounded up."""
    return -(-number // divisor)


@dataclass(frozen=True, slots=True)
class Fit:
    """How a layer fills one page. block: tokens a page holds, 0 for a state. used: bytes that hold data."""

    block: int
    used: int


@dataclass(frozen=True, slots=True)
class Load:
    """What is served. length: tokens of the longest request. chunk: tokens that one step may add at most.

    Raises ValueError for other than whole numbers, or a length above MOST_TOKENS.
    """

    length: int
    chunk: int

    def __post_init__(self) -> None:
        whole("length", self.length, most=MOST_TOKENS)
        whole("chunk", self.chunk)


@runtime_checkable
class Layer(Protocol):
    """What the planner asks of a layer. A larger page never takes more pages for one request."""

    @property
    def least(self) -> int:
        """Bytes of the smallest page that holds anything of this layer."""

    @property
    def grain(self) -> int:
        """A page is a multiple of so many bytes; 1 where any growth can be padding."""

    @property
    def most(self) -> int | None:
        """Bytes of the largest page; None for any."""

    def fit(self, page: int) -> Fit | None:
        """How a page of `page` bytes is filled; None when this layer cannot live in such a page."""

    def turns(self, load: Load) -> Iterator[int]:
        """The smallest page for each number of pages that a request can take; ignores `grain`.

        About twice the square root of a request's blocks, however many sizes lie between.
        """

    def pages(self, fit: Fit, load: Load) -> int:
        """Pages that a request of `load.length` tokens holds back."""

    def useful(self, load: Load) -> int:
        """Bytes of such a request that hold a token or a state."""


class _Padded:
    """What holds where a page may be of any size: what a layer leaves of it is padding."""

    __slots__ = ()

    @property
    def grain(self) -> int:
        return 1

    @property
    def most(self) -> int | None:
        return None


class _Tokens(_Padded):
    """What layers that keep tokens have in common; each is a dataclass with these fields.

    token_bytes: bytes of one token in this layer. step_tokens: a block is a multiple of this many tokens,
    as the attention kernel asks. most_tokens: the largest block the kernel takes; None for any.
    """

    __slots__ = ()

    token_bytes: int
    step_tokens: int
    most_tokens: int | None

    def __post_init__(self) -> None:
        whole("token_bytes", self.token_bytes)
        whole("step_tokens", self.step_tokens)
        if self.most_tokens is not None:
            whole("most_tokens", self.most_tokens)
            if self.most_tokens < self.step_tokens:
                raise ValueError(
                    f"most_tokens ({self.most_tokens}) must hold one step of {self.step_tokens} tokens"
                )

    @property
    def least(self) -> int:
        return self.step_tokens * self.token_bytes

    def fit(self, page: int) -> Fit | None:
        steps = page // self.least
        if self.most_tokens is not None:
            steps = min(steps, self.most_tokens // self.step_tokens)
        return Fit(steps * self.step_tokens, steps * self.least) if steps else None

    def turns(self, load: Load) -> Iterator[int]:
        steps_held = ceil_div(self._held(load), self.step_tokens)
        largest = steps_held
        if self.most_tokens is not None:
            largest = min(steps_held, self.most_tokens // self.step_tokens)
        steps = 1
        while steps <= largest:
            yield steps * self.least
            pages = ceil_div(steps_held, steps)
            if pages == 1:
                return
            steps = ceil_div(steps_held, pages - 1)

    def pages(self, fit: Fit, load: Load) -> int:
        return ceil_div(self._held(load), fit.block)

    def useful(self, load: Load) -> int:
        return self._held(load) * self.token_bytes

    def _held(self, load: Load) -> int:
        """Tokens of a request that are kept at a time."""
        return load.length


@dataclass(frozen=True, slots=True)
class FullAttention(_Tokens):
    """Keys and values of every token. Fields as in `_Tokens`."""

    token_bytes: int
    step_tokens: int = 16
    most_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class MlaAttention(_Tokens):
    """Latent attention: as full attention, but its kernel walks the cache by whole token rows.

    A page is padded by whole multiples of `row_bytes` only (None: never), because the distance from one
    page to the next is counted in rows. vLLM 0.24 to 0.33 refuses such layers for the same reason.
    """

    token_bytes: int
    step_tokens: int = 64
    most_tokens: int | None = None
    row_bytes: int | None = None

    def __post_init__(self) -> None:
        _Tokens.__post_init__(self)
        if self.row_bytes is None:
            return
        whole("row_bytes", self.row_bytes)
        if self.least % self.row_bytes:
            raise ValueError(f"row_bytes ({self.row_bytes}) must divide the {self.least} bytes of one step")

    @property
    def grain(self) -> int:
        return self.row_bytes or self.least

    @property
    def most(self) -> int | None:
        if self.row_bytes or self.most_tokens is None:
            return None
        return self.most_tokens // self.step_tokens * self.least

    def fit(self, page: int) -> Fit | None:
        if page % self.grain or (self.most is not None and page > self.most):
            return None
        return _Tokens.fit(self, page)


@dataclass(frozen=True, slots=True)
class SlidingWindow(_Tokens):
    """Keys and values of the last `window` tokens; older pages go back to the pool.

    A request holds back the pages of its window and of the tokens that one step adds, and one more, since
    the window seldom begins where a page does (vLLM 0.20.0, `SlidingWindowSpec.max_memory_usage_bytes`).
    """

    token_bytes: int
    window: int
    step_tokens: int = 16
    most_tokens: int | None = None

    def __post_init__(self) -> None:
        _Tokens.__post_init__(self)
        whole("window", self.window)

    def pages(self, fit: Fit, load: Load) -> int:
        return _Tokens.pages(self, fit, load) + 1

    def _held(self, load: Load) -> int:
        return min(self.window - 1 + load.chunk, load.length)


@dataclass(frozen=True, slots=True)
class LinearState(_Padded):
    """A state of fixed size, as Mamba and other linear attention keep it.

    state_bytes: the whole state of one request in this layer. copies: states a request works on at a time
    (vLLM: 1, or 2 when prefixes are cached at block ends, and one more for each speculative token). every:
    the state after each so many tokens is kept as well, and the last of them is one of the copies; None when
    none is kept.
    """

    state_bytes: int
    copies: int = 1
    every: int | None = None

    def __post_init__(self) -> None:
        whole("state_bytes", self.state_bytes)
        whole("copies", self.copies)
        if self.every is not None:
            whole("every", self.every)

    @property
    def least(self) -> int:
        return self.state_bytes

    def fit(self, page: int) -> Fit | None:
        return Fit(0, self.state_bytes) if page >= self.state_bytes else None

    def turns(self, load: Load) -> Iterator[int]:  # noqa: ARG002 - a state fills one page, whatever its size
        yield self.state_bytes

    def pages(self, fit: Fit, load: Load) -> int:  # noqa: ARG002 - as above
        kept = 0 if self.every is None else ceil_div(load.length, self.every) - 1
        return self.copies + kept

    def useful(self, load: Load) -> int:
        return self.pages(Fit(0, self.state_bytes), load) * self.state_bytes
