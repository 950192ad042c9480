"""The rest of a prompt that is as long as a decode step is taken for one, and a decode graph is replayed.

The release's own function is asked about one request whose last piece of prompt has as many tokens as a
step with drafts: `get_uniform_token_count`, which gets no more than three lengths, and from 0.28.0 on
`get_uniform_decode_token_count`, which is told whether it is a prefill. What the graph then computes is not
run.
"""

from __future__ import annotations

import inspect
from pathlib import Path

from gpu_gotchas.fixes.uniform_decode import decode_length
from gpu_gotchas.repro.absent import Absent
from gpu_gotchas.repro.extract import take
from gpu_gotchas.repro.probe import ProbeTarget

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}

WORKER = Path("vllm/v1/worker")
OLD, NEW = "get_uniform_token_count", "get_uniform_decode_token_count"
DRAFTED = [1, 3, 7]


def _length(target: ProbeTarget, tokens: int, *, prefill: bool) -> int | None:
    """The query length of the decode graph that the release would replay for one request, or None."""
    assert target.package is not None
    worker = Path(target.package) / WORKER
    try:
        old = take(worker / "gpu/cudagraph_utils.py", [OLD], {})[OLD]
    except Absent:
        new = take(worker / "utils.py", [NEW], {}, if_there=["is_uniform_query_len"])[NEW]
        asks_for_prefill = "has_prefill" in inspect.signature(new).parameters
        return new(1, tokens, tokens, prefill if asks_for_prefill else not prefill)  # type: ignore[no-any-return]
    return old(1, tokens, tokens)  # type: ignore[no-any-return]


def bug_package(target: ProbeTarget, seed: int) -> int:
    return int(_length(target, DRAFTED[seed] + 1, prefill=True) is not None)


def control_package(target: ProbeTarget, seed: int) -> int:
    """The same number of tokens in a decode step, for which the graph was captured."""
    tokens = DRAFTED[seed] + 1
    return int(_length(target, tokens, prefill=False) != tokens)


def fixed_package(target: ProbeTarget, seed: int) -> int:
    """The release's answer counts only where the rows say that they decode."""
    tokens = DRAFTED[seed] + 1

    def replayed(computed: int, *, prefill: bool) -> int | None:
        found = _length(target, tokens, prefill=prefill)
        return found if decode_length([tokens], [computed], [100]) == found else None

    assert replayed(100, prefill=False) == tokens
    return int(replayed(100 - tokens, prefill=True) is not None)
