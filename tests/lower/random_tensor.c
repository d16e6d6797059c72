#include "random_tensor.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include "src/target/target.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  as_rng *rng;
  rt_program *to;
  bool real;
  int at; /* the step that the next one goes on from */
} drawing;

static unsigned pick(drawing *of, unsigned n) {
  return (unsigned)as_rng_below(of->rng, n);
}

static bool chance(drawing *of, unsigned percent) {
  return pick(of, 100) < percent;
}

/* an extent: usual ones, primes and others, seldom 1 */
static long draw_extent(drawing *of, bool row) {
  static const long small[] = {16, 8, 32, 12, 24, 17, 5, 1, 3, 48, 33};
  static const long wide[] = {512, 1024, 2048, 4096, 768, 1000, 96, 40};
  static const long rows[] = {64, 100, 128, 512, 777, 1000, 1, 16};
  if (!of->real)
    return small[pick(of, sizeof small / sizeof *small)];
  if (chance(of, 15))
    return 1 + pick(of, 1100);
  return row ? rows[pick(of, sizeof rows / sizeof *rows)] : wide[pick(of, 8)];
}

/* an axis of so many elements, as a size of the program */
static void set_axis(rt_step *step, int axis, long extent) {
  step->dim[axis] = extent;
  step->live[axis] = false;
  snprintf(step->extent[axis], RT_EXTENT_TEXT, "n%ld", extent);
}

static void copy_axis(rt_step *to, int axis, const rt_step *from, int other) {
  to->dim[axis] = from->dim[other];
  to->live[axis] = from->live[other];
  memcpy(to->extent[axis], from->extent[other], RT_EXTENT_TEXT);
}

static const rt_step *now(const drawing *of) {
  return &of->to->step[of->at];
}

static double elements(const rt_step *step) {
  double n = 1;
  for (int axis = 0; axis < step->rank; axis++)
    n *= (double)step->dim[axis];
  return n;
}

static int add(drawing *of, rt_step step) {
  of->to->step[of->to->n] = step;
  return of->to->n++;
}

/* an input with the axes of `like` from `first` on */
static int add_input(drawing *of, const rt_step *like, int first) {
  rt_step input = {.kind = RT_INPUT, .rank = like->rank - first, .scale = 1};
  for (int axis = 0; axis < input.rank; axis++)
    copy_axis(&input, axis, like, first + axis);
  return add(of, input);
}

/* the step with the axes of the one before it */
static rt_step alike(const drawing *of, rt_kind kind, unsigned which) {
  rt_step step = *now(of);
  step.kind = kind;
  step.which = which;
  step.arg[0] = of->at;
  step.arg[1] = -1;
  return step;
}

static int transposed(drawing *of, int id, int axis) {
  rt_step step = of->to->step[id];
  step.kind = RT_TRANSPOSE;
  step.arg[0] = id;
  step.arg[1] = -1;
  step.axis = axis;
  copy_axis(&step, axis, &of->to->step[id], axis + 1);
  copy_axis(&step, axis + 1, &of->to->step[id], axis);
  return add(of, step);
}

/* with a second operand whose last axis is that of the result */
static void multiply(drawing *of, int by) {
  const rt_step *right = &of->to->step[by];
  rt_step step = alike(of, RT_PRODUCT, 0);
  step.arg[1] = by;
  copy_axis(&step, step.rank - 1, right, right->rank - 1);
  of->at = add(of, step);
}

static bool fits(const drawing *of, double rows, double columns, double depth) {
  double most = of->real ? 0x1p23 : 0x1p12;
  double work = of->real ? 0x1p36 : 0x1p17;
  return rows * columns <= most && columns * depth <= most && rows * columns * depth <= work;
}

static void add_product(drawing *of) {
  const rt_step *left = now(of);
  long depth = left->dim[left->rank - 1];
  long columns = draw_extent(of, false);
  if (left->rank < 2 || left->rank > 3 || left->live[left->rank - 1] ||
      !fits(of, elements(left) / (double)depth, (double)columns, (double)depth))
    return;
  double scale = sqrt(3.0 / (double)depth);
  bool batched = left->rank == 3 && !left->live[0] && chance(of, 25) &&
                 fits(of, (double)left->dim[0], (double)columns, (double)depth);
  bool turned = chance(of, 60);
  rt_step weights = {.kind = RT_INPUT, .rank = 2 + batched, .scale = scale};
  if (batched)
    copy_axis(&weights, 0, left, 0);
  copy_axis(&weights, batched + turned, left, left->rank - 1);
  set_axis(&weights, batched + !turned, columns);
  int by = add(of, weights);
  multiply(of, turned ? transposed(of, by, batched) : by);
}

