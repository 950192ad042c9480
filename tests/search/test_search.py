"""The answers: what is claimed, what is only likely, and what is left unknown."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpu_gotchas
from gpu_gotchas.hardware.machine import Machine
from gpu_gotchas.search import Answer, Verdict, search
from gpu_gotchas.search.build import build_index
from gpu_gotchas.search.engine import Search
from gpu_gotchas.search.evidence import machine_with
from gpu_gotchas.search.index import Index
from gpu_gotchas.search.lines import lines_of
from tests.search.logs import healthy_log, wrapped
from tests.search.samples import record, signature, symptom, write_records

FP8 = "ValueError: type fp8e4nv not supported in this architecture. The supported fp8 dtypes are ('fp8e5',)"
OVERFLOW = "out of resource: shared memory, Required: 147456, Hardware limit: 101376"


def ids(answer: Answer) -> list[str]:
    return [result.id for result in answer.results]


@pytest.mark.parametrize("given", [None, 123, ["a line"], {"text": "a"}, object()])
def test_what_is_no_text_is_said_to_be_none(index: Index, given: object) -> None:
    with pytest.raises(
        TypeError, match=f"takes a text, as str or bytes, and was given {type(given).__name__}"
    ):
        search(given, index=index)  # type: ignore[arg-type]


def test_what_is_no_machine_is_said_to_be_none(index: Index) -> None:
    with pytest.raises(TypeError, match="such as .*machine_with"):
        search(FP8, "sm_86", index=index)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", [FP8, "\n", "", "über \x1b[31mtype fp8e4nv\r\n" * 3])
def test_bytes_are_as_good_as_text(index: Index, text: str) -> None:
    assert search(text.encode(), index=index).to_json() == search(text, index=index).to_json()
    assert search(text.encode("utf-16"), index=index).verdict is search(text, index=index).verdict


@pytest.mark.parametrize("empty", ["", b"", " \n\t\n", b"\0\0"])
def test_an_empty_text_is_not_known(index: Index, empty: str | bytes) -> None:
    answer = search(empty, index=index)
    assert (answer.verdict, answer.results) == (Verdict.NOT_KNOWN, ())
    assert answer.collect


WEIGHTS, CACHE = "Use INT8 weights.", "Keep the KV cache in 16 bits."


@pytest.mark.parametrize(
    ("said", "first"),
    [("", WEIGHTS), ("vllm serve m --kv-cache-dtype fp8", CACHE), ("loading int8 weights", WEIGHTS)],
)
def test_of_several_ways_out_the_one_for_what_the_paste_says_comes_first(
    tmp_path: Path, said: str, first: str
) -> None:
    ways = [{"do": WEIGHTS}, {"do": CACHE, "costs": "Twice the bytes."}]
    write_records(tmp_path, [record("sample-ways", symptom=symptom(signature(FP8[12:])), workaround=ways)])
    (found,) = search(f"{said}\n{FP8}", index=Index(build_index(tmp_path))).results
    assert str(found.do).startswith(first)
    assert len(found.otherwise) == 1
    assert f"{CACHE} Costs: Twice the bytes." in (found.do, *found.otherwise)


def test_a_proven_signature_is_it(index: Index) -> None:
    answer = search(FP8, index=index)
    assert (answer.verdict, ids(answer)) == (Verdict.THIS_IS_IT, ["sample-fp8e4nv-refused"])
    assert answer.results[0].do == "Undo what sample-fp8e4nv-refused did. Costs: Some speed."
    assert answer.results[0].lines[0].number == 1


@pytest.mark.parametrize(
    "noisy",
    [
        wrapped(FP8),
        wrapped(FP8, "vllm-1  | (EngineCore_DP0 pid=77) ERROR 07-02 18:16:49 [core.py:1047] "),
        wrapped(FP8, "[rank3]: "),
        wrapped(FP8, "> "),
        wrapped(FP8, "2026-07-02T18:16:49.123Z "),
        FP8.replace("'", "&#39;"),
        f"\x1b[31m{FP8}\x1b[0m\r\n",
        FP8.replace(" ", "\u00a0"),
        f"{healthy_log(10_000)}{wrapped(FP8)}",
        f"{wrapped(FP8)}{healthy_log(3_000)}",
        f"progress 1%\rprogress 2%\r{FP8}",
        f"{'x' * 100_000}\n{FP8}",
    ],
)
def test_noise_changes_nothing(index: Index, noisy: str) -> None:
    assert (search(noisy, index=index).verdict, ids(search(noisy, index=index))) == (
        Verdict.THIS_IS_IT,
        ["sample-fp8e4nv-refused"],
    )


def test_invalid_utf8_around_it_changes_nothing(index: Index) -> None:
    run = Search(index)
    run.feed(lines_of([b"\xff\xfe\xfd garbage \xc3\n", FP8.encode() + b" \xff\n"]))
    assert ids(run.answer()) == ["sample-fp8e4nv-refused"]


@pytest.mark.parametrize(
    "text",
    [
        "OSError: [Errno 98] Address already in use",
        "CUDA out of memory",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. "
        "GPU 0 has a total capacity of 23.65 GiB",
        "ModuleNotFoundError: No module named 'foo'",
        "RuntimeError: CUDA error: device-side assert triggered",
        "Traceback (most recent call last):\nKeyError: 'model'",
        "KeyboardInterrupt",
        "Segmentation fault (core dumped)",
        "the server is slow",
        "Connection refused by 127.0.0.1:8000",
        "ImportError: libcudart.so.12: cannot open shared object file: No such file or directory",
        "hello",
        "vllm serve fails with an error on my gpu",
    ],
)
def test_what_is_not_known_is_not_claimed(index: Index, text: str) -> None:
    assert search(text, index=index).verdict is Verdict.NOT_KNOWN
    assert search(wrapped(text), index=index).verdict is Verdict.NOT_KNOWN


@pytest.mark.parametrize("lines", [18, 500, 5_000])
def test_a_healthy_log_is_not_claimed(index: Index, lines: int) -> None:
    assert search(healthy_log(lines), index=index).verdict is Verdict.NOT_KNOWN


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("invented turbo keys", "sample-fp8e4nv-keys"),
        ("sample-page-size", "sample-page-size"),
        ("see `Sample-Old-FP8-name`.", "sample-fp8e4nv-refused"),
        ("answers subtly wrong, large keys saturate", "sample-silent-saturation"),
        ("sample old fp8 name", "sample-fp8e4nv-refused"),
    ],
)
def test_a_few_words_find_what_looks_like_it(index: Index, text: str, first: str) -> None:
    answer = search(text, index=index)
    assert answer.verdict is Verdict.LOOKS_LIKE
    assert ids(answer)[0] == first
    assert len(answer.results) <= 3


def test_one_word_finds_all_that_are_about_it(index: Index) -> None:
    answer = search("fp8e4nv", index=index)
    assert answer.verdict is Verdict.LOOKS_LIKE
    assert {"sample-fp8e4nv-refused", "sample-fp8e4nv-keys"} <= set(ids(answer))


def test_the_more_specific_of_strangers_wins(index: Index) -> None:
    answer = search(f"{FP8.partition(chr(46))[0]}, while casting turbo key 7", index=index)
    assert (answer.verdict, ids(answer)) == (Verdict.THIS_IS_IT, ["sample-fp8e4nv-keys"])


def test_siblings_stay_side_by_side_with_what_tells_them_apart(index: Index) -> None:
    answer = search(OVERFLOW, index=index)
    assert answer.verdict is Verdict.LOOKS_LIKE
    assert ids(answer) == ["sample-smem-decode", "sample-smem-gemm"]
    assert answer.results[0].tell_apart == {"sample-smem-gemm": "The decode kernel is in the traceback."}
    assert answer.results[0].lines[0].holes == {"required": "147456", "limit": "101376"}


@pytest.mark.parametrize("kernel", ["decode_stage1", "gemm_kernel"])
def test_context_decides_between_siblings(index: Index, kernel: str) -> None:
    answer = search(f"in _invented_{kernel}\n{OVERFLOW}", index=index)
    assert (answer.verdict, ids(answer)) == (Verdict.THIS_IS_IT, [f"sample-smem-{kernel.split('_')[0]}"])


def test_what_only_a_report_shows_is_never_it(index: Index) -> None:
    answer = search("lattice phase blue is not aligned with quantum state", index=index)
    assert (answer.verdict, ids(answer)) == (Verdict.LOOKS_LIKE, ["sample-reported-only"])


@pytest.mark.parametrize(
    "line",
    [
        "GPU 0: NVIDIA H100 80GB HBM3",
        "compiling for sm_90",
        "Compute capability: 9.0",
        "vllm==0.9.0 is installed",
    ],
)
def test_a_machine_that_disagrees_takes_the_certainty(index: Index, line: str) -> None:
    answer = search(f"{line}\n{FP8}", index=index)
    assert answer.verdict is Verdict.LOOKS_LIKE
    result = answer.results[0]
    assert result.id == "sample-fp8e4nv-refused"
    if "vllm" not in line:
        assert "compute capability <8.9" in result.disagreed[0]


@pytest.mark.parametrize("line", ["NVIDIA GeForce RTX 3090", "on sm_86", "vLLM API server version 0.19.1"])
def test_a_machine_that_agrees_is_told(index: Index, line: str) -> None:
    answer = search(f"{line}\n{FP8}", index=index)
    assert answer.verdict is Verdict.THIS_IS_IT
    assert answer.results[0].agreed


def test_what_the_caller_knows_outweighs_the_text(index: Index) -> None:
    assert search(f"on sm_90\n{FP8}", machine_with("sm_86"), index=index).verdict is Verdict.THIS_IS_IT
    assert search(f"on sm_86\n{FP8}", machine_with("sm_90"), index=index).verdict is Verdict.LOOKS_LIKE


def test_knowing_nothing_of_a_machine_is_no_disagreement(index: Index) -> None:
    assert search(FP8, Machine(), index=index).verdict is Verdict.THIS_IS_IT


@pytest.mark.parametrize("text", ["kernel: NVRM: Xid 62: phantom ring fault", "phantom ring fault"])
def test_a_withdrawn_record_says_so_names_its_successor_and_advises_nothing(index: Index, text: str) -> None:
    answer = search(text, index=index)
    assert answer.verdict is Verdict.LOOKS_LIKE
    withdrawn, successor = answer.results
    assert withdrawn.withdrawn == ("Its author found a loose cable.", "sample-loose-cable")
    assert withdrawn.do is None
    assert (successor.id, successor.status, successor.by) == ("sample-loose-cable", "candidate", "successor")


def test_two_failures_in_one_log_are_both_named(index: Index) -> None:
    pages = "planning invented pages for 2 layers\nRuntimeError: invented page 5 is not divisible by 2"
    assert set(ids(search(f"{pages}\nthen\n{FP8}", index=index))) == {
        "sample-page-size",
        "sample-fp8e4nv-refused",
    }


def test_equal_texts_of_strangers_leave_it_open(tmp_path) -> None:
    same = symptom(signature("the very same lattice text"))
    root = write_records(tmp_path, [record("sample-a", symptom=same), record("sample-b", symptom=same)])
    answer = search("the very same lattice text", index=Index(build_index(root)))
    assert (answer.verdict, ids(answer)) == (Verdict.LOOKS_LIKE, ["sample-a", "sample-b"])


@pytest.mark.parametrize("status", ["draft", "contested"])
def test_what_no_run_bears_out_is_never_certain(tmp_path, status: str) -> None:
    doubtful = record("sample-a", status=status, symptom=symptom(signature("lattice text of its own")))
    answer = search("lattice text of its own", index=Index(build_index(write_records(tmp_path, [doubtful]))))
    assert answer.verdict is Verdict.LOOKS_LIKE


def test_a_signature_of_common_words_needs_its_context(tmp_path) -> None:
    vague = record(
        "sample-a", symptom=symptom(signature("CUDA out of memory", context=("_invented_marlin_repack",)))
    )
    index = Index(build_index(write_records(tmp_path, [vague])))
    assert search("CUDA out of memory", index=index).verdict is Verdict.NOT_KNOWN
    assert search("in _invented_marlin_repack\nCUDA out of memory", index=index).verdict is Verdict.THIS_IS_IT


def test_the_json_has_what_programs_rely_on(index: Index) -> None:
    found = json.loads(json.dumps(search(FP8, index=index).to_json()))
    assert (found["version"], found["answer"]) == (1, "this-is-it")
    assert {"id", "status", "score", "why"} <= set(found["results"][0])


def test_an_empty_base_knows_nothing(tmp_path) -> None:
    index = Index(build_index(write_records(tmp_path, [])))
    assert search(FP8, index=index).verdict is Verdict.NOT_KNOWN


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=400))
def test_any_text_gets_an_answer_and_never_certainty_without_a_signature(index: Index, text: str) -> None:
    answer = search(text, index=index)
    assert answer.verdict is not Verdict.THIS_IS_IT
    assert len(answer.results) <= 3


def test_a_huge_log_is_searched_in_constant_memory(index: Index) -> None:
    run = Search(index)
    chunk = healthy_log(400).encode()
    run.feed(lines_of([chunk]))
    tracemalloc.start()
    run.feed(lines_of(chunk + f"RuntimeError: lattice {number}\n".encode() for number in range(100)))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3_000_000, f"{peak} bytes for {len(chunk) * 100} bytes of log"
    assert ids(run.answer()) != ["sample-fp8e4nv-refused"]


@pytest.mark.parametrize(
    "line",
    [
        *(
            "(" * 16_000,
            "> " * 8_000,
            "\x1b]" * 8_000,
            "[" * 16_000,
            "a." * 8_000,
            "1 " * 8_000,
            "SIG" * 5_000,
        ),
        *("sm_" * 5_000, "vllm/" * 3_200, "capability1.1" * 1_200, "current " * 2_000, "&" * 16_000),
        *("['" * 7_000 + FP8, "Error:" * 2_600 + FP8, "/home/" * 2_700),
    ],
    ids=lambda line: line[:6],
)
def test_a_line_made_to_be_slow_is_not(index: Index, line: str) -> None:
    start = time.perf_counter()
    search(line, index=index)
    assert time.perf_counter() - start < 2


def test_a_signature_that_others_may_print_is_not_certain_without_its_context(tmp_path) -> None:
    shared = record(
        "sample-a", symptom=symptom(signature("lattice text of many", context=("_lattice_kernel",)))
    )
    index = Index(build_index(write_records(tmp_path, [shared])))
    assert search("lattice text of many", index=index).verdict is Verdict.LOOKS_LIKE
    assert search("lattice text of many\nin _lattice_kernel", index=index).verdict is Verdict.THIS_IS_IT


def test_the_package_is_the_function_that_it_offers(index: Index) -> None:
    text = "RuntimeError: invented page 24 is not divisible by 7"
    assert gpu_gotchas.search(text, index=index) == search(text, index=index)  # type: ignore[operator]


def test_nothing_is_loaded_before_somebody_searches() -> None:
    told = "import sys, gpu_gotchas; print('gpu_gotchas.search' in sys.modules, gpu_gotchas.search.__name__)"
    ran = subprocess.run([sys.executable, "-c", told], check=True, capture_output=True, text=True)
    assert ran.stdout.split() == ["False", "gpu_gotchas.search"]
