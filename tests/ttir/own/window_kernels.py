"""Windows that reach beyond the edge, for kernels.py: pooling by maxima, minima and means, with steps
between the elements of a window, with what lies beyond counted or not."""

import triton
import triton.language as tl


@triton.jit
def max_pool_dilated(x, y, H, W, B: tl.constexpr):
    """windows of 3 by 3, elements two apart, two places of padding: as many as elements"""
    plane = tl.program_id(0)
    r = tl.program_id(1)
    c = tl.arange(0, B)
    best = tl.full([B], -float('inf'), tl.float32)
    for u in tl.static_range(3):
        for v in tl.static_range(3):
            i = r + u * 2 - 2
            j = c + v * 2 - 2
            inside = (i >= 0) & (i < H) & (j >= 0) & (j < W)
            best = tl.maximum(
                best, tl.load(x + (plane * H + i) * W + j, mask=inside, other=-float('inf'))
            )
    tl.store(y + (plane * H + r) * W + c, best, mask=c < W)


@triton.jit
def max_pool_same(x, y, H, W, B: tl.constexpr):
    """windows of 5 along the rows, with a padding of two, of positive parts: 0 does for what lies
    beyond"""
    row = tl.program_id(0)
    c = tl.arange(0, B)
    best = tl.zeros([B], tl.float32)
    for v in tl.static_range(5):
        j = c + v - 2
        best = tl.maximum(best, tl.load(x + row * W + j, mask=(j >= 0) & (j < W), other=0.0))
    tl.store(y + row * W + c, best, mask=c < W)


@triton.jit
def min_pool_ceil(x, y, H, W, OH, OW, B: tl.constexpr):
    """windows of 2 by 2, two apart, the last ones with less in them; places are taken apart"""
    plane = tl.program_id(0)
    o = tl.program_id(1) * B + tl.arange(0, B)
    m = o < OH * OW
    r = o // OW
    c = o % OW
    least = tl.full([B], float('inf'), tl.float32)
    for u in tl.static_range(2):
        for v in tl.static_range(2):
            i = r * 2 + u
            j = c * 2 + v
            inside = m & (i < H) & (j < W)
            least = tl.minimum(
                least, tl.load(x + (plane * H + i) * W + j, mask=inside, other=float('inf'))
            )
    tl.store(y + plane * OH * OW + o, least, mask=m)


@triton.jit
def avg_pool_padded(x, y, H, W, OW, B: tl.constexpr):
    """means over windows of 3 by 3, two apart, one place of padding that counts"""
    plane = tl.program_id(0)
    r = tl.program_id(1)
    c = tl.arange(0, B)
    total = tl.zeros([B], tl.float32)
    for u in tl.static_range(3):
        for v in tl.static_range(3):
            i = r * 2 + u - 1
            j = c * 2 + v - 1
            inside = (i >= 0) & (i < H) & (j >= 0) & (j < W)
            total += tl.load(x + (plane * H + i) * W + j, mask=inside, other=0.0)
    tl.store(y + (plane * tl.num_programs(1) + r) * OW + c, total / 9, mask=c < OW)


@triton.jit
def avg_pool_counted(x, y, H, W, OW, B: tl.constexpr):
    """the same, where what lies beyond does not count"""
    plane = tl.program_id(0)
    r = tl.program_id(1)
    c = tl.arange(0, B)
    total = tl.zeros([B], tl.float32)
    for u in tl.static_range(3):
        for v in tl.static_range(3):
            i = r * 2 + u - 1
            j = c * 2 + v - 1
            inside = (i >= 0) & (i < H) & (j >= 0) & (j < W)
            total += tl.load(x + (plane * H + i) * W + j, mask=inside, other=0.0)
    rows = tl.minimum(r * 2 + 2, H) - tl.maximum(r * 2 - 1, 0)
    columns = tl.minimum(c * 2 + 2, W) - tl.maximum(c * 2 - 1, 0)
    mean = total / (rows * columns).to(tl.float32)
    tl.store(y + (plane * tl.num_programs(1) + r) * OW + c, mean, mask=c < OW)


@triton.jit
def row_amounts(x, y, n, B: tl.constexpr):
    """the greatest and the least amount of a row of many elements, lanes left out"""
    row = tl.program_id(0)
    c = tl.arange(0, B)
    m = c < n
    v = tl.load(x + row * n + c, mask=m, other=0.0)
    tl.store(y + row, tl.max(tl.abs(v) + v * v, axis=0))


@triton.jit
def max_pool_wide(
    x,
    y,
    H,
    W,
    OH,
    OW,
    K: tl.constexpr,
    S: tl.constexpr,
    P: tl.constexpr,
    B: tl.constexpr,
):
    """windows of K by K, S apart, P places of padding; places are taken apart"""
    plane = tl.program_id(1)
    o = tl.program_id(0) * B + tl.arange(0, B)
    m = o < OH * OW
    r = o // OW
    c = o % OW
    best = tl.full([B], -float('inf'), tl.float32)
    for u in tl.static_range(K):
        for v in tl.static_range(K):
            i = r * S + u - P
            j = c * S + v - P
            inside = m & (i >= 0) & (i < H) & (j >= 0) & (j < W)
            best = tl.maximum(
                best, tl.load(x + (plane * H + i) * W + j, mask=inside, other=-float('inf'))
            )
    tl.store(y + plane * OH * OW + o, best, mask=m)
