"""`docker run`, as far as it says what runs inside: image, variables, which GPUs are seen, size of
/dev/shm."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gpu_gotchas.doctor.images import is_published, software_of
from gpu_gotchas.doctor.patches import OURS
from gpu_gotchas.doctor.sizes import read_size
from gpu_gotchas.upstream.switch import FIXES

_PROGRAMS = ("docker", "podman", "nerdctl", "nvidia-docker")
# Options without a value; every other one that has no `=` takes the next word.
_SWITCHES = frozenset(
    {
        *("-d", "--detach", "-i", "--interactive", "-t", "--tty", "--rm", "--init", "--privileged"),
        *("--read-only", "--no-healthcheck", "-P", "--publish-all", "--sig-proxy", "--oom-kill-disable"),
        *("--disable-content-trust", "-q", "--quiet", "--help", "--replace", "--no-hosts", "--env-host"),
        "--use-api-socket",
    }
)
_CLUSTER = re.compile(r"-[ditPq]+")
_JOINED = re.compile(r"(-[evpwuhm])(.+)")
VISIBLE = "NVIDIA_VISIBLE_DEVICES"
_DEVICES = re.compile(r"\"?device=([^\"]+)\"?")
_CDI = re.compile(r"nvidia\.com/gpu=(\w[\w-]*)")


@dataclass(frozen=True, slots=True)
class Container:
    """image: None outside a container. arguments: what stands behind the image. entrypoint: one that takes
    the place of the image's own. environment: what is set in it, with the GPUs that it is given."""

    image: str | None = None
    arguments: tuple[str, ...] = ()
    entrypoint: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    shared_memory: int | None = None

    @property
    def software(self) -> Mapping[str, str | None]:
        if not self.image:
            return {}
        found = software_of(self.image)
        if FIXES not in self.environment or not is_published(self.image):
            return found
        installs = any("install" in word for word in (*self.entrypoint, *self.arguments))
        return found if installs else {**found, OURS: None}


def is_docker(words: Sequence[str]) -> bool:
    if not words or words[0].rpartition("/")[2] not in _PROGRAMS:
        return False
    return "run" in words[1:3]


def read_docker(words: Sequence[str], around: Mapping[str, str] | None = None) -> Container:
    """Read `docker run OPTIONS IMAGE ARGUMENTS`. around: variables outside, which `-e NAME` hands in."""
    rest = list(words[list(words).index("run") + 1 :])
    environment: dict[str, str] = {}
    shared_memory: int | None = None
    entrypoint: tuple[str, ...] = ()
    cards: list[str] = []
    while rest and rest[0].startswith("-"):
        option, joined, value = rest.pop(0).partition("=")
        if option in _SWITCHES or _CLUSTER.fullmatch(option):
            continue
        if not option.startswith("--") and (match := _JOINED.fullmatch(option + joined + value)):
            option, value = match[1], match[2].removeprefix("=")
        elif not joined:
            value = rest.pop(0) if rest else ""
        if option in ("-e", "--env"):
            name, given, text = value.partition("=")
            if given:
                environment[name] = text
            elif around and name in around:
                environment[name] = around[name]
        elif option == "--shm-size":
            shared_memory = read_size(value)
        elif option == "--entrypoint":
            entrypoint = (value,) if value else ()
        elif option == "--gpus" and (seen := seen_of(value)) is not None:
            environment[VISIBLE] = seen
        elif option == "--device" and (match := _CDI.fullmatch(value)) and match[1] != "all":
            cards.append(match[1])
    if cards:
        environment[VISIBLE] = ",".join(cards)
    image = rest.pop(0) if rest else ""
    return Container(image, tuple(rest), entrypoint, environment, shared_memory)


def seen_of(gpus: str) -> str | None:
    """What `--gpus` comes to as a list of cards, None for all: `"device=0,1"` or a number of them."""
    gpus = gpus.strip().strip("'")
    match = _DEVICES.search(gpus)
    if match:
        return match[1]
    count = gpus.removeprefix("count=")
    return numbered(int(count)) if count.isascii() and count.isdigit() and len(count) < 4 else None


def numbered(count: int) -> str:
    """The first so many cards."""
    return ",".join(map(str, range(count)))


def as_docker_run(
    image: str,
    arguments: Iterable[str],
    entrypoint: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    shared_memory: str | None = None,
) -> tuple[str, ...]:
    """What a file says of a container, as the words of the command that starts one like it."""
    words = ["docker", "run"]
    for name, value in (environment or {}).items():
        words += ["-e", f"{name}={value}"]
    if shared_memory:
        words += ["--shm-size", shared_memory]
    if entrypoint:
        words += ["--entrypoint", entrypoint[0]]
    return (*words, image, *entrypoint[1:], *arguments)
