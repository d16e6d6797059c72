"""More kernels as people write them, for kernels.py: those of tutorials, of losses and of backward
passes."""

import triton
import triton.language as tl


@triton.jit
def softmax_rows(y, x, x_stride, y_stride, rows, n, B: tl.constexpr):
    """the tutorial's: an instance takes every so manyth row"""
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0)):
        c = tl.arange(0, B)
        m = c < n
        v = tl.load(x + row * x_stride + c, mask=m, other=-float('inf'))
        e = tl.exp(v - tl.max(v, axis=0))
        tl.store(y + row * y_stride + c, e / tl.sum(e, axis=0), mask=m)


@triton.jit
def matmul_leaky(
    a,
    b,
    c,
    M,
    N,
    K,
    sam,
    sak,
    sbk,
    sbn,
    scm,
    scn,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    G: tl.constexpr,
):
    """the tutorial's: rows and columns beyond the ends are others once more, blocks in groups"""
    pid = tl.program_id(0)
    rows = tl.cdiv(M, BM)
    columns = tl.cdiv(N, BN)
    in_group = G * columns
    group = pid // in_group
    first = group * G
    size = min(rows - first, G)
    pm = first + ((pid % in_group) % size)
    pn = (pid % in_group) // size
    rm = (pm * BM + tl.arange(0, BM)) % M
    rn = (pn * BN + tl.arange(0, BN)) % N
    rk = tl.arange(0, BK)
    ap = a + (rm[:, None] * sam + rk[None, :] * sak)
    bp = b + (rk[:, None] * sbk + rn[None, :] * sbn)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        at = tl.load(ap, mask=rk[None, :] < K - k * BK, other=0.0)
        bt = tl.load(bp, mask=rk[:, None] < K - k * BK, other=0.0)
        acc = tl.dot(at, bt, acc)
        ap += BK * sak
        bp += BK * sbk
    acc = tl.where(acc >= 0, acc, 0.01 * acc)
    om = pm * BM + tl.arange(0, BM)
    on = pn * BN + tl.arange(0, BN)
    cp = c + scm * om[:, None] + scn * on[None, :]
    tl.store(cp, acc, mask=(om[:, None] < M) & (on[None, :] < N))


