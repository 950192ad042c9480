"""The mechanism needs, to the byte, what an owner of a GB10 read from vLLM's own kernel.

The four figures stand in https://github.com/vllm-project/vllm/pull/54013, measured on the card.
"""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("triton")

from tests.fixes.triton_children import dry

ROOT = Path(__file__).resolve().parents[2]
REPRO = ROOT / "gotchas" / "triton-mla-fp8-smem-overflow" / "repro.py"
ON_THE_CARD = {
    "2 torch.float8_e4m3fn": 102_400,
    "1 torch.float8_e4m3fn": 83_968,
    "2 torch.bfloat16": 63_488,
    "1 torch.bfloat16": 59_392,
}


def test_bytes_are_those_of_the_card(tmp_path: Path) -> None:
    body = Path(__file__).parent / "bodies" / "mla_bytes.py"
    assert dry("sm_121", body, tmp_path, str(REPRO)) == ON_THE_CARD
