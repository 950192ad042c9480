"""A project of somebody else's, in which pytest runs with our plugin over a small base of made-up records."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

from gpu_gotchas.records.root import OVERRIDE
from gpu_gotchas.repro.results import Result, read_results
from tests.repro.samples import OBSERVABLE, write_gotcha

LIMIT = 120.0
"""Seconds that one run of pytest may take."""

MISFIT = """
'''A widget that does not fit.'''


def bug_logic(target):
    raise ValueError("the widget w7 does not fit")


def fixed_logic(target):
    return 7


def control_logic(target):
    return 7
"""

BIAS = """
'''A quantity that lies between good and bad.'''


def bug_logic(target, seed):
    return 0.1
"""

CARD = """
'''What only a card shows.'''

NEEDS = {"gpus": 64, "memory_gib": 1, "minutes": 1}


def bug_device(target): ...
def fixed_device(target): ...
"""

HANG = """
'''A fault that hangs; nobody claims that it should.'''

import os
import time


def bug_logic(target):
    open(os.environ["HOME"] + "/hanging", "w").write(str(os.getpid()))
    time.sleep(600)
"""


def write_base(root: Path) -> None:
    """Two records: one that logic proves, and one that needs more cards than there are."""
    write_gotcha(root, MISFIT, id="widget-misfit", aliases=["old-misfit"], control="condition")
    write_gotcha(root, CARD, id="card-only", symptom=symptom("gadget"), control="condition")


def symptom(word: str) -> dict[str, object]:
    lines = {"lines": [f"the {word} {{word}} does not fit"], "basis": "proven"}
    return {"summary": f"A {word} does not fit.", "signatures": [lines]}


def add_inconclusive(root: Path) -> None:
    between = {"summary": "A bias.", "observable": OBSERVABLE}
    write_gotcha(root, BIAS, id="some-bias", symptom=between, control="condition")


def add_hanging(root: Path) -> None:
    write_gotcha(root, HANG, id="zz-hangs", symptom=symptom("clock"), control="condition")


def add_failing(root: Path, reason: str) -> None:
    text = (
        f"'''Fails otherwise than it says.'''\ndef bug_logic(target):\n    raise RuntimeError({reason!r})\n"
    )
    write_gotcha(root, text, id="wrong-claim", symptom=symptom("lever"), control="condition")


@dataclass(frozen=True)
class Done:
    code: int
    output: str

    @property
    def lines(self) -> list[str]:
        return self.output.splitlines()

    def section(self, title: str) -> list[str]:
        """The lines below a heading of pytest's, up to its last line."""
        start = next(n for n, line in enumerate(self.lines) if line.strip("= ") == title)
        rest = self.lines[start + 1 :]
        end = next((n for n, line in enumerate(rest) if line.startswith("==")), len(rest))
        return [line for line in rest[:end] if line.strip()]


@dataclass(frozen=True)
class Project:
    """folder: where pytest is run. root: the records. paths: what its Python imports from."""

    folder: Path
    root: Path
    paths: list[str]
    variables: dict[str, str] = field(default_factory=dict)

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip())
        return path

    def start(self, *arguments: str, module: str = "pytest", **variables: str) -> subprocess.Popen[str]:
        """A module, pytest by default, in a session of its own, so that a test may kill it."""
        dropped = {"PYTEST_ADDOPTS", "PYTEST_CURRENT_TEST", "PYTEST_XDIST_WORKER", "COLUMNS"}
        environment = {name: value for name, value in os.environ.items() if name not in dropped}
        environment |= {"PYTHONPATH": os.pathsep.join(self.paths), OVERRIDE: str(self.root), "COLUMNS": "80"}
        environment |= {"HOME": str(self.folder), **self.variables, **variables}
        return subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            preexec_fn=_be_interruptible,
        )

    def run(self, *arguments: str, **variables: str) -> Done:
        with self.start(*arguments, **variables) as process:
            try:
                output, _ = process.communicate(timeout=LIMIT)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)  # else leaving this block waits for it
                raise
        return Done(process.returncode, output)

    def gotchas(self, *arguments: str) -> Done:
        return self.run(*arguments, module="gpu_gotchas.cli")

    def results(self, name: str) -> list[Result]:
        return read_results(self.folder / name)


def _be_interruptible() -> None:
    """Whoever started us may have SIGINT ignored, as `nohup … &` does; a child would inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def entry_point(folder: Path) -> None:
    """Let pytest find the plugin in `folder` as it finds it in an install, unless it is installed."""
    if any(entry.value == "gpu_gotchas_pytest" for entry in metadata.entry_points(group="pytest11")):
        return
    info = folder / "gpu_gotchas-0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: gpu-gotchas\nVersion: 0\n")
    (info / "entry_points.txt").write_text("[pytest11]\ngpu_gotchas = gpu_gotchas_pytest\n")


def block(folder: Path, *names: str) -> None:
    """Make modules look as if they were not installed."""
    for name in names:
        (folder / f"{name}.py").write_text(f"raise ModuleNotFoundError('not here', name={name!r})\n")
