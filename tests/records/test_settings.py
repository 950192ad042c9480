from __future__ import annotations

from pathlib import Path

import pytest

from gpu_gotchas.hardware.truth import Truth
from gpu_gotchas.records.problems import RecordErrors
from gpu_gotchas.records.root import schema_root
from gpu_gotchas.records.setting import Releases
from gpu_gotchas.records.settings import ValueKind, read_settings, settings
from tests.records.samples import validator


def test_the_settings_fit_their_schema() -> None:
    import yaml

    data = yaml.safe_load((schema_root() / "settings.yaml").read_text(encoding="utf-8"))
    validator("settings").validate(data)
    assert set(data) == set(settings())


def test_what_issues_and_records_name_is_there() -> None:
    wanted = {
        "kv_cache_dtype": "--kv-cache-dtype",
        "attention_backend": "--attention-backend",
        "enforce_eager": "--enforce-eager",
        "tensor_parallel_size": "--tensor-parallel-size",
        "sglang_attention_backend": "--attention-backend",
    }
    assert {name: settings()[name].flag for name in wanted} == wanted
    assert settings()["VLLM_DISABLED_KERNELS"].variable == "VLLM_DISABLED_KERNELS"


def test_no_flag_of_a_package_means_two_settings() -> None:
    seen: dict[tuple[str, str, str | None], str] = {}
    for name, setting in settings().items():
        for way in (setting.flag, setting.variable):
            if way:
                key = (setting.package, way, setting.key if way == setting.flag else None)
                assert key not in seen, (name, seen[key])
                seen[key] = name


def test_no_spelling_of_a_package_means_two_settings() -> None:
    spelt: dict[tuple[str, str, str | None], set[str]] = {}
    for setting in settings().values():
        for way in setting.aliases:
            spelt.setdefault((setting.package, way, setting.key), set()).add(setting.flag or "")
            assert not any(
                other.flag == way and other.package == setting.package for other in settings().values()
            )
    assert all(len(flags) == 1 for flags in spelt.values())


def test_values_that_mean_another_one() -> None:
    assert settings()["dtype"].plain("half") == "float16"
    assert settings()["dtype"].plain("bfloat16") == "bfloat16"


def test_releases_that_know_a_flag_or_a_variable() -> None:
    backend = settings()["attention_backend"]
    assert backend.variable_releases is not None
    assert backend.flag_releases is not None
    assert [backend.variable_releases.hold(one) for one in ("0.14.1", "0.15.0", None)] == [
        Truth.YES,
        Truth.NO,
        Truth.UNKNOWN,
    ]
    assert backend.flag_releases.hold("0.12.0") is Truth.NO
    for wrong in ({}, {"since": "1.0", "before": "1.0"}, {"since": "1.0rc1"}):
        with pytest.raises(ValueError, match=r"give|empty|release"):
            Releases(**wrong)


def test_values_are_checked_as_listed_or_by_kind() -> None:
    assert settings()["kv_cache_dtype"].allows("fp8_e4m3")
    assert not settings()["kv_cache_dtype"].allows("fp9")
    assert settings()["tensor_parallel_size"].allows("2")
    assert not settings()["tensor_parallel_size"].allows("two")
    assert settings()["VLLM_BATCH_INVARIANT"].allows("1")


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (ValueKind.INTEGER, "-3", "3.0"),
        (ValueKind.NUMBER, "0.9", "much"),
        (ValueKind.BOOLEAN, "true", "1"),
        (ValueKind.TEXT, "anything", ""),
    ],
)
def test_kinds(kind: ValueKind, good: str, bad: str) -> None:
    assert kind.allows(good)
    assert not kind.allows(bad)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x: {package: p, meaning: m, flag: --x}", "must give either values or kind"),
        (
            "x: {package: p, meaning: m, flag: --x, kind: text, values: [a]}",
            "must give either values or kind",
        ),
        ("x: {package: p, meaning: m, kind: text}", "must give flag or variable, or fact"),
        ("x: {package: p, meaning: m, variable: X, key: k, kind: text}", "give flag too"),
        ("x: {package: p, meaning: m, flag: --x, values: [a], default: b}", "default 'b' is no legal value"),
        ("x: {package: p, meaning: m, fact: f, flag: --x, kind: text}", "leave out flag and variable"),
        ("x: {package: p, meaning: m, variable: X, aliases: [-y], kind: text}", "give flag too"),
        (
            "x: {package: p, meaning: m, flag: --x, values: [a], auto: [b]}",
            "auto, same and usual: 'b' is no legal",
        ),
        (
            "x: {package: p, meaning: m, flag: --x, values: [a], same: {b: a}}",
            "auto, same and usual: 'b' is no legal",
        ),
        (
            "x: {package: p, meaning: m, flag: --x, kind: text, variable_releases: {since: '1'}}",
            "know a flag or a variable",
        ),
        ("x: {package: p, meaning: m, flag: --x, kind: text, flag_releases: {}}", "since or before"),
        ("x: {package: p, meaning: m, flag: -x, kind: text}", "an option such as --kv-cache-dtype"),
    ],
)
def test_a_bad_setting_says_what_is_wrong(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "settings.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RecordErrors, match=f"settings.yaml:1: x.*{message}"):
        read_settings(path)
