"""Where in a file a finding lies."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpu_gotchas.doctor.assess import assess
from gpu_gotchas.doctor.command.launch import Launch
from gpu_gotchas.doctor.places import line_of
from gpu_gotchas.hardware.conditions import VersionRange
from gpu_gotchas.hardware.description import described_machine
from gpu_gotchas.records.settings import settings
from tests.doctor.samples import AMPERE, case, gotcha

COMPOSE = """\
# vllm --kv-cache-dtype
services:
  a:
    command: --model org/a --kv-cache-dtype fp8
  b:
    image: vllm/vllm-openai:v0.20.0
    command:
      - --model=org/b
      - --kv_cache_dtype=fp8
      - --kv-cache-dtype-skip-layers=1
"""
PINS = """\
torch==2.11.0
# vllm==0.20.0
vllm == 0.20.0 ; python_version > "3"
flashinfer_python==0.6.12
"""


def line(text: str, launch: Launch | None = None, software: str = "vllm", **when: str) -> int | None:
    span = {software: (VersionRange(fixed="9.0"),)} if software else {}
    record = gotcha(case(AMPERE, span, when={name: (value,) for name, value in when.items()}))
    machine = replace(
        described_machine("sm_86"),
        software={"vllm": "0.20.0", "flashinfer-python": "0.6.12"},
        settings=when,
    )
    return line_of(text, assess(record, machine, {}, settings()), launch, settings())


@pytest.mark.parametrize(("model", "expected"), [("org/a", 4), ("org/b", 9)])
def test_the_flag_that_is_nearest_to_its_server(model: str, expected: int) -> None:
    assert line(COMPOSE, Launch("vllm", model, {}), kv_cache_dtype="fp8") == expected


def test_the_image_s_version_where_no_flag_brings_it_about_else_the_server() -> None:
    assert line(COMPOSE, Launch("vllm", "org/b", {})) == 6
    assert line(COMPOSE, Launch("vllm", "org/b", {}), software="") == 8
    assert line(COMPOSE, Launch("vllm", None, {}), software="") == 6


def test_the_pin_of_the_package_and_no_comment() -> None:
    assert line(PINS) == 3
    assert line(PINS, software="flashinfer-python") == 4


def test_what_no_line_says_has_no_line() -> None:
    assert line(PINS, software="") is None
    assert line("", Launch("vllm", "m", {})) is None
