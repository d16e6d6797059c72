/* What kernels printed from thread graphs use beside the instructions' own texts.  A register of two
 * 16-bit numbers is an unsigned; shared memory is named by 32-bit addresses. */
#ifdef AS_EMU
#include "threads_emu.h"
#else
#include <cuda.h>
#define AT_MAP const __grid_constant__ CUtensorMap
#define AT_LAUNCH(kernel, blocks, threads, smem, stream, ...) kernel<<<dim3(blocks), dim3(threads), smem, stream>>>(__VA_ARGS__)
/* beside the kernel before, of which it waits for the end itself */
template <class... P, class... A> [[maybe_unused]] static void at_launch_after(void (*kernel)(P...), unsigned blocks, unsigned threads, size_t smem, cudaStream_t stream, const A &...a)
{
  cudaLaunchAttribute beside;
  beside.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  beside.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t c = {};
  c.gridDim = dim3(blocks);
  c.blockDim = dim3(threads);
  c.dynamicSmemBytes = smem;
  c.stream = stream;
  c.attrs = &beside;
  c.numAttrs = 1;
  cudaLaunchKernelEx(&c, kernel, a...); /* the caller asks for the last error */
}
#define AT_LAUNCH_AFTER(kernel, blocks, threads, smem, stream, ...) at_launch_after(kernel, blocks, threads, smem, stream, __VA_ARGS__)
AS_DEV unsigned at_shared(as_sm sm) { return ((unsigned)__cvta_generic_to_shared(sm) + 1023u) & ~1023u; }
AS_DEV void at_syncwarp() { __syncwarp(); }
/* of all numbers, and those below 2^-126 too */
AS_DEV float at_inv(float x)
{
  float y;
  asm("rcp.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
/* Divisors whose inverse may leave the range of floats are scaled, and dividends with them.  What is of the divisor alone is computed once for all that are divided by it */
AS_DEV float at_div(float x, float y)
{
  const float size = fabsf(y), scale = size > 0x1p64f ? 0x1p-64f : size < 0x1p-64f ? 0x1p64f : 1.0f;
  return (x * scale) * at_inv(y * scale);
}
AS_DEV float at_rsqrt(float x) { return rsqrtf(x); }
/* error below 2e-6: 1 - 1 / (1 + a1 x + .. + a6 x^6)^16 (Abramowitz and Stegun, 7.1.28: 3e-7 before rounding) */
AS_DEV float at_erf(float x)
{
  const float t = fabsf(x);
  float y = fmaf(fmaf(fmaf(fmaf(fmaf(fmaf(0.0000430638f, t, 0.0002765672f), t, 0.0001520143f), t, 0.0092705272f), t, 0.0422820123f), t, 0.0705230784f), t, 1.0f);
  y *= y;
  y *= y;
  y *= y;
  y *= y;
  float r; /* y is at least 1, so that there is nothing to scale; of infinity it is 0 */
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(y));
  return copysignf(1.0f - r, x);
}
/* exp(x - m) of many x and one m, beside 16 bits: 2^(x log2 e - shift), where shift is m log2 e.  That is rounded by at most 2^-14 where m is not far from 0: a fifth of what is
   rounded off a weight of 16 bits.  Where an m of the warp is far, x is the difference already, and shift is 0 */
template <int N> AS_DEV bool at_far(const float *m)
{
  bool far = false;
#pragma unroll
  for (int i = 0; i < N; i++) far = far || !(fabsf(m[i]) <= 1024.0f);
  return __any_sync(0xffffffffu, far);
}
AS_DEV float at_log2e(float x) { return x * 1.4426950408889634f; }
AS_DEV float at_exp_near(float x, float shift) { return as_exp2f(fmaf(x, 1.4426950408889634f, -shift)); }
AS_DEV float at_is_zero(float x) { return x == 0.0f ? 1.0f : 0.0f; }
AS_DEV float at_shfl(float x, int mask) { return __shfl_xor_sync(0xffffffffu, x, mask); }
AS_DEV unsigned at_pack_f16(float x, float y) { return as_pack_f16(x, y); }
AS_DEV unsigned at_pack_bf16(float x, float y) { return as_pack_bf16(x, y); }
AS_DEV float at_lo_f16(unsigned v) { __half2 h = *(__half2 *)&v; return __low2float(h); }
AS_DEV float at_hi_f16(unsigned v) { __half2 h = *(__half2 *)&v; return __high2float(h); }
AS_DEV float at_lo_bf16(unsigned v) { return __uint_as_float(v << 16); }
AS_DEV float at_hi_bf16(unsigned v) { return __uint_as_float(v & 0xffff0000u); }
AS_DEV unsigned at_mul2_f16(unsigned a, unsigned b) { __half2 h = __hmul2(*(__half2 *)&a, *(__half2 *)&b); return *(unsigned *)&h; }
AS_DEV unsigned at_mul2_bf16(unsigned a, unsigned b) { __nv_bfloat162 h = __hmul2(*(__nv_bfloat162 *)&a, *(__nv_bfloat162 *)&b); return *(unsigned *)&h; }
/* an operand of a product of a warpgroup: 128-byte swizzle; bytes between panels and between groups of eight rows */
AS_DEV unsigned long long at_descriptor(unsigned address, unsigned lead, unsigned group)
{
  return (unsigned long long)((address & 0x3ffffu) >> 4) | (unsigned long long)(lead >> 4) << 16 | (unsigned long long)(group >> 4) << 32 | 1ull << 62;
}
/* no access to these registers is moved over this place */
template <int N> AS_DEV void at_hold(float *c)
{
#pragma unroll
  for (int i = 0; i < N; i++) asm volatile("" : "+f"(c[i]) :: "memory");
}
template <int N> AS_DEV void at_hold(unsigned *c)
{
#pragma unroll
  for (int i = 0; i < N; i++) asm volatile("" : "+r"(c[i]) :: "memory");
}
/* rows x cols elements, `pitch` elements from row to row, boxes of box_rows rows of `swizzle` bytes; what lies outside reads as zero */
[[maybe_unused]] static int at_tensor_map(CUtensorMap *map, const void *base, int type, unsigned long long rows, unsigned long long cols, unsigned long long pitch, unsigned box_rows, unsigned swizzle)
{
  typedef CUresult encode_fn(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
  static encode_fn *encode = nullptr;
  if (!encode) {
    void *entry = nullptr;
    cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
    cudaError_t e = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found);
#else
    cudaError_t e = cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &entry, cudaEnableDefault, &found);
#endif
    if (e != cudaSuccess || found != cudaDriverEntryPointSuccess) return (int)cudaErrorNotSupported;
    encode = (encode_fn *)entry;
  }
  const unsigned size = type == 2 ? 4 : 2;
  const cuuint64_t dims[2] = {cols, rows}, strides[1] = {pitch * size};
  const cuuint32_t box[2] = {swizzle / size, box_rows}, step[2] = {1, 1};
  const CUtensorMapDataType t = type == 0 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : type == 1 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  const CUtensorMapSwizzle s = swizzle == 128 ? CU_TENSOR_MAP_SWIZZLE_128B : swizzle == 64 ? CU_TENSOR_MAP_SWIZZLE_64B : CU_TENSOR_MAP_SWIZZLE_32B;
  CUresult r = encode(map, t, 2, (void *)base, dims, strides, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, s, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return r == CUDA_SUCCESS ? 0 : (int)cudaErrorInvalidValue;
}
