/* Used by the tests of register tiles and by random programs. */
#ifndef TESTS_LOWER_CONVOLUTIONS_H
#define TESTS_LOWER_CONVOLUTIONS_H

/* operators that the built-in ones lack: convolutions in groups, transposed, in three dimensions */
static const char own_operators[] =
    "op up2(x[n, c, h], f[c, oi, k]; groups = 1) -> [n, oi * groups, (h - 1) * 2 + k]\n"
    "  require 1 <= groups\n"
    "  require 1 <= h\n"
    "  require c mod groups = 0\n"
    "  let at[i, p, s] = if(0 <= s and s mod 2 = 0 and s div 2 < h, x[i, p, s div 2], 0)\n"
    "  out[i, q, z] = (sum(p < c div groups) sum(b < k)\n"
    "    at[i, (q div oi) * (c div groups) + p, z - b] *\n"
    "    f[(q div oi) * (c div groups) + p, q mod oi, b])\n"
    "op conv3(x[n, c, d, h, w], f[o, c, kd, kh, kw]) -> [n, o, d, h, w]\n"
    "  let at[i, p, t, r, s] = if(0 <= t and t < d and 0 <= r and r < h and 0 <= s and s < w,\n"
    "    x[i, p, t, r, s], 0)\n"
    "  out[i, q, u, y, z] = (sum(p < c) sum(e < kd) sum(a < kh) sum(b < kw)\n"
    "    at[i, p, u + e - 1, y + 2 * a - 2, z + b - 1] * f[q, p, e, a, b])\n";
#endif
