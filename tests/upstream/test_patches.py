"""Every patch: tied to a record, with its range, and to a file of the same name."""

from __future__ import annotations

import subprocess
import sys

import pytest

from gpu_gotchas.records.loading import load_all
from gpu_gotchas.records.model import FixType
from gpu_gotchas.upstream.patch import Patch
from gpu_gotchas.upstream.patches import all_patches

PATCHES = all_patches()
RECORDS = {gotcha.id: gotcha for gotcha in load_all()}
PROVEN = [patch for patch in PATCHES if patch.id in RECORDS]
each_proven = pytest.mark.parametrize("patch", PROVEN, ids=lambda patch: patch.id)
each = pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.id)


@each_proven
def test_its_record_names_it(patch: Patch) -> None:
    use = f"gpu_gotchas.upstream.patches.{patch.id.replace('-', '_')}"
    assert (use, FixType.PATCH) in {(fix.use, fix.type) for fix in RECORDS[patch.id].fixes}


@each_proven
def test_it_claims_the_releases_that_its_record_claims(patch: Patch) -> None:
    claimed = {
        (one.introduced, one.fixed, one.last_bad)
        for case in RECORDS[patch.id].affects
        for one in case.software[patch.places[0].package]
    }
    assert (patch.releases.introduced, patch.releases.fixed, patch.releases.last_bad) in claimed


def test_a_patch_of_what_no_record_proves_is_had_by_name_only() -> None:
    assert all(patch.opt_in for patch in PATCHES if patch.id not in RECORDS)


def test_no_record_names_a_patch_that_is_not_there() -> None:
    named = {
        fix.use.rpartition(".")[2].replace("_", "-")
        for gotcha in RECORDS.values()
        for fix in gotcha.fixes
        if fix.use.startswith("gpu_gotchas.upstream.patches.")
    }
    assert named == {patch.id for patch in PROVEN}


@each
def test_it_says_what_it_does_in_one_sentence_and_has_a_question(patch: Patch) -> None:
    assert patch.does.endswith(".")
    assert "\n" not in patch.does
    assert patch.question
    # An answer that takes a card or a compiler is none to ask for in a server.
    assert not patch.compiled or (patch.probe and patch.card)


def test_listing_them_imports_neither_torch_nor_what_they_patch() -> None:
    code = """
import sys
from gpu_gotchas.upstream.patches import all_patches
all_patches()
print(sorted({"torch", "triton", "vllm", "yaml", "numpy"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
