"""Results and hardware ranges at random."""

from __future__ import annotations

from datetime import UTC

from hypothesis import strategies as st

from gpu_gotchas.hardware.catalogue import targets
from gpu_gotchas.hardware.targets import Vendor
from gpu_gotchas.repro.outcomes import Outcome
from gpu_gotchas.repro.probe import Probe, Role, Subject, Tier
from gpu_gotchas.repro.results import Result

# Everything that is text in UTF-8, control characters and odd line ends included.
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
numbers = st.floats(allow_nan=False, allow_infinity=False)
dates = st.datetimes(timezones=st.just(UTC)).map(lambda moment: moment.isoformat())


def results(**parts: st.SearchStrategy[object]) -> st.SearchStrategy[Result]:
    """Results of any content; `parts` replaces the strategy of a field."""
    fields: dict[str, st.SearchStrategy[object]] = {
        "gotcha": texts,
        "tier": st.sampled_from(Tier),
        "target": st.sampled_from(["cpu", "none", "sm_86", "sm_100a", "gfx90a", "gfx942"]),
        "probe": st.sampled_from(Probe),
        "role": st.sampled_from(Role),
        "subject": st.sampled_from(Subject),
        "outcome": st.sampled_from(Outcome),
        "reason": texts,
        "proves": texts,
        "seconds": st.floats(0, 1e9) | st.integers(0, 1000),
        "versions": st.dictionaries(texts, texts, max_size=3),
        "device": st.none() | texts,
        "date": dates,
        "by": st.none() | texts,
        "package": st.none() | texts,
        "masked_by": st.none() | texts,
        "described": st.booleans(),
        "measured": st.lists(numbers, max_size=3).map(tuple),
    }
    return st.builds(Result, **{**fields, **parts})


_CAPABILITIES = [t.capability for t in targets() if t.vendor is Vendor.NVIDIA and t.capability]


@st.composite
def capability_ranges(draw: st.DrawFn) -> str:
    """A range such as `>=8.0,<8.9` whose ends are compute capabilities that exist."""
    low, high = sorted(draw(st.lists(st.sampled_from(_CAPABILITIES), min_size=2, max_size=2, unique=True)))
    lower, upper = f">={low[0]}.{low[1]}", f"<{high[0]}.{high[1]}"
    return draw(st.sampled_from([f"{lower},{upper}", lower, upper]))
