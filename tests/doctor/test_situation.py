"""Machine, variables, command and model put together."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.doctor.command.launch import read_commands
from gpu_gotchas.doctor.facts import Facts, merged
from gpu_gotchas.doctor.model_folder import ModelError, read_model_folder
from gpu_gotchas.doctor.situation import Situation, situation
from gpu_gotchas.hardware.description import described_machine
from gpu_gotchas.hardware.machine import Host, Machine
from gpu_gotchas.records.settings import settings

LLAMA = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "torch_dtype": "float16",
    "hidden_size": 4096,
    "num_attention_heads": 32,
}
KV_SCHEME = {"kv_cache_scheme": {"num_bits": 8, "type": "float"}, "quant_method": "compressed-tensors"}


def model(folder: Path, config: Any = LLAMA) -> str:
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(config if isinstance(config, str) else json.dumps(config))
    return str(folder)


def found(words: list[str], facts: Facts | None = None, base: Path | None = Path()) -> Situation:
    (launch,) = read_commands(["vllm", "serve", *words], settings()) if words else (None,)
    return situation(facts or Facts(), launch, settings(), base)


def there(where: Situation) -> dict[str, str | None]:
    """What is there of software, without what the launch leaves out."""
    return {name: version for name, version in where.machine.software.items() if version is not None}


def test_programs_that_are_not_started_are_not_met() -> None:
    left_out = found(["m"], Facts(Machine(software={"lmdeploy": "0.6"}))).machine.software
    assert (left_out["ollama"], left_out["sglang"], left_out["lmdeploy"]) == (None, None, "0.6")
    assert "ollama" not in found([]).machine.software


def test_without_a_command_only_variables_that_are_set_are_known() -> None:
    facts = Facts(environment={"VLLM_BATCH_INVARIANT": "1", "HOME": "/x"}, seen=("",))
    where = found([], facts)
    assert where.machine.settings == {"VLLM_BATCH_INVARIANT": "1"}
    assert where.defaults == {}


def test_what_a_command_does_not_set_is_at_its_default() -> None:
    where = found(["m", "--dtype", "half"])
    assert where.machine.settings == {"dtype": "half"}
    assert where.defaults["kv_cache_dtype"] == "auto"
    assert "dtype" not in where.defaults
    assert "sglang_dtype" not in where.defaults
    assert "VLLM_BATCH_INVARIANT" not in where.defaults, "nobody looked at the variables"
    assert "gpu_memory_utilization" not in where.defaults, "it has no default that holds everywhere"


def test_a_variable_is_unset_only_where_it_was_looked_for() -> None:
    where = found(["m"], Facts(seen=("VLLM_",)))
    assert where.defaults["VLLM_BATCH_INVARIANT"] == "0"
    assert "TRITON_INTERPRET" not in where.defaults


def test_a_flag_outweighs_its_variable_and_the_command_the_environment() -> None:
    older = Machine(software={"vllm": "0.14.1"}, described=True)
    facts = Facts(older, environment={"VLLM_ATTENTION_BACKEND": "FLASHINFER"})
    assert found(["m"], facts).machine.settings["attention_backend"] == "FLASHINFER"
    where = found(["m", "--attention-backend", "TRITON_MLA"], facts)
    assert where.machine.settings["attention_backend"] == "TRITON_MLA"


def test_an_image_outweighs_what_the_host_has() -> None:
    words = ["docker", "run", "--shm-size", "1g", "vllm/vllm-openai:v0.19.1", "--model", "m"]
    facts = Facts(
        Machine(software={"vllm": "0.33.0", "nvidia-driver": "580.65.06"}, host=Host(shared_memory=5))
    )
    where = situation(facts, *read_commands(words, settings()), settings())
    assert there(where) == {
        "vllm": "0.19.1",
        "nvidia-driver": "580.65.06",
        **where.pinned,
    }
    assert where.machine.software["sglang"] is None
    assert where.pinned["triton"] == "3.6.0"
    assert where.machine.platform["container"]
    assert where.machine.host.shared_memory == 1 << 30


def test_releases_tell_the_rest_only_of_a_machine_that_was_described() -> None:
    stated = {"vllm": "0.24.0"}
    where = found(["m"], Facts(Machine(software=stated, described=True)))
    assert there(where) == {**stated, **where.pinned}
    assert where.pinned["torch"] == "2.11.0"
    here = found(["m"], Facts(Machine(software=stated)))
    assert there(here) == stated
    assert not here.pinned


AWQ = {"quant_method": "awq", "bits": 4, "group_size": 32}
FLOAT8, FLOAT4 = {"num_bits": 8, "type": "float"}, {"num_bits": 4, "type": "float", "group_size": 16}


def compressed(*weights: dict[str, Any], **more: Any) -> dict[str, Any]:
    groups = {f"group_{number}": {"weights": each} for number, each in enumerate(weights)}
    return {"quant_method": "compressed-tensors", "config_groups": groups, **more}


@pytest.mark.parametrize(
    ("quantised", "experts", "weight", "expert"),
    [
        (None, 0, "none", "absent"),
        (None, 1, "none", "absent"),
        (None, 8, "none", "none"),
        ({"quant_method": "fp8"}, 8, "fp8", "fp8"),
        ({"quant_method": "fp8", "weight_block_size": [128, 128]}, 8, "fp8_block", "fp8_block"),
        (AWQ, 0, "int4", "absent"),
        ({"quant_method": "gptq", "bits": 3}, 8, None, None),
        ({"quant_method": "mxfp4"}, 8, "none", "mxfp4"),
        ({"quant_method": "modelopt", "quant_algo": "NVFP4"}, 8, "nvfp4", "nvfp4"),
        ({"quant_method": "modelopt", "quant_algo": "MIXED_PRECISION"}, 8, None, None),
        (compressed({**FLOAT8, "strategy": "channel"}), 8, "fp8", "fp8"),
        (compressed({**FLOAT8, "strategy": "block"}), 8, "fp8_block", "fp8_block"),
        (compressed(FLOAT4), 8, "nvfp4", "nvfp4"),
        (compressed(FLOAT4, FLOAT8), 8, None, None),
        (compressed(FLOAT4, ignore=["re:.*mlp.gate$", "lm_head"]), 8, "nvfp4", "nvfp4"),
        (compressed(FLOAT4, ignore=["re:.*mlp.experts.*"]), 8, "nvfp4", None),
        (compressed(FLOAT4, ignore=[3]), 8, "nvfp4", None),
        ({"quant_method": "fp8", "modules_to_not_convert": "x"}, 8, "fp8", "fp8"),
    ],
)
def test_how_a_checkpoint_stores_its_weights(
    tmp_path: Path, quantised: Any, experts: int, weight: str | None, expert: str | None
) -> None:
    config = {**LLAMA, **({"quantization_config": quantised} if quantised else {})}
    told = read_model_folder(Path(model(tmp_path / "m", {**config, "num_experts": experts})))
    assert (told.get("weight_format"), told.get("expert_format")) == (weight, expert)
    assert told["experts"] == ("true" if experts > 1 else "false")


def test_what_modelopt_writes_beside_config_json_counts_too(tmp_path: Path) -> None:
    folder = Path(model(tmp_path / "m"))
    beside = {"quantization": {"quant_algo": "NVFP4", "kv_cache_quant_algo": "FP8", "group_size": 16}}
    (folder / "hf_quant_config.json").write_text(json.dumps(beside))
    told = read_model_folder(folder)
    assert (told["quantization"], told["weight_format"], told["kv_cache"]) == ("modelopt", "nvfp4", "fp8")
    assert told["group_size"] == "16"


def test_gated_delta_nets_are_told_by_their_sizes(tmp_path: Path) -> None:
    sizes = {"linear_num_value_heads": 32, "linear_conv_kernel_dim": 4}
    for number, (more, told) in enumerate(((sizes, "true"), ({}, "false"), ({"mamba_d_state": 128}, None))):
        folder = Path(model(tmp_path / str(number), {**LLAMA, **more}))
        assert read_model_folder(folder).get("gated_delta_net") == told


def test_a_model_s_folder_decides_what_auto_comes_to(tmp_path: Path) -> None:
    where = found([model(tmp_path / "m")])
    assert where.machine.settings["dtype"] == "float16"
    assert where.machine.settings["kv_cache_dtype"] == "float16"
    assert where.machine.settings["model_layers"] == "uniform"
    assert found([str(tmp_path / "m"), "--dtype", "bfloat16"]).machine.settings["dtype"] == "bfloat16"
    assert "dtype" not in found([str(tmp_path / "m")], base=None).machine.settings, (
        "no folder may be looked at"
    )
    assert "dtype" not in found(["org/model"]).machine.settings


def test_a_checkpoint_names_its_own_cache_type(tmp_path: Path) -> None:
    where = found([model(tmp_path / "m", {**LLAMA, "quantization_config": KV_SCHEME})])
    assert where.machine.settings["kv_cache_dtype"] == "fp8"
    assert where.machine.settings["model_quantization"] == "compressed-tensors"


@pytest.mark.parametrize(
    "config",
    [
        {**LLAMA, "torch_dtype": "float32"},
        {**LLAMA, "torch_dtype": "complex64"},
        {**LLAMA, "architectures": ["BertModel"]},
        {**LLAMA, "torch_dtype": None},
    ],
)
def test_what_the_card_or_the_use_decides_stays_open(tmp_path: Path, config: Any) -> None:
    assert "dtype" not in found([model(tmp_path / "m", config)]).machine.settings


@pytest.mark.parametrize(
    ("config", "facts"),
    [
        (
            LLAMA,
            {
                "architecture": "LlamaForCausalLM",
                "dtype": "float16",
                "head_size": "128",
                "attention": "standard",
            },
        ),
        ({**LLAMA, "head_dim": 256}, {"head_size": "256"}),
        ({"kv_lora_rank": 512, "qk_rope_head_dim": 64}, {"attention": "mla", "head_size": "576"}),
        ({"n_routed_experts": 256}, {"experts": "true"}),
        ({"text_config": {"num_experts": 8, "dtype": "bfloat16"}}, {"experts": "true", "dtype": "bfloat16"}),
        ({**LLAMA, "layer_types": ["full_attention", "linear_attention"]}, {"layers": "hybrid"}),
        ({**LLAMA, "layer_types": ["full_attention", "sliding_attention"]}, {"layers": "sliding"}),
        ({**LLAMA, "layer_types": ["full_attention"] * 3}, {"layers": "uniform"}),
        ({**LLAMA, "mamba_d_state": 128}, {"layers": "hybrid"}),
        ({**LLAMA, "sliding_window": 4096, "use_sliding_window": False}, {"layers": "uniform"}),
        ({**LLAMA, "sliding_window": 1024, "sliding_window_pattern": 6}, {"layers": "sliding"}),
        (
            {**LLAMA, "quantization_config": {"quant_method": "gptq"}},
            {"quantization": "gptq", "kv_cache": "float16"},
        ),
    ],
)
def test_what_a_model_says(tmp_path: Path, config: Any, facts: dict[str, str]) -> None:
    found = read_model_folder(Path(model(tmp_path / "m", config)))
    assert {name: found.get(name) for name in facts} == facts


def test_what_a_model_does_not_say_is_left_out(tmp_path: Path) -> None:
    assert "layers" not in read_model_folder(Path(model(tmp_path / "m", {**LLAMA, "sliding_window": 4096})))
    assert read_model_folder(tmp_path) == {}
    scheme = {**LLAMA, "quantization_config": {"kv_cache_scheme": {"num_bits": 4, "type": "int"}}}
    assert "kv_cache" not in read_model_folder(Path(model(tmp_path / "n", scheme)))


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 99_999, "\x00"])
def test_a_broken_config_is_named(tmp_path: Path, text: str) -> None:
    with pytest.raises(ModelError, match="config.json"):
        read_model_folder(Path(model(tmp_path / "m", text)))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=10), below, max_size=3),
    max_leaves=8,
)
KEYS = (
    *("architectures", "text_config", "dtype", "layer_types", "quantization_config"),
    *("kv_lora_rank", "head_dim", "sliding_window"),
)


@given(st.dictionaries(st.sampled_from(KEYS), JSON))
def test_no_config_raises(tmp_path_factory: pytest.TempPathFactory, config: dict[str, Any]) -> None:
    folder = tmp_path_factory.mktemp("model")
    facts = read_model_folder(Path(model(folder, config)))
    known = settings()
    for name, setting in known.items():
        if setting.fact is not None and setting.fact in facts:
            assert setting.allows(facts[setting.fact]), name


def test_the_earlier_of_two_answers_is_believed() -> None:
    one = Facts(Machine(cards=described_machine("sm_86").cards, software={"vllm": "0.20.0"}, described=True))
    other = Facts(
        Machine(cards=(), software={"vllm": "0.30.0", "torch": "2.9.0"}, p2p=True, host=Host(memory=3))
    )
    both = merged([one, other]).machine
    assert both.cards == one.machine.cards
    assert both.software == {"vllm": "0.20.0", "torch": "2.9.0"}
    assert (both.p2p, both.host.memory) == (True, 3)


def test_the_number_of_cards_goes_with_the_cards() -> None:
    several = Machine(cards=described_machine("gfx942").cards, count_known=False)
    assert not merged([Facts(), Facts(several)]).machine.count_known
