"""What is told without being asked for: all that will happen, and few of what may."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gpu_gotchas.cli.doctor_asking import Question, examine
from gpu_gotchas.doctor.assess import Verdict, assess_all
from gpu_gotchas.doctor.claims import Claim
from gpu_gotchas.doctor.examination import MOST, Examination, named
from gpu_gotchas.doctor.situation import Situation
from gpu_gotchas.hardware.description import described_machine
from tests.doctor.samples import AMPERE, case, gotcha

HERE = replace(described_machine("sm_86"), settings={"kv_cache_dtype": "fp8"})


def may(id: str) -> Claim:
    return gotcha(replace(case(AMPERE, when={"kv_cache_dtype": ("fp8",)}), provided="something holds"), id=id)


def reported(id: str) -> Claim:
    return replace(may(id), status=None, severity=None, kind=None)


def told(*claims: Claim) -> list[str]:
    return [one.gotcha.id for one in named(assess_all(claims, HERE))]


def test_few_of_many_that_may() -> None:
    assert len(told(*(may(f"may-{n}") for n in range(9)))) == MOST


def test_all_that_will_and_nothing_else_where_that_is_enough() -> None:
    will = [gotcha(case(AMPERE), id=f"will-{n}") for n in range(5)]
    assert told(*will, may("may-1")) == [one.id for one in will]
    assert told(will[0], *(may(f"may-{n}") for n in range(5))) == ["will-0", "may-0", "may-1"]


def test_what_is_proven_goes_before_what_is_as_likely_and_reported() -> None:
    claims = [*(reported(f"a-reported-{n}") for n in range(5)), may("may-1"), may("may-2")]
    assert told(*claims) == ["may-1", "may-2", "a-reported-0"]


def test_a_card_alone_is_not_enough_for_what_is_reported() -> None:
    seen = replace(gotcha(case(AMPERE), id="reported-1"), status=None, severity=None, kind=None)
    assert told(seen) == []


def test_what_is_reported_neither_bites_nor_counts() -> None:
    found = assess_all([reported("reported-1")], HERE)
    whole = Examination(Situation(HERE), (), reported=found)
    assert [one.gotcha.id for one in whole.named] == ["reported-1"]
    assert whole.biting == ()
    assert whole.of(Verdict.WILL) == ()


SERVE = ("vllm", "serve", "Qwen/Qwen3-8B")


@pytest.mark.parametrize(
    ("flags", "wanted", "unasked"),
    [
        (
            ("--kv-cache-dtype", "fp8", "--attention-backend", "TRITON_ATTN"),
            "triton-fp8e4nv-below-sm89",
            "gptq",
        ),
        (("--kv-cache-dtype", "fp8"), "triton-fp8e4nv-below-sm89", "gptq"),
        (("--quantization", "gptq"), "gptq-marlin-gemm-dtype-mix", "fp8"),
    ],
)
def test_what_the_command_speaks_for_is_named_first(
    flags: tuple[str, ...], wanted: str, unasked: str
) -> None:
    asked = Question((*SERVE, *flags), as_card="sm_86", versions=("vllm==0.19.1",))
    ids = [one.gotcha.id for one in examine(asked).named]
    assert wanted in ids
    assert not any(unasked in id for id in ids)


@pytest.mark.parametrize("card", ["NVIDIA GB10", "nvidia-rtx-5090"])
@pytest.mark.parametrize("more", [(), ("--dtype", "bfloat16")])
def test_what_flag_card_and_model_speak_for_comes_before_what_the_card_alone_does(
    card: str, more: tuple[str, ...]
) -> None:
    for release in ("0.20.0", "0.33.0"):
        words = ("vllm", "serve", "zai-org/GLM-4.7-Flash", "--kv-cache-dtype", "fp8", *more)
        named = examine(Question(words, as_card=card, versions=(f"vllm=={release}",))).named
        assert "triton-mla-fp8-smem-overflow" in [one.gotcha.id for one in named]
        assert max(named, key=lambda one: one.relevance).gotcha.id == "triton-mla-fp8-smem-overflow"


def test_what_does_not_fit_the_machine_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"num_attention_heads": 40, "hidden_size": 5120}')
    for ranks, cards, wanted in (
        (3, 4, "attention-heads-not-divisible-by-tp"),
        (4, 2, "invalid-device-ordinal"),
    ):
        words = ("vllm", "serve", str(tmp_path), "-tp", str(ranks))
        asked = Question(words, as_card=f"{cards}xnvidia-h100-sxm5", versions=("vllm==0.33.0",))
        assert wanted in [one.gotcha.id for one in examine(asked).named]


def test_uuids_are_met_by_the_release_that_cannot_read_them() -> None:
    words = ("env", "CUDA_VISIBLE_DEVICES=GPU-aaaa,GPU-bbbb", "vllm", "serve", "m", "-tp", "2")
    found = examine(Question(words, as_card="2xRTX 3090", versions=("vllm==0.19.0",)))
    assert len(found.situation.machine.cards or ()) == 2
    assert [one.gotcha.id for one in found.biting] == ["cuda-visible-devices-as-uuid"]


@pytest.mark.parametrize(
    ("card", "words", "absent"),
    [
        ("nvidia-t4", SERVE, ("cmp50hx", "gtx16xx", "mistralrs")),
        ("nvidia-h100-sxm5", SERVE, ("-sm120", "sm120-", "gb200")),
        ("amd-mi300x", SERVE, ("kv-connector",)),
        ("nvidia-h100-sxm5", ("sglang", "serve", "--model-path", "m"), ("mistralrs", "ggml", "ollama")),
    ],
)
def test_what_has_nothing_to_do_with_the_machine_cannot_happen(
    card: str, words: tuple[str, ...], absent: tuple[str, ...]
) -> None:
    """Sought among all that may happen, not only among the likeliest."""
    found = examine(Question(words, as_card=card, versions=("vllm==0.25.0", "sglang==0.5.20")))
    may = [one.gotcha.id for one in (*found.of(Verdict.MAY), *found.reported)]
    named = {one.gotcha.id for one in found.named}
    assert may
    for part in absent:
        near = [id for id in may if part in id and id not in _ELSEWHERE]
        assert not near, near
        assert not any(part in id for id in named)


# Their text is about further cards too.
_ELSEWHERE = ("scaled-mm-rowwise-no-cublas-sm120",)
