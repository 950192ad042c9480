"""An accepted count of zero makes a delta-net kernel start from another request's state.

The release's own launcher and kernel, `fused_recurrent_gated_delta_rule_fwd`, run in Triton's interpreter, in
float32, for two requests of three tokens each. The second one's count is zero, as a stale or rejected row has
it, and the index before its own row is the last one of the first request. So what the second request gets
depends on the first one's tokens. Stand-in: `exp`, which vLLM binds to Triton's own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

from gpu_gotchas.fixes.accepted_tokens import bounded
from gpu_gotchas.repro.extract import take
from gpu_gotchas.repro.probe import ProbeTarget

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}

PLACES = ("third_party/flash_linear_attention/ops", "model_executor/layers/fla/ops")
LAUNCHER = "fused_recurrent_gated_delta_rule_fwd"
DRAFTED, SIZE = 2, 16
TOKENS = DRAFTED + 1


@triton.jit
def exp(x):
    return tl.exp(x)


def _launcher(package: Path) -> Any:
    paths = [package / "vllm" / place / "fused_recurrent.py" for place in PLACES]
    source = next((path for path in paths if path.is_file()), paths[0])
    names = [LAUNCHER, f"{LAUNCHER}_kernel"]
    return take(source, names, {"torch": torch, "triton": triton, "tl": tl, "exp": exp})[LAUNCHER]


def _second(launch: Any, seed: int, accepted: list[int], first_times: float) -> Tensor:
    """What the second request gets, with the first one's values multiplied by `first_times`."""
    torch.manual_seed(seed)
    q, k, v = (torch.randn(1, 2 * TOKENS, 1, SIZE) for _ in range(3))
    gate, beta = -torch.rand(1, 2 * TOKENS, 1), torch.rand(1, 2 * TOKENS, 1)
    states = torch.randn(2 * TOKENS + 1, 1, SIZE, SIZE)
    v[:, :TOKENS] *= first_times
    out, _ = launch(
        q=q,
        k=k,
        v=v,
        g=gate,
        beta=beta,
        scale=1.0,
        initial_state=states,
        cu_seqlens=torch.tensor([0, TOKENS, 2 * TOKENS]),
        ssm_state_indices=torch.arange(1, 2 * TOKENS + 1, dtype=torch.int32).reshape(2, TOKENS),
        num_accepted_tokens=torch.tensor(accepted, dtype=torch.int32),
    )
    return out.reshape(2, TOKENS, SIZE)[1]


def _change(package: Path, seed: int, accepted: list[int]) -> float:
    """How much the second request's output changes when only the first one's tokens do."""
    launch = _launcher(package)
    change = _second(launch, seed, accepted, 1.0) - _second(launch, seed, accepted, 10.0)
    return float(change.abs().max())


def _dependence(target: ProbeTarget, seed: int, accepted: list[int]) -> float:
    """`_change` in a process of its own: Triton interprets only what it defined with the variable set."""
    assert target.package is not None
    environ = {**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    asked = json.dumps([target.package, seed, accepted])
    command = [sys.executable, __file__, asked]
    return float(subprocess.run(command, env=environ, check=True, capture_output=True, text=True).stdout)


def bug_package(target: ProbeTarget, seed: int) -> float:
    return _dependence(target, seed, [1, 0])


def control_package(target: ProbeTarget, seed: int) -> float:
    """The same launch, and one token of the second request was accepted."""
    return _dependence(target, seed, [1, 1])


def fixed_package(target: ProbeTarget, seed: int) -> float:
    return _dependence(target, seed, bounded(torch.tensor([1, 0]), DRAFTED).tolist())


if __name__ == "__main__":
    package, seed, accepted = json.loads(sys.argv[1])
    print(_change(Path(package), seed, accepted))
