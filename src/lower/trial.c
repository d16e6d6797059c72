#include "trial.h"
#include "body.h"
#include "emit.h"
#include "live.h"
#include "reads.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const lo_job *job;
  const int64_t *at;
  as_str out;   /* functions */
  bool *wanted; /* by value: a function of it is printed */
  bool *stored; /* by value: some kernel writes it, or it is an input */
  bool *known;  /* by value: .. and has a row of the table already */
  uint32_t *row;
  uint32_t n_row;
} writer;

void lo_keep_meaning(lo_job *job) {
  lo_meaning *meaning = as_arena_alloc(job->arena, sizeof *meaning);
  meaning->n_value = job->n_value;
  meaning->n_unit = job->n_unit;
  meaning->value = as_arena_alloc(job->arena, (job->n_value + 1) * sizeof *meaning->value);
  meaning->unit = as_arena_alloc(job->arena, (job->n_unit + 1) * sizeof *meaning->unit);
  memcpy(meaning->value, job->value, job->n_value * sizeof *meaning->value);
  memcpy(meaning->unit, job->unit, job->n_unit * sizeof *meaning->unit);
  job->meaning = meaning;
}

/* as the graph says it, or, of tensors that a pass has added, as that pass does */
static const lo_value *meant(const writer *of, uint32_t id) {
  return id < of->job->meaning->n_value ? &of->job->meaning->value[id] : &of->job->value[id];
}

static bool is_added(const writer *of, uint32_t id) {
  return id >= of->job->meaning->n_value;
}

/* the block graph of a value; what a pass has added is in one of those that there are now */
static const lo_unit *unit_of(const writer *of, uint32_t id) {
  const lo_unit *unit = is_added(of, id) ? of->job->unit : of->job->meaning->unit;
  return &unit[meant(of, id)->unit];
}

/* --- numbers at the sizes of the launch */
static long at_launch(const writer *of, uint32_t row, long otherwise) {
  if (row == 0 || !lo_cut_row(of->job, row)->live)
    return otherwise;
  return (long)as_size_eval(of->job->graph->sizes, lo_cut_row(of->job, row)->extent, of->at);
}

static long stride_of(const writer *of, const lo_value *tensor, int axis) {
  long stride = 1;
  if (tensor->buffer_class == LG_PART)
    return tensor->stride[axis];
  for (int i = axis + 1; i < tensor->rank; i++) {
    bool roomy = tensor->buffer_class == LG_WORK;
    stride *= roomy ? tensor->dim[i] : at_launch(of, tensor->live_dim[i], tensor->dim[i]);
  }
  return stride;
}

static long elements_of(const writer *of, const lo_value *tensor) {
  if (tensor->rank == 0)
    return 1;
  bool roomy = tensor->buffer_class == LG_WORK;
  long first = roomy ? tensor->dim[0] : at_launch(of, tensor->live_dim[0], tensor->dim[0]);
  return first * stride_of(of, tensor, 0);
}

/* --- expressions */
static char *number(writer *of, const lx *expr);
static char *whole(writer *of, const lx *expr);

static char *element(writer *of, uint32_t id, char *const *index, int n);

static char *read_text(writer *of, const lx *expr) {
  char *index[AS_MAX_RANK];
  for (int i = 0; i < expr->n; i++)
    index[i] = whole(of, expr->kid[i]);
  char *text = element(of, expr->val, index, expr->n);
  for (int i = 0; i < expr->n; i++)
    free(index[i]);
  return text;
}

/* what is left of a tile, or a size */
static char *cut_text(const writer *of, const lo_cut *cut) {
  static const char *const block_name[] = {"bx", "by", "bz"};
  if (cut->live)
    return as_format("%lldl", (long long)as_size_eval(of->job->graph->sizes, cut->extent, of->at));
  long all = at_launch(of, cut->whole_live, cut->whole);
  if (cut->grid_axis < 0)
    return as_format("as_trial::left(%ld, %ld, l)", cut->tile, all);
  const char *name = block_name[cut->grid_axis];
  return cut->by_loop ? as_format("as_trial::left(%ld, %ld, %s * %ld + l)", cut->tile, all, name,
                                  cut->rounds)
                      : as_format("as_trial::left(%ld, %ld, %s)", cut->tile, all, name);
}

