"""What a probe is handed, and what a repro may define.

A repro is a module `gotchas/<id>/repro.py` with functions named `bug`, `fixed` and, where the controls lie
on a condition, `control`. A suffix (`bug_logic`, `control_device`, `fixed_package`) serves one tier only;
without one a function serves the compile and the device tier. `bug_elsewhere` runs the affected code path
on a card outside the claimed range: it is shown and proves nothing.

A probe raises what a user would see. Where the record has an observable it takes a second argument, the
seed, and returns the measured quantity. Otherwise what `bug` and `fixed` return on a control is compared:
None, numbers, text, lists, dicts, or a tensor.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal

from gpu_gotchas.hardware.targets import Target, Vendor

CPU = "cpu"
"""Where a target's name is wanted and no target is meant."""


class Tier(Enum):
    """How a probe is run. LOGIC needs a CPU, COMPILE needs Triton, DEVICE a matching card."""

    LOGIC = "logic"
    COMPILE = "compile"
    PACKAGE = "package"
    DEVICE = "device"


class Probe(Enum):
    BUG = "bug"
    FIXED = "fixed"
    CONTROL = "control"


class Role(Enum):
    """Where a probe runs, as the record's ranges see it."""

    AFFECTED = "affected"
    CONTROL = "control"
    ELSEWHERE = "elsewhere"


class Subject(Enum):
    """MECHANISM is code of our own that models the fault; UPSTREAM is the package's own code."""

    MECHANISM = "mechanism"
    UPSTREAM = "upstream"


@dataclass(frozen=True, slots=True)
class ProbeTarget:
    """The target a probe runs for, as the probe sees it.

    target: None in the logic tier, and where a package is asked about no hardware.
    device: where tensors go, `cpu` or `cuda`.
    runs: whether a launch really computes. In the compile tier it does not, so there is nothing to check
    in a kernel's output, and code that would check it asks this first.
    package: in the package tier, the folder that holds the upstream package's source.
    """

    target: Target | None
    device: Literal["cpu", "cuda"] = "cpu"
    runs: bool = True
    package: str | None = None

    @property
    def name(self) -> str:
        return self.target.name if self.target else CPU

    @property
    def vendor(self) -> Vendor | None:
        return self.target.vendor if self.target else None

    @property
    def capability(self) -> tuple[int, int] | None:
        """(major, minor) on NVIDIA, None elsewhere."""
        return self.target.capability if self.target else None

    @property
    def shared_memory(self) -> int:
        """Bytes of shared memory that one block may have at most; 0 in the logic tier."""
        return self.target.shared_optin if self.target else 0
