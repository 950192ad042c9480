"""What follows from command, model and cards together."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.doctor.command.launch import read_commands
from gpu_gotchas.doctor.derived import derived
from gpu_gotchas.doctor.facts import Facts
from gpu_gotchas.doctor.situation import Situation, situation
from gpu_gotchas.hardware.description import described_machine
from gpu_gotchas.hardware.machine import Machine
from gpu_gotchas.records.settings import settings

ONE = described_machine("sm_90")
RANKS = ("tensor_parallel_size", "pipeline_parallel_size", "data_parallel_size")


def machine(count: int) -> Machine:
    return replace(ONE, cards=(ONE.cards or ()) * count)


def asked(text: str, cards: int = 2, base: Path | None = None) -> Situation:
    (launch,) = read_commands(("sh", "-c", text), settings())
    return situation(Facts(machine(cards)), launch, settings(), base)


def fact(name: str, text: str, cards: int = 2, base: Path | None = None) -> str | None:
    found = asked(text, cards, base)
    return found.machine.settings.get(name, found.defaults.get(name))


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("vllm serve m", "false"),
        ("vllm serve m -tp 2", "true"),
        ("vllm serve m --tensor-parallel-size=2 -pp 2", "true"),
        ("vllm serve m -pp 2", None),
        ("vllm serve m -dp 2", None),
        ("vllm serve m -tp many", None),
        ("vllm serve m --config away.yaml", None),
        ("python -m sglang.launch_server --model-path m", "false"),
        ("python -m sglang.launch_server --model-path m --tp 2", "true"),
        ("python -m sglang.launch_server --model-path m --dp-size 2", None),
    ],
)
def test_whether_cards_share_a_model(text: str, spans: str | None) -> None:
    assert fact("spans_gpus", text) == spans


@pytest.mark.parametrize(
    ("text", "cards", "missing"),
    [
        ("vllm serve m -tp 2", 2, "false"),
        ("vllm serve m -tp 4", 2, "true"),
        ("vllm serve m -tp 2 -pp 2", 2, "true"),
        ("vllm serve m -tp 4 --nnodes 2", 2, None),
        ("vllm serve m -tp 4 --distributed-executor-backend ray", 2, None),
        ("CUDA_VISIBLE_DEVICES=0 vllm serve m -tp 2", 2, "true"),
        ("CUDA_VISIBLE_DEVICES=GPU-aaaa,GPU-bbbb vllm serve m -tp 2", 4, "false"),
    ],
)
def test_whether_more_cards_are_asked_for_than_there_are(text: str, cards: int, missing: str | None) -> None:
    assert fact("gpus_missing", text, cards) == missing
    noted = any("GPUs, and the machine has" in note for note in asked(text, cards).notes)
    assert noted is (missing == "true")


def test_how_many_cards_there_are_must_be_known() -> None:
    (launch,) = read_commands(("vllm", "serve", "m", "-tp", "4"), settings())
    where = situation(Facts(replace(ONE, count_known=False)), launch, settings())
    assert "gpus_missing" not in {**where.machine.settings, **where.defaults}


def test_heads_are_shared_among_the_cards_of_a_layer(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"num_attention_heads": 40, "hidden_size": 5120}))
    for ranks, left_over, each in ((3, "true", None), (4, "false", "10")):
        text = f"vllm serve {tmp_path} -tp {ranks}"
        assert fact("heads_left_over", text, base=tmp_path) == left_over
        assert fact("heads_per_gpu", text, base=tmp_path) == each
    assert fact("heads_left_over", "vllm serve m -tp 3") is None


@pytest.mark.parametrize(
    ("config", "ranks", "square"),
    [
        ({"num_attention_heads": 32, "hidden_size": 4096}, 1, "true"),
        ({"num_attention_heads": 32, "hidden_size": 4096, "head_dim": 128}, 1, "true"),
        ({"num_attention_heads": 32, "hidden_size": 4096}, 2, None),
        ({"num_attention_heads": 32, "hidden_size": 2560, "head_dim": 128}, 1, None),
        (
            {"num_attention_heads": 32, "hidden_size": 18432, "kv_lora_rank": 512, "qk_rope_head_dim": 64},
            1,
            None,
        ),
    ],
)
def test_a_square_output_projection(
    tmp_path: Path, config: dict[str, int], ranks: int, square: str | None
) -> None:
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert fact("square_layers", f"vllm serve {tmp_path} -tp {ranks}", base=tmp_path) == square


@pytest.mark.parametrize(
    ("text", "used"),
    [
        ("vllm serve m", "false"),
        ('vllm serve m --kv-transfer-config \'{"kv_connector":"NixlConnector"}\'', "true"),
        ("vllm serve m --kv-offloading-size 16", "true"),
        ("vllm serve m --config away.yaml", None),
    ],
)
def test_a_connector(text: str, used: str | None) -> None:
    assert fact("kv_connector_used", text) == used


@given(
    st.fixed_dictionaries({name: st.integers(1, 4).map(str) for name in RANKS}),
    st.integers(1, 8),
    st.sets(st.sampled_from(RANKS)),
    st.booleans(),
)
def test_learning_more_never_overturns_what_follows(
    full: dict[str, str], count: int, forgotten: set[str], counted: bool
) -> None:
    part = {name: value for name, value in full.items() if name not in forgotten}
    less = replace(machine(count), count_known=counted)
    model = {"heads": "40", "hidden_size": "5120", "head_size": "128", "attention": "standard"}
    after = derived("vllm", full, machine(count), model)
    assert derived("vllm", part, less, model).items() <= after.items()
    assert derived("vllm", part, less, {}).items() <= after.items()


def test_the_kind_of_card_is_known_where_all_are_of_one() -> None:
    two = (*(described_machine("nvidia-t4").cards or ()), *(described_machine("nvidia-l4").cards or ()))
    for cards, kind in ((two[:1] * 2, "nvidia-t4"), (two, None), (None, None)):
        assert derived(None, {}, Machine(cards=cards), {}).get("card") == kind
    assert "card" not in derived(None, {}, described_machine("sm_75"), {})


def test_a_method_that_takes_one_kind_of_checkpoint_tells_it() -> None:
    assert fact("model_quantization", "vllm serve m --quantization gptq_marlin") == "gptq"
    assert fact("model_quantization", "vllm serve m --quantization fp8") is None
