"""Routing in torch against a slow count, and the kernel against torch in Triton's interpreter."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from functools import cmp_to_key
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gpu_gotchas.fixes.router_topk import duplicates, route
from tests.fixes.on_device import results

INF, NAN = float("inf"), float("nan")
LOGITS = st.one_of(
    st.floats(-80, 80, width=32), st.sampled_from([NAN, INF, -INF, 0.0, -0.0, 3.4e38, -3.4e38, 1e-40])
)


def slow(row: list[float], k: int, renormalise: bool) -> tuple[list[float], list[int]]:
    """The same promise, kept in plain Python: no sort of floats, no tensor."""

    def value(expert: int) -> float:
        return -INF if math.isnan(row[expert]) else row[expert]

    def before(a: int, b: int) -> int:
        if value(a) == value(b):
            return a - b
        return -1 if value(a) > value(b) else 1

    order = sorted(range(len(row)), key=cmp_to_key(before))
    top = value(order[0])
    if top == -INF:
        return [0.0] * k, order[:k]
    share = [1.0 if value(e) == top else math.exp(value(e) - top) for e in order]
    whole = sum(share[:k] if renormalise else share)
    return [one / whole for one in share[:k]], order[:k]


@settings(deadline=None)  # the first call of torch takes its time
@given(row=st.lists(LOGITS, min_size=1, max_size=70), data=st.data(), renormalise=st.booleans())
def test_ids_are_different_and_in_range_and_weights_are_right_for_any_row(
    row: list[float], data: st.DataObject, renormalise: bool
) -> None:
    k = data.draw(st.integers(1, len(row)))
    weights, ids = route(torch.tensor([row]), k, renormalise=renormalise)
    # Denormals: a device may read them as zero, torch on a CPU does not.
    expected_weights, expected = slow(torch.tensor(row).tolist(), k, renormalise)
    assert ids.tolist() == [expected]
    assert len(set(expected)) == k
    assert all(0 <= one < len(row) for one in expected)
    torch.testing.assert_close(weights, torch.tensor([expected_weights]), rtol=1e-5, atol=1e-7)


@settings(deadline=None)
@given(
    row=st.lists(st.floats(-20, 20, width=32), min_size=3, max_size=40, unique=True), where=st.integers(0, 39)
)
def test_one_nan_changes_neither_order_nor_weights_of_the_others(row: list[float], where: int) -> None:
    where %= len(row)
    broken = torch.tensor([[*row[:where], NAN, *row[where + 1 :]]])
    without = torch.tensor([row[:where] + row[where + 1 :]])
    weights, ids = route(broken, len(row) - 1)
    other_weights, other_ids = route(without, len(row) - 1)
    assert ids.tolist() == [[one + (one >= where) for one in other_ids[0].tolist()]]
    torch.testing.assert_close(weights, other_weights)


def test_a_row_without_a_number_gets_the_first_experts_and_no_weight() -> None:
    for value in (NAN, -INF):
        weights, ids = route(torch.full((1, 16), value), 8)
        assert ids.tolist() == [list(range(8))]
        assert weights.tolist() == [[0.0] * 8]


@pytest.mark.parametrize("experts", [60, 96, 128, 160, 256, 384, 512, 896])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_finite_rows_route_as_torch_routes_them(experts: int, dtype: torch.dtype) -> None:
    rows = torch.randn(32, experts, generator=torch.Generator().manual_seed(experts)).to(dtype)
    weights, ids = route(rows, 8, renormalise=False)
    expected = torch.softmax(rows.float(), dim=1)
    torch.testing.assert_close(weights, torch.topk(expected, 8, dim=1).values)
    torch.testing.assert_close(weights, expected.gather(1, ids.long()))
    assert duplicates(ids) == 0
    torch.testing.assert_close(route(rows, 8)[0].sum(dim=1), torch.ones(32))


def test_duplicates_are_counted_in_the_worst_row() -> None:
    assert duplicates(torch.tensor([[0, 1, 2], [5, 5, 1], [3, 3, 3]])) == 2
    assert duplicates(torch.tensor([[0, 1, 2]])) == 0
    assert duplicates(torch.zeros(4, 1, dtype=torch.int32)) == 0
    assert duplicates(torch.zeros(0, 8, dtype=torch.int32)) == 0
    with pytest.raises(ValueError, match=r"must be of shape \(tokens, k\)"):
        duplicates(torch.zeros(8, dtype=torch.int32))


@pytest.mark.parametrize(
    ("logits", "k"),
    [
        (torch.zeros(8), 1),
        (torch.zeros(2, 8, dtype=torch.int32), 1),
        (torch.full((2, 8), 1e300, dtype=torch.float64), 1),
        (torch.zeros(2, 8), 0),
        (torch.zeros(2, 8), 9),
    ],
)
def test_what_cannot_be_routed_is_refused_with_the_reason(logits: torch.Tensor, k: int) -> None:
    with pytest.raises(ValueError, match=r"logits must be float32|k must be from 1"):
        route(logits, k)


INTERPRETED = """
import torch
from gpu_gotchas.fixes import router_topk, router_topk_triton, triton_interpreter
triton_interpreter.apply()
inf, nan = float("inf"), float("nan")
count = 0
for experts, k in ((1, 1), (5, 5), (60, 3), (160, 8)):
    rows = torch.randn(13, experts, generator=torch.Generator().manual_seed(experts * 10 + k))
    rows[0] = nan
    rows[1, experts // 2] = nan
    rows[2] = -inf
    rows[3, -1] = inf
    rows[4, :] = 1.5
    rows[5, : experts // 2] = nan
    rows[6, ::2] = inf
    rows[7] *= 60
    rows[8, ::3] = -inf
    rows[11, 1:] = -inf
    rows[9, ::2] = 0.0
    rows[9, 1::2] = -0.0
    rows[10, ::2] = -torch.tensor(nan)  # a NaN with a sign, below minus infinity as bits
    rows[10, 1::2] = -inf
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        given = rows.to(dtype)
        out = (torch.full((13, k), nan), torch.full((13, k), -1, dtype=torch.int32))
        for renormalise in (True, False):
            for source in (given, given.t().contiguous().t()):
                weights, ids = router_topk_triton.route(source, k, renormalise=renormalise, out=out)
                assert weights is out[0] and ids is out[1]
                expected_weights, expected = router_topk.route(given, k, renormalise=renormalise)
                assert torch.equal(ids, expected), (experts, k, dtype, ids, expected)
                torch.testing.assert_close(weights, expected_weights, rtol=1e-5, atol=1e-6)
                count += 1
print(count)
"""


def run(program: str, *arguments: str, **environment: str) -> str:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TRITON_")}
    source = str(Path(__file__).parents[2] / "src")
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        env=kept | environment | {"PYTHONPATH": source},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_the_kernel_routes_as_the_reference_in_the_interpreter() -> None:
    pytest.importorskip("triton", reason="Triton runs on Linux only")
    pytest.importorskip("numpy", reason="Triton's interpreter needs numpy")
    assert int(run(INTERPRETED, TRITON_INTERPRET="1")) == 4 * 3 * 4


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no card that torch can use")
def test_the_kernel_routes_as_the_reference_on_a_card() -> None:
    assert len(results(Path(__file__).parent / "bodies" / "router_device.py")) == 54


COMPILED = """
import json, triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from gpu_gotchas.fixes.router_topk_triton import route_kernel
targets = [("cuda", number, 32) for number in (75, 80, 86, 87, 89, 90, 100, 103, 120, 121)]
targets += [("hip", "gfx942", 64)]
arguments = {"logits": None, "weights": "*fp32", "ids": "*i32", "experts": "i32", "row_stride": "i32"}
constants = {"K": 8, "RENORMALISE": True, "BLOCK_E": 256, "BLOCK_K": 8, "SAFE": True, "NAN_WINS": True}
sizes = {}
for backend, arch, width in targets:
    for logits in ("*fp32", "*bf16", "*fp16"):
        source = ASTSource(
            fn=route_kernel,
            signature=arguments | {"logits": logits} | dict.fromkeys(constants, "constexpr"),
            constexprs=constants,
        )
        binary = triton.compile(source, target=GPUTarget(backend, arch, width), options={"num_warps": 4})
        sizes[f"{arch} {logits}"] = len(binary.asm["cubin" if backend == "cuda" else "hsaco"])
print(json.dumps(sizes))
"""


def test_the_kernel_compiles_for_every_target(tmp_path: Path) -> None:
    pytest.importorskip("triton", reason="Triton runs on Linux only")
    sizes = json.loads(run(COMPILED, TRITON_CACHE_DIR=str(tmp_path)))
    assert len(sizes) == 33
    assert all(sizes.values())


REPRO = """
import importlib.util, sys
from gpu_gotchas.repro.probe import ProbeTarget
spec = importlib.util.spec_from_file_location("routing_repro", sys.argv[1])
sys.modules[spec.name] = module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
target = ProbeTarget(target=None)
for name in sys.argv[2:]:
    print(*[getattr(module, name)(target, seed) for seed in range(3)])
"""


def measured(tier: str, **environment: str) -> list[str]:
    path = Path(__file__).parents[2] / "gotchas/moe-topk-nan-duplicate-experts/repro.py"
    probes = [f"{probe}_{tier}" for probe in ("bug", "control", "fixed")]
    return run(REPRO, str(path), *probes, **environment).splitlines()


def test_the_loop_repeats_one_expert_on_nan_only_and_the_fix_none() -> None:
    assert measured("logic") == ["7.0 7.0 7.0", "0.0 0.0 0.0", "0.0 0.0 0.0"]


def test_the_loop_as_a_kernel_does_the_same_in_the_interpreter() -> None:
    pytest.importorskip("triton", reason="Triton runs on Linux only")
    pytest.importorskip("numpy", reason="Triton's interpreter needs numpy")
    assert measured("device", TRITON_INTERPRET="1") == measured("logic")
