/* References for the operators that rewrite rules speak of.  Where the specification reads at
 * computed places, these write to them: padding and dilation are made as tensors of their own. */
#include "reference.h"
#include "src/base/mem.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double relation(const char *op, double x, double y) {
  if (!strcmp(op, "greater"))
    return x > y;
  if (!strcmp(op, "less"))
    return x < y;
  if (!strcmp(op, "greater_equal"))
    return x >= y;
  if (!strcmp(op, "less_equal"))
    return x <= y;
  if (!strcmp(op, "equal"))
    return x == y;
  if (!strcmp(op, "not_equal"))
    return x != y;
  if (!strcmp(op, "logical_and"))
    return x * y;
  if (!strcmp(op, "logical_or"))
    return 1 - (1 - x) * (1 - y);
  if (!strcmp(op, "remainder"))
    return y == 0 ? NAN : fmod(x, y);
  return HUGE_VAL;
}

/* element ix of the result where only the index of the axis differs from the argument's */
static double at_axis(const as_sample *sample, uint32_t a, const double *x, const int64_t *index,
                      long axis, int64_t k) {
  int64_t j[AS_MAX_RANK];
  memcpy(j, index, sizeof j);
  j[axis] = k;
  return x[ref_flat(j, sample->dim[a], sample->arank[a])];
}

static int64_t clamped(int64_t start, int64_t most) {
  return start < 0 ? 0 : start > most ? most : start;
}

static bool along_axis(const as_sample *sample, const char *op, const double *const *arg,
                       const int64_t *index, double *value) {
  long axis = ref_axis(sample);
  int64_t start = (int64_t)ref_num(sample, "start");
  if (!strcmp(op, "reverse")) {
    *value = at_axis(sample, 0, arg[0], index, axis, sample->dim[0][axis] - 1 - index[axis]);
  } else if (!strcmp(op, "pad")) {
    *value = *arg[1];
    int64_t to = (int64_t)ref_num(sample, "low");
    int64_t step = 1 + (int64_t)ref_num(sample, "interior");
    for (int64_t k = 0; k < sample->dim[0][axis]; k++, to += step) {
      if (to == index[axis])
        *value = at_axis(sample, 0, arg[0], index, axis, k);
    }
  } else if (!strcmp(op, "dynamic_slice") || !strcmp(op, "dynamic_slice_clamped")) {
    if (strlen(op) > 13)
      start = clamped(start, sample->dim[0][axis] - (int64_t)ref_num(sample, "size"));
    *value = at_axis(sample, 0, arg[0], index, axis, start + index[axis]);
  } else if (!strcmp(op, "dynamic_update_slice") || !strcmp(op, "dynamic_update_slice_clamped")) {
    if (strlen(op) > 20)
      start = clamped(start, sample->dim[0][axis] - sample->dim[1][axis]);
    *value = at_axis(sample, 0, arg[0], index, axis, index[axis]);
    for (int64_t k = 0; k < sample->dim[1][axis]; k++) {
      if (start + k == index[axis])
        *value = at_axis(sample, 1, arg[1], index, axis, k);
    }
  } else if (!strcmp(op, "all") || !strcmp(op, "any")) {
    int64_t j[AS_MAX_RANK] = {0};
    for (long i = 0; i + 1 < (long)sample->arank[0]; i++)
      j[i < axis ? i : i + 1] = index[i];
    double p = 1;
    for (int64_t k = 0; k < sample->dim[0][axis]; k++) {
      double x = at_axis(sample, 0, arg[0], j, axis, k);
      p *= op[1] == 'l' ? x : 1 - x;
    }
    *value = op[1] == 'l' ? p : 1 - p;
  } else {
    return false;
  }
  return true;
}

/* a line of n numbers, written with distance `step` into one of `total` zeros, from `low` on */
static double *spread(const double *x, int64_t n, int64_t low, int64_t step, int64_t total) {
  double *r = as_calloc((size_t)(total > 0 ? total : 0) + 1, sizeof *r);
  for (int64_t k = 0; k < n; k++) {
    if (low + k * step >= 0 && low + k * step < total)
      r[low + k * step] = x[k];
  }
  return r;
}

