"""What to do: first what whoever starts a server can type, imports last, and a patch only where it helps."""

from __future__ import annotations

import shlex
from dataclasses import replace

import pytest

from gpu_gotchas.doctor.advice import AUTHORS, advice, short_advice
from gpu_gotchas.doctor.assess import Assessment, assess
from gpu_gotchas.doctor.command.launch import read_commands
from gpu_gotchas.doctor.remedies import FixState, Way
from gpu_gotchas.doctor.store import open_knowledge
from gpu_gotchas.doctor.variables import read_variables
from gpu_gotchas.doctor.wanted import wanted, workarounds
from gpu_gotchas.hardware.description import described_machine
from gpu_gotchas.records.model import FixType, Risk, Workaround
from gpu_gotchas.records.settings import settings
from tests.doctor.samples import AMPERE, case, fix, gotcha

# Applied in vLLM 0.20.0 to 0.33.0 and not needed in 0.19.1; not run in 0.22.0. See upstream/table.json.
PATCH = "triton-mla-fp8-smem-overflow"
USE = f"gpu_gotchas.upstream.patches.{PATCH.replace('-', '_')}"
IMPORT = fix("gpu_gotchas.fixes.launch_fit.LaunchFit", FixType.PLANNER)
BY_NAME = "kv-group-size-smallest-bucket"


def met(*fixes: object, ways: tuple[str, ...] = (), vllm: str = "0.21.0", **given: str) -> Assessment:
    record = replace(
        gotcha(case(AMPERE), fixes=fixes),  # type: ignore[arg-type]
        workaround=tuple(map(Workaround, ways)),
    )
    machine = replace(described_machine("sm_86"), software={"vllm": vllm}, settings=given)
    return assess(record, machine, {}, settings())


def test_what_can_be_typed_comes_first_and_the_import_is_marked() -> None:
    one = met(
        IMPORT,
        fix("vllm>=0.34.0", FixType.UPGRADE),
        fix(USE, FixType.PATCH),
        fix("--kv-cache-dtype auto", FixType.SETTING),
    )
    assert [each.way for each in one.remedies] == [Way.SETTING, Way.PATCH, Way.UPGRADE, Way.IMPORT]
    assert list(advice(one)) == [
        "Fix: --kv-cache-dtype auto  (setting, low risk)",
        f"Or: GPU_GOTCHAS_FIXES={PATCH}  (patch, low risk)",
        f"{AUTHORS}: from gpu_gotchas.fixes.launch_fit import LaunchFit  (planner, low risk)",
    ]
    assert short_advice(one) == "Fix: --kv-cache-dtype auto  (setting, low risk)"


def test_a_flag_in_a_workaround_goes_before_a_patch_and_a_sentence_without_one_behind() -> None:
    ways = ("Do without speculation.", "Leave the reduction to NCCL (--disable-custom-all-reduce).")
    found = list(advice(met(fix(USE, FixType.PATCH), IMPORT, ways=ways)))
    assert found[0] == f"Do: {ways[1]}"
    assert found[1].startswith("Or: GPU_GOTCHAS_FIXES=")
    found = list(advice(met(fix(USE, FixType.PATCH), IMPORT, ways=ways[:1])))
    assert found[1] == f"Or: {ways[0]}"


def test_a_patch_of_more_than_low_risk_comes_behind_an_upgrade() -> None:
    risky = replace(fix(USE, FixType.PATCH), risk=Risk.HIGH)
    found = met(risky, fix("vllm>=0.34.0", FixType.UPGRADE)).remedies
    assert [each.way for each in found] == [Way.UPGRADE, Way.PATCH]


def test_a_flag_that_takes_a_value_and_has_none_is_one_to_leave_out() -> None:
    (one,) = met(fix("--attention-backend", FixType.SETTING)).remedies
    assert one.how == "leave --attention-backend out"


@pytest.mark.parametrize(
    ("vllm", "asked", "state"),
    [
        ("0.21.0", PATCH, FixState.ACTIVE),
        ("0.21", PATCH, FixState.ACTIVE),
        ("0.21.0+cu130", f"a,{PATCH}", FixState.ACTIVE),
        ("0.21.0", "auto", FixState.ACTIVE),
        ("0.21.0", "off", FixState.AVAILABLE),
        ("0.21.0", "another-id", FixState.AVAILABLE),
        ("0.22.0", PATCH, FixState.AVAILABLE),
        ("0.21.0+fork", PATCH, FixState.AVAILABLE),
        ("0.19.1", PATCH, FixState.NONE),
    ],
)
def test_a_patch_is_in_force_where_it_is_asked_for_and_was_run(
    vllm: str, asked: str, state: FixState
) -> None:
    one = met(fix(USE, FixType.PATCH), vllm=vllm, GPU_GOTCHAS_FIXES=asked)
    assert (one.fix, one.bites) == (state, state is not FixState.ACTIVE)
    if state is FixState.ACTIVE:
        assert next(iter(advice(one))).startswith(
            f"Fix in force: GPU_GOTCHAS_FIXES={PATCH}, where gpu-gotchas"
        )