static char *condition(writer *of, const lx *expr) {
  static const char *const sign[] = {[LX_EQ] = "==", [LX_NE] = "!=",  [LX_LE] = "<=",
                                     [LX_LT] = "<",  [LX_AND] = "&&", [LX_OR] = "||"};
  bool logical = expr->op == LX_AND || expr->op == LX_OR || expr->op == LX_NOT;
  bool integers = !logical && expr->kid[0]->integer && expr->kid[1]->integer;
  char *(*operand)(writer *, const lx *) = logical ? condition : integers ? whole : number;
  char *left = operand(of, expr->kid[0]);
  char *right = expr->n > 1 ? operand(of, expr->kid[1]) : NULL;
  char *text =
      right ? as_format("(%s %s %s)", left, sign[expr->op], right) : as_format("(!%s)", left);
  free(left);
  free(right);
  return text;
}

static char *choice(writer *of, const lx *expr, char *(*branch)(writer *, const lx *)) {
  char *test = condition(of, expr->kid[0]);
  char *yes = branch(of, expr->kid[1]);
  char *no = branch(of, expr->kid[2]);
  char *text = as_format("(%s ? %s : %s)", test, yes, no);
  free(test);
  free(yes);
  free(no);
  return text;
}

/* what stands before, between and after operands; of integers, then of numbers */
static const struct {
  const char *whole[3];
  const char *number[3];
} operation[] = {
    [LX_ADD] = {{"(", " + ", ")"}, {"(", " + ", ")"}},
    [LX_SUB] = {{"(", " - ", ")"}, {"(", " - ", ")"}},
    [LX_MUL] = {{"(", " * ", ")"}, {"(", " * ", ")"}},
    [LX_FDIV] = {{NULL}, {"(", " / ", ")"}},
    [LX_IDIV] = {{"as_trial::div(", ", ", ")"}, {"floor(", " / ", ")"}},
    [LX_MOD] = {{"as_trial::mod(", ", ", ")"}, {"as_trial::mod(", ", ", ")"}},
    [LX_NEG] = {{"(-", "", ")"}, {"(-", "", ")"}},
    [LX_EXP] = {{NULL}, {"exp(", "", ")"}},
    [LX_LOG] = {{NULL}, {"log(", "", ")"}},
    [LX_SQRT] = {{NULL}, {"sqrt(", "", ")"}},
    [LX_INV] = {{NULL}, {"(1 / ", "", ")"}},
    [LX_ABS] = {{"std::abs(", "", ")"}, {"fabs(", "", ")"}},
    [LX_MAX] = {{"std::max<long>(", ", ", ")"}, {"fmax(", ", ", ")"}},
    [LX_MIN] = {{"std::min<long>(", ", ", ")"}, {"fmin(", ", ", ")"}},
};

static char *operated(writer *of, const lx *expr, const char *const *text,
                      char *(*operand)(writer *, const lx *)) {
  char *left = operand(of, expr->kid[0]);
  char *right = expr->n > 1 ? operand(of, expr->kid[1]) : as_strdup("");
  char *result = as_format("%s%s%s%s%s", text[0], left, text[1], right, text[2]);
  free(left);
  free(right);
  return result;
}

