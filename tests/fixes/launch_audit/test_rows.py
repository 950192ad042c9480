"""Known kernels on cards that are not here: what fails, what does not fit, what is done quietly."""

from __future__ import annotations

import pytest

pytest.importorskip("triton")

from gpu_gotchas.fixes.launch_audit import Row, audit_kernel
from gpu_gotchas.fixes.launch_audit.compiling import _words
from tests.fixes.launch_audit import kernels

TARGETS = ["sm_80", "sm_86", "sm_89", "sm_120"]


def rows(name: str) -> dict[str, Row]:
    return {row.variant: row for row in audit_kernel(kernels, name, TARGETS)}


def test_a_plain_kernel_has_no_findings_and_says_that_its_offsets_are_narrow() -> None:
    plain = rows("copy")["plain"]
    assert list(plain.findings()) == []
    assert {one.narrow for one in plain.compiled.values()} == {2}
    assert {one.narrow for one in rows("copy_wide")["plain"].compiled.values()} == {0}


def test_a_cast_that_old_cards_lack_is_found_there_and_nowhere_else() -> None:
    found = list(rows("to_fp8")["plain"].findings())
    assert [line.partition(":")[0] for line in found] == ["sm_80", "sm_86"]
    assert "type fp8e4nv not supported in this architecture" in found[0]


def test_a_tile_fits_the_card_that_has_room_for_it() -> None:
    large = rows("large")["plain"]
    assert {target: one.shared for target, one in large.compiled.items()} == dict.fromkeys(TARGETS, 131072)
    assert [target for target, one in large.compiled.items() if one.fits] == ["sm_80"]
    assert "sm_86: needs 131,072 bytes" in next(large.findings())
    assert {one.narrow for one in large.compiled.values()} == {0}


def test_what_nothing_tells_is_not_built_and_says_so() -> None:
    (row,) = rows("needs_a_name").values()
    assert row.not_built == "nothing says what INPUT_PRECISION is"
    assert not row.compiled


def test_what_an_argument_that_is_not_there_switches_on_is_off() -> None:
    (row,) = rows("with_order").values()
    assert not row.not_built
    assert "ROTATE" in row.guessed
    assert list(row.findings()) == []


def test_fp8_operands_are_a_variant_of_their_own() -> None:
    found = rows("dot_fp8")
    assert set(found) == {"plain", "fp8"}
    assert {target for target, one in found["fp8"].compiled.items() if one.error} == {"sm_80", "sm_86"}
    assert not found["fp8"].compiled["sm_89"].upcast


def test_rows_survive_their_file() -> None:
    for row in rows("to_fp8").values():
        assert Row.from_data(row.to_data()) == row


def test_the_assembler_s_words_are_told_without_folders_of_this_machine() -> None:
    error = RuntimeError(
        "Internal Triton PTX codegen error\n`ptxas` stderr:\n"
        "ptxas /tmp/x/y.ptx, line 9; error   : Feature 'f' requires .target sm_90 or higher\n"
        "ptxas fatal   : Ptx assembly aborted due to errors\n\n"
        "Repro command: /opt/z/ptxas --gpu-name=sm_80 /tmp/x/y.ptx"
    )
    told = "RuntimeError: ptxas y.ptx, line 9; error   : Feature 'f' requires .target sm_90 or higher"
    assert _words(error) == told
