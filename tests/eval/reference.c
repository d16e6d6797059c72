#include "reference.h"
#include <math.h>
#include <string.h>

size_t ref_flat(const int64_t *index, const int64_t *dim, uint32_t rank) {
  size_t at = 0;
  for (uint32_t i = 0; i < rank; i++)
    at = at * (size_t)dim[i] + (size_t)index[i];
  return at;
}

double ref_num(const as_sample *sample, const char *name) {
  for (uint32_t i = 0; i < sample->op->nattrs; i++) {
    if (!strcmp(sample->op->attr[i], name)) {
      if (sample->attr[i].is_size)
        return (double)as_size_eval(sample->S, sample->attr[i].size, sample->env);
      return mpq_get_d(sample->attr[i].num);
    }
  }
  return 0;
}

long ref_axis(const as_sample *sample) {
  long a = (long)ref_num(sample, "axis");
  return a < 0 ? a + (long)sample->arank[0] : a;
}

/* NumPy broadcasting */
double ref_bc(const as_sample *sample, uint32_t a, const double *x, const int64_t *index) {
  int64_t j[AS_MAX_RANK];
  for (uint32_t i = 0; i < sample->arank[a]; i++) {
    int64_t o = index[sample->outrank - sample->arank[a] + i];
    j[i] = sample->dim[a][i] == 1 ? 0 : o;
  }
  return x[ref_flat(j, sample->dim[a], sample->arank[a])];
}

static double el(const char *op, double x, double lo, double hi) {
  if (!strcmp(op, "neg"))
    return -x;
  if (!strcmp(op, "square"))
    return x * x;
  if (!strcmp(op, "abs"))
    return fabs(x);
  if (!strcmp(op, "sqrt"))
    return sqrt(x);
  if (!strcmp(op, "rsqrt"))
    return x > 0 ? 1 / sqrt(x) : NAN;
  if (!strcmp(op, "exp"))
    return exp(x);
  if (!strcmp(op, "log"))
    return x > 0 ? log(x) : NAN;
  if (!strcmp(op, "relu"))
    return x > 0 ? x : 0;
  if (!strcmp(op, "clamp"))
    return fmin(fmax(x, lo), hi);
  if (!strcmp(op, "sigmoid"))
    return 1 / (1 + exp(-x));
  if (!strcmp(op, "silu"))
    return x / (1 + exp(-x));
  if (!strcmp(op, "tanh"))
    return tanh(x);
  if (!strcmp(op, "gelu"))
    return x * 0.5 * (1 + erf(x / sqrt(2)));
  if (!strcmp(op, "floor"))
    return floor(x);
  if (!strcmp(op, "round")) /* of two nearest integers the even one */
    return remainder(x, 1) == 0.5 || remainder(x, 1) == -0.5 ? 2 * floor(x / 2 + 0.5)
                                                             : floor(x + 0.5);
  if (!strcmp(op, "sin"))
    return sin(x);
  if (!strcmp(op, "cos"))
    return cos(x);
  return HUGE_VAL;
}

static double pair(const char *op, double x, double y) {
  if (!strcmp(op, "add"))
    return x + y;
  if (!strcmp(op, "sub"))
    return x - y;
  if (!strcmp(op, "mul"))
    return x * y;
  if (!strcmp(op, "div"))
    return y == 0 ? NAN : x / y;
  if (!strcmp(op, "maximum"))
    return fmax(x, y);
  if (!strcmp(op, "minimum"))
    return fmin(x, y);
  return HUGE_VAL;
}

/* statistics of the line through index j along one axis */
typedef struct {
  double sum;
  double max;
  double min;
  double sq;
  int64_t n;
} line;

static line along(const as_sample *sample, const double *x, const int64_t *j, long axis,
                  double shift) {
  int64_t k[AS_MAX_RANK];
  memcpy(k, j, sizeof k);
  line run = {.max = -INFINITY, .min = INFINITY, .n = sample->dim[0][axis]};
  for (k[axis] = 0; k[axis] < run.n; k[axis]++) {
    double value = x[ref_flat(k, sample->dim[0], sample->arank[0])];
    run.sum += value;
    run.sq += (value - shift) * (value - shift);
    run.max = fmax(run.max, value);
    run.min = fmin(run.min, value);
  }
  return run;
}

static double reduction(const as_sample *sample, const char *op, const double *x,
                        const int64_t *index, bool *known) {
  long axis = ref_axis(sample);
  int64_t j[AS_MAX_RANK] = {0};
  for (long i = 0; i + 1 < (long)sample->arank[0]; i++)
    j[i < axis ? i : i + 1] = index[i];
  line run = along(sample, x, j, axis, 0);
  if (!strcmp(op, "sum"))
    return run.sum;
  if (!strcmp(op, "mean"))
    return run.n ? run.sum / (double)run.n : NAN;
  if (!strcmp(op, "max"))
    return run.n ? run.max : NAN;
  if (!strcmp(op, "min"))
    return run.n ? run.min : NAN;
  *known = false;
  return 0;
}

