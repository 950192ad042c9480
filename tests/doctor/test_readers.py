"""Files that people paste: found out by content, bounded, and never trusted."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.doctor.command.launch import read_commands
from gpu_gotchas.doctor.facts import Facts
from gpu_gotchas.doctor.readers.reader import Text, UnreadableFile
from gpu_gotchas.doctor.readers.reading import MAX_BYTES, READERS, read_file, read_text
from gpu_gotchas.records.settings import settings

REQUIREMENTS = """\
# pinned
--extra-index-url https://example.org/simple
vllm[audio]==0.19.1 ; python_version < "3.14"
torch==2.9.0+cu128 \\
    --hash=sha256:0123
transformers>=4.50
flash_attn == 2.8.3  # built here
https://example.org/flashinfer_python-0.5.0-py3-none-any.whl
numpy==1.26.4 ; python_version < "3.12"
numpy==2.1.0 ; python_version >= "3.12"
"""
FREEZE = "vllm==0.19.1\npytorch-triton-rocm==3.5.1\nsgl_kernel==0.3.17\n"
PIP_LIST = """\
Package                           Version
--------------------------------- -------------
torch                             2.7.0
triton                            3.3.0
vllm                              0.9.1           /editable/place
"""
UV_LOCK = """\
version = 1
requires-python = ">=3.12"

[[package]]
name = "vllm"
version = "0.20.0"
source = { registry = "https://example.org/simple" }

[[package]]
name = "nvidia-cuda-runtime-cu12"
version = "12.8.90"

[[package]]
name = "torch"
version = "2.9.0"
[[package]]
name = "torch"
version = "2.9.0+cpu"
"""
PYPROJECT = '[project]\nname = "x"\ndependencies = ["vllm==0.20.0", "torch>=2.8"]\n'
DOCKERFILE = """\
# syntax=docker/dockerfile:1
ARG VLLM=v0.19.1
FROM python:3.12 AS build
RUN pip install triton==1.0
FROM vllm/vllm-openai:${VLLM} AS serve
ENV VLLM_ATTENTION_BACKEND=TRITON_MLA \\
    A="b c"
ENV OLD style
RUN pip install --no-cache-dir \\
    # why
    flashinfer-python==0.5.0 'triton==3.5.1' \\
 && rm -rf /x
FROM serve
ENTRYPOINT ["vllm", "serve"]
CMD ["some/model", "--kv-cache-dtype", "fp8"]
"""
CSV = """\
index, name, memory.total [MiB], driver_version, compute_cap, mig.mode.current
0, NVIDIA A100-SXM4-40GB, 40960 MiB, 535.129.03, 8.0, Enabled
1, NVIDIA L4, 23034 MiB, 535.129.03, 8.9, [N/A]
"""
LISTED = "GPU 0: NVIDIA L4 (UUID: GPU-0)\nGPU 1: NVIDIA L4 (UUID: GPU-1)\n"
ROCM_SMI = '{"card0": {"Card Series": "AMD Radeon AI PRO R9700", "GFX Version": "gfx1201"}}'
AMD_SMI = (
    '[{"gpu": 0, "asic": {"market_name": "AMD Instinct MI300X", "target_graphics_version": "gfx942"}, '
    '"vram": {"size": {"value": 196592, "unit": "MB"}}}]'
)
MIG = """\
PyTorch version: 2.7.0+cu128
GPU models and configuration: GPU 0: NVIDIA H100 80GB HBM3
  MIG 3g.40gb     Device  0:
Nvidia driver version: 570.124.06
"""
VARIABLES = """\
PyTorch version              : 2.7.0+cu128
vLLM Version                 : 0.10.0
==============================
     Environment Variables
