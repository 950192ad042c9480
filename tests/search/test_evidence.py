from __future__ import annotations

import pytest

from gpu_gotchas.hardware.machine import Machine
from gpu_gotchas.search.evidence import facts, machine_with, merge


def target(*lines: str) -> str | None:
    machine = facts(lines)
    cards = (machine and machine.cards) or ()
    return cards[0].target.name if cards and cards[0].target else None


READ = {
    "compiling for sm_86": "sm_86",
    "gcnArchName: gfx942": "gfx942",
    "Compute capability: 8.9": "sm_89",
    "GPU 0: NVIDIA GeForce RTX 3090 (UUID: GPU-1)": "sm_86",
    "on my rtx 3090 ti": "sm_86",
    "2x RTX 4090, driver 570": "sm_89",
    # Triton
    "target=GPUTarget(backend='cuda', arch=90, warp_size=32)": "sm_90",
    "GPUTarget(backend='cuda', arch='sm_90', warp_size=32)": "sm_90",
    'GPUTarget("cuda", 86, 32)': "sm_86",
    "GPUTarget(backend='hip', arch='gfx942', warp_size=64)": "gfx942",
    '{"target": {"backend": "cuda", "arch": 120, "warp_size": 32}, "num_warps": 4}': "sm_120",
    "key: abc-cuda:86:32-def": "sm_86",
    "arch='sm_90'": "sm_90",
    "ptxas -v --gpu-name=sm_120a /tmp/x.ptx -o /tmp/x.cubin": "sm_120",
    "`ptxas` failed: --gpu-name=sm_121a": "sm_121",
    "code=sm_100f": "sm_100",
    # torch, vLLM, SGLang
    "RuntimeError: fused on capability 8.6": "sm_86",
    "torch.cuda.get_device_capability() = (8, 6)": "sm_86",
    "device capability (9, 0)": "sm_90",
    "cuda capability: 12.0": "sm_120",
    "DeviceCapability(major=8, minor=6)": "sm_86",
    "{'major': 8, 'minor': 6, 'multi_processor_count': 82}": "sm_86",
    "_CudaDeviceProperties(name='NVIDIA H100 80GB HBM3', major=9, minor=0, total_memory=81079MB)": "sm_90",
    "_CudaDeviceProperties(name='AMD Instinct', major=9, minor=4, gcnArchName='gfx942:sramecc+')": "gfx942",
    "NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with this PyTorch": "sm_120",
    "cuda:0 (NVIDIA GeForce RTX 3090)": "sm_86",
    "is not supported for the current GPU. Minimum capability: 75. Current capability: 61.": "sm_61",
    "needs compute capability 8.0. Your Tesla T4 GPU has compute capability 7.5.": "sm_75",
    "no config at E=64,N=1408,device_name=NVIDIA_GeForce_RTX_3090.json": "sm_86",
    "no config at E=8,N=14336,device_name=NVIDIA_A100-SXM4-80GB,dtype=fp8_w8a8.json": "sm_80",
    # tools
    "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-": "gfx942",
    "GPU 0: NVIDIA H100 80GB HBM3": "sm_90",
    "|   0  NVIDIA L40S                    On  |   00000000:01:00.0 Off |": "sm_89",
    "Device 0: NVIDIA GeForce RTX 3090, compute capability 8.6, VMM: yes": "sm_86",
    "NVIDIA A10, 8.6": "sm_86",
    # as people write them
    "on an RTX4090": "sm_89",
    "my rtx-4090": "sm_89",
    "2xH100": "sm_90",
    "4x RTX 3090": "sm_86",
    "NVIDIA-H100-80GB-HBM3": "sm_90",
    "a card of SM90": "sm_90",
    "NVIDIA DGX Spark": "sm_121",
    "RTX PRO 6000 Blackwell Server Edition": "sm_120",
    "RTX 4060 Laptop GPU": "sm_89",
    "Tested on H100 only": "sm_90",
    "NVIDIA GeForce RTX 3090: FP8 needs compute capability 8.9": "sm_86",
}
"""How programs say what card is there: each line with what is read of it."""

NOT_READ = (
    # what would be needed, or is built for
    "this kernel requires sm_90",
    "needs compute capability 8.9",
    "FP8 is only there on sm_89",
    "supported architectures: sm_80",
    "your GPU needs a capability of 8.9",
    "capability 8.9+ has it",
    "below compute capability 8.9 there is none",
    "compute capability < 8.9",
    "capability 8.9 or later",
    "only on NVIDIA GeForce RTX 4090",
    "this needs an H100",
    "arch list: sm_80 sm_90",
    "using SM90 kernels",
    "TORCH_CUDA_ARCH_LIST=8.6",
    "-gencode arch=compute_90",
    "HSA_OVERRIDE_GFX_VERSION=10.3.0",
    # names of code, and numbers of other things
    "cutlass_3x_gemm_sm90_fp8",
    "libsm_86x.so",
    "Required: 147456, Hardware limit: 101376",
    "some RTX 9999 of tomorrow",
    "sys.version_info(major=3, minor=9, micro=3)",
    "version(major=3, minor=9, micro=1)",
    "torch.device('cuda', 80)",
    "capability 8.6.1.2",
    "moved to cuda:0",
)


