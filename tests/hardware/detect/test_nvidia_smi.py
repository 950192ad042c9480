"""nvidia-smi: rows as it prints them, and everything it says instead of rows."""

from __future__ import annotations

import pytest

from gpu_gotchas.hardware.detect import nvidia_smi as module
from gpu_gotchas.hardware.detect.nvidia_smi import find, read
from gpu_gotchas.hardware.detect.tools import Output
from gpu_gotchas.hardware.machine import Unknown

SERVER = """\
NVIDIA RTX PRO 6000 Blackwell Server Edition, 97887, 580.65.06, 12.0
NVIDIA L4, 23034, 580.65.06, 8.9
"""
JETSON = "Orin (nvgpu), [N/A], 540.4.0, 8.7\n"
OLD = "GeForce RTX 2080 Ti, 11019, 450.51.06\n"
FAILED = (
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. "
    "Make sure that the latest NVIDIA driver is installed and running.\n"
)


def test_rows() -> None:
    finding = read(Output(SERVER, 0))
    assert finding.cards is not None
    assert [card.gpu for card in finding.cards] == ["nvidia-rtx-pro-6000-blackwell-server", "nvidia-l4"]
    assert [card.target.name for card in finding.cards if card.target] == ["sm_120", "sm_89"]
    assert finding.cards[1].memory == 23034 * 1024**2
    assert finding.software == {"nvidia-driver": "580.65.06"}


@pytest.mark.parametrize(
    ("mode", "mig"), [("Enabled", True), ("Disabled", False), ("[N/A]", None), ("[Not Supported]", None)]
)
def test_whether_a_card_is_divided(mode: str, mig: bool | None) -> None:
    finding = read(Output(f"NVIDIA A100-SXM4-40GB, 40960, 535.129.03, 8.0, {mode}\n", 0))
    assert finding.cards is not None
    assert finding.cards[0].mig is mig


def test_a_jetson_does_not_say_its_memory() -> None:
    finding = read(Output(JETSON, 0))
    assert finding.cards is not None
    (card,) = finding.cards
    assert (card.target and card.target.name, card.memory, card.gpu) == ("sm_87", None, None)


def test_an_old_driver_does_not_say_the_capability() -> None:
    finding = read(Output(OLD, 0))
    assert finding.cards is not None
    assert finding.cards[0].target is not None
    assert finding.cards[0].target.name == "sm_75"
    assert finding.cards[0].gpu == "nvidia-rtx-2080-ti"


def test_no_devices() -> None:
    assert read(Output("No devices were found\n", 0)).cards == ()


@pytest.mark.parametrize("text", ["", "\n", "Segmentation fault\n", "\x00" * 40, "a,b"])
def test_anything_else_is_unknown(text: str) -> None:
    assert read(Output(text, 0)).cards is None


def test_a_failure_is_reported_in_its_own_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "run", lambda _: Output(FAILED, 9))
    finding = find()
    assert finding.cards is None
    assert "couldn't communicate" in finding.unknown[0].because


def test_an_older_driver_is_asked_again_without_the_capability(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(command: list[str]) -> Output:
        if "compute_cap" in command[1]:
            return Output('Field "compute_cap" is not a valid field to query.\n', 2)
        return Output(OLD, 0)

    monkeypatch.setattr(module, "run", run)
    finding = find()
    assert finding.cards is not None
    assert len(finding.cards) == 1


def test_a_missing_tool_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "run", lambda _: Unknown("nvidia-smi", "it is not installed"))
    assert find().unknown[0].because == "nvidia-smi: it is not installed"
