"""Safe routing against torch under graph replay, and against itself without what makes it safe.

    python benchmarks/router_topk.py [--into FOLDER]

Needs a card. torch's side is softmax, topk, and the division that makes the weights sum to one. Every
subject's ids are held against the reference before it is timed."""

from __future__ import annotations

from collections.abc import Callable

import torch
import triton
from harness import Subject, Table, compare, parser_of, rotations

from gpu_gotchas.fixes.router_topk import route as reference
from gpu_gotchas.fixes.router_topk_triton import route, route_kernel, warps

TOKENS = (1, 16, 128, 512, 4096)
EXPERTS = ((128, 8), (256, 8), (60, 4), (896, 16))
AIM, SAFETY_AIM = 3.5, 0.97
MOST_TOKENS_OF_AIM = 512


class Case:
    """Random logits of one shape, enough of them to outrun the L2 cache, and places for the answers."""

    def __init__(self, tokens: int, experts: int, k: int, dtype: torch.dtype) -> None:
        self.tokens, self.experts, self.k, self.dtype = tokens, experts, k, dtype
        turns = min(64, rotations(tokens * experts * dtype.itemsize))
        self.logits = [torch.randn(tokens, experts, device="cuda").to(dtype) for _ in range(turns)]
        self.weights = torch.empty(tokens, k, device="cuda")
        self.ids = torch.empty(tokens, k, device="cuda", dtype=torch.int32)

    def __str__(self) -> str:
        kind = str(self.dtype).removeprefix("torch.")
        return f"{self.tokens} tokens, {self.experts} experts, {self.k} chosen, {kind}"

    def subject(self, call: Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor]]) -> Subject:
        weights, ids = (each.clone() for each in call(self.logits[0]))
        wanted_weights, wanted = reference(self.logits[0], self.k)
        torch.testing.assert_close(weights.float(), wanted_weights, rtol=1e-3, atol=1e-4)
        chosen = self.logits[0].gather(1, ids.long())  # torch settles ties in no stated order
        if not torch.equal(chosen, self.logits[0].gather(1, wanted.long())):
            raise RuntimeError(f"{self}: other experts than the reference's")
        return Subject([lambda logits=logits: call(logits) for logits in self.logits])

    def own(self) -> Subject:
        return self.subject(lambda logits: route(logits, self.k, out=(self.weights, self.ids)))

    def unsafe(self) -> Subject:
        """The same kernel, which takes NaN as it comes."""

        def call(logits: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            route_kernel[(self.tokens,)](
                logits, self.weights, self.ids, self.experts, logits.stride(0),
                K=self.k, RENORMALISE=True, BLOCK_E=triton.next_power_of_2(self.experts),
                BLOCK_K=triton.next_power_of_2(self.k), num_warps=warps(self.experts, self.dtype.itemsize),
                SAFE=False,
            )  # fmt: skip
            return self.weights, self.ids

        return self.subject(call)

    def torch_alone(self) -> Subject:
        def call(logits: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            weights, ids = torch.topk(torch.softmax(logits, dim=-1, dtype=torch.float32), self.k, dim=-1)
            return weights / weights.sum(dim=-1, keepdim=True), ids

        return self.subject(call)


def main() -> None:
    asked = parser_of(__doc__).parse_args()
    table = Table("router_topk")
    for dtype in (torch.bfloat16, torch.float32):
        for experts, k in EXPERTS:
            for tokens in TOKENS:
                case = Case(tokens, experts, k, dtype)
                ours = case.own()
                for against, other, aim in (
                    ("torch", case.torch_alone(), AIM if tokens <= MOST_TOKENS_OF_AIM else None),
                    ("the same kernel, unsafe", case.unsafe(), SAFETY_AIM),
                ):
                    table.add(compare(ours, other).row("safe routing", against, str(case), aim))
    table.write(asked.into)


if __name__ == "__main__":
    main()