@triton.jit
def matmul_wrapped(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """no groups, wrapped"""
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    rm = (pm * BM + tl.arange(0, BM)) % M
    rn = (pn * BN + tl.arange(0, BN)) % N
    rk = tl.arange(0, BK)
    ap = a + rm[:, None] * K + rk[None, :]
    bp = b + rk[:, None] * N + rn[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        at = tl.load(ap, mask=rk[None, :] < K - k * BK, other=0.0)
        bt = tl.load(bp, mask=rk[:, None] < K - k * BK, other=0.0)
        acc += tl.dot(at, bt)
        ap += BK
        bp += BK * N
    om = pm * BM + tl.arange(0, BM)
    on = pn * BN + tl.arange(0, BN)
    tl.store(c + om[:, None] * N + on[None, :], acc, mask=(om[:, None] < M) & (on[None, :] < N))


@triton.jit
def layer_norm_dx(dx, dy, x, w, mean, rstd, n, B: tl.constexpr):
    """the tutorial's, for what is put in"""
    row = tl.program_id(0)
    c = tl.arange(0, B)
    m = c < n
    v = tl.load(x + row * n + c, mask=m, other=0.0)
    g = tl.load(dy + row * n + c, mask=m, other=0.0)
    wt = tl.load(w + c, mask=m, other=0.0)
    mu = tl.load(mean + row)
    r = tl.load(rstd + row)
    xhat = tl.where(m, (v - mu) * r, 0.0)
    wdy = tl.where(m, wt * g, 0.0)
    c1 = tl.sum(xhat * wdy, axis=0) / n
    c2 = tl.sum(wdy, axis=0) / n
    tl.store(dx + row * n + c, (wdy - (xhat * c1 + c2)) * r, mask=m)


@triton.jit
def column_sums(x, y, M, N, BM: tl.constexpr, BN: tl.constexpr):
    """layer norm's second kernel: sums over rows, block by block"""
    c = tl.program_id(0) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for i in range(0, M, BM):
        r = i + tl.arange(0, BM)
        m = (r[:, None] < M) & (c[None, :] < N)
        acc += tl.load(x + r[:, None] * N + c[None, :], mask=m, other=0.0)
    tl.store(y + c, tl.sum(acc, axis=0), mask=c < N)


@triton.jit
def batch_norm(x, w, b, mean, var, y, channels, pixels, eps, B: tl.constexpr):
    """in inference: statistics are given"""
    plane = tl.program_id(0)
    ch = plane % channels
    i = tl.program_id(1) * B + tl.arange(0, B)
    m = i < pixels
    v = tl.load(x + plane * pixels + i, mask=m)
    r = 1.0 / tl.sqrt(tl.load(var + ch) + eps)
    tl.store(
        y + plane * pixels + i,
        (v - tl.load(mean + ch)) * r * tl.load(w + ch) + tl.load(b + ch),
        mask=m,
    )


@triton.jit
def channel_means(x, y, images, channels, pixels, B: tl.constexpr):
    """of each channel over images and pixels"""
    ch = tl.program_id(0)
    acc = tl.zeros([B], tl.float32)
    for i in range(0, images):
        for o in range(0, pixels, B):
            c = o + tl.arange(0, B)
            acc += tl.load(x + (i * channels + ch) * pixels + c, mask=c < pixels, other=0.0)
    tl.store(y + ch, tl.sum(acc, axis=0) / (images * pixels))


@triton.jit
def avg_pool(x, y, H, W, OH, OW, B: tl.constexpr):
    """2 by 2"""
    i = tl.program_id(0) * B + tl.arange(0, B)
    planes = tl.program_id(1)
    m = i < OH * OW
    r = i // OW
    c = i % OW
    at = x + planes * H * W + r * 2 * W + c * 2
    s = (
        tl.load(at, mask=m)
        + tl.load(at + 1, mask=m)
        + tl.load(at + W, mask=m)
        + tl.load(at + W + 1, mask=m)
    )
    tl.store(y + planes * OH * OW + i, s * 0.25, mask=m)


@triton.jit
def upsample(x, y, H, W, B: tl.constexpr):
    """twice as many rows and columns, the nearest"""
    plane = tl.program_id(0)
    i = tl.program_id(1) * B + tl.arange(0, B)
    m = i < 4 * H * W
    r = i // (2 * W)
    c = i % (2 * W)
    tl.store(
        y + plane * 4 * H * W + i,
        tl.load(x + plane * H * W + (r // 2) * W + c // 2, mask=m),
        mask=m,
    )


@triton.jit
def cross_entropy_backward(x, target, dx, n, scale, B: tl.constexpr):
    """softmax less 1 at the label"""
    row = tl.program_id(0)
    t = tl.load(target + row)
    c = tl.arange(0, B)
    v = tl.load(x + row * n + c, mask=c < n, other=-float('inf'))
    e = tl.exp(v - tl.max(v, axis=0))
    p = e / tl.sum(e, axis=0)
    p = tl.where(c == t, p - 1.0, p)
    tl.store(dx + row * n + c, p * scale, mask=c < n)


@triton.jit
def cross_entropy_online(x, target, loss, n, B: tl.constexpr):
    """the vocabulary in blocks; the label's score is found on the way"""
    row = tl.program_id(0)
    t = tl.load(target + row)
    greatest = -float('inf')
    total = 0.0
    for o in range(0, n, B):
        c = o + tl.arange(0, B)
        v = tl.load(x + row * n + c, mask=c < n, other=-float('inf'))
        new = tl.maximum(greatest, tl.max(v, axis=0))
        total = total * tl.exp(greatest - new) + tl.sum(tl.exp(v - new), axis=0)
        greatest = new
    tl.store(loss + row, tl.log(total) + greatest - tl.load(x + row * n + t))


@triton.jit
def rms_norm_backward(x, w, dy, dx, n, eps, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    m = c < n
    v = tl.load(x + row * n + c, mask=m, other=0.0)
    g = tl.load(dy + row * n + c, mask=m, other=0.0) * tl.load(w + c, mask=m, other=0.0)
    r = tl.rsqrt(tl.sum(v * v, axis=0) / n + eps)
    s = tl.sum(v * g, axis=0)
    tl.store(dx + row * n + c, r * g - v * (r * r * r * s / n), mask=m)


@triton.jit
def rope_heads(x, cos, sin, y, S, H, D: tl.constexpr, BH: tl.constexpr):
    """of a batch: all heads of a token at once, by halves"""
    token = tl.program_id(0)
    at = token % S
    h = tl.arange(0, BH)
    d = tl.arange(0, D // 2)
    m = h[:, None] < H
    o = token * H * D + h[:, None] * D + d[None, :]
    u = tl.load(cos + at * (D // 2) + d)[None, :]
    v = tl.load(sin + at * (D // 2) + d)[None, :]
    a = tl.load(x + o, mask=m, other=0.0)
    b = tl.load(x + o + D // 2, mask=m, other=0.0)
    tl.store(y + o, a * u - b * v, mask=m)
    tl.store(y + o + D // 2, b * u + a * v, mask=m)


@triton.jit
def masked_mean(x, lengths, y, S, d, B: tl.constexpr):
    """of a sequence's first so many rows"""
    b = tl.program_id(0)
    c = tl.program_id(1) * B + tl.arange(0, B)
    n = tl.load(lengths + b)
    acc = tl.zeros([B], tl.float32)
    for s in range(0, S):
        acc += tl.load(x + (b * S + s) * d + c, mask=(c < d) & (s < n), other=0.0)
    tl.store(y + b * d + c, acc / n, mask=c < d)


@triton.jit
def smooth_loss(x, y, part, n, B: tl.constexpr):
    """Huber's of differences, summed block by block"""
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    d = tl.abs(tl.load(x + i, mask=m, other=0.0) - tl.load(y + i, mask=m, other=0.0))
    tl.store(part + tl.program_id(0), tl.sum(tl.where(d < 1.0, 0.5 * d * d, d - 0.5), axis=0))


@triton.jit
def cosine(a, b, y, n, eps, B: tl.constexpr):
    row = tl.program_id(0)
    ab = 0.0
    aa = 0.0
    bb = 0.0
    for o in range(0, n, B):
        c = o + tl.arange(0, B)
        u = tl.load(a + row * n + c, mask=c < n, other=0.0)
        v = tl.load(b + row * n + c, mask=c < n, other=0.0)
        ab += tl.sum(u * v, axis=0)
        aa += tl.sum(u * u, axis=0)
        bb += tl.sum(v * v, axis=0)
    tl.store(y + row, ab / tl.maximum(tl.sqrt(aa) * tl.sqrt(bb), eps))


@triton.jit
def attention_causal(q, k, v, o, S, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """only the blocks of keys up to the diagonal"""
    pm = tl.program_id(0)
    head = tl.program_id(1)
    rm = pm * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    base = head * S * D
    qt = tl.load(q + base + rm[:, None] * D + d[None, :], mask=rm[:, None] < S, other=0.0)
    greatest = tl.full((BM,), -float('inf'), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for s in range(0, (pm + 1) * BM, BN):
        rn = s + tl.arange(0, BN)
        kt = tl.load(k + base + rn[:, None] * D + d[None, :], mask=rn[:, None] < S, other=0.0)
        score = tl.dot(qt, tl.trans(kt)) * scale
        score = tl.where(rm[:, None] >= rn[None, :], score, -float('inf'))
        new = tl.maximum(greatest, tl.max(score, axis=1))
        p = tl.exp(score - new[:, None])
        alpha = tl.exp(greatest - new)
        total = total * alpha + tl.sum(p, axis=1)
        vt = tl.load(v + base + rn[:, None] * D + d[None, :], mask=rn[:, None] < S, other=0.0)
        acc = acc * alpha[:, None] + tl.dot(p, vt)
        greatest = new
    tl.store(o + base + rm[:, None] * D + d[None, :], acc / total[:, None], mask=rm[:, None] < S)
