"""Every NVIDIA target of the catalogue has its generation, and generations are no ranges."""

from __future__ import annotations

import pytest

from gpu_gotchas.fixes.arch_family import family, is_hopper, runs_family_code
from gpu_gotchas.hardware.catalogue import targets

KNOWN = sorted({target.capability for target in targets() if target.capability})


@pytest.mark.parametrize("capability", [each for each in KNOWN if each >= (7, 0)])
def test_every_target_of_the_catalogue_is_known(capability: tuple[int, int]) -> None:
    assert family(capability)


def test_only_nine_zero_is_hopper() -> None:
    assert [each for each in KNOWN if is_hopper(each)] == [(9, 0)]


@pytest.mark.parametrize(
    ("card", "built_for", "runs"),
    [
        ((12, 1), (12, 0), True),
        ((12, 0), (12, 1), False),
        ((12, 0), (10, 0), False),
        ((10, 3), (10, 0), True),
        ((9, 0), (9, 0), False),
    ],
)
def test_family_code_runs_on_the_same_major_only(
    card: tuple[int, int], built_for: tuple[int, int], runs: bool
) -> None:
    assert runs_family_code(card, built_for) is runs
