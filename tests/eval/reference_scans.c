/* References for powers, reductions that keep or join axes, scans, permutations and places that are
 * data.  A row each, found by name. */
#include "reference.h"
#include <math.h>
#include <string.h>

typedef struct {
  const as_sample *sample;
  const double *const *arg;
  const int64_t *ix; /* of the result */
  const char *op;
} element;

static double read_arg(const element *wanted, uint32_t a, const int64_t *j) {
  return wanted->arg[a][ref_flat(j, wanted->sample->dim[a], wanted->sample->arank[a])];
}

static double power(const element *wanted) {
  double n = ref_num(wanted->sample, "n");
  double x = read_arg(wanted, 0, wanted->ix);
  return n < 0 && x == 0 ? NAN : pow(x, n);
}

/* one step of what the operator's name says; NaN: nothing yet */
static double folded(const char *op, double so_far, double x) {
  if (isnan(so_far))
    return x;
  if (strstr(op, "max"))
    return x > so_far ? x : so_far;
  if (strstr(op, "min"))
    return x < so_far ? x : so_far;
  return strstr(op, "prod") ? so_far * x : so_far + x;
}

static bool has_empty_value(const char *op) {
  return strstr(op, "sum") || strstr(op, "prod");
}

/* over the first `steps` elements through index j along an axis */
static double fold_line(const element *wanted, int64_t *j, long axis, int64_t steps) {
  double value = NAN;
  for (j[axis] = 0; j[axis] < steps; j[axis]++)
    value = folded(wanted->op, value, read_arg(wanted, 0, j));
  return value;
}

static double scan(const element *wanted) {
  long axis = ref_axis(wanted->sample);
  int64_t j[AS_MAX_RANK];
  memcpy(j, wanted->ix, sizeof j);
  return fold_line(wanted, j, axis, wanted->ix[axis] + 1);
}

static double kept(const element *wanted) {
  long axis = ref_axis(wanted->sample);
  int64_t n = wanted->sample->dim[0][axis];
  int64_t j[AS_MAX_RANK];
  memcpy(j, wanted->ix, sizeof j);
  if (n == 0)
    return has_empty_value(wanted->op) ? 0 : NAN;
  double value = fold_line(wanted, j, axis, n);
  return strstr(wanted->op, "mean") ? value / (double)n : value;
}

static double two_axes(const element *wanted) {
  long axis = ref_axis(wanted->sample);
  const int64_t *dim = wanted->sample->dim[0];
  int64_t j[AS_MAX_RANK] = {0};
  for (long i = 0; i + 2 < (long)wanted->sample->arank[0]; i++)
    j[i < axis ? i : i + 2] = wanted->ix[i];
  double value = NAN;
  for (j[axis] = 0; j[axis] < dim[axis]; j[axis]++) {
    for (j[axis + 1] = 0; j[axis + 1] < dim[axis + 1]; j[axis + 1]++)
      value = folded(wanted->op, value, read_arg(wanted, 0, j));
  }
  int64_t n = dim[axis] * dim[axis + 1];
  if (n == 0)
    return has_empty_value(wanted->op) ? 0 : NAN;
  return strstr(wanted->op, "mean") ? value / (double)n : value;
}

static double recurrence(const element *wanted) {
  int64_t j[AS_MAX_RANK];
  memcpy(j, wanted->ix, sizeof j);
  uint32_t last = wanted->sample->outrank - 1;
  double h = 0;
  for (j[last] = 0; j[last] <= wanted->ix[last]; j[last]++)
    h = read_arg(wanted, 0, j) * h + read_arg(wanted, 1, j);
  return h;
}

/* an axis number from either end, counted from the first one */
static long axis_called(const element *wanted, const char *attribute) {
  long axis = (long)ref_num(wanted->sample, attribute);
  return axis < 0 ? axis + (long)wanted->sample->arank[0] : axis;
}

static double swapped(const element *wanted) {
  long first = axis_called(wanted, "first");
  long second = axis_called(wanted, "second");
  int64_t j[AS_MAX_RANK];
  memcpy(j, wanted->ix, sizeof j);
  j[first] = wanted->ix[second];
  j[second] = wanted->ix[first];
  return read_arg(wanted, 0, j);
}

static double moved_back(const element *wanted) {
  long axis = ref_axis(wanted->sample);
  long by = (long)ref_num(wanted->sample, "by");
  int64_t j[AS_MAX_RANK];
  memcpy(j, wanted->ix, sizeof j);
  j[axis] = wanted->ix[axis + by];
  memcpy(j + axis + 1, wanted->ix + axis, (size_t)by * sizeof *j);
  return read_arg(wanted, 0, j);
}

/* x at index j, whose place on one axis is data */
static double at_data(const element *wanted, int64_t *j, long axis, double place) {
  if (!(place >= 0 && place < (double)wanted->sample->dim[0][axis] && floor(place) == place))
    return NAN;
  j[axis] = (int64_t)place;
  return read_arg(wanted, 0, j);
}

static double gathered(const element *wanted) {
  long axis = ref_axis(wanted->sample);
  int64_t j[AS_MAX_RANK];
  memcpy(j, wanted->ix, sizeof j);
  return at_data(wanted, j, axis, wanted->arg[1][wanted->ix[axis]]);
}

static double embedded(const element *wanted) {
  uint32_t places = wanted->sample->arank[1];
  int64_t j[AS_MAX_RANK] = {0};
  for (uint32_t i = 1; i < wanted->sample->arank[0]; i++)
    j[i] = wanted->ix[places + i - 1];
  return at_data(wanted, j, 0, read_arg(wanted, 1, wanted->ix));
}

static double slid(const element *wanted) {
  long axis = ref_axis(wanted->sample);
  int64_t j[AS_MAX_RANK];
  memcpy(j, wanted->ix, sizeof j);
  return at_data(wanted, j, axis, wanted->arg[1][0] + (double)wanted->ix[axis]);
}

static double selected(const element *wanted) {
  return read_arg(wanted, wanted->arg[0][0] != 0 ? 1 : 2, wanted->ix);
}

static double filled(const element *wanted) {
  double masked = ref_bc(wanted->sample, 1, wanted->arg[1], wanted->ix);
  return masked != 0 ? wanted->arg[2][0] : ref_bc(wanted->sample, 0, wanted->arg[0], wanted->ix);
}

bool reference_scans(const as_sample *sample, const double *const *arg, const int64_t *index,
                     double *value) {
  static const struct {
    const char *op;
    double (*element)(const element *);
  } row[] = {
      {"pow", power},          {"cumsum", scan},
      {"cumprod", scan},       {"cummax", scan},
      {"cummin", scan},        {"sum_keep", kept},
      {"mean_keep", kept},     {"max_keep", kept},
      {"min_keep", kept},      {"sum2", two_axes},
      {"mean2", two_axes},     {"max2", two_axes},
      {"min2", two_axes},      {"linear_scan", recurrence},
      {"swap_axes", swapped},  {"move_axis", moved_back},
      {"gather", gathered},    {"embedding", embedded},
      {"slice_at", slid},      {"select_by", selected},
      {"masked_fill", filled},
  };

  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    if (strcmp(row[i].op, sample->op->name) == 0) {
      *value = row[i].element(&(element){sample, arg, index, sample->op->name});
      return true;
    }
  }
  return false;
}
