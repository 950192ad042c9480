"""Products with block-scaled FP8 weights against 16-bit ones, upstream's Triton kernel, Marlin and torch.

    gotchas fetch vllm==0.33.0
    python benchmarks/block_fp8_gemm.py [--marlin _C_stable_libtorch.abi3.so] [--configs FOLDER]

Needs a card. Upstream's kernel is read from the unpacked wheel at run time and launched as the wheel's table
for the shape says (`--configs`, the wheel's `configs` folder), else with its default. It takes FP8
activations, quantised beforehand and not timed. Marlin is the compiled part of the same wheel, unpacked by
hand. Every subject is held against float64 before it is timed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from pathlib import Path
from typing import Any

import torch
from harness import Subject, Table, compare, parser_of, rotations

from gpu_gotchas.fixes.block_fp8_gemm import Activation, Kernel, Plan, grouped_matmul, matmul, plan
from gpu_gotchas.fixes.block_fp8_gemm.launch import Workspace, widen
from gpu_gotchas.fixes.block_fp8_gemm.reference import grouped_reference, reference
from gpu_gotchas.fixes.launch_fit import current_target_name
from gpu_gotchas.hardware.catalogue import find_target
from gpu_gotchas.repro.extract import take
from gpu_gotchas.repro.packages import find_package
from gpu_gotchas.upstream.jit_functions import jit_function

VLLM = "vllm==0.33.0"
UTILS = "vllm/model_executor/layers/quantization/utils"
E4M3_ID = 4 | 3 << 8 | 1 << 16 | 1 << 49 | 2 << 50
"""How vLLM's compiled parts number the E4M3 type (`ScalarType.id`)."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of a layer of a real model; experts is 0 for a plain product."""

    layer: str
    features: int
    columns: int
    experts: int = 0

    def __str__(self) -> str:
        many = f"{self.experts} experts of " if self.experts else ""
        return f"{self.layer}, {many}{self.features} x {self.columns}"

    @property
    def bytes(self) -> int:
        return max(self.experts, 1) * self.features * self.columns


class Layer:
    """Random weights of one layer in both widths, enough copies of them to outrun the L2 cache."""

    def __init__(self, shape: Weights) -> None:
        self.shape = shape
        self.turns = rotations(shape.bytes)
        front = (self.turns, shape.experts) if shape.experts else (self.turns,)
        size = (*front, shape.features, shape.columns)
        self.codes = torch.randint(0, 256, size, device="cuda", dtype=torch.uint8)
        self.codes[(self.codes & 0x7F) == 0x7F] = 1
        blocks = (*front, ceil(shape.features / 128), ceil(shape.columns / 128))
        self.scale = torch.rand(blocks, device="cuda") * 1e-2
        self.dense = torch.empty(size, device="cuda", dtype=torch.bfloat16)
        widest = self.plan(1, kernel=Kernel.DEQUANTISE)
        for turn in range(self.turns):
            widen(self.codes[turn], self.scale[turn], self.dense[turn], widest)

    def plan(self, tokens: int, **changed: Any) -> Plan:
        return plan(
            find_target(current_target_name()),
            Activation.BF16,
            tokens=tokens,
            features=self.shape.features,
            columns=self.shape.columns,
            experts=self.shape.experts,
            multiprocessors=torch.cuda.get_device_properties(0).multi_processor_count,
            **changed,
        )

    @cached_property
    def marlin(self) -> list[tuple[torch.Tensor, torch.Tensor]]:
        """The first weights as Marlin wants them: (codes, scales) for each copy."""
        folder = find_package(VLLM) / UTILS
        given = {"torch": torch}
        known = take(folder / "marlin_utils.py", ["get_scale_perms", "marlin_permute_scales"], given)
        known |= take(folder / "marlin_utils_fp8.py", ["fp8_fused_exponent_bias_into_scales"], given)
        features, columns = self.shape.features, self.shape.columns
        made = []
        for codes, scale in zip(self.codes, self.scale, strict=True):
            packed = codes.view(torch.int32).T.contiguous()
            repacked = torch.ops._C.gptq_marlin_repack(packed, columns, features, 8, False)
            scales = scale.T.contiguous().repeat_interleave(128, 1)[:, :features].bfloat16()
            scales = known["marlin_permute_scales"](scales, columns, features, 128)
            made.append((repacked, known["fp8_fused_exponent_bias_into_scales"](scales)))
        return made