static char *whole(writer *of, const lx *expr) {
  switch (expr->op) {
  case LX_INT:
    return as_format("(%ldl)", expr->number);
  case LX_VAR:
    return as_format("i[%ld]", expr->number);
  case LX_WHOLE: {
    char *read = read_text(of, expr);
    char *text = as_format("(long)%s", read);
    free(read);
    return text;
  }
  case LX_CUT:
    return cut_text(of, lo_cut_row(of->job, (uint32_t)expr->number));
  case LX_FIRST:
    return lo_first_text(&AS_VEC_AT(&of->job->firsts, lo_first, expr->number));
  case LX_IF:
    return choice(of, expr, whole);
  default:
    return operated(of, expr, operation[expr->op].whole, whole);
  }
}

static char *call(writer *of, const lx *expr) {
  as_str out;
  as_str_init(&out);
  as_str_printf(&out, "%s(", expr->function);
  for (int i = 0; i < expr->n; i++) {
    char *argument = number(of, expr->kid[i]);
    as_str_printf(&out, "%s%s", i ? ", " : "", argument);
    free(argument);
  }
  as_str_add(&out, ")");
  return as_str_take(&out);
}

static char *real(double x) {
  return isinf(x) ? as_strdup(x > 0 ? "HUGE_VAL" : "(-HUGE_VAL)") : as_format("(%.17g)", x);
}

static char *number(writer *of, const lx *expr) {
  if (expr->op == LX_NUM)
    return real(expr->real);
  if (expr->integer) {
    char *text = whole(of, expr);
    char *result = as_format("(double)(%s)", text);
    free(text);
    return result;
  }
  if (expr->op == LX_REF)
    return read_text(of, expr);
  if (expr->op == LX_IF)
    return choice(of, expr, number);
  if (expr->op == LX_CALL)
    return call(of, expr);
  return operated(of, expr, operation[expr->op].number, number);
}

/* --- elements */
static uint32_t row_of(writer *of, uint32_t id) {
  if (!of->known[id]) {
    of->known[id] = true;
    of->row[of->n_row++] = id;
  }
  uint32_t row = 0;
  while (of->row[row] != id)
    row++;
  return row;
}

static char *sum_of(const writer *of, const lo_value *tensor, char *const *index, int n) {
  as_str out;
  as_str_init(&out);
  as_str_printf(&out, "%ldl", tensor->buffer_class == LG_PART ? tensor->origin : 0);
  for (int axis = 0; axis < n; axis++)
    as_str_printf(&out, " + %s * %ldl", index[axis], stride_of(of, tensor, axis));
  return as_str_take(&out);
}

static char *element(writer *of, uint32_t id, char *const *index, int n) {
  const lo_value *value = &of->job->value[id];
  bool part = value->kind == LV_GLOBAL && value->buffer_class == LG_PART;
  if (part || of->stored[id]) {
    char *offset = sum_of(of, value, index, n);
    char *text = as_format("as_trial::get(%u, %s)", row_of(of, part ? value->source : id), offset);
    free(offset);
    return text;
  }
  of->wanted[id] = true;
  as_str out;
  as_str_init(&out);
  as_str_printf(&out, "v%u(as_trial::index{{", id);
  for (int i = 0; i < n; i++)
    as_str_printf(&out, "%s%s", i ? ", " : "", index[i]);
  as_str_add(&out, "}}.i, at)");
  return as_str_take(&out);
}

/* --- functions: `v` of the indices, a block and an iteration */
static void open_function(writer *of, const char *letter, uint32_t id) {
  as_str_printf(&of->out,
                "static double %s%u(const long *i, const as_trial::place &at)\n{\n"
                "  const long bx = at.block[0], by = at.block[1], bz = at.block[2], l = at.l;\n"
                "  (void)i, (void)bx, (void)by, (void)bz, (void)l;\n",
                letter, id);
}

/* a value that is computed once for the same indices, block and, where it counts, iteration */
static void open_kept(writer *of, const lo_value *value, bool by_iteration) {
  as_str_printf(&of->out,
                "  static as_trial::memo known;\n  double *found = known.at(i, %d, at, %d);\n"
                "  if (found[1]) return found[0];\n",
                value->rank, by_iteration);
}