==============================
VLLM_ATTENTION_BACKEND=TRITON_MLA
NCCL_P2P_DISABLE=1
"""


def read(text: str, name: str = "paste.txt") -> Facts:
    return read_text(text, Path(name))


@pytest.mark.parametrize(
    ("text", "software", "absent"),
    [
        (
            REQUIREMENTS,
            {
                "vllm": "0.19.1",
                "torch": "2.9.0+cu128",
                "cuda-runtime": "12.8",
                "flash-attn": "2.8.3",
                "flashinfer-python": "0.5.0",
            },
            ("transformers", "numpy"),
        ),
        (FREEZE, {"vllm": "0.19.1", "triton": "3.5.1", "sgl-kernel": "0.3.17"}, ()),
        (PIP_LIST, {"torch": "2.7.0", "triton": "3.3.0", "vllm": "0.9.1"}, ("package",)),
        (UV_LOCK, {"vllm": "0.20.0", "cuda-runtime": "12.8"}, ("torch",)),
        (PYPROJECT, {"vllm": "0.20.0"}, ("torch",)),
        (DOCKERFILE, {"vllm": "0.19.1", "triton": "3.5.1", "flashinfer-python": "0.5.0"}, ()),
    ],
    ids=["requirements", "freeze", "pip-list", "uv-lock", "pyproject", "dockerfile"],
)
def test_pins(text: str, software: dict[str, str], absent: tuple[str, ...]) -> None:
    found = read(text).machine.software
    assert {name: found.get(name) for name in software} == software
    assert not set(absent) & set(found)


def test_a_dockerfile_s_variables_and_command() -> None:
    facts = read(DOCKERFILE)
    assert facts.environment == {"VLLM_ATTENTION_BACKEND": "TRITON_MLA", "A": "b c", "OLD": "style"}
    assert facts.commands == (("vllm", "serve", "some/model", "--kv-cache-dtype", "fp8"),)
    assert facts.image is None, "it brings an entrypoint of its own"
    assert read(DOCKERFILE.replace("ENTRYPOINT", "LABEL")).image == "vllm/vllm-openai:v0.19.1"
    assert facts.machine.platform == {"container": True, "linux": True}


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        (CSV, [("nvidia-a100-sxm4-40gb", True), ("nvidia-l4", None)]),
        (LISTED, [("nvidia-l4", None)] * 2),
        (ROCM_SMI, [("amd-radeon-ai-pro-r9700", None)]),
        (AMD_SMI, [("amd-mi300x", None)]),
        (MIG, [("nvidia-h100-sxm5", True)]),
    ],
    ids=["csv", "list", "rocm-smi", "amd-smi", "mig"],
)
def test_cards(text: str, cards: list[tuple[str, bool | None]]) -> None:
    found = read(text).machine.cards
    assert found is not None
    assert [(card.gpu, card.mig) for card in found] == cards


def test_variables_that_collect_env_lists() -> None:
    facts = read(VARIABLES)
    assert facts.environment == {"VLLM_ATTENTION_BACKEND": "TRITON_MLA", "NCCL_P2P_DISABLE": "1"}
    assert "VLLM_" in facts.seen
    assert read(VARIABLES.partition("=====")[0]).seen == (), "an older one lists none, which says nothing"


def test_several_reports_in_one_paste_fill_each_other_up() -> None:
    facts = read(f"### My machine\n{LISTED}\nand\n\n{VARIABLES}")
    assert facts.told_by == ("output of collect_env", "output of nvidia-smi")
    assert facts.machine.cards is not None
    assert facts.machine.software["vllm"] == "0.10.0"


def test_a_broken_part_does_not_spoil_the_rest() -> None:
    facts = read(f'{VARIABLES}\n{{"card0": "Card"}}\n')
    assert facts.machine.software["vllm"] == "0.10.0"


def test_utf_16_as_a_windows_shell_writes_it(tmp_path: Path) -> None:
    path = tmp_path / "freeze.txt"
    path.write_bytes(FREEZE.encode("utf-16"))
    assert read_file(path).machine.software["vllm"] == "0.19.1"


def test_a_bad_description_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "machine.yaml"
    path.write_text("software: {vllm: '0.20.0'}\ncards:\n  - {gpu: nvidia-a5000}\n")
    with pytest.raises(UnreadableFile, match=r"machine.yaml:3: .*did you mean nvidia-rtx-a5000"):
        read_file(path)


HOSTILE = {
    "empty": b"",
    "binary": bytes(range(256)) * 10,
    "half a JSON": b'{"card0": {"Card Series": "AMD',
    "deep": b"[" * 100_000,
    "a deep description": b"cards: " + b"[" * 5000,
    "one endless line": b"GPU 0: " + b"x" * 200_000,
    "only labels": b"PyTorch version:\nGPU models and configuration:\n",
    "control characters": b"PyTorch version: \x1b[31m9\nGPU models and configuration: GPU 0: \x1b]0;x\x07\n",
    "broken TOML": b"[[package]]\nname = \n",
    "prose": b"It does not work on my card, please help.\n",
    "an image that is none": b"FROM\n",
    "a log": b"INFO 11-30 10:00:00 [api_server.py:1] vLLM API server version 0.20.0\n" * 50,
    "a bomb of anchors": b"cards: &a [*a, *a]\nsoftware: *a\n",
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_files_are_refused_with_their_name(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "hostile"
    path.write_bytes(content)
    with pytest.raises(UnreadableFile, match="hostile"):
        read_file(path)


def test_a_file_that_is_too_large_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES * 12)
    with pytest.raises(UnreadableFile, match="cut it down"):
        read_file(path)


def test_a_folder_and_a_missing_file(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing", Path("nul\x00name")):
        with pytest.raises(UnreadableFile, match="cannot be read"):
            read_file(path)


FRAGMENTS = (
    *(line for text in (REQUIREMENTS, DOCKERFILE, CSV, VARIABLES, MIG) for line in text.split("\n")),
    *(
        "services:",
        "  a:",
        "    image: vllm",
        "kind: Pod",
        "  containers:",
        "dependencies:",
        "  - pip:",
        "#!/bin/sh",
    ),
    *("NVIDIA-SMI 1 Driver Version: 2", "|   0  NVIDIA L4   Off |", "| 1 / 2MiB |", "GPU7 x"),
    *("HSA Agents", "Device Type: GPU", "*******", "Agent 2", "  Name: gfx", "GPU[0] : Card series: x"),
    *('"card0"', "sglang: 1", "PyTorch: 2", "GPU 0,1: x", "cards:", "software:", "[[package]]"),
    "Package Version",
)


@given(st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=30), max_size=25).map("\n".join))
def test_no_text_raises_anything_else(text: str) -> None:
    try:
        facts = read(text, "missing.yaml")
    except UnreadableFile as error:
        assert error.problems
    else:
        assert facts.told_by


@given(st.text(max_size=300))
def test_recognising_never_raises(text: str) -> None:
    for reader in READERS:
        reader.recognises(Text(text, Path("x")))


def test_nvidia_smi_q() -> None:
    card = """GPU 00000000:0{}:00.0
    Product Name                          : NVIDIA GeForce RTX 3090
    Product Brand                         : GeForce
    MIG Mode
        Current                           : {}
    FB Memory Usage
        Total                             : 24576 MiB
        Used                              : 1 MiB
    BAR1 Memory Usage
        Total                             : 256 MiB
