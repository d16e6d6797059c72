#include "random_tensor.h"
#include "src/base/mem.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* a step's result, row by row */
typedef struct {
  int rank;
  size_t dim[RT_MOST_RANK];
  size_t n;
  double *at; /* of inputs the caller's */
} value;

typedef struct {
  const rt_program *program;
  value of[RT_MOST_STEPS];
} values;

size_t rt_elements(const rt_step *step, long live) {
  size_t n = 1;
  for (int axis = 0; axis < step->rank; axis++)
    n *= (size_t)(step->live[axis] ? live : step->dim[axis]);
  return n;
}

/* to `digits` binary ones, no finer than `least` */
static double to_digits(double x, int digits, double least) {
  int exponent;
  frexp(x, &exponent);
  double unit = fmax(ldexp(1, exponent - digits), least);
  return nearbyint(x / unit) * unit;
}

double rt_rounded(double x, as_dtype type) {
  if (!isfinite(x))
    return x;
  return type == AS_F32   ? (double)(float)x
         : type == AS_F16 ? to_digits(x, 11, 0x1p-24)
                          : to_digits(x, 8, 0x1p-133);
}

double rt_number(as_rng *rng, const rt_program *program, const rt_step *input) {
  double unit = (double)as_rng_below(rng, 4097) / 2048 - 1;
  return rt_rounded(input->scale * unit, program->type);
}

static double map(rt_map which, double x) {
  switch (which) {
  case RT_RELU:
    return fmax(x, 0);
  case RT_GELU:
    return x * 0.5 * (1 + erf(x / sqrt(2)));
  case RT_SILU:
    return x / (1 + exp(-x));
  case RT_ABS:
    return fabs(x);
  case RT_TANH:
    return tanh(x);
  case RT_SIGMOID:
    return 1 / (1 + exp(-x));
  default:
    return 2 * x;
  }
}

static double pair(rt_pair which, double x, double y) {
  return which == RT_ADD ? x + y : which == RT_SUB ? x - y : which == RT_MUL ? x * y : fmax(x, y);
}

static double fold(rt_fold which, const double *row, size_t n) {
  double result = which == RT_MAX ? -INFINITY : 0;
  for (size_t i = 0; i < n; i++)
    result = which == RT_MAX ? fmax(result, row[i]) : result + row[i];
  return which == RT_MEAN ? result / (double)n : result;
}

static void normalize(rt_norm which, const double *row, size_t n, double *out) {
  double mean = which == RT_LAYER ? fold(RT_MEAN, row, n) : 0;
  double most = which == RT_SOFTMAX ? fold(RT_MAX, row, n) : 0;
  double sum = 0;
  for (size_t i = 0; i < n; i++) {
    double from = row[i] - mean;
    out[i] = which == RT_SOFTMAX ? exp(row[i] - most) : from;
    sum += which == RT_SOFTMAX ? out[i] : from * from;
  }
  double by = which == RT_SOFTMAX ? sum : sqrt(sum / (double)n + (which == RT_LAYER ? 1e-5 : 0));
  for (size_t i = 0; i < n; i++)
    out[i] /= by;
}

/* elements before an axis, and those behind it */
static size_t product_of(const value *of, int from, int to) {
  size_t n = 1;
  for (int axis = from; axis < to; axis++)
    n *= of->dim[axis];
  return n;
}

static void turn(const value *from, int axis, double *out) {
  size_t before = product_of(from, 0, axis);
  size_t rows = from->dim[axis];
  size_t columns = from->dim[axis + 1];
  size_t behind = product_of(from, axis + 2, from->rank);
  for (size_t b = 0; b < before; b++)
    for (size_t r = 0; r < rows; r++)
      for (size_t c = 0; c < columns; c++)
        memcpy(out + ((b * columns + c) * rows + r) * behind,
               from->at + ((b * rows + r) * columns + c) * behind, behind * sizeof *out);
}

static void multiply(const value *left, const value *right, double *out) {
  size_t depth = left->dim[left->rank - 1];
  size_t columns = right->dim[right->rank - 1];
  size_t batches = right->rank == 3 ? right->dim[0] : 1;
  size_t rows = left->n / (depth ? depth : 1) / (batches ? batches : 1);
  for (size_t b = 0; b < batches; b++)
    for (size_t i = 0; i < rows; i++)
      for (size_t j = 0; j < columns; j++) {
        double sum = 0;
        for (size_t k = 0; k < depth; k++)
          sum += left->at[(b * rows + i) * depth + k] * right->at[(b * depth + k) * columns + j];
        out[(b * rows + i) * columns + j] = sum;
      }
}

