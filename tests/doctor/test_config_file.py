"""Flags that a file holds, of `--config`."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from gpu_gotchas.doctor.command.config_file import ConfigError
from gpu_gotchas.doctor.command.launch import read_commands
from gpu_gotchas.doctor.facts import Facts
from gpu_gotchas.doctor.situation import situation
from gpu_gotchas.records.settings import settings


def test_flags_of_a_file_hold_where_the_command_line_is_silent(tmp_path: Path) -> None:
    file = tmp_path / "flags.yaml"
    file.write_text(
        "model: some/model\nkv_cache_dtype: fp8\nenforce-eager: true\n"
        "enable-prefix-caching: false\ndtype: half\n"
        "speculative-config:\n  method: mtp\n  num_speculative_tokens: 3\n"
    )
    for command in ("vllm serve", "python -m vllm.entrypoints.openai.api_server"):
        words = shlex.split(f"{command} --config flags.yaml --dtype float32")
        (launch,) = read_commands(words, settings(), base=tmp_path)
        assert launch.model == "some/model"
        assert launch.settings == {
            "kv_cache_dtype": "fp8",
            "enforce_eager": "true",
            "enable_prefix_caching": "false",
            "dtype": "float32",
            "speculative_method": "mtp",
            "num_speculative_tokens": "3",
        }
        assert launch.notes == ()


def test_what_a_file_sets_that_is_not_here_is_not_known(tmp_path: Path) -> None:
    for base in (None, tmp_path):
        (launch,) = read_commands(
            shlex.split("vllm serve m --config=gone.yaml --dtype half"), settings(), base=base
        )
        assert launch.elsewhere == "gone.yaml"
        assert "is not here" in launch.notes[0]
        where = situation(Facts(), launch, settings())
        assert (where.defaults, where.machine.settings) == ({}, {"dtype": "half"})


@pytest.mark.parametrize("text", ["- a\n", "{", "x: &a 1\ny: *a\n", "dtype: 1\ndtype: 2\n", ""])
def test_a_file_that_holds_no_flags_is_refused_with_its_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "flags.yaml").write_text(text)
    with pytest.raises(ConfigError, match=r"flags\.yaml:\d"):
        read_commands(["vllm", "serve", "m", "--config", "flags.yaml"], settings(), base=tmp_path)
