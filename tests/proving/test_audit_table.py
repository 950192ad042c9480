"""The document of an audit counts what its rows show, and the committed one is what its page says."""

from __future__ import annotations

import json
from pathlib import Path

from gpu_gotchas.fixes.launch_audit.compiling import Compiled
from gpu_gotchas.fixes.launch_audit.rows import Row
from gpu_gotchas.proving.audit_table import kind_of, table

ROOT = Path(__file__).parents[2]
COMMITTED = ROOT / "audits" / "vllm-0.33.0.json"
NO_FP8 = "ValueError: type fp8e4nv not supported in this architecture."

ROWS = [
    Row("m:a", "plain", compiled={"sm_86": Compiled("sm_86", narrow=2), "sm_89": Compiled("sm_89")}),
    Row("m:a", "fp8", compiled={"sm_86": Compiled("sm_86", error=NO_FP8), "sm_89": Compiled("sm_89")}),
    Row(
        "m:b",
        "plain",
        compiled={
            "sm_86": Compiled("sm_86", error="RuntimeError: PassManager::run failed"),
            "sm_89": Compiled("sm_89", shared=102400, fits=False),
        },
    ),
    Row("m:c", "fp8", compiled={"sm_86": Compiled("sm_86"), "sm_89": Compiled("sm_89", upcast=True)}),
    Row("m:d", "plain", not_built="nothing says what MODE is"),
]


def test_a_table_counts_what_rows_show() -> None:
    made = table(ROWS, package="m==1", kernels=9, targets=["sm_86", "sm_89"], versions={"triton": "3.7.0"})
    assert made["counts"] == {
        "sm_86": {"does-not-compile": 1, "no-fp8": 1},
        "sm_89": {"does-not-fit": 1, "upcast": 1},
    }
    assert (made["kernels"], made["looked_at"], made["built"], made["not_built"]) == (9, 4, 4, 1)
    assert made["narrow"] == 1
    assert [(finding["kernel"], finding["variant"]) for finding in made["findings"]] == [
        ("m:a", "fp8"),
        ("m:b", "plain"),
        ("m:c", "fp8"),
    ]
    assert kind_of(ROWS[0], "sm_86") is None


def test_the_page_says_what_the_committed_table_holds() -> None:
    made = json.loads(COMMITTED.read_text())
    page = (ROOT / "docs" / "audit.md").read_text()
    kinds = ("no-fp8", "does-not-compile", "does-not-fit", "upcast")
    for target in made["targets"]:
        cells = " | ".join(str(made["counts"][target].get(kind, 0)) for kind in kinds)
        assert f"| {target} | {cells} |" in page
    for what in ("kernels", "looked_at", "built", "not_built", "narrow"):
        assert f"**{made[what]}**" in page, what