@pytest.mark.parametrize(("line", "name"), READ.items())
def test_targets_and_cards_are_read(line: str, name: str) -> None:
    assert target(line) == name


@pytest.mark.parametrize("line", NOT_READ)
def test_needs_and_strangers_are_no_facts(line: str) -> None:
    assert target(line) is None


@pytest.mark.parametrize(
    ("lines", "either"),
    [
        (("built for sm_80", "built for sm_90"), {"sm_80", "sm_90"}),
        (("RTX 3090 and RTX 4090",), {"sm_86", "sm_89"}),
        (("RTX 3090", "running as sm_90"), {"sm_86", "sm_90"}),
    ],
)
def test_two_answers_are_both_kept(lines: tuple[str, ...], either: set[str]) -> None:
    machine = facts(lines)
    assert machine is not None
    assert machine.cards is None
    assert {card.target.name for card in machine.either_cards if card.target} == either


def test_a_card_and_its_target_are_one_answer() -> None:
    assert target("RTX 3090", "running as sm_86") == "sm_86"


@pytest.mark.parametrize(
    ("line", "package", "version"),
    [
        ("vLLM API server version 0.19.1", "vllm", "0.19.1"),
        ("torch==2.9.0+cu126", "torch", "2.9.0+cu126"),
        ("triton                   3.4.0", "triton", "3.4.0"),
        ("vllm 0.20.0rc1", "vllm", "0.20.0rc1"),
        ("sglang: 0.5.1.post2", "sglang", "0.5.1.post2"),
        ("Initializing a V1 LLM engine (v0.25.0) with config: model='m'", "vllm", "0.25.0"),
        ("vLLM Version                 : 0.25.0", "vllm", "0.25.0"),
        ("image: vllm/vllm-openai:v0.25.0", "vllm", "0.25.0"),
        ("lmsysorg/sglang:v0.5.5-cu126", "sglang", "0.5.5"),
        ("pytorch/pytorch:2.9.0-cuda12.8", "torch", "2.9.0"),
        ("PyTorch version: 2.9.0+cu128", "torch", "2.9.0+cu128"),
        ("vllm-0.25.0", "vllm", "0.25.0"),
        ("vllm-0.25.0+cu129-cp38-abi3-manylinux1_x86_64.whl", "vllm", "0.25.0+cu129"),
        ("site-packages/triton-3.4.0.dist-info", "triton", "3.4.0"),
        ('"vllm": "0.25.0",', "vllm", "0.25.0"),
        ("torch.__version__ = '2.9.0'", "torch", "2.9.0"),
        ("flashinfer-python==0.6.1", "flashinfer", "0.6.1"),
        ("| vllm | 0.25.0 |", "vllm", "0.25.0"),
        ("vllm version is 0.25.0", "vllm", "0.25.0"),
        ("vllm (0.25.0)", "vllm", "0.25.0"),
        ("VLLM_VERSION=0.25.0", "vllm", "0.25.0"),
        ("I run vllm 0.25.0.", "vllm", "0.25.0"),
        ("vllm 0.25.1rc1.dev34+gabc123", "vllm", "0.25.1rc1.dev34+gabc123"),
    ],
)
def test_versions_are_read(line: str, package: str, version: str) -> None:
    machine = facts([line])
    assert machine is not None
    assert machine.software == {package: version}


def test_a_version_of_pip_show_is_read() -> None:
    machine = facts(["Name: vllm", "Version: 0.25.0", "Summary: x", "Version: 9.9.9"])
    assert machine is not None
    assert machine.software == {"vllm": "0.25.0"}


@pytest.mark.parametrize("line", ["vllm 0.25.x", "vllm>=0.25.0", "torchvision 0.24.0"])
def test_what_is_no_version_is_not_read(line: str) -> None:
    assert facts([line]) is None


def test_two_versions_are_both_kept() -> None:
    machine = facts(["vllm 0.19.1", "vllm 0.20.0"])
    assert machine is not None
    assert machine.software == {}
    assert machine.either_software == {"vllm": ("0.19.1", "0.20.0")}


def test_a_version_and_its_build_are_one() -> None:
    machine = facts(["vllm 0.25.0", "vllm==0.25.0+cu129"])
    assert machine is not None
    assert machine.software == {"vllm": "0.25.0+cu129"}


def test_lines_without_facts_say_nothing() -> None:
    assert facts(["type fp8e4nv not supported in this architecture"]) is None


def test_what_is_known_is_never_overruled() -> None:
    known, read = (
        machine_with("sm_86"),
        Machine(cards=machine_with("sm_90").cards, software={"vllm": "0.19.1"}),
    )
    both = merge(known, read)
    assert both is not None
    assert both.cards == known.cards
    assert both.software == {"vllm": "0.19.1"}
    assert merge(None, None) is None


def test_a_text_that_names_a_card_does_not_say_how_many_there_are() -> None:
    read, asked = facts(["GPU 0: NVIDIA GeForce RTX 3090"]), machine_with("sm_86")
    assert read is not None
    assert not read.count_known
    assert not asked.count_known
    two = Machine(cards=asked.cards)
    filled_up, kept = merge(Machine(), read), merge(two, read)
    assert filled_up is not None
    assert kept is not None
    assert not filled_up.count_known
    assert kept.count_known
