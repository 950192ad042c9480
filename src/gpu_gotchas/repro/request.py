"""What a child process is asked, what it answers, and what its parent saw of it. All of it goes as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from gpu_gotchas.repro.probe import Tier


@dataclass(frozen=True, slots=True)
class Request:
    """One call of one function of a repro.

    path: the repro. target: a target's name, `cpu` in the logic tier.
    package: folder of the upstream source, in the package tier. imports: its modules that the probe imports.
    first: folder whose packages are imported instead of installed ones, such as another Triton.
    argument: what the function is called with beside the target, None for nothing.
    seeds, repeats: how often an observable is measured; seeds 0 for a probe that measures nothing.
    """

    path: str
    function: str
    tier: Tier
    target: str
    package: str | None = None
    imports: tuple[str, ...] = ()
    first: str | None = None
    argument: str | None = None
    seeds: int = 0
    repeats: int = 1

    def to_json(self) -> str:
        return json.dumps({**asdict(self), "tier": self.tier.value})

    @classmethod
    def from_json(cls, text: str) -> Request:
        data = json.loads(text)
        return cls(**{**data, "tier": Tier(data["tier"]), "imports": tuple(data["imports"])})


@dataclass(frozen=True, slots=True)
class Answer:
    """What a child says of the call.

    ended: `returned`, `raised`, or `unloadable` when the repro itself could not be imported.
    value: what the probe returned, in a form that can be compared. measured: an observable's numbers.
    exception: the exception lines of the whole chain. output: the traceback as Python prints it.
    refused: whether a guard refused. launches: in the compile tier, how many launches came through.
    missing: the package that is not installed and that the probe could not be loaded or called without.
    absent: what the release under test does not have, of what the probe asks it for.
    stand_ins: what stood where a compiled part or a card would be.
    """

    ended: str
    value: Any = None
    measured: tuple[float, ...] = ()
    exception: str = ""
    output: str = ""
    refused: bool = False
    launches: int = 0
    seconds: float = 0.0
    versions: Mapping[str, str] = field(default_factory=dict)
    device: str | None = None
    missing: str | None = None
    absent: str | None = None
    stand_ins: tuple[str, ...] = ()

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Answer:
        data = json.loads(text)
        return cls(**{**data, "measured": tuple(data["measured"]), "stand_ins": tuple(data["stand_ins"])})


@dataclass(frozen=True, slots=True)
class Observation:
    """What is known of a child after its end.

    answer: None when it ended without one. exit: exit code, negative for a signal.
    timed_out, flooded: why its parent ended it, if it did. lost: why nothing is known of its end, else empty.
    limit: seconds after which its parent would have ended it.
    streams: what it wrote to stdout and stderr.
    """

    answer: Answer | None
    exit: int
    seconds: float
    timed_out: bool = False
    flooded: bool = False
    lost: str = ""
    streams: str = ""
    limit: float = 0.0

    @property
    def symptom_text(self) -> str:
        """What a signature is matched against: exception lines and the two streams, without frames."""
        return "\n".join(
            part for part in (self.answer.exception if self.answer else "", self.streams) if part
        )

    @property
    def full_text(self) -> str:
        """Everything that the user of an affected machine would paste."""
        return "\n".join(part for part in (self.streams, self.answer.output if self.answer else "") if part)
