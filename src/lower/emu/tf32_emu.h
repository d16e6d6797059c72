/* Products on tensor cores of f32 numbers of which they see eleven bits, on a CPU: of single warps
 * (m16n8k8) and of warpgroups, whose second factor is in shared memory.  Included by cuda_emu.h. */
#ifndef AS_TF32_EMU_H
#define AS_TF32_EMU_H

namespace as_emu {

/* the leading eleven bits of the significand, to nearest, of two the one away from zero */
inline float to_tf32(float x) {
  uint32_t u;
  memcpy(&u, &x, 4);
  if ((u & 0x7f800000) == 0x7f800000)
    return x;
  u = (u + 0x1000) & ~0x1fffu;
  memcpy(&x, &u, 4);
  return x;
}

/* what tensor cores see of a number: the bits behind are left out */
inline float cut_tf32(float x) {
  uint32_t u;
  memcpy(&u, &x, 4);
  if (isnan(x))
    return x;
  u &= ~0x1fffu;
  memcpy(&x, &u, 4);
  return x;
}

inline void do_mma_tf32(lane *l, int base) {
  (void)base;
  float A[16][8], B[8][8];
  for (int i = 0; i < 32; i++) {
    int g = i >> 2, t = i & 3;
    for (int q = 0; q < 4; q++)
      A[g + (q & 1) * 8][t + (q >> 1) * 4] = cut_tf32(l[i].a32[q]);
    for (int q = 0; q < 2; q++)
      B[t + q * 4][g] = cut_tf32(l[i].b32[q]);
  }
  for (int i = 0; i < 32; i++)
    for (int q = 0; q < 4; q++) {
      int r = (i >> 2) + (q >> 1) * 8, c = (i & 3) * 2 + (q & 1);
      float s = 0;
      for (int k = 0; k < 8; k++)
        s += A[r][k] * B[k][c];
      l[i].c[q] += s;
    }
}

inline void mma_tf32(float *c, const float *a, const float *b) {
  lane &l = M().lanes[(size_t)M().cur];
  memcpy(l.a32, a, sizeof l.a32);
  memcpy(l.b32, b, sizeof l.b32);
  l.c = c;
  collective(10, do_mma_tf32);
}

/* 16 of the 64 rows of a warpgroup's product, those of this warp: the other factor is in shared
 * memory, N columns by 8, blocks of 8 columns by 4 */
template <int N> inline void do_wgmma_tf32(lane *l, int base) {
  float A[16][8];
  for (int i = 0; i < 32; i++)
    for (int q = 0; q < 4; q++)
      A[(i >> 2) + (q & 1) * 8][(i & 3) + (q >> 1) * 4] = cut_tf32(l[i].a32[q]);
  M().cur = base;
  std::vector<float> B((size_t)N * 8);
  for (int n = 0; n < N; n++)
    for (int k = 0; k < 8; k++)
      B[(size_t)(n * 8 + k)] =
          cut_tf32(load<float>(l[0].off + (n / 8 * 2 + k / 4) * 128 + n % 8 * 16 + k % 4 * 4));
  for (int i = 0; i < 32; i++)
    for (int j = 0; j < N / 2; j++) {
      int r = (i >> 2) + (j >> 1 & 1) * 8, c = j / 4 * 8 + (i & 3) * 2 + (j & 1);
      float s = 0;
      for (int k = 0; k < 8; k++)
        s += A[r][k] * B[(size_t)(c * 8 + k)];
      l[i].c[j] += s;
    }
}

template <int N> inline void wgmma_tf32(float *d, const float *a, int off) {
  lane &l = M().lanes[(size_t)M().cur];
  memcpy(l.a32, a, sizeof l.a32);
  l.c = d;
  l.off = off;
  collective(64 + N / 8, do_wgmma_tf32<N>);
}
} // namespace as_emu

AS_DEV float as_tf32f(float x) {
  return as_emu::to_tf32(x);
}

AS_DEV float as_tf32_restf(float x) {
  const float first = as_tf32f(x);
  return as_tf32f(fabsf(first) < INFINITY ? x - first : 0.0f);
}

AS_DEV void as_mma_tf32(float *c, const float *a, const float *b) {
  as_emu::mma_tf32(c, a, b);
}

template <int N> AS_DEV void as_wgmma_tf32(float *d, const float *a, as_sm, int off, bool adds) {
  for (int j = 0; j < N / 2 && !adds; j++)
    d[j] = 0;
  as_emu::wgmma_tf32<N>(d, a, off);
}

/* products are made when they are asked for: there is nothing to wait for */
AS_DEV void as_wgmma_fence() {
}

AS_DEV void as_wgmma_commit() {
}

template <int N> AS_DEV void as_wgmma_wait() {
}

AS_DEV void as_shared_seen() {
}

AS_DEV void as_wgmma_results(float *, int) {
}
#endif