/* of the rows at hand to keys and values that are inputs */
static void add_attention(drawing *of) {
  const rt_step *rows = now(of);
  if (rows->rank < 2 || rows->rank > 3 || rows->live[rows->rank - 1])
    return;
  long keys = draw_extent(of, true);
  long depth = rows->dim[rows->rank - 1];
  long columns = chance(of, 50) ? depth : draw_extent(of, false);
  double batch = rows->rank == 3 ? (double)rows->dim[0] : 1;
  double all = elements(rows) / (double)depth;
  if (!fits(of, all, (double)keys, (double)depth) ||
      !fits(of, all, (double)columns, (double)keys) ||
      batch * (double)keys * (double)(depth + columns) > (of->real ? 0x1p23 : 0x1p12))
    return;
  rt_step key = {.kind = RT_INPUT, .rank = rows->rank, .scale = sqrt(3.0 / (double)depth)};
  for (int axis = 0; axis < key.rank; axis++)
    copy_axis(&key, axis, rows, axis);
  set_axis(&key, key.rank - 2, keys);
  rt_step value = key;
  value.scale = 1;
  if (columns != depth)
    set_axis(&value, value.rank - 1, columns);
  int turned = transposed(of, add(of, key), key.rank - 2);
  multiply(of, turned);
  of->at = add(of, alike(of, RT_NORM, RT_SOFTMAX));
  multiply(of, add(of, value));
}

/* with an input of the last axis, one of all axes, or what was computed before */
static void add_pair(drawing *of) {
  rt_step step = alike(of, RT_PAIR, pick(of, RT_N_PAIRS));
  int other = -1;
  if (chance(of, 35)) {
    for (int id = of->at - 1; id >= 0 && other < 0; id--) {
      const rt_step *earlier = &of->to->step[id];
      bool same = earlier->rank == step.rank;
      for (int axis = 0; same && axis < step.rank; axis++)
        same = strcmp(earlier->extent[axis], step.extent[axis]) == 0;
      other = same ? id : -1;
    }
  }
  bool whole = chance(of, 25);
  if (other < 0)
    other = add_input(of, now(of), whole ? 0 : step.rank - 1);
  step.arg[1] = other;
  of->at = add(of, step);
}

/* false: there is no room for the text of such an extent */
static bool merge(const rt_step *from, int axis, rt_step *step) {
  int length = snprintf(step->extent[axis], RT_EXTENT_TEXT, "(%s) * (%s)", from->extent[axis],
                        from->extent[axis + 1]);
  step->kind = RT_MERGE;
  step->dim[axis] *= step->dim[axis + 1];
  for (int i = axis + 1; i + 1 < step->rank; i++)
    copy_axis(step, i, from, i + 1);
  step->rank--;
  return length < RT_EXTENT_TEXT;
}

static void split(drawing *of, const rt_step *from, int axis, long inner, rt_step *step) {
  bool first = chance(of, 50);
  step->kind = RT_SPLIT;
  step->at[0] = first ? inner : from->dim[axis] / inner;
  step->at[1] = first ? from->dim[axis] / inner : inner;
  for (int i = axis + 1; i < from->rank; i++)
    copy_axis(step, i + 1, from, i);
  for (int i = 0; i < 2; i++)
    set_axis(step, axis + i, step->at[i]);
  step->rank++;
}

static void cut(drawing *of, const rt_step *from, int axis, rt_step *step) {
  step->kind = RT_SLICE;
  step->at[0] = (long)pick(of, (unsigned)(from->dim[axis] / 2 + 1));
  step->at[1] = step->at[0] + 1 + (long)pick(of, (unsigned)(from->dim[axis] - step->at[0]));
  step->dim[axis] = step->at[1] - step->at[0];
  snprintf(step->extent[axis], RT_EXTENT_TEXT, "%ld", step->dim[axis]);
}

/* false: there is no room for the text of such an extent */
static bool extend(drawing *of, const rt_step *from, int axis, rt_step *step) {
  int input = add_input(of, from, 0);
  rt_step *more = &of->to->step[input];
  set_axis(more, axis, 1 + (long)pick(of, (unsigned)step->dim[axis]));
  step->kind = RT_CONCAT;
  step->arg[1] = input;
  step->dim[axis] += more->dim[axis];
  return snprintf(step->extent[axis], RT_EXTENT_TEXT, "%s + %s", of->to->step[of->at].extent[axis],
                  more->extent[axis]) < RT_EXTENT_TEXT;
}

