"""What must not be said for certain: the text of an error under conditions, or in words, that are not it."""

from __future__ import annotations

import pytest

from gpu_gotchas.search import Verdict, search
from gpu_gotchas.search.index import Index
from tests.search.pasted import BF16, CAST, FP8, MLA, OVERFLOW, RAISED, SPEC, TURBOQUANT


@pytest.mark.parametrize(
    ("text", "record"),
    [
        (FP8, "triton-fp8e4nv-below-sm89"),
        (RAISED, "triton-fp8e4nv-below-sm89"),
        (f"[rank0]: E failed to compile kernel: {FP8}", "triton-fp8e4nv-below-sm89"),
        (f"on an RTX 3090\n{RAISED}", "triton-fp8e4nv-below-sm89"),
        (f"on an A100\n{RAISED}", "triton-fp8e4nv-below-sm89"),
        (MLA, "triton-mla-fp8-smem-overflow"),
        (f"vllm serve m --kv-cache-dtype fp8\n{MLA}", "triton-mla-fp8-smem-overflow"),
        (f"engine config: kv_cache_dtype=auto, dtype=torch.bfloat16\n{MLA}", "triton-mla-fp8-smem-overflow"),
        (SPEC, "spec-verify-attention-bf16-only"),
        (TURBOQUANT.format(package="vllm"), "turboquant-bf16-key-cast-below-sm89"),
        (CAST, "mla-fp8-query-cast-breaks-fp16"),
        # What a message says could be set is not what is set.
        (BF16, "bf16-needs-sm80"),
        # The line of code above an exception holds its text too, and so does a message that goes on in words.
        (f'    raise ValueError("{FP8}")\nValueError: {FP8}', "triton-fp8e4nv-below-sm89"),
        (f"ValueError: {FP8} when it is compiled", "triton-fp8e4nv-below-sm89"),
    ],
)
def test_the_error_itself_is_it(shipped: Index, text: str, record: str) -> None:
    answer = search(text, index=shipped)
    assert (answer.verdict, answer.results[0].id) == (Verdict.THIS_IS_IT, record)


@pytest.mark.parametrize(
    "text",
    [
        f"kv_cache_dtype bfloat16\n{MLA}",
        f"vllm serve m --kv-cache-dtype bfloat16\n{MLA}",
        f"--kv-cache-dtype=bfloat16 \\\n{MLA}",
        f"engine config: model='m', kv_cache_dtype=bfloat16, device=cuda\n{MLA}",
        f"non-default args: {{'kv_cache_dtype': 'bfloat16'}}\n{MLA}",
        f"VLLM_SPEC_DECODE_ATTN=0 vllm serve m\n{SPEC}",
        f"vllm serve m --dtype bfloat16\n{SPEC}",
    ],
)
def test_a_setting_that_the_record_is_not_about_takes_the_certainty(shipped: Index, text: str) -> None:
    answer = search(text, index=shipped)
    assert answer.verdict is Verdict.LOOKS_LIKE
    assert any(result.disagreed for result in answer.results)
    assert answer.results[0].do is None, "advice for another case"


@pytest.mark.parametrize(
    "text",
    [
        f"INFO 10-06 14:26:10 [cuda.py:482] Using TRITON_MLA backend out of ['TRITON_MLA']\n{OVERFLOW}",
        f"Using TRITON_MLA backend.\n{OVERFLOW}",
        f"export VLLM_SPEC_DECODE_ATTN=1\n{SPEC.splitlines()[1]}",
    ],
)
def test_what_is_set_does_not_say_where_it_failed(shipped: Index, text: str) -> None:
    assert search(text, index=shipped).verdict is Verdict.LOOKS_LIKE


@pytest.mark.parametrize(
    "text",
    [
        "ValueError: type fp8e4nv not supported in this architecture. "
        "The supported fp8 dtypes are ('fp8e4b8', 'fp8e5b16', 'fp8e5')",
        f"Intel(R) Arc(TM) A770 Graphics\n{RAISED}",
        f"Intel Data Center GPU Max 1550, torch 2.9.0+xpu\n{RAISED}",
        f"NVIDIA H100\n{RAISED}",
        f"GPU: H200, driver 570\n{RAISED}",
        f"AMD Instinct MI300X\n{RAISED}",
        f"| 0 NVIDIA L40S  On |\n{RAISED}",
    ],
)
def test_a_card_that_the_record_is_not_about_takes_the_certainty(shipped: Index, text: str) -> None:
    answer = search(text, index=shipped)
    assert answer.verdict is Verdict.LOOKS_LIKE
    assert any(result.disagreed for result in answer.results)