static void close_kept(writer *of) {
  as_str_add(&of->out, "  return known.keep(found, x);\n}\n");
}

/* the indices of the function, as texts */
static void own(char (*text)[16], char **index, int rank) {
  for (int i = 0; i < rank; i++) {
    snprintf(text[i], sizeof text[i], "i[%d]", i);
    index[i] = text[i];
  }
}

static const char *first_of(lo_red red) {
  static const char *const first[] = {
      [LO_SUM] = "0", [LO_PROD] = "1", [LO_MAX] = "-HUGE_VAL", [LO_MIN] = "HUGE_VAL"};
  return first[red];
}

static char *joined(lo_red red, const char *term) {
  return red == LO_SUM    ? as_format("x += %s", term)
         : red == LO_PROD ? as_format("x *= %s", term)
                          : as_format("x = %s(x, %s)", red == LO_MAX ? "fmax" : "fmin", term);
}

static void reduction(writer *of, const lo_value *value) {
  char *count = value->extent_live ? cut_text(of, lo_cut_row(of->job, value->extent_live))
                                   : as_format("%ld", value->extent);
  char *term = number(of, value->body);
  char *step = joined(value->red, term);
  open_kept(of, value, true);
  as_str_printf(&of->out,
                "  double x = %s;\n  const long *outer = i;\n  as_trial::index both;\n"
                "  for (int a = 0; a < %d; a++) both.i[a] = outer[a];\n  const long n = %s;\n"
                "  for (long &k = both.i[%d] = 0; k < n; k++) {\n    const long *i = both.i;\n"
                "    (void)i;\n    %s;\n  }\n",
                first_of(value->red), value->rank, count, value->rank, step);
  close_kept(of);
  free(count);
  free(term);
  free(step);
}

static void load(writer *of, uint32_t id) {
  const lo_value *value = meant(of, id);
  const lo_unit *unit = unit_of(of, id);
  const lo_value *source = &of->job->value[value->source];
  char text[AS_MAX_RANK][16];
  char *index[AS_MAX_RANK];
  for (int axis = 0; axis < value->rank; axis++) {
    char *tile = lo_tile_number(unit, value->grid_axis[axis], value->slower_axes[axis],
                                value->by_loop[axis], "long");
    if (tile)
      as_str_printf(&of->out, "  const long g%d = i[%d] + %s * %ld;\n", axis, axis, tile,
                    value->dim[axis]);
    else
      as_str_printf(&of->out, "  const long g%d = i[%d];\n", axis, axis);
    as_str_printf(&of->out, "  if (g%d >= %ld) return 0;\n", axis,
                  at_launch(of, source->live_dim[axis], source->dim[axis]));
    snprintf(text[axis], sizeof text[axis], "g%d", axis);
    index[axis] = text[axis];
    free(tile);
  }
  char *read = element(of, value->source, index, value->rank);
  as_str_printf(&of->out, "  return %s;\n}\n", read);
  free(read);
}

/* how often the loop around an accumulator runs in a trial: a block graph that is printed as one
 * may leave it early */
static char *rounds(const writer *of, uint32_t id) {
  const lo_unit *unit = unit_of(of, id);
  uint32_t printed = of->job->value[id].unit;
  bool early = printed != LO_NONE && lo_may_stop_early(of->job, &of->job->unit[printed]);
  return as_format(early ? "as_emu::rounds(%ld)" : "%ld",
                   at_launch(of, unit->loop_live, unit->loop));
}

/* the running value of an accumulator of maxima, this iteration included */
static void running(writer *of, uint32_t id) {
  const lo_value *value = meant(of, id);
  char text[AS_MAX_RANK][16];
  char *index[AS_MAX_RANK];
  own(text, index, value->rank);
  open_function(of, "m", id);
  open_kept(of, value, true);
  as_str_add(&of->out,
             "  as_trial::place to = at;\n  double x = -HUGE_VAL;\n"
             "  for (to.l = 0; to.l <= l; to.l++) {\n    const as_trial::place &at = to;\n"
             "    (void)at;\n");
  char *term = element(of, value->of, index, value->rank);
  as_str_printf(&of->out, "    x = fmax(x, %s);\n  }\n", term);
  free(term);
  close_kept(of);
}

