"""Kernels of which it is known how they do on which card."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def copy(x_ptr, out_ptr, n, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + row * stride + at, tl.load(x_ptr + row * stride + at, mask=at < n))


@triton.jit
def copy_wide(x_ptr, out_ptr, n, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + row * stride + at, tl.load(x_ptr + row * stride + at, mask=at < n))


@triton.jit
def to_fp8(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at).to(tl.float32).to(tl.float8e4nv).to(tl.float32))


@triton.jit
def large(x_ptr, y_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, STEPS: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    total = tl.zeros([M, N], tl.float32)
    for step in range(STEPS):
        x = tl.load(x_ptr + step * K + m[:, None] * K + k[None, :])
        y = tl.load(y_ptr + step * K + k[:, None] * N + n[None, :])
        total += tl.dot(x, y)
    tl.store(out_ptr + m[:, None] * N + n[None, :], total.to(tl.bfloat16))


@triton.jit
def dot_fp8(x_fp8_ptr, y_fp8_ptr, out_ptr, M: tl.constexpr):
    m = tl.arange(0, M)
    at = m[:, None] * M + m[None, :]
    total = tl.dot(tl.load(x_fp8_ptr + at), tl.load(y_fp8_ptr + at))
    tl.store(out_ptr + at, total.to(tl.bfloat16))


@triton.jit
def needs_a_name(x_ptr, INPUT_PRECISION: tl.constexpr):
    tl.store(x_ptr, 1.0)


@triton.jit
def with_order(x_ptr, out_ptr, order, BLOCK: tl.constexpr, ROTATE: tl.constexpr):
    at = tl.arange(0, BLOCK)
    if ROTATE:
        at = tl.load(order + at)
    tl.store(out_ptr + at, tl.load(x_ptr + at))


def run_in_order(x, out, order=None):
    with_order[(1,)](x, out, order, BLOCK=64, ROTATE=_rotates(x, order))


def _rotates(x, order):
    return order is not None and x.shape[0] > 1


def run(x, out):
    copy[(1,)](x, out, 8, x.stride(0), BLOCK=64)
    copy_wide[(1,)](x, out, 8, x.stride(0), BLOCK=64)
    to_fp8[(1,)](x, out, BLOCK=64)
    large[(1,)](x, x, out, M=128, N=128, K=128, STEPS=64, num_stages=3, num_warps=8)
    dot_fp8[(1,)](x, x, out, M=64)
    needs_a_name[(1,)](x, INPUT_PRECISION=out.precision)
