"""What must not be said for certain: the text of an error under conditions, or in words, that are not it."""

from __future__ import annotations

import pytest
from benchmarks.search import fresh_index

from gpu_gotchas.search import Verdict, search
from gpu_gotchas.search.index import Index
from gpu_gotchas.search.strength import Strength

FP8 = "type fp8e4nv not supported in this architecture. The supported fp8 dtypes are ('fp8e4b15', 'fp8e5')"
RAISED = f"triton.compiler.errors.CompilationError: at 1:0:\nValueError: {FP8}"
MLA = (
    'File "/usr/lib/python3/dist-packages/vllm/v1/attention/ops/triton_decode_attention.py", line 9, in '
    "_decode_grouped_att_m_fwd\n"
    "triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 102400, Hardware limit: "
    "101376. Reducing block sizes or `num_stages` may help."
)
BF16 = (
    "ValueError: Bfloat16 is only supported on GPUs with compute capability of at least 8.0. Your Tesla T4 "
    "GPU has compute capability 7.5. You can use float16 instead by explicitly setting the `dtype` flag in "
    "CLI, for example: --dtype=half."
)
OVERFLOW = MLA.splitlines()[1]
SPEC = (
    'File "/usr/lib/python3/dist-packages/vllm/spec_decode_attn.py", line 9, in _spec_attn_partial\n'
    "triton.compiler.errors.CompilationError: Both operands must be same dtype. Got bf16 and fp16"
)
CAST = (
    'File "/usr/lib/python3/dist-packages/vllm/v1/attention/backends/mla/triton_mla.py", line 9, in '
    "_v_up_proj\n"
    "RuntimeError: expected scalar type BFloat16 but found Half"
)
TURBOQUANT = """\
File "/usr/lib/python3/dist-packages/{package}/ops/triton_turboquant_store.py", line 9, in _tq_fused_store_fp8
  File "/usr/lib/python3/dist-packages/triton/language/semantic.py", line 9, in convert_custom_float8
    assert arg.type.scalar.is_fp16() or arg.type.scalar.is_fp32()
"""


@pytest.fixture(scope="module")
def index() -> Index:
    return fresh_index()


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
def test_the_error_itself_is_it(index: Index, text: str, record: str) -> None:
    answer = search(text, index=index)
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
def test_a_setting_that_the_record_is_not_about_takes_the_certainty(index: Index, text: str) -> None:
    answer = search(text, index=index)
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
def test_what_is_set_does_not_say_where_it_failed(index: Index, text: str) -> None:
    assert search(text, index=index).verdict is Verdict.LOOKS_LIKE


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
def test_a_card_that_the_record_is_not_about_takes_the_certainty(index: Index, text: str) -> None:
    answer = search(text, index=index)
    assert answer.verdict is Verdict.LOOKS_LIKE
    assert any(result.disagreed for result in answer.results)


@pytest.mark.parametrize(
    "text",
    [
        "tests/test_fp8.py::test_says[type fp8e4nv not supported in this architecture] PASSED [ 20%]",
        f"ok 3 - {FP8}",
        f"test_says ({FP8}) ... ok",
        f'with pytest.raises(CompilationError, match="{FP8}"):',
        f"Changelog: {FP8} (#1234)",
        f"Skipping autotune config: {FP8}",
        f"Upgrading to triton 3.4 avoids: {FP8}",
        "I read that type fp8e4nv not supported in this architecture means there is no E4M3 below Ada.",
        'The error "type fp8e4nv not supported in this architecture" is what older cards print.',
        "what does type fp8e4nv not supported in this architecture mean?",
        "when type fp8e4nv not supported in this architecture is raised, we fall back to int8",
        "INFO 10-06 14:26:10 [fp8.py:4] type fp8e4nv not supported in this architecture, using Marlin",
        "WARNING [fp8.py:1] type fp8e4nv not supported in this architecture, falling back to Marlin",
        'raise ValueError(f"type fp8e4nv not supported in this architecture. The supported types are {x}")',
        "Fixed: docs say type fp8e4nv not supported in this architecture on Ampere",
    ],
)
def test_words_about_the_error_are_not_the_error(index: Index, text: str) -> None:
    assert search(text, index=index).verdict is not Verdict.THIS_IS_IT