static void add_view(drawing *of) {
  static const long parts[] = {2, 4, 3, 8};
  const rt_step *from = now(of);
  rt_step step = alike(of, RT_TRANSPOSE, 0);
  int axis = (int)pick(of, (unsigned)from->rank);
  long inner = parts[pick(of, 4)];
  bool next = axis + 1 < from->rank;
  bool live = from->live[axis];
  bool made = false;
  step.axis = axis;
  switch (pick(of, 5)) {
  case 0:
    if (next)
      of->at = transposed(of, of->at, axis);
    return;
  case 1:
    made = next && !live && !from->live[axis + 1] && merge(from, axis, &step);
    break;
  case 2:
    made = !live && from->rank < 3 && from->dim[axis] % inner == 0;
    if (made)
      split(of, from, axis, inner, &step);
    break;
  case 3:
    made = !live && from->dim[axis] > 1;
    if (made)
      cut(of, from, axis, &step);
    break;
  default:
    made = !live && extend(of, from, axis, &step);
  }
  if (made)
    of->at = add(of, step);
}

static void add_fold(drawing *of) {
  rt_step step = alike(of, chance(of, 60) ? RT_CENTERED : RT_FOLD, pick(of, RT_N_FOLDS));
  if (step.kind == RT_CENTERED && step.which == RT_SUM)
    step.which = RT_MEAN;
  if (step.kind == RT_FOLD && step.rank < 2)
    return;
  step.rank -= step.kind == RT_FOLD;
  of->at = add(of, step);
}

static void add_step(drawing *of) {
  unsigned kind = pick(of, 100);
  if (kind < 24)
    add_product(of);
  else if (kind < 42)
    of->at = add(of, alike(of, RT_NORM, pick(of, RT_N_NORMS)));
  else if (kind < 58)
    of->at = add(of, alike(of, RT_MAP, pick(of, RT_N_MAPS)));
  else if (kind < 74)
    add_pair(of);
  else if (kind < 90)
    add_view(of);
  else if (kind < 95)
    add_fold(of);
  else
    add_attention(of);
}

static bool has_product(const rt_program *program) {
  bool has = false;
  for (int id = 0; id < program->n; id++)
    has |= program->step[id].kind == RT_PRODUCT;
  return has;
}

/* the elements of a tensor in memory, of all of its steps */
static bool is_small_enough(const rt_program *program, bool real) {
  bool fit = true;
  for (int id = 0; id < program->n; id++)
    fit &= elements(&program->step[id]) <= (real ? 0x1p23 : 0x1p13);
  return fit;
}

static void draw_program(drawing *of) {
  rt_step input = {.kind = RT_INPUT, .rank = chance(of, 60) ? 3 : 2, .scale = 1};
  for (int axis = 0; axis < input.rank; axis++)
    set_axis(&input, axis, draw_extent(of, axis + 1 < input.rank));
  if (input.rank == 3)
    set_axis(&input, 0, 1 + (long)pick(of, of->real ? 8 : 3));
  of->to->n = 0;
  of->to->bound = 0;
  if (chance(of, 20)) {
    int axis = input.rank - 2;
    input.live[axis] = true;
    of->to->bound = input.dim[axis];
    snprintf(input.extent[axis], RT_EXTENT_TEXT, "S");
  }
  of->at = add(of, input);
  unsigned steps = 2 + pick(of, 6);
  int second = -1;
  for (unsigned i = 0; i < steps; i++) {
    int before = of->at;
    add_step(of);
    if (second < 0 && before > 0 && before != of->at && chance(of, 6))
      second = before;
  }
  if (!has_product(of->to) && chance(of, 70))
    add_product(of);
  of->to->n_output = 1 + (second >= 0);
  of->to->output[0] = of->at;
  of->to->output[1] = second;
}

void rt_draw(as_rng *rng, bool real, rt_program *out) {
  static const char *const arch[] = {NULL, NULL, "sm_80", "sm_89", "sm_90"};
  static const char *const rounded[] = {NULL, NULL, "matmul", "matmul:3"};
  static const as_dtype types[] = {AS_F16, AS_BF16, AS_F32};
  static const as_library_use uses[] = {AS_LIBRARY_NEVER, AS_LIBRARY_NEVER, AS_LIBRARY_AUTO,
                                        AS_LIBRARY_ALWAYS};
  drawing of = {.rng = rng, .to = out, .real = real};
  do {
    memset(out, 0, sizeof *out);
    out->type = types[pick(&of, 3)];
    draw_program(&of);
  } while (of.at == 0 || !is_small_enough(out, real));
  out->arch = arch[pick(&of, 5)];
  out->rounded = rounded[pick(&of, 4)];
  out->library = uses[pick(&of, 4)];
  out->general = chance(&of, 20);
}

/* --- text */
static void put_axes(as_str *text, const rt_step *step) {
  as_str_add(text, "[");
  for (int axis = 0; axis < step->rank; axis++)
    as_str_printf(text, "%s%s", axis ? ", " : "", step->extent[axis]);
  as_str_add(text, "]");
}

