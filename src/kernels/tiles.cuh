/* What kernels of tile programs use beside the common functions.  Tensors that a kernel writes are read as memory is, never through the
 * cache of constant data: a block's threads exchange them behind barriers. */
#ifdef AS_EMU
#include "tiles_emu.h"
#else
AS_DEV long long kt_lds_i64(as_sm sm, int off) { return *(const long long *)(sm + off); }
AS_DEV void kt_sts_i64(as_sm sm, int off, long long x) { *(long long *)(sm + off) = x; }
AS_DEV float kt_ld_f16(const void *p, size_t i) { return __half2float(((const __half *)p)[i]); }
AS_DEV float kt_ld_bf16(const void *p, size_t i) { return __bfloat162float(((const __nv_bfloat16 *)p)[i]); }
AS_DEV float kt_ld_f32(const void *p, size_t i) { return ((const float *)p)[i]; }
AS_DEV int kt_ld_int(const void *p, size_t i) { return ((const int *)p)[i]; }
AS_DEV long long kt_ld_i64(const void *p, size_t i) { return ((const long long *)p)[i]; }
AS_DEV void kt_st_f16(void *p, size_t i, float x) { ((__half *)p)[i] = __float2half_rn(x); }
AS_DEV void kt_st_bf16(void *p, size_t i, float x) { ((__nv_bfloat16 *)p)[i] = __float2bfloat16_rn(x); }
AS_DEV void kt_st_f32(void *p, size_t i, float x) { ((float *)p)[i] = x; }
AS_DEV void kt_st_int(void *p, size_t i, long long x) { ((int *)p)[i] = (int)x; }
AS_DEV void kt_st_i64(void *p, size_t i, long long x) { ((long long *)p)[i] = x; }
#endif
typedef float kt_real;
template <class T> AS_DEV T kt_max(T a, T b) { return a < b || b != b ? b : a; } /* of NaN: NaN */
template <class T> AS_DEV T kt_min(T a, T b) { return b < a || b != b ? b : a; }
template <class T> AS_DEV T kt_abs(T a) { return a < 0 ? -a : a; }
/* rounded down.  What a condition leaves out may be computed all the same: it is not used then, but must not stop the kernel. */
template <class T> AS_DEV T kt_div(T a, T b)
{
  if constexpr (T(1) / 2 == T(0)) return b > 0 ? a / b - (a % b < 0) : 0;
  else return floorf(a / b);
}
template <class T> AS_DEV T kt_mod(T a, T b)
{
  if constexpr (T(1) / 2 == T(0)) return b > 0 ? (a % b < 0 ? a % b + b : a % b) : 0;
  else return a - b * floorf(a / b);
}
template <class T> AS_DEV T kt_within(T i, long long extent) { return i < 0 || extent < 1 ? 0 : i < extent ? i : (T)(extent - 1); }
template <class T> AS_DEV float kt_exp(float x) { return as_expf(x); }
template <class T> AS_DEV float kt_log(float x) { return logf(x); }
template <class T> AS_DEV float kt_sqrt(float x) { return sqrtf(x); }
template <class T> AS_DEV float kt_floor(float x) { return floorf(x); }
template <class T> AS_DEV float kt_round(float x) { return rintf(x); }
template <class T> AS_DEV float kt_sin(float x) { return sinf(x); }
template <class T> AS_DEV float kt_cos(float x) { return cosf(x); }
template <class T> AS_DEV float kt_erf(float x) { return erff(x); }