LINKS = (
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
)
HEAD = "Traceback (most recent call last):"


CAME_FIRST = [
    *(
        (f"{HEAD}\n{first}\n\n{link}\n\n{HEAD}\n{RAISED}", 2, first)
        for link in LINKS
        for first in (
            "OSError: [Errno 28] No space left on device",
            "torch.OutOfMemoryError: CUDA out of memory.",
        )
    ),
    (
        f"{HEAD}\nKeyError: 'a'\n\n{LINKS[0]}\n\n{HEAD}\nValueError: b\n\n{LINKS[1]}\n\n{HEAD}\n{RAISED}",
        2,
        "'a'",
    ),
    (
        f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n{RAISED}",
        1,
        "OutOfMemory",
    ),
    (
        f"[rank3]: RuntimeError: NCCL error in: x.cpp:3690, unhandled cuda error\n[rank0]: {FP8}",
        1,
        "NCCL",
    ),
    (f"RuntimeError: CUDA error: an illegal memory access was encountered\n{RAISED}", 1, "illegal"),
    (f"Fatal Python error: Segmentation fault\n{RAISED}", 1, "Segmentation"),
    (f"W1 exitcode  : -9 (pid: 7)\nSignal 9 (SIGKILL) received by PID 7\n{RAISED}", 2, "SIGKILL"),
    (f"Out of memory: Killed process 4711 (VLLM::Worker)\n{RAISED}", 1, "Killed"),
    (f"worker died with exit code -11\n{RAISED}", 1, "-11"),
    (f"[12345.678901] NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.\n{RAISED}", 1, "Xid"),
    *(
        (f"{first}\n{RAISED}", 1, first.split()[-1])
        for first in (
            "Memory cgroup out of memory: Killed process 4711 (python)",
            "Last State: Terminated, Reason: OOMKilled",
            "vllm-1 exited with code 137",
            "Bus error (core dumped)",
            "Aborted (core dumped)",
            "x.cpp:1: NCCL Error 2: unhandled system error",
            "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate",
            "RuntimeError: CUDA error: uncorrectable ECC error encountered",
            "RuntimeError: Triton Error [CUDA]: out of memory",
            "node:7:9 [0] NCCL WARN Cuda failure 700 'an illegal memory access was encountered'",
        )
    ),
    (f"[rank3]: FileNotFoundError: /w.bin\n[rank0]: {FP8}", 1, "FileNotFound"),
    (f"[rank1]: KeyError: 'a'\n[rank1]: {LINKS[0]}\n[rank1]: OSError: b\n[rank0]: {FP8}", 1, "KeyError"),
    (
        f"jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: out of memory\n{RAISED}",
        1,
        "EXHAUSTED",
    ),
]


@pytest.mark.parametrize(("text", "line", "says"), CAME_FIRST)
def test_where_another_failure_came_first_it_is_said_and_nothing_is_certain(
    index: Index, text: str, line: int, says: str
) -> None:
    answer = search(text, index=index)
    assert answer.verdict is Verdict.LOOKS_LIKE
    found = next(one for one in answer.results if one.id == "triton-fp8e4nv-below-sm89")
    assert f"line {line} came first: " in found.why
    assert says in found.why
    assert answer.strength is not Strength.STRONG


FIRST_OF_ALL = [
    # the error is the first of them, whatever came of it
    *(f"{HEAD}\n{RAISED}\n\n{link}\n\n{HEAD}\nRuntimeError: the engine died" for link in LINKS),
    *(f"{HEAD}\nValueError: {FP8}\n\n{link}\n\n{HEAD}\n{RAISED}" for link in LINKS),
    f"{RAISED}\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
    f"{RAISED}\nSignal 11 (SIGSEGV) received by PID 7",
    # a chain that ended before it
    f"{HEAD}\nKeyError: 'a'\n\n{LINKS[0]}\n\n{HEAD}\nOSError: b\nINFO served\n{HEAD}\n{RAISED}",
    # another rank's, of the same and of a later failure
    f"[rank1]: ValueError: {FP8}\n[rank0]: ValueError: {FP8}",
    f"[rank0]: ValueError: {FP8}\n[rank1]: OSError: b",
    # what only speaks of such a failure
    f"INFO To avoid CUDA out of memory, lower --gpu-memory-utilization\n{RAISED}",
    f"WARNING [w.py:1] CUDA out of memory, retrying with a smaller batch\n{RAISED}",
    f"test_oom[CUDA out of memory] PASSED\n{RAISED}",
    f"    except torch.cuda.OutOfMemoryError:\n{RAISED}",
    f"    if signal.SIGSEGV:\n{RAISED}",
    f"Process 7 exited with exit code 0\n{RAISED}",
]


