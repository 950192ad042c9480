"""The layout against loops over threads and against vLLM's own; the staging against the stock recipe.

GOTCHAS_VLLM_SOURCE names a folder with one unpacked wheel for each version, `<folder>/0.33.0/vllm/...`.
"""

from __future__ import annotations

import importlib.util
import math
import os
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from gpu_gotchas.fixes.marlin_layout import padded_shape, repack
from gpu_gotchas.fixes.marlin_repack import Staging
from gpu_gotchas.repro.extract import take
from gpu_gotchas.repro.probe import ProbeTarget

ROOT = Path(__file__).parents[2]
UTILS = Path("vllm/model_executor/layers/quantization/utils")
CPU = ProbeTarget(target=None)


def load_repro() -> ModuleType:
    path = ROOT / "gotchas/marlin-repack-load-transients/repro.py"
    spec = importlib.util.spec_from_file_location("marlin_repack_repro", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


REPRO = load_repro()


def source(version: str, name: str) -> Path:
    folder = os.environ.get("GOTCHAS_VLLM_SOURCE")
    path = Path(folder or "") / version / UTILS / name
    if not folder or not path.is_file():
        pytest.skip(f"GOTCHAS_VLLM_SOURCE names no folder with an unpacked vLLM {version}")
    return path


def random_values(size_k: int, size_n: int, bits: int, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(0, 2**bits, (size_k, size_n), generator=generator)


def signed(word: int) -> int:
    return word - 2**32 if word >= 2**31 else word


def gptq(values: Tensor, bits: int) -> Tensor:
    """Values (k, n) packed as GPTQ packs, number by number."""
    per_word = 32 // bits
    rows = values.tolist()
    packed = [
        [
            signed(sum(rows[first + nth][column] << (bits * nth) for nth in range(per_word)))
            for column in range(values.shape[1])
        ]
        for first in range(0, values.shape[0], per_word)
    ]
    return torch.tensor(packed, dtype=torch.int32)


def marlin(values: Tensor, bits: int) -> Tensor:
    """Values (k, n) in Marlin's order, thread by thread."""
    rows = values.tolist()
    order = {4: [0, 2, 4, 6, 1, 3, 5, 7], 8: [0, 2, 1, 3]}[bits]
    out = []
    for k in range(0, values.shape[0], 16):
        words: list[int] = []
        for n in range(0, values.shape[1], 64):
            for thread in range(32):
                for part in range(4):
                    held = [
                        rows[k + 2 * (thread % 4) + row][n + 16 * part + column]
                        for column in (thread // 4, thread // 4 + 8)
                        for row in (0, 1, 8, 9)
                    ]
                    for first in range(0, 8, len(order)):
                        some = [held[first + nth] for nth in order]
                        words.append(signed(sum(value << (bits * nth) for nth, value in enumerate(some))))
        out.append(words)
    return torch.tensor(out, dtype=torch.int32)


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize(("size_k", "size_n"), [(16, 64), (64, 128), (128, 64), (48, 192)])
def test_the_layout_is_what_threads_are_to_hold(bits: int, size_k: int, size_n: int) -> None:
    values = random_values(size_k, size_n, bits)
    assert torch.equal(repack(gptq(values, bits), size_k, size_n, bits), marlin(values, bits))


@pytest.mark.parametrize("bits", [4, 8])
def test_the_layout_is_the_same_when_it_is_made_in_several_steps(
    bits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = random_values(80, 128, bits)
    monkeypatch.setattr("gpu_gotchas.fixes.marlin_layout._SCRATCH_WORDS", 128)
    assert torch.equal(repack(gptq(values, bits), 80, 128, bits), marlin(values, bits))


@pytest.mark.parametrize("bits", [4, 8])
def test_the_layout_is_that_of_the_package(bits: int) -> None:
    import numpy as np

    names = ["marlin_permute_weights", "marlin_weights", "get_weight_perm"]
    stand_ins = {"np": np, "torch": torch, "GPTQ_MARLIN_TILE": 16, "get_pack_factor": lambda bits: 32 // bits}
    genuine = take(source("0.33.0", "marlin_utils_test.py"), names, stand_ins)
    values = random_values(256, 192, bits, seed=1)
    expected = genuine["marlin_weights"](values, 256, 192, bits, genuine["get_weight_perm"](bits))
    assert torch.equal(repack(gptq(values, bits), 256, 192, bits), expected)


@pytest.mark.parametrize("version", ["0.24.0", "0.33.0"])
def test_shapes_are_padded_as_the_package_pads_them(version: str) -> None:
    stand_ins = {
        "math": math,
        "logger": SimpleNamespace(warning_once=lambda _: None),
        "round_up": lambda number, multiple: -(-number // multiple) * multiple,
    }
    genuine = take(source(version, "marlin_utils.py"), ["marlin_padded_nk"], stand_ins)["marlin_padded_nk"]

    @given(k=st.integers(1, 9000), n=st.integers(1, 9000), group=st.sampled_from([-1, 32, 64, 128, 96]))
    def same(k: int, n: int, group: int) -> None:
        assert padded_shape(k, n, group) == genuine(n, k, group)[::-1]

    same()


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("strided", [False, True])
def test_staged_weights_are_the_padded_ones_to_the_bit(bits: int, strided: bool) -> None:
    staging = Staging()
    for nth, (size_k, size_n) in enumerate([(128, 120), (128, 64), (96, 56), (256, 192)]):
        values = random_values(size_k, size_n, bits, seed=nth)
        packed = gptq(values, bits)
        weight = SimpleNamespace(data=packed.t().contiguous().t() if strided else packed)
        staging.repack(weight, size_k, size_n, bits)
        padded_k, padded_n = padded_shape(size_k, size_n)
        whole = torch.zeros(padded_k, padded_n, dtype=torch.int64)
        whole[:size_k, :size_n] = values
        assert torch.equal(weight.data, marlin(whole, bits))


def test_the_buffer_only_grows_and_is_let_go_of() -> None:
    with Staging() as staging:
        assert staging.held_bytes == 0
        sizes = []
        for size_k, size_n in [(128, 64), (256, 128), (128, 64)]:
            staging.repack(SimpleNamespace(data=gptq(random_values(size_k, size_n, 8), 8)), size_k, size_n, 8)
            sizes.append(staging.held_bytes)
        assert sizes == [128 * 64, 256 * 128, 256 * 128]
        staging.release()
        assert staging.held_bytes == 0
        staging.repack(SimpleNamespace(data=gptq(random_values(128, 64, 8), 8)), 128, 64, 8)
        assert staging.held_bytes == 128 * 64
    assert staging.held_bytes == 0


def test_a_computation_that_fails_leaves_the_weight_as_it_was() -> None:
    def fails(*_: object) -> Tensor:
        raise torch.OutOfMemoryError("no room for the result")

    packed = gptq(random_values(128, 56, 4), 4)
    weight = SimpleNamespace(data=packed.clone())
    with pytest.raises(torch.OutOfMemoryError, match="no room"):
        Staging(fails).repack(weight, 128, 56, 4)
    assert torch.equal(weight.data, packed)


def test_the_source_is_gone_before_the_result_is_there() -> None:
    seen: list[int] = []

    def compute(packed: Tensor, size_k: int, size_n: int, bits: int) -> Tensor:
        seen.append(weight.data.numel())
        return repack(packed, size_k, size_n, bits)

    weight = SimpleNamespace(data=gptq(random_values(128, 64, 4), 4))
    Staging(compute).repack(weight, 128, 64, 4)
    assert seen == [0]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: repack(torch.zeros(8, 64, dtype=torch.int32), 64, 64, 3), "bits must be 4 or 8"),
        (lambda: repack(torch.zeros(8, 60, dtype=torch.int32), 64, 60, 4), "pad the weight"),
        (lambda: repack(torch.zeros(8, 64), 64, 64, 4), "contiguous int32"),
        (lambda: repack(torch.zeros(64, 8, dtype=torch.int32).t(), 64, 64, 4), "with strides"),
        (lambda: padded_shape(0, 64), "at least one input"),
        (
            lambda: Staging().repack(SimpleNamespace(data=torch.zeros(8, 64)), 64, 64, 4),
            "must be int32",
        ),
    ],
)
def test_what_cannot_be_repacked_is_refused_with_the_reason(call: object, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        call()  # type: ignore[operator]


@pytest.mark.parametrize("seed", range(3))
def test_the_stock_recipe_allocates_three_times_its_result_and_the_staged_one_little_more_than_once(
    seed: int,
) -> None:
    assert REPRO.bug_logic(CPU, seed) > 2.9
    assert REPRO.control_logic(CPU, seed) < 1.2
    assert REPRO.fixed_logic(CPU, seed) < 1.4


def test_the_staged_load_peaks_one_weight_lower() -> None:
    def peak(recipe: object) -> float:
        with REPRO.Meter() as meter:
            model = REPRO.weights(0, "cpu", aligned=False)
            meter.peak = 0
            recipe(*model)  # type: ignore[operator]
        return meter.peak / model[3][0].data.nbytes

    assert peak(REPRO.stock) - peak(REPRO.staged) == pytest.approx(1, abs=0.1)


class Weight(torch.nn.Parameter):
    """Stands in for vLLM's parameter, tagged as compressed-tensors tags it: stored by output."""

    input_dim, output_dim, packed_dim = 1, 0, 1


def genuine_load(version: str) -> object:
    """The package's own `process_weights_after_loading`, with our repacking where it calls a CUDA kernel."""
    utils = source(version, "marlin_utils.py")
    kernels = utils.parents[3] / "kernels/linear/mixed_precision"
    helpers = take(
        utils,
        ["marlin_padded_nk", "marlin_pad_qweight", "marlin_pad_scales", "marlin_make_empty"],
        {
            "torch": torch,
            "math": math,
            "logger": SimpleNamespace(warning_once=lambda _: None),
            "round_up": lambda number, multiple: -(-number // multiple) * multiple,
        },
    )
    layout = take(utils.parents[3] / "parameter.py", ["permute_param_layout_"], {})
    base = take(
        kernels / "MPLinearKernel.py",
        ["MPLinearKernel", "_shallow_copy"],
        {
            "ABC": object,
            "abstractmethod": lambda method: method,
            "torch": torch,
            "replace_parameter": setattr,
        },
    )

    def gptq_marlin_repack(
        packed: Tensor, *, size_k: int, size_n: int, num_bits: int, is_a_8bit: bool
    ) -> Tensor:
        assert not is_a_8bit
        return repack(packed, size_k, size_n, num_bits)

    class Scales:
        """The scales are another matter: they stay as they are."""

        def __call__(self, scales: Tensor, **_: object) -> Tensor:
            return scales

    kernel = take(
        kernels / "marlin.py",
        ["MarlinLinearKernel"],
        {
            "torch": torch,
            "ops": SimpleNamespace(gptq_marlin_repack=gptq_marlin_repack),
            "BasevLLMParameter": Weight,
            "marlin_permute_scales": Scales(),
            **helpers,
            **layout,
            **base,
        },
    )["MarlinLinearKernel"]

    def load(bits: int, size_k: int, size_n: int, held: list[SimpleNamespace]) -> None:
        for weight in held:
            one = object.__new__(kernel)
            one.w_q_name, one.w_s_name, one.w_zp_name = "weight", "scales", None
            one.config = SimpleNamespace(
                act_type=None,
                zero_points=False,
                group_size=-1,
                partition_weight_shape=(size_k, size_n),
                weight_type=SimpleNamespace(size_bits=bits),
            )
            layer = SimpleNamespace(
                weight=Weight(weight.data.t(), requires_grad=False),
                scales=Weight(torch.zeros(size_n, 1, dtype=torch.float16), requires_grad=False),
            )
            layer.scales.packed_dim = None
            one.process_weights_after_loading(layer)
            weight.data = layer.weight.data

    return load


@pytest.mark.parametrize("seed", range(3))
def test_the_package_allocates_what_the_model_allocates_for_the_same_result(seed: int) -> None:
    genuine, expected = REPRO.cost(genuine_load("0.33.0"), REPRO.weights(seed, "cpu", aligned=False))
    model, result = REPRO.cost(REPRO.stock, REPRO.weights(seed, "cpu", aligned=False))
    # Beside the weights there are the scales, which the model leaves out.
    assert genuine == pytest.approx(model, rel=0.01)
    assert all(torch.equal(one, other) for one, other in zip(result, expected, strict=True))


@pytest.mark.parametrize(("version", "pads"), [("0.23.0", False), ("0.24.0", True), ("0.33.0", True)])
def test_padding_came_with_0_24(version: str, pads: bool) -> None:
    path = source(version, "marlin_utils.py").parents[3] / "kernels/linear/mixed_precision/marlin.py"
    code = path.read_text(encoding="utf-8")
    body = code[code.index("def transform_w_q") : code.index("def transform_w_s")]
    assert "x.data.contiguous()" in body
    assert ("marlin_pad_qweight" in body) == pads


def test_inputs_that_fill_no_whole_words_are_refused() -> None:
    weight = SimpleNamespace(data=torch.zeros(2, 64, dtype=torch.int32))
    with pytest.raises(ValueError, match="fill no whole 32-bit words"):
        Staging().repack(weight, 20, 64, 4)


def test_a_computation_that_returns_the_buffer_is_refused_and_the_weight_kept() -> None:
    kept = torch.arange(8 * 64, dtype=torch.int32).view(8, 64)
    weight = SimpleNamespace(data=kept.clone())
    with pytest.raises(ValueError, match="part of the buffer"):
        Staging(lambda staged, k, n, bits: staged[:4]).repack(weight, 64, 64, 4)
    assert torch.equal(weight.data, kept)
