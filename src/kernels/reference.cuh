/* The given tile program in double precision, one statement after another. */
#include <math.h>
#include <stddef.h>
#include <vector>
namespace assay_ref {
typedef double kt_real;
#define KT_REF template <class T> [[maybe_unused]] static inline
KT_REF T kt_max(T a, T b) { return a < b ? b : a; }
KT_REF T kt_min(T a, T b) { return b < a ? b : a; }
KT_REF T kt_abs(T a) { return a < 0 ? -a : a; }
KT_REF T kt_div(T a, T b)
{
  if constexpr (T(1) / 2 == T(0)) return b > 0 ? a / b - (a % b < 0) : 0;
  else return floor(a / b);
}
KT_REF T kt_mod(T a, T b)
{
  if constexpr (T(1) / 2 == T(0)) return b > 0 ? (a % b < 0 ? a % b + b : a % b) : 0;
  else return a - b * floor(a / b);
}
KT_REF T kt_within(T i, long long extent) { return i < 0 || extent < 1 ? 0 : i < extent ? i : (T)(extent - 1); }
KT_REF double kt_exp(double x) { return exp(x); }
KT_REF double kt_log(double x) { return log(x); }
KT_REF double kt_sqrt(double x) { return sqrt(x); }
KT_REF double kt_floor(double x) { return floor(x); }
KT_REF double kt_round(double x) { return rint(x); }
KT_REF double kt_sin(double x) { return sin(x); }
KT_REF double kt_cos(double x) { return cos(x); }
KT_REF double kt_erf(double x) { return erf(x); }
[[maybe_unused]] static void reached(const double *x, size_t n, double *reach)
{
  for (size_t i = 0; i < n; i++)
    if (!(fabs(x[i]) <= *reach)) *reach = isnan(x[i]) ? INFINITY : fabs(x[i]);
}