@pytest.mark.parametrize("text", FIRST_OF_ALL)
def test_what_comes_later_or_elsewhere_takes_no_certainty(index: Index, text: str) -> None:
    answer = search(text, index=index)
    assert (answer.verdict, answer.results[0].id) == (Verdict.THIS_IS_IT, "triton-fp8e4nv-below-sm89")


@pytest.mark.parametrize("link", LINKS)
def test_a_chain_whose_begin_is_cut_off_is_not_certain(index: Index, link: str) -> None:
    answer = search(f"{link}\n\n{HEAD}\n{RAISED}", index=index)
    assert answer.verdict is Verdict.LOOKS_LIKE
    assert "cut off" in answer.results[0].why


QUOTED = [
    f"> ValueError: {FP8}\n\nThat is gone. Now it says\nRuntimeError: CUDA error: no kernel image",
    f"RuntimeError: CUDA error: no kernel image\n\nLast week it was\n> ValueError: {FP8}",
]


@pytest.mark.parametrize("text", QUOTED)
def test_what_is_quoted_is_not_the_error_beside_one_that_is_not(index: Index, text: str) -> None:
    answer = search(text, index=index)
    assert answer.verdict is Verdict.LOOKS_LIKE
    assert any("is quoted" in one.why for one in answer.results)


def test_a_paste_that_is_quoted_whole_is_as_good(index: Index) -> None:
    quoted = "".join(f"> {line}\n" for line in f"{HEAD}\n{RAISED}".splitlines())
    assert search(quoted, index=index).verdict is Verdict.THIS_IS_IT


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
def test_facts_that_all_disagree_take_the_certainty(index: Index, text: str) -> None:
    answer = search(text, index=index)
    assert answer.verdict is Verdict.LOOKS_LIKE
    assert answer.results[0].disagreed


@pytest.mark.parametrize("text", AGREE)
def test_facts_of_which_one_agrees_take_none(index: Index, text: str) -> None:
    assert search(text, index=index).verdict is Verdict.THIS_IS_IT


LISTED = [
    f"RuntimeError: no backend fits. TRITON_ATTN: [{FP8}], FLASH_ATTN: [head size]",
    f"ValueError: Reasons: {{'FLASH': ['head size'], 'TRITON_ATTN': ['{FP8}']}}",
    f"RuntimeError: no backend fits. TRITON_ATTN: [ValueError: {FP8}], FLASH_ATTN: [head size]",
    f"RuntimeError: no backend fits: {{'FLASH': 'head size', 'TRITON': 'ValueError: {FP8}'}}",
    f"RUN echo 'ValueError: {FP8}'",
    f"grep -n 'ValueError: {FP8}' server.log",
    f"expected: ValueError: {FP8}",
    f"RuntimeError: none is valid: ['head size not supported', '{FP8}']",
    f"RuntimeError: this happens because {FP8}",
]


@pytest.mark.parametrize("text", LISTED)
def test_one_reason_in_the_message_of_another_error_is_not_that_error(index: Index, text: str) -> None:
    assert search(text, index=index).verdict is Verdict.LOOKS_LIKE


NO_FAILURE = [
    f"-{FP8}",
    f"+{FP8}",
    f"- ValueError: {FP8}",
    f"# {FP8}",
    f"// CHECK: error: {FP8}",
    f"~~{FP8}~~",
    f"✓ {FP8}",
    f"PASS: {FP8}",
    f"[  OK  ] {FP8}",
    f"tests/test_a.py:12: {FP8}",
    f'pytest.skip("{FP8}")',
    f"SKIP {FP8}",
    f"resolved: {FP8}",
    f"{FP8} (closed)",
    f'pattern = "{FP8}"',
]
BESIDE = [
    f"ValueError: {FP8}\nThat is gone now.",
    f"ValueError: {FP8}\n1 passed in 2s",
    f"I do not get this any more\nValueError: {FP8}",
    f"ValueError: {FP8}\nINFO: Application startup complete.",
    f"```\nValueError: {FP8}\n```\nThis is what older cards print.",
    f"## Changelog\n\nValueError: {FP8}",
    f"commit 0123456789abcdef\n\n    ValueError: {FP8}",
    f"FAQ\nValueError: {FP8}",
    f"fix(attention): cast keys\n\nValueError: {FP8}",
]


