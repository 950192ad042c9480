"""What a result holds is said twice, by a class and by a schema that others rely on. Both say the same."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_gotchas.hardware.catalogue import targets
from gpu_gotchas.records.root import root
from gpu_gotchas.repro.outcomes import Outcome
from gpu_gotchas.repro.probe import Probe, Role, Subject, Tier
from gpu_gotchas.repro.results import KEPT, Result
from tests.repro.strategies import results

pytest.importorskip("jsonschema")

from tests.records.samples import validator

SCHEMA = validator("result")
PROPERTIES: dict[str, Any] = SCHEMA.schema["properties"]  # type: ignore[index]
KEPT_FILES = sorted(root().glob(f"*/{KEPT}"))

real = results(
    gotcha=st.from_regex(r"[a-z0-9]{1,8}(-[a-z0-9]{1,8}){0,3}", fullmatch=True),
    target=st.sampled_from(["cpu", "none", *(target.name for target in targets())]),
    proves=st.from_regex(r"([0-9a-f]{16})?", fullmatch=True),
    device=st.none() | st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
    by=st.none() | st.just("github:someone"),
    package=st.none() | st.just("vllm==0.33.0"),
    masked_by=st.none() | st.just("other-record"),
)


@given(real)
def test_every_line_that_is_written_is_valid(result: Result) -> None:
    SCHEMA.validate(json.loads(result.to_json()))


def test_both_name_the_same_parts() -> None:
    assert PROPERTIES.keys() == {"version", *(field.name for field in fields(Result))}


@pytest.mark.parametrize(
    ("name", "kind"),
    [("tier", Tier), ("probe", Probe), ("role", Role), ("subject", Subject), ("outcome", Outcome)],
)
def test_both_know_the_same_words(name: str, kind: Any) -> None:
    assert set(PROPERTIES[name]["enum"]) == {member.value for member in kind}


@pytest.mark.parametrize("path", KEPT_FILES, ids=lambda path: path.parent.name)
def test_what_is_kept_beside_a_record_is_valid(path: Any) -> None:
    for line in path.read_text(encoding="utf-8").splitlines():
        SCHEMA.validate(json.loads(line))