static double conv(const as_sample *sample, const double *const *arg, const int64_t *index) {
  int64_t c = sample->dim[0][1];
  int64_t h = sample->dim[0][2];
  int64_t o = sample->dim[1][1];
  int64_t k = sample->dim[1][2];
  int64_t bd = (int64_t)ref_num(sample, "base_dilation");
  int64_t wd = (int64_t)ref_num(sample, "window_dilation");
  int64_t low = (int64_t)ref_num(sample, "low");
  int64_t hh = low + (h ? (h - 1) * bd + 1 : 0) + (int64_t)ref_num(sample, "high");
  int64_t kk = k ? (k - 1) * wd + 1 : 0;
  double s = 0;
  for (int64_t p = 0; p < c; p++) {
    double *x = spread(arg[0] + (index[0] * c + p) * h, h, low, bd, hh);
    double *f = spread(arg[1] + (p * o + index[1]) * k, k, 0, wd, kk);
    for (int64_t a = 0; a < kk; a++)
      s += x[index[2] * (int64_t)ref_num(sample, "stride") + a] * f[a];
    free(x);
    free(f);
  }
  return s;
}

/* one channel of an image with zeros around, hh x ww, and where it is not the padding */
typedef struct {
  int64_t hh;
  int64_t ww;
  double *x;
  bool *in;
} image;

static image padded(const double *x, int64_t h, int64_t w, int64_t top, int64_t left,
                    int64_t bottom, int64_t right) {
  image picture = {top + h + bottom, left + w + right, NULL, NULL};
  picture.x = as_calloc((size_t)(picture.hh * picture.ww) + 1, sizeof *picture.x);
  picture.in = as_calloc((size_t)(picture.hh * picture.ww) + 1, sizeof *picture.in);
  for (int64_t i = 0; i < h; i++) {
    for (int64_t j = 0; j < w; j++) {
      picture.x[(top + i) * picture.ww + left + j] = x[i * w + j];
      picture.in[(top + i) * picture.ww + left + j] = true;
    }
  }
  return picture;
}

typedef struct {
  int64_t stride;
  int64_t before;
  int64_t after;
} plan;

/* of SAME padding: the total is such that ceil(n / stride) windows fit, and the larger half comes
 * first */
static plan same(int64_t n, int64_t k, int64_t stride) {
  int64_t left_over = n % stride ? n % stride : stride;
  int64_t total = k > left_over ? k - left_over : 0;
  return (plan){stride, (total + 1) / 2, total - (total + 1) / 2};
}

static void plans(const as_sample *sample, int64_t kh, int64_t kw, plan *how) {
  const char *op = sample->op->name;
  if (strstr(op, "_same")) {
    bool strided = !strcmp(op, "conv2d_same_strided");
    how[0] = same(sample->dim[0][2], kh, strided ? (int64_t)ref_num(sample, "stride_h") : 1);
    how[1] = same(sample->dim[0][3], kw, strided ? (int64_t)ref_num(sample, "stride_w") : 1);
  } else {
    how[0] = (plan){(int64_t)ref_num(sample, "stride_h"), (int64_t)ref_num(sample, "top"),
                    (int64_t)ref_num(sample, "bottom")};
    how[1] = (plan){(int64_t)ref_num(sample, "stride_w"), (int64_t)ref_num(sample, "left"),
                    (int64_t)ref_num(sample, "right")};
  }
}

/* sum, number and maximum of what one window over one channel sees; f: weights, NULL for 1 */
typedef struct {
  double sum;
  double most;
  int64_t n;
} seen;

