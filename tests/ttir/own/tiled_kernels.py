"""More kernels as people write them, for kernels.py: tiles of which numbers are taken apart into
digits, sums into rows that data name, and a softmax lane by lane."""

import triton
import triton.language as tl


@triton.jit
def rotary_tiles(
    x,
    angle,
    y,
    S: tl.constexpr,
    H: tl.constexpr,
    D: tl.constexpr,
    BM: tl.constexpr,
    BN: tl.constexpr,
):
    """heads are turned and brought in front of rows; a tile has a part of a head, and of a batch"""
    row = tl.program_id(1) * BM + tl.arange(0, BM)[:, None]
    column = tl.program_id(0) * BN + tl.arange(0, BN)[None, :]
    b = row // S
    s = row % S
    h = column // D
    d = column % D
    half = D // 2
    here = x + row * (H * D) + h * D + d
    v = tl.load(here)
    low = tl.load(here + half, mask=d + 0 * row < half, other=0.0)
    high = tl.load(here - half, mask=d + 0 * row >= half, other=0.0)
    a = tl.load(angle + s * half + d % half)
    turned = tl.where(d < half, -low, high)
    tl.store(y + ((b * H + h) * S + s) * D + d, v * tl.cos(a) + turned * tl.sin(a))


@triton.jit
def add_rows(at, x, y, d, B: tl.constexpr):
    """each instance adds a row to the one that is named"""
    r = tl.program_id(0)
    c = tl.arange(0, B)
    m = c < d
    to = tl.load(at + r)
    tl.atomic_add(y + to * d + c, tl.load(x + r * d + c, mask=m), mask=m)


@triton.jit
def softmax_lanes(
    x,
    bias,
    y,
    H: tl.constexpr,
    S: tl.constexpr,
    N: tl.constexpr,
    BM: tl.constexpr,
    BN: tl.constexpr,
):
    """along the third axis, heads brought in front; each lane has a maximum and a sum of its own,
    which lanes behind the end keep"""
    row = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    h = row % H
    to = y + ((row // (H * S) * H + h) * S + row // H % S) * N
    greatest = tl.full((BM, BN), -float('inf'), tl.float32)
    total = tl.zeros((BM, BN), tl.float32)
    shift = tl.load(bias + h)
    for o in range(0, N, BN):
        c = o + tl.arange(0, BN)[None, :]
        m = (c < N) & (row >= 0)
        v = tl.load(x + (row // H * N + c) * H + h, mask=m, other=0.0) + shift
        new = tl.where(greatest > v, greatest, v)
        sum = total * tl.exp(greatest - new) + tl.exp(v - new)
        greatest = tl.where(m, new, greatest)
        total = tl.where(m, sum, total)
    all = tl.max(greatest, axis=1)[:, None]
    of_all = tl.sum(total * tl.exp(greatest - all), axis=1)[:, None]
    for o in range(0, N, BN):
        c = o + tl.arange(0, BN)[None, :]
        m = (c < N) & (row >= 0)
        v = tl.load(x + (row // H * N + c) * H + h, mask=m, other=0.0) + shift
        tl.store(to + c, tl.exp(v - all) / of_all, mask=m)