HYBRID = 'File "/x/site-packages/vllm/engine/arg_utils.py", line 9, in create_engine_config\n' + (
    "NotImplementedError: TurboQuant KV cache is not supported for hybrid (attention + Mamba) models."
)
DISAGREE = [
    f"GPU 0: NVIDIA H100\nGPU 1: NVIDIA L40S\n{RAISED}",
    f"2xH100 and RTX4090\n{RAISED}",
    *(
        f"{told}\n{HYBRID}"
        for told in (
            "vllm 0.25.0\nvllm 0.26.0",
            "vllm 0.25.0\nvllm==0.25.0+cu129",
            "Initializing a V1 LLM engine (v0.25.0)",
            "vllm/vllm-openai:v0.25.0",
            "Name: vllm\nVersion: 0.25.0",
        )
    ),
    "\n".join(["INFO all is well"] * 40 + ["vllm 0.25.0"] + [f"INFO step {n}" for n in range(60)] + [HYBRID]),
]
AGREE = [
    f"GPU 0: NVIDIA H100\nGPU 1: NVIDIA GeForce RTX 3090\n{RAISED}",
    f"vllm 0.20.0\nvllm 0.26.0\n{HYBRID}",
    HYBRID,
]


@pytest.mark.parametrize("text", DISAGREE)
def test_facts_that_all_disagree_take_the_certainty(shipped: Index, text: str) -> None:
    answer = search(text, index=shipped)
    assert answer.verdict is Verdict.LOOKS_LIKE
    assert answer.results[0].disagreed


@pytest.mark.parametrize("text", AGREE)
def test_facts_of_which_one_agrees_take_none(shipped: Index, text: str) -> None:
    assert search(text, index=shipped).verdict is Verdict.THIS_IS_IT


@pytest.mark.parametrize(
    "text",
    [
        "fp8 not supported",
        "INFO Using FlashInfer MoE backend",
        "the fp8 dtype is great",
        "fp8e5",
        "fp8",
        "kv cache",
        "shared memory",
        "flashinfer",
        "bfloat16",
        "RTX 3090",
        "my card is an H100",
        "Using Triton",
        "marlin kernel",
    ],
)
def test_a_word_or_two_that_much_is_about_names_nothing(shipped: Index, text: str) -> None:
    assert search(text, index=shipped).verdict is Verdict.NOT_KNOWN


@pytest.mark.parametrize(
    ("text", "record"),
    [
        ("fp8e4nv", "triton-fp8e4nv-below-sm89"),
        ("fp8e4nv not supported", "triton-fp8e4nv-below-sm89"),
        ("turboquant saturates keys", "turboquant-e4b15-key-saturation"),
        ("triton mla fp8 shared memory", "triton-mla-fp8-smem-overflow"),
    ],
)
def test_few_telling_words_are_enough(shipped: Index, text: str, record: str) -> None:
    assert record in [result.id for result in search(text, index=shipped).results]


DFLASH = "ValueError: Model architectures ['DFlashQwen3ForCausalLM'] are not supported for now."


@pytest.mark.parametrize(
    "told",
    [
        """vllm serve m --speculative-config '{"model": "d", "method": "dflash"}'""",
        "LLM(model='m', speculative_config={'method': 'dflash', 'model': '/models/dflash/d'})",
        "engine config: SpeculativeConfig(method='dflash', model='d', num_spec_tokens=3), seed=0",
        "vllm serve m -sc.method dflash",
    ],
)
def test_the_method_that_was_asked_for_may_speak_against_it(shipped: Index, told: str) -> None:
    """The record is about a method that is replaced: whoever asked for DFlash has something else."""
    named = search(f"in update_arch_\n{DFLASH}", index=shipped)
    assert (named.verdict, named.results[0].id) == (Verdict.THIS_IS_IT, "dflash-substring-selects-method")
    answer = search(f"{told}\nin update_arch_\n{DFLASH}", index=shipped)
    assert answer.verdict is not Verdict.THIS_IS_IT
    assert any("speculative_method=dflash" in text for one in answer.results for text in one.disagreed)


@pytest.mark.parametrize("share", ["2.00", "33.33"])
def test_what_has_to_be_measured_is_never_certain_by_a_line(shipped: Index, share: str) -> None:
    text = (
        "WARNING 11-30 10:00:00 [kv_cache_utils.py:900] Add 1 padding layers, may waste at most "
        f"{share}% KV cache memory"
    )
    answer = search(text, index=shipped)
    assert answer.verdict is Verdict.LOOKS_LIKE
    assert answer.results[0].id == "kv-group-size-smallest-bucket"
    assert str(answer.results[0].confirm).startswith("measuring it: share of")


def test_what_every_failure_of_tritons_compiler_prints_tells_nothing(shipped: Index) -> None:
    text = f"""\
  File "/usr/lib/python3/dist-packages/triton/runtime/jit.py", line 739, in run
    kernel = self._do_compile(key, signature, device, constexprs, options, attrs, warmup)
  File "/usr/lib/python3/dist-packages/triton/compiler/compiler.py", line 318, in compile
    module = src.make_ir(target, options, codegen_fns, module_map, context)
  File "/usr/lib/python3/dist-packages/triton/compiler/compiler.py", line 80, in make_ir
    return ast_to_ttir(self.fn, self, context=context, options=options, codegen_fns=codegen_fns)
triton.compiler.errors.CompilationError: at 17:17:
{SPEC.splitlines()[1].partition(": ")[2]}"""
    assert search(text, index=shipped).results[0].id == "spec-verify-attention-bf16-only"