static double normal(const as_sample *sample, const char *op, const double *x, const int64_t *index,
                     bool *known) {
  long axis = strcmp(op, "softmax") ? (long)sample->arank[0] - 1 : ref_axis(sample);
  double value = x[ref_flat(index, sample->dim[0], sample->arank[0])];
  line run = along(sample, x, index, axis, 0);
  double n = (double)run.n;
  if (!strcmp(op, "rms_norm")) {
    double d = sqrt(run.sq / n + ref_num(sample, "eps"));
    return d == 0 ? NAN : value / d;
  }
  if (!strcmp(op, "layer_norm")) {
    double mu = run.sum / n;
    double d = sqrt(along(sample, x, index, axis, mu).sq / n + ref_num(sample, "eps"));
    return d == 0 ? NAN : (value - mu) / d;
  }
  if (!strcmp(op, "softmax")) {
    double z = 0;
    int64_t k[AS_MAX_RANK];
    memcpy(k, index, sizeof k);
    for (k[axis] = 0; k[axis] < run.n; k[axis]++)
      z += exp(x[ref_flat(k, sample->dim[0], sample->arank[0])] - run.max);
    return exp(value - run.max) / z;
  }
  *known = false;
  return 0;
}

static double moved(const as_sample *sample, const char *op, const double *const *arg,
                    const int64_t *index, bool *known) {
  long axis = ref_axis(sample);
  long r0 = sample->arank[0];
  int64_t j[AS_MAX_RANK + 1] = {0};
  memcpy(j, index, AS_MAX_RANK * sizeof *j);
  if (!strcmp(op, "transpose")) {
    j[axis] = index[axis + 1];
    j[axis + 1] = index[axis];
  } else if (!strcmp(op, "split_axis")) {
    j[axis] = index[axis] * (int64_t)ref_num(sample, "inner") + index[axis + 1];
    for (long i = axis + 1; i < r0; i++)
      j[i] = index[i + 1];
  } else if (!strcmp(op, "merge_axes")) {
    j[axis] = index[axis] / sample->dim[0][axis + 1];
    j[axis + 1] = index[axis] % sample->dim[0][axis + 1];
    for (long i = axis + 2; i < r0; i++)
      j[i] = index[i - 1];
  } else if (!strcmp(op, "concat")) {
    if (index[axis] >= sample->dim[0][axis]) {
      j[axis] -= sample->dim[0][axis];
      return arg[1][ref_flat(j, sample->dim[1], sample->arank[1])];
    }
  } else if (!strcmp(op, "slice")) {
    j[axis] = (int64_t)ref_num(sample, "start") + (int64_t)ref_num(sample, "step") * index[axis];
  } else if (!strcmp(op, "repeat")) {
    j[axis] = index[axis] / (int64_t)ref_num(sample, "times");
  } else if (!strcmp(op, "tile")) {
    j[axis] = index[axis] % sample->dim[0][axis];
  } else if (!strcmp(op, "broadcast")) {
    j[axis] = 0;
  } else if (!strcmp(op, "expand_dims")) {
    for (long i = axis; i < r0; i++)
      j[i] = index[i + 1];
  } else if (!strcmp(op, "squeeze")) {
    for (long i = axis + 1; i < r0; i++)
      j[i] = index[i - 1];
    j[axis] = 0;
  } else {
    *known = false;
    return 0;
  }
  return arg[0][ref_flat(j, sample->dim[0], sample->arank[0])];
}

/* place in argument a of the matrix element (row, column) of the batch that the result's index is
 * in; batch axes broadcast */
static size_t in_batch(const as_sample *sample, uint32_t a, const int64_t *index, int64_t row,
                       int64_t column) {
  uint32_t rank = sample->arank[a];
  int64_t j[AS_MAX_RANK];
  for (uint32_t i = 0; i + 2 < rank; i++)
    j[i] = sample->dim[a][i] == 1 ? 0 : index[sample->outrank - rank + i];
  j[rank - 2] = row;
  j[rank - 1] = column;
  return ref_flat(j, sample->dim[a], rank);
}

static double matmul(const as_sample *sample, const double *const *arg, const int64_t *index) {
  int64_t row = index[sample->outrank - 2];
  int64_t column = index[sample->outrank - 1];
  double sum = 0;
  for (int64_t k = 0; k < sample->dim[0][sample->arank[0] - 1]; k++)
    sum +=
        arg[0][in_batch(sample, 0, index, row, k)] * arg[1][in_batch(sample, 1, index, k, column)];
  return sum;
}

double reference(const as_sample *sample, const double *const *arg, const int64_t *index,
                 bool *known) {
  const char *op = sample->op->name;
  *known = true;
  double value;
  if (sample->op->nargs == 2 && (value = pair(op, 1, 1)) != HUGE_VAL)
    return pair(op, ref_bc(sample, 0, arg[0], index), ref_bc(sample, 1, arg[1], index));
  if (sample->op->nargs == 1 && el(op, 1, 0, 0) != HUGE_VAL)
    return el(op, arg[0][ref_flat(index, sample->dim[0], sample->arank[0])], ref_num(sample, "lo"),
              ref_num(sample, "hi"));
  if (!strcmp(op, "mul_by") || !strcmp(op, "div_by")) {
    double x = arg[0][ref_flat(index, sample->dim[0], sample->arank[0])];
    double n = ref_num(sample, "n");
    return !strcmp(op, "mul_by") ? x * n : n == 0 ? NAN : x / n;
  }
  if (!strcmp(op, "matmul"))
    return matmul(sample, arg, index);
  if (!strcmp(op, "softmax") || !strcmp(op, "rms_norm") || !strcmp(op, "layer_norm"))
    return normal(sample, op, arg[0], index, known);
  if (!strcmp(op, "sum") || !strcmp(op, "mean") || !strcmp(op, "max") || !strcmp(op, "min"))
    return reduction(sample, op, arg[0], index, known);
  if (reference_rules(sample, arg, index, &value) || reference_scans(sample, arg, index, &value))
    return value;
  return moved(sample, op, arg, index, known);
}
