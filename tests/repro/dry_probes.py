"""Kernels for a card that is not there. Called in children only, by path, one target a child."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
import triton
import triton.language as tl
from triton.runtime.driver import driver

SIDE = 128


@triton.jit
def matmul(a, b, c, K, BLOCK: tl.constexpr, DEPTH: tl.constexpr):
    rows = tl.arange(0, BLOCK)
    depth = tl.arange(0, DEPTH)
    acc = tl.zeros((BLOCK, BLOCK), tl.float32)
    for start in range(0, K, DEPTH):
        left = tl.load(a + rows[:, None] * K + (start + depth)[None, :])
        right = tl.load(b + (start + depth)[:, None] * BLOCK + rows[None, :])
        acc += tl.dot(left, right)
    tl.store(c + rows[:, None] * BLOCK + rows[None, :], acc)


@triton.jit
def to_fp8(x):
    return x.to(tl.float8e4nv)


@triton.jit
def casts(x, y, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(y + at, to_fp8(tl.load(x + at)).to(tl.float32))


def _operands(device: str) -> tuple[Any, ...]:
    half = {"dtype": torch.float16, "device": device}
    return (
        torch.empty(SIDE, 1024, **half),
        torch.empty(1024, SIDE, **half),
        torch.empty(SIDE, SIDE, dtype=torch.float32, device=device),
        1024,
    )


def _too_many(target) -> int:
    """Stages that do not fit. No more than needed: LLVM takes minutes over nine of them on AMD."""
    return 9 if target.shared_memory > 65536 else 4


def _launches() -> list[dict[str, Any]]:
    return [
        {"kernel": one.kernel, "grid": list(one.grid), "shared": one.shared, "num_warps": one.num_warps}
        for one in driver.active.launches
    ]


def tells_the_card(target):
    active = driver.active.get_current_target()
    properties = torch.cuda.get_device_properties(0)
    return {
        "backend": active.backend,
        "arch": str(active.arch),
        "warp_size": active.warp_size,
        "capability": list(torch.cuda.get_device_capability()),
        "named": properties.name,
        "shared": properties.shared_memory_per_block_optin,
        "limit": driver.active.utils.get_device_properties(0)["max_shared_mem"],
        "available": torch.cuda.is_available(),
    }


def fits(target):
    matmul[(2, 3)](*_operands("cpu"), BLOCK=SIDE, DEPTH=64, num_stages=1, num_warps=8)
    return _launches()


def fits_without_memory(target):
    """A meta tensor has a shape and no bytes, so that a huge one costs nothing."""
    matmul[(2, 3)](*_operands("meta"), BLOCK=SIDE, DEPTH=64, num_stages=1, num_warps=8)
    return _launches()


def is_too_large(target):
    matmul[(1,)](*_operands("cpu"), BLOCK=SIDE, DEPTH=64, num_stages=_too_many(target), num_warps=8)


def casts_to_fp8(target):
    casts[(1,)](torch.empty(128), torch.empty(128), BLOCK=128)


def asks_for_too_many_threads(target):
    casts[(1,)](torch.empty(128), torch.empty(128), BLOCK=128, num_warps=64)


def reports(target):
    """[what a launch says, what the compiler says] of the shared memory of the same kernel."""
    matmul[(1,)](*_operands("cpu"), BLOCK=SIDE, DEPTH=64, num_stages=3, num_warps=4)
    signature = {
        "a": "*fp16",
        "b": "*fp16",
        "c": "*fp32",
        "K": "i32",
        "BLOCK": "constexpr",
        "DEPTH": "constexpr",
    }
    whole = [["tt.divisibility", 16]]
    source = triton.compiler.ASTSource(
        fn=matmul,
        signature=signature,
        constexprs={"BLOCK": SIDE, "DEPTH": 64},
        attrs={(place,): whole for place in range(4)},
    )
    options = {"num_stages": 3, "num_warps": 4}
    compiled = triton.compile(source, target=driver.active.get_current_target(), options=options)
    return [_launches()[0]["shared"], compiled.metadata.shared]


def _configs(*stages: int) -> list[Any]:
    return [triton.Config({"DEPTH": 64}, num_stages=number, num_warps=8) for number in stages]


def tunes(target):
    """One launch for each configuration that fits, and one more for the chosen one."""
    tuned = triton.autotune(_configs(1, 2, _too_many(target)), key=[])(matmul)
    tuned[(1,)](*_operands("cpu"), BLOCK=SIDE)
    return _launches()


def tunes_in_vain(target):
    tuned = triton.autotune(_configs(_too_many(target), _too_many(target) + 1), key=[])(matmul)
    tuned[(1,)](*_operands("cpu"), BLOCK=SIDE)


def becomes_another(target):
    from gpu_gotchas.hardware.catalogue import find_target
    from gpu_gotchas.repro.dry import install

    assert install(target.target) is driver.active
    install(find_target("sm_70" if target.name != "sm_70" else "sm_80"))


def tells_triton(target) -> Mapping[str, str]:
    return {"version": triton.__version__, "file": triton.__file__}
