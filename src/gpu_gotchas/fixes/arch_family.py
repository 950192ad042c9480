"""Which generation an NVIDIA card belongs to, by table instead of by comparison.

Compute capabilities are no ladder. A card of 12.0 has less shared memory than one of 8.0 and none of Hopper's
warpgroup instructions, so `>= 9` is no test for Hopper; and 12.1 runs what was built for 12.0's family, so
`== 12.0` is no test for it. Code for one generation asks for the generation.

Source: NVIDIA's list of CUDA GPUs, and the CUDA C++ programming guide on family-specific targets.
"""

from __future__ import annotations

_FAMILIES = {
    (7, 0): "volta",
    (7, 2): "volta",
    (7, 5): "turing",
    (8, 0): "ampere",
    (8, 6): "ampere",
    (8, 7): "ampere",
    (8, 8): "ampere",
    (8, 9): "ada",
    (9, 0): "hopper",
    (10, 0): "blackwell",
    (10, 3): "blackwell",
    (11, 0): "blackwell-thor",
    (12, 0): "blackwell-rtx",
    (12, 1): "blackwell-rtx",
}


def family(capability: tuple[int, int]) -> str | None:
    """The generation of (major, minor), such as "hopper"; None for one that the table does not know."""
    return _FAMILIES.get(capability)


def is_hopper(capability: tuple[int, int]) -> bool:
    """Whether code that was tuned for or needs Hopper is meant for this card."""
    return family(capability) == "hopper"


def runs_family_code(card: tuple[int, int], built_for: tuple[int, int]) -> bool:
    """Whether code for the family of `built_for` (`sm_120f`) runs on `card`: same major, not an older minor.

    Families begin with compute capability 10; before that there is no family code, and the answer is no.
    """
    return card[0] >= 10 and card[0] == built_for[0] and card[1] >= built_for[1]
