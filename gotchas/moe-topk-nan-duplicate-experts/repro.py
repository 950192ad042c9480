"""A row of NaN router logits makes a top-k of repeated arg-max choose the same expert k times.

Models the loop of `csrc/moe/topk_softmax_kernels.cu:topkGatingSoftmax` of vLLM before pull request 39391:
softmax of the row, then k times an arg-max by `>` that starts from the first expert, whose score is then set
to -10000. NaN is never larger and never smaller, so the first expert stays. What the sort of tokens by expert
then does with the duplicates is not repeated here: it goes through memory that nothing has set.
"""

from __future__ import annotations

import torch

from gpu_gotchas.fixes import router_topk

try:
    import triton
    import triton.language as tl
except ModuleNotFoundError:  # the logic tier needs no Triton
    triton = None

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}

TOKENS, EXPERTS, K = 8, 128, 8


def logits(seed, padding):
    """A batch whose last two rows are padding, as a graph replayed with fewer tokens leaves it."""
    rows = torch.randn(TOKENS, EXPERTS, generator=torch.Generator().manual_seed(seed))
    rows[-2:] *= padding
    return rows


NAN, FINITE = float("nan"), 1.0


def loop(scores):
    """Ids of the k largest of each row, found as the kernel finds them."""
    ids = []
    for row in scores.tolist():
        for _ in range(K):
            best = 0
            for expert, score in enumerate(row):
                if score > row[best]:
                    best = expert
            ids.append(best)
            row[best] = -10000.0
    return torch.tensor(ids).view(-1, K)


if triton is not None:

    @triton.jit
    def _larger(score, expert, other_score, other_expert):
        take = (other_score > score) | ((other_score == score) & (other_expert < expert))
        return tl.where(take, other_score, score), tl.where(take, other_expert, expert)

    @triton.jit
    def loop_kernel(scores, ids, EXPERTS: tl.constexpr, K: tl.constexpr):
        """The same loop, with the tree of comparisons that threads of a warp make of the inner one."""
        row = tl.program_id(0)
        expert = tl.arange(0, EXPERTS)
        score = tl.load(scores + row * EXPERTS + expert)
        for j in tl.static_range(K):
            best = tl.reduce((score, expert), 0, _larger)[1]
            tl.store(ids + row * K + j, best)
            score = tl.where(expert == best, -10000.0, score)


def launch(scores):
    ids = torch.zeros(scores.shape[0], K, dtype=torch.int32, device=scores.device)
    loop_kernel[(scores.shape[0],)](scores, ids, EXPERTS=EXPERTS, K=K, num_warps=1)
    return ids


def repeated(ids):
    """Duplicate ids in the worst row. What is not a valid id at all is another fault, and no measurement."""
    assert int(ids.min()) >= 0
    assert int(ids.max()) < EXPERTS
    return float(router_topk.duplicates(ids))


def bug_logic(target, seed):
    return repeated(loop(logits(seed, NAN).softmax(dim=1)))


def control_logic(target, seed):
    """The same batch, with finite padding."""
    return repeated(loop(logits(seed, FINITE).softmax(dim=1)))


def fixed_logic(target, seed):
    return repeated(router_topk.route(logits(seed, NAN), K)[1])


def bug_device(target, seed):
    return repeated(launch(logits(seed, NAN).to(target.device).softmax(dim=1)))


def control_device(target, seed):
    return repeated(launch(logits(seed, FINITE).to(target.device).softmax(dim=1)))


def fixed_device(target, seed):
    """The kernel's ids, which must be those of the reference in torch."""
    from gpu_gotchas.fixes import router_topk_triton

    rows = logits(seed, NAN).to(target.device)
    weights, ids = router_topk_triton.route(rows, K)
    expected_weights, expected = router_topk.route(rows, K)
    assert torch.equal(ids, expected)
    torch.testing.assert_close(weights, expected_weights, rtol=1e-5, atol=1e-6)
    return repeated(ids)