static seen window(const as_sample *sample, const double *x, int64_t channel, const double *f,
                   int64_t kh, int64_t kw, const int64_t *index) {
  plan how[2];
  plans(sample, kh, kw, how);
  int64_t h = sample->dim[0][2];
  int64_t w = sample->dim[0][3];
  image picture = padded(x + (index[0] * sample->dim[0][1] + channel) * h * w, h, w, how[0].before,
                         how[1].before, how[0].after, how[1].after);
  seen s = {0, -INFINITY, 0};
  for (int64_t a = 0; a < kh; a++) {
    for (int64_t b = 0; b < kw; b++) {
      int64_t y = index[2] * how[0].stride + a;
      int64_t z = index[3] * how[1].stride + b;
      if (y >= picture.hh || z >= picture.ww || !picture.in[y * picture.ww + z])
        continue;
      s.sum += picture.x[y * picture.ww + z] * (f ? f[a * kw + b] : 1);
      s.most = fmax(s.most, picture.x[y * picture.ww + z]);
      s.n++;
    }
  }
  free(picture.x);
  free(picture.in);
  return s;
}

static bool windows(const as_sample *sample, const char *op, const double *const *arg,
                    const int64_t *index, double *value) {
  if (!strncmp(op, "conv2d", 6)) {
    const int64_t *f = sample->dim[1];
    int64_t groups = sample->dim[0][1] / f[1];
    int64_t group = index[1] / (f[0] / groups);
    *value = 0;
    for (int64_t p = 0; p < f[1]; p++) {
      *value += window(sample, arg[0], group * f[1] + p,
                       arg[1] + (index[1] * f[1] + p) * f[2] * f[3], f[2], f[3], index)
                    .sum;
    }
    return true;
  }
  if (!strstr(op, "_pool2d"))
    return false;
  int64_t kh = (int64_t)ref_num(sample, "kh");
  int64_t kw = (int64_t)ref_num(sample, "kw");
  seen s = window(sample, arg[0], index[1], NULL, kh, kw, index);
  if (op[0] == 'm') {
    *value = s.n ? s.most : NAN;
  } else {
    int64_t n = strstr(op, "in_range") ? s.n : kh * kw;
    *value = n ? s.sum / (double)n : NAN;
  }
  return true;
}

bool reference_rules(const as_sample *sample, const double *const *arg, const int64_t *index,
                     double *value) {
  const char *op = sample->op->name;
  if (sample->op->nargs == 2 && relation(op, 1, 1) != HUGE_VAL) {
    *value = relation(op, ref_bc(sample, 0, arg[0], index), ref_bc(sample, 1, arg[1], index));
  } else if (!strcmp(op, "logical_not")) {
    *value = 1 - arg[0][ref_flat(index, sample->dim[0], sample->arank[0])];
  } else if (!strcmp(op, "select")) {
    size_t at = ref_flat(index, sample->dim[0], sample->arank[0]);
    *value = arg[arg[0][at] != 0 ? 1 : 2][at];
  } else if (!strcmp(op, "full")) {
    *value = arg[0][ref_flat(index + 1, sample->dim[0], sample->arank[0])];
  } else if (!strcmp(op, "full_like")) {
    *value = *arg[1];
  } else if (!strcmp(op, "broadcast_along")) {
    *value = arg[0][ref_flat(index, sample->dim[0], sample->arank[0])];
  } else if (!strcmp(op, "iota")) {
    *value = (double)index[0];
  } else if (!strcmp(op, "identity")) {
    *value = index[0] == index[1];
  } else if (!strcmp(op, "identity_kernel")) {
    *value = index[2] == (int64_t)ref_num(sample, "kh") / 2 &&
             index[3] == (int64_t)ref_num(sample, "kw") / 2;
  } else if (!strcmp(op, "dot")) {
    int64_t k = sample->dim[1][0];
    int64_t rest = 1;
    for (uint32_t i = 1; i < sample->arank[1]; i++)
      rest *= sample->dim[1][i];
    size_t row = ref_flat(index, sample->dim[0], sample->arank[0] - 1);
    size_t column =
        ref_flat(index + sample->arank[0] - 1, sample->dim[1] + 1, sample->arank[1] - 1);
    *value = 0;
    for (int64_t p = 0; p < k; p++)
      *value += arg[0][row * (size_t)k + (size_t)p] * arg[1][p * rest + (int64_t)column];
  } else if (!strcmp(op, "conv")) {
    *value = conv(sample, arg, index);
  } else {
    return windows(sample, op, arg, index, value) || along_axis(sample, op, arg, index, value);
  }
  return true;
}