/* the running maximum that rescales, of the same rows */
static char *rescaled_by(const writer *of, const lo_value *value, const char *at) {
  const lo_value *max = meant(of, value->run);
  as_str out;
  as_str_init(&out);
  as_str_printf(&out, "m%u(as_trial::index{{", value->run);
  for (int axis = 0; axis < max->rank; axis++) {
    as_str_add(&out, axis ? ", " : "");
    if (max->dim[axis] == 1)
      as_str_add(&out, "0");
    else
      as_str_printf(&out, "i[%d]", axis);
  }
  as_str_printf(&out, "}}.i, %s)", at);
  return as_str_take(&out);
}

static void accumulator(writer *of, uint32_t id) {
  const lo_value *value = meant(of, id);
  const lo_value *summand = meant(of, value->of);
  char text[AS_MAX_RANK][16];
  char *index[AS_MAX_RANK];
  own(text, index, value->rank);
  open_kept(of, value, false);
  as_str_add(&of->out, "  as_trial::place to = at;\n");
  if (value->acc == AS_ACC_CONCAT) {
    long tile = summand->dim[value->axis];
    char *within = as_format("i[%d] %% %ld", value->axis, tile);
    index[value->axis] = within;
    char *term = element(of, value->of, index, value->rank);
    as_str_printf(&of->out,
                  "  to.l = i[%d] / %ld;\n  double x;\n  {\n    const as_trial::place &at = to;\n"
                  "    (void)at;\n    x = %s;\n  }\n",
                  value->axis, tile, term);
    free(term);
    free(within);
    close_kept(of);
    return;
  }
  char *n = rounds(of, id);
  char *term = element(of, value->of, index, value->rank);
  bool max = value->acc == AS_ACC_MAX;
  as_str_printf(&of->out, "  double x = %s;\n  const long n = %s;\n", max ? "-HUGE_VAL" : "0", n);
  if (value->acc == AS_ACC_RESCALE) {
    char *last = rescaled_by(of, value, "to");
    as_str_printf(&of->out, "  to.l = n - 1;\n  const double top = n > 0 ? %s : 0;\n", last);
    free(last);
  }
  as_str_add(&of->out, "  for (to.l = 0; to.l < n; to.l++) {\n"
                       "    const as_trial::place &at = to;\n    (void)at;\n");
  if (value->acc == AS_ACC_RESCALE) {
    char *now = rescaled_by(of, value, "at");
    as_str_printf(
        &of->out,
        "    const double now = %s;\n    if (now > -HUGE_VAL) x += (%s) * exp(now - top);\n", now,
        term);
    free(now);
  } else {
    as_str_printf(&of->out, max ? "    x = fmax(x, %s);\n" : "    x += %s;\n", term);
  }
  as_str_add(&of->out, "  }\n");
  free(n);
  free(term);
  close_kept(of);
}

/* who stores it; NULL: no block graph */
static const lo_store *store_to(const writer *of, uint32_t id, const lo_unit **unit) {
  const lo_job *job = of->job;
  uint32_t n = is_added(of, id) ? job->n_unit : job->meaning->n_unit;
  for (uint32_t i = 0; i < n; i++) {
    *unit = is_added(of, id) ? &job->unit[i] : &job->meaning->unit[i];
    for (uint32_t k = 0; k < (*unit)->n_store; k++) {
      if ((*unit)->store[k].target == id)
        return &(*unit)->store[k];
    }
  }
  return NULL;
}

