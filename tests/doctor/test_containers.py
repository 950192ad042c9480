"""Compose files and Kubernetes manifests: which servers they start, and with what."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu_gotchas.doctor.command.launch import Launch, read_commands
from gpu_gotchas.doctor.facts import Facts
from gpu_gotchas.doctor.readers.reader import UnreadableFile
from gpu_gotchas.doctor.readers.reading import read_text
from gpu_gotchas.records.settings import settings


def read(text: str, name: str = "paste.txt") -> Facts:
    return read_text(text, Path(name))


COMPOSE = """\
x-common: &common
  environment: {VLLM_BATCH_INVARIANT: 1}
services:
  db: {image: "postgres:17"}
  a:
    <<: *common
    image: vllm/vllm-openai:${TAG:-v0.24.0}
    command: --model org/a --dtype half
    shm_size: 16g
    deploy: {resources: {reservations: {devices: [{driver: nvidia, device_ids: ["0", "1"]}]}}}
  b:
    build: .
    entrypoint: ["python3", "-m", "sglang.launch_server"]
    command: ["--model-path", "org/b", "--tp", 2]
    environment: ["A=1", "B"]
  c:
    image: lmsysorg/sglang:v0.5.5
    entrypoint: /bin/sh -c
    command: ["vllm serve org/c && vllm serve org/d"]
"""
MANIFEST = """\
apiVersion: apps/v1
kind: Deployment
spec:
  template:
    spec:
      containers:
        - name: proxy
          image: nginx
        - name: server
          image: vllm/vllm-openai:v0.24.0
          args: ["--model", "org/a", "--tensor-parallel-size", "2"]
          env: [{name: VLLM_BATCH_INVARIANT, value: "1"}, {name: HF_TOKEN, valueFrom: {name: x}}]
          resources: {limits: {nvidia.com/gpu: 2}}
---
kind: Service
"""


def launches(text: str) -> list[Launch]:
    return [one for words in read(text).commands for one in read_commands(words, settings())]


def test_a_compose_file_s_services() -> None:
    a, b, c, d = launches(COMPOSE)
    assert (a.package, a.model, a.settings) == ("vllm", "org/a", {"dtype": "half"})
    assert (a.software, a.shared_memory) == ({"vllm": "0.24.0"}, 16 << 30)
    assert a.environment == {"VLLM_BATCH_INVARIANT": "1", "NVIDIA_VISIBLE_DEVICES": "0,1"}
    assert (b.package, b.model, b.settings) == ("sglang", "org/b", {"sglang_tp_size": "2"})
    assert (b.environment, b.container) == ({"A": "1"}, True)
    assert (c.model, d.model) == ("org/c", "org/d")
    assert read(COMPOSE).machine.platform == {"container": True, "linux": True}


def test_a_manifest_s_containers() -> None:
    (launch,) = launches(MANIFEST)
    assert (launch.model, launch.settings) == ("org/a", {"tensor_parallel_size": "2"})
    assert launch.software == {"vllm": "0.24.0"}
    assert launch.environment == {"VLLM_BATCH_INVARIANT": "1", "NVIDIA_VISIBLE_DEVICES": "0,1"}


@pytest.mark.parametrize(
    "text",
    [
        "services:\n  db: {image: postgres}\n",
        "services:\n  - x\n",
        "services:\n  a: [\n",
        "kind: Pod\nspec:\n  containers:\n  - 3\n",
        "services:\n" + "".join(f"  n{n}: &n{n} [*n{n - 1}, *n{n - 1}]\n" for n in range(1, 60)),
        "services:\n  a: " + "[" * 5000,
        "dependencies:\n  - pip:\n  - a=\n",
    ],
)
def test_a_file_of_containers_or_of_conda_that_says_nothing_is_refused(text: str) -> None:
    with pytest.raises(UnreadableFile, match="paste.txt"):
        read(text)