@pytest.mark.parametrize("text", [*NO_FAILURE, *BESIDE])
def test_what_is_no_failure_or_is_over_is_fair_at_most(index: Index, text: str) -> None:
    answer = search(text, index=index)
    assert answer.verdict is Verdict.LOOKS_LIKE
    assert answer.strength is not Strength.STRONG


NOT_BESIDE = [
    f"vllm does not start any more\nValueError: {FP8}",
    f"1 failed, 3 passed in 2s\nValueError: {FP8}",
    f"```\nValueError: {FP8}\n```",
    f'level=error msg="ValueError: {FP8}"',
    f"##[error]ValueError: {FP8}",
]


@pytest.mark.parametrize("text", NOT_BESIDE)
def test_what_only_looks_like_being_over_takes_no_certainty(index: Index, text: str) -> None:
    assert search(text, index=index).verdict is Verdict.THIS_IS_IT


HANDED_ON = [
    f"RuntimeError: Worker failed with error 'ValueError: {FP8}'",
    f'{{"error": {{"message": "ValueError: {FP8}", "code": 500}}}}',
    f"E   ValueError: {FP8}",
    f"RuntimeError: ValueError: {FP8}",
    f"server.log:1234:ValueError: {FP8}",
    f'{{"MESSAGE": "ValueError: {FP8}", "PRIORITY": "3"}}',
    f'{{"stream": "stderr", "log": "ValueError: {FP8}"}}',
]


@pytest.mark.parametrize("text", HANDED_ON)
def test_an_error_that_is_handed_on_whole_is_that_error(index: Index, text: str) -> None:
    assert search(text, index=index).verdict is Verdict.THIS_IS_IT


FRAME = '  File "{place}", line 9, in decode'


OTHER_PROGRAMS = [
    f"jaxlib.xla_extension.XlaRuntimeError: INTERNAL: {FP8}",
    f"{FRAME.format(place='/lib/dist-packages/jax/_src/pallas/x.py')}\nValueError: {FP8}",
    f"[TensorRT-LLM][ERROR] {FP8}",
    f"{FRAME.format(place='/lib/site-packages/tensorrt_llm/x.py')}\nValueError: {FP8}",
    f"ggml_cuda_init: {FP8}",
    *(
        MLA.replace("dist-packages/vllm/v1", f"{place}/v1")
        for place in ("dist-packages/lmdeploy", "site-packages/sglang/srt", "dist-packages/lmcache")
    ),
    MLA.replace("/usr/lib/python3/dist-packages/vllm", "/home/vllm/lmdeploy/lmdeploy"),
]


@pytest.mark.parametrize("text", OTHER_PROGRAMS)
def test_another_program_that_prints_the_same_is_not_certain(index: Index, text: str) -> None:
    answer = search(text, index=index)
    assert answer.verdict is Verdict.LOOKS_LIKE
    proven = [one for one in answer.results if one.by == "signature" and one.status != "candidate"]
    assert all(any("the code is " in said for said in one.disagreed) for one in proven)
    assert not [one.id for one in proven if one.do], "advice for another program"


def test_a_frame_tells_that_the_signature_does_not_ask_for(index: Index) -> None:
    text = f"{FRAME}\nin _fwd_grouped_kernel_stage1\n{OVERFLOW}"
    mine = search(text.format(place="/x/site-packages/vllm/x.py"), index=index)
    assert (mine.verdict, mine.results[0].id) == (Verdict.THIS_IS_IT, "triton-mla-fp8-smem-overflow")
    other = search(text.format(place="/x/site-packages/lmdeploy/x.py"), index=index)
    assert other.verdict is Verdict.LOOKS_LIKE
    assert other.results[0].id != "triton-mla-fp8-smem-overflow"