/* an element of a tensor that a block graph stores: by the block whose tile it is in */
static void stored_tile(writer *of, uint32_t id) {
  const lo_unit *unit;
  const lo_store *store = store_to(of, id, &unit);
  const lo_value *tile = meant(of, store->val);
  char text[AS_MAX_RANK][16];
  char *index[AS_MAX_RANK];
  as_str_add(&of->out, "  as_trial::place to = {};\n  long n;\n");
  for (int axis = 0; axis < tile->rank; axis++) {
    as_str_printf(&of->out, "  n = i[%d] / %ld;\n", axis, tile->dim[axis]);
    bool first = true;
    for (int grid = 2; grid >= 0; grid--) {
      if (grid != store->grid_axis[axis] && !(store->slower_axes[axis] >> grid & 1))
        continue;
      as_str_printf(&of->out, "  to.block[%d] = n %% %ld, n /= %ld;\n", grid, unit->grid[grid],
                    unit->grid[grid]);
      first = false;
    }
    if (first)
      as_str_printf(&of->out, "  const long t%d = i[%d];\n", axis, axis);
    else
      as_str_printf(&of->out, "  const long t%d = i[%d] %% %ld;\n", axis, axis, tile->dim[axis]);
    snprintf(text[axis], sizeof text[axis], "t%d", axis);
    index[axis] = text[axis];
  }
  char *value = element(of, store->val, index, tile->rank);
  as_str_printf(&of->out,
                "  {\n    const as_trial::place &at = to;\n    (void)at;\n"
                "    return %s;\n  }\n}\n",
                value);
  free(value);
}

static void function(writer *of, uint32_t id) {
  const lo_value *value = meant(of, id);
  if (value->kind == LV_ACC && value->acc == AS_ACC_MAX)
    running(of, id);
  open_function(of, "v", id);
  char *text = NULL;
  switch (value->kind) {
  case LV_MAP:
    text = number(of, value->body);
    break;
  case LV_CONST:
    text = value->num_live ? cut_text(of, lo_cut_row(of->job, value->num_live)) : real(value->num);
    break;
  case LV_RED:
    reduction(of, value);
    return;
  case LV_LOAD:
    load(of, id);
    return;
  case LV_ACC:
    accumulator(of, id);
    return;
  case LV_RUN:
    of->wanted[value->of] = true;
    text = as_format("m%u(i, at)", value->of);
    break;
  case LV_GLOBAL:
    stored_tile(of, id);
    return;
  }
  as_str_printf(&of->out, "  return %s;\n}\n", text);
  free(text);
}

/* an element of a tensor in memory, by its offset */
static void by_offset(writer *of, uint32_t id, as_str *out) {
  const lo_value *tensor = &of->job->value[id];
  as_str_printf(out, "static double e%u(long o)\n{\n  const long i[] = {", id);
  for (int axis = 0; axis < tensor->rank; axis++) {
    long stride = stride_of(of, tensor, axis);
    stride = stride ? stride : 1;
    long extent = axis ? (stride_of(of, tensor, axis - 1) / stride) : elements_of(of, tensor);
    as_str_printf(out, "o / %ld %% %ld, ", stride, extent ? extent : 1);
  }
  as_str_printf(out, "0};\n  return v%u(i, as_trial::place{});\n}\n", id);
}

static void put_row(const writer *of, uint32_t id, as_str *out) {
  const lo_value *tensor = &of->job->value[id];
  bool input = tensor->buffer_class == LG_INPUT;
  bool added = is_added(of, id); /* by a pass: it holds what that pass says */
  const as_graph *program = of->job->graph->program ? of->job->graph->program : of->job->graph;
  long range =
      input && tensor->dtype == AS_INT
          ? (long)as_graph_index_range(program, program->input[tensor->buffer_index], of->at, NULL)
          : -1;
  long place = tensor->buffer_class == LG_WORK ? tensor->work_offset : (long)tensor->buffer_index;
  as_str_printf(out, "  {'%c', %ldl, %ldl, %d, %ldl, \"%s\", ",
                input                             ? 'i'
                : tensor->buffer_class == LG_WORK ? 'w'
                                                  : 'o',
                place, elements_of(of, tensor), (int)tensor->dtype, range, tensor->name);
  if (input)
    as_str_add(out, "NULL, NULL},\n");
  else if (added)
    as_str_printf(out, "e%u, e%u},\n", id, id);
  else
    as_str_printf(out, "NULL, e%u},\n", id);
}

