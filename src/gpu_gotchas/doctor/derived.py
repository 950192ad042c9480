"""What follows from the command, the model and the cards together, as settings that nobody sets by hand."""

from __future__ import annotations

from collections.abc import Mapping

from gpu_gotchas.doctor.visible import names_uuids
from gpu_gotchas.hardware.machine import Machine

# Settings that say over how many GPUs one model is split, by package: its layers, its groups of layers, and
# copies of it.
_RANKS = {
    "vllm": ("tensor_parallel_size", "pipeline_parallel_size", "data_parallel_size"),
    "sglang": ("sglang_tp_size", None, None),
}
# Flags that spread a server over several hosts, or copy it: what is not a setting is passed over.
_FURTHER = ("--nnodes", "--node-rank", "--master-addr", "--distributed-executor-backend", "--data-parallel")
# Methods that take one kind of checkpoint and refuse every other one.
_CHECKPOINTS = {"gptq": "gptq", "gptq_marlin": "gptq", "awq": "awq", "awq_marlin": "awq"}
_CONNECTORS = ("kv_connector", "kv_offloading_size")
_COPIES = ("--pp-size", "--pipeline-parallel-size", "--dp-size", "--data-parallel-size", "--nnodes", "--dp")


def derived(
    package: str | None,
    settings: Mapping[str, str],
    machine: Machine,
    model: Mapping[str, str],
    passed_over: tuple[str, ...] = (),
    *,
    complete: bool = False,
) -> dict[str, str]:
    """By the names of settings; what is not known is left out.

    package: the engine that is started, None where none is. settings: every value that is in force, defaults
    too. model: facts of the model's folder. passed_over: flags that no setting knows. complete: whether all
    flags could be read.
    """
    found: dict[str, str | None] = {}
    if "model_quantization" not in settings:
        found["model_quantization"] = _CHECKPOINTS.get(settings.get("quantization", ""))
    devices = settings.get("CUDA_VISIBLE_DEVICES")
    if devices is not None:
        found["devices_by_uuid"] = _truth(names_uuids(devices))
    found["card"] = _card(machine)
    if machine.p2p is not None:
        found["cards_reach"] = _truth(machine.p2p)
    if any(name in settings for name in _CONNECTORS):
        found["kv_connector_used"] = "true"
    elif package is not None and complete:
        found["kv_connector_used"] = "false"
    layers, groups, copies = (
        _count(settings, name, package, passed_over) for name in _RANKS.get(package or "", (None,) * 3)
    )
    found["spans_gpus"] = _spans(layers, groups, copies)
    if layers is not None and groups is not None and copies is not None:
        found["gpus_missing"] = _missing(layers * groups * copies, machine, passed_over)
    heads, width = _number(model, "heads"), _number(model, "hidden_size")
    if layers and heads:
        found["heads_left_over"] = _truth(heads % layers != 0)
        found["heads_per_gpu"] = str(heads // layers) if heads % layers == 0 else None
    size = _number(model, "head_size")
    # The output projection of attention; split over ranks it is square no longer.
    if layers == 1 and heads and size and model.get("attention") == "standard" and heads * size == width:
        found["square_layers"] = "true"
    return {name: value for name, value in found.items() if value is not None}


def gpus_wanted(package: str, settings: Mapping[str, str], passed_over: tuple[str, ...] = ()) -> int | None:
    """How many GPUs a command spreads its model and its copies over, None where that is not known."""
    parts = [_count(settings, name, package, passed_over) for name in _RANKS.get(package, ())]
    wanted = 1
    for part in parts:
        if part is None:
            return None
        wanted *= part
    return wanted


def _count(
    settings: Mapping[str, str], name: str | None, package: str | None, passed_over: tuple[str, ...]
) -> int | None:
    if name is None:
        told = any(word.startswith(_COPIES) for word in passed_over)
        return None if package is None or told else 1
    value = settings.get(name, "")
    counts = value.isascii() and value.isdigit() and len(value) < 6
    return int(value) or None if counts else None


def _spans(layers: int | None, groups: int | None, copies: int | None) -> str | None:
    """Whether the layers of one model are split over cards. Groups of layers and copies leave it open."""
    if layers is not None and layers > 1:
        return "true"
    return "false" if layers == groups == copies == 1 else None


def _missing(wanted: int, machine: Machine, passed_over: tuple[str, ...]) -> str | None:
    """Whether more cards are asked for than there are. Several hosts have more than is seen here."""
    several = any(word.startswith(_FURTHER) for word in passed_over)
    if machine.cards is None or not machine.count_known or (several and wanted > len(machine.cards)):
        return None
    return _truth(wanted > len(machine.cards))


def _card(machine: Machine) -> str | None:
    """The one kind of card, where the catalogue has it."""
    ids = {card.gpu for card in machine.cards or ()}
    return ids.pop() if len(ids) == 1 else None


def _number(model: Mapping[str, str], name: str) -> int:
    return int(model.get(name, "0"))


def _truth(holds: bool) -> str:
    return "true" if holds else "false"
