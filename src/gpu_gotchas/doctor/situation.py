"""Everything that is known, put together: the machine with its settings, and what holds by default."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from gpu_gotchas.doctor.command.flags import read_flags
from gpu_gotchas.doctor.command.launch import Launch
from gpu_gotchas.doctor.derived import derived, gpus_wanted
from gpu_gotchas.doctor.facts import Facts, machines_merged
from gpu_gotchas.doctor.model_folder import read_model_folder
from gpu_gotchas.doctor.pins import pinned
from gpu_gotchas.doctor.said import NOTHING_SAID, PLAIN, Said
from gpu_gotchas.doctor.setting_truth import AUTO
from gpu_gotchas.doctor.variables import Variables, read_variables, refused_flags
from gpu_gotchas.doctor.visible import only_visible
from gpu_gotchas.hardware.machine import Host, Machine
from gpu_gotchas.records.setting import Setting, ValueKind

# What the model decides where a setting says auto: the setting to the fact that its folder tells.
_DECIDED = {
    "dtype": "dtype",
    "kv_cache_dtype": "kv_cache",
    "sglang_dtype": "dtype",
    "sglang_kv_cache_dtype": "kv_cache",
}
# What these name says nothing of the weights.
_OF_THE_CACHE = ("kv_cache_dtype", "sglang_kv_cache_dtype", "mamba_cache_dtype", "mamba_ssm_cache_dtype")
_ENGINES = ("vllm", "sglang")
# What serves or computes by itself, and is no part of these.
_PROGRAMS = (
    *("lmdeploy", "tensorrt-llm", "text-generation-server", "ggml", "ollama", "mistralrs", "exllamav3"),
    *("ctranslate2", "nano-vllm", "flood", "litert-lm", "wan2gp", "stable-diffusion-webui", "comfyui"),
    *("nunchaku", "tensorrt", "deepspeed", "unsloth", "gptqmodel"),
)
# Models that are no pooling models keep their own type; others may be run in half precision.
_KEEPS_TYPE = ("ForCausalLM", "ForConditionalGeneration")


@dataclass(frozen=True, slots=True)
class Situation:
    """machine: with every setting that is known to be in force. defaults: of settings known not to be set.

    notes: what could not be understood, or the engine refuses. told_by: where the facts come from. launch:
    what is to be started. pinned: versions that nobody stated and that follow from a release that was, such
    as Triton's from vLLM's. said: the model's name, flags that no setting knows, and the words of a report.
    """

    machine: Machine
    defaults: Mapping[str, str] = field(default_factory=dict)
    launch: Launch | None = None
    told_by: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    pinned: Mapping[str, str] = field(default_factory=dict)
    said: Said = NOTHING_SAID


def situation(
    facts: Facts, launch: Launch | None, known: Mapping[str, Setting], base: Path | None = None
) -> Situation:
    """What `launch` would meet on the machine of `facts`; the command's own words go before what was found.

    base: the folder that a relative model path starts from; None where no folder may be looked at.
    Raises ModelError for a local model whose config.json cannot be read.
    """
    # What is installed here is known; of a machine that was described, the releases tell the rest.
    pins = pinned(facts.machine.software) if facts.machine.described else {}
    machine = replace(facts.machine, software={**pins, **facts.machine.software})
    said = Said(facts.words)
    flags = read_flags(facts.flags, "sglang" if said.holds("sglang") else "vllm", known).settings
    if launch is None:
        around = read_variables(facts.environment, known, machine.software)
        given = {**facts.machine.settings, **around.given, **flags}
        given.update(derived(None, given, machine, {}))
        machine = replace(machine, settings=given)
        said = Said(" ".join(filter(None, (facts.words, _open_words(around, given)))))
        return Situation(machine, told_by=facts.told_by, notes=around.notes, pinned=pins, said=said)
    machine, pins = _machine(facts, launch, pins)
    around = read_variables(facts.environment, known, machine.software)
    own = read_variables(launch.environment, known, machine.software)
    given = {**facts.machine.settings, **around.given, **flags}
    # What the launch sets goes before what was found, also where it is not known to have an effect.
    given = {name: value for name, value in given.items() if name not in own.open}
    given.update(own.given)
    # What only another engine listens to is not in force in this one.
    deaf = {name for name, one in known.items() if one.package in _ENGINES and one.package != launch.package}
    given = {name: value for name, value in given.items() if name not in deaf}
    given.update(launch.settings)
    open_ = Variables({}, {**around.open, **own.open}, (*around.notes, *own.notes))
    if _built_for_cpu(launch, machine):
        given.setdefault("VLLM_TARGET_DEVICE", "cpu")
    model = _model(launch.model, base)
    given.update(_model_settings(model, known))
    defaults = _defaults(launch, facts.seen, {**open_.open, **given}, known)
    given.update(_decided(given, defaults, model))
    complete = launch.elsewhere is None and "kv_connector" not in launch.unknown
    follows = derived(
        launch.package, {**defaults, **given}, machine, model, launch.passed_over, complete=complete
    )
    # What does not hold is nothing that was set.
    defaults.update({name: value for name, value in follows.items() if value == "false"})
    given.update({name: value for name, value in follows.items() if value != "false"})
    return Situation(
        replace(machine, settings=given),
        {name: value for name, value in defaults.items() if name not in given},
        launch,
        facts.told_by,
        (*launch.faults, *launch.notes, *_notes(launch, given, defaults, machine, known), *open_.notes),
        pins,
        Said(
            " ".join(filter(None, (facts.words, *launch.passed_over, _open_words(open_, given)))),
            model=launch.model or "",
            asked=_names_set(launch.settings, known),
            aside=_names_set(
                {name: one for name, one in launch.settings.items() if name in _OF_THE_CACHE}, known
            ),
        ),
    )


def _machine(facts: Facts, launch: Launch, pins: dict[str, str]) -> tuple[Machine, dict[str, str]]:
    """The machine as the launch sees it, and the versions that follow from releases."""
    brought = pinned(launch.software)
    if launch.container:
        image = Machine(
            software={**brought, **launch.software},
            described=True,
            host=Host(shared_memory=launch.shared_memory),
            platform={"container": True, "linux": True},
        )
        pins, machine = brought, machines_merged(image, facts.machine)
    else:
        software = {**pins, **facts.machine.software, **brought, **launch.software}
        pins, machine = {**pins, **brought}, replace(facts.machine, software=software)
    machine = only_visible(machine, launch.environment)
    # One engine is started: the faults of others, and of other programs, are not met.
    others = {
        name: None
        for name in (*_ENGINES, *_PROGRAMS)
        if name != launch.package and name not in machine.software
    }
    software = {**machine.software, **others}
    return replace(machine, software=software, described=facts.machine.described), pins


def _open_words(variables: Variables, given: Mapping[str, str]) -> str:
    """Values of which it is not known whether they have an effect; they say what is likely."""
    return " ".join(value for name, value in variables.open.items() if name not in given)


def _notes(
    launch: Launch,
    given: Mapping[str, str],
    defaults: Mapping[str, str],
    machine: Machine,
    known: Mapping[str, Setting],
) -> Iterator[str]:
    yield from refused_flags(launch.settings, known, machine.software)
    if given.get("gpus_missing") == "true":
        wanted = gpus_wanted(launch.package, {**defaults, **given}, launch.passed_over)
        yield f"the command wants {wanted} GPUs, and the machine has {len(machine.cards or ())}"


def _built_for_cpu(launch: Launch, machine: Machine) -> bool:
    version = launch.software.get("vllm") or (None if launch.container else machine.software.get("vllm"))
    return launch.package == "vllm" and bool(version) and str(version).endswith("+cpu")


def _names_set(asked: Mapping[str, str], known: Mapping[str, Setting]) -> str:
    """The values that a command sets and that are names, such as those of types, methods and backends."""
    named = (
        value
        for name, value in asked.items()
        if known[name].kind is ValueKind.TEXT and value not in known[name].usual
    )
    return ", ".join(value for value in named if value not in PLAIN)


def _defaults(
    launch: Launch, seen: tuple[str, ...], given: Mapping[str, str], known: Mapping[str, Setting]
) -> dict[str, str]:
    """Defaults of what is not set. A variable counts as not set only where it was looked for."""
    found = {}
    for name, setting in known.items():
        if name in given or setting.default is None:
            continue
        if name in launch.unknown:
            continue
        flagged = launch.elsewhere is None and setting.flag is not None and setting.package == launch.package
        unset = setting.flag is None and setting.variable is not None and setting.variable.startswith(seen)
        if flagged or (seen and unset):
            found[name] = setting.default
    return found


def _model(name: str | None, base: Path | None) -> Mapping[str, str]:
    if name is None or base is None:
        return {}
    try:
        folder = base / Path(name).expanduser()
        is_folder = folder.is_dir()
    except (OSError, ValueError, RuntimeError):
        return {}
    return read_model_folder(folder) if is_folder else {}


def _model_settings(model: Mapping[str, str], known: Mapping[str, Setting]) -> dict[str, str]:
    return {
        name: model[one.fact] for name, one in known.items() if one.fact is not None and one.fact in model
    }


def _decided(
    given: Mapping[str, str], defaults: Mapping[str, str], model: Mapping[str, str]
) -> dict[str, str]:
    """What `auto` comes to, where the model's folder tells."""
    found = {}
    keeps = model.get("architecture", "").endswith(_KEEPS_TYPE)
    for name, fact in _DECIDED.items():
        value = model.get(fact)
        if value is None or given.get(name, defaults.get(name)) != AUTO:
            continue
        if keeps and value != "float32":  # float32 checkpoints are run in a type that the card prefers
            found[name] = value
    return found
