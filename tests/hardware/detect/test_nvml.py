"""NVML: what is read from the library, with one that answers as recorded and with one that fails."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from gpu_gotchas.hardware.catalogue import find_target
from gpu_gotchas.hardware.detect import nvml_library
from gpu_gotchas.hardware.detect.nvml import find, read
from gpu_gotchas.hardware.targets import Vendor

A5000 = ("NVIDIA RTX A5000", (8, 6), 25757220864)
H200 = (b"NVIDIA H200", (9, 0), 150754820096)
GB10 = ("NVIDIA GB10", (12, 1), None)


class Library:
    """Stands in for the library."""

    def __init__(self, *cards: Any, p2p: dict[tuple[int, int], int] | None = None) -> None:
        self._cards = cards
        self._p2p = p2p or {}
        self.open = False

    def nvmlInit(self) -> None:
        self.open = True

    def nvmlShutdown(self) -> None:
        self.open = False

    def nvmlDeviceGetCount(self) -> int:
        return len(self._cards)

    def nvmlDeviceGetHandleByIndex(self, index: int) -> int:
        return index

    def nvmlDeviceGetName(self, handle: int) -> str | bytes:
        return self._cards[handle][0]

    def nvmlDeviceGetCudaComputeCapability(self, handle: int) -> tuple[int, int]:
        return self._cards[handle][1]

    def nvmlDeviceGetMigMode(self, handle: int) -> list[int]:
        if self._cards[handle] is A5000:
            raise RuntimeError("Not Supported")
        return [1, 1]

    def nvmlDeviceGetMemoryInfo(self, handle: int) -> Any:
        if self._cards[handle][2] is None:
            raise RuntimeError("Not Supported")
        return SimpleNamespace(total=self._cards[handle][2])

    def nvmlSystemGetDriverVersion(self) -> str:
        return "580.65.06"

    def nvmlSystemGetCudaDriverVersion_v2(self) -> int:
        return 12080

    def nvmlDeviceGetP2PStatus(self, one: int, other: int, index: int) -> int:
        assert index == 0
        return self._p2p.get((one, other), 0)


def test_cards_driver_and_runtime() -> None:
    library = Library(A5000, H200)
    finding = read(library)
    assert finding.cards is not None
    assert [card.gpu for card in finding.cards] == ["nvidia-rtx-a5000", "nvidia-h200"]
    assert [card.target for card in finding.cards] == [find_target("sm_86"), find_target("sm_90")]
    assert finding.cards[0].memory == 25757220864
    assert finding.cards[1].name == "NVIDIA H200"
    assert [card.mig for card in finding.cards] == [None, True], "a card that cannot be divided does not say"
    assert finding.software == {"nvidia-driver": "580.65.06", "cuda-runtime": "12.8"}
    assert finding.p2p is True
    assert not library.open, "NVML is left open"


def test_a_card_that_shares_memory_reports_none() -> None:
    finding = read(Library(GB10))
    assert finding.cards is not None
    assert finding.cards[0].memory is None
    assert finding.cards[0].gpu == "nvidia-gb10"
    assert finding.p2p is None


def test_a_card_outside_the_catalogue_keeps_its_vendor() -> None:
    finding = read(Library(("NVIDIA GeForce GTX 980", (5, 2), 4 << 30)))
    assert finding.cards is not None
    assert finding.cards[0].target is None
    assert finding.cards[0].vendor is Vendor.NVIDIA


def test_what_the_driver_says_goes_before_the_name() -> None:
    finding = read(Library(("NVIDIA RTX A5000", (8, 9), 25757220864)))
    assert finding.cards is not None
    assert finding.cards[0].target is find_target("sm_89")
    assert finding.cards[0].gpu is None


@pytest.mark.parametrize(
    ("statuses", "p2p"),
    [
        ({}, True),
        ({(0, 1): 5, (1, 0): 5}, False),
        ({(0, 1): 3, (1, 0): 5}, False),
        ({(0, 1): 5}, None),
        ({(0, 1): 6, (1, 0): 6}, None),
    ],
)
def test_peer_access(statuses: dict[tuple[int, int], int], p2p: bool | None) -> None:
    assert read(Library(A5000, A5000, p2p=statuses)).p2p is p2p


def test_no_card_is_known() -> None:
    assert read(Library()).cards == ()


@pytest.mark.parametrize("broken", ["nvmlInit", "nvmlDeviceGetCount", "nvmlDeviceGetName"])
def test_a_failing_library_is_unknown(broken: str) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("Driver/library version mismatch")

    library = Library(A5000)
    setattr(library, broken, fail)
    finding = read(library)
    assert finding.cards is None
    assert "version mismatch" in finding.unknown[0].because
    assert not library.open


@pytest.mark.parametrize("broken", ["nvmlSystemGetDriverVersion", "nvmlDeviceGetP2PStatus"])
def test_one_failing_question_spoils_nothing_else(broken: str) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("Not Supported")

    library = Library(A5000, A5000)
    setattr(library, broken, fail)
    finding = read(library)
    assert finding.cards is not None
    assert len(finding.cards) == 2


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvml_library, "_LINUX", ("no-such-library.so.1",))
    monkeypatch.setattr(nvml_library.sys, "platform", "linux")
    finding = find()
    assert finding.cards is None
    assert "no-such-library" in finding.unknown[0].because


class Driver:
    """Stands in for libnvidia-ml itself: the functions fill in what they are handed."""

    def nvmlInit_v2(self) -> int:
        return 0

    nvmlShutdown = nvmlInit_v2

    def nvmlDeviceGetCount_v2(self, count: Any) -> int:
        count._obj.value = 1
        return 0

    def nvmlDeviceGetHandleByIndex_v2(self, index: Any, handle: Any) -> int:
        handle._obj.value = 7 + index.value
        return 0

    def nvmlDeviceGetName(self, handle: Any, buffer: Any, size: Any) -> int:
        assert (handle.value, size.value) == (7, len(buffer))
        buffer.value = b"NVIDIA H200"
        return 0

    def nvmlDeviceGetCudaComputeCapability(self, _: Any, major: Any, minor: Any) -> int:
        major._obj.value, minor._obj.value = 9, 0
        return 0

    def nvmlDeviceGetMemoryInfo(self, _: Any, memory: Any) -> int:
        memory._obj.total = 150754820096
        return 0

    def nvmlDeviceGetMigMode(self, *_: Any) -> int:
        return 3

    def nvmlSystemGetDriverVersion(self, buffer: Any, _: Any) -> int:
        buffer.value = b"580.65.06"
        return 0


def test_the_library_is_asked_as_nvidia_describes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = Driver()
    monkeypatch.setattr(nvml_library, "_load", lambda: driver)
    finding = find()
    assert finding.cards is not None
    (card,) = finding.cards
    assert (card.gpu, card.memory, card.mig) == ("nvidia-h200", 150754820096, None)
    assert finding.software == {"nvidia-driver": "580.65.06"}, "an old driver lacks one function"
    library = nvml_library.Library()
    with pytest.raises(nvml_library.NvmlError, match="is not in this driver"):
        library.nvmlSystemGetCudaDriverVersion_v2()
