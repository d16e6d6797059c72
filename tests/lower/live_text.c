#include "live_text.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANK = 4, MOST_MOVES = 5, N_OUTPUTS = 5 };

/* b * B + c * C + n */
typedef struct {
  int b;
  int c;
  int n;
} extent;

typedef struct {
  char *text;
  int rank;
  extent dim[MOST_RANK];
} tensor;

typedef struct {
  as_rng *rng;
  as_str inputs;
  int n_input;
} writer;

static int pick(writer *w, int n) {
  return (int)as_rng_below(w->rng, (uint64_t)n);
}

static void put_extent(as_str *out, const extent *of) {
  as_str_printf(out, "%d*B + %d*C + %d", of->b, of->c, of->n);
}

static bool is_number(const extent *of) {
  return of->b == 0 && of->c == 0;
}

static extent any_extent(writer *w) {
  static const extent some[] = {{1, 0, 0}, {1, 0, 0}, {0, 1, 0}, {2, 0, 0}, {0, 0, 4},
                                {0, 0, 3}, {0, 0, 8}, {0, 0, 1}, {1, 0, 2}};
  return some[pick(w, sizeof some / sizeof *some)];
}

static tensor input_of(writer *w, const extent *dim, int rank) {
  tensor made = {.text = as_format("X%d", w->n_input), .rank = rank};
  memcpy(made.dim, dim, (size_t)rank * sizeof *dim);
  as_str_printf(&w->inputs, "input X%d: f32[", w->n_input++);
  for (int i = 0; i < rank; i++) {
    as_str_add(&w->inputs, i ? ", " : "");
    put_extent(&w->inputs, &dim[i]);
  }
  as_str_add(&w->inputs, "]\n");
  return made;
}

static tensor any_input(writer *w) {
  extent dim[MOST_RANK];
  int rank = 2 + pick(w, 2);
  for (int i = 0; i < rank; i++)
    dim[i] = any_extent(w);
  return input_of(w, dim, rank);
}

/* the tensor between two texts */
static void wrap(tensor *of, const char *before, const char *behind) {
  char *text = as_format("%s%s%s", before, of->text, behind);
  free(of->text);
  of->text = text;
}

static void exchange(writer *w, tensor *of) {
  if (of->rank < 2)
    return;
  int second = 1 + pick(w, of->rank - 1);
  int first = pick(w, second);
  extent moved = of->dim[first];
  char behind[48];
  of->dim[first] = of->dim[second];
  of->dim[second] = moved;
  snprintf(behind, sizeof behind, ", first=%d, second=%d)", first, second);
  wrap(of, "swap_axes(", behind);
}

/* a part whose place and extent are numbers or not */
static void cut(writer *w, tensor *of) {
  int axis = pick(w, of->rank);
  extent *dim = &of->dim[axis];
  char behind[96];
  if (is_number(dim) && dim->n > 1) {
    int start = pick(w, dim->n);
    int stop = start + 1 + pick(w, dim->n - start);
    snprintf(behind, sizeof behind, ", axis=%d, start=%d, stop=%d)", axis, start, stop);
    dim->n = stop - start;
  } else if (dim->b >= 2 && dim->c == 0) {
    bool upper = pick(w, 2);
    snprintf(behind, sizeof behind, ", axis=%d, start=%s, stop=%d*B + %d)", axis, upper ? "B" : "0",
             upper ? dim->b : 1, upper ? dim->n : 0);
    *dim = upper ? (extent){dim->b - 1, 0, dim->n} : (extent){1, 0, 0};
  } else {
    return;
  }
  wrap(of, "slice(", behind);
}

static void merge(writer *w, tensor *of) {
  int axis = of->rank < 2 ? 0 : pick(w, of->rank - 1);
  if (of->rank < 2 || (!is_number(&of->dim[axis]) && !is_number(&of->dim[axis + 1])))
    return;
  int number = is_number(&of->dim[axis]) ? axis : axis + 1;
  int times = of->dim[number].n;
  extent whole = of->dim[number == axis ? axis + 1 : axis];
  char behind[32];
  of->dim[axis] = (extent){whole.b * times, whole.c * times, whole.n * times};
  for (int i = axis + 1; i + 1 < of->rank; i++)
    of->dim[i] = of->dim[i + 1];
  of->rank--;
  snprintf(behind, sizeof behind, ", axis=%d)", axis);
  wrap(of, "merge_axes(", behind);
}

static void join(writer *w, tensor *of) {
  int axis = pick(w, of->rank);
  extent dim[MOST_RANK];
  memcpy(dim, of->dim, sizeof dim);
  dim[axis] = any_extent(w);
  tensor other = input_of(w, dim, of->rank);
  bool first = pick(w, 2);
  char *both = as_format("concat(%s, %s, axis=%d)", first ? other.text : of->text,
                         first ? of->text : other.text, axis);
  free(other.text);
  free(of->text);
  of->text = both;
  of->dim[axis].b += dim[axis].b;
  of->dim[axis].c += dim[axis].c;
  of->dim[axis].n += dim[axis].n;
}

static void fold(writer *w, tensor *of) {
  if (of->rank < 2)
    return;
  int axis = pick(w, of->rank);
  char behind[32];
  for (int i = axis; i + 1 < of->rank; i++)
    of->dim[i] = of->dim[i + 1];
  of->rank--;
  snprintf(behind, sizeof behind, ", axis=%d)", axis);
  wrap(of, "sum(", behind);
}

static void multiply(writer *w, tensor *of) {
  if (of->rank < 2)
    return;
  extent dim[2] = {of->dim[of->rank - 1], any_extent(w)};
  tensor other = input_of(w, dim, 2);
  char *product = as_format("(%s @ %s)", of->text, other.text);
  free(other.text);
  free(of->text);
  of->text = product;
  of->dim[of->rank - 1] = dim[1];
}

static void compute(writer *w, tensor *of) {
  static const char *const form[][2] = {
      {"(", " * 2)"}, {"exp(0 - abs(", "))"}, {"maximum(", ", 0)"}, {"reverse(", ", axis=0)"}};
  int which = pick(w, 4);
  wrap(of, form[which][0], form[which][1]);
}

char *live_text_new(as_rng *rng) {
  static void (*const step[])(writer *, tensor *) = {exchange, cut,  cut,      merge,    join,
                                                     join,     fold, multiply, multiply, compute};
  writer w = {.rng = rng};
  as_str outputs;
  as_str_init(&w.inputs);
  as_str_init(&outputs);
  for (int i = 0; i < N_OUTPUTS; i++) {
    tensor of = any_input(&w);
    for (int moves = 1 + pick(&w, MOST_MOVES); moves > 0; moves--)
      step[pick(&w, sizeof step / sizeof *step)](&w, &of);
    as_str_printf(&outputs, "output Y%d = %s * 1\n", i, of.text);
    free(of.text);
  }
  char *text = as_format("program p\nsizes B <= 6, C >= 0 <= 4\n%s%s", w.inputs.s, outputs.s);
  as_str_clear(&w.inputs);
  as_str_clear(&outputs);
  return text;
}
