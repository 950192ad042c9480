"""Records and machines for property tests, and machines of which less is known."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from gpu_gotchas.doctor.claims import Claim
from gpu_gotchas.doctor.setting_truth import AUTO
from gpu_gotchas.hardware.machine import Machine
from gpu_gotchas.hardware.platforms import PLATFORMS
from gpu_gotchas.records.model import Case, ControlAxis
from gpu_gotchas.records.settings import settings
from tests.doctor.samples import gotcha
from tests.hardware import strategies as hardware

NAMES = ("dtype", "kv_cache_dtype", "attention_backend", "enforce_eager", "model_layers", "sglang_dtype")


def _values(name: str) -> tuple[str, ...]:
    return settings()[name].values or ("true", "false")


def _subset(name: str) -> st.SearchStrategy[tuple[str, ...]]:
    values = st.sampled_from(_values(name))
    return st.lists(values, min_size=1, max_size=4, unique=True).map(tuple)


def cases() -> st.SearchStrategy[Case]:
    when = st.lists(st.sampled_from(NAMES), unique=True, max_size=2).flatmap(
        lambda names: st.fixed_dictionaries({name: _subset(name) for name in names})
    )
    ranges = st.lists(hardware.version_ranges(), min_size=1, max_size=2).map(tuple)
    software = st.dictionaries(st.sampled_from(hardware.PACKAGES), ranges, max_size=1)
    platform = st.lists(st.sampled_from(PLATFORMS), unique=True, max_size=1).map(tuple)
    return st.builds(Case, hardware.hardware_conditions(), software, platform, when)


def gotchas() -> st.SearchStrategy[Claim]:
    controls = st.sampled_from(list(ControlAxis))
    return st.builds(
        lambda affects, control: gotcha(*affects, control=control),
        st.lists(cases(), min_size=1, max_size=2),
        controls,
    )


def machines() -> st.SearchStrategy[Machine]:
    """Machines of which everything that records ask is known: nothing is left to a model."""
    chosen = st.fixed_dictionaries(
        {name: st.sampled_from([v for v in _values(name) if v != AUTO]) for name in NAMES}
    )
    platform = st.fixed_dictionaries({name: st.booleans() for name in PLATFORMS})
    return st.builds(
        lambda machine, values, facts: replace(machine, settings=values, platform=facts),
        hardware.machines(),
        chosen,
        platform,
    )


@st.composite
def less_known(draw: st.DrawFn, machine: Machine) -> Machine:
    """The same machine with some of what is known forgotten, or a choice still left to the model."""
    found = draw(hardware.less_known(machine))
    kept = {}
    for name, value in machine.settings.items():
        setting = settings()[name]
        state = draw(st.sampled_from(("known", "unknown", "auto")))
        if state == "auto" and setting.plain(value) in setting.auto:
            kept[name] = AUTO
        elif state != "unknown":
            kept[name] = value
    platform = {name: holds for name, holds in machine.platform.items() if draw(st.booleans())}
    return replace(found, settings=kept, platform=platform, count_known=draw(st.booleans()))
