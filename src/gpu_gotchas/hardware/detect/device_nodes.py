"""What the kernel shows of GPUs without any vendor's tool: device nodes, and AMD's compute topology."""

from __future__ import annotations

from pathlib import Path

from gpu_gotchas.hardware.detect.finding import AMD_GPUS, NVIDIA_GPUS, Finding, card, nothing
from gpu_gotchas.hardware.targets import Vendor

# /dev/dxg is how WSL2 passes a GPU on; the nvgpu ones belong to Jetson.
_NVIDIA_NODES = ("nvidia*", "dxg", "nvhost-gpu", "nvgpu*")
_TOPOLOGY = "sys/class/kfd/kfd/topology/nodes"


def nvidia_nodes(root: Path = Path("/")) -> Finding:
    """No NVIDIA card where no device node could belong to one; else only that nothing is known."""
    dev = root / "dev"
    if not dev.is_dir():
        return nothing(NVIDIA_GPUS, "there is no /dev to look into")
    nodes = sorted(path.name for pattern in _NVIDIA_NODES for path in dev.glob(pattern))
    if nodes:
        return nothing(NVIDIA_GPUS, f"/dev/{nodes[0]} is there, and no tool of the vendor's answers")
    return Finding(cards=())


def amd_possible(root: Path = Path("/")) -> bool:
    """Whether a node is there that could belong to an AMD card, or nothing shows that there is none."""
    dev = root / "dev"
    return not dev.is_dir() or any((dev / name).exists() for name in ("kfd", "dxg"))


def amd_nodes(root: Path = Path("/")) -> Finding:
    """AMD cards as the kernel's compute topology lists them; none where /dev/kfd and /dev/dxg are missing."""
    dev = root / "dev"
    if not dev.is_dir():
        return nothing(AMD_GPUS, "there is no /dev to look into")
    if not (dev / "kfd").exists():
        if (dev / "dxg").exists():
            return nothing(AMD_GPUS, "/dev/dxg is there, and no tool of the vendor's answers")
        return Finding(cards=())
    topology = root / _TOPOLOGY
    try:
        nodes = sorted(topology.iterdir(), key=lambda node: int(node.name))
        properties = [(node, _properties(node / "properties")) for node in nodes]
    except (OSError, ValueError) as error:
        return nothing(AMD_GPUS, f"/dev/kfd is there, and its topology cannot be read: {error}")
    cards = []
    for node, values in properties:
        version = values.get("gfx_target_version", 0)
        if version:  # 0 for a CPU
            gfx = gfx_name(version)
            cards.append(card(Vendor.AMD, f"AMD {gfx}", gfx, _memory(node)))
    return Finding(tuple(cards))


def gfx_name(version: int) -> str:
    """90402 as `gfx942`, 90010 as `gfx90a`: major, minor, and the step in hexadecimal."""
    return f"gfx{version // 10000}{version // 100 % 100:x}{version % 100:x}"


def _properties(path: Path) -> dict[str, int]:
    pairs = (line.split() for line in path.read_text(encoding="ascii", errors="replace").splitlines())
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2 and pair[1].isdigit()}


def _memory(node: Path) -> int | None:
    """Bytes in the banks that lie on the card (heap types 1 and 2), None where there are none."""
    try:
        banks = [_properties(bank / "properties") for bank in (node / "mem_banks").iterdir()]
    except OSError:
        return None
    return sum(bank.get("size_in_bytes", 0) for bank in banks if bank.get("heap_type") in (1, 2)) or None
