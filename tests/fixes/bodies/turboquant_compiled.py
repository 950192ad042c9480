"""Dry launches of the TurboQuant kernels for this process's target; prints what the compiler made as JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import torch
from tests.fixes.compiled import Once

from gpu_gotchas.fixes.split_kv.scratch import Scratch
from gpu_gotchas.fixes.turboquant import Codebook, Form, decode, plan, store
from gpu_gotchas.fixes.turboquant.decoding import attend
from gpu_gotchas.fixes.turboquant.storing import pack
from gpu_gotchas.hardware.catalogue import find_target


def both(name: str, form: Form, dtype: torch.dtype, head: int) -> list[dict[str, Any]]:
    target = find_target(name)
    made = plan(target, form, heads=16, kv_heads=2, head=head, batch=1, context=32768, multiprocessors=64)
    book = Codebook.of(head, "cpu", bits=min(4, form.key_bits))
    cache = torch.zeros(4, 16, 2, form.slot_bytes(head), dtype=torch.uint8)
    numbers = torch.zeros(8, 8, dtype=torch.int32)
    fresh = torch.zeros(8, 2, head, dtype=dtype)

    def keep() -> None:
        store(fresh, fresh, cache, numbers[0], form=form, codebook=book)

    stored = once.compiled(keep, pack, target.shared_optin)
    scratch = Scratch.allocate(made, requests=1, device="cpu")
    query = torch.zeros(1, 16, head, dtype=dtype)

    def ask() -> object:
        return decode(query, cache, numbers, numbers[0], scale=0.1, scratch=scratch, codebook=book)

    said = {"form": form.value, "head": head}
    return [
        {"kernel": "pack", **said, **stored},
        {"kernel": "attend", **said, **once.compiled(ask, attend, target.shared_optin)},
    ]


name, folder, dtype = sys.argv[1:]
once = Once(name, Path(folder))
found = [both(name, form, getattr(torch, dtype), head) for form in Form for head in (128, 256)]
print(json.dumps([one for pair in found for one in pair]))