@pytest.mark.parametrize(
    "place",
    [
        "/usr/lib/python3/dist-packages/vllm/v1",
        "/workspace/vllm/vllm/v1",
        "/home/lmdeploy/vllm/vllm/v1",
        "/home/me/sglang/.venv/lib/python3.12/site-packages/vllm/v1",
        "C:\\venv\\Lib\\site-packages\\vllm\\v1",
    ],
)
def test_where_a_package_lies_makes_no_difference(index: Index, place: str) -> None:
    text = MLA.replace("/usr/lib/python3/dist-packages/vllm/v1", place)
    assert search(text, index=index).verdict is Verdict.THIS_IS_IT


@pytest.mark.parametrize("library", ["flash_attn", "flashinfer", "sgl_kernel", "xformers", "torch", "triton"])
def test_a_library_between_takes_no_certainty(index: Index, library: str) -> None:
    frame = FRAME.format(place=f"/usr/lib/python3/dist-packages/{library}/x.py")
    assert search(f"{frame}\n{MLA}", index=index).verdict is Verdict.THIS_IS_IT


def test_a_copy_of_the_code_in_another_package_gets_no_advice_for_this_one(index: Index) -> None:
    answer = search(TURBOQUANT.format(package="lmcache/v1"), index=index)
    assert answer.verdict is Verdict.LOOKS_LIKE
    result = answer.results[0]
    assert result.do is None
    assert "lmcache" in result.disagreed[0]


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
def test_a_word_or_two_that_much_is_about_names_nothing(index: Index, text: str) -> None:
    assert search(text, index=index).verdict is Verdict.NOT_KNOWN


@pytest.mark.parametrize(
    ("text", "record"),
    [
        ("fp8e4nv", "triton-fp8e4nv-below-sm89"),
        ("fp8e4nv not supported", "triton-fp8e4nv-below-sm89"),
        ("turboquant saturates keys", "turboquant-e4b15-key-saturation"),
        ("triton mla fp8 shared memory", "triton-mla-fp8-smem-overflow"),
    ],
)
def test_few_telling_words_are_enough(index: Index, text: str, record: str) -> None:
    assert record in [result.id for result in search(text, index=index).results]


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
def test_the_method_that_was_asked_for_may_speak_against_it(index: Index, told: str) -> None:
    """The record is about a method that is replaced: whoever asked for DFlash has something else."""
    named = search(f"in update_arch_\n{DFLASH}", index=index)
    assert (named.verdict, named.results[0].id) == (Verdict.THIS_IS_IT, "dflash-substring-selects-method")
    answer = search(f"{told}\nin update_arch_\n{DFLASH}", index=index)
    assert answer.verdict is not Verdict.THIS_IS_IT
    assert any("speculative_method=dflash" in text for one in answer.results for text in one.disagreed)


@pytest.mark.parametrize("share", ["2.00", "33.33"])
def test_what_has_to_be_measured_is_never_certain_by_a_line(index: Index, share: str) -> None:
    text = (
        "WARNING 11-30 10:00:00 [kv_cache_utils.py:900] Add 1 padding layers, may waste at most "
        f"{share}% KV cache memory"
    )
    answer = search(text, index=index)
    assert answer.verdict is Verdict.LOOKS_LIKE
    assert answer.results[0].id == "kv-group-size-smallest-bucket"
    assert str(answer.results[0].confirm).startswith("measuring it: share of")


def test_what_every_failure_of_tritons_compiler_prints_tells_nothing(index: Index) -> None:
    text = f"""\
  File "/usr/lib/python3/dist-packages/triton/runtime/jit.py", line 739, in run
    kernel = self._do_compile(key, signature, device, constexprs, options, attrs, warmup)
  File "/usr/lib/python3/dist-packages/triton/compiler/compiler.py", line 318, in compile
    module = src.make_ir(target, options, codegen_fns, module_map, context)
  File "/usr/lib/python3/dist-packages/triton/compiler/compiler.py", line 80, in make_ir
    return ast_to_ttir(self.fn, self, context=context, options=options, codegen_fns=codegen_fns)
triton.compiler.errors.CompilationError: at 17:17:
{SPEC.splitlines()[1].partition(": ")[2]}"""
    assert search(text, index=index).results[0].id == "spec-verify-attention-bf16-only"
