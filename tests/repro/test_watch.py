from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gpu_gotchas.repro import watch
from gpu_gotchas.repro.watch import End, read_tail, wait


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        assert seconds <= 0.1, "an end is noticed within a tenth of a second"
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(watch, "time", made)
    return made


def ends_at(clock: Clock, moment: float, code: int) -> Callable[[], int | None]:
    return lambda: code if clock.now >= moment else None


def test_the_exit_code_is_what_the_child_gave(clock: Clock) -> None:
    kills: list[float] = []
    assert wait(ends_at(clock, 3, -6), lambda: kills.append(clock.now), [], 10) == End(-6)
    assert clock.now < 3.2
    assert kills == []


def test_after_the_limit_it_is_killed_once(clock: Clock) -> None:
    kills: list[float] = []
    end = wait(lambda: -9 if kills and clock.now > 11 else None, lambda: kills.append(clock.now), [], 10)
    assert end == End(-9, timed_out=True)
    assert len(kills) == 1
    assert 10 <= kills[0] < 10.2


def test_what_cannot_be_killed_is_left_behind_after_ten_seconds(clock: Clock) -> None:
    assert wait(lambda: None, lambda: None, [], 10) == End(-9, timed_out=True)
    assert 20 <= clock.now < 20.5


def test_too_much_output_ends_it(clock: Clock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "STREAM_LIMIT", 100)
    path = tmp_path / "stdout"
    kills: list[float] = []

    def poll() -> int | None:
        with path.open("a") as stream:
            stream.write("x" * 30)
        return -9 if kills else None

    assert wait(poll, lambda: kills.append(clock.now), [tmp_path / "none", path], 10) == End(-9, flooded=True)
    assert clock.now < 1


def test_the_tail_of_a_stream_is_what_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "stdout"
    assert read_tail(path) == ""
    path.write_bytes(b"first\nlast \xff\n")
    assert read_tail(path) == "first\nlast \ufffd\n"
    assert read_tail(path, limit=7) == "last \ufffd\n"