/* of launches that several units share, the block that each begins with */
static void put_parts(const lo_job *job, as_str *out) {
  as_str_add(out, "static const as_trial::part as_trial_parts[] = {\n");
  uint32_t first = 0;
  for (uint32_t i = 0; i < job->n_unit; i++) {
    const lo_unit *unit = &job->unit[i];
    if (unit->begins > 0)
      as_str_printf(out, "  {%ld, \"k%u_%s\"},\n", unit->begins, first, job->unit[first].name);
    first = unit->goes_on ? first : i + 1;
  }
  as_str_add(out, "  {-1, NULL}};\n");
}

static void mark_stored(void *arg, uint32_t id) {
  writer *of = arg;
  of->stored[id] |= of->job->value[id].place == LP_GLOBAL;
}

static writer open_writer(const lo_job *job, const int64_t *at) {
  writer of = {.job = job, .at = at};
  as_str_init(&of.out);
  of.wanted = as_calloc(job->n_value + 1, sizeof *of.wanted);
  of.stored = as_calloc(job->n_value + 1, sizeof *of.stored);
  of.known = as_calloc(job->n_value + 1, sizeof *of.known);
  of.row = as_calloc(job->n_value + 1, sizeof *of.row);
  for (uint32_t i = 0; i < job->n_unit; i++)
    lo_each_given(&job->unit[i], mark_stored, &of);
  for (uint32_t i = 0; i < job->n_value; i++) {
    const lo_value *value = &job->value[i];
    bool input = value->place == LP_GLOBAL && value->buffer_class == LG_INPUT;
    of.stored[i] |= input;
    if (of.stored[i])
      row_of(&of, i);
    of.wanted[i] = of.stored[i] && !input;
  }
  return of;
}

/* functions name functions: until there is none that is named and not printed */
static void put_functions(writer *of, as_str *declared) {
  bool *printed = as_calloc(of->job->n_value + 1, sizeof *printed);
  for (bool more = true; more;) {
    more = false;
    for (uint32_t id = 0; id < of->job->n_value; id++) {
      if (!of->wanted[id] || printed[id])
        continue;
      printed[id] = more = true;
      const lo_value *value = meant(of, id);
      if (value->kind == LV_ACC && value->acc == AS_ACC_RESCALE)
        of->wanted[value->run] = true;
      as_str_printf(declared, "static double v%u(const long *i, const as_trial::place &at);\n", id);
      if (value->kind == LV_ACC && value->acc == AS_ACC_MAX)
        as_str_printf(declared, "static double m%u(const long *i, const as_trial::place &at);\n",
                      id);
      function(of, id);
    }
  }
  free(printed);
}

char *lo_trial_text(const lo_job *job, const int64_t *at) {
  writer of = open_writer(job, at);
  as_str text;
  as_str_init(&text);
  put_functions(&of, &text);
  as_str_add(&text, of.out.s ? of.out.s : "");
  for (uint32_t i = 0; i < of.n_row; i++) {
    if (job->value[of.row[i]].buffer_class != LG_INPUT)
      by_offset(&of, of.row[i], &text);
  }
  as_str_add(&text, "static const as_trial::tensor as_trial_tensors[] = {\n");
  for (uint32_t i = 0; i < of.n_row; i++)
    put_row(&of, of.row[i], &text);
  as_str_add(&text, "};\n");
  put_parts(job, &text);
  as_str_clear(&of.out);
  free(of.wanted);
  free(of.stored);
  free(of.known);
  free(of.row);
  return as_str_take(&text);
}
