/* How each class draws. */
#include "classes.h"
#include <math.h>

static const double PI = 3.14159265358979323846;

const as_float_class_row as_float_class_rows[] = {
#define X(id, name, aim, where)                                                                    \
  {name, aim, AS_IN_##where,                                                                       \
   AS_FLOATS_##id == AS_FLOATS_INFINITE || AS_FLOATS_##id == AS_FLOATS_NAN},
    AS_FLOAT_CLASSES(X)
#undef X
};

/* an input that is filled */
typedef struct {
  as_float_format format;
  as_rng *rng;
  uint32_t input;
  double *x;
  size_t n;
  size_t row;
} filled;

static double normal(as_rng *rng) {
  double radius = sqrt(-2 * log(1 - as_rng_unit(rng)));
  return radius * cos(2 * PI * as_rng_unit(rng));
}

/* uniform between -1 and 1 */
static double about_zero(as_rng *rng) {
  return 2 * as_rng_unit(rng) - 1;
}

static void scaled(filled *in, double mean, double deviation) {
  for (size_t i = 0; i < in->n; i++)
    in->x[i] = mean + deviation * normal(in->rng);
}

static void fill_ORDINARY(filled *in) {
  scaled(in, 0, 1);
}

static void fill_POSITIVE(filled *in) {
  for (size_t i = 0; i < in->n; i++)
    in->x[i] = 0.1 + fabs(normal(in->rng));
}

static void fill_OFFSET_2(filled *in) {
  scaled(in, 100, 1);
}

static void fill_OFFSET_3(filled *in) {
  scaled(in, 1e3, 1);
}

static void fill_OFFSET_4(filled *in) {
  scaled(in, 1e4, 1);
}

static void fill_OFFSET_6(filled *in) {
  scaled(in, 1e3, 1e-3);
}

/* of every other row, or, where there is one row, of every other element */
static bool is_other(const filled *in, size_t i) {
  size_t at = in->n > in->row ? i / in->row : i;
  return at % 2 == 1;
}

/* of one row fourth powers do not fit into the format, of the next squares do not */
static void fill_POWERS(filled *in) {
  for (size_t i = 0; i < in->n; i++) {
    double size = pow(as_float_most(in->format), is_other(in, i) ? 0.55 : 0.35);
    in->x[i] = size * normal(in->rng);
  }
}

static void fill_LARGE(filled *in) {
  scaled(in, 0, 1e4);
}

/* Of every other row the sums fit as well.  Where sums have no larger range than the numbers, all
 * do: whether partial sums fit is a matter of their order. */
static void fill_END(filled *in) {
  for (size_t i = 0; i < in->n; i++) {
    double sums = in->format == AS_FLOAT_F16 ? 1 : 0x1p-17;
    double most = as_float_most(in->format) * sums / (is_other(in, i) ? 64 : 1);
    in->x[i] = most * about_zero(in->rng);
  }
}

static void fill_SMALL(filled *in) {
  scaled(in, 0, 1e-3);
}

/* of some 10 bits in half precision's smallest numbers, and of as many in those of other formats */
static void fill_DENORMAL(filled *in) {
  scaled(in, 0, 128 * as_float_least(in->format));
}

static void fill_SCORES(filled *in) {
  scaled(in, 0, 6);
}

static void fill_HIGH_SCORES(filled *in) {
  scaled(in, 0, 50);
}

/* one input of a product above 0, the other below */
static void fill_OPPOSITE(filled *in) {
  scaled(in, in->input % 2 ? -6 : 6, 1);
}

static void fill_LOW(filled *in) {
  scaled(in, -15000, 10);
}

static void fill_NEGATIVE(filled *in) {
  for (size_t i = 0; i < in->n; i++)
    in->x[i] = -5 - 25 * as_rng_unit(in->rng);
}

static void fill_DOMINATED(filled *in) {
  for (size_t from = 0; from < in->n; from += in->row) {
    size_t large = from + as_rng_below(in->rng, in->row);
    for (size_t i = from; i < from + in->row && i < in->n; i++)
      in->x[i] = i == large ? 1e4 : 0.1 * normal(in->rng);
  }
}

static void fill_ALTERNATING(filled *in) {
  for (size_t i = 0; i < in->n; i++)
    in->x[i] = (i % 2 ? -100 : 100) * (1 + 1e-3 * as_rng_unit(in->rng));
}

static void fill_EQUAL(filled *in) {
  double value = 0;
  for (size_t i = 0; i < in->n; i++) {
    if (i % in->row == 0)
      value = 10 * normal(in->rng);
    in->x[i] = value;
  }
}

/* the first row has no `one`, the second has one, others have it by chance */
static void two_values(filled *in, double zero, double one) {
  for (size_t i = 0; i < in->n; i++) {
    size_t row = i / in->row;
    bool is_one = row == 0 ? false : row == 1 ? i % in->row == 0 : as_rng_below(in->rng, 2) == 0;
    in->x[i] = is_one ? one : zero;
  }
}

static void fill_MASK(filled *in) {
  two_values(in, 0, 1);
}

static void fill_MASKED(filled *in) {
  two_values(in, -1e4, 0);
}

static void fill_TINY(filled *in) {
  for (size_t i = 0; i < in->n; i++) {
    uint64_t kind = as_rng_below(in->rng, 4);
    in->x[i] = i < in->row || kind == 0 ? 0 : kind == 1 ? 1e-7 * normal(in->rng) : 1e-4;
  }
}

/* Of a row one element: sums fit in any order where that one does. */
static void fill_ONE_AT_END(filled *in) {
  scaled(in, 0, 1);
  for (size_t from = 0; from < in->n; from += in->row) {
    size_t at = from + as_rng_below(in->rng, in->row);
    if (at < in->n)
      in->x[at] = copysign(as_float_most(in->format), in->x[at]);
  }
}

static void fill_LONG(filled *in) {
  for (size_t i = 0; i < in->n; i++)
    in->x[i] = 1 + 0.5 * normal(in->rng);
}

static void fill_INFINITE(filled *in) {
  scaled(in, 0, 1);
  for (size_t row = 0; row * in->row < in->n; row++) {
    size_t at = row * in->row + as_rng_below(in->rng, in->row);
    if (row % 2 == 0 && at < in->n)
      in->x[at] = -INFINITY;
  }
}

static void fill_NAN(filled *in) {
  scaled(in, 0, 1);
  if (in->n > 0)
    in->x[as_rng_below(in->rng, in->n)] = NAN;
}

static void (*const fills[])(filled *) = {
#define X(id, name, aim, where) fill_##id,
    AS_FLOAT_CLASSES(X)
#undef X
};

/* of the format, and finite where it was drawn so */
static double in_format(as_float_format format, double x) {
  double most = as_float_most(format);
  if (isfinite(x) && fabs(x) > most)
    return copysign(most, x);
  return as_float_round(format, x);
}

void as_float_fill(as_float_class of, as_float_format format, as_rng *rng, uint32_t input,
                   double *x, size_t n, size_t row) {
  filled in = {format, rng, input, x, n, row ? row : 1};
  fills[of](&in);
  for (size_t i = 0; i < n; i++)
    x[i] = in_format(format, x[i]);
}
