/* Everything below goes through these few functions, so that the same text runs on a GPU and under the host emulation. */
#ifdef AS_EMU
#include "cuda_emu.h"
#else
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#define AS_DEV [[maybe_unused]] static __device__ __forceinline__
#define AS_KERNEL(threads) extern "C" __global__ void __launch_bounds__(threads)
/* one that issues all its loads at once: ptxas would rather have more blocks at a time, with fewer registers and fewer loads in flight */
#define AS_KERNEL_AT_ONCE(threads) extern "C" __global__ void __launch_bounds__(threads, 1)
/* one of which a multiprocessor is to hold so many blocks: what it may take of the registers */
#define AS_KERNEL_BESIDE(threads, blocks) extern "C" __global__ void __launch_bounds__(threads, blocks)
/* a part of one: so many of its blocks (extern "C", as kernels are, for what AS_SMEM declares) */
#define AS_PART extern "C" __device__ __forceinline__ void
#define AS_SMEM(sm) extern __shared__ __align__(1024) unsigned char sm[]
#define AS_LAUNCH(kernel, blocks, threads, smem, stream, args) kernel<<<dim3(blocks), dim3(threads), smem, stream>>>(args)
/* how often a loop runs that a trial under the emulation may leave early */
#define AS_ROUNDS(all) (all)
typedef unsigned char *as_sm;
AS_DEV int as_tid() { return (int)threadIdx.x; }
AS_DEV unsigned as_bid() { return blockIdx.x; }
AS_DEV void as_sync() { __syncthreads(); }
/* a barrier that tells whether it holds for some thread of the block */
AS_DEV bool as_sync_any(bool here) { return __syncthreads_or(here) != 0; }
AS_DEV float as_shfl_xor(float x, int d) { return __shfl_xor_sync(0xffffffffu, x, d); }
AS_DEV float as_exp2f(float x)
{
  float y;
  asm("ex2.approx.ftz.f32 %0,%1;" : "=f"(y) : "f"(x));
  return y;
}
/* as __expf, but results below 2^-126 are zero: __expf takes three more instructions to keep them.  Its error grows with |x|, so that it is for exponents that
   are differences from a maximum, whose results are small where it is large, and for what is rounded to 16 bits; expf is for others */
