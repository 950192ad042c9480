"""Every kernel on a card against float64, with fresh random data; prints a line for each case, then JSON."""

from __future__ import annotations

import json
import sys

import torch

from gpu_gotchas.fixes.launch_fit import current_target_name
from gpu_gotchas.fixes.mla_decode import KvForm, Plan, Widening, decode, plan
from gpu_gotchas.fixes.mla_decode.launch import Scratch
from gpu_gotchas.fixes.mla_decode.reference import reference
from gpu_gotchas.hardware.catalogue import find_target

DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp8": torch.float8_e4m3fn, "bytes": torch.uint8}
TARGET = find_target(current_target_name().partition(":")[0])
DEVICE = "cuda"


def make_plan(kv: str, heads: int, batch: int, context: int, latent: int, **wanted: object) -> Plan:
    form = KvForm.FP8 if kv == "bytes" else KvForm(kv)
    widening = Widening.BITS if kv == "bytes" else None
    count = torch.cuda.get_device_properties(0).multi_processor_count
    found = plan(
        TARGET, form, heads=heads, batch=batch, context=context, multiprocessors=count, latent=latent,
        widening=widening, gluon=bool(wanted.get("gluon", True)),
    )  # fmt: skip
    if "splits" in wanted:
        from dataclasses import replace

        found = replace(found, splits=wanted["splits"])  # type: ignore[arg-type]
    return found


def cache_of(kv: str, pages: int, page: int, width: int) -> torch.Tensor:
    dtype = DTYPES[kv]
    kept = torch.randn(pages, page, width, device=DEVICE, dtype=torch.bfloat16)
    return kept.to(torch.float8_e4m3fn).view(dtype) if dtype.itemsize == 1 else kept.to(dtype)


def case(
    kv: str, heads: int, contexts: list[int], page: int, latent: tuple[int, int], **options: object
) -> None:
    batch, longest = len(contexts), max(max(contexts), 1)
    pages = -(-longest // page)
    far = int(options.get("far", 0))  # type: ignore[call-overload]
    cache = cache_of(kv, batch * pages, page, sum(latent))
    table = torch.randperm(batch * pages, device=DEVICE).view(batch, pages).int()
    kept = cache
    if far:  # pages whose first element lies beyond 2**31
        kept = torch.empty(far + batch * pages, page, sum(latent), dtype=cache.dtype, device=DEVICE)
        kept[far:] = cache
        table = table + far
    query = torch.randn(batch, heads, sum(latent), device=DEVICE).to(
        torch.float16 if kv == "fp16" or options.get("half") else torch.bfloat16
    )
    lengths = torch.tensor(contexts, dtype=torch.int32, device=DEVICE)
    made = make_plan(kv, heads, batch, longest, latent[0], **options)
    scratch = Scratch.allocate(made, batch=batch, heads=heads, latent=latent[0], device=DEVICE)
    scratch.partial.fill_(float("nan"))
    scratch.lse.fill_(float("nan"))
    out = torch.full((batch, heads, latent[0]), float("nan"), dtype=query.dtype, device=DEVICE)
    lse = torch.full((batch, heads), float("nan"), device=DEVICE)
    number = 0.5 if options.get("scaled") else 1.0
    passed = torch.tensor([number], device=DEVICE) if options.get("scaled") else number
    known = {"scale": 0.0721, "latent": latent[0], "logit_cap": float(options.get("cap", 0.0))}  # type: ignore[arg-type]
    decode(
        query, kept, table, lengths, kv_scale=passed, plan=made, scratch=scratch, out=out, lse=lse, **known
    )
    torch.cuda.synchronize()
    wanted, wanted_lse = reference(query, kept, table, lengths, kv_scale=number, **known)
    full = lengths > 0
    assert not out.isnan().any(), "unwritten"
    assert not lse.isnan().any(), "unwritten"
    assert (out[~full] == 0).all(), "empty request"
    assert (lse[~full] == float("-inf")).all(), "empty request"
    error = float((out[full].double() - wanted[full]).norm() / wanted[full].norm()) if full.any() else 0.0
    worst = float((lse[full] - wanted_lse[full]).abs().max()) if full.any() else 0.0
    line = {"kv": kv, "heads": heads, "contexts": contexts[:4], "page": page, "latent": latent[0],
            "kernel": made.kernel.value, "widening": made.widening.value, "splits": made.splits,
            "error": error, "lse": worst, **options}  # fmt: skip
    print(line, flush=True)
    assert error < (1e-3 if query.dtype == torch.float16 else 5e-3), line
    assert worst < 1e-3, line
    RESULTS.append(line)


def graph() -> None:
    """A captured decode follows contexts, scale and query that change between replays."""
    for kv, heads in (("fp8", 16), ("bytes", 128), ("bf16", 16), ("bf16", 128)):
        cache = cache_of(kv, 64, 64, 576)
        table = torch.randperm(64, device=DEVICE).view(2, 32).int()
        query = torch.randn(2, heads, 576, device=DEVICE).bfloat16()
        lengths = torch.tensor([2048, 7], dtype=torch.int32, device=DEVICE)
        scale = torch.ones(1, device=DEVICE)
        made = make_plan(kv, heads, 2, 2048, 512)
        scratch = Scratch.allocate(made, batch=2, heads=heads, device=DEVICE)
        arguments = (query, cache, table, lengths)
        options = {"scale": 0.07, "kv_scale": scale, "plan": made, "scratch": scratch}
        decode(*arguments, **options)  # type: ignore[arg-type]
        torch.cuda.synchronize()
        captured = torch.cuda.CUDAGraph()
        with torch.cuda.graph(captured):
            out, lse = decode(*arguments, **options)  # type: ignore[arg-type]
        for new in ([2048, 7], [0, 2048], [1, 65]):
            lengths.copy_(torch.tensor(new))
            scale.fill_(0.3 + new[1] / 4096)
            query.normal_()
            out.fill_(float("nan"))
            captured.replay()
            torch.cuda.synchronize()
            wanted, wanted_lse = reference(query, cache, table, lengths, scale=0.07, kv_scale=float(scale))
            assert float((out.double() - wanted).norm() / wanted.norm()) < 5e-3, (kv, heads, new)
            full = lengths > 0
            assert float((lse[full] - wanted_lse[full]).abs().max()) < 1e-3
        RESULTS.append({"graph": kv, "heads": heads})


def main() -> None:
    usual, small = (512, 64), (256, 32)
    for kv in sys.argv[1:] or DTYPES:
        for heads in (1, 16, 24, 64, 128):
            case(kv, heads, [1000, 1, 0, 65, 64], 64, usual)
        for heads in (16, 128):
            case(kv, heads, [777, 1, 300], 64, small)
            case(kv, heads, [2000, 3], 64, usual, splits=7)
            case(kv, heads, [130, 0], 64, usual, splits=5)
            case(kv, heads, [1500, 9], 16, usual, cap=20.0, scaled=True)
            case(kv, heads, [1500, 9], 64, usual, gluon=False)
            for page in (1, 2, 16, 48, 128):
                case(kv, heads, [333, 64, 2], page, usual)
        case(kv, 40, [700, 5], 64, usual, gluon=False, splits=3, half=kv != "bf16")
        case(kv, 40, [700, 5], 64, usual, half=kv != "bf16")
        case(kv, 16, [300, 90], 64, usual, far=60000)
        case(kv, 128, [300, 90], 64, usual, far=60000)
        case(kv, 16, [300, 90], 64, usual, far=60000, gluon=False)
    graph()
    print(json.dumps(RESULTS))


RESULTS: list[dict[str, object]] = []
if __name__ == "__main__":
    sys.exit(main())
