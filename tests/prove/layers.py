#!/usr/bin/env python3
"""Writes transformer layers, one after the other, of which at most four have weights of their own:
layers.py COUNT is a program, layers.py COUNT TENSOR a muGraph in which the first layer's tensor y1
(a projection with a residual) or h1 (a gated MLP) is computed by a block graph."""

import sys

BLOCK = {
    'y1': (
        '''kernel k1
  grid x = A, y = B
  loop l = L
  load a [TM, K] = a1 x -> 0 loop -> 1
  load w [K, TN] = Wo1 y -> 1 loop -> 0
  load r [TM, TN] = X x -> 0 y -> 1
  p = a @ w
  acc s = sum p
  q = s + r
  store y1 [TM, TN] = q x -> 0 y -> 1
end'''
    ),
    'h1': (
        '''kernel k1
  grid x = A, y = B
  loop l = L
  load a [TM, K] = yn1 x -> 0 loop -> 1
  load g [K, TN] = Wg1 y -> 1 loop -> 0
  load u [K, TN] = Wu1 y -> 1 loop -> 0
  p = a @ g
  q = a @ u
  acc s = sum p
  t = silu(s)
  acc v = sum q
  h = t * v
  store h1 [TM, TN] = h x -> 0 y -> 1
end'''
    ),
}
WEIGHTS = 4
WIDTH = {'y1': 'D', 'h1': 'F'}


def layer(k, x, z):
    """statements of layer k, from x to z"""
    w = (k - 1) % WEIGHTS + 1
    yield f'xn{k}', f'rms_norm({x}) * G{w}'
    for a in 'qkv':
        yield (
            f'{a}{k}',
            f'transpose(split_axis(xn{k} @ W{a}{w}, axis=-1, outer=H, inner=E), axis=0)',
        )
    yield f'p{k}', f'softmax((q{k} @ transpose(k{k})) / 8)'
    yield f'a{k}', f'merge_axes(transpose(p{k} @ v{k}, axis=0), axis=1)'
    yield f'y{k}', f'a{k} @ Wo{w} + {x}'
    yield f'yn{k}', f'rms_norm(y{k}) * J{w}'
    yield f'h{k}', f'silu(yn{k} @ Wg{w}) * (yn{k} @ Wu{w})'
    yield z, f'h{k} @ Wd{w} + y{k}'


def main():
    count, replaced = int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None
    if replaced:
        print('mugraph layers\nsizes A, B, L, TM, TN, K')
        print(f'where M = A * TM, {WIDTH[replaced]} = B * TN, D = L * K')
    else:
        print(
            'program layers\nsizes M = 64, D = 1024, H = 16, E = 64, F = 2816\nwhere D = H *'
            ' E\ninput X: f16[M, D]'
        )
    for k in range(1, min(count, WEIGHTS) + 1):
        shapes = [('G', 'D'), ('J', 'D'), ('Wg', 'D, F'), ('Wu', 'D, F'), ('Wd', 'F, D')] + [
            ('W' + a, 'D, D') for a in 'qkvo'
        ]
        for name, shape in [] if replaced else shapes:
            print(f'input {name}{k}: f16[{shape}]')
    x = 'X'
    for k in range(1, count + 1):
        z = f'z{k}' if k < count else 'O'
        for name, value in layer(k, x, z):
            output = 'output ' if name == 'O' and not replaced else ''
            print(BLOCK[name] if name == replaced else f'{output}{name} = {value}')
        x = z


main()
