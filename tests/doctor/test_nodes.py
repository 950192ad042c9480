"""Which card a manifest asks for, and that what is not read of it is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu_gotchas.doctor.readers.nodes import cards_of
from gpu_gotchas.doctor.readers.reading import read_text
from gpu_gotchas.doctor.wording import card_words

POD = """\
kind: Pod
spec:
  {}
  containers:
  - image: vllm/vllm-openai:v0.19.0
    args: [--model, m]
    resources: {{limits: {{nvidia.com/gpu: 2}}}}
"""
AFFINITY = """affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions:
          - {key: nvidia.com/gpu.product, operator: In, values: [NVIDIA-L4]}
          - {key: gpu, operator: Exists}
"""


def words(value: str) -> list[str]:
    cards, _ = cards_of([("nvidia.com/gpu.product", value)])
    return list(card_words(cards or ()))


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("NVIDIA-A100-SXM4-80GB", "NVIDIA A100-SXM4-80GB (sm_80, 80 GiB)"),
        ("NVIDIA-GeForce-RTX-3090-SHARED", "NVIDIA GeForce RTX 3090 (sm_86, 24 GiB)"),
        ("NVIDIA-H100-80GB-HBM3-MIG-1g.10gb", "NVIDIA H100 80GB HBM3 (sm_90, divided by MIG)"),
        ("nvidia-tesla-t4", "Tesla T4 (sm_75, 16 GiB)"),
        ("nvidia-tesla-a100", "NVIDIA A100 (sm_80)"),
        ("g5.xlarge", "NVIDIA A10G (sm_86, 24 GiB)"),
        ("AMD_Instinct_MI300X_OAM", "AMD Instinct MI300X (gfx942, 192 GiB)"),
    ],
)
def test_products_as_clusters_label_them(value: str, told: str) -> None:
    assert words(value) == [told]


@pytest.mark.parametrize("node", ["nodeSelector: {nvidia.com/gpu.product: NVIDIA-L4}", AFFINITY])
def test_a_manifest_tells_its_card(node: str) -> None:
    facts = read_text(POD.format(node), Path("pod.yaml"))
    assert list(card_words(facts.machine.cards or ())) == ["NVIDIA L4 (sm_89, 24 GiB)"]
    assert not facts.machine.count_known
    assert facts.notes == ()


def test_what_is_not_read_is_said() -> None:
    facts = read_text(POD.format("nodeSelector: {gpu: a100, kubernetes.io/os: linux}"), Path("pod.yaml"))
    assert facts.machine.cards is None
    assert facts.notes == ("not read: which nodes have gpu: a100; give the card with --as",)
    cards, notes = cards_of(
        [("nvidia.com/gpu.product", "NVIDIA-L4"), ("nvidia.com/gpu.product", "NVIDIA-A10")]
    )
    assert cards is None
    assert "different cards (NVIDIA A10, NVIDIA L4)" in notes[0]
    _, notes = cards_of([("nvidia.com/gpu.product", "Voodoo2")])
    assert "Voodoo2" in notes[0]
    cards, notes = cards_of(
        [("cloud.google.com/gke-accelerator", "nvidia-l4"), ("node.kubernetes.io/instance-type", "g2-x")]
    )
    assert (len(cards or ()), notes) == (1, ())
