"""Conditions and outcomes as people say them. Every function returns plain text; pages escape it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gpu_gotchas.hardware.conditions import CapabilityRange, HardwareCondition, NumberRange, VersionRange
from gpu_gotchas.hardware.gpus import Gpu
from gpu_gotchas.hardware.targets import KIB, Target, Vendor, format_capability
from gpu_gotchas.records.model import Kind, Status

_VENDORS = {Vendor.NVIDIA: "NVIDIA", Vendor.AMD: "AMD", Vendor.INTEL: "Intel"}
_PACKAGES = {
    "vllm": "vLLM",
    "sglang": "SGLang",
    "torch": "PyTorch",
    "triton": "Triton",
    "flashinfer": "FlashInfer",
    "flash-attn": "FlashAttention",
    "transformers": "Transformers",
    "python": "Python",
    "nvidia-driver": "NVIDIA driver",
    "cuda-runtime": "CUDA runtime",
    "cuda-toolkit": "CUDA toolkit",
    "rocm": "ROCm",
}
# Units of numbers that stand alone.
_PARTS = ("ratio", "share")
_ONE_ENDED = {"<": "below {}", "<=": "up to {}", ">=": "{} and newer", ">": "above {}"}
KINDS = {
    Kind.REFUSED: "refuses to start",
    Kind.CRASH: "crashes",
    Kind.HANG: "hangs",
    Kind.WRONG_RESULT: "wrong result",
    Kind.SLOW: "slow",
    Kind.MISLEADING_MESSAGE: "misleading message",
}
STATUSES = {
    Status.DRAFT: "draft",
    Status.REPRODUCED: "failure proven, fix not yet",
    Status.VERIFIED: "failure and fix proven",
    Status.CONTESTED: "contested",
    Status.SUPERSEDED: "superseded",
    Status.RETRACTED: "retracted",
}


def plural(number: int, one: str, many: str | None = None) -> str:
    """`1 person`, `3 people`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def either(words: Sequence[str]) -> str:
    """`a`, `a or b`, `a, b or c`."""
    return " or ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def listed(words: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def bound_words(above: bool, value: str) -> str:
    """`at least 2.5`."""
    return f"at {'least' if above else 'most'} {value}"


def in_unit(unit: str) -> str:
    """What a quantity is given in: `in bytes`, `as a ratio`."""
    return f"as a {unit}" if unit in _PARTS else f"in {unit}"


def measured(values: Sequence[float], unit: str) -> str:
    """`3.03 to 3.12`, with the unit where a bare number is not one."""
    span = " to ".join(dict.fromkeys(map(_three_digits, (min(values), max(values)))))
    return span if unit in _PARTS or not unit else f"{span} {unit}"


def _three_digits(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def package_name(package: str) -> str:
    return _PACKAGES.get(package, package)


def vendor_name(vendor: Vendor) -> str:
    return _VENDORS[vendor]


def gpu_name(gpu: Gpu) -> str:
    """As it is spoken of: `RTX 3090`, with the memory where models that share a name differ in it."""
    name = gpu.name
    for brand in ("NVIDIA ", "AMD ", "GeForce ", "Radeon ", "Instinct ", "Tesla "):
        name = name.removeprefix(brand)
    if gpu.id.endswith(("-12gb", "-8gb", "-4gb", "-32gb", "-64gb")) and "GB" not in name:
        name = f"{name} {gpu.memory[0]} GB"
    if "jetson" in gpu.id:
        words = gpu.id.removeprefix("nvidia-jetson-").split("-")
        name = "Jetson " + " ".join(_jetson(word) for word in words)
    return name


def _jetson(word: str) -> str:
    if word.endswith("gb"):
        return f"{word[:-2]} GB"
    return word.upper() if word in ("agx", "nx", "tx2", "t5000") else word.capitalize()


def target_words(target: Target) -> str:
    """`8.6` on NVIDIA, where people know the compute capability; the gfx name on AMD."""
    return format_capability(target.capability) if target.capability else target.name


def hardware(condition: HardwareCondition, known: Sequence[Target]) -> str:
    """A condition on hardware, such as `NVIDIA with compute capability 8.9 or 12.0 to 12.1`."""
    vendors = [_vendor(vendor, condition, known) for vendor in condition.vendors or {}]
    said = either(vendors) if vendors else "any card"
    properties = []
    if condition.shared_memory:
        properties.append(f"{_number(condition.shared_memory, _bytes)} of shared memory for a block")
    if condition.memory:
        properties.append(f"{_number(condition.memory, str)} GB of memory")
    if condition.count:
        properties.append(f"{_number(condition.count, str)} GPUs in the machine")
    if condition.p2p is not None:
        properties.append("peer access between GPUs" if condition.p2p else "no peer access between GPUs")
    return ", ".join([said, *properties])


def _vendor(vendor: Vendor, condition: HardwareCondition, known: Sequence[Target]) -> str:
    wanted = (condition.vendors or {})[vendor]
    if wanted.capabilities:
        ranges = [capabilities(one, known) for one in wanted.capabilities]
        return f"{_VENDORS[vendor]} with compute capability {either(ranges)}"
    if wanted.names:
        return f"{_VENDORS[vendor]} {either(wanted.names)}"
    return f"every {_VENDORS[vendor]} card"


def capabilities(wanted: CapabilityRange, known: Sequence[Target]) -> str:
    """A range by its known members, `12.0 to 12.1`; one that is open as `below 8.9` or `9.0 and newer`."""
    bounds = {sign: format_capability(bound) for sign, bound in wanted.clauses}
    if len(bounds) == 1 and "==" not in bounds:
        ((sign, bound),) = bounds.items()
        return _ONE_ENDED[sign].format(bound)
    members = [one.capability for one in known if one.capability and wanted.contains(one.capability)]
    if not members:
        return wanted.text
    first, last = format_capability(members[0]), format_capability(members[-1])
    return first if first == last else f"{first} to {last}"


def _number(wanted: NumberRange, say: Callable[[int], str]) -> str:
    words = {"<": "less than", "<=": "at most", ">=": "at least", ">": "more than", "==": "exactly"}
    return listed([f"{words[sign]} {say(bound)}" for sign, bound in wanted.clauses])


def _bytes(number: int) -> str:
    return f"{number / KIB:g} KiB"


def versions(package: str, ranges: Sequence[VersionRange], *, run: bool | None) -> str:
    """`vLLM 0.20.0 to 0.33.0 (measured; later not known)`.

    run: whether results show that package's own code failing, without which nothing counts as measured;
    None leaves out how the range is known.
    """
    return f"{package_name(package)} {either([_range(one, run) for one in ranges]) or 'of any version'}"


def _range(wanted: VersionRange, run: bool | None) -> str:
    notes = []
    if wanted.measured and run is not None:
        notes.append("measured" if run else "said to be measured, no run of it is kept")
    if wanted.last_bad:
        said = (
            f"{wanted.introduced} to {wanted.last_bad}" if wanted.introduced else f"up to {wanted.last_bad}"
        )
        if wanted.introduced == wanted.last_bad:
            said = wanted.last_bad
        notes.append("later not known")
    elif wanted.fixed:
        said = (
            f"{wanted.introduced} to before {wanted.fixed}" if wanted.introduced else f"before {wanted.fixed}"
        )
        notes.append(f"fixed in {wanted.fixed}")
    else:
        said = f"{wanted.introduced} and newer" if wanted.introduced else "of any version"
    return f"{said} ({'; '.join(notes)})" if notes else said
