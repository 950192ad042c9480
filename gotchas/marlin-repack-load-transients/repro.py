"""Weights on their way into Marlin's layout are copied twice more than they need to be.

Models `model_executor/kernels/linear/mixed_precision/marlin.py`, `transform_w_q` inside
`MarlinLinearKernel.process_weights_after_loading`, of vLLM 0.24.0 to 0.33.0: a weight that is stored by
output is permuted as a view, copied to be contiguous, copied to be padded, repacked into a new tensor, and
only then let go. The repacking itself is ours, in torch, for both sides: it is not what differs.

What is measured is what torch allocates: on a CPU every new storage that an operation returns, on a card what
its own allocator counts.
"""

from __future__ import annotations

import random
from types import SimpleNamespace

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten

from gpu_gotchas.fixes.marlin_layout import padded_shape, repack
from gpu_gotchas.fixes.marlin_repack import Staging

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}

LAYERS = 6


class Meter(TorchDispatchMode):
    """Bytes of the storages that operations make, and the most that lived at a time."""

    def __init__(self):
        super().__init__()
        self.allocated, self.peak, self._known = 0, 0, {}

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        given = {id_of(one) for one in tree_flatten((args, kwargs))[0] if isinstance(one, torch.Tensor)}
        result = function(*args, **(kwargs or {}))
        self._known = {key: kept for key, kept in self._known.items() if not kept[0].expired()}
        for one in tree_flatten(result)[0]:
            if isinstance(one, torch.Tensor) and id_of(one) not in given | self._known.keys():
                self._known[id_of(one)] = (
                    StorageWeakRef(one.untyped_storage()),
                    one.untyped_storage().nbytes(),
                )
                self.allocated += one.untyped_storage().nbytes()
        self.peak = max(self.peak, sum(size for _, size in self._known.values()))
        return result


def id_of(tensor):
    return tensor.untyped_storage()._cdata


def weights(seed, device, *, aligned):
    """Bits, inputs, outputs, and the packed weights of a model of equal layers.

    aligned: stored by input, in a shape that Marlin takes; else stored by output, seen through a permuted
    view as vLLM sees weights of compressed-tensors, and a few outputs short of a tile.
    """
    draw = random.Random(seed)
    bits, size_k = draw.choice([4, 8]), 128 * draw.randint(8, 12)
    size_n = 1024 if aligned else 1024 - 8 * draw.randint(1, 7)
    shape = (size_n, size_k * bits // 32)
    generator = torch.Generator().manual_seed(seed)
    held = []
    for _ in range(LAYERS):
        stored = torch.randint(-(2**31), 2**31, shape, generator=generator, dtype=torch.int32)
        stored = stored.t().contiguous() if aligned else stored
        stored = stored.to(device)
        held.append(SimpleNamespace(data=stored if aligned else stored.t()))
    return bits, size_k, size_n, held


def stock(bits, size_k, size_n, held):
    padded_k, padded_n = padded_shape(size_k, size_n)
    for weight in held:
        weight.data = repack(
            padded(weight.data.contiguous(), (padded_k - size_k) * bits // 32, padded_n - size_n),
            padded_k,
            padded_n,
            bits,
        )


def padded(packed, rows, columns):
    return torch.nn.functional.pad(packed, (0, columns, 0, rows)) if rows or columns else packed


def staged(bits, size_k, size_n, held):
    with Staging() as staging:
        for weight in held:
            staging.repack(weight, size_k, size_n, bits)
    assert staging.held_bytes == 0


def cost(recipe, model):
    """Bytes that a recipe allocates for each byte of its result, and the result."""
    *_, held = model
    device = held[0].data.device
    if device.type == "cuda":
        before = torch.cuda.memory_stats(device)["allocated_bytes.all.allocated"]
        recipe(*model)
        allocated = torch.cuda.memory_stats(device)["allocated_bytes.all.allocated"] - before
    else:
        with Meter() as meter:
            recipe(*model)
        allocated = meter.allocated
    result = [weight.data.cpu() for weight in held]
    return allocated / sum(one.nbytes for one in result), result


def bug_logic(target, seed):
    return cost(stock, weights(seed, target.device, aligned=False))[0]


def control_logic(target, seed):
    """The same recipe on weights that need neither copy."""
    return cost(stock, weights(seed, target.device, aligned=True))[0]


def fixed_logic(target, seed):
    """The staged recipe, whose result must be the stock one's to the bit."""
    measured, result = cost(staged, weights(seed, target.device, aligned=False))
    _, expected = cost(stock, weights(seed, target.device, aligned=False))
    assert all(torch.equal(one, other) for one, other in zip(result, expected, strict=True))
    return measured


def bug_device(target, seed):
    return bug_logic(target, seed)


def control_device(target, seed):
    return control_logic(target, seed)


def fixed_device(target, seed):
    return fixed_logic(target, seed)
