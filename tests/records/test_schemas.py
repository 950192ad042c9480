"""Loader and schema say yes and no to the same records: made-up good ones, and good ones that were spoilt."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from packaging.version import InvalidVersion, Version

from gpu_gotchas.records.loading import load_candidates, load_gotcha
from gpu_gotchas.records.model import (
    Basis,
    ControlAxis,
    ExpectedExit,
    FixType,
    Kind,
    Risk,
    Severity,
    Status,
)
from gpu_gotchas.records.problems import RecordErrors
from gpu_gotchas.records.root import root as records_root
from gpu_gotchas.records.root import schema_root
from gpu_gotchas.records.settings import read_settings
from gpu_gotchas.repro.outcomes import Outcome
from gpu_gotchas.repro.probe import Probe, Role, Subject, Tier
from gpu_gotchas.repro.results import Result
from tests.records.samples import (
    CANDIDATE,
    DROP,
    GOOD,
    Step,
    changed,
    to_yaml,
    validator,
    write_candidates,
    write_record,
)

Place = tuple[Step, ...]


def loader_accepts(root: Path, data: Any) -> bool:
    try:
        load_gotcha(write_record(root, data, folder="any"))
    except RecordErrors:
        return False
    return True


def candidates_accepted(root: Path, data: Any) -> bool:
    write_candidates(root, data)
    try:
        load_candidates(root)
    except RecordErrors:
        return False
    return True


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("records")


def test_the_samples_are_good(root: Path) -> None:
    validator("gotcha").validate(GOOD)
    validator("candidate").validate([CANDIDATE])
    assert loader_accepts(root, GOOD)
    assert candidates_accepted(root, [CANDIDATE])


# Spoilt records -------------------------------------------------------------------------------------------

WRONG: list[Any] = [
    None,
    "",
    " ",
    " x",
    "x\ny",
    "x\n",
    "nope",
    "No Id",
    "any",
    "x" * 7000,
    0,
    -1,
    10**9,
    1.5,
    True,
    [],
    ["x", "x"],
    [1],
    {},
    {"x": 1},
    datetime.date(2026, 1, 1),
    "http://example.org/",
    "https://example.org/ x",
    "https://example",
    "https://example.org/issue/1",
    "2026-1-1",
    "2026-01-01",
    "2026-01",
    "1.0",
    "1.0rc1",
    ">=8.0,<9.0",
    ">= 1",
    "{int} and {word}",
    "{size:int} bytes",
    "{integer}",
    "half {open",
    "{{closed}} {any}",
]


def places(data: Any, at: Place = ()) -> Iterator[Place]:
    if at:
        yield at
    if isinstance(data, dict):
        for key, value in data.items():
            yield from places(value, (*at, key))
    elif isinstance(data, list):
        for number, value in enumerate(data):
            yield from places(value, (*at, number))


def tables(data: Any, at: Place = ()) -> Iterator[Place]:
    if isinstance(data, dict):
        yield at
        for key, value in data.items():
            yield from tables(value, (*at, key))
    elif isinstance(data, list):
        for number, value in enumerate(data):
            yield from tables(value, (*at, number))


def look_up(data: Any, place: Place) -> Any:
    for step in place:
        data = data[step]
    return data


def spoilings(data: Any) -> st.SearchStrategy[tuple[Place, Any]]:
    """One change: a value replaced, a key or item dropped, a key added, a list doubled."""
    everywhere = list(places(data))
    lists = [place for place in everywhere if isinstance(look_up(data, place), list)]
    unknown_keys = [(*place, key) for place in tables(data) for key in ("unknown", "ids", "Bad Key")]
    return st.one_of(
        st.tuples(st.sampled_from(everywhere), st.sampled_from(WRONG)),
        st.tuples(st.sampled_from(everywhere), st.just(DROP)),
        st.tuples(st.sampled_from(unknown_keys), st.sampled_from(["x", ["x"], None, {"introduced": "1.0"}])),
        st.sampled_from(lists).map(lambda place: (place, look_up(data, place) * 2)),
    )


def ends_before_it_begins(span: Any) -> bool:
    """Whether it is a range of versions, well formed, whose last bad or first fixed one comes too early."""
    if not isinstance(span, dict) or "introduced" not in span:
        return False
    try:
        start = Version(span["introduced"])
        last, fixed = (Version(span[end]) if end in span else None for end in ("last_bad", "fixed"))
    except (InvalidVersion, TypeError):
        return False
    return (last is not None and last < start) or (fixed is not None and fixed <= start)


@settings(max_examples=250, deadline=None)
@given(change=spoilings(GOOD))
def test_loader_and_schema_agree_on_spoilt_records(root: Path, change: tuple[Place, Any]) -> None:
    data = changed(GOOD, change)
    # That a range ends before it begins is beyond what a schema can say.
    assume(not ends_before_it_begins(look_up(data, change[0][:-1])))
    assert loader_accepts(root, data) == validator("gotcha").is_valid(data), (change, to_yaml(data))


@settings(max_examples=120, deadline=None)
@given(change=spoilings([CANDIDATE]))
def test_loader_and_schema_agree_on_spoilt_candidates(root: Path, change: tuple[Place, Any]) -> None:
    data = changed([CANDIDATE], change)  # type: ignore[arg-type]
    assert candidates_accepted(root, data) == validator("candidate").is_valid(data), (change, to_yaml(data))


@pytest.mark.parametrize("place", [(key,) for key in GOOD])
def test_every_key_of_a_record_is_looked_at(root: Path, place: Place) -> None:
    """No key takes just anything: a mapping that no key wants is refused by both."""
    data = changed(GOOD, (place, {"x": {"y": 1}}))
    assert not loader_accepts(root, data)
    assert not validator("gotcha").is_valid(data)


# Good records ---------------------------------------------------------------------------------------------

ids = st.from_regex(r"[a-z][a-z0-9]{0,8}(-[a-z0-9]{1,8}){0,3}", fullmatch=True)
urls = st.from_regex(r"https://[a-z]{1,9}\.(org|com)/[A-Za-z0-9/._#=?&-]{0,30}", fullmatch=True)
days = st.dates().map(datetime.date.isoformat)
releases = st.from_regex(r"(0|[1-9][0-9]{0,2})(\.(0|[1-9][0-9]{0,2})){1,2}(\.post[1-9])?", fullmatch=True)
_visible = st.sampled_from("abcdefgXYZ0123456789_-+*/=<>()[]'\"#&!%@:,.;|~`^$\\é…× ")
lines = st.text(_visible, min_size=1, max_size=60).map(str.strip).filter(bool)
prose = st.lists(lines, min_size=1, max_size=4).map("\n".join)
literals = st.text(_visible, min_size=1, max_size=12)
holes = st.builds(
    lambda name, kind: "{" + (f"{name}:" if name else "") + kind + "}",
    st.none(),
    st.sampled_from(["int", "hex", "path", "word", "any"]),
)
templates = (
    st.lists(st.one_of(literals, holes, st.sampled_from(["{{", "}}"])), min_size=1, max_size=6)
    .map(lambda parts: "".join(["x", *parts, "y"]))
    .map(lambda text: " ".join(text.split()))
)


def values(kind: type[Enum]) -> st.SearchStrategy[str]:
    return st.sampled_from([member.value for member in kind])


def table(
    required: dict[str, Any], optional: dict[str, Any] | None = None
) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(required, optional=optional or {})


def some(
    strategy: st.SearchStrategy[Any], least: int = 0, unique: bool = False
) -> st.SearchStrategy[list[Any]]:
    return st.lists(strategy, min_size=least, max_size=3, unique=unique)


signatures = table(
    {"lines": some(templates, 1), "basis": values(Basis)},
    {"basis_url": urls, "context": some(templates, unique=True)},
)
bounds = st.builds(
    "{} {}".format, st.sampled_from([">=", "<="]), st.sampled_from(["0", "0.5", "-3", "1e-3", "2E+4"])
)
version_ranges = st.one_of(
    table({"introduced": releases}, {"fixed": releases.map("1000.{}".format), "measured": st.booleans()}),
    table({"last_bad": releases}, {"introduced": st.sampled_from(["0", "0.0.0"])}),
)
capability = st.sampled_from([">=8.0,<9.0", "<8.9", ">= 10.0", "==8.6", ">8.9 , <=12.1"])
numbers = st.sampled_from(["<=101376", ">=24", "== 2", ">1,<9"])
hardware = st.one_of(
    st.just("any"),
    table(
        {"nvidia": st.one_of(st.just("any"), table({"compute_capability": some(capability, 1)}))},
        {"shared_memory": numbers, "count": numbers, "p2p": st.booleans(), "intel": st.just("any")},
    ),
    table(
        {"amd": table({"gfx": some(st.sampled_from(["gfx942", "gfx90a"]), 1, unique=True)})},
        {"memory": numbers},
    ),
)
setting_values = st.lists(
    st.one_of(lines, st.booleans(), st.integers(-5, 10**6)),
    min_size=1,
    max_size=3,
    unique_by=lambda value: str(value).lower(),
)
cases = table(
    {"hardware": hardware},
    {
        "software": st.dictionaries(
            st.sampled_from(["vllm", "flash-attn", "nvidia-driver"]),
            st.one_of(st.just("any"), version_ranges, some(version_ranges, 1)),
            min_size=1,
        ),
        "platform": some(st.sampled_from(["linux", "windows", "macos", "wsl2", "container"]), 1, unique=True),
        "when": st.dictionaries(st.sampled_from(["dtype", "VLLM_X"]), setting_values, min_size=1),
    },
)
reports = table(
    {
        "url": urls,
        "by": st.from_regex(r"(github|forum):[A-Za-z0-9._-]{1,12}", fullmatch=True),
        "date": days,
        "says": st.sampled_from(["reproduces", "does-not-reproduce", "withdrawn"]),
    },
    {"on": some(ids, unique=True)},
)
dates_as_known = st.tuples(days, st.sampled_from([4, 7, 10])).map(lambda known: known[0][: known[1]])
believed_reports = table(
    {"url": urls, "date": dates_as_known, "says": st.sampled_from(["reproduces", "withdrawn"])},
    {"by": st.just("github:somebody"), "on": some(ids, unique=True)},
)
counts = st.integers(0, 1000)
observables = table(
    {
        "quantity": lines,
        "unit": lines,
        "bad": bounds,
        "good": bounds,
        "seeds": st.integers(1, 9),
        "repeats": st.integers(1, 9),
        "because": prose,
    }
)
good_records = table(
    {
        "id": ids,
        "title": lines,
        "status": values(Status),
        "severity": values(Severity),
        "kind": values(Kind),
        "added": days,
        "concepts": some(ids, 1, unique=True),
        "symptom": table(
            {"summary": prose},
            {"signatures": some(signatures), "observable": observables, "exit": values(ExpectedExit)},
        ),
        "root_cause": prose,
        "affects": some(cases),
        "reporter_count": counts,
    },
    {
        "aliases": some(ids, unique=True),
        "asked_as": some(lines, unique=True),
        "workaround": some(table({"do": prose}, {"costs": st.none() | prose})),
        "control": values(ControlAxis),
        "models": some(table({"package": st.just("vllm"), "version": releases, "function": lines})),
        "siblings": some(table({"id": ids, "tell_apart": prose})),
        "reports": some(reports),
        "fixes": some(table({"use": lines, "type": values(FixType), "costs": prose, "risk": values(Risk)})),
        "upstream": some(
            table(
                {
                    "url": urls,
                    "title": lines,
                    "state": st.sampled_from(["open", "closed", "merged"]),
                    "checked": days,
                },
                {"fixed_in": st.none() | lines},
            )
        ),
        "history": some(table({"date": days, "was": prose, "why": prose})),
        "successor": ids,
    },
)
good_candidates = st.lists(
    table(
        {
            "id": ids,
            "title": lines,
            "symptom": prose,
            "believed": prose,
            "because": prose,
            "repro_wanted": prose,
            "concepts": some(ids, 1, unique=True),
            "reporter_count": counts,
        },
        {
            "aliases": some(ids, unique=True),
            "asked_as": some(lines, unique=True),
            "signatures": some(signatures),
            "reports": some(believed_reports),
            "claimed": table({"number": st.integers(1, 99), "url": urls}),
        },
    ),
    max_size=2,
)


@settings(max_examples=60, deadline=None)
@given(data=good_records)
def test_both_take_good_records(root: Path, data: dict[str, Any]) -> None:
    validator("gotcha").validate(data)
    folder = write_record(root, data, folder="any")
    assert load_gotcha(folder).title == data["title"]


@settings(max_examples=25, deadline=None)
@given(data=good_candidates)
def test_both_take_good_candidates(root: Path, data: list[Any]) -> None:
    validator("candidate").validate(data)
    write_candidates(root, data)
    assert len(load_candidates(root)) == len(data)


# The other schemas ----------------------------------------------------------------------------------------

SETTINGS: dict[str, Any] = {
    "kv_cache_dtype": {
        "package": "vllm",
        "flag": "--kv-cache-dtype",
        "default": "auto",
        "values": ["auto", "fp8"],
        "meaning": "How keys are stored.",
    },
    "method": {
        "package": "vllm",
        "flag": "--speculative-config",
        "key": "method",
        "kind": "text",
        "meaning": "How tokens are proposed.",
    },
    "VLLM_X": {"package": "vllm", "variable": "VLLM_X", "kind": "boolean", "default": None, "meaning": "X."},
}


def settings_accepted(root: Path, data: Any) -> bool:
    path = root / "settings.yaml"
    path.write_text(to_yaml(data), encoding="utf-8")
    try:
        read_settings(path)
    except RecordErrors:
        return False
    return True


@settings(max_examples=100, deadline=None)
@given(change=spoilings(SETTINGS))
def test_reader_and_schema_agree_on_spoilt_settings(root: Path, change: tuple[Place, Any]) -> None:
    data = changed(SETTINGS, change)
    place, _ = change
    if place[-1] == "default" or "values" in place:
        return  # Whether a default is one of the values is beyond a schema.
    assert settings_accepted(root, data) == validator("settings").is_valid(data), change


RESULT = Result(
    gotcha="fp8-cast-below-sm89",
    tier=Tier.COMPILE,
    target="sm_86",
    probe=Probe.BUG,
    role=Role.AFFECTED,
    subject=Subject.MECHANISM,
    outcome=Outcome.REPRODUCED,
    reason="type fp8e4nv not supported",
    proves="0123456789abcdef",
    seconds=0.25,
    versions={"triton": "3.7.0"},
    device=None,
    date="2026-11-30T10:00:00Z",
    measured=(0.5,),
)


def as_line(result: Result) -> dict[str, Any]:
    line: dict[str, Any] = json.loads(result.to_json())
    return line


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"tier": Tier.PACKAGE, "subject": Subject.UPSTREAM, "package": "vllm==0.33.0", "described": True},
        {
            "outcome": Outcome.MASKED,
            "masked_by": "another-failure",
            "device": "NVIDIA H200",
            "by": "github:x",
        },
        {"outcome": Outcome.SKIPPED, "target": "none", "proves": "", "versions": {}, "measured": ()},
    ],
)
def test_a_result_fits_its_schema(changes: dict[str, Any]) -> None:
    validator("result").validate(as_line(replace(RESULT, **changes)))


def test_kept_results_fit_their_schema() -> None:
    kept = list(records_root().glob("*/verified.jsonl"))
    assert kept
    for path in kept:
        for line in path.read_text(encoding="utf-8").splitlines():
            validator("result").validate(json.loads(line))


@pytest.mark.parametrize("key", [key for key in as_line(RESULT) if key not in ("by", "measured")])
def test_a_result_lacks_nothing(key: str) -> None:
    assert not validator("result").is_valid(changed(as_line(RESULT), ((key,), DROP)))
    assert not validator("result").is_valid(changed(as_line(RESULT), ((key,), ["x"])))


@pytest.mark.parametrize("key", ["Version", "outcomes"])
def test_a_result_has_no_other_keys(key: str) -> None:
    assert not validator("result").is_valid(as_line(RESULT) | {key: 1})


@pytest.mark.parametrize(
    ("schema", "path", "kind"),
    [
        ("gotcha", "properties/status", Status),
        ("gotcha", "properties/severity", Severity),
        ("gotcha", "properties/kind", Kind),
        ("gotcha", "properties/control", ControlAxis),
        ("gotcha", "$defs/signature/properties/basis", Basis),
        ("gotcha", "$defs/symptom/properties/exit", ExpectedExit),
        ("gotcha", "properties/fixes/items/properties/type", FixType),
        ("gotcha", "properties/fixes/items/properties/risk", Risk),
        ("result", "properties/tier", Tier),
        ("result", "properties/probe", Probe),
        ("result", "properties/role", Role),
        ("result", "properties/subject", Subject),
        ("result", "properties/outcome", Outcome),
    ],
)
def test_schema_and_model_list_the_same_values(schema: str, path: str, kind: type[Enum]) -> None:
    at = json.loads((schema_root() / f"{schema}.schema.json").read_text(encoding="utf-8"))
    assert look_up(at, tuple(path.split("/")))["enum"] == [member.value for member in kind]


@pytest.mark.parametrize("name", ["gotcha", "candidate", "settings", "result"])
def test_every_schema_is_a_schema(name: str) -> None:
    assert validator(name).schema["$id"] == f"{name}.schema.json"
