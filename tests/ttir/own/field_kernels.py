"""Kernels of other kinds, for kernels.py: attention without a softmax, products of experts and of
scaled blocks, places taken apart, the form of torch.compile."""

import triton
import triton.language as tl


@triton.jit
def linear_attention(q, k, v, o, S, D: tl.constexpr, B: tl.constexpr):
    """in chunks: within a chunk a masked product, before it a state"""
    head = tl.program_id(0)
    d = tl.arange(0, D)
    t = tl.arange(0, B)
    base = head * S * D
    state = tl.zeros((D, D), tl.float32)
    for s in range(0, S, B):
        r = s + t
        m = (r < S)[:, None]
        at = base + r[:, None] * D + d[None, :]
        qt = tl.load(q + at, mask=m, other=0.0)
        kt = tl.load(k + at, mask=m, other=0.0)
        vt = tl.load(v + at, mask=m, other=0.0)
        w = tl.where(t[:, None] >= t[None, :], tl.dot(qt, tl.trans(kt)), 0.0)
        tl.store(o + at, tl.dot(w, vt) + tl.dot(qt, state), mask=m)
        state += tl.dot(tl.trans(kt), vt)


@triton.jit
def moe_gathered(
    a, w, ids, experts, c, T, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    """rows sorted by experts: a block of rows belongs to one; rows beyond the last are padding"""
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    r = pm * BM + tl.arange(0, BM)
    token = tl.load(ids + r)
    real = token < T
    expert = tl.load(experts + pm)
    n = pn * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for s in range(0, K, BK):
        at = tl.load(
            a + token[:, None] * K + s + k[None, :],
            mask=real[:, None] & (s + k[None, :] < K),
            other=0.0,
        )
        bt = tl.load(
            w + (expert * K + s + k[:, None]) * N + n[None, :],
            mask=(s + k[:, None] < K) & (n[None, :] < N),
            other=0.0,
        )
        acc += tl.dot(at, bt)
    tl.store(c + r[:, None] * N + n[None, :], acc, mask=n[None, :] < N)


@triton.jit
def block_scaled_matmul(
    a, b, sa, sb, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    """scales of each row and block of the sum, and of each block of both axes"""
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    m = pm * BM + tl.arange(0, BM)
    n = pn * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    blocks = tl.cdiv(K, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for s in range(0, blocks):
        kk = s * BK + k
        at = tl.load(
            a + m[:, None] * K + kk[None, :], mask=(m[:, None] < M) & (kk[None, :] < K), other=0.0
        )
        bt = tl.load(
            b + kk[:, None] * N + n[None, :], mask=(kk[:, None] < K) & (n[None, :] < N), other=0.0
        )
        ra = tl.load(sa + m * blocks + s, mask=m < M, other=0.0)
        rb = tl.load(sb + s * tl.cdiv(N, BN) + pn)
        acc += tl.dot(at, bt) * ra[:, None] * rb
    tl.store(c + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def embedding_bag_fixed(ids, weights, table, y, d, K: tl.constexpr, B: tl.constexpr):
    """K rows a bag, weighted"""
    bag = tl.program_id(0)
    c = tl.program_id(1) * B + tl.arange(0, B)
    m = c < d
    acc = tl.zeros((B,), tl.float32)
    for i in range(0, K):
        at = tl.load(ids + bag * K + i)
        acc += tl.load(table + at * d + c, mask=m, other=0.0) * tl.load(weights + bag * K + i)
    tl.store(y + bag * d + c, acc, mask=m)


@triton.jit
def pixels_shuffled(x, y, C, H, W, R: tl.constexpr, B: tl.constexpr):
    o = tl.program_id(0) * B + tl.arange(0, B)
    m = o < C * H * W * R * R
    j = o % (W * R)
    i = o // (W * R) % (H * R)
    c = o // (W * R * H * R)
    at = ((c * R * R + i % R * R + j % R) * H + i // R) * W + j // R
    tl.store(y + o, tl.load(x + at, mask=m), mask=m)


@triton.jit
def poi_gelu_add(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, X: tl.constexpr):
    """triton_poi_fused_add_gelu: a bias by column, gelu by erf, a residual"""
    xoffset = tl.program_id(0) * X
    xindex = xoffset + tl.arange(0, X)[:]
    xmask = xindex < xnumel
    x2 = xindex
    x0 = xindex % 24
    tmp0 = tl.load(in_ptr0 + x2, xmask)
    tmp1 = tl.load(in_ptr1 + x0, xmask, eviction_policy='evict_last')
    tmp11 = tl.load(in_ptr2 + x2, xmask)
    tmp2 = tmp0 + tmp1
    tmp4 = tmp2 * 0.5
    tmp6 = tmp2 * 0.7071067811865476
    tmp7 = tl.math.erf(tmp6)
    tmp9 = tmp7 + 1.0
    tmp10 = tmp4 * tmp9
    tl.store(out_ptr0 + x2, tmp10 + tmp11, xmask)


@triton.jit
def red_softmax(in_ptr0, out_ptr2, xnumel, rnumel, X: tl.constexpr, R: tl.constexpr):
    """triton_red_fused__softmax: maximum, sum, quotient in three loops"""
    xindex = tl.program_id(0) * X + tl.arange(0, X)[:, None]
    xmask = xindex < xnumel
    rbase = tl.arange(0, R)[None, :]
    x0 = xindex
    _tmp2 = tl.full([X, R], float('-inf'), tl.float32)
    for roffset in range(0, rnumel, R):
        rindex = roffset + rbase
        rmask = rindex < rnumel
        tmp0 = tl.load(in_ptr0 + (rindex + rnumel * x0), rmask & xmask, other=0.0)
        _tmp2 = tl.where(rmask & xmask, tl.maximum(_tmp2, tl.broadcast_to(tmp0, [X, R])), _tmp2)
    tmp2 = tl.max(_tmp2, 1)[:, None]
    _tmp8 = tl.full([X, R], 0, tl.float32)
    for roffset in range(0, rnumel, R):
        rindex = roffset + rbase
        rmask = rindex < rnumel
        tmp4 = tl.load(in_ptr0 + (rindex + rnumel * x0), rmask & xmask, other=0.0)
        _tmp8 = tl.where(rmask & xmask, _tmp8 + tl.exp(tmp4 - tmp2), _tmp8)
    tmp8 = tl.sum(_tmp8, 1)[:, None]
    for roffset in range(0, rnumel, R):
        rindex = roffset + rbase
        rmask = rindex < rnumel
        tmp10 = tl.load(in_ptr0 + (rindex + rnumel * x0), rmask & xmask, other=0.0)
        tl.store(out_ptr2 + (rindex + rnumel * x0), tl.exp(tmp10 - tmp2) / tmp8, rmask & xmask)


@triton.jit
def per_var_mean(in_ptr0, out_ptr0, out_ptr1, xnumel, X: tl.constexpr, R: tl.constexpr):
    """triton_per_fused_var_mean: 21 of a column's rows by 4 columns"""
    rnumel = 21
    xindex = tl.program_id(0) * X + tl.arange(0, X)[:, None]
    xmask = xindex < xnumel
    rindex = tl.arange(0, R)[None, :]
    rmask = rindex < rnumel
    x0 = xindex % 4
    x1 = xindex // 4
    tmp0 = tl.load(in_ptr0 + (x0 + 4 * rindex + 84 * x1), rmask & xmask, other=0.0)
    tmp1 = tl.broadcast_to(tmp0, [X, R])
    tmp3 = tl.where(rmask & xmask, tmp1, 0)
    tmp6 = tl.where(rmask & xmask, tmp1, 0)
    tmp8 = tl.sum(tmp6, 1)[:, None]
    tmp10 = tmp8 / 21.0
    tmp11 = tmp1 - tmp10
    tmp12 = tmp11 * tmp11
    tmp15 = tl.where(rmask & xmask, tmp12, 0)
    tmp16 = tl.sum(tmp15, 1)[:, None]
    tl.store(out_ptr0 + xindex, tmp10, xmask)
    tl.store(out_ptr1 + xindex, tmp16 / 20.0, xmask)


@triton.jit
def scaled_groups(x, q, s, n, G: tl.constexpr):
    """of each G of a row the greatest amount is a scale"""
    row = tl.program_id(0)
    g = tl.program_id(1)
    groups = tl.num_programs(1)
    c = tl.arange(0, G)
    v = tl.load(x + row * n + g * G + c)
    t = tl.maximum(tl.max(tl.abs(v)), 1e-10) / 448.0
    tl.store(q + row * n + g * G + c, tl.clamp(v / t, -448.0, 448.0))
    tl.store(s + row * groups + g, t)


@triton.jit
def batched_permute(x, y, S, H, D, B: tl.constexpr):
    """[b, s, h, d] as [b, h, s, d]"""
    o = tl.program_id(0) * B + tl.arange(0, B)
    m = o < 2 * S * H * D
    d = o % D
    s = o // D % S
    h = o // (D * S) % H
    b = o // (D * S * H)
    tl.store(y + o, tl.load(x + ((b * S + s) * H + h) * D + d, mask=m), mask=m)


@triton.jit
def persistent_matmul(
    a, b, c, M, N, K, P: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    """P instances take tiles in turn, by descriptors"""
    ad = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    bd = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
    cd = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    tn = tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BM) * tn, P):
        m = tile // tn * BM
        n = tile % tn * BN
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(0, tl.cdiv(K, BK)):
            acc = tl.dot(ad.load([m, k * BK]), bd.load([k * BK, n]), acc)
        cd.store([m, n], acc)
