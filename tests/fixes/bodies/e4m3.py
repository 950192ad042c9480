"""Decode every code and encode the given float32 with the kernels; print what came out as JSON."""

from __future__ import annotations

import json
import sys

import torch
import triton
import triton.language as tl

from gpu_gotchas.fixes.e4m3_codec import decode_e4m3, encode_e4m3

BLOCK = 256


@triton.jit
def decode_all(codes_ptr, out_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, decode_e4m3(tl.load(codes_ptr + offsets)))


@triton.jit
def encode_all(values_ptr, out_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, encode_e4m3(tl.load(values_ptr + offsets)))


def main(bits: list[int]) -> None:
    codes = torch.arange(256, dtype=torch.int32).to(torch.uint8)
    decoded = torch.empty(256, dtype=torch.float32)
    decode_all[(1,)](codes, decoded, BLOCK=BLOCK)
    padded = bits + [0] * (-len(bits) % BLOCK)
    values = torch.tensor(padded, dtype=torch.int64).to(torch.int32).view(torch.float32)
    encoded = torch.empty(len(padded), dtype=torch.uint8)
    encode_all[(len(padded) // BLOCK,)](values, encoded, BLOCK=BLOCK)
    print(json.dumps([decoded.view(torch.int32).tolist(), encoded[: len(bits)].tolist()]))


if __name__ == "__main__":
    main(json.load(open(sys.argv[1])))  # noqa: PTH123, SIM115