def test_a_patch_that_is_asked_for_and_was_not_run_in_this_release_says_so() -> None:
    (line,) = advice(met(fix(USE, FixType.PATCH), vllm="0.22.0", GPU_GOTCHAS_FIXES=PATCH))
    assert "nobody ran it in vLLM 0.22.0" in line


def test_auto_leaves_out_what_is_had_by_name_only_and_plugins_may_leave_out_all() -> None:
    use = f"gpu_gotchas.upstream.patches.{BY_NAME.replace('-', '_')}"
    assert met(fix(use, FixType.PATCH), GPU_GOTCHAS_FIXES="auto").fix is FixState.AVAILABLE
    assert met(fix(use, FixType.PATCH), GPU_GOTCHAS_FIXES=f"auto,{BY_NAME}").fix is FixState.ACTIVE
    asked = {"GPU_GOTCHAS_FIXES": PATCH, "VLLM_PLUGINS": "other"}
    assert met(fix(USE, FixType.PATCH), **asked).fix is FixState.AVAILABLE
    asked["VLLM_PLUGINS"] = "other, gpu_gotchas"
    assert met(fix(USE, FixType.PATCH), **asked).fix is FixState.ACTIVE


def test_where_nothing_is_known_that_is_said() -> None:
    assert list(advice(met())) == ["No fix is known."]
    assert list(advice(met(ways=("Do without.",)))) == ["No fix is known.", "Do: Do without."]
    assert short_advice(met(IMPORT)).startswith(AUTHORS)


def test_fixes_are_listed_with_imports_last_and_every_workaround_once() -> None:
    one = met(IMPORT, fix("--enforce-eager", FixType.SETTING), ways=("A.", "B."))
    other = replace(one, gotcha=replace(one.gotcha, id="other", workaround=(Workaround("A."),)))
    assert [each.remedy.way for each in wanted([one, other], [one.verdict])] == [Way.SETTING, Way.IMPORT]
    found = workarounds([one, other], [one.verdict])
    assert [(way.do, ids) for way, ids in found] == [
        ("A.", ("sample-one", "other")),
        ("B.", ("sample-one",)),
    ]


def test_every_fix_of_a_record_is_of_a_way_that_its_use_shows() -> None:
    """An import is one, however its name is spelt: nobody is told to type a dotted path."""
    known = open_knowledge()
    for record in known.records:
        for each in assess(record, described_machine("sm_86"), {}, known.settings).remedies:
            assert not each.how.startswith("gpu_gotchas."), record.id


def test_a_long_list_of_patches_is_read_whole() -> None:
    asked = ",".join([f"another-patch-{n}" for n in range(30)] + [PATCH])
    found = read_variables({"GPU_GOTCHAS_FIXES": asked}, settings(), {"vllm": "0.21.0"}).given
    assert met(fix(USE, FixType.PATCH), **found).fix is FixState.ACTIVE


@pytest.mark.parametrize(
    ("image", "there"),
    [
        ("vllm/vllm-openai:v0.33.0", False),
        ("docker.io/vllm/vllm-openai@sha256:0", False),
        ("our/vllm-openai:v0.33.0", True),
        ("--entrypoint bash vllm/vllm-openai:v0.33.0 -c 'pip install gpu-gotchas && vllm serve m'", True),
    ],
)
def test_an_image_that_vllm_publishes_has_no_patches(image: str, there: bool) -> None:
    command = shlex.split(
        f"docker run -e GPU_GOTCHAS_FIXES={PATCH} {image}" + " --model m" * ("'" not in image)
    )
    (launch,) = read_commands(command, settings())
    assert (launch.software.get("gpu-gotchas", "") is None) is not there
    software = {"vllm": "0.21.0", **({} if there else {"gpu-gotchas": None})}
    record = gotcha(case(AMPERE), fixes=(fix(USE, FixType.PATCH),))
    machine = replace(described_machine("sm_86"), software=software, settings={"GPU_GOTCHAS_FIXES": PATCH})
    one = assess(record, machine, {}, settings())
    assert one.bites is not there
    assert there or "the image has no gpu-gotchas" in next(iter(advice(one)))
