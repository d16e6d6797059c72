#!/usr/bin/env python3
"""Kernels as people write them, and what Triton's own front end makes of them (no GPU is needed).

usage: kernels.py [NAME ..]      writes NAME.ttir beside this file, of all where none is named

The texts are kept, so that the tests do not need Triton; made with Triton 3.6 to 3.9."""

import os
import re
import sys

import triton
import triton.language as tl
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia.compiler import CUDABackend
from triton.compiler import ASTSource

import field_kernels
import model_kernels
import more_kernels
import tiled_kernels
import window_kernels


@triton.jit
def layer_norm(x, w, b, y, n, eps, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    m = c < n
    v = tl.load(x + row * n + c, mask=m, other=0.0)
    mean = tl.sum(v, axis=0) / n
    d = tl.where(m, v - mean, 0.0)
    var = tl.sum(d * d, axis=0) / n
    r = 1 / tl.sqrt(var + eps)
    tl.store(y + row * n + c, d * r * tl.load(w + c, mask=m) + tl.load(b + c, mask=m), mask=m)


@triton.jit
def layer_norm_moments(x, y, n, eps, B: tl.constexpr):
    """the variance as the mean of squares less the square of the mean, in one pass of two sums"""
    row = tl.program_id(0)
    total = tl.zeros([B], tl.float32)
    squares = tl.zeros([B], tl.float32)
    for o in range(0, n, B):
        c = o + tl.arange(0, B)
        v = tl.load(x + row * n + c, mask=c < n, other=0.0)
        total += v
        squares += v * v
    mean = tl.sum(total, axis=0) / n
    var = tl.sum(squares, axis=0) / n - mean * mean
    r = tl.rsqrt(var + eps)
    for o in range(0, n, B):
        c = o + tl.arange(0, B)
        v = tl.load(x + row * n + c, mask=c < n, other=0.0)
        tl.store(y + row * n + c, (v - mean) * r, mask=c < n)


@triton.jit
def rms_norm(x, w, y, n, eps, B: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([B], tl.float32)
    for o in range(0, n, B):
        c = o + tl.arange(0, B)
        v = tl.load(x + row * n + c, mask=c < n, other=0.0)
        acc += v * v
    r = tl.rsqrt(tl.sum(acc, axis=0) / n + eps)
    for o in range(0, n, B):
        c = o + tl.arange(0, B)
        v = tl.load(x + row * n + c, mask=c < n, other=0.0)
        tl.store(y + row * n + c, v * r * tl.load(w + c, mask=c < n, other=0.0), mask=c < n)


@triton.jit
def add_rms_norm(x, residual, w, y, n, eps, B: tl.constexpr):
    """the sum is kept in the residual, in place"""
    row = tl.program_id(0)
    c = tl.arange(0, B)
    m = c < n
    v = tl.load(x + row * n + c, mask=m, other=0.0) + tl.load(
        residual + row * n + c, mask=m, other=0.0
    )
    tl.store(residual + row * n + c, v, mask=m)
    r = tl.rsqrt(tl.sum(v * v, axis=0) / n + eps)
    tl.store(y + row * n + c, v * r * tl.load(w + c, mask=m, other=0.0), mask=m)


@triton.jit
def softmax_online(x, y, n, B: tl.constexpr):
    """maximum and rescaled sum in one loop, a number a row; the quotients in another"""
    row = tl.program_id(0)
    greatest = -float('inf')
    total = 0.0
    for o in range(0, n, B):
        c = o + tl.arange(0, B)
        v = tl.load(x + row * n + c, mask=c < n, other=-float('inf'))
        new = tl.maximum(greatest, tl.max(v, axis=0))
        total = total * tl.exp(greatest - new) + tl.sum(tl.exp(v - new), axis=0)
        greatest = new
    for o in range(0, n, B):
        c = o + tl.arange(0, B)
        v = tl.load(x + row * n + c, mask=c < n, other=-float('inf'))
        tl.store(y + row * n + c, tl.exp(v - greatest) / total, mask=c < n)


@triton.jit
def linear_gelu(
    a, b, bias, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, G: tl.constexpr
):
    """a product with bias and gelu by tanh, blocks in groups of rows"""
    pid = tl.program_id(0)
    rows = tl.cdiv(M, BM)
    columns = tl.cdiv(N, BN)
    group = pid // (G * columns)
    first = group * G
    size = min(rows - first, G)
    pm = first + (pid % (G * columns)) % size
    pn = (pid % (G * columns)) // size
    rm = pm * BM + tl.arange(0, BM)
    rn = pn * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        rk = k + tl.arange(0, BK)
        at = tl.load(
            a + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0
        )
        bt = tl.load(
            b + rk[:, None] * N + rn[None, :], mask=(rk[:, None] < K) & (rn[None, :] < N), other=0.0
        )
        acc = tl.dot(at, bt, acc)
    v = acc + tl.load(bias + rn, mask=rn < N, other=0.0)[None, :]
    u = 0.7978845608 * (v + 0.044715 * v * v * v)
    e = tl.exp(2 * u)
    v = 0.5 * v * (1 + (e - 1) / (e + 1))
    tl.store(c + rm[:, None] * N + rn[None, :], v, mask=(rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def split_k_parts(
    a, b, parts, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, S: tl.constexpr
):
    """sums of every S-th block of terms, each to its own part; split_k_sum adds them"""
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    part = tl.program_id(2)
    rm = pm * BM + tl.arange(0, BM)
    rn = pn * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(part * BK, K, BK * S):
        rk = k + tl.arange(0, BK)
        at = tl.load(
            a + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0
        )
        bt = tl.load(
            b + rk[:, None] * N + rn[None, :], mask=(rk[:, None] < K) & (rn[None, :] < N), other=0.0
        )
        acc += tl.dot(at, bt)
    tl.store(
        parts + (part * M + rm[:, None]) * N + rn[None, :],
        acc,
        mask=(rm[:, None] < M) & (rn[None, :] < N),
    )


@triton.jit
def split_k_sum(parts, c, size, B: tl.constexpr, S: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    acc = tl.zeros([B], tl.float32)
    for s in tl.static_range(S):
        acc += tl.load(parts + s * size + i, mask=i < size, other=0.0)
    tl.store(c + i, acc, mask=i < size)


@triton.jit
def attention(q, k, v, o, S, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    head = tl.program_id(1)
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    base = head * S * D
    qt = tl.load(q + base + rm[:, None] * D + d[None, :], mask=rm[:, None] < S, other=0.0)
    greatest = tl.full((BM,), -float('inf'), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for s in range(0, S, BN):
        rn = s + tl.arange(0, BN)
        kt = tl.load(k + base + rn[:, None] * D + d[None, :], mask=rn[:, None] < S, other=0.0)
        score = tl.dot(qt, tl.trans(kt)) * scale
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
def cross_entropy(x, target, loss, n, ignored, B: tl.constexpr):
    """of rows whose target is another number than the one that is left out"""
    row = tl.program_id(0)
    t = tl.load(target + row)
    c = tl.arange(0, B)
    v = tl.load(x + row * n + c, mask=c < n, other=-float('inf'))
    greatest = tl.max(v, axis=0)
    total = tl.log(tl.sum(tl.exp(v - greatest), axis=0)) + greatest
    kept = t != ignored
    picked = tl.load(x + row * n + t, mask=kept, other=0.0)
    tl.store(loss + row, tl.where(kept, total - picked, 0.0))


@triton.jit
def embedding(ids, table, position, y, length, d, B: tl.constexpr):
    """a token's row and its place's row, added"""
    token = tl.program_id(0)
    c = tl.arange(0, B)
    m = c < d
    at = tl.load(ids + token)
    v = tl.load(table + at * d + c, mask=m, other=0.0) + tl.load(
        position + (token % length) * d + c, mask=m, other=0.0
    )
    tl.store(y + token * d + c, v, mask=m)


@triton.jit
def swiglu(x, y, d, B: tl.constexpr):
    """the two halves of a row"""
    row = tl.program_id(0)
    c = tl.program_id(1) * B + tl.arange(0, B)
    m = c < d
    g = tl.load(x + row * 2 * d + c, mask=m, other=0.0)
    u = tl.load(x + row * 2 * d + d + c, mask=m, other=0.0)
    tl.store(y + row * d + c, g / (1 + tl.exp(-g)) * u, mask=m)


@triton.jit
def swiglu_backward(x, dy, dx, d, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.program_id(1) * B + tl.arange(0, B)
    m = c < d
    g = tl.load(x + row * 2 * d + c, mask=m, other=0.0)
    u = tl.load(x + row * 2 * d + d + c, mask=m, other=0.0)
    z = tl.load(dy + row * d + c, mask=m, other=0.0)
    s = 1 / (1 + tl.exp(-g))
    tl.store(dx + row * 2 * d + c, z * u * s * (1 + g * (1 - s)), mask=m)
    tl.store(dx + row * 2 * d + d + c, z * g * s, mask=m)


@triton.jit
def rotary_halves(x, cos, sin, heads, D: tl.constexpr):
    """in place: the two halves of each head's row"""
    token = tl.program_id(0)
    head = tl.program_id(1)
    c = tl.arange(0, D // 2)
    at = x + (token * heads + head) * D
    a = tl.load(at + c)
    b = tl.load(at + D // 2 + c)
    u = tl.load(cos + token * (D // 2) + c)
    v = tl.load(sin + token * (D // 2) + c)
    tl.store(at + c, a * u - b * v)
    tl.store(at + D // 2 + c, b * u + a * v)


@triton.jit
def rotary_pairs(x, cos, sin, y, n, D: tl.constexpr):
    """neighbours in a row are turned together"""
    row = tl.program_id(0)
    c = tl.arange(0, D // 2)
    a = tl.load(x + row * D + 2 * c)
    b = tl.load(x + row * D + 2 * c + 1)
    u = tl.load(cos + row % n * (D // 2) + c)
    v = tl.load(sin + row % n * (D // 2) + c)
    tl.store(y + row * D + 2 * c, a * u - b * v)
    tl.store(y + row * D + 2 * c + 1, b * u + a * v)


@triton.jit
def cumsum(x, y, n, B: tl.constexpr):
    """sums up to each place, tile by tile with what came before"""
    row = tl.program_id(0)
    before = 0.0
    for o in range(0, n, B):
        c = o + tl.arange(0, B)
        v = tl.load(x + row * n + c, mask=c < n, other=0.0)
        tl.store(y + row * n + c, tl.cumsum(v, axis=0) + before, mask=c < n)
        before += tl.sum(v, axis=0)


@triton.jit
def transpose(x, y, M, N, BM: tl.constexpr, BN: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    m = (i[:, None] < M) & (j[None, :] < N)
    v = tl.load(x + i[:, None] * N + j[None, :], mask=m)
    tl.store(y + j[:, None] * M + i[None, :], tl.trans(v), mask=tl.trans(m))


@triton.jit
def group_norm(x, w, b, y, channels, groups, pixels, eps, B: tl.constexpr):
    """an instance a group of an image; weights by channel"""
    image = tl.program_id(0)
    group = tl.program_id(1)
    per = channels // groups
    n = per * pixels
    at = (image * channels + group * per) * pixels
    c = tl.arange(0, B)
    m = c < n
    v = tl.load(x + at + c, mask=m, other=0.0)
    mean = tl.sum(v, axis=0) / n
    d = tl.where(m, v - mean, 0.0)
    r = tl.rsqrt(tl.sum(d * d, axis=0) / n + eps)
    channel = group * per + c // pixels
    tl.store(
        y + at + c,
        d * r * tl.load(w + channel, mask=m, other=0.0) + tl.load(b + channel, mask=m, other=0.0),
        mask=m,
    )


@triton.jit
def int8_matmul(
    a, b, scale, zero, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    """weights of 8 bits with a scale and a zero point a column"""
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    s = tl.load(scale + rn, mask=rn < N, other=0.0)
    z = tl.load(zero + rn, mask=rn < N, other=0.0)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        rk = k + tl.arange(0, BK)
        at = tl.load(
            a + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0
        )
        bt = tl.load(
            b + rk[:, None] * N + rn[None, :], mask=(rk[:, None] < K) & (rn[None, :] < N), other=0
        )
        acc += tl.dot(at, (bt.to(tl.float32) - z[None, :]) * s[None, :])
    tl.store(c + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def conv1d_causal(x, w, bias, y, length, K: tl.constexpr, B: tl.constexpr):
    """a channel an instance, each with its own weights; places before the first are 0"""
    channel = tl.program_id(0)
    t = tl.program_id(1) * B + tl.arange(0, B)
    acc = tl.zeros([B], tl.float32) + tl.load(bias + channel)
    for j in tl.static_range(K):
        at = t - (K - 1) + j
        acc += tl.load(w + channel * K + j) * tl.load(
            x + channel * length + at, mask=(at >= 0) & (at < length), other=0.0
        )
    tl.store(y + channel * length + t, acc / (1 + tl.exp(-acc)), mask=t < length)


@triton.jit
def max_pool(x, y, H, W, OH, OW, K: tl.constexpr, B: tl.constexpr):
    """windows of K by K, as far apart"""
    plane = tl.program_id(0)
    i = tl.arange(0, B)
    m = i < OH * OW
    r = i // OW
    c = i % OW
    best = tl.full([B], -float('inf'), tl.float32)
    for u in tl.static_range(K):
        for v in tl.static_range(K):
            best = tl.maximum(
                best,
                tl.load(x + (plane * H + r * K + u) * W + c * K + v, mask=m, other=-float('inf')),
            )
    tl.store(y + plane * OH * OW + i, best, mask=m)


@triton.jit
def max_pool_padded(x, y, H, W, OW, B: tl.constexpr):
    """windows of 3 by 3, two apart, one place of padding"""
    plane = tl.program_id(0)
    r = tl.program_id(1)
    c = tl.arange(0, B)
    best = tl.full([B], -float('inf'), tl.float32)
    for u in tl.static_range(3):
        for v in tl.static_range(3):
            i = r * 2 + u - 1
            j = c * 2 + v - 1
            inside = (i >= 0) & (i < H) & (j >= 0) & (j < W)
            best = tl.maximum(
                best, tl.load(x + (plane * H + i) * W + j, mask=inside, other=-float('inf'))
            )
    tl.store(y + (plane * tl.num_programs(1) + r) * OW + c, best, mask=c < OW)


@triton.jit
def batched_matvec(a, x, y, M, N, BM: tl.constexpr, BN: tl.constexpr):
    batch = tl.program_id(0)
    rm = tl.program_id(1) * BM + tl.arange(0, BM)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, N, BN):
        rn = k + tl.arange(0, BN)
        m = (rm[:, None] < M) & (rn[None, :] < N)
        at = tl.load(a + (batch * M + rm[:, None]) * N + rn[None, :], mask=m, other=0.0)
        xt = tl.load(x + batch * N + rn, mask=rn < N, other=0.0)
        acc += at * xt[None, :]
    tl.store(y + batch * M + rm, tl.sum(acc, axis=1), mask=rm < M)


@triton.jit
def kl_div(logits, other, far, n, B: tl.constexpr):
    """of a row's softmax from another one's"""
    row = tl.program_id(0)
    c = tl.arange(0, B)
    m = c < n
    a = tl.load(logits + row * n + c, mask=m, other=-float('inf'))
    b = tl.load(other + row * n + c, mask=m, other=-float('inf'))
    a = a - tl.max(a, axis=0)
    b = b - tl.max(b, axis=0)
    la = a - tl.log(tl.sum(tl.exp(a), axis=0))
    lb = b - tl.log(tl.sum(tl.exp(b), axis=0))
    tl.store(far + row, tl.sum(tl.where(m, tl.exp(la) * (la - lb), 0.0), axis=0))


@triton.jit
def quantise(x, q, scale, n, B: tl.constexpr):
    """a row by its greatest amount: numbers within 127, before they are rounded"""
    row = tl.program_id(0)
    c = tl.arange(0, B)
    m = c < n
    v = tl.load(x + row * n + c, mask=m, other=0.0)
    s = tl.maximum(tl.max(tl.abs(v), axis=0), 1e-6) / 127.0
    tl.store(scale + row, s)
    tl.store(q + row * n + c, tl.minimum(tl.maximum(v / s, -127.0), 127.0), mask=m)


@triton.jit
def combined(mean_a, squares_a, weight_a, mean_b, squares_b, weight_b):
    """Welford's combination: means, sums of squares about them, weights"""
    delta = mean_b - mean_a
    weight = weight_a + weight_b
    part = tl.where(weight == 0.0, 0.0, weight_b / weight)
    return mean_a + delta * part, squares_a + squares_b + delta * delta * weight_a * part, weight


@triton.jit
def layer_norm_welford(x, y, n, eps, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    m = c < n
    v = tl.load(x + row * n + c, mask=m, other=0.0)
    mean, squares, weight = tl.reduce(
        (v, tl.zeros([B], tl.float32), tl.where(m, 1.0, 0.0)), 0, combined
    )
    tl.store(y + row * n + c, (v - mean) * tl.rsqrt(squares / n + eps), mask=m)


@triton.jit
def layer_norm_welford_looped(x, y, n, eps, B: tl.constexpr):
    """lane by lane in a loop, then over the lanes"""
    row = tl.program_id(0)
    means = tl.zeros([B], tl.float32)
    about = tl.zeros([B], tl.float32)
    weights = tl.zeros([B], tl.float32)
    for o in range(0, n, B):
        c = o + tl.arange(0, B)
        m = c < n
        v = tl.load(x + row * n + c, mask=m, other=0.0)
        d = v - means
        more = weights + 1.0
        new = means + d / more
        about = tl.where(m, about + d * (v - new), about)
        means = tl.where(m, new, means)
        weights = tl.where(m, more, weights)
    mean, squares, weight = tl.reduce((means, about, weights), 0, combined)
    for o in range(0, n, B):
        c = o + tl.arange(0, B)
        v = tl.load(x + row * n + c, mask=c < n, other=0.0)
        tl.store(y + row * n + c, (v - mean) * tl.rsqrt(squares / n + eps), mask=c < n)


@triton.jit
def tokens_normed(
    token,
    x,
    more,
    y,
    eps,
    C: tl.constexpr,
    D: tl.constexpr,
    R: tl.constexpr,
    B: tl.constexpr,
):
    """rows are a batch and a place, at whose first one is the token; tiles hold parts of batches"""
    row = tl.program_id(0) * R + tl.arange(0, R)[:, None]
    place = row % C
    batch = row // C
    means = tl.zeros([R, B], tl.float32)
    about = tl.zeros([R, B], tl.float32)
    weights = tl.zeros([R, B], tl.float32)
    for o in range(0, D, B):
        c = o + tl.arange(0, B)[None, :]
        m = c + 0 * row < D
        first = tl.load(token + c + 0 * row, mask=m & (place < 1), other=0.0)
        there = x + batch * (D * (C - 1)) + c * (C - 1) + place - 1
        v = tl.where(place < 1, first, tl.load(there, mask=m & (place >= 1), other=0.0))
        v += tl.load(more + row * D + c, mask=m, other=0.0)
        d = v - means
        n = weights + 1.0
        new = means + d / n
        about = tl.where(m, about + d * (v - new), about)
        means = tl.where(m, new, means)
        weights = tl.where(m, n, weights)
    mean, squares, weight = tl.reduce((means, about, weights), 1, combined)
    scale = tl.rsqrt(squares / D + eps)
    for o in range(0, D, B):
        c = o + tl.arange(0, B)[None, :]
        m = c + 0 * row < D
        first = tl.load(token + c + 0 * row, mask=m & (place < 1), other=0.0)
        there = x + batch * (D * (C - 1)) + c * (C - 1) + place - 1
        v = tl.where(place < 1, first, tl.load(there, mask=m & (place >= 1), other=0.0))
        v += tl.load(more + row * D + c, mask=m, other=0.0)
        tl.store(y + row * D + c, (v - mean[:, None]) * scale[:, None], mask=m)


F, I, B8, I32 = '*fp32', '*i64', '*i8', '*i32'
KERNELS = {
    'layer_norm': ([F] * 4 + ['i32', 'fp32'], dict(B=8)),
    'layer_norm_moments': ([F] * 2 + ['i32', 'fp32'], dict(B=8)),
    'layer_norm_welford': ([F] * 2 + ['i32', 'fp32'], dict(B=8)),
    'layer_norm_welford_looped': ([F] * 2 + ['i32', 'fp32'], dict(B=8)),
    'tokens_normed': ([F] * 4 + ['fp32'], dict(C=5, D=24, R=2, B=16)),
    'rms_norm': ([F] * 3 + ['i32', 'fp32'], dict(B=8)),
    'add_rms_norm': ([F] * 4 + ['i32', 'fp32'], dict(B=8)),
    'softmax_online': ([F] * 2 + ['i32'], dict(B=8)),
    'linear_gelu': ([F] * 4 + ['i32'] * 3, dict(BM=16, BN=16, BK=16, G=2)),
    'split_k_parts': ([F] * 3 + ['i32'] * 3, dict(BM=16, BN=16, BK=16, S=2)),
    'split_k_sum': ([F] * 2 + ['i32'], dict(B=16, S=2)),
    'attention': ([F] * 4 + ['i32', 'fp32'], dict(D=16, BM=16, BN=16)),
    'cross_entropy': ([F, I, F, 'i32', 'i32'], dict(B=8)),
    'embedding': ([I] + [F] * 3 + ['i32'] * 2, dict(B=8)),
    'swiglu': ([F] * 2 + ['i32'], dict(B=8)),
    'swiglu_backward': ([F] * 3 + ['i32'], dict(B=8)),
    'rotary_halves': ([F] * 3 + ['i32'], dict(D=8)),
    'rotary_pairs': ([F] * 4 + ['i32'], dict(D=8)),
    'cumsum': ([F] * 2 + ['i32'], dict(B=8)),
    'transpose': ([F] * 2 + ['i32'] * 2, dict(BM=4, BN=8)),
    'group_norm': ([F] * 4 + ['i32'] * 3 + ['fp32'], dict(B=16)),
    'int8_matmul': ([F, B8, F, F, F] + ['i32'] * 3, dict(BM=16, BN=16, BK=16)),
    'conv1d_causal': ([F] * 4 + ['i32'], dict(K=4, B=8)),
    'max_pool': ([F] * 2 + ['i32'] * 4, dict(K=2, B=16)),
    'max_pool_padded': ([F] * 2 + ['i32'] * 3, dict(B=4)),
    'max_pool_dilated': ([F] * 2 + ['i32'] * 2, dict(B=8)),
    'max_pool_same': ([F] * 2 + ['i32'] * 2, dict(B=16)),
    'max_pool_wide': ([F] * 2 + ['i32'] * 4, dict(K=5, S=2, P=2, B=16)),
    'min_pool_ceil': ([F] * 2 + ['i32'] * 4, dict(B=8)),
    'avg_pool_padded': ([F] * 2 + ['i32'] * 3, dict(B=4)),
    'avg_pool_counted': ([F] * 2 + ['i32'] * 3, dict(B=4)),
    'row_amounts': ([F] * 2 + ['i32'], dict(B=1024)),
    'batched_matvec': ([F] * 3 + ['i32'] * 2, dict(BM=4, BN=8)),
    'kl_div': ([F] * 3 + ['i32'], dict(B=8)),
    'quantise': ([F] * 3 + ['i32'], dict(B=8)),
    'softmax_rows': ([F, F] + ['i32'] * 4, dict(B=8)),
    'matmul_leaky': ([F] * 3 + ['i32'] * 9, dict(BM=16, BN=16, BK=16, G=2)),
    'matmul_wrapped': ([F] * 3 + ['i32'] * 3, dict(BM=16, BN=16, BK=16)),
    'layer_norm_dx': ([F] * 6 + ['i32'], dict(B=8)),
    'column_sums': ([F] * 2 + ['i32'] * 2, dict(BM=4, BN=8)),
    'batch_norm': ([F] * 6 + ['i32', 'i32', 'fp32'], dict(B=8)),
    'channel_means': ([F] * 2 + ['i32'] * 3, dict(B=8)),
    'avg_pool': ([F] * 2 + ['i32'] * 4, dict(B=8)),
    'upsample': ([F] * 2 + ['i32'] * 2, dict(B=16)),
    'cross_entropy_backward': ([F, I, F, 'i32', 'fp32'], dict(B=8)),
    'cross_entropy_online': ([F, I, F, 'i32'], dict(B=8)),
    'rms_norm_backward': ([F] * 4 + ['i32', 'fp32'], dict(B=8)),
    'rope_heads': ([F] * 4 + ['i32'] * 2, dict(D=8, BH=4)),
    'masked_mean': ([F, I32, F, 'i32', 'i32'], dict(B=8)),
    'smooth_loss': ([F] * 3 + ['i32'], dict(B=16)),
    'cosine': ([F] * 3 + ['i32', 'fp32'], dict(B=8)),
    'attention_causal': ([F] * 4 + ['i32', 'fp32'], dict(D=16, BM=16, BN=16)),
    'rotary_tiles': ([F] * 3, dict(S=8, H=4, D=8, BM=4, BN=4)),
    'add_rows': ([I, F, F, 'i32'], dict(B=16)),
    'softmax_lanes': ([F] * 3, dict(H=4, S=8, N=50, BM=16, BN=16)),
    'attention_alibi': ([F] * 5 + ['i32', 'fp32'], dict(D=16, BM=16, BN=16)),
    'attention_joined': ([F] * 3 + ['i32'], dict(D=16, B=8)),
    'attention_described': ([F] * 4 + ['i32', 'fp32'], dict(D=16, BM=16, BN=16)),
    'group_norm_last': ([F] * 4 + ['i32'] * 3 + ['fp32'], dict(BP=8, BC=4)),
    'layer_norm_dw_parts': ([F] * 6 + ['i32'] * 2, dict(R=4, B=16)),
    'l2_normed': ([F] * 2 + ['i32', 'fp32'], dict(B=8)),
    'cross_entropy_smoothed': ([F, I, F, 'i32', 'fp32', 'fp32'], dict(B=8)),
    'bce_logits': ([F] * 3 + ['i32'], dict(B=16)),
    'adam_step': ([F] * 4 + ['i32'] + ['fp32'] * 7, dict(B=16)),
    'geglu_tanh': ([F] * 2 + ['i32'], dict(B=8)),
    'qk_norm_rope': ([F] * 5 + ['i32', 'fp32'], dict(D=16)),
    'linear_attention': ([F] * 4 + ['i32'], dict(D=16, B=16)),
    'moe_gathered': ([F, F, I32, I32, F] + ['i32'] * 3, dict(BM=16, BN=16, BK=16)),
    'block_scaled_matmul': ([F] * 5 + ['i32'] * 3, dict(BM=16, BN=16, BK=16)),
    'embedding_bag_fixed': ([I32, F, F, F, 'i32'], dict(K=3, B=8)),
    'pixels_shuffled': ([F] * 2 + ['i32'] * 3, dict(R=2, B=16)),
    'poi_gelu_add': ([F] * 4 + ['i32'], dict(X=64)),
    'red_softmax': ([F] * 2 + ['i32'] * 2, dict(X=4, R=8)),
    'per_var_mean': ([F] * 3 + ['i32'], dict(X=4, R=32)),
    'scaled_groups': ([F] * 3 + ['i32'], dict(G=8)),
    'batched_permute': ([F] * 2 + ['i32'] * 3, dict(B=16)),
    'persistent_matmul': ([F] * 3 + ['i32'] * 3, dict(P=2, BM=16, BN=16, BK=16)),
}


def text_of(function, types, constants):
    names = function.arg_names
    signature = {name: types[k] if k < len(types) else 'constexpr' for k, name in enumerate(names)}
    source = ASTSource(
        function, signature, {(names.index(name),): value for name, value in constants.items()}, {}
    )
    target = GPUTarget('cuda', 90, 32)
    backend = CUDABackend(target)
    options = backend.parse_options({})
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    module = source.make_ir(
        target,
        options,
        backend.get_codegen_implementation(options),
        backend.get_module_map(),
        context,
    )
    text = backend.make_ttir(module, {}, options, 90).str_nodebug()
    for number, name in enumerate(names[: len(types)]):
        text = re.sub(r'%%arg%d\b' % number, '%' + name, text)
    return text


def function_of(name):
    for module in (more_kernels, tiled_kernels, window_kernels, model_kernels, field_kernels):
        if hasattr(module, name):
            return getattr(module, name)
    return globals()[name]


def main():
    folder = os.path.dirname(os.path.abspath(__file__))
    for name in sys.argv[1:] or KERNELS:
        types, constants = KERNELS[name]
        with open(os.path.join(folder, name + '.ttir'), 'w') as f:
            f.write(text_of(function_of(name), types, constants))


if __name__ == '__main__':
    main()
