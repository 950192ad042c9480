from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gpu_gotchas.repro.children import Children
from gpu_gotchas.repro.forking import Nursery
from gpu_gotchas.repro.probe import Tier
from gpu_gotchas.repro.request import Observation, Request

PROBES = Path(__file__).with_name("misbehaving.py")

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")


class Spawned(Children):
    """Starts every child as one for a card is started."""

    _fork = Children._spawn


@pytest.fixture(params=[Children, Spawned], ids=["forked", "spawned"])
def starter(request: pytest.FixtureRequest, light: Path) -> Iterator[Children]:
    with request.param() as started:
        yield started


def ask(function: str, **parts: object) -> Request:
    return replace(Request(str(PROBES), function, Tier.LOGIC, "cpu"), **parts)


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def gone_within(pid: int, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not is_alive(pid)


class TestEnds:
    """Forked or spawned, a child ends in the same ways."""

    def test_what_returns_says_what(self, starter: Children) -> None:
        seen = starter.run(ask("returns"))
        assert seen.answer
        assert (seen.answer.ended, seen.answer.value) == ("returned", {"name": "cpu", "numbers": [1, 2.5]})
        assert (seen.exit, seen.timed_out, seen.flooded, seen.lost) == (0, False, False, "")
        assert seen.answer.versions["python"] == ".".join(map(str, sys.version_info[:3]))

    def test_what_raises_says_what_through_the_whole_chain(self, starter: Children) -> None:
        seen = starter.run(ask("raises"))
        assert seen.answer
        assert seen.answer.ended == "raised"
        assert seen.answer.exception == "KeyError: 'the first'\nValueError: the second"
        assert "in raises" in seen.answer.output
        assert "in raises" not in seen.symptom_text

    def test_an_abort_is_a_signal(self, starter: Children) -> None:
        seen = starter.run(ask("aborts"))
        assert (seen.answer, seen.exit) == (None, -signal.SIGABRT)

    def test_an_exit_without_an_exception_keeps_its_last_words(self, starter: Children) -> None:
        seen = starter.run(ask("exits_at_once"))
        assert (seen.answer, seen.exit) == (None, 1)
        assert "LLVM ERROR: cannot select" in seen.symptom_text

    def test_a_hang_ends_at_its_limit_and_keeps_what_was_printed(self, starter: Children) -> None:
        began = time.monotonic()
        seen = starter.run(ask("hangs"), timeout=2.0)
        assert (seen.answer, seen.timed_out) == (None, True)
        assert time.monotonic() - began < 10
        assert "step 1" in seen.streams

    def test_an_endless_print_ends(self, starter: Children) -> None:
        seen = starter.run(ask("prints_without_end"), timeout=60)
        assert (seen.answer, seen.flooded, seen.timed_out) == (None, True, False)
        assert len(seen.streams) < 2**20

    def test_what_c_prints_is_seen(self, starter: Children) -> None:
        seen = starter.run(ask("prints_in_c"))
        assert {"said in C", "buffered in C", "said in Python"} <= set(seen.streams.splitlines())
        assert seen.answer
        assert seen.answer.exception == "ValueError: and raised"

    def test_a_grandchild_left_behind_is_ended_and_the_answer_stands(self, starter: Children) -> None:
        seen = starter.run(ask("leaves_a_grandchild"))
        assert seen.answer
        assert seen.answer.ended == "returned"
        assert gone_within(seen.answer.value, 5)

    def test_one_left_by_a_hang_is_ended_too(self, starter: Children) -> None:
        seen = starter.run(ask("leaves_a_grandchild_and_hangs"), timeout=2.0)
        assert seen.timed_out
        assert gone_within(int(seen.streams), 5)

    def test_what_happens_after_the_answer_is_nothing(self, starter: Children) -> None:
        for probe in ("breaks_at_exit", "hangs_in_a_thread"):
            seen = starter.run(ask(probe), timeout=30)
            assert seen.answer
            assert (seen.answer.ended, seen.exit, seen.timed_out) == ("returned", 0, False)

    def test_the_environment_is_scrubbed(self, starter: Children, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HF_TOKEN", "secret")
        seen = starter.run(ask("tells_its_environment"))
        assert seen.answer
        assert "HF_TOKEN" not in seen.answer.value
        assert seen.answer.value["CUDA_VISIBLE_DEVICES"] == ""

    def test_modules_where_one_stands_are_not_imported(
        self, starter: Children, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "json.py").write_text("raise SystemExit('the wrong json')\n")
        monkeypatch.chdir(tmp_path)
        seen = starter.run(ask("tells_its_folder"))
        assert seen.answer, seen
        assert not seen.answer.value["json"].startswith(str(tmp_path))
        assert seen.answer.value["stdin"] == ""

    def test_each_child_has_a_cache_of_its_own_that_goes_with_it(self, starter: Children) -> None:
        folders = []
        for _ in range(2):
            seen = starter.run(ask("writes_a_file"))
            assert seen.answer
            folder, before = seen.answer.value
            assert before == []
            assert not Path(folder).exists()
            folders.append(folder)
        assert folders[0] != folders[1]

    def test_an_observable_is_measured_with_each_seed(self, starter: Children) -> None:
        seen = starter.run(ask("measures", seeds=2, repeats=2))
        assert seen.answer
        assert seen.answer.measured == (0.5, 0.5, 10.5, 10.5)


@pytest.mark.parametrize(
    ("function", "ended", "words"),
    [
        ("returns_an_object", "raised", "TypeError: a probe may not return a object"),
        ("exits", "raised", "SystemExit: 3"),
        ("no_such_probe", "unloadable", "defines no function no_such_probe"),
    ],
)
def test_other_ends(children: Children, function: str, ended: str, words: str) -> None:
    seen = children.run(ask(function))
    assert seen.answer
    assert seen.answer.ended == ended
    assert words in seen.answer.exception


def test_only_a_refusal_that_names_all_it_should_is_one(children: Children) -> None:
    whole, half = children.run(ask("refuses")), children.run(ask("refuses_without_a_way_out"))
    assert whole.answer
    assert whole.answer.refused
    assert half.answer
    assert not half.answer.refused


def test_bytes_that_are_no_text_are_replaced(children: Children) -> None:
    assert children.run(ask("prints_no_utf8")).streams == "\ufffd\ufffd end\n"


def test_a_repro_that_cannot_be_imported_says_why(children: Children, tmp_path: Path) -> None:
    path = tmp_path / "repro.py"
    path.write_text("import no_such_module\n")
    seen = children.run(ask("bug", path=str(path)))
    assert seen.answer
    assert seen.answer.ended == "unloadable"
    assert "No module named 'no_such_module'" in seen.answer.exception
    assert seen.answer.missing == "no_such_module"
    assert seen.limit == 120


def test_a_probe_that_needs_what_is_not_installed_names_it(children: Children, tmp_path: Path) -> None:
    path = tmp_path / "repro.py"
    path.write_text("def bug(target):\n    import no_such_module\n")
    seen = children.run(ask("bug", path=str(path)))
    assert seen.answer
    assert (seen.answer.ended, seen.answer.missing) == ("raised", "no_such_module")


def test_a_repro_imports_what_lies_beside_it(children: Children, tmp_path: Path) -> None:
    (tmp_path / "repro.py").write_text("from helper import answer\ndef bug(target): return answer\n")
    (tmp_path / "helper.py").write_text("answer = 42\n")
    seen = children.run(ask("bug", path=str(tmp_path / "repro.py")))
    assert seen.answer
    assert seen.answer.value == 42


def test_an_unknown_target_is_told(children: Children) -> None:
    seen = children.run(ask("returns", tier=Tier.COMPILE, target="sm_68"))
    assert seen.answer
    assert seen.answer.ended == "unloadable"
    assert "unknown target 'sm_68'; did you mean" in seen.answer.exception


@pytest.mark.usefixtures("light")
class TestTheNursery:
    def test_it_serves_one_probe_after_another_each_in_a_process_of_its_own(self) -> None:
        with Children() as own:
            one, other = (own.run(ask("tells_its_process")) for _ in range(2))
        assert one.answer
        assert other.answer
        assert one.answer.value[0] != other.answer.value[0]
        assert one.answer.value[1] == other.answer.value[1]

    def test_one_that_was_killed_between_two_probes_is_replaced(self) -> None:
        with Children() as own:
            first = own.run(ask("tells_its_process"))
            assert first.answer
            os.kill(first.answer.value[1], signal.SIGKILL)
            assert gone_within(first.answer.value[1], 5)
            second = own.run(ask("tells_its_process"))
            assert second.answer
            assert second.answer.value[1] != first.answer.value[1]

    def test_one_that_is_killed_under_a_probe_is_told_and_the_next_probe_gets_another(
        self, tmp_path: Path
    ) -> None:
        told = tmp_path / "pid"
        repro = tmp_path / "repro.py"
        repro.write_text(
            "import os, signal, time\n"
            "def bug(target):\n"
            f"    open({str(told)!r}, 'w').write(str(os.getpid()))\n"
            "    os.kill(os.getppid(), signal.SIGKILL)\n"
            "    time.sleep(600)\n"
        )
        with Children() as own:
            seen = own.run(ask("bug", path=str(repro)))
            assert seen.answer is None
            assert "the process that forks probes ended before its probe did" in seen.lost
            assert gone_within(int(told.read_text()), 5)
            after = own.run(ask("returns"))
            assert after.answer
            assert after.answer.ended == "returned"

    def test_closing_ends_it_and_the_probe_it_watches(self, tmp_path: Path) -> None:
        own = Nursery(tmp_path / "cache")
        pid = own.pid
        assert own.alive
        own.close()
        assert not own.alive
        assert gone_within(pid, 1)

    def test_one_that_cannot_start_says_why(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
        (tmp_path / "python").write_text("#!/bin/sh\necho 'no such Python' >&2\nexit 1\n")
        (tmp_path / "python").chmod(0o755)
        with Children() as own:
            seen = own.run(ask("returns"))
        assert seen.lost == "the process that forks probes did not start: no such Python"

    def test_a_library_that_breaks_on_import_is_told_by_the_probe_that_needs_it(
        self, tmp_path: Path, light: Path
    ) -> None:
        (light / "torch.py").write_text("raise OSError('libtorch.so is damaged')\n")
        repro = tmp_path / "repro.py"
        repro.write_text("def bug(target):\n    import torch\ndef fixed(target): ...\n")
        with Children() as own:
            bug, fixed = (own.run(ask(name, path=str(repro))) for name in ("bug", "fixed"))
        assert bug.answer
        assert bug.answer.exception == "OSError: libtorch.so is damaged"
        assert fixed.answer
        assert fixed.answer.ended == "returned"


def test_a_card_is_asked_in_a_spawned_child() -> None:
    """CUDA does not survive a fork, so no other way is open to the device tier."""
    started: list[str] = []

    class Watched(Children):
        def _spawn(self, *_: object):  # type: ignore[override]
            started.append("spawned")
            raise InterruptedError

        def _fork(self, *_: object):  # type: ignore[override]
            started.append("forked")
            raise InterruptedError

    for tier in Tier:
        with pytest.raises(InterruptedError):
            Watched().run(ask("returns", tier=tier))
    assert started == ["forked", "forked", "forked", "spawned"]


def test_without_a_card_the_device_tier_says_so() -> None:
    with Children() as own:
        seen: Observation = own.run(ask("returns", tier=Tier.DEVICE, target="sm_86"))
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("there is a card here")
    assert seen.answer
    assert seen.answer.ended == "unloadable"
    assert "torch sees no card of sm_86 here" in seen.answer.exception


def test_asking_about_something_else_in_between_imports_a_release_once(tmp_path: Path, light: Path) -> None:
    """What importing costs is paid once a release, though each target is first asked about by itself."""
    (tmp_path / "made_up_release.py").write_text("import os\nBY = os.getpid()\n")
    repro = tmp_path / "repro.py"
    repro.write_text("def bug_package(target):\n    import made_up_release\n    return made_up_release.BY\n")
    asked = Request(str(repro), "bug_package", Tier.PACKAGE, "cpu", str(tmp_path), ("made_up_release",))
    plain = Request(str(repro), "bug_package", Tier.PACKAGE, "cpu", str(tmp_path))
    with Children() as children:
        seen = [children.run(request).answer for request in (asked, plain, asked)]
    first, between, last = (answer.value if answer else None for answer in seen)
    assert first == last != between
