"""Whether a batch is a decode step of one length, asked of what its rows are and not only of their length.

A captured decode graph fits rows of one query length, each of a request that is past its prompt. The rest
of a prompt can have just that length, and replaying the graph on it skips what a prefill does to a
recurrent state.
"""

from __future__ import annotations

from collections.abc import Sequence


def decode_length(queries: Sequence[int], computed: Sequence[int], prompts: Sequence[int]) -> int | None:
    """The query length of a uniform decode batch, None for any other.

    queries: tokens of each row in this step. computed: tokens of each request that are computed already.
    prompts: tokens of each prompt. Raises ValueError when the three differ in length.
    """
    if not len(queries) == len(computed) == len(prompts):
        raise ValueError(f"{len(queries)} rows, {len(computed)} requests and {len(prompts)} prompts")
    past_prompt = all(done >= prompt for done, prompt in zip(computed, prompts, strict=True))
    return queries[0] if past_prompt and len(set(queries)) == 1 else None
