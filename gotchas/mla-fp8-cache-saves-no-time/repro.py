"""An FP8 cache of half the bytes, decoded in the time of a bfloat16 one: widening is what takes the time.

Models `_fwd_grouped_kernel_stage1` of vLLM 0.33.0 for DeepSeek's latent: tiles of 32 tokens and 16 heads,
four warps, two stages; FP8 goes through float32, times its scale, to the query's dtype. A request's context
is cut into four parts, the fastest of upstream's counts there. `fixed` is this package's decode for both
caches. Steps are captured in graphs, and times alternate, A B B A, in one process.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

import torch
import triton
import triton.language as tl

from gpu_gotchas.fixes.launch_fit import current_target_name
from gpu_gotchas.fixes.mla_decode import KvForm, Scratch, decode, plan
from gpu_gotchas.fixes.mla_decode.reference import reference
from gpu_gotchas.hardware.catalogue import find_target
from gpu_gotchas.repro.probe import ProbeTarget

NEEDS = {"gpus": 1, "memory_gib": 4, "minutes": 1}

REQUESTS, CONTEXT, HEADS, LATENT, ROPE, PAGE, PARTS = 64, 8192, 16, 512, 64, 64, 4
SCALE = 0.07
ROUNDS = 12


@triton.jit
def attend_part(
    q_ptr, cache_ptr, pages_ptr, scale_ptr, out_ptr, lse_ptr, context, softmax_scale, pages_a_request,
    HEADS: tl.constexpr, LATENT: tl.constexpr, ROPE: tl.constexpr, PAGE: tl.constexpr, PARTS: tl.constexpr,
    BLOCK_N: tl.constexpr,
):  # fmt: skip
    request = tl.program_id(0)
    part = tl.program_id(1)
    heads = tl.arange(0, HEADS)
    latent = tl.arange(0, LATENT)
    rope = LATENT + tl.arange(0, ROPE)
    q_row = q_ptr + (request * HEADS + heads[:, None]) * (LATENT + ROPE)
    q = tl.load(q_row + latent[None, :])
    q_rope = tl.load(q_row + rope[None, :])
    cache_scale = tl.load(scale_ptr)
    each = tl.cdiv(context, PARTS)
    end = tl.minimum((part + 1) * each, context)
    largest = tl.zeros([HEADS], tl.float32) - float("inf")
    total = tl.zeros([HEADS], tl.float32)
    acc = tl.zeros([HEADS, LATENT], tl.float32)
    for start in range(part * each, end, BLOCK_N):
        token = start + tl.arange(0, BLOCK_N)
        inside = token < end
        page_at = pages_ptr + request * pages_a_request + token // PAGE
        page = tl.load(page_at, mask=inside, other=0).to(tl.int64)
        row = cache_ptr + ((page * PAGE + token % PAGE) * (LATENT + ROPE))[None, :]
        k = tl.load(row + latent[:, None], mask=inside[None, :], other=0.0)
        k_rope = tl.load(row + rope[:, None], mask=inside[None, :], other=0.0)
        if k.dtype.is_fp8():
            k = (k.to(tl.float32) * cache_scale).to(q.dtype)
            k_rope = (k_rope.to(tl.float32) * cache_scale).to(q.dtype)
        logits = (tl.dot(q, k) + tl.dot(q_rope, k_rope)) * softmax_scale
        logits = tl.where(inside[None, :], logits, float("-inf"))
        now_largest = tl.maximum(tl.max(logits, 1), largest)
        shrink = tl.exp(largest - now_largest)
        weights = tl.exp(logits - now_largest[:, None])
        acc = acc * shrink[:, None] + tl.dot(weights.to(k.dtype), tl.trans(k))
        total = total * shrink + tl.sum(weights, 1)
        largest = now_largest
    place = (request * PARTS + part) * HEADS + heads
    tl.store(out_ptr + place[:, None] * LATENT + latent[None, :], acc / total[:, None])
    tl.store(lse_ptr + place, largest + tl.log(total))


class Step:
    """One decode step: random queries and caches of both kinds, which hold the same numbers."""

    def __init__(self, seed: int, context: int = CONTEXT) -> None:
        torch.manual_seed(seed)
        count = REQUESTS * context // PAGE
        self.context = context
        kept = torch.empty(count, PAGE, LATENT + ROPE, dtype=torch.bfloat16, device="cuda").normal_()
        self.narrow = kept.to(torch.float8_e4m3fn)
        self.wide = self.narrow.to(torch.bfloat16)
        self.pages = torch.randperm(count, device="cuda").view(REQUESTS, -1).int()
        self.query = torch.randn(REQUESTS, HEADS, LATENT + ROPE, device="cuda").bfloat16()
        self.contexts = torch.full((REQUESTS,), context, dtype=torch.int32, device="cuda")
        self.one = torch.ones((), device="cuda")
        self.parts = torch.empty(REQUESTS, PARTS, HEADS, LATENT, device="cuda")
        self.lse = torch.empty(REQUESTS, PARTS, HEADS, device="cuda")

    def modelled(self, cache: torch.Tensor) -> Callable[[], Any]:
        def call() -> None:
            attend_part[(REQUESTS, PARTS)](
                self.query, cache, self.pages, self.one, self.parts, self.lse, self.context, SCALE,
                self.pages.shape[1], HEADS=HEADS, LATENT=LATENT, ROPE=ROPE, PAGE=PAGE, PARTS=PARTS,
                BLOCK_N=32, num_warps=4, num_stages=2,
            )  # fmt: skip

        call()
        share = torch.softmax(self.lse, dim=1)[..., None]
        self.check((self.parts * share).sum(1))
        return call

    def ours(self, cache: torch.Tensor) -> Callable[[], Any]:
        made = plan(
            find_target(current_target_name()), KvForm.FP8 if cache.element_size() == 1 else KvForm.BF16,
            heads=HEADS, batch=REQUESTS, context=self.context,
            multiprocessors=torch.cuda.get_device_properties(0).multi_processor_count,
        )  # fmt: skip
        scratch = Scratch.allocate(made, batch=REQUESTS, heads=HEADS, device="cuda")
        out = torch.empty(REQUESTS, HEADS, LATENT, dtype=torch.bfloat16, device="cuda")
        lse = torch.empty(REQUESTS, HEADS, device="cuda")

        def call() -> torch.Tensor:
            return decode(
                self.query, cache, self.pages, self.contexts, scale=SCALE, plan=made, scratch=scratch,
                out=out, lse=lse,
            )[0]  # fmt: skip

        self.check(call())
        return call

    def check(self, got: torch.Tensor) -> None:
        wanted = reference(self.query[:2], self.narrow, self.pages[:2], self.contexts[:2], scale=SCALE)[0]
        torch.testing.assert_close(got[:2].double(), wanted, rtol=5e-2, atol=5e-2)


def captured(call: Callable[[], Any]) -> torch.cuda.CUDAGraph:
    """Three steps in a graph: no time of the CPU is measured."""
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(3):
            call()
    return graph


def ratio(a: Callable[[], Any], b: Callable[[], Any]) -> float:
    """Median time of a over that of b."""
    graphs = captured(a), captured(b)
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        for which in (0, 1, 1, 0):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            graphs[which].replay()
            end.record()
            torch.cuda.synchronize()
            times[which].append(start.elapsed_time(end))
    return statistics.median(times[0][2:]) / statistics.median(times[1][2:])


def bug_device(target: ProbeTarget, seed: int) -> float:
    step = Step(seed)
    return ratio(step.modelled(step.narrow), step.modelled(step.wide))


def control_device(target: ProbeTarget, seed: int) -> float:
    """The bytes halved by half the tokens, all in bfloat16: then the same kernel does take less time."""
    half, step = Step(seed, CONTEXT // 2), Step(seed)
    return ratio(half.modelled(half.wide), step.modelled(step.wide))


def fixed_device(target: ProbeTarget, seed: int) -> float:
    step = Step(seed)
    return ratio(step.ours(step.narrow), step.ours(step.wide))