/* rows of the last axis */
static void by_rows(const rt_step *step, const value *from, double *out) {
  size_t n = from->dim[from->rank - 1];
  for (size_t row = 0; row < from->n / n; row++) {
    const double *in = from->at + row * n;
    if (step->kind == RT_NORM)
      normalize((rt_norm)step->which, in, n, out + row * n);
    else if (step->kind == RT_FOLD)
      out[row] = fold((rt_fold)step->which, in, n);
    else
      for (size_t i = 0; i < n; i++)
        out[row * n + i] = in[i] - fold((rt_fold)step->which, in, n);
  }
}

static void take_part(const rt_step *step, const value *from, double *out) {
  size_t behind = product_of(from, step->axis + 1, from->rank);
  size_t rows = from->dim[step->axis];
  size_t n = (size_t)(step->at[1] - step->at[0]);
  for (size_t b = 0; b < product_of(from, 0, step->axis); b++)
    memcpy(out + b * n * behind, from->at + (b * rows + (size_t)step->at[0]) * behind,
           n * behind * sizeof *out);
}

static void put_together(int axis, const value *first, const value *second, double *out) {
  size_t behind = product_of(first, axis + 1, first->rank);
  size_t left = first->dim[axis] * behind;
  size_t right = second->dim[axis] * behind;
  for (size_t b = 0; b < product_of(first, 0, axis); b++) {
    memcpy(out + b * (left + right), first->at + b * left, left * sizeof *out);
    memcpy(out + b * (left + right) + left, second->at + b * right, right * sizeof *out);
  }
}

static void evaluate(const rt_step *step, const value *left, const value *right, value *out) {
  switch (step->kind) {
  case RT_MAP:
    for (size_t i = 0; i < out->n; i++)
      out->at[i] = map((rt_map)step->which, left->at[i]);
    return;
  case RT_PAIR:
    for (size_t i = 0; i < out->n; i++)
      out->at[i] = pair((rt_pair)step->which, left->at[i], right->at[i % right->n]);
    return;
  case RT_TRANSPOSE:
    turn(left, step->axis, out->at);
    return;
  case RT_MERGE:
  case RT_SPLIT:
    memcpy(out->at, left->at, out->n * sizeof *out->at);
    return;
  case RT_SLICE:
    take_part(step, left, out->at);
    return;
  case RT_CONCAT:
    put_together(step->axis, left, right, out->at);
    return;
  case RT_PRODUCT:
    multiply(left, right, out->at);
    return;
  default:
    assert(step->kind != RT_INPUT);
    by_rows(step, left, out->at);
  }
}

void rt_evaluate(const rt_program *program, long live, double *const *in, bool rounds,
                 double **out) {
  values *all = as_calloc(1, sizeof *all);
  size_t n_input = 0;
  for (int id = 0; id < program->n; id++) {
    const rt_step *step = &program->step[id];
    value *to = &all->of[id];
    to->rank = step->rank;
    for (int axis = 0; axis < step->rank; axis++)
      to->dim[axis] = (size_t)(step->live[axis] ? live : step->dim[axis]);
    to->n = rt_elements(step, live);
    if (step->kind == RT_INPUT) {
      to->at = in[n_input++];
      continue;
    }
    to->at = as_calloc(to->n + 1, sizeof *to->at);
    evaluate(step, &all->of[step->arg[0]], step->arg[1] < 0 ? NULL : &all->of[step->arg[1]], to);
    for (size_t i = 0; rounds && i < to->n; i++)
      to->at[i] = rt_rounded(to->at[i], program->type);
  }
  for (int i = 0; i < program->n_output; i++) {
    const value *result = &all->of[program->output[i]];
    out[i] = as_calloc(result->n + 1, sizeof **out);
    memcpy(out[i], result->at, result->n * sizeof **out);
  }
  for (int id = 0; id < program->n; id++)
    if (program->step[id].kind != RT_INPUT)
      free(all->of[id].at);
  free(all);
}
