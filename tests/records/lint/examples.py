"""A bad and a good example for every rule: records that differ from the good sample where it matters."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gpu_gotchas.records.loading import load_all, load_candidates
from gpu_gotchas.records.model import Candidate, Gotcha
from tests.records.samples import (
    CANDIDATE,
    DROP,
    GOOD,
    GOOD_REPRO,
    Step,
    changed,
    write_candidates,
    write_record,
)

Change = tuple[tuple[Step, ...], Any]


@dataclass(frozen=True)
class Record:
    """A record that differs from the sample by `changes`. repro: None for no repro.py."""

    changes: tuple[Change, ...] = ()
    repro: str | None = GOOD_REPRO
    folder: str | None = None


@dataclass(frozen=True)
class Example:
    records: tuple[Record, ...] = ()
    candidates: tuple[dict[str, Any], ...] = field(default=())

    def load(self, root: Path) -> tuple[tuple[Gotcha, ...], tuple[Candidate, ...]]:
        root.mkdir(exist_ok=True)
        for record in self.records:
            write_record(root, changed(GOOD, *record.changes), folder=record.folder, repro=record.repro)
        write_candidates(root, list(self.candidates))
        return load_all(root), load_candidates(root)


def one(*changes: Change, repro: str | None = GOOD_REPRO, folder: str | None = None) -> Example:
    return Example((Record(changes, repro, folder),))


def base(*records: Record, candidates: tuple[dict[str, Any], ...] = ()) -> Example:
    return Example(records, candidates)


def candidate(*changes: Change) -> Example:
    return Example(candidates=(changed(CANDIDATE, *changes),))


OTHER = "another-gotcha"
ASIDE: tuple[Change, ...] = (
    (("id",), OTHER),
    (("aliases",), []),
    (("title",), "Another thing that goes wrong"),
    (("symptom", "signatures"), [{"lines": ["quite another text {int}"], "basis": "proven"}]),
)
AS_OTHER = Record(ASIDE)
SAMPLE = Record()
LINES = (("symptom", "signatures", 0, "lines"),)
RANGES = ("affects", 0, "hardware", "nvidia", "compute_capability")

RETRACTED: tuple[Change, ...] = (
    (("status",), "retracted"),
    (("workaround",), []),
    (("fixes",), []),
    (("control",), DROP),
)


def retracted(*changes: Change, repro: str | None = None) -> Example:
    return one(*RETRACTED, *changes, repro=repro)


def superseded(successor: str) -> tuple[Change, ...]:
    return ((("status",), "superseded"), (("successor",), successor))


def sibling(of: str) -> Change:
    return (("siblings",), [{"id": of, "tell_apart": "The kernel's name."}])


def lines(*templates: str) -> Change:
    return (("symptom", "signatures", 0, "lines"), list(templates))


def fix(use: str, kind: str) -> Change:
    return (("fixes", 0), {"use": use, "type": kind, "costs": "Nothing.", "risk": "low"})


def link(url: str) -> Change:
    return (("upstream", 0, "url"), url)


def do(text: str) -> Change:
    return (("workaround", 0, "do"), text)


def repro(
    *names: str, docstring: str = '"""Shows it."""', needs: str = '{"gpus": 1, "memory_gib": 1, "minutes": 1}'
) -> str:
    return "\n".join([docstring, f"NEEDS = {needs}", *(f"def {name}(target): ..." for name in names)])


REPORT = GOOD["reports"][0]
TWO_REPORTS = [REPORT, {**REPORT, "url": REPORT["url"] + "0", "by": "github:second"}]
GOOD_SAMPLE = one()

EXAMPLES: dict[str, tuple[list[Example], list[Example]]] = {
    # names
    "id-is-folder-name": ([one(folder="another-folder")], [GOOD_SAMPLE]),
    "names-are-unique": (
        [
            base(SAMPLE, Record((*ASIDE, (("aliases",), ["fp8-cast-below-sm89"])))),
            base(SAMPLE, Record((*ASIDE, (("aliases",), ["fp8-cast-ampere"])))),
            base(SAMPLE, candidates=(changed(CANDIDATE, (("id",), "fp8-cast-ampere")),)),
            Example(candidates=(CANDIDATE, changed(CANDIDATE, (("title",), "Again")))),
        ],
        [base(SAMPLE, AS_OTHER, candidates=(CANDIDATE,))],
    ),
    "alias-is-not-own-id": ([one((("aliases",), ["fp8-cast-below-sm89"]))], [GOOD_SAMPLE]),
    "titles-differ": (
        [base(SAMPLE, Record((*ASIDE, (("title",), GOOD["title"].upper()))))],
        [base(SAMPLE, AS_OTHER)],
    ),
    # relations
    "siblings-exist": (
        [one(sibling("nowhere"))],
        [base(Record((sibling(OTHER),)), Record((*ASIDE, sibling("fp8-cast-below-sm89"))))],
    ),
    "siblings-are-mutual": (
        [base(Record((sibling(OTHER),)), AS_OTHER)],
        [base(Record((sibling(OTHER),)), Record((*ASIDE, sibling("fp8-cast-below-sm89"))))],
    ),
    "siblings-are-others": (
        [
            one(sibling("fp8-cast-below-sm89")),
            base(
                Record(
                    ((("siblings",), [{"id": OTHER, "tell_apart": "x"}, {"id": OTHER, "tell_apart": "y"}]),)
                ),
                Record((*ASIDE, sibling("fp8-cast-below-sm89"))),
            ),
        ],
        [base(Record((sibling(OTHER),)), Record((*ASIDE, sibling("fp8-cast-below-sm89"))))],
    ),
    "equal-signatures-are-siblings": (
        [base(Record((lines("same text {n:int}  here"),)), Record((*ASIDE, lines("same text {int} here"))))],
        [
            base(
                Record((lines("same text {int} here"), sibling(OTHER))),
                Record((*ASIDE, lines("same text {int} here"), sibling("fp8-cast-below-sm89"))),
            ),
            base(Record((lines("same text {int} here"),)), Record((*ASIDE, lines("same text {word} here")))),
            base(
                Record((*RETRACTED, (("successor",), OTHER), lines("same text {int} here")), None),
                Record((*ASIDE, lines("same text {int} here"))),
            ),
        ],
    ),
    "successor-exists": (
        [retracted((("successor",), "nowhere"))],
        [
            base(Record((*RETRACTED, (("successor",), OTHER)), None), AS_OTHER),
            base(Record((*RETRACTED, (("successor",), CANDIDATE["id"])), None), candidates=(CANDIDATE,)),
        ],
    ),
    "successors-lead-somewhere": (
        [
            base(Record(superseded("fp8-cast-below-sm89"), None)),
            base(Record(superseded(OTHER), None), Record((*ASIDE, *superseded("fp8-cast-below-sm89")), None)),
        ],
        [base(Record(superseded(OTHER), None), AS_OTHER)],
    ),
    # status
    "withdrawal-has-a-reason": ([retracted((("history",), []))], [retracted()]),
    "superseded-names-successor": (
        [one((("status",), "superseded"), repro=None)],
        [base(Record(superseded(OTHER), None), AS_OTHER)],
    ),
    "only-withdrawn-has-successor": (
        [base(Record(((("successor",), OTHER),)), AS_OTHER)],
        [base(Record(superseded(OTHER), None), AS_OTHER)],
    ),
    "reproduced-has-no-fix": (
        [one((("status",), "reproduced"))],
        [one((("status",), "reproduced"), (("fixes",), []))],
    ),
    "verified-has-a-fix": (
        [one((("fixes",), []))],
        [GOOD_SAMPLE, one((("status",), "draft"), (("fixes",), []))],
    ),
    "symptom-can-be-recognised": (
        [one((("symptom", "signatures"), []), (("symptom", "observable"), DROP))],
        [
            one((("symptom", "signatures"), [])),
            one(
                (("symptom", "signatures"), []),
                (("symptom", "observable"), DROP),
                (("symptom", "exit"), "hang"),
            ),
        ],
    ),
    "someone-is-affected": (
        [one((("affects",), []), (("control",), "condition"), repro=repro("bug", "fixed", "control"))],
        [retracted((("affects",), []))],
    ),
    "says-what-to-do": ([one((("workaround",), DROP)), one((("workaround",), []))], [retracted()]),
    "retracted-gives-no-advice": (
        [
            retracted((("workaround",), [{"do": "Turn it off."}])),
            retracted((("fixes",), GOOD["fixes"])),
        ],
        [retracted()],
    ),
    # days
    "dates-are-real": (
        [
            one((("added",), "2026-02-30")),
            one((("upstream", 0, "checked"), "2026-13-01")),
            candidate((("reports", 0, "date"), "2026-13")),
        ],
        [one((("added",), "2024-02-29")), candidate((("reports", 0, "date"), "2026"))],
    ),
    "dates-are-past": (
        [one((("reports", 0, "date"), "2026-12-03")), candidate((("reports", 0, "date"), "2027"))],
        [one((("reports", 0, "date"), "2026-12-02")), one((("reports", 0, "date"), "2026-12-01"))],
    ),
    "history-is-in-order": (
        [
            one(
                (
                    ("history",),
                    [
                        {"date": "2026-10-02", "was": "b", "why": "c"},
                        {"date": "2026-10-01", "was": "a", "why": "b"},
                    ],
                )
            )
        ],
        [
            one(
                (
                    ("history",),
                    [
                        {"date": "2026-10-01", "was": "a", "why": "b"},
                        {"date": "2026-10-01", "was": "b", "why": "c"},
                    ],
                )
            )
        ],
    ),
    "history-begins-after-the-record": (
        [one((("history", 0, "date"), "2026-08-31"))],
        [one((("history", 0, "date"), "2026-09-01"))],
    ),
    # cases
    "case-has-targets": (
        [one((("affects", 0, "hardware", "shared_memory"), ">=1000000"))],
        [GOOD_SAMPLE],
    ),
    "range-has-targets": (
        [
            one((RANGES, ["<8.9", ">=20.0"])),
            one((RANGES, [">=9.1,<9.5", "<8.9"])),
            one((("affects", 1, "hardware", "amd", "gfx"), ["gfx90a", "gfx943"])),
            candidate((("affects",), [{"hardware": {"amd": {"gfx": ["gfx90a", "gfx943"]}}}])),
        ],
        [
            one((RANGES, ["<8.9", "==12.0"])),
            candidate((("affects",), [{"hardware": {"amd": {"gfx": ["gfx90a"]}}}])),
        ],
    ),
    "ranges-are-apart": ([one((RANGES, ["<8.9", ">=8.6,<9.0"]))], [one((RANGES, ["<8.6", ">=8.6,<9.0"]))]),
    "version-ranges-are-apart": (
        [
            one((("affects", 1, "software", "vllm"), [{"introduced": "0.9.0"}, {"introduced": "0.10.0"}])),
            one((("affects", 1, "software", "vllm"), [{"fixed": "0.9.0"}, {"introduced": "0.8.0"}])),
            one((("affects", 1, "software", "vllm"), [{"last_bad": "0.9.0"}, {"introduced": "0.9.0"}])),
            one((("affects", 1, "software", "vllm"), [{"fixed": "0.9.0"}, {"fixed": "0.10.0"}])),
        ],
        [
            one((("affects", 1, "software", "vllm"), [{"fixed": "0.9.0"}, {"introduced": "0.9.0"}])),
            one((("affects", 1, "software", "vllm"), [{"last_bad": "0.9.0"}, {"introduced": "0.10.0"}])),
        ],
    ),
    "control-axis-is-given": ([one((("control",), DROP))], [GOOD_SAMPLE, retracted()]),
    "control-axis-has-a-range": (
        [
            one((("affects",), [{"hardware": "any"}])),
            one((("affects",), [{"software": {"torch": "any"}}]), (("control",), "version")),
        ],
        [GOOD_SAMPLE, one((("control",), "version"), repro=repro("bug_package", "fixed"))],
    ),
    "hardware-control-exists": (
        [one((("affects",), [{"hardware": {"nvidia": "any"}}]))],
        [
            one((("affects",), [{"hardware": {"nvidia": {"compute_capability": ["<8.9"]}}}])),
            one((("affects",), [{"hardware": {"shared_memory": "<=101376"}}])),
        ],
    ),
    "when-names-settings": (
        [
            one((("affects", 0, "when"), {"kv_cache_type": ["fp8"]})),
            one((("affects", 0, "when"), {"kv_cache_dtype": ["fp9"]})),
            one((("affects", 0, "when"), {"max_model_len": ["long"]})),
            candidate((("affects",), [{"when": {"kv_cache_type": ["fp8"]}}])),
        ],
        [one((("affects", 0, "when"), {"max_model_len": [131072], "gpu_memory_utilization": ["0.95"]}))],
    ),
    # evidence
    "reporter-count-is-counted": (
        [one((("reporter_count",), 2)), candidate((("reporter_count",), 4))],
        [
            one((("reports",), TWO_REPORTS), (("reporter_count",), 2)),
            one((("reports", 0, "says"), "withdrawn"), (("reporter_count",), 0)),
        ],
    ),
    "reported-gpus-are-known": (
        [one((("reports", 0, "on"), ["nvidia-rtx-3090-tie"]))],
        [one((("reports", 0, "on"), ["nvidia-rtx-3090-ti", "amd-rx-9070-xt"]))],
    ),
    "github-links-are-exact": (
        [
            one(link("https://github.com/vllm-project/vllm")),
            one(link("https://github.com/vllm-project/vllm/issue/34")),
            one(link("https://github.com/vllm-project/vllm/issues/34x")),
            one(link("https://github.com/vllm-project/vllm/blob/main/vllm/envs.py")),
            one(link("https://github.com/vllm-project/vllm/blob/releases/vllm/envs.py")),
            one(link("https://www.github.com/vllm-project/vllm/issues/34")),
            candidate((("claimed", "url"), "https://github.com/vllm-project/vllm/issues")),
        ],
        [
            one(link("https://github.com/vllm-project/vllm/issues/34")),
            one(link("https://github.com/vllm-project/vllm/discussions/34#discussioncomment-5")),
            one(link("https://github.com/vllm-project/vllm/commit/0123abc")),
            one(link(f"https://github.com/vllm-project/vllm/blob/{'0123456789' * 4}/vllm/envs.py#L3")),
            one(link("https://github.com/vllm-project/vllm/blob/v0.33.0/vllm/envs.py")),
            one(link("https://forums.developer.nvidia.com/t/1234")),
        ],
    ),
    "reports-are-not-repeated": (
        [one((("reports",), [REPORT, {**REPORT, "by": "github:second"}]), (("reporter_count",), 2))],
        [one((("reports",), TWO_REPORTS), (("reporter_count",), 2))],
    ),
    "upstream-links-are-not-repeated": ([one((("upstream",), GOOD["upstream"] * 2))], [GOOD_SAMPLE]),
    # signatures
    "template-has-a-literal": (
        [one(lines("fp8 {int} e4nv")), candidate((("signatures", 0, "lines"), ["{int} x {any} marli"]))],
        [one(lines("fp8e4nv {int}"))],
    ),
    "template-is-telling": (
        [one(lines("RuntimeError: CUDA error: {any}")), one(lines("Traceback (most recent call last):"))],
        [one(lines("RuntimeError: CUDA error: an illegal memory access was encountered"))],
    ),
    "basis-fits-url": (
        [
            one((("symptom", "signatures", 1, "basis_url"), DROP)),
            one((("symptom", "signatures", 0, "basis_url"), "https://github.com/vllm-project/vllm/issues/1")),
        ],
        [GOOD_SAMPLE],
    ),
    "candidate-proves-nothing": (
        [candidate((("signatures", 0, "basis"), "proven"), (("signatures", 0, "basis_url"), DROP))],
        [candidate()],
    ),
    "bounds-are-apart": (
        [
            one((("symptom", "observable", "good"), "<= 0.1")),
            one((("symptom", "observable", "good"), ">= 0.5")),
            one((("symptom", "observable", "bad"), "<= 5"), (("symptom", "observable", "good"), ">= 2")),
        ],
        [
            GOOD_SAMPLE,
            one((("symptom", "observable", "bad"), "<= 2"), (("symptom", "observable", "good"), ">= 5")),
        ],
    ),
    # wording
    "title-has-no-full-stop": (
        [one((("title",), "It breaks.")), candidate((("title",), "It breaks!"))],
        [GOOD_SAMPLE],
    ),
    "nobody-is-mentioned": (
        [one(do("Ask @somebody to merge it.")), one((("root_cause",), "@first-person found it"))],
        [
            one(do("Take `@triton.jit` off, or write to a@example.org.")),
            one(lines("in @torch.compile of the kernel")),
        ],
    ),
    "no-download-into-a-shell": (
        [
            one(do("Run `curl -fsSL https://example.org/x.sh | sudo -E bash -`.")),
            one(do("wget -qO- https://example.org/x | tee log | /bin/sh")),
            one(do('bash -c "$(curl https://example.org/x)"')),
            one(do("bash <(curl https://example.org/x)")),
            one(do("iex (irm https://example.org/x)")),
            one(do("curl https://example.org/x.py | python3")),
            candidate((("repro_wanted",), "First: curl x | sh")),
        ],
        [
            one(do("Run `curl -O https://example.org/x.sh`, read it, then run it.")),
            one(do("nvidia-smi | grep bash, then curl it.")),
            one(do("curl https://example.org/x | grep sh")),
        ],
    ),
    "no-blank-is-left": (
        [
            one(do("FILL: what to do")),
            one((("root_cause",), "…")),
            one((("root_cause",), "...")),
            one(lines("TODO the error line")),
            candidate((("because",), "TBD")),
        ],
        [one((("root_cause",), "The cast … is not there. It fills the cache."))],
    ),
    # fixes
    "fix-can-be-used": (
        [
            one(fix("gpu_gotchas.fixes.nowhere", "guard")),
            one(fix("gpu_gotchas.fixes.refused.Nothing", "guard")),
            one(fix("gpu_gotchas.records.loading", "guard")),
            one(fix("gpu_gotchas.upstream.nowhere", "patch")),
            one(fix("os.system", "patch")),
            one(fix("--no-such-flag", "setting")),
            one(fix("vllm", "upgrade")),
            one(fix("gpu_gotchas.fixes.refused", "setting")),
        ],
        [
            one(fix("gpu_gotchas.fixes.refused.Refused", "guard")),
            one(fix("--kv-cache-dtype bfloat16", "setting")),
            one(fix("VLLM_BATCH_INVARIANT=1", "setting")),
            one(fix("vllm>=0.24.0", "upgrade")),
        ],
    ),
    # repros
    "repro-exists": ([one(repro=None)], [GOOD_SAMPLE, retracted()]),
    "repro-can-be-read": ([one(repro="def bug(:"), one(repro="\0")], [GOOD_SAMPLE]),
    "withdrawn-has-no-repro": ([retracted(repro=GOOD_REPRO)], [retracted()]),
    "repro-has-a-bug": (
        [one(repro=repro("fixed")), one(repro=repro("fixed", "bugs"))],
        [one(repro=repro("bug_logic", "fixed_logic")), one(repro=repro("fixed") + "\nbug_device = fixed")],
    ),
    "repro-has-a-fix": (
        [one(repro=repro("bug")), one((("status",), "contested"), repro=repro("bug"))],
        [
            one((("status",), "draft"), repro=repro("bug")),
            one((("status",), "reproduced"), (("fixes",), []), repro=repro("bug")),
        ],
    ),
    "repro-has-its-controls": (
        [one((("control",), "condition")), one(repro=repro("bug", "fixed", "control_logic"))],
        [GOOD_SAMPLE, one((("control",), "condition"), repro=repro("bug", "fixed", "control_logic"))],
    ),
    "version-control-can-be-asked": (
        [
            one((("control",), "version"), repro=repro("bug", "fixed")),
            one(
                (("control",), "version"),
                (("affects",), [{"software": {"vllm": {"last_bad": "0.33.0"}}}]),
                repro=repro("bug_package", "fixed"),
            ),
        ],
        [
            one(
                (("control",), "version"),
                (("affects",), [{"software": {"vllm": {"fixed": "0.33.0"}}}]),
                repro=repro("bug_package", "fixed"),
            )
        ],
    ),
    "probe-names-are-known": (
        [one(repro=repro("bug", "fixed", "bug_devcie")), one(repro=repro("bug", "fixed", "fixed_by_hand"))],
        [one(repro=repro("bug", "fixed", "bug_elsewhere", "_bug_by_hand"))],
    ),
    "repro-says-what-it-shows": ([one(repro=repro("bug", "fixed", docstring=""))], [GOOD_SAMPLE]),
    "repro-says-what-it-needs": (
        [
            one(repro='"""Shows it."""\ndef bug(t): ...\ndef fixed(t): ...'),
            one(repro=repro("bug", "fixed", needs="dict(gpus=1)")),
            one(repro=repro("bug", "fixed", needs='{"gpus": 1, "memory_gib": 1}')),
            one(repro=repro("bug", "fixed", needs='{"gpus": True, "memory_gib": 1, "minutes": 1}')),
            one(repro=repro("bug", "fixed", needs='{"gpus": 1, "memory_gib": 1, "minutes": 1, "cards": 2}')),
            one(
                repro=repro("bug", "fixed", needs='{"gpus": 1, "memory_gib": 1, "minutes": 1, "imports": ""}')
            ),
        ],
        [
            one(
                repro=repro(
                    "bug", "fixed", needs='{"gpus": 0, "memory_gib": 0, "minutes": 1, "can_wedge": True}'
                )
            )
        ],
    ),
}
