"""What one layer keeps in a paged KV cache, as small frozen data.

A spec answers two questions and knows nothing of pools: how it fills a page of a given size (`fit`), and
how many pages one request holds back (`pages`). Sizes are bytes, lengths are tokens.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


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
    """What is served. length: tokens of the longest request. chunk: tokens that one step may add at most."""

    length: int
    chunk: int

    def __post_init__(self) -> None:
        if self.length < 1 or self.chunk < 1:
            raise ValueError(f"length and chunk must be at least 1, not {self.length} and {self.chunk}")


class Layer(Protocol):
    """What the planner asks of a layer."""

    @property
    def step(self) -> int:
        """Bytes by which a page can grow without padding this layer; 0 when any growth is padding."""

    @property
    def least(self) -> int:
        """Bytes of the smallest page that holds anything of this layer."""

    def fit(self, page: int) -> Fit | None:
        """How a page of `page` bytes is filled; None when this layer cannot live in such a page."""

    def pages(self, fit: Fit, load: Load) -> int:
        """Pages that a request of `load.length` tokens holds back."""

    def useful(self, load: Load) -> int:
        """Bytes of such a request that hold a token or a state."""


@dataclass(frozen=True, slots=True)
class FullAttention:
    """Keys and values of every token.

    token_bytes: bytes of one token in this layer. step_tokens: a block is a multiple of this many tokens,
    as the attention kernel asks. most_tokens: the largest block the kernel takes; None for any.
    """

    token_bytes: int
    step_tokens: int = 16
    most_tokens: int | None = None

    def __post_init__(self) -> None:
        _check_attention(self.token_bytes, self.step_tokens, self.most_tokens)

    @property
    def step(self) -> int:
        return self.step_tokens * self.token_bytes

    @property
    def least(self) -> int:
        return self.step

    def fit(self, page: int) -> Fit | None:
        return _fill(page, self.token_bytes, self.step_tokens, self.most_tokens)

    def pages(self, fit: Fit, load: Load) -> int:
        return ceil_div(load.length, fit.block)

    def useful(self, load: Load) -> int:
        return load.length * self.token_bytes


@dataclass(frozen=True, slots=True)
class MlaAttention:
    """Latent attention: as full attention, but its kernel walks the cache by whole token rows.

    A page is padded by whole multiples of `row_bytes` only (None: never), because the distance from one
    page to the next is counted in rows. vLLM 0.24 to 0.33 refuses such layers for the same reason.
    """

    token_bytes: int
    step_tokens: int = 64
    most_tokens: int | None = None
    row_bytes: int | None = None

    def __post_init__(self) -> None:
        _check_attention(self.token_bytes, self.step_tokens, self.most_tokens)
        if self.row_bytes is not None and self.row_bytes < 1:
            raise ValueError(f"row_bytes must be at least 1, not {self.row_bytes}")

    @property
    def step(self) -> int:
        return self.step_tokens * self.token_bytes

    @property
    def least(self) -> int:
        return self.step

    def fit(self, page: int) -> Fit | None:
        fit = _fill(page, self.token_bytes, self.step_tokens, self.most_tokens)
        if fit is None:
            return None
        padding = page - fit.used
        legal = padding == 0 or (self.row_bytes is not None and padding % self.row_bytes == 0)
        return fit if legal else None

    def pages(self, fit: Fit, load: Load) -> int:
        return ceil_div(load.length, fit.block)

    def useful(self, load: Load) -> int:
        return load.length * self.token_bytes


@dataclass(frozen=True, slots=True)
class SlidingWindow:
    """Keys and values of the last `window` tokens; older pages go back to the pool.

    A request holds back the pages of its window and of the tokens that one step adds, and one more, since
    the window seldom begins where a page does (vLLM 0.20.0, `SlidingWindowSpec.max_memory_usage_bytes`).
    """

    token_bytes: int
    window: int
    step_tokens: int = 16
    most_tokens: int | None = None

    def __post_init__(self) -> None:
        _check_attention(self.token_bytes, self.step_tokens, self.most_tokens)
        if self.window < 1:
            raise ValueError(f"window must be at least 1, not {self.window}")

    @property
    def step(self) -> int:
        return self.step_tokens * self.token_bytes

    @property
    def least(self) -> int:
        return self.step

    def fit(self, page: int) -> Fit | None:
        return _fill(page, self.token_bytes, self.step_tokens, self.most_tokens)

    def pages(self, fit: Fit, load: Load) -> int:
        return ceil_div(self._held(load), fit.block) + 1

    def useful(self, load: Load) -> int:
        return self._held(load) * self.token_bytes

    def _held(self, load: Load) -> int:
        return min(self.window - 1 + load.chunk, load.length)


@dataclass(frozen=True, slots=True)
class LinearState:
    """A state of fixed size, as Mamba and other linear attention keep it.

    state_bytes: the whole state of one request in this layer. copies: states a request keeps at a time
    (vLLM: 1, or 2 when prefixes are cached at block ends, and one more for each speculative token).
    every: a further state is kept for each so many tokens; None when none is.
    """

    state_bytes: int
    copies: int = 1
    every: int | None = None

    def __post_init__(self) -> None:
        if self.state_bytes < 1 or self.copies < 1 or (self.every is not None and self.every < 1):
            raise ValueError(f"state_bytes, copies and every must be at least 1: {self}")

    @property
    def step(self) -> int:
        return 0

    @property
    def least(self) -> int:
        return self.state_bytes

    def fit(self, page: int) -> Fit | None:
        return Fit(0, self.state_bytes) if page >= self.state_bytes else None

    def pages(self, fit: Fit, load: Load) -> int:  # noqa: ARG002 - a state fills one page, whatever its size
        return self.copies if self.every is None else ceil_div(load.length, self.every)

    def useful(self, load: Load) -> int:
        return self.pages(Fit(0, self.state_bytes), load) * self.state_bytes


def _check_attention(token_bytes: int, step_tokens: int, most_tokens: int | None) -> None:
    if token_bytes < 1 or step_tokens < 1:
        raise ValueError(
            f"token_bytes and step_tokens must be at least 1, not {token_bytes} and {step_tokens}"
        )
    if most_tokens is not None and most_tokens < step_tokens:
        raise ValueError(f"most_tokens ({most_tokens}) must hold one step of {step_tokens} tokens")


def _fill(page: int, token_bytes: int, step_tokens: int, most_tokens: int | None) -> Fit | None:
    tokens = page // (token_bytes * step_tokens) * step_tokens
    if most_tokens is not None:
        tokens = min(tokens, most_tokens // step_tokens * step_tokens)
    return Fit(tokens, tokens * token_bytes) if tokens else None
