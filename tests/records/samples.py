"""One good record and one good candidate, as data, and how to write and change them."""

from __future__ import annotations

import copy
import json
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from gpu_gotchas.records.root import schema_root
from gpu_gotchas.records.yaml_nodes import ScalarKind, kind_of

DROP = object()

GOOD: dict[str, Any] = {
    "id": "fp8-cast-below-sm89",
    "title": "FP8 casts do not compile below compute capability 8.9",
    "status": "verified",
    "severity": "blocker",
    "kind": "crash",
    "added": "2026-09-01",
    "concepts": ["fp8", "triton"],
    "aliases": ["fp8-cast-ampere"],
    "asked_as": ["the model will not start with an FP8 cache"],
    "symptom": {
        "summary": "The kernel dies when it is compiled.",
        "signatures": [
            {
                "lines": [
                    "type fp8e4nv not supported in this architecture",
                    "in store_fp8 at {path}:{line:int}",
                ],
                "basis": "proven",
                "context": ["store_fp8_kernel"],
            },
            {
                "lines": ["fp8e4nv is not defined for {word}"],
                "basis": "reported",
                "basis_url": "https://github.com/triton-lang/triton/issues/1234",
            },
        ],
        "observable": {
            "quantity": "largest relative error",
            "unit": "1",
            "bad": ">= 0.1",
            "good": "<= 0.01",
            "seeds": 3,
            "repeats": 1,
            "because": "A right cast is off by half a step.",
        },
    },
    "root_cause": "The cast needs an instruction\nthat older cards lack.\n",
    "workaround": [
        {"do": "Keep the cache in bfloat16.", "costs": "Twice the bytes."},
        {"do": "Wait.", "costs": None},
    ],
    "affects": [
        {
            "hardware": {
                "nvidia": {"compute_capability": [">=7.5,<8.0", ">=8.0,<8.9"]},
                "shared_memory": ">=1024",
            },
            "software": {
                "triton": {"introduced": "3.0.0", "last_bad": "3.7.0", "measured": True},
                "torch": "any",
            },
            "platform": ["linux"],
            "when": {"kv_cache_dtype": ["fp8", "fp8_e4m3"], "enforce_eager": [True]},
        },
        {
            "hardware": {"amd": {"gfx": ["gfx90a"]}},
            "software": {"vllm": [{"introduced": "0.8.0", "fixed": "0.9.0"}, {"introduced": "0.9.2"}]},
        },
    ],
    "control": "hardware",
    "models": [{"package": "vllm", "version": "0.20.0", "function": "vllm.attention.store_kv"}],
    "siblings": [],
    "reports": [
        {
            "url": "https://github.com/vllm-project/vllm/issues/12#issuecomment-1",
            "by": "github:first-person",
            "date": "2026-08-01",
            "on": ["nvidia-rtx-3090-ti"],
            "says": "reproduces",
        }
    ],
    "reporter_count": 1,
    "fixes": [{"use": "gpu_gotchas.fixes.refused", "type": "guard", "costs": "Nothing.", "risk": "low"}],
    "upstream": [
        {
            "url": "https://github.com/vllm-project/vllm/pull/34",
            "title": "Check the card first",
            "state": "merged",
            "fixed_in": None,
            "checked": "2026-09-02",
        }
    ],
    "history": [{"date": "2026-09-03", "was": "Said 8.6 and below.", "why": "8.7 fails too."}],
}

CANDIDATE: dict[str, Any] = {
    "id": "reserved-region-exposed",
    "title": "A modified driver exposes memory that must not be used",
    "symptom": "Loads fail at random addresses.",
    "believed": "The driver hands out a reserved region.",
    "because": "The faults end when the region is left alone.",
    "repro_wanted": "A card with that driver.",
    "concepts": ["driver"],
    "aliases": [],
    "signatures": [
        {
            "lines": ["an illegal memory access was encountered in marlin_permute_scales"],
            "basis": "reported",
            "basis_url": "https://github.com/vllm-project/vllm/issues/56",
        }
    ],
    "reports": [
        {
            "url": "https://github.com/vllm-project/vllm/issues/56",
            "date": "2026-08",
            "on": ["nvidia-gb10"],
            "says": "reproduces",
        }
    ],
    "reporter_count": 0,
    "claimed": {"number": 4, "url": "https://example.org/thread/1"},
}

GOOD_REPRO = '''"""FP8 casts on cards that lack the instruction."""

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}


def bug(target): ...


def fixed(target): ...
'''

Step = str | int


def changed(data: dict[str, Any], *changes: tuple[tuple[Step, ...], Any]) -> dict[str, Any]:
    """A copy with values set, or taken out (DROP), at places given as paths of keys and indices."""
    result = copy.deepcopy(data)
    for path, value in changes:
        at: Any = result
        for step in path[:-1]:
            at = at[step]
        if value is DROP:
            del at[path[-1]]
        else:
            at[path[-1]] = copy.deepcopy(value)
    return result


class _NoAliases(yaml.SafeDumper):
    def ignore_aliases(self, _data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, data: str) -> yaml.ScalarNode:
    style = None if kind_of(data) is ScalarKind.TEXT else "'"
    return dumper.represent_scalar("tag:yaml.org,2002:str", data, style=style)


_NoAliases.add_representer(str, _text)


def to_yaml(data: Any) -> str:
    return yaml.dump(data, Dumper=_NoAliases, sort_keys=False, allow_unicode=True, width=1000)


def write_record(root: Path, data: Any, *, folder: str | None = None, repro: str | None = None) -> Path:
    place = root / (folder or data["id"])
    place.mkdir(parents=True, exist_ok=True)
    (place / "gotcha.yaml").write_text(to_yaml(data), encoding="utf-8", newline="\n")
    if repro is not None:
        (place / "repro.py").write_text(repro, encoding="utf-8")
    return place


def write_candidates(root: Path, data: Any) -> None:
    root.mkdir(parents=True, exist_ok=True)
    (root / "_candidates.yaml").write_text(to_yaml(data), encoding="utf-8", newline="\n")


@cache
def validator(name: str) -> Draft202012Validator:
    """The one validator of schema/<name>.schema.json."""
    schemas = {
        path.name: json.loads(path.read_text(encoding="utf-8"))
        for path in schema_root().glob("*.schema.json")
    }
    registry: Any = Registry().with_resources(
        (name, Resource.from_contents(schema)) for name, schema in schemas.items()
    )
    schema = schemas[f"{name}.schema.json"]
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema, registry=registry)
