"""`docker run`, as far as it says what runs inside: image, variables, size of /dev/shm."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gpu_gotchas.doctor.images import software_of
from gpu_gotchas.doctor.sizes import read_size

_PROGRAMS = ("docker", "podman", "nerdctl", "nvidia-docker")
# Options without a value; every other one that has no `=` takes the next word.
_SWITCHES = frozenset(
    {
        *("-d", "--detach", "-i", "--interactive", "-t", "--tty", "--rm", "--init", "--privileged"),
        *("--read-only", "--no-healthcheck", "-P", "--publish-all", "--sig-proxy", "--oom-kill-disable"),
        *("--disable-content-trust", "-q", "--quiet", "--help"),
    }
)
_CLUSTER = re.compile(r"-[ditP]+")


@dataclass(frozen=True, slots=True)
class Container:
    """image: None outside a container. arguments: what stands behind the image."""

    image: str | None = None
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    shared_memory: int | None = None

    @property
    def software(self) -> Mapping[str, str | None]:
        return software_of(self.image) if self.image else {}


def is_docker(words: Sequence[str]) -> bool:
    if not words or words[0].rpartition("/")[2] not in _PROGRAMS:
        return False
    return "run" in words[1:3]


def read_docker(words: Sequence[str]) -> Container:
    """Read `docker run OPTIONS IMAGE ARGUMENTS`; an entrypoint is put before the arguments."""
    rest = list(words[list(words).index("run") + 1 :])
    environment: dict[str, str] = {}
    shared_memory: int | None = None
    entrypoint: list[str] = []
    while rest and rest[0].startswith("-"):
        option, joined, value = rest.pop(0).partition("=")
        if option in _SWITCHES or _CLUSTER.fullmatch(option):
            continue
        if not joined:
            value = rest.pop(0) if rest else ""
        if option in ("-e", "--env"):
            name, given, text = value.partition("=")
            if given:
                environment[name] = text
        elif option == "--shm-size":
            shared_memory = read_size(value)
        elif option == "--entrypoint":
            entrypoint = [value]
    image = rest.pop(0) if rest else ""
    return Container(image, (*entrypoint, *rest), environment, shared_memory)
