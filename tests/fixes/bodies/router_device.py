"""Routing on a card against the reference in torch, for rows with NaN of either sign, infinities and ties."""

from __future__ import annotations

import json

import torch

from gpu_gotchas.fixes import router_topk, router_topk_triton

INF, NAN = float("inf"), float("nan")
SIGNED_NAN = -torch.tensor(NAN)  # below minus infinity as bits
SIZES = ((1, 1), (5, 5), (60, 4), (128, 8), (256, 8), (384, 6), (896, 16), (896, 32), (2048, 8))


def rows(experts: int) -> torch.Tensor:
    found = torch.randn(24, experts, device="cuda")
    half = experts // 2
    for row, kept in enumerate((NAN, SIGNED_NAN, -INF, 1.5, 3e38)):
        found[row] = kept
    for row, one in enumerate((NAN, SIGNED_NAN, INF, -INF), 5):
        found[row, half] = one
    found[9, :half] = NAN
    found[10, ::2] = INF
    found[11] *= 60
    found[12, ::3] = -INF
    found[13, ::2], found[13, 1::2] = 0.0, -0.0
    found[14], found[14, ::2] = -INF, SIGNED_NAN
    found[15, 1:] = NAN
    found[16, 1:] = SIGNED_NAN
    found[17], found[17, -1] = -INF, 3.0
    found[18, ::2], found[18, 1::2] = INF, NAN
    found[19] *= 1e-40
    return found


def main() -> None:
    checked = []
    for experts, k in SIZES:
        for dtype in (torch.float32, torch.float16, torch.bfloat16):
            given = rows(experts).to(dtype)
            for renormalise in (True, False):
                weights, ids = router_topk_triton.route(given, k, renormalise=renormalise)
                wanted_weights, wanted = router_topk.route(given, k, renormalise=renormalise)
                line = [experts, k, str(dtype), renormalise]
                assert torch.equal(ids, wanted), line
                torch.testing.assert_close(weights, wanted_weights, rtol=1e-5, atol=1e-6)
                checked.append(line)
    print(json.dumps(checked))


main()
