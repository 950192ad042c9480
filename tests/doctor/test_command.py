"""Command lines: what people type, what they paste, and what nobody should."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.doctor.command.launch import MAX_WORDS, CommandError, Launch, read_commands
from gpu_gotchas.doctor.command.typos import meant
from gpu_gotchas.doctor.facts import Facts
from gpu_gotchas.doctor.images import software_of
from gpu_gotchas.doctor.situation import situation
from gpu_gotchas.doctor.sizes import read_size
from gpu_gotchas.records.settings import settings
from tests.doctor.samples import launches_of


def read(text: str) -> Launch:
    (launch,) = read_commands(shlex.split(text), settings())
    return launch


@pytest.mark.parametrize(
    ("flags", "found"),
    [
        ("--kv-cache-dtype fp8", {"kv_cache_dtype": "fp8"}),
        ("--kv_cache_dtype=fp8", {"kv_cache_dtype": "fp8"}),
        ("--kv-cache-dtype fp8 --kv-cache-dtype auto", {"kv_cache_dtype": "auto"}),
        ("--max-model-len 160k", {"max_model_len": "160000"}),
        ("--max-model-len 25.6k", {"max_model_len": "25600"}),
        ("--max-model-len 128K", {"max_model_len": "131072"}),
        ("-tp 2 -pp=2", {"tensor_parallel_size": "2", "pipeline_parallel_size": "2"}),
        ("--enforce-eager", {"enforce_eager": "true"}),
        ("--enforce-eager --dtype half", {"enforce_eager": "true", "dtype": "half"}),
        ("--no-enable-prefix-caching", {"enable_prefix_caching": "false"}),
        ("--enable-prefix-caching=False", {"enable_prefix_caching": "false"}),
        ("-O3", {"optimization_level": "3"}),
        ("-O.level 3", {}),
        ("--attention-backend triton_mla", {"attention_backend": "TRITON_MLA"}),
        ("""--attention-config '{"backend": "FLASHINFER"}'""", {"attention_backend": "FLASHINFER"}),
        ("-ac.backend FLASHINFER", {"attention_backend": "FLASHINFER"}),
        (
            """--speculative-config '{"method": "mtp", "num_speculative_tokens": 3, "model": "x"}'""",
            {"speculative_method": "mtp", "num_speculative_tokens": "3"},
        ),
        ("--speculative-config.method ngram", {"speculative_method": "ngram"}),
        (
            "--spec-method eagle3 --spec-tokens 4",
            {"speculative_method": "eagle3", "num_speculative_tokens": "4"},
        ),
        ("--port 8000 --host 0.0.0.0 --served-model-name fp8 --dtype half", {"dtype": "half"}),
        ("--dtype half > server.log --dtype float32", {"dtype": "float32"}),
        ("--dtype half 2>&1 | tee log", {"dtype": "half"}),
        ("--dtype", {}),
    ],
)
def test_flags_of_vllm(flags: str, found: dict[str, str]) -> None:
    launch = read(f"vllm serve some/model {flags}")
    assert launch.settings == found
    assert (launch.package, launch.model) == ("vllm", "some/model")


@pytest.mark.parametrize(
    "text",
    [
        "vllm serve some/model --dtype half",
        "vllm serve --model some/model --dtype half",
        "/opt/venv/bin/vllm serve some/model --dtype=half",
        "python -m vllm.entrypoints.openai.api_server --model some/model --dtype half",
        "python3 -u -m vllm.entrypoints.openai.api_server --dtype half --model=some/model",
        "python3.12 -m vllm.entrypoints.cli.main serve some/model --dtype half",
        "X=1 vllm serve some/model --dtype half",
        "env X=1 vllm serve some/model --dtype half",
        "CUDA_VISIBLE_DEVICES=0,1 X=1 nohup vllm serve some/model --dtype half &",
        "uv run vllm serve some/model --dtype half",
        "sudo -E numactl --cpunodebind=0 vllm serve some/model --dtype half",
        "bash -c 'X=1 exec vllm serve some/model --dtype half'",
        "vllm bench throughput --model some/model --dtype half",
        "docker run --gpus all vllm/vllm-openai:v0.19.1 --model some/model --dtype half",
        "docker run --gpus all vllm/vllm-openai:v0.19.1 some/model --dtype half",
        "docker run -it --rm --entrypoint vllm vllm/vllm-openai:v0.19.1 serve some/model --dtype half",
        "podman run -e X=1 -v /a:/b -p 80:80 quay.io/x/y bash -lc 'vllm serve some/model --dtype half'",
    ],
)
def test_ways_to_start_vllm(text: str) -> None:
    launch = read(text)
    assert (launch.package, launch.model, launch.settings) == ("vllm", "some/model", {"dtype": "half"})
    assert launch.environment.get("X", "1") == "1"
    assert ("X=1" in text) == ("X" in launch.environment)


@pytest.mark.parametrize(
    "text",
    [
        "python -m sglang.launch_server --model-path m --tp 4 --attention-backend fa3",
        "sglang serve --model-path m --tensor-parallel-size 4 --attention-backend fa3",
        "docker run lmsysorg/sglang:v0.5.5-cu130 python3 -m sglang.launch_server --model-path m --tp-size 4"
        " --attention-backend fa3",
    ],
)
def test_ways_to_start_sglang(text: str) -> None:
    launch = read(text)
    assert (launch.package, launch.model) == ("sglang", "m")
    assert launch.settings == {"sglang_tp_size": "4", "sglang_attention_backend": "fa3"}


@pytest.mark.parametrize(
    "starter", ["srun -n 1", "conda run -n x", "kubectl exec pod --", "ssh host X=1", "tini -s --"]
)
def test_a_starter_that_is_not_known_is_passed_over_and_said(starter: str) -> None:
    for command in (
        "vllm serve some/model",
        "python3 -m vllm.entrypoints.openai.api_server --model some/model",
    ):
        launch = read(f"{starter} {command} --dtype half")
        assert (launch.model, launch.settings) == ("some/model", {"dtype": "half"})
        assert starter in launch.notes[0]


def test_docker_says_what_runs_inside() -> None:
    launch = read(
        "docker run --shm-size 16g --env A=b -e NAME_ONLY --ipc=host vllm/vllm-openai:v0.19.1 --model m"
    )
    assert launch.software == {"vllm": "0.19.1"}
    assert launch.shared_memory == 16 << 30
    assert launch.environment == {"A": "b"}
    assert launch.container


@pytest.mark.parametrize(
    "text", ["ls -l", "vllm", "vllm chat", "python train.py", "docker ps", "docker run ubuntu", "-m vllm", ""]
)
def test_anything_else_is_refused_with_what_would_be_right(text: str) -> None:
    with pytest.raises(CommandError, match="vllm serve MODEL"):
        read(text)


def test_a_value_that_no_release_takes_is_noted_and_kept() -> None:
    launch = read("vllm serve m --kv-cache-dtype fp9 --tensor-parallel-size two")
    assert launch.settings == {"kv_cache_dtype": "fp9", "tensor_parallel_size": "two"}
    assert len(launch.notes) == 2


def test_too_long_a_command_is_refused() -> None:
    with pytest.raises(CommandError, match="words"):
        read_commands(["x"] * (MAX_WORDS + 1), settings())


@given(
    st.lists(
        st.text(max_size=20) | st.sampled_from(["vllm", "serve", "docker", "run", "-e", "--", "-tp", "{"])
    )
)
def test_no_words_raise_anything_else(words: list[str]) -> None:
    for prefix in ([], ["vllm", "serve"], ["docker", "run"], ["python", "-m", "sglang.launch_server"]):
        try:
            read_commands([*prefix, *words], settings())
        except CommandError:
            continue


@pytest.mark.parametrize(
    ("image", "software"),
    [
        ("vllm/vllm-openai:v0.19.1", {"vllm": "0.19.1"}),
        ("docker.io/vllm/vllm-openai:v0.11.0@sha256:abc", {"vllm": "0.11.0"}),
        ("vllm/vllm-openai:latest", {}),
        ("vllm/vllm-openai", {}),
        ("vllm/vllm-openai:nightly-0123abc", {}),
        ("lmsysorg/sglang:v0.5.5.post3-cu129-amd64", {"sglang": "0.5.5.post3", "cuda-runtime": "12.9"}),
        ("pytorch/pytorch:2.8.0-cuda12.8-cudnn9-devel", {"torch": "2.8.0", "cuda-runtime": "12.8"}),
        ("nvidia/cuda:12.8.1-devel-ubuntu22.04", {"cuda-toolkit": "12.8.1"}),
        ("localhost:5000/vllm/vllm-openai:v0.20.0", {"vllm": "0.20.0"}),
        ("my/own:1.2.3", {}),
        ("rocm/vllm:rocm7.0.0_vllm_0.11.1_20251103", {"rocm": "7.0.0"}),
        ("", {}),
        ("a b:c", {}),
    ],
)
def test_what_an_image_s_name_tells(image: str, software: dict[str, str]) -> None:
    assert software_of(image) == software


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("16g", 16 << 30),
        ("10.24gb", round(10.24 * (1 << 30))),
        ("24564MiB", 24564 << 20),
        ("7", 7),
        ("much", None),
    ],
)
def test_sizes(text: str, size: int | None) -> None:
    assert read_size(text) == size


@pytest.mark.parametrize(
    ("flag", "noted"),
    [
        ("--kv-cache-dt fp8", "--kv-cache-dt is taken for --kv-cache-dtype"),
        ("--kv-cache-dtype fp8", ""),
        ("--mamba- x", "--mamba- was passed over"),
        ("--port 80", ""),
        ("--no-such", ""),
        ("--device cuda", ""),
    ],
)
def test_the_beginning_of_one_flag_is_taken_for_it_and_that_of_several_for_none(
    flag: str, noted: str
) -> None:
    launch = read(f"vllm serve some/model {flag}")
    assert [noted in note for note in _read(launch)] == [True] * bool(noted)
    assert launch.settings == {"--kv": {"kv_cache_dtype": "fp8"}, "--de": {"device": "cuda"}}.get(
        flag[:4], {}
    )


@pytest.mark.parametrize(
    ("flag", "near"),
    [
        ("--kv-cahe-dtype fp8", "--kv-cache-dtype"),
        ("--kvcache-dtype=fp8", "--kv-cache-dtype"),
        ("--atention_backend X", "--attention-backend"),
        ("--modle some/other", "--model"),
        ("--dp-size 2", None),
        ("--trust-remote-code", None),
        ("--enable-hybrid-kv-cache-manager", None),
        ("--kv-cache-dtype-skip-layers 0", None),
    ],
)
def test_a_slip_is_said_and_a_flag_that_is_only_not_known_is_not(flag: str, near: str | None) -> None:
    launch = read(f"vllm serve some/model {flag}")
    assert [f"{near} may be meant" in note for note in _read(launch)] == [True] * bool(near)


def _read(launch: Launch) -> list[str]:
    """Notes on what was read."""
    return [note for note in launch.notes if not note.startswith("not read, ")]


def test_what_is_not_read_is_said_once_without_values_and_what_is_ours_has_its_place() -> None:
    command = (
        "vllm serve m --foo-bar=3 --hf-overrides '{}' --api-key s3cret --port 80 -x 1 --kv-cahe-dtype a --all"
    )
    assert read(command).notes == (
        "--kv-cahe-dtype was passed over: no such flag is known; --kv-cache-dtype may be meant",
        "--all: stands behind --, where it is vllm's: put it before the --",
        "not read, for no record asks for it: --foo-bar, --hf-overrides, -x",
    )
    many = read("vllm serve m " + " ".join(f"--zz{n}" for n in range(20))).notes
    assert many[0].endswith("--zz11 and 8 more")
    assert read("vllm serve m --dtype half --port 80").notes == ()


def test_no_known_flag_is_a_slip_of_another() -> None:
    for package in ("vllm", "sglang"):
        flags = [one.flag for one in settings().values() if one.flag and one.package == package]
        assert not [flag for flag in flags if meant(flag, [one for one in flags if one != flag])]


@pytest.mark.parametrize(
    "flag",
    [
        "--speculative-config",
        "--compilation-config",
        "--hf-overrides",
        "--kv-transfer-config",
        "--attention-config",
        "--override-generation-config",
        "--some-new-config",
    ],
)
@pytest.mark.parametrize("value", ['{"method": "mtp"', "{method: mtp}", '{"a": 1} x', "[1]"])
def test_what_is_no_json_is_a_fault_and_says_which_flag(flag: str, value: str) -> None:
    launch = read_commands(["vllm", "serve", "m", flag, value, "--dtype", "half"], settings())[0]
    (fault,) = launch.faults
    assert fault.startswith(f"{flag} {value}: is no JSON")
    assert launch.settings == {"dtype": "half"}


def test_what_cannot_be_read_is_unknown_and_not_at_its_default() -> None:
    (launch,) = launches_of("vllm serve m --kernel-config '{\"moe_backend\": '")
    assert set(launch.unknown) == {"moe_backend", "linear_backend"}
    defaults = situation(Facts(), launch, settings()).defaults
    assert "moe_backend" not in defaults
    assert defaults["dtype"] == "auto"


@pytest.mark.parametrize(
    ("flags", "found"),
    [
        ("--compilation-config 3", {}),
        ("--compilation-config.level 3 --compilation-config.x.y=1", {}),
        ("--speculative-config.method=ngram -sc.num_speculative_tokens 2", {"n": "2", "m": "ngram"}),
        ("""--speculative-config='{"method": null}'""", {}),
        ("--speculative-config None", {}),
        ("""--hf-overrides '{"a": {"b": [1]}}'""", {}),
    ],
)
def test_json_and_dotted_keys_as_vllm_takes_them(flags: str, found: dict[str, str]) -> None:
    launch = read(f"vllm serve m {flags}")
    names = {"n": "num_speculative_tokens", "m": "speculative_method"}
    assert (launch.faults, _read(launch)) == ((), [])
    assert launch.settings == {names[key]: value for key, value in found.items()}


@pytest.mark.parametrize(
    ("text", "model", "faults"),
    [
        ("vllm serve --dtype half org/m --port 80", "org/m", 0),
        ("vllm serve m --dtype half extra", "m", 1),
        ("vllm serve m extra", "m", 1),
        ("vllm serve m --allowed-origins a b c --dtype half", "m", 0),
        ("python -m sglang.launch_server --model-path m --tp 2 extra", "m", 1),
    ],
)
def test_a_word_that_no_flag_takes_is_the_model_or_a_fault(text: str, model: str, faults: int) -> None:
    launch = read(text)
    assert (launch.model, len(launch.faults)) == (model, faults)


@pytest.mark.parametrize(
    ("options", "seen"),
    [
        ("--gpus all", None),
        ("--gpus '\"device=0,1\"'", "0,1"),
        ("--gpus 'device=2'", "2"),
        ("--gpus=device=1,3", "1,3"),
        ("--gpus 2", "0,1"),
        ("--gpus=1 --runtime=nvidia", "0"),
        ("--device nvidia.com/gpu=all", None),
        ("--device nvidia.com/gpu=0 --device nvidia.com/gpu=1", "0,1"),
        ("-e NVIDIA_VISIBLE_DEVICES=3", "3"),
    ],
)
@pytest.mark.parametrize("image", ["vllm/vllm-openai:v0.24.0", "ghcr.io/me/vllm-openai:v0.24.0@sha256:0"])
def test_an_image_whose_entrypoint_serves(options: str, seen: str | None, image: str) -> None:
    for arguments in ("--model m -tp 2", "m --tensor-parallel-size=2", "serve m -tp 2"):
        launch = read(f"podman run --rm -it --ipc=host --shm-size=16g -p80:80 {options} {image} {arguments}")
        assert (launch.package, launch.model) == ("vllm", "m")
        assert launch.settings == {"tensor_parallel_size": "2"}
        assert launch.environment.get("NVIDIA_VISIBLE_DEVICES") == seen
        assert launch.shared_memory == 16 << 30


def test_a_container_sees_its_own_variables_and_those_handed_in() -> None:
    (launch,) = launches_of("A=1 B=2 docker run -e A -eC=3 -e D vllm/vllm-openai:v0.24.0 m")
    assert launch.environment == {"A": "1", "C": "3"}
