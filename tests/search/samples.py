"""Invented records for the tests of search: small, and none of them claims anything about the world."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

LINK = "https://example.org/reports/1"


def record(id: str, **changes: Any) -> dict[str, Any]:
    """A sound record of this id. changes: keys to set or, with None, to take out."""
    base: dict[str, Any] = {
        "id": id,
        "title": f"An invented failure called {id.replace('-', ' ')}",
        "status": "reproduced",
        "severity": "major",
        "kind": "crash",
        "added": "2026-11-30",
        "concepts": ["invented"],
        "symptom": {"summary": "An invented process ends."},
        "root_cause": "Made up for a test.",
        "workaround": [{"do": f"Undo what {id} did.", "costs": "Some speed."}],
        "affects": [{"hardware": "any"}],
        "control": "condition",
        "reporter_count": 0,
    }
    base.update(changes)
    return {key: value for key, value in base.items() if value is not None}


def signature(*lines: str, basis: str = "proven", context: tuple[str, ...] = ()) -> dict[str, Any]:
    found: dict[str, Any] = {"lines": list(lines), "basis": basis}
    if basis == "reported":
        found["basis_url"] = LINK
    if context:
        found["context"] = list(context)
    return found


def symptom(*signatures: dict[str, Any], summary: str = "An invented process ends.") -> dict[str, Any]:
    return {"summary": summary, "signatures": list(signatures)}


SHARED_MEMORY = "out of resource: shared memory, Required: {required:int}, Hardware limit: {limit:int}"

RECORDS = [
    record(
        "sample-fp8e4nv-refused",
        title="Triton refuses an invented fp8e4nv kernel on older cards",
        status="verified",
        severity="blocker",
        kind="refused",
        concepts=["triton", "fp8", "fp8e4nv"],
        aliases=["sample-old-fp8-name"],
        symptom=symptom(signature("type fp8e4nv not supported in this architecture")),
        affects=[
            {
                "hardware": {"nvidia": {"compute_capability": ["<8.9"]}},
                "software": {"vllm": {"introduced": "0.10.0", "last_bad": "0.20.0"}},
            }
        ],
        control="hardware",
    ),
    record(
        "sample-fp8e4nv-keys",
        title="Invented turbo keys are cast to fp8e4nv",
        symptom=symptom(
            signature("type fp8e4nv not supported in this architecture, while casting turbo key {int}")
        ),
    ),
    record(
        "sample-smem-decode",
        title="An invented decode kernel overflows shared memory",
        concepts=["shared-memory", "mla"],
        symptom=symptom(signature(SHARED_MEMORY, context=("_invented_decode_stage1",))),
        affects=[{"hardware": {"shared_memory": "<=101376"}}],
        siblings=[{"id": "sample-smem-gemm", "tell_apart": "The decode kernel is in the traceback."}],
    ),
    record(
        "sample-smem-gemm",
        title="An invented matrix product overflows shared memory",
        concepts=["shared-memory", "gemm"],
        symptom=symptom(signature(SHARED_MEMORY, context=("_invented_gemm_kernel",))),
        siblings=[{"id": "sample-smem-decode", "tell_apart": "The gemm kernel is in the traceback."}],
    ),
    record(
        "sample-page-size",
        title="Invented pages of a hybrid model do not divide",
        concepts=["hybrid-models", "paging"],
        symptom=symptom(
            signature(
                "planning invented pages for {layers:int} layers",
                "RuntimeError: invented page {page:int} is not divisible by {block:int}",
            )
        ),
    ),
    record(
        "sample-reported-only",
        title="A quantum lattice mismatch that only a report shows",
        symptom=symptom(
            signature("lattice phase {word} is not aligned with quantum state", basis="reported")
        ),
    ),
    record(
        "sample-generic-words",
        title="A record whose signature any log may hold",
        symptom=symptom(signature("CUDA out of memory", basis="reported")),
    ),
    record(
        "sample-withdrawn-story",
        title="An invented phantom ring fault",
        status="retracted",
        symptom=symptom(signature("Xid {int}: phantom ring fault", basis="reported")),
        history=[{"date": "2026-11-29", "was": "A phantom.", "why": "Its author found a loose cable."}],
        successor="sample-loose-cable",
        control=None,
    ),
    record(
        "sample-silent-saturation",
        title="Invented keys saturate without an error",
        kind="wrong-result",
        concepts=["saturation", "turboquant"],
        symptom={
            "summary": "Answers are subtly wrong: large keys saturate at 30.",
            "observable": {
                "quantity": "largest relative error",
                "unit": "1",
                "bad": ">= 0.1",
                "good": "<= 0.01",
                "seeds": 3,
                "repeats": 1,
                "because": "Made up for a test.",
            },
        },
    ),
]

CANDIDATES = [
    {
        "id": "sample-loose-cable",
        "title": "An invented loose cable",
        "symptom": "The phantom ring wobbles.",
        "believed": "A cable is loose.",
        "because": "It was loose.",
        "repro_wanted": "A cable.",
        "concepts": ["cabling"],
        "reporter_count": 0,
    }
]


def write_records(
    root: Path, records: list[dict[str, Any]], candidates: list[dict[str, Any]] | None = None
) -> Path:
    """Each record in its folder below `root`, as `gotchas/` holds them. Returns `root`."""
    root.mkdir(parents=True, exist_ok=True)
    for one in records:
        folder = root / one["id"]
        folder.mkdir(exist_ok=True)
        (folder / "gotcha.yaml").write_text(yaml.safe_dump(one, sort_keys=False, width=1000), "utf-8")
    if candidates is not None:
        (root / "_candidates.yaml").write_text(yaml.safe_dump(candidates, sort_keys=False), "utf-8")
    return root


def write_samples(root: Path) -> Path:
    return write_records(root, RECORDS, CANDIDATES)
