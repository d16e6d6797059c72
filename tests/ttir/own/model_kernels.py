"""Kernels of language models, for kernels.py: attention with slopes, in parts and by descriptors,
norms, losses, an optimiser."""

import triton
import triton.language as tl


@triton.jit
def attention_alibi(
    q, k, v, slopes, o, S, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr
):
    """a slope of each head times the distance is added; not causal"""
    pm = tl.program_id(0)
    head = tl.program_id(1)
    rm = pm * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    base = head * S * D
    slope = tl.load(slopes + head)
    qt = tl.load(q + base + rm[:, None] * D + d[None, :], mask=rm[:, None] < S, other=0.0)
    greatest = tl.full((BM,), -float('inf'), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for s in range(0, S, BN):
        rn = s + tl.arange(0, BN)
        kt = tl.load(k + base + rn[None, :] * D + d[:, None], mask=rn[None, :] < S, other=0.0)
        score = tl.dot(qt, kt) * scale + slope * (rn[None, :] - rm[:, None])
        score = tl.where(rn[None, :] < S, score, -float('inf'))
        new = tl.maximum(greatest, tl.max(score, axis=1))
        p = tl.exp(score - new[:, None])
        alpha = tl.exp(greatest - new)
        total = total * alpha + tl.sum(p, axis=1)
        vt = tl.load(v + base + rn[:, None] * D + d[None, :], mask=rn[:, None] < S, other=0.0)
        acc = acc * alpha[:, None] + tl.dot(p, vt)
        greatest = new
    tl.store(o + base + rm[:, None] * D + d[None, :], acc / total[:, None], mask=rm[:, None] < S)


@triton.jit
def attention_joined(parts, lse, o, splits, D: tl.constexpr, B: tl.constexpr):
    """parts of an attention over keys are joined by the logarithms of their sums"""
    row = tl.program_id(0)
    s = tl.arange(0, B)
    d = tl.arange(0, D)
    m = s < splits
    l = tl.load(lse + row * splits + s, mask=m, other=-float('inf'))
    w = tl.exp(l - tl.max(l, axis=0))
    w = w / tl.sum(w, axis=0)
    x = tl.load(parts + (row * splits + s[:, None]) * D + d[None, :], mask=m[:, None], other=0.0)
    tl.store(o + row * D + d, tl.sum(x * w[:, None], axis=0))


@triton.jit
def attention_described(q, k, v, o, S, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """by descriptors, S a multiple of the blocks"""
    pm = tl.program_id(0)
    head = tl.program_id(1)
    H = tl.num_programs(1)
    qd = tl.make_tensor_descriptor(q, [H * S, D], [D, 1], [BM, D])
    kd = tl.make_tensor_descriptor(k, [H * S, D], [D, 1], [BN, D])
    vd = tl.make_tensor_descriptor(v, [H * S, D], [D, 1], [BN, D])
    od = tl.make_tensor_descriptor(o, [H * S, D], [D, 1], [BM, D])
    qt = qd.load([head * S + pm * BM, 0])
    greatest = tl.full((BM,), -float('inf'), tl.float32)
    total = tl.zeros((BM,), tl.float32) + 1.0
    acc = tl.zeros((BM, D), tl.float32)
    for s in range(0, S, BN):
        kt = kd.load([head * S + s, 0])
        score = tl.dot(qt, kt.T)
        new = tl.maximum(greatest, tl.max(score, 1) * scale)
        p = tl.exp(score * scale - new[:, None])
        alpha = tl.exp(greatest - new)
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None]
        vt = vd.load([head * S + s, 0])
        acc = tl.dot(p, vt, acc)
        greatest = new
    od.store([head * S + pm * BM, 0], acc / total[:, None])


@triton.jit
def group_norm_last(x, w, b, y, pixels, C, G, eps, BP: tl.constexpr, BC: tl.constexpr):
    """channels are last; sums and sums of squares over pixels in blocks, then all once more"""
    image = tl.program_id(0)
    group = tl.program_id(1)
    per = C // G
    c = tl.arange(0, BC)
    mc = c < per
    base = x + image * pixels * C + group * per
    total = 0.0
    squares = 0.0
    for s in range(0, pixels, BP):
        r = s + tl.arange(0, BP)
        m = (r < pixels)[:, None] & mc[None, :]
        t = tl.load(base + r[:, None] * C + c[None, :], mask=m, other=0.0)
        total += tl.sum(t)
        squares += tl.sum(t * t)
    n = pixels * per
    mean = total / n
    rstd = 1.0 / tl.sqrt(squares / n - mean * mean + eps)
    wt = tl.load(w + group * per + c, mask=mc, other=0.0)
    bt = tl.load(b + group * per + c, mask=mc, other=0.0)
    for s in range(0, pixels, BP):
        r = s + tl.arange(0, BP)
        m = (r < pixels)[:, None] & mc[None, :]
        t = tl.load(base + r[:, None] * C + c[None, :], mask=m, other=0.0)
        out = (t - mean) * rstd * wt[None, :] + bt[None, :]
        tl.store(y + (image * pixels + r[:, None]) * C + group * per + c[None, :], out, mask=m)


@triton.jit
def layer_norm_dw_parts(dy, x, mean, rstd, dw, db, M, N, R: tl.constexpr, B: tl.constexpr):
    """an instance sums over R rows one after another"""
    part = tl.program_id(0)
    c = tl.arange(0, B)
    m = c < N
    a = tl.zeros((B,), tl.float32)
    s = tl.zeros((B,), tl.float32)
    for r in range(part * R, tl.minimum((part + 1) * R, M)):
        g = tl.load(dy + r * N + c, mask=m, other=0.0)
        v = tl.load(x + r * N + c, mask=m, other=0.0)
        a += g * (v - tl.load(mean + r)) * tl.load(rstd + r)
        s += g
    tl.store(dw + part * N + c, a, mask=m)
    tl.store(db + part * N + c, s, mask=m)


@triton.jit
def l2_normed(x, y, n, eps, B: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((B,), tl.float32)
    for s in range(0, n, B):
        c = s + tl.arange(0, B)
        t = tl.load(x + row * n + c, mask=c < n, other=0.0)
        total += t * t
    r = 1.0 / tl.maximum(tl.sqrt(tl.sum(total, axis=0)), eps)
    for s in range(0, n, B):
        c = s + tl.arange(0, B)
        tl.store(y + row * n + c, tl.load(x + row * n + c, mask=c < n) * r, mask=c < n)


@triton.jit
def cross_entropy_smoothed(x, target, loss, V, smoothing, zscale, B: tl.constexpr):
    """label smoothing and the square of the logarithm of the sum, in one pass with a running
    maximum"""
    row = tl.program_id(0)
    y = tl.load(target + row)
    m = -float('inf')
    d = 0.0
    scores = 0.0
    base = x + row * V
    at = tl.load(base + y)
    for s in range(0, V, B):
        c = s + tl.arange(0, B)
        t = tl.load(base + c, mask=c < V, other=-float('inf'))
        scores += tl.sum(tl.where(c < V, t, 0.0))
        new = tl.maximum(m, tl.max(t))
        d = d * tl.exp(m - new) + tl.sum(tl.exp(t - new))
        m = new
    lse = m + tl.log(d)
    each = smoothing / V
    smooth = each * (V * lse - scores)
    result = (lse - at) * (1.0 - smoothing) + smooth + zscale * lse * lse
    tl.store(loss + row, result)


@triton.jit
def bce_logits(x, t, y, n, B: tl.constexpr):
    """binary cross entropy of scores, the stable form"""
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    v = tl.load(x + i, mask=m)
    u = tl.load(t + i, mask=m)
    tl.store(y + i, tl.maximum(v, 0.0) - v * u + tl.log(1.0 + tl.exp(-tl.abs(v))), mask=m)


@triton.jit
def adam_step(p, g, m1, m2, n, lr, beta1, beta2, eps, decay, c1, c2, B: tl.constexpr):
    """in place, with decoupled weight decay"""
    i = tl.program_id(0) * B + tl.arange(0, B)
    k = i < n
    w = tl.load(p + i, mask=k)
    d = tl.load(g + i, mask=k)
    a = tl.load(m1 + i, mask=k)
    b = tl.load(m2 + i, mask=k)
    w = w * (1.0 - lr * decay)
    a = beta1 * a + (1.0 - beta1) * d
    b = beta2 * b + (1.0 - beta2) * d * d
    w -= lr * (a / c1) / (tl.sqrt(b / c2) + eps)
    tl.store(p + i, w, mask=k)
    tl.store(m1 + i, a, mask=k)
    tl.store(m2 + i, b, mask=k)


@triton.jit
def geglu_tanh(x, y, d, B: tl.constexpr):
    """the first half goes through gelu by a hyperbolic tangent made of an exponential"""
    row = tl.program_id(0)
    c = tl.program_id(1) * B + tl.arange(0, B)
    m = c < d
    a = tl.load(x + row * 2 * d + c, mask=m)
    b = tl.load(x + row * 2 * d + d + c, mask=m)
    u = 0.7978845608028654 * (a + 0.044715 * a * a * a)
    t = 1.0 - 2.0 / (tl.exp(2.0 * u) + 1.0)
    tl.store(y + row * d + c, 0.5 * a * (1.0 + t) * b, mask=m)


@triton.jit
def qk_norm_rope(x, w, cos, sin, y, S, eps, D: tl.constexpr):
    """a head of a token: root mean square, weight, rotation by halves, all in one"""
    token = tl.program_id(0)
    head = tl.program_id(1)
    H = tl.num_programs(1)
    e = tl.arange(0, D // 2)
    at = (token * H + head) * D
    a = tl.load(x + at + e)
    b = tl.load(x + at + D // 2 + e)
    r = tl.rsqrt((tl.sum(a * a) + tl.sum(b * b)) / D + eps)
    a = a * r * tl.load(w + e)
    b = b * r * tl.load(w + D // 2 + e)
    u = tl.load(cos + token % S * (D // 2) + e)
    v = tl.load(sin + token % S * (D // 2) + e)
    tl.store(y + at + e, a * u - b * v)
    tl.store(y + at + D // 2 + e, b * u + a * v)
