"""vLLM's own MLA decode over an FP8 cache, on a card that has room: the same numbers as without the patch.

The card's limit is given as that of a 99 KiB card, so that the patch picks what it picks there. Needs a card,
and vLLM's source as `gotchas fetch vllm==0.33.0` unpacks it.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("triton")

from gpu_gotchas.fixes import launch_fit  # noqa: E402
from gpu_gotchas.repro.packages import PackageError, find_package  # noqa: E402
from gpu_gotchas.upstream import lifecycle  # noqa: E402
from gpu_gotchas.upstream.patches.triton_mla_fp8_smem_overflow import PATCH  # noqa: E402
from gpu_gotchas.upstream.table import RELEASES  # noqa: E402
from gpu_gotchas.upstream.vllm_kernels import load_kernel_module  # noqa: E402

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a card")

LATENT, ROPE, PAGE, BATCH, HEADS, SPLITS, PAGES = 512, 64, 16, 3, 128, 4, 40
SMALL = 101_376


@pytest.fixture
def module() -> Iterator[ModuleType]:
    try:
        package = find_package(f"vllm=={RELEASES[-1]}")
    except PackageError as error:
        pytest.skip(str(error))
    yield load_kernel_module(str(package), "v1.attention.ops.triton_decode_attention")
    lifecycle.revert(PATCH)


def inputs() -> dict[str, Any]:
    generator = torch.Generator("cuda").manual_seed(0)

    def normal(*shape: int) -> Any:
        return torch.randn(*shape, generator=generator, device="cuda")

    return {
        "q": normal(BATCH, HEADS, LATENT + ROPE).bfloat16(),
        "cache": normal(BATCH * PAGES, PAGE, 1, LATENT + ROPE).to(torch.float8_e4m3fn),
        "pages": torch.randperm(BATCH * PAGES, generator=generator, device="cuda").int().view(BATCH, PAGES),
        # One request fills its pages, one ends within a page, one is a single token.
        "lengths": torch.tensor([PAGE * PAGES, 261, 1], dtype=torch.int32, device="cuda"),
        "scale": torch.tensor(0.75, device="cuda"),
    }


def decode(module: ModuleType, given: dict[str, Any]) -> Any:
    out = torch.empty(BATCH, HEADS, LATENT, dtype=torch.bfloat16, device="cuda")
    lse = torch.empty(BATCH, HEADS, device="cuda")
    logits = torch.empty(BATCH, HEADS, SPLITS, LATENT + 1, device="cuda")
    module.decode_attention_fwd(
        given["q"], given["cache"], given["cache"][..., :LATENT], out, lse, given["pages"], given["lengths"],
        logits, SPLITS, (LATENT + ROPE) ** -0.5, PAGE, k_scale=given["scale"], v_scale=given["scale"],
        is_mla=True,
    )  # fmt: skip
    torch.cuda.synchronize()
    return out


def expected(given: dict[str, Any]) -> Any:
    """In float32, one request after another."""
    rows = []
    for request in range(BATCH):
        length = int(given["lengths"][request])
        cached = given["cache"][given["pages"][request].long()].float().view(-1, LATENT + ROPE)[:length]
        cached = cached * given["scale"]
        weights = (given["q"][request].float() @ cached.T * (LATENT + ROPE) ** -0.5).softmax(-1)
        rows.append(weights @ cached[:, :LATENT])
    return torch.stack(rows)


def test_numbers_are_the_same_with_the_patch_as_without(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = inputs()
    before = decode(module, given)
    torch.testing.assert_close(before.float(), expected(given), rtol=2e-2, atol=2e-2)
    configs: list[dict[str, Any]] = []
    fit = launch_fit.LaunchFit.fit

    def seen(self: Any, *args: Any, **kwargs: Any) -> Any:
        found = fit(self, *args, **kwargs)
        configs.append(dict(found.config))
        return found

    monkeypatch.setattr(launch_fit.LaunchFit, "fit", seen)
    (place,) = PATCH.places
    lifecycle.put(PATCH, place, module)
    torch.testing.assert_close(decode(module, given), before, rtol=0, atol=0)
    assert configs == [{}], "a card with room is launched as before"
    lifecycle.revert(PATCH)
    monkeypatch.setattr(launch_fit, "shared_memory_limit", lambda: SMALL)
    lifecycle.put(PATCH, place, module)
    small = decode(module, given)
    assert configs[-1] == {"num_stages": 1}
    # Stages move data earlier or later; which numbers are added in which order stays the same.
    torch.testing.assert_close(small, before, rtol=0, atol=0)
    assert decode(module, given).equal(small)
    assert len(configs) == 2, "the planner is asked once for launches that compile alike"
