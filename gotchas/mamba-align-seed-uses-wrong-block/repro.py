"""After a prefix-cache hit, vLLM looks for a recurrent state by the attention layers' block size.

The branch of the release's own `MambaHybridModelState.add_request` that sets the column of the state runs
for a request whose first tokens are cached. Stand-ins: the request and the configuration, with the
attributes that the branch reads. What a kernel does with the wrong column is not run here.
"""

from __future__ import annotations

from itertools import count
from pathlib import Path
from types import SimpleNamespace

import torch

from gpu_gotchas.fixes.state_column import state_column
from gpu_gotchas.repro.extract import run_branch
from gpu_gotchas.repro.probe import ProbeTarget

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}

SOURCE = Path("vllm/v1/worker/gpu/model_states/mamba_hybrid.py")
ATTENTION_BLOCK, STATE_BLOCK = 128, 2176
CACHED = [100_096, 4352, 15_232]  # tokens, all of them whole blocks of both kinds


def _column(target: ProbeTarget, cached: int, block: int) -> int:
    """The column that the release sets. block: tokens in a block of the attention layers."""
    assert target.package is not None
    owner = SimpleNamespace(
        _align_mode=True,
        _mamba_state_idx_gpu=torch.zeros(1, dtype=torch.int32),
        num_accepted_tokens_gpu=torch.zeros(1, dtype=torch.int32),
        cache_config=SimpleNamespace(block_size=block, mamba_block_size=STATE_BLOCK),
    )
    request = SimpleNamespace(num_computed_tokens=cached)
    names = {"self": owner, "new_req_data": request, "req_index": 0}
    run_branch(Path(target.package) / SOURCE, "MambaHybridModelState.add_request", "_align_mode", names)
    return int(owner._mamba_state_idx_gpu[0])


def _off(column: int, cached: int) -> int:
    """Columns between this one and the one whose block holds the last cached token."""
    right = next(each for each in count() if (each + 1) * STATE_BLOCK >= cached)
    return abs(column - right)


def bug_package(target: ProbeTarget, seed: int) -> int:
    return _off(_column(target, CACHED[seed], ATTENTION_BLOCK), CACHED[seed])


def control_package(target: ProbeTarget, seed: int) -> int:
    """The same branch, with attention layers whose blocks are as long as the state's."""
    return _off(_column(target, CACHED[seed], STATE_BLOCK), CACHED[seed])


def fixed_package(target: ProbeTarget, seed: int) -> int:
    return _off(state_column(CACHED[seed], STATE_BLOCK), CACHED[seed])
