#!/usr/bin/env python3
"""Kernels with rows of which nothing is left by a mask: where an infinity meets itself, with and without
the guard; and what Triton's front end makes of them (no GPU is needed).

usage: kernels.py [NAME ..]      writes NAME.ttir beside this file, of all where none is named"""

import os
import sys

import triton
import triton.language as tl

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../own'))


@triton.jit
def nothing(x, y, C: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, C)
    s = tl.where(c < 0, tl.load(x + row * C + c), -float('inf'))
    tl.store(y + row, tl.sum(tl.exp(s - tl.max(s, 0)), 0))


@triton.jit
def nothing_guarded(x, y, C: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, C)
    s = tl.where(c < 0, tl.load(x + row * C + c), -float('inf'))
    m = tl.max(s, 0)
    m = tl.where(m == -float('inf'), 0.0, m)
    tl.store(y + row, tl.sum(tl.exp(s - m), 0))


@triton.jit
def strict(x, y, n, C: tl.constexpr):
    """the mean of what is before, weighted by softmax: of the first row there is nothing"""
    row = tl.program_id(0)
    c = tl.arange(0, C)
    v = tl.load(x + row * n + c, mask=c < n, other=0.0)
    s = tl.where((c < row) & (c < n), v, -float('inf'))
    p = tl.exp(s - tl.max(s, 0))
    tl.store(y + row, tl.sum(p * v, 0) / tl.sum(p, 0))


@triton.jit
def strict_guarded(x, y, n, C: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, C)
    v = tl.load(x + row * n + c, mask=c < n, other=0.0)
    s = tl.where((c < row) & (c < n), v, -float('inf'))
    m = tl.max(s, 0)
    m = tl.where(m == -float('inf'), 0.0, m)
    p = tl.exp(s - m)
    total = tl.sum(p, 0)
    total = tl.where(total == 0.0, 1.0, total)
    tl.store(y + row, tl.sum(p * v, 0) / total)


@triton.jit
def window(x, y, n, W: tl.constexpr, B: tl.constexpr):
    """a window that slides, block by block: whole blocks before it are masked"""
    row = tl.program_id(0)
    m = -float('inf')
    total = 0.0
    acc = 0.0
    for o in range(0, n, B):
        c = o + tl.arange(0, B)
        v = tl.load(x + row * n + c, mask=c < n, other=0.0)
        s = tl.where((c <= row) & (c > row - W) & (c < n), v, -float('inf'))
        larger = tl.maximum(m, tl.max(s, 0))
        p = tl.exp(s - larger)
        a = tl.exp(m - larger)
        total = total * a + tl.sum(p, 0)
        acc = acc * a + tl.sum(p * v, 0)
        m = larger
    tl.store(y + row, acc / total)


@triton.jit
def window_guarded(x, y, n, W: tl.constexpr, B: tl.constexpr):
    row = tl.program_id(0)
    m = -float('inf')
    total = 0.0
    acc = 0.0
    for o in range(0, n, B):
        c = o + tl.arange(0, B)
        v = tl.load(x + row * n + c, mask=c < n, other=0.0)
        s = tl.where((c <= row) & (c > row - W) & (c < n), v, -float('inf'))
        larger = tl.maximum(m, tl.max(s, 0))
        finite = tl.where(larger == -float('inf'), 0.0, larger)
        p = tl.exp(s - finite)
        a = tl.exp(m - finite)
        total = total * a + tl.sum(p, 0)
        acc = acc * a + tl.sum(p * v, 0)
        m = larger
    tl.store(y + row, acc / total)


@triton.jit
def times_zero(x, y, n, C: tl.constexpr):
    """0 times infinity, where an element is 0"""
    row = tl.program_id(0)
    c = tl.arange(0, C)
    v = tl.load(x + row * n + c, mask=c < n, other=1.0)
    tl.store(y + row, tl.max(v * -float('inf') + v, 0))


@triton.jit
def bytes_product(a, b, y, n, C: tl.constexpr):
    """a product of bytes is a byte"""
    c = tl.arange(0, C)
    p = tl.load(a + c, mask=c < n, other=0) * tl.load(b + c, mask=c < n, other=0)
    tl.store(y + c, p.to(tl.float32), mask=c < n)


@triton.jit
def quotients(a, b, y, n, C: tl.constexpr):
    """towards zero, as Triton's integers are divided"""
    c = tl.arange(0, C)
    p = tl.load(a + c, mask=c < n, other=0)
    q = p // -3 + p % 7 - p % -5
    tl.store(y + c, q.to(tl.float32), mask=c < n)


@triton.jit
def first_place(x, y, n, C: tl.constexpr):
    """the place of the largest element, the first of several"""
    row = tl.program_id(0)
    c = tl.arange(0, C)
    v = tl.load(x + row * n + c, mask=c < n, other=-float('inf'))
    tl.store(y + row, tl.argmax(v, 0).to(tl.float32))


@triton.jit
def far_rows(x, y, N: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, N)
    tl.store(y + row * N + c, tl.load(x + row * N + c))


F, I8, I32 = '*fp32', '*i8', '*i32'
KERNELS = {
    'nothing': ([F, F], dict(C=8)),
    'nothing_guarded': ([F, F], dict(C=8)),
    'strict': ([F, F, 'i32'], dict(C=8)),
    'strict_guarded': ([F, F, 'i32'], dict(C=8)),
    'window': ([F, F, 'i32'], dict(W=4, B=4)),
    'window_guarded': ([F, F, 'i32'], dict(W=4, B=4)),
    'times_zero': ([F, F, 'i32'], dict(C=8)),
    'bytes_product': ([I8, I8, F, 'i32'], dict(C=16)),
    'quotients': ([I32, I32, F, 'i32'], dict(C=16)),
    'first_place': ([F, F, 'i32'], dict(C=8)),
    'far_rows': ([F, F], dict(N=4096)),
}


def main():
    import kernels as own  # text_of, of the kernels that people write

    folder = os.path.dirname(os.path.abspath(__file__))
    for name in sys.argv[1:] or KERNELS:
        types, constants = KERNELS[name]
        with open(os.path.join(folder, name + '.ttir'), 'w') as f:
            f.write(own.text_of(globals()[name], types, constants))


if __name__ == '__main__':
    main()
