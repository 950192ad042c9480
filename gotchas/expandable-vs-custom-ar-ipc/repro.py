"""An IPC handle is asked for tensors of an expandable segment, and CUDA has none to give.

The call is the one that `get_graph_buffer_ipc_meta` of vLLM's `csrc/custom_all_reduce.cuh` makes for each
buffer of a captured graph. That another card would open the handle makes no difference to it: one card is
enough.
"""

from __future__ import annotations

import ctypes
from pathlib import Path

import torch

from gpu_gotchas.fixes.expandable_segments import OPTION, Serving, decide

NEEDS = {"gpus": 1, "memory_gib": 1, "minutes": 1}

SIZES = (1 << 12, 1 << 20, 1 << 24)  # bytes of a small block, a large one, and one with a segment of its own
HANDLE_BYTES = 64


def runtime():
    """The CUDA runtime that PyTorch has loaded, whatever its version."""
    torch.cuda.init()
    for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
        if "libcudart" in line:
            return ctypes.CDLL(line.split()[-1])
    raise RuntimeError("PyTorch has loaded no libcudart of its own")


def refused(target, option):
    """How many new tensors get no handle when the allocator has this option; the only reason is asserted."""
    torch._C._accelerator_setAllocatorSettings(option)
    torch.cuda.empty_cache()
    cuda = runtime()
    cuda.cudaGetErrorString.restype = ctypes.c_char_p
    tensors = [torch.empty(size, dtype=torch.uint8, device=target.device) for size in SIZES]
    count = 0
    for tensor in tensors:
        handle = ctypes.create_string_buffer(HANDLE_BYTES)
        error = cuda.cudaIpcGetMemHandle(handle, ctypes.c_void_p(tensor.data_ptr()))
        if error:
            said = cuda.cudaGetErrorString(error).decode()
            assert said == "invalid argument", said
            cuda.cudaGetLastError()
            print(f"cudaIpcGetMemHandle: {said}")
            count += 1
    return float(count)


def bug_device(target, seed):
    return refused(target, f"{OPTION}:True")


def control_device(target, seed):
    """The same tensors, from segments that do not grow."""
    return refused(target, f"{OPTION}:False")


def fixed_device(target, seed):
    """What the table of decisions says for a server with custom all-reduce."""
    option = decide(Serving(custom_all_reduce=True)).option
    assert option is not None
    return refused(target, option)
