"""All experts in one kernel: word for word as the reference, on every target, and nothing else touched."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

pytest.importorskip("triton", reason="Triton runs on Linux only")

from gpu_gotchas.fixes.marlin_layout import repack
from gpu_gotchas.fixes.marlin_repack_triton import (
    fp8_words,
    repack_experts,
    repack_experts_in_place,
    repack_kernel,
)
from tests.fixes.triton_children import interpreted

BODIES = Path(__file__).parent / "bodies"
TARGETS = [("cuda", number, 32) for number in (75, 80, 86, 87, 89, 90, 100, 103, 120, 121)]
TARGETS += [("hip", "gfx942", 64), ("hip", "gfx1100", 32)]


def packed(bits: int = 4, size_k: int = 64, size_n: int = 128, experts: int = 2) -> torch.Tensor:
    return torch.zeros(experts, size_k * bits // 32, size_n, dtype=torch.int32)


def test_every_word_is_the_reference_s_in_the_interpreter() -> None:
    assert interpreted(BODIES / "marlin_interpreted.py") == 9


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize(("backend", "arch", "width"), TARGETS, ids=lambda part: str(part))
def test_it_compiles_without_spills_for_every_target(
    backend: str, arch: int | str, width: int, bits: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    names = ("tiles", "parts", "expert_stride", "row_stride", "column_stride")
    constants = {"BITS": bits, "TILES": 8}
    source = ASTSource(
        fn=repack_kernel,
        signature={"source": "*i32", "out": "*i32"}
        | dict.fromkeys(names, "i32")
        | dict.fromkeys(constants, "constexpr"),
        constexprs=constants,
    )
    binary = triton.compile(source, target=GPUTarget(backend, arch, width), options={"num_warps": 4})
    assert binary.metadata.shared == 0
    if backend == "cuda":
        assert ".local" not in binary.asm["ptx"]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"bits": 3}, "bits must be 4 or 8"),
        ({"size_k": 24}, "multiples of 16 and 64"),
        ({"size_n": 96}, "multiples of 16 and 64"),
        ({"size_k": 128}, "must be int32"),
        ({"packed": packed().long()}, "must be int32"),
        ({"packed": packed()[0]}, "must be int32"),
        ({"out": torch.zeros(2, 4, 255, dtype=torch.int32)}, "out must be int32"),
        ({"out": torch.zeros(2, 256, 4, dtype=torch.int32).transpose(1, 2)}, "contiguous"),
    ],
)
def test_what_cannot_be_repacked_is_refused_before_any_work(changed: dict[str, object], message: str) -> None:
    given = {"packed": packed(), "size_k": 64, "size_n": 128, "bits": 4} | changed
    with pytest.raises(ValueError, match=message):
        repack_experts(**given)  # type: ignore[arg-type]


def test_an_out_that_is_part_of_the_source_is_refused() -> None:
    source = packed()
    with pytest.raises(ValueError, match="no part of the source"):
        repack_experts(source, 64, 128, 4, out=source.view(2, 4, 256))
    memory = torch.zeros(2 * source.numel(), dtype=torch.int32)
    beside = memory[: source.numel()].view(source.shape)
    with pytest.raises(ValueError, match="no part of the source"):
        repack_experts(beside, 64, 128, 4, out=memory[4 : 4 + source.numel()].view(2, 4, 256))


def test_in_place_needs_each_expert_s_words_together() -> None:
    apart = torch.zeros(2, 8, 256, dtype=torch.int32)[:, :, ::2]
    with pytest.raises(ValueError, match="must lie together"):
        repack_experts_in_place(apart, 64, 128, 4)


def test_fp8_is_read_as_it_lies() -> None:
    for wrong in (torch.zeros(4, 8), torch.zeros(8, dtype=torch.uint8), torch.zeros(2, 6, dtype=torch.uint8)):
        with pytest.raises(ValueError, match=r"FP8 weights"):
            fp8_words(wrong)
    with pytest.raises(ValueError, match="contiguous"):
        fp8_words(torch.zeros(8, 8, dtype=torch.uint8).t()[:, ::2])


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a card")
@pytest.mark.parametrize("bits", [4, 8])
def test_on_a_card_every_word_is_the_reference_s(bits: int) -> None:
    size_k, size_n, experts = 1536, 2048, 5
    shape = (experts, size_k * bits // 32, size_n)
    source = torch.randint(-(2**31), 2**31, shape, dtype=torch.int32, device="cuda")
    wanted = torch.stack([repack(one, size_k, size_n, bits) for one in source])
    assert torch.equal(repack_experts(source, size_k, size_n, bits), wanted)
    by_output = source.transpose(1, 2).contiguous().transpose(1, 2)
    assert torch.equal(repack_experts(by_output, size_k, size_n, bits), wanted)
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    repack_experts_in_place(by_output, size_k, size_n, bits)
    assert torch.cuda.max_memory_allocated() - before <= source.nbytes / experts + 512
