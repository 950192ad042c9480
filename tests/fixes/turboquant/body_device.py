"""The TurboQuant kernels on a card against float64, with fresh random data; prints lines, then JSON."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from typing import Any

import torch

from gpu_gotchas.fixes.launch_fit import current_target_name
from gpu_gotchas.fixes.split_kv.forms import Widening
from gpu_gotchas.fixes.split_kv.scratch import Scratch
from gpu_gotchas.fixes.turboquant import Codebook, Form, decode, plan, reference, store
from gpu_gotchas.hardware.catalogue import find_target
from tests.fixes.bodies.turboquant_cases import check

TARGET = find_target(current_target_name().partition(":")[0])
NATIVE = TARGET.capability is not None and TARGET.capability >= (8, 9)


def case(form: str, size: tuple[int, int, int], contexts: list[int], **options: Any) -> None:
    chosen = plan(
        TARGET, Form(form), heads=size[0], kv_heads=size[1], head=size[2], batch=len(contexts),
        context=max(*contexts, 1), multiprocessors=torch.cuda.get_device_properties(0).multi_processor_count,
        widening=Widening.INSTRUCTION if options.get("instruction") else None,
    )  # fmt: skip
    if "splits" in options:
        chosen = replace(chosen, splits=options.pop("splits"))
    found = check({"form": form, "contexts": contexts, **options}, chosen, "cuda")
    line = {"form": form, "size": size, "contexts": contexts[:4], "splits": chosen.splits, **options, **found}
    print(line, flush=True)
    # float32 puts what lies half way between two steps on either side.
    assert found["differ"] < 2e-3, line
    assert form != "k8v4" or found["keys_differ"] == 0, line
    assert found["error"] < 5e-3, line
    assert found["lse"] < 5e-3, line
    RESULTS.append(line)


def codes() -> None:
    """Instruction and software put every float16 there is, as a key, into the same byte; NaN aside."""
    every = torch.arange(-32768, 32768, device="cuda").to(torch.int16).view(torch.float16)
    every = every[~every.isnan()]
    every = every[: every.numel() // 128 * 128].view(-1, 1, 128)
    slots = torch.arange(len(every), device="cuda")
    caches = []
    for instruction in (False, True):
        cache = torch.zeros(-(-len(every) // 16), 16, 1, 196, dtype=torch.uint8, device="cuda")
        store(every, torch.zeros_like(every), cache, slots, form=Form.K8V4, instruction=instruction)
        caches.append(cache)
    assert torch.equal(*caches)
    RESULTS.append({"codes": every.numel()})


def graph(form: Form) -> None:
    """A captured decode follows contexts and query that change between replays."""
    cache = torch.empty(512, 16, 2, form.slot_bytes(128), dtype=torch.uint8, device="cuda")
    book = Codebook.of(128, "cuda", bits=min(4, form.key_bits))
    fresh = torch.randn(2, 8192, 2, 128, device="cuda").bfloat16()
    store(*fresh, cache, torch.arange(8192, device="cuda"), form=form, codebook=book)
    table = torch.randperm(512, device="cuda").view(2, 256).int()
    query = torch.randn(2, 16, 128, device="cuda").bfloat16()
    contexts = torch.tensor([4096, 9], dtype=torch.int32, device="cuda")
    chosen = plan(TARGET, form, heads=16, kv_heads=2, head=128, batch=2, context=4096, multiprocessors=132)
    scratch = Scratch.allocate(chosen, requests=2, device="cuda")
    options: dict[str, Any] = {"scale": 0.09, "scratch": scratch, "codebook": book}
    decode(query, cache, table, contexts, **options)
    torch.cuda.synchronize()
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        out, lse = decode(query, cache, table, contexts, **options)
    for new in ([4096, 9], [0, 4000], [1, 65]):
        contexts.copy_(torch.tensor(new))
        query.normal_()
        for poisoned in (out, lse):
            poisoned.fill_(float("nan"))
        captured.replay()
        torch.cuda.synchronize()
        wanted, wanted_lse = reference.attend(
            query, cache, table, contexts, form=form, scale=0.09, codebook=book
        )
        assert not out.isnan().any()
        assert float((out.double() - wanted).norm() / wanted.norm()) < 5e-3, (form, new)
        full = contexts > 0
        assert float((lse[full] - wanted_lse[full]).abs().max()) < 5e-3
    RESULTS.append({"graph": form.value})


def main() -> None:
    for form in sys.argv[1:] or [form.value for form in Form]:
        for heads in (2, 8, 32, 48):
            case(form, (heads, 2, 128), [3000, 1, 0, 129, 64])
        case(form, (12, 2, 64), [777, 1, 300])
        case(form, (8, 2, 256), [777, 17, 300])
        case(form, (6, 1, 128), [1500, 90], splits=7)
        case(form, (6, 1, 128), [40, 20], splits=1, half=True)
        case(form, (16, 2, 128), [1500, 9], kept="fp16", wide=True)
        case(form, (16, 2, 128), [1500, 9], kept="fp32", gap=True)
        case(form, (16, 2, 128), [1500, 9], larger=1e-4)
        for page in (1, 48, 128):
            case(form, (16, 2, 128), [333, 64, 8], page=page)
        case(form, (16, 2, 128), [300, 90], far=345_000 if form == "k8v4" else 505_000)
        if form == "k8v4" and NATIVE:
            case(form, (16, 2, 128), [1500, 9], instruction=True)
            case(form, (16, 2, 128), [1500, 9], larger=300.0, asked=1e-3, instruction=True)
            codes()
        if form == "k8v4":
            case(form, (16, 2, 128), [1500, 9], larger=300.0, asked=1e-3)
        graph(Form(form))
    print(json.dumps(RESULTS))


RESULTS: list[dict[str, object]] = []
if __name__ == "__main__":
    sys.exit(main())
