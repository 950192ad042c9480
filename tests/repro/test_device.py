from __future__ import annotations

from types import SimpleNamespace

import pytest

from gpu_gotchas.hardware.catalogue import find_target
from gpu_gotchas.repro.device import use_card

torch = pytest.importorskip("torch")

CARDS = {
    "NVIDIA A100": {"major": 8, "minor": 0},
    "NVIDIA H200": {"major": 9, "minor": 0},
    "AMD Instinct MI300X": {"major": 9, "minor": 4, "gcnArchName": "gfx942:sramecc+:xnack-"},
}


@pytest.fixture
def chosen(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A machine of several cards, and which of them was made the current one."""
    properties = [SimpleNamespace(name=name, **parts) for name, parts in CARDS.items()]
    indices: list[int] = []
    monkeypatch.setattr(torch.cuda, "device_count", lambda: len(properties))
    monkeypatch.setattr(torch.cuda, "get_device_properties", properties.__getitem__)
    monkeypatch.setattr(torch.cuda, "set_device", indices.append)
    monkeypatch.setattr(torch.version, "hip", None)
    return indices


def test_the_card_of_the_target_is_used_wherever_it_sits(chosen: list[int]) -> None:
    assert use_card(find_target("sm_90")) == "NVIDIA H200"
    assert use_card(find_target("sm_80")) == "NVIDIA A100"
    assert chosen == [1, 0]


def test_on_amd_the_name_counts_without_its_features(
    chosen: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.version, "hip", "7.0")
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 3)
    monkeypatch.setattr(
        torch.cuda,
        "get_device_properties",
        lambda _: SimpleNamespace(name="MI300X", **CARDS["AMD Instinct MI300X"]),
    )
    assert use_card(find_target("gfx942")) == "MI300X"
    assert chosen == [0]


def test_without_such_a_card_it_says_what_there_is(chosen: list[int]) -> None:
    with pytest.raises(RuntimeError, match=r"torch sees no card of sm_86 here: NVIDIA A100 \(sm_80\), "):
        use_card(find_target("sm_86"))
    assert chosen == []


def test_without_any_card_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    with pytest.raises(RuntimeError, match="no card at all"):
        use_card(find_target("sm_86"))