AS_DEV float as_expf(float x) { return as_exp2f(x * 1.4426950408889634f); }
/* of which one is NaN: NaN, as PyTorch's maxima and minima are */
AS_DEV float as_maxf(float x, float y)
{
  float z;
  asm("max.NaN.f32 %0,%1,%2;" : "=f"(z) : "f"(x), "f"(y));
  return z;
}
AS_DEV float as_minf(float x, float y)
{
  float z;
  asm("min.NaN.f32 %0,%1,%2;" : "=f"(z) : "f"(x), "f"(y));
  return z;
}
/* a product that is rounded by itself, whatever it is added to */
AS_DEV float as_mulf(float x, float y) { return __fmul_rn(x, y); }
/* to two units in the last place, for all numbers: for quotients of approximate things; the rounded quotient takes a branch and twice as many instructions */
AS_DEV float as_divf(float a, float b)
{
  float y;
  asm("div.full.f32 %0,%1,%2;" : "=f"(y) : "f"(a), "f"(b));
  return y;
}
AS_DEV unsigned as_shared(as_sm sm, int off) { return (unsigned)__cvta_generic_to_shared(sm) + (unsigned)off; }
template <int N> AS_DEV void as_cp_async(as_sm sm, int off, const void *p, size_t at)
{
  const char *g = (const char *)p + at;
  if constexpr (N == 16) asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(as_shared(sm, off)), "l"(g) : "memory");
  else asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(as_shared(sm, off)), "l"(g), "n"(N) : "memory");
}
/* COUNT copies of N bytes, TO and FROM bytes apart, of which those from number `left` on are zeros: then nothing is read */
template <int N, int COUNT, int TO, long FROM, int I = 0> AS_DEV void as_cp_async_steps(unsigned to, const char *g, int left)
{
  const int n = I < left ? N : 0;
  if constexpr (N == 16) asm volatile("cp.async.cg.shared.global.L2::128B [%0+%2], [%1+%3], 16, %4;" ::"r"(to), "l"(g), "n"(TO * I), "n"(FROM * I), "r"(n) : "memory");
  else asm volatile("cp.async.ca.shared.global [%0+%2], [%1+%3], %4, %5;" ::"r"(to), "l"(g), "n"(TO * I), "n"(FROM * I), "n"(N), "r"(n) : "memory");
  if constexpr (I + 1 < COUNT) as_cp_async_steps<N, COUNT, TO, FROM, I + 1>(to, g, left);
}
template <int N, int COUNT, int TO, long FROM> AS_DEV void as_cp_async_row(as_sm sm, int off, const void *p, size_t at, int left)
{
  as_cp_async_steps<N, COUNT, TO, FROM>(as_shared(sm, off), (const char *)p + at, left);
}
AS_DEV void as_cp_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N> AS_DEV void as_cp_wait() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }
AS_DEV float as_lds_f32(as_sm sm, int off) { return *(const float *)(sm + off); }
AS_DEV float as_lds_f16(as_sm sm, int off) { return __half2float(*(const __half *)(sm + off)); }
AS_DEV float as_lds_bf16(as_sm sm, int off) { return __bfloat162float(*(const __nv_bfloat16 *)(sm + off)); }
AS_DEV void as_lds4_f32(float *r, as_sm sm, int off)
{
  const float4 x = *(const float4 *)(sm + off);
  r[0] = x.x;
  r[1] = x.y;
  r[2] = x.z;
  r[3] = x.w;
}
AS_DEV void as_sts4_f32(as_sm sm, int off, const float *r) { *(float4 *)(sm + off) = make_float4(r[0], r[1], r[2], r[3]); }
AS_DEV void as_sts2_f32(as_sm sm, int off, const float *r) { *(float2 *)(sm + off) = make_float2(r[0], r[1]); }
/* four integers of a table */
AS_DEV void as_lds4_int(int *r, as_sm sm, int off)
{
  const int4 x = *(const int4 *)(sm + off);
  r[0] = x.x;
  r[1] = x.y;
  r[2] = x.z;
  r[3] = x.w;
}
AS_DEV void as_sts4_int(as_sm sm, int off, const int *r) { *(int4 *)(sm + off) = make_int4(r[0], r[1], r[2], r[3]); }
AS_DEV int as_lds_int(as_sm sm, int off) { return *(const int *)(sm + off); }
AS_DEV void as_sts_int(as_sm sm, int off, int x) { *(int *)(sm + off) = x; }
AS_DEV void as_lds2_f32(float *r, as_sm sm, int off)
{
  const float2 x = *(const float2 *)(sm + off);
  r[0] = x.x;
  r[1] = x.y;
}
AS_DEV unsigned as_lds_u16(as_sm sm, int off) { return *(const unsigned short *)(sm + off); }
AS_DEV void as_sts_f32(as_sm sm, int off, float x) { *(float *)(sm + off) = x; }
AS_DEV void as_sts_f16(as_sm sm, int off, float x) { *(__half *)(sm + off) = __float2half_rn(x); }
AS_DEV void as_sts_bf16(as_sm sm, int off, float x) { *(__nv_bfloat16 *)(sm + off) = __float2bfloat16_rn(x); }
AS_DEV void as_sts2_f16(as_sm sm, int off, float x, float y) { *(__half2 *)(sm + off) = __floats2half2_rn(x, y); }
AS_DEV void as_sts2_bf16(as_sm sm, int off, float x, float y) { *(__nv_bfloat162 *)(sm + off) = __floats2bfloat162_rn(x, y); }
AS_DEV void as_sts_raw16(as_sm sm, int off, unsigned short x) { *(unsigned short *)(sm + off) = x; }
AS_DEV unsigned short as_ldg_raw16(const void *p, size_t i) { return __ldg((const unsigned short *)p + i); }
AS_DEV float as_ldg_f16(const void *p, size_t i) { return __half2float(__ldg((const __half *)p + i)); }
AS_DEV float as_ldg_bf16(const void *p, size_t i) { return __bfloat162float(__ldg((const __nv_bfloat16 *)p + i)); }
AS_DEV float as_ldg_f32(const void *p, size_t i) { return __ldg((const float *)p + i); }
AS_DEV int as_ldg_int(const void *p, size_t i) { return __ldg((const int *)p + i); }
/* four elements that follow each other */
AS_DEV void as_ldg4_f32(float *r, const void *p, size_t i)
{
  const float4 x = __ldg((const float4 *)((const float *)p + i));
  r[0] = x.x;
  r[1] = x.y;
  r[2] = x.z;
  r[3] = x.w;
}
AS_DEV void as_ldg2_f32(float *r, const void *p, size_t i)
{
  const float2 x = __ldg((const float2 *)((const float *)p + i));
  r[0] = x.x;
  r[1] = x.y;
}
AS_DEV void as_ldg8_f32(float *r, const void *p, size_t i)
{
  as_ldg4_f32(r, p, i);
  as_ldg4_f32(r + 4, p, i + 4);
}
AS_DEV void as_of2_f16(float *r, unsigned w)
{
  const float2 x = __half22float2(*(const __half2 *)&w);
  r[0] = x.x;
  r[1] = x.y;
}
AS_DEV void as_of2_bf16(float *r, unsigned w)
{
  r[0] = __uint_as_float(w << 16);
  r[1] = __uint_as_float(w & 0xffff0000u);
}
AS_DEV void as_ldg2_f16(float *r, const void *p, size_t i) { as_of2_f16(r, __ldg((const unsigned *)((const __half *)p + i))); }
AS_DEV void as_ldg2_bf16(float *r, const void *p, size_t i) { as_of2_bf16(r, __ldg((const unsigned *)((const __nv_bfloat16 *)p + i))); }
AS_DEV void as_ldg8_f16(float *r, const void *p, size_t i)
{
  const uint4 w = __ldg((const uint4 *)((const __half *)p + i));
  as_of2_f16(r, w.x);
  as_of2_f16(r + 2, w.y);
  as_of2_f16(r + 4, w.z);
  as_of2_f16(r + 6, w.w);
}
AS_DEV void as_ldg8_bf16(float *r, const void *p, size_t i)
{
  const uint4 w = __ldg((const uint4 *)((const __nv_bfloat16 *)p + i));
  as_of2_bf16(r, w.x);
  as_of2_bf16(r + 2, w.y);
  as_of2_bf16(r + 4, w.z);
  as_of2_bf16(r + 6, w.w);
}
AS_DEV void as_ldg4_f16(float *r, const void *p, size_t i)
{
  const uint2 w = __ldg((const uint2 *)((const __half *)p + i));
  const float2 x = __half22float2(*(const __half2 *)&w.x), y = __half22float2(*(const __half2 *)&w.y);
  r[0] = x.x;
  r[1] = x.y;
  r[2] = y.x;
  r[3] = y.y;
}
AS_DEV void as_ldg4_bf16(float *r, const void *p, size_t i)
{
  const uint2 w = __ldg((const uint2 *)((const __nv_bfloat16 *)p + i));
  r[0] = __uint_as_float(w.x << 16);
  r[1] = __uint_as_float(w.x & 0xffff0000u);
  r[2] = __uint_as_float(w.y << 16);
  r[3] = __uint_as_float(w.y & 0xffff0000u);
}
template <int V> AS_DEV void as_put(void *p, const unsigned *w)
{
  if constexpr (V == 4) *(uint4 *)p = make_uint4(w[0], w[1], w[2], w[3]);
  else if constexpr (V == 2) *(uint2 *)p = make_uint2(w[0], w[1]);
  else *(unsigned *)p = w[0];
}
AS_DEV unsigned as_pack_f16(float x, float y) { __half2 h = __floats2half2_rn(x, y); return *(unsigned *)&h; }
AS_DEV unsigned as_pack_bf16(float x, float y) { __nv_bfloat162 h = __floats2bfloat162_rn(x, y); return *(unsigned *)&h; }
template <int V> AS_DEV void as_stg_f16(void *p, size_t i, const float *r)
{
  __half *q = (__half *)p + i;
  if constexpr (V == 1) {
    *q = __float2half_rn(r[0]);
  } else {
    unsigned w[V / 2];
#pragma unroll
    for (int j = 0; j < V / 2; j++) w[j] = as_pack_f16(r[2 * j], r[2 * j + 1]);
    as_put<V / 2>(q, w);
  }
}
template <int V> AS_DEV void as_stg_bf16(void *p, size_t i, const float *r)
{
  __nv_bfloat16 *q = (__nv_bfloat16 *)p + i;
  if constexpr (V == 1) {
    *q = __float2bfloat16_rn(r[0]);
  } else {
    unsigned w[V / 2];
#pragma unroll
    for (int j = 0; j < V / 2; j++) w[j] = as_pack_bf16(r[2 * j], r[2 * j + 1]);
    as_put<V / 2>(q, w);
  }
}
/* as one instruction: what stands in C is taken apart where it is unrolled */
template <int V> AS_DEV void as_stg_f32(void *p, size_t i, const float *r)
{
  float *q = (float *)p + i;
  if constexpr (V == 8) as_stg_f32<4>(p, i, r), as_stg_f32<4>(p, i + 4, r + 4);
  else if constexpr (V == 4) asm volatile("st.global.v4.f32 [%0], {%1,%2,%3,%4};" ::"l"(q), "f"(r[0]), "f"(r[1]), "f"(r[2]), "f"(r[3]));
  else if constexpr (V == 2) asm volatile("st.global.v2.f32 [%0], {%1,%2};" ::"l"(q), "f"(r[0]), "f"(r[1]));
  else *q = r[0];
}
AS_DEV void as_ldsm4(unsigned *d, as_sm sm, int off)
{
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(as_shared(sm, off)) : "memory");
}
AS_DEV void as_ldsm4t(unsigned *d, as_sm sm, int off)
{
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(as_shared(sm, off)) : "memory");
}
AS_DEV void as_ldsm2(unsigned *d, as_sm sm, int off)
{
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(d[0]), "=r"(d[1]) : "r"(as_shared(sm, off)) : "memory");
}
AS_DEV void as_ldsm2t(unsigned *d, as_sm sm, int off)
{
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(d[0]), "=r"(d[1]) : "r"(as_shared(sm, off)) : "memory");
}
AS_DEV void as_mma_f16(float *c, const unsigned *a, const unsigned *b)
{
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
AS_DEV void as_mma_bf16(float *c, const unsigned *a, const unsigned *b)
{
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
/* rounded to eleven bits of significand, to nearest, of two the one away from zero */
AS_DEV float as_tf32f(float x)
{
  unsigned y;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(y) : "f"(x));
  return __uint_as_float(y);
}
/* what that leaves out, rounded so; nothing where it leaves no number */
AS_DEV float as_tf32_restf(float x)
{
  const float first = as_tf32f(x);
  return as_tf32f(fabsf(first) < INFINITY ? x - first : 0.0f);
}
/* m16n8k8; what is no TF32 number loses digits */
AS_DEV void as_mma_tf32(float *c, const float *a, const float *b)
{
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])), "r"(__float_as_uint(a[3])), "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
}
#endif
/* where an element would be, whether or not there is one */
AS_DEV const void *as_place_f32(const void *p, long long i) { return (const float *)p + i; }
AS_DEV const void *as_place_f16(const void *p, long long i) { return (const unsigned short *)p + i; }
AS_DEV const void *as_place_bf16(const void *p, long long i) { return (const unsigned short *)p + i; }
/* what loses digits, or leaves the range of floats, as it is written (src/ir/stable.h) */
AS_DEV float as_expm1f(float x) { return expm1f(x); }
AS_DEV float as_one_less_expf(float x) { return -expm1f(x); }
AS_DEV float as_log1pf(float x) { return log1pf(x); }
AS_DEV float as_log1mf(float x) { return log1pf(-x); }
AS_DEV float as_softplusf(float x) { return as_maxf(x, 0.0f) + log1pf(expf(-fabsf(x))); }
AS_DEV float as_sigmoidf(float x) { return as_divf(1.0f, 1.0f + expf(-x)); }
AS_DEV float as_tanhf(float x) { return tanhf(x); }
AS_DEV float as_tanh_log1pf(float x) { return as_divf(1.0f, 1.0f + as_divf(2.0f, x * (x + 2.0f))); }
AS_DEV float as_one_more_tanhf(float x) { return as_divf(2.0f, 1.0f + expf(-2.0f * x)); }
AS_DEV float as_one_less_tanhf(float x) { return as_divf(2.0f, 1.0f + expf(2.0f * x)); }
/* partial results of warps, one behind the other */
template <int N> AS_DEV float as_lds_sum(as_sm sm, int off, int step)
{
  float x = as_lds_f32(sm, off);
#pragma unroll
  for (int i = 1; i < N; i++) x += as_lds_f32(sm, off + i * step);
  return x;
}
/* the factor of a rescaled accumulator; before the first maximum there is nothing to scale */
AS_DEV float as_rescale(float was, float now) { return was == -INFINITY ? 0.0f : as_expf(was - now); }
/* Two reductions of n terms at once, each joined with that of others: a maximum x and the sum y of exponentials of what is below it .. */
AS_DEV void as_join_scaled(float &x, float &y, float &n, float x2, float y2, float n2)
{
  const float most = as_maxf(x, x2);
  y = y * as_rescale(x, most) + y2 * as_rescale(x2, most);
  x = most;
  n += n2;
}
template <int N> AS_DEV void as_add_scaled(float &x, float &y, float &n, const float *term)
{
  float most = x, sum = 0;
#pragma unroll
  for (int i = 0; i < N; i++) most = as_maxf(most, term[i]);
#pragma unroll
  for (int i = 0; i < N; i++) sum += as_rescale(term[i], most);
  y = y * as_rescale(x, most) + sum;
  x = most;
  n += N;
}
/* .. or a sum x, and the sum y of squares about the mean */
AS_DEV void as_join_moments(float &x, float &y, float &n, float x2, float y2, float n2)
{
  if (n2 == 0) return;
  if (n > 0) {
    const float apart = x2 / n2 - x / n;
    y += y2 + apart * apart * (n * n2 / (n + n2));
  } else {
    y = y2;
  }
  x += x2;
  n += n2;
}
template <int N> AS_DEV void as_add_moments(float &x, float &y, float &n, const float *term)
{
  float sum = 0, squares = 0;
#pragma unroll
  for (int i = 0; i < N; i++) sum += term[i];
  const float mean = sum / N;
#pragma unroll
  for (int i = 0; i < N; i++) squares += (term[i] - mean) * (term[i] - mean);
  as_join_moments(x, y, n, sum, squares, N);
}
/* .. or an extremum x, the largest or the smallest, and the first or last place y where it is */
template <bool LARGEST, bool FIRST> AS_DEV void as_join_place(float &x, float &y, float &n, float x2, float y2, float n2)
{
  if (x2 == x) y = FIRST ? fminf(y, y2) : fmaxf(y, y2);
  else if (LARGEST ? x2 > x : x2 < x) x = x2, y = y2;
  n += n2;
}
AS_DEV int as_swz(int row, int col, int shift, int mask, int chunk) { return ((col / chunk) ^ ((row >> shift) & mask)) * chunk + col % chunk; }
template <class T> AS_DEV T as_imin(T a, T b) { return a < b ? a : b; }
template <class T> AS_DEV T as_imax(T a, T b) { return a > b ? a : b; }
/* rounded down; b > 0 */
template <class T> AS_DEV T as_idiv(T a, T b) { return a / b - (a % b < 0); }
template <class T> AS_DEV T as_imod(T a, T b) { return a % b < 0 ? a % b + b : a % b; }
/* of tiles side by side up to `whole`: the extent of the one with that number */
AS_DEV int as_left(int tile, long long whole, long long number)
{
  long long left = whole - number * tile;
  return left < tile ? (int)left : tile;
}
/* N bytes of what is beyond the tensor */
template <int N> AS_DEV void as_sts_zero(as_sm sm, int off)
{
#pragma unroll
  for (int i = 0; i < N; i += 2) as_sts_raw16(sm, off + i, 0);
}
/* the same of integers that are data: exact below 2^24 */
AS_DEV float as_floordiv(float a, float b) { return floorf(a / b); }
AS_DEV float as_floormod(float a, float b) { return a - b * floorf(a / b); }