/* is the axis one whose extent is a size of its own, that no axis before has? */
static bool declares(const rt_program *program, int id, int axis) {
  const rt_step *step = &program->step[id];
  bool first = step->extent[axis][0] == 'n' && strpbrk(step->extent[axis], " +*") == NULL;
  for (int before = 0; before <= id && first; before++) {
    const rt_step *other = &program->step[before];
    for (int i = 0; i < (before < id ? other->rank : axis) && first; i++)
      first = strcmp(other->extent[i], step->extent[axis]) != 0;
  }
  return first;
}

static void put_sizes(as_str *text, const rt_program *program) {
  for (int id = 0; id < program->n; id++) {
    const rt_step *step = &program->step[id];
    for (int axis = 0; axis < step->rank; axis++) {
      if (declares(program, id, axis))
        as_str_printf(text, "sizes %s = %ld\n", step->extent[axis], step->dim[axis]);
    }
  }
  if (program->bound)
    as_str_printf(text, "sizes S <= %ld\n", program->bound);
  for (int id = 0; id < program->n; id++) {
    const rt_step *step = &program->step[id];
    if (step->kind == RT_SPLIT)
      as_str_printf(text, "where %s = n%ld * n%ld\n",
                    program->step[step->arg[0]].extent[step->axis], step->at[0], step->at[1]);
  }
}

static void put_step(as_str *text, const rt_step *step) {
  static const char *const maps[] = {"relu", "gelu", "silu", "abs", "tanh", "sigmoid"};
  static const char *const pairs[] = {"+", "-", "*"};
  static const char *const norms[] = {"rms_norm", "layer_norm", "softmax"};
  static const char *const folds[] = {"sum", "mean", "max"};
  int left = step->arg[0];
  int right = step->arg[1];
  switch (step->kind) {
  case RT_INPUT:
    break;
  case RT_MAP:
    if (step->which == RT_TWICE)
      as_str_printf(text, "v%d * 2", left);
    else
      as_str_printf(text, "%s(v%d)", maps[step->which], left);
    break;
  case RT_PAIR:
    if (step->which == RT_MAXIMUM)
      as_str_printf(text, "maximum(v%d, v%d)", left, right);
    else
      as_str_printf(text, "v%d %s v%d", left, pairs[step->which], right);
    break;
  case RT_NORM:
    as_str_printf(text, "%s(v%d)", norms[step->which], left);
    break;
  case RT_FOLD:
    as_str_printf(text, "%s(v%d)", folds[step->which], left);
    break;
  case RT_CENTERED:
    as_str_printf(text, "v%d - %s_keep(v%d)", left, folds[step->which], left);
    break;
  case RT_TRANSPOSE:
    as_str_printf(text, "transpose(v%d, axis=%d)", left, step->axis);
    break;
  case RT_MERGE:
    as_str_printf(text, "merge_axes(v%d, axis=%d)", left, step->axis);
    break;
  case RT_SPLIT:
    as_str_printf(text, "split_axis(v%d, axis=%d, outer=n%ld, inner=n%ld)", left, step->axis,
                  step->at[0], step->at[1]);
    break;
  case RT_SLICE:
    as_str_printf(text, "slice(v%d, axis=%d, start=%ld, stop=%ld)", left, step->axis, step->at[0],
                  step->at[1]);
    break;
  case RT_CONCAT:
    as_str_printf(text, "concat(v%d, v%d, axis=%d)", left, right, step->axis);
    break;
  case RT_PRODUCT:
    as_str_printf(text, "matmul(v%d, v%d)", left, right);
    break;
  }
}

static bool is_output(const rt_program *program, int id) {
  bool is = false;
  for (int i = 0; i < program->n_output; i++)
    is |= program->output[i] == id;
  return is;
}

char *rt_text(const rt_program *program) {
  static const char *const types[] = {[AS_F16] = "f16", [AS_BF16] = "bf16", [AS_F32] = "f32"};
  as_str text;
  as_str_init(&text);
  as_str_add(&text, "program p\n");
  put_sizes(&text, program);
  for (int id = 0; id < program->n; id++) {
    const rt_step *step = &program->step[id];
    if (step->kind == RT_INPUT) {
      as_str_printf(&text, "input v%d: %s", id, types[program->type]);
      put_axes(&text, step);
      as_str_add(&text, "\n");
      continue;
    }
    as_str_printf(&text, "%sv%d = ", is_output(program, id) ? "output " : "", id);
    put_step(&text, step);
    as_str_add(&text, "\n");
  }
  return as_str_take(&text);
}

const as_target *rt_target(const rt_program *program) {
  as_err err;
  as_err_init(&err);
  const as_target *target =
      program->arch ? as_target_find(program->arch, &err) : as_target_default();
  target = as_target_using(target, (as_library_use)program->library);
  return program->rounded ? as_target_rounding(target, program->rounded) : target;
}