"""
    head = """==============NVSMI LOG==============
Driver Version                            : 580.95.05
CUDA Version                              : 13.0
Attached GPUs                             : 2
"""
    told = read_text(head + card.format(1, "N/A") + card.format(2, "Enabled"), Path("q.txt"))
    assert told.told_by == ("output of nvidia-smi -q",)
    assert [(one.gpu, one.memory, one.mig) for one in told.machine.cards or ()] == [
        ("nvidia-rtx-3090", 24576 << 20, None),
        ("nvidia-rtx-3090", 24576 << 20, True),
    ]
    assert told.machine.count_known
    assert told.machine.software == {"nvidia-driver": "580.95.05"}
    cut = read_text(head + card.format(1, "N/A"), Path("q.txt")).machine
    assert (len(cut.cards or ()), cut.count_known) == (1, False)


INSTALLED = """\
ARG VLLM_VERSION=0.19.1
FROM vllm/vllm-openai:v${VLLM_VERSION} AS base
FROM base
ARG VLLM_VERSION
ARG NEWER=0.20.0
RUN --mount=type=cache,target=/cache pip install "vllm==${NEWER}" && uv pip install torch==2.9.0+cu129
RUN <<EOF
pip uninstall -y flash-attn
pip install transformers==4.57.0
EOF
"""


def test_a_dockerfile_s_commands_take_effect_in_their_turn() -> None:
    software = read(INSTALLED).machine.software
    assert software["vllm"] == "0.20.0"
    assert (software["torch"], software["cuda-runtime"]) == ("2.9.0+cu129", "12.9")
    assert software["transformers"] == "4.57.0"
    gone = read(f"{INSTALLED}RUN pip uninstall -y vllm\n").machine.software
    assert gone["vllm"] is None
    assert "flash-attn" not in software, "what is installed later may bring it back"
    assert read("FROM vllm/vllm-openai:${TAG:-v0.24.0}\n").machine.software["vllm"] == "0.24.0"
    assert (
        read("FROM a/b\nRUN pip install vllm==0.1.0\nRUN pip install -U vllm\nENV A=1\n").machine.software
        == {}
    )
    assert read('FROM a/b\nRUN ["pip", "install", "vllm==0.19.1"]\n').machine.software == {"vllm": "0.19.1"}


@pytest.mark.parametrize(
    ("ends", "models"),
    [
        ('CMD ["vllm", "serve", "a"]', ["a"]),
        ("CMD vllm serve a # vllm serve b", ["a"]),
        ("CMD vllm serve a && vllm serve b", ["a", "b"]),
        ('ENTRYPOINT vllm serve a\nCMD ["--dtype", "half"]', ["a"]),
        ('CMD ["x"]\nENTRYPOINT ["vllm", "serve"]', [None]),
        ('ENTRYPOINT ["/bin/bash", "-c"]\nCMD ["vllm serve a; vllm serve b"]', ["a", "b"]),
    ],
)
def test_what_a_dockerfile_ends_in(ends: str, models: list[str | None]) -> None:
    facts = read(f"FROM a/b\n{ends}\n")
    assert [one.model for words in facts.commands for one in read_commands(words, settings())] == models