class Case:
    """A layer and its tokens, spread evenly over the experts where there are any."""

    def __init__(self, layer: Layer, tokens: int) -> None:
        self.layer, self.tokens = layer, tokens
        shape = layer.shape
        self.x = torch.randn(tokens, shape.columns, device="cuda").bfloat16()
        self.out = torch.empty(tokens, shape.features, device="cuda", dtype=torch.bfloat16)
        chosen = torch.randint(0, max(shape.experts, 1), (tokens,), device="cuda")
        self.ends = torch.bincount(chosen, minlength=max(shape.experts, 1)).cumsum(0).int()

    def __str__(self) -> str:
        return f"{self.layer.shape}, {self.tokens} tokens"

    @property
    def weight_bytes(self) -> int:
        """FP8 bytes that must be read: those of experts that have tokens."""
        if not self.layer.shape.experts:
            return self.layer.shape.bytes
        counts = torch.diff(self.ends, prepend=self.ends.new_zeros(1))
        return int((counts > 0).sum()) * self.layer.shape.features * self.layer.shape.columns

    @cached_property
    def wanted(self) -> torch.Tensor:
        """Float64's answer with the first weights, for the first tokens."""
        few = min(self.tokens, 64)
        if self.layer.shape.experts:
            ends = self.ends.clamp(max=few)
            return grouped_reference(self.x[:few], self.layer.codes[0], self.layer.scale[0], ends)
        return reference(self.x[:few], self.layer.codes[0], self.layer.scale[0])

    def subject(self, call: Callable[[int], Any], worst: float = 6e-3) -> Subject:
        """Time `call(turn)`, which writes or returns the output; refuses a wrong one."""
        self.out.fill_(float("nan"))
        returned = call(0)
        got = returned if isinstance(returned, torch.Tensor) else self.out
        got = got[: self.wanted.shape[0]].double()
        error = float((got - self.wanted).norm() / self.wanted.norm())
        if not error < worst:
            raise RuntimeError(f"{self}: relative error {error:.2e}")
        return Subject([lambda turn=turn: call(turn) for turn in range(self.layer.turns)])

    def own(self, made: Plan) -> Subject:
        layer, workspace = self.layer, Workspace.allocate([made], "cuda")
        fixed: dict[str, Any] = {"plan": made, "workspace": workspace, "out": self.out}
        if layer.shape.experts:
            return self.subject(
                lambda turn: grouped_matmul(self.x, layer.codes[turn], layer.scale[turn], self.ends, **fixed)
            )
        return self.subject(lambda turn: matmul(self.x, layer.codes[turn], layer.scale[turn], **fixed))

    def bf16(self) -> Subject:
        """torch's product with weights of twice the bytes."""
        dense = self.layer.dense
        if self.layer.shape.experts:
            return self.subject(lambda turn: torch._grouped_mm(self.x, dense[turn].mT, offs=self.ends))
        return self.subject(lambda turn: torch.mm(self.x, dense[turn].T, out=self.out))

    def torch_alone(self) -> Subject:
        """What the same bytes take without a kernel: widen, scale, multiply."""
        shape = self.layer.shape

        def call(turn: int) -> torch.Tensor:
            wide = self.layer.codes[turn].view(torch.float8_e4m3fn).to(torch.bfloat16)
            blocks = wide.view(shape.features // 128, 128, shape.columns // 128, 128)
            scaled = blocks * self.layer.scale[turn].bfloat16()[:, None, :, None]
            return torch.mm(self.x, scaled.view(shape.features, shape.columns).T, out=self.out)

        return self.subject(call, worst=2e-2)

    def upstream(self, kernel: Any, configs: Path | None) -> Subject:
        """vLLM's Triton kernel with FP8 activations; its table's configuration for the nearest batch."""
        shape = self.layer.shape
        config = {"BLOCK_SIZE_M": 64, "BLOCK_SIZE_N": 128, "BLOCK_SIZE_K": 128, "GROUP_SIZE_M": 32,
                  "num_warps": 4, "num_stages": 2}  # fmt: skip
        card = torch.cuda.get_device_name(0).replace(" ", "_")
        name = f"N={shape.features},K={shape.columns},device_name={card}"
        name += ",dtype=fp8_w8a8,block_shape=[128,128].json"
        if configs and (configs / name).exists():
            table = {int(key): value for key, value in json.loads((configs / name).read_text()).items()}
            config = table[min(table, key=lambda batch: abs(batch - self.tokens))]
        blocks = self.x.float().view(self.tokens, -1, 128)
        factor = blocks.abs().amax(-1).clamp(min=1e-6) / 448
        narrow = (blocks / factor[..., None]).to(torch.float8_e4m3fn).view(self.tokens, -1)
        codes, scale = self.layer.codes.view(torch.float8_e4m3fn), self.layer.scale
        grid = (ceil(self.tokens / config["BLOCK_SIZE_M"]) * ceil(shape.features / config["BLOCK_SIZE_N"]),)

        def call(turn: int) -> None:
            kernel[grid](
                narrow, codes[turn], self.out, factor, scale[turn], self.tokens, shape.features,
                shape.columns, 128, 128, narrow.stride(0), 1, 1, shape.columns, shape.features, 1,
                factor.stride(0), 1, 1, scale.stride(1), **config,
            )  # fmt: skip

        return self.subject(call, worst=6e-2)

    def marlin(self) -> Subject:
        shape, made = self.layer.shape, self.layer.marlin
        locks = torch.zeros(1024, device="cuda", dtype=torch.int32)

        def call(turn: int) -> Any:
            codes, scales = made[turn]
            return torch.ops._C.marlin_gemm(
                self.x, None, codes, None, scales, None, None, None, locks, E4M3_ID, self.tokens,
                shape.features, shape.columns, False, True, False,
            )  # fmt: skip

        return self.subject(call, worst=1e-2)


def upstream_kernel() -> Any:
    return jit_function(find_package(VLLM) / UTILS / "fp8_utils.py", "_w8a8_triton_block_scaled_mm")


def add(
    table: Table,
    name: str,
    against: str,
    case: Case,
    ours: tuple[Subject, Plan],
    other: Subject,
    aim: float | None,
) -> None:
    timed = compare(ours[0], other)
    made = ours[1]
    shape = case.layer.shape
    operations = 2 * case.tokens * shape.features * shape.columns
    table.add(
        timed.row(name, against, str(case), aim)
        | table.rates(case.weight_bytes, timed.a, operations)
        | {"tokens": case.tokens, "kernel": made.kernel.value, "programs": made.programs}
    )


def add_share_of_copy(table: Table, case: Case, ours: tuple[Subject, Plan], aim: float) -> None:
    """The rate at which weights are read, over the rate of a copy."""
    took = ours[0].median(16)
    rates = table.rates(case.weight_bytes, took)
    table.add(
        {
            "name": "FP8 weights", "against": "copy rate", "ratio": rates.pop("of_copy"), "aim": aim,
            "shape": str(case), "tokens": case.tokens, "microseconds": round(took, 2), **rates,
            "kernel": ours[1].kernel.value,
        }
    )  # fmt: skip


LAYERS = (
    Weights("DeepSeek-V3 dense gate and up", 36864, 7168),
    Weights("DeepSeek-V3 dense down", 7168, 18432),
    Weights("Qwen3-32B gate and up", 51200, 5120),
    Weights("Qwen3-32B down", 5120, 25600),
    Weights("DeepSeek-V3 output projection", 7168, 16384),
    Weights("DeepSeek-V3 query", 24576, 1536),
)
EXPERTS = (
    Weights("DeepSeek-V3 experts gate and up, 32 of 256", 4096, 7168, 32),
    Weights("Qwen3-30B-A3B experts down", 2048, 768, 128),
)
FEW = (1, 8, 16, 64)
MANY = (32, 128, 256, 512, 1024, 2048, 8192)
LARGE = 2 * 60 << 20
"""Bytes past which weights are more than twice an H200's L2 cache, which the aims ask for."""


def bf16_aim(shape: Weights, tokens: int) -> float:
    if shape.bytes > LARGE and tokens <= 16:
        return 1.6
    return 1.3 if shape.bytes > LARGE and tokens == 64 else 0.97


def plain(table: Table, shapes: Iterable[Weights], configs: Path | None, marlin: bool) -> None:
    kernel = upstream_kernel()
    for index, shape in enumerate(shapes):
        layer = Layer(shape)
        for tokens in (*FEW, *(MANY if index < 2 else ())):
            case = Case(layer, tokens)
            made = layer.plan(tokens)
            ours = case.own(made), made
            add(table, "FP8 weights", "torch, bf16 weights", case, ours, case.bf16(), bf16_aim(shape, tokens))
            if tokens == 1:
                add_share_of_copy(table, case, ours, 0.75)
                add(table, "FP8 weights", "torch alone, FP8 weights", case, ours, case.torch_alone(), None)
            if tokens in FEW:
                against = f"{VLLM} Triton, FP8 activations"
                add(table, "FP8 weights", against, case, ours, case.upstream(kernel, configs), None)
                if marlin:
                    aim = 0.85 if tokens <= 16 else None
                    add(table, "FP8 weights", f"Marlin of {VLLM}", case, ours, case.marlin(), aim)
            if index < 2 and tokens in (1, 16, 64, 256):
                base = layer.plan(tokens, kernel=Kernel.PORTABLE)
                add(
                    table, "FP8 weights, portable kernel", "torch, bf16 weights", case,
                    (case.own(base), base), case.bf16(), None,
                )  # fmt: skip
            if index < 2 and tokens in (256, 512, 1024):
                fused = layer.plan(tokens, kernel=Kernel.HOPPER_MANY)
                dense = layer.plan(tokens, kernel=Kernel.DEQUANTISE)
                add(
                    table, "FP8 weights, not widened first", "own choice to widen first", case,
                    (case.own(fused), fused), case.own(dense), None,
                )  # fmt: skip
        del layer, case, ours
        torch.cuda.empty_cache()


def experts(table: Table) -> None:
    for shape in EXPERTS:
        layer = Layer(shape)
        for tokens in (8, 64, 512, 4096):
            case = Case(layer, tokens)
            made = layer.plan(tokens)
            add(table, "FP8 experts", "torch, bf16 weights", case, (case.own(made), made), case.bf16(), None)
        del layer, case
        torch.cuda.empty_cache()


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--marlin", type=Path, help="the compiled part of vLLM's wheel that holds Marlin")
    parser.add_argument("--configs", type=Path, help="the wheel's folder of tables for its Triton kernel")
    asked = parser.parse_args()
    if asked.marlin:
        torch.ops.load_library(str(asked.marlin.resolve()))
    table = Table("block_fp8_gemm")
    plain(table, LAYERS, asked.configs, bool(asked.marlin))
    experts(table)
    table.write(asked.into)


if __name__ == "__main__":
    main()
