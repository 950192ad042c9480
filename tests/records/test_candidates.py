"""What must hold for the candidates of this repository beyond what lint asks of any."""

from __future__ import annotations

from gpu_gotchas.records.loading import load_candidates
from gpu_gotchas.records.templates import match_signature
from tests.search.logs import healthy_log

# Servers with nothing wrong print these, one on every start of some models or cards.
ORDINARY = """\
WARNING [fused_moe.py:668] Using default MoE config. Performance might be sub-optimal! Config file not found at x
INFO [cuda.py:240] Cannot use FlashAttention-2 backend for head size 72.
WARNING [custom_all_reduce.py:154] Custom allreduce is disabled because your platform lacks GPU P2P capability
WARNING [marlin_utils_fp4.py:120] Your GPU does not have native support for FP4 computation but FP4 quantization is being used.
WARNING [config.py:735] awq quantization is not fully optimized yet. The speed can be slower than non-quantized models.
host:700:700 [0] NCCL INFO comm 0x55aa rank 0 nranks 2 cudaDev 0 busId 1000 - Init COMPLETE
host:700:700 [0] NCCL INFO Channel 15/0 : 2[2] -> 1[1] via P2P/IPC/read
"""  # noqa: E501 - lines as programs print them


def test_no_signature_is_met_by_healthy_servers() -> None:
    lines = [*ORDINARY.splitlines(), *healthy_log().splitlines()]
    met = [
        candidate.id
        for candidate in load_candidates()
        if any(match_signature(signature, lines) for signature in candidate.signatures)
    ]
    assert met == []


def test_candidates_stand_in_order_of_their_names() -> None:
    """Behind the first, so that two people who add one seldom touch the same lines."""
    listed = sorted(load_candidates(), key=lambda candidate: candidate.lines["id"])
    names = [candidate.id for candidate in listed[1:]]
    assert names == sorted(names)
