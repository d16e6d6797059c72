/* Floats as hardware rounds them: a model of execution for programs and muGraphs.  May include:
 * domain.h, base/dtype.h.  Called by verify/floats and tests. */
#ifndef AS_DOMAIN_FLOAT_H
#define AS_DOMAIN_FLOAT_H
#include "domain.h"
#include "src/base/dtype.h"

typedef enum {
  AS_FLOAT_F32,
  AS_FLOAT_TF32,
  AS_FLOAT_BF16,
  AS_FLOAT_F16,
  AS_FLOAT_WIDE, /* as doubles: not rounded */
  AS_N_FLOATS
} as_float_format;

/* A double per element.  Each operation is rounded to `step`, the operands of a product to `factor`
 * before.  Both may be changed between operators; the domain must not move. */
typedef struct {
  as_domain d;
  as_float_format step;
  as_float_format factor;
} as_float_domain;

void as_float_domain_init(as_float_domain *floats, uint32_t part);
as_float_format as_float_format_of(as_dtype type); /* of integers: WIDE */
/* to nearest, with the format's denormals, and infinity beyond its largest number */
double as_float_round(as_float_format format, double x);
/* of the format: its largest number, the least that is no denormal, the least above 0, and the
 * distance from 1 to the next */
double as_float_most(as_float_format format);
double as_float_normal(as_float_format format);
double as_float_least(as_float_format format);
double as_float_ulp(as_float_format format);
#endif
