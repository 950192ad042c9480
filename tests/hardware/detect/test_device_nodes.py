"""Device nodes: having none is known only where a node would have to be."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu_gotchas.hardware.detect.device_nodes import amd_nodes, gfx_name, nvidia_nodes


def tree(root: Path, *nodes: str) -> Path:
    (root / "dev").mkdir()
    for node in nodes:
        (root / "dev" / node).touch()
    return root


def topology(root: Path, number: int, properties: str, bank: str = "") -> None:
    node = root / "sys/class/kfd/kfd/topology/nodes" / str(number)
    node.mkdir(parents=True)
    (node / "properties").write_text(properties)
    if bank:
        (node / "mem_banks/0").mkdir(parents=True)
        (node / "mem_banks/0/properties").write_text(bank)


def test_no_node_no_card(tmp_path: Path) -> None:
    root = tree(tmp_path, "null", "kmsg")
    assert nvidia_nodes(root).cards == ()
    assert amd_nodes(root).cards == ()


@pytest.mark.parametrize("node", ["nvidia0", "nvidiactl", "dxg", "nvhost-gpu", "nvgpu"])
def test_an_nvidia_node_without_a_tool_is_unknown(tmp_path: Path, node: str) -> None:
    finding = nvidia_nodes(tree(tmp_path, node))
    assert finding.cards is None
    assert node in finding.unknown[0].because


def test_without_dev_nothing_is_known(tmp_path: Path) -> None:
    assert nvidia_nodes(tmp_path).cards is None
    assert amd_nodes(tmp_path).cards is None


def test_wsl2_hides_amd_too(tmp_path: Path) -> None:
    assert amd_nodes(tree(tmp_path, "dxg")).cards is None


def test_kfd_without_a_topology_is_unknown(tmp_path: Path) -> None:
    finding = amd_nodes(tree(tmp_path, "kfd"))
    assert finding.cards is None
    assert "topology" in finding.unknown[0].because


def test_the_topology_lists_cards(tmp_path: Path) -> None:
    root = tree(tmp_path, "kfd")
    topology(root, 0, "cpu_cores_count 128\nsimd_count 0\ngfx_target_version 0\n")
    topology(
        root,
        1,
        "simd_count 1216\ngfx_target_version 90402\nvendor_id 4098\n",
        "heap_type 1\nsize_in_bytes 206141652992\nflags 0\n",
    )
    topology(root, 10, "simd_count 4\ngfx_target_version 100306\n", "heap_type 0\nsize_in_bytes 5\n")
    cards = amd_nodes(root).cards
    assert cards is not None
    assert [(card.name, card.target and card.target.name, card.memory) for card in cards] == [
        ("AMD gfx942", "gfx942", 206141652992),
        ("AMD gfx1036", None, None),
    ]


@pytest.mark.parametrize(
    ("version", "name"),
    [(90010, "gfx90a"), (90402, "gfx942"), (90500, "gfx950"), (100300, "gfx1030"), (110501, "gfx1151")],
)
def test_names_of_targets(version: int, name: str) -> None:
    assert gfx_name(version) == name
