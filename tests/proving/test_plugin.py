"""pytest with the plugin, in a project of somebody else's."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gpu_gotchas.repro.outcomes import Outcome
from tests.proving.project import Project, add_failing, add_hanging, add_inconclusive

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")

NODES = [
    "gotchas/card-only::bug[device]",
    "gotchas/widget-misfit::bug[logic-cpu]",
    "gotchas/widget-misfit::fixed[logic-cpu]",
    "gotchas/widget-misfit::control[logic-cpu]",
]


def test_the_entry_module_pulls_in_nothing_of_ours(project: Project) -> None:
    """Every project that has the package installed imports it in every run."""
    code = (
        "import sys, gpu_gotchas_pytest\n"
        "ours = [name for name in sys.modules if name.partition('.')[0] == 'gpu_gotchas']\n"
        "heavy = {'torch', 'triton', 'yaml', 'typer', 'packaging.version'} & set(sys.modules)\n"
        "print(ours, heavy - set(BEFORE))\n"
    )
    setup = "import sys, pytest\nBEFORE = set(sys.modules)\n"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(project.paths)}
    done = subprocess.run(
        [sys.executable, "-c", setup + code],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.strip() == "[] set()"


class TestUnasked:
    """Without --gotchas it adds nothing."""

    def test_not_even_in_a_project_with_records_of_its_own(self, project: Project) -> None:
        project.write("gotchas/mine/gotcha.yaml", "id: mine\n")
        project.write("gotchas/mine/repro.py", "raise SystemExit\n")
        project.write("gotchas/mine/test_mine.py", "def test_mine(): pass\n")
        project.write(
            "test_all.py",
            """
            import sys

            def test_nothing_of_ours_is_imported():
                assert not [name for name in sys.modules if name.startswith("gpu_gotchas.")]
            """,
        )
        done = project.run()
        assert done.code == 0
        assert "2 passed" in done.output
        assert "gotchas:" not in done.output
        assert "= gotchas =" not in done.output

    def test_an_empty_folder_stays_empty(self, project: Project) -> None:
        assert project.run().code == pytest.ExitCode.NO_TESTS_COLLECTED

    def test_records_that_cannot_be_loaded_are_nobodys_concern(self, project: Project) -> None:
        (project.root / "widget-misfit" / "gotcha.yaml").write_text("nonsense: [\n")
        project.write("test_one.py", "def test_one(): pass\n")
        assert project.run().code == 0


class TestAsked:
    def test_in_an_empty_folder(self, project: Project) -> None:
        done = project.run("--gotchas")
        assert done.code == 0
        assert "collected 4 items" in done.output
        assert "3 passed, 1 skipped" in done.output

    def test_in_a_project_that_lies_beside_the_records(self, project: Project) -> None:
        beside = project.root.parent / "project"
        beside.mkdir()
        done = Project(beside, project.root, project.paths).run("--gotchas")
        assert "collected 4 items" in done.output

    def test_under_strict_settings(self, project: Project) -> None:
        project.write("pytest.ini", "[pytest]\nfilterwarnings = error\naddopts = --strict-markers\n")
        done = project.run("--gotchas", "-W", "error", "--strict-config", "-p", "no:cacheprovider")
        assert done.code == 0
        assert "warning" not in done.output
        assert not (project.folder / ".pytest_cache").exists()

    def test_beside_the_tests_of_the_project_and_its_own_gotchas(self, project: Project) -> None:
        project.write("gotchas/mine/gotcha.yaml", "id: mine\n")
        project.write("gotchas/widget-misfit/gotcha.yaml", "id: widget-misfit\n")
        project.write("gotchas/mine/test_mine.py", "def test_mine(): pass\n")
        done = project.run("--gotchas")
        assert done.code == 0
        assert "collected 5 items" in done.output
        assert "4 passed, 1 skipped" in done.output

    def test_spread_over_two_workers(self, project: Project) -> None:
        pytest.importorskip("xdist")
        done = project.run("--gotchas", "-n", "2", "--gotcha-report", "r.jsonl")
        assert done.code == 0
        assert "3 passed, 1 skipped" in done.output
        assert len(project.results("r.jsonl")) == 4
        assert "widget-misfit" in done.section("gotchas")

    def test_collecting_only_lists_them_and_runs_nothing(self, project: Project) -> None:
        done = project.run("--gotchas", "--collect-only", "-q", "--gotcha-report", "r.jsonl")
        assert done.lines[:4] == NODES
        assert "4 tests collected" in done.output
        assert not (project.folder / "r.jsonl").exists()

    def test_choosing_by_keyword(self, project: Project) -> None:
        done = project.run("--gotchas", "-k", "widget and fixed", "-v")
        assert f"{NODES[2]} fix-confirmed" in done.output
        assert "1 passed, 3 deselected" in done.output

    @pytest.mark.parametrize("name", ["widget-misfit", "old-misfit"])
    def test_an_id_or_an_older_name_of_it_asks_by_itself(self, project: Project, name: str) -> None:
        done = project.run("--gotcha", name)
        assert done.code == 0
        assert "collected 3 items" in done.output

    @pytest.mark.parametrize(
        "option",
        [
            "--gotcha-tier=logic",
            "--gotcha-target=cpu",
            "--gotcha-report=r.jsonl",
            "--gotcha-strict",
            "--gotcha-timeout=60",
            "--gotcha-package=vllm==0.33.0",
        ],
    )
    def test_so_does_whatever_makes_no_sense_otherwise(self, project: Project, option: str) -> None:
        assert f"{NODES[1]}\n" in project.run(option, "--collect-only", "-q").output

    def test_a_tier_or_a_target(self, project: Project) -> None:
        assert "collected 1 item" in project.run("--gotchas", "--gotcha-tier", "device").output
        assert "collected 3 items" in project.run("--gotchas", "--gotcha-target", "cpu").output
        both = project.run("--gotchas", "--gotcha-tier", "device", "--gotcha-target", "sm_86", "-rs")
        assert "needs 64 GPU" in both.output, "why a tier that was asked for cannot run is told"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--gotcha", "widget-misfits"], "no gotcha is called widget-misfits: did you mean widget-misfit?"),
        (["--gotcha-hardware", "broken.yaml"], "broken.yaml:1: unknown key 'card'"),
        (["--gotcha-report", "broken.yaml/r.jsonl"], "broken.yaml"),
    ],
)
def test_what_is_asked_wrongly_is_a_usage_error(project: Project, arguments: list[str], words: str) -> None:
    project.write("broken.yaml", "card: []\n")
    done = project.run("--gotchas", *arguments)
    assert done.code == pytest.ExitCode.USAGE_ERROR
    assert words in done.output
    assert "Traceback" not in done.output


@pytest.mark.parametrize(
    ("file", "text", "words"),
    [
        ("gotcha.yaml", "id: [\n", "widget-misfit/gotcha.yaml:"),
        ("repro.py", "\ndef bug(:\n", "widget-misfit/repro.py:2: this is no Python"),
    ],
)
def test_so_is_a_broken_base_with_file_and_line(project: Project, file: str, text: str, words: str) -> None:
    (project.root / "widget-misfit" / file).write_text(text)
    done = project.run("--gotchas")
    assert done.code == pytest.ExitCode.USAGE_ERROR
    assert words in done.output
    assert "Traceback" not in done.output


class TestWhatIsSaid:
    def test_the_header_names_hardware_and_versions(self, project: Project) -> None:
        project.write("m.yaml", 'cards: [{target: sm_120, name: "NVIDIA GeForce RTX 5090", memory: 32}]\n')
        header = [
            line
            for line in project.run("--gotchas", "--gotcha-hardware", "m.yaml").lines
            if "gotchas: " in line
        ]
        assert header[0] == "gotchas: described as NVIDIA GeForce RTX 5090 (sm_120)"
        assert header[1].startswith("gotchas: torch ") or "is installed" in header[1]

    def test_the_summary_has_a_row_for_each_outcome_and_its_reason_below(self, project: Project) -> None:
        project.write("m.yaml", "cards: []\n")
        done = project.run("--gotchas", "--gotcha-hardware", "m.yaml")
        assert done.section("gotchas") == [
            "card-only",
            "  device  bug     skipped",
            "      the hardware is described in a file, and a description runs nothing",
            "widget-misfit",
            "  logic   bug     reproduced     cpu",
            "      ValueError: the widget w7 does not fit",
            "  logic   control control-clean  cpu",
            "      returned",
            "  logic   fixed   fix-confirmed  cpu",
            "      returned",
        ]

    def test_a_reason_is_never_cut(self, project: Project) -> None:
        words = " ".join(f"word{number}" for number in range(300))
        add_failing(project.root, f"{words}\nand a second line")
        done = project.run("--gotcha", "wrong-claim", COLUMNS="40")
        assert done.code == 1
        assert f"      RuntimeError: {words}" in done.lines
        assert "      and a second line" in done.lines

    def test_a_failure_says_what_was_expected_what_was_seen_and_where_to_look(self, project: Project) -> None:
        add_failing(project.root, "something else")
        done = project.run("--gotcha", "wrong-claim")
        told = [
            "wrong-claim: bug on cpu (logic) came out wrong-symptom",
            "  role      affected",
            "  symptom   the lever {word} does not fit",
            "  seen      RuntimeError: something else",
            f"  record    {project.root / 'wrong-claim' / 'gotcha.yaml'}",
        ]
        start = done.lines.index(told[0])
        assert done.lines[start : start + len(told)] == told

    def test_colours_of_a_probe_do_not_reach_the_terminal(self, project: Project) -> None:
        add_failing(project.root, "\x1b[31mred\x1b[0m \x07bell")
        done = project.run("--gotcha", "wrong-claim", "--color=no")
        assert "\x1b" not in done.output
        assert "\x07" not in done.output


class TestStrict:
    def test_what_is_inconclusive_fails_only_then(self, project: Project) -> None:
        add_inconclusive(project.root)
        assert project.run("--gotcha", "some-bias").code == 0
        strict = project.run("--gotcha", "some-bias", "--gotcha-strict")
        assert strict.code == 1
        assert "came out inconclusive" in strict.output

    @pytest.mark.parametrize("workers", [(), ("-n", "2")])
    def test_a_tier_that_was_asked_for_and_ran_nothing_fails_only_then(
        self, project: Project, workers: tuple[str, ...]
    ) -> None:
        asked = ("--gotchas", "--gotcha-tier", "device", "--gotcha-tier", "logic", *workers)
        if not workers:
            assert project.run(*asked).code == 0
        strict = project.run(*asked, "--gotcha-strict")
        assert strict.code == 1
        assert "gotchas: the device tier was asked for and ran nothing" in strict.lines
        assert "the logic tier" not in strict.output


class TestTheReport:
    def test_it_holds_a_line_for_each_run_and_says_so_of_a_described_machine(self, project: Project) -> None:
        project.write("m.yaml", "cards: []\n")
        project.run("--gotchas", "--gotcha-report", "new/r.jsonl", "--gotcha-hardware", "m.yaml")
        results = project.results("new/r.jsonl")
        assert [(result.gotcha, result.probe.value, result.outcome) for result in results] == [
            ("card-only", "bug", Outcome.SKIPPED),
            ("widget-misfit", "bug", Outcome.REPRODUCED),
            ("widget-misfit", "fixed", Outcome.FIX_CONFIRMED),
            ("widget-misfit", "control", Outcome.CONTROL_CLEAN),
        ]
        assert all(result.described for result in results)

    def test_a_new_run_begins_a_new_one(self, project: Project) -> None:
        for _ in range(2):
            project.run("--gotchas", "--gotcha-report", "r.jsonl")
        assert len(project.results("r.jsonl")) == 4

    def test_a_hang_is_an_outcome_and_the_rest_is_run(self, project: Project) -> None:
        add_hanging(project.root)
        done = project.run("--gotchas", "--gotcha-report", "r.jsonl", "--gotcha-timeout", "1")
        assert done.code == 1
        outcomes = {(result.gotcha, result.outcome) for result in project.results("r.jsonl")}
        assert ("zz-hangs", Outcome.TIMED_OUT) in outcomes
        assert ("widget-misfit", Outcome.REPRODUCED) in outcomes

    @pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
    def test_a_run_that_is_ended_leaves_what_was_finished_and_no_probe_behind(
        self, project: Project, how: signal.Signals
    ) -> None:
        add_hanging(project.root)
        process = project.start("--gotchas", "--gotcha-report", "r.jsonl")
        hanging = int(eventually(project.folder / "hanging"))
        process.send_signal(how)
        try:
            process.communicate(timeout=30)
        finally:
            process.kill()
        assert process.returncode == (-how if how is signal.SIGKILL else pytest.ExitCode.INTERRUPTED)
        finished = {result.gotcha for result in project.results("r.jsonl")}
        assert finished == {"card-only", "widget-misfit"}
        assert gone(hanging)


def eventually(path: Path, seconds: float = 60) -> str:
    """The text of a file that somebody else is about to write."""
    deadline = time.monotonic() + seconds
    while not (path.exists() and path.read_text()):
        assert time.monotonic() < deadline, f"{path} was not written"
        time.sleep(0.05)
    return path.read_text()


def gone(pid: int, seconds: float = 10) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


class TestInOurOwnWorkingCopy:
    """Where the records lie in the project itself, paths choose among them."""

    @pytest.fixture
    def own(self, project: Project) -> Project:
        folder = project.root.parent
        (folder / "pytest.ini").write_text("[pytest]\ntestpaths = tests gotchas\naddopts = --gotchas\n")
        (folder / "tests").mkdir()
        (folder / "tests" / "test_one.py").write_text("def test_one(): pass\n")
        return Project(folder, project.root, project.paths)

    def test_plain_pytest_runs_tests_and_repros(self, own: Project) -> None:
        done = own.run()
        assert done.code == 0
        assert "4 passed, 1 skipped" in done.output

    def test_paths_choose(self, own: Project) -> None:
        assert "1 passed" in own.run("tests").output
        done = own.run("gotchas/widget-misfit", "-v")
        assert [line.split()[0] for line in done.lines if "::" in line] == NODES[1:]

    def test_so_do_ids_and_what_failed_last(self, own: Project) -> None:
        add_failing(own.root, "something else")
        assert "collected 2 items" in own.run("--gotcha", "wrong-claim").output
        again = own.run("--lf", "-v")
        assert [
            line.split()[0] for line in again.lines if "::" in line and "wrong-symptom" in line.split()[1:2]
        ] == ["gotchas/wrong-claim::bug[logic-cpu]"]
        assert "1 failed" in again.output

    def test_without_the_option_there_are_only_tests(self, own: Project) -> None:
        done = own.run("-o", "addopts=", "-v")
        assert "1 passed" in done.output
        assert "gotchas/" not in done.output


def test_a_conftest_may_ask_every_item_for_its_function(project: Project) -> None:
    project.write(
        "conftest.py",
        """
        def pytest_collection_modifyitems(items):
            items.sort(key=lambda item: (item.function.__name__, item.cls is None, list(item.fixturenames)))
        """,
    )
    done = project.run("--gotchas", "--collect-only", "-q")
    assert done.code == 0
    assert set(NODES) <= set(done.lines)
