/* Loads, stores, loops, and kernels with their launches, as Python with Triton. */
#include "triton_int.h"
#include <stdlib.h>
#include <string.h>

/* ---- loads and stores */

static tri_axes lanes_of(tri_writer *w, const wr_stmt *stmt) {
  tri_axes over = {0};
  for (uint32_t i = 0; i < stmt->n_lane; i++)
    tri_add_axis(w, &over, stmt->lane[i]);
  tri_note_block(w, &over);
  return over;
}

/* the number of an element in its tensor, row by row; a scratch tensor of each instance lies behind
 * those of the others */
static tri_value offset(tri_writer *w, const tri_axes *over, const wr_stmt *stmt) {
  const wr_tensor *tensor = WR_TENSOR(w->program, stmt->tensor);
  tri_value made = {NULL, 0};
  int64_t stride = 1;
  for (uint32_t i = tensor->rank; i-- > 0;) {
    tri_value place = tri_evaluate(w, over, stmt->place[i], false);
    char *scaled = stride == 1 ? as_strdup(place.text)
                               : as_format("(%s) * %lld", place.text, (long long)stride);
    char *sum = made.text ? as_format("%s + %s", scaled, made.text) : as_strdup(scaled);
    made.along |= place.along;
    free(made.text);
    free(place.text);
    free(scaled);
    made.text = sum;
    if (__builtin_mul_overflow(stride, tensor->dim[i], &stride))
      stride = INT64_MAX;
  }
  if (stride > INT32_MAX)
    tri_refuse(w, "more elements than Triton's 32-bit positions reach", tensor->name);
  if (!made.text)
    made.text = as_strdup("0");
  return made;
}

/* mask and lanes together; text NULL: every lane */
static tri_value condition(tri_writer *w, const tri_axes *over, const wr_stmt *stmt) {
  tri_value inside = tri_within(w, over, stmt->n_lane, stmt->lane, stmt->extent);
  if (!stmt->mask)
    return inside;
  tri_value mask = tri_evaluate(w, over, stmt->mask, false);
  if (!inside.text)
    return mask;
  tri_value both = {as_format("%s & %s", inside.text, mask.text), inside.along | mask.along};
  free(inside.text);
  free(mask.text);
  return both;
}

static void write_load(tri_writer *w, const wr_stmt *stmt) {
  const wr_tile *tile = WR_TILE(w->program, stmt->tile);
  const wr_tensor *tensor = WR_TENSOR(w->program, stmt->tensor);
  tri_axes over = lanes_of(w, stmt);
  tri_value at = offset(w, &over, stmt);
  tri_value where = condition(w, &over, stmt);
  tri_value other =
      stmt->other ? tri_evaluate(w, &over, stmt->other, !tile->integers) : tri_nothing();
  if (w->stored[stmt->tensor])
    tri_line(w, "tl.debug_barrier()");
  w->touched[stmt->tensor] = true;
  w->kernel[stmt->tile] = w->n_kernel;
  uint32_t all = (1u << over.n) - 1;
  char *shape = tri_shape_text(&over, over.n);
  char *positions = at.along == all && all ? as_strdup(at.text)
                    : over.n               ? as_format("tl.broadcast_to(%s%s, %s)", at.text,
                                         at.along ? "" : " + tl.zeros((1,), tl.int32)", shape)
                                           : as_strdup(at.text);
  tri_line(w, where.text ? "%s = tl.load(%s + %s, mask=%s, other=%s)" : "%s = tl.load(%s + %s)",
           tile->name, tensor->name, positions, where.text, other.text);
  free(shape);
  free(positions);
  free(at.text);
  free(where.text);
  free(other.text);
}

static void write_store(tri_writer *w, const wr_stmt *stmt) {
  const wr_tensor *tensor = WR_TENSOR(w->program, stmt->tensor);
  tri_axes over = lanes_of(w, stmt);
  tri_value at = offset(w, &over, stmt);
  tri_value where = condition(w, &over, stmt);
  tri_value of = tri_evaluate(w, &over, stmt->value, tensor->type != AS_TILE_INT);
  w->touched[stmt->tensor] = w->stored[stmt->tensor] = true;
  if (where.text)
    tri_line(w, "tl.store(%s + %s, %s, mask=%s)", tensor->name, at.text, of.text, where.text);
  else
    tri_line(w, "tl.store(%s + %s, %s)", tensor->name, at.text, of.text);
  free(at.text);
  free(where.text);
  free(of.text);
}

/* ---- loops */

static void write_stmts(tri_writer *w, const as_vec *list);

static char *bound_text(tri_writer *w, const wr_expr *expr) {
  tri_axes none = {0};
  return tri_evaluate(w, &none, expr, false).text;
}

static void write_next(tri_writer *w, const wr_stmt *loop) {
  for (size_t i = 0; i < loop->carry.n; i++)
    tri_line(w, "next_%zu = %s", i,
             WR_TILE(w->program, AS_VEC_AT(&loop->carry, wr_carry, i).next)->name);
  for (size_t i = 0; i < loop->carry.n; i++)
    tri_line(w, "%s = next_%zu",
             WR_TILE(w->program, AS_VEC_AT(&loop->carry, wr_carry, i).tile)->name, i);
}

static void write_loop(tri_writer *w, const wr_stmt *loop) {
  write_stmts(w, &loop->first);
  for (size_t i = 0; i < loop->carry.n; i++) {
    const wr_carry *carry = &AS_VEC_AT(&loop->carry, wr_carry, i);
    const wr_tile *first = WR_TILE(w->program, carry->first);
    if (w->kernel[carry->first] != w->n_kernel)
      tri_refuse(w, "it is computed in one kernel and used in another", first->name);
    w->kernel[carry->tile] = w->n_kernel;
    tri_line(w, "%s = %s.to(tl.%s)", WR_TILE(w->program, carry->tile)->name, first->name,
             WR_TILE(w->program, carry->tile)->integers ? "int64" : "float32");
  }
  char *from = bound_text(w, loop->from);
  char *to = bound_text(w, loop->to);
  char *step = loop->step ? bound_text(w, loop->step) : as_strdup("1");
  tri_line(w, "for %s in range(%s, %s, %s):", WR_VAR(w->program, loop->variable)->name, from, to,
           step);
  w->depth++;
  if (loop->body.n == 0)
    tri_line(w, "pass");
  write_stmts(w, &loop->body);
  write_next(w, loop);
  w->depth--;
  free(from);
  free(to);
  free(step);
}

static void write_stmts(tri_writer *w, const as_vec *list) {
  for (size_t i = 0; i < list->n && w->err->status == AS_OK; i++) {
    const wr_stmt *stmt = WR_STMT(list, i);
    switch (stmt->kind) {
    case WR_DEFINE:
      tri_define(w, stmt);
      break;
    case WR_LOAD:
      write_load(w, stmt);
      break;
    case WR_STORE:
      write_store(w, stmt);
      break;
    case WR_LOOP:
      write_loop(w, stmt);
      break;
    case WR_ALLOC:
      tri_refuse(w, "a scratch tensor of each instance; Triton's kernels have none",
                 WR_TENSOR(w->program, stmt->tensor)->name);
      break;
    }
  }
}

/* ---- kernels */

/* how one is launched */
typedef struct {
  char *name;
  char *grid;
  char *arguments;
  int warps;
} launch;

/* the parallel loops around everything else become the grid; what is in the innermost */
static const as_vec *write_grid(tri_writer *w, const as_vec *body, as_str *grid) {
  int axis = 0;
  while (axis < 3 && body->n == 1 && WR_STMT(body, 0)->kind == WR_LOOP &&
         WR_STMT(body, 0)->parallel && WR_STMT(body, 0)->carry.n == 0) {
    const wr_stmt *loop = WR_STMT(body, 0);
    int64_t from;
    int64_t to;
    int64_t step = 1;
    bool fixed = wr_integer_value(loop->from, &from) && wr_integer_value(loop->to, &to) &&
                 (!loop->step || wr_integer_value(loop->step, &step));
    if (!fixed)
      break;
    int64_t count = to > from ? (to - from + step - 1) / step : 0;
    tri_line(w, "%s = tl.program_id(%d) * %lld + %lld", WR_VAR(w->program, loop->variable)->name,
             axis, (long long)step, (long long)from);
    as_str_printf(grid, "%s%lld", axis ? ", " : "", (long long)count);
    body = &loop->body;
    axis++;
  }
  if (axis == 0)
    as_str_add(grid, "1");
  as_str_add(grid, axis < 2 ? "," : "");
  return body;
}

static void write_kernel(tri_writer *w, const as_vec *body, launch *made) {
  size_t n = w->program->tensor.n;
  as_str kept = w->out;
  as_str grid;
  as_str arguments;
  as_str_init(&w->out);
  as_str_init(&grid);
  as_str_init(&arguments);
  memset(w->touched, 0, n * sizeof *w->touched);
  memset(w->stored, 0, n * sizeof *w->stored);
  w->largest = 0;
  w->n_kernel++;
  w->depth = 1;
  write_stmts(w, write_grid(w, body, &grid));
  w->depth = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (w->touched[i])
      as_str_printf(&arguments, "%s%s", arguments.n ? ", " : "", WR_TENSOR(w->program, i)->name);
  }
  *made = (launch){.name = as_format("%s_kernel_%u", w->program->name, w->n_kernel),
                   .grid = as_str_take(&grid),
                   .arguments = as_str_take(&arguments),
                   .warps = w->largest > MOST_IN_FOUR_WARPS ? 8 : 4};
  char *text = as_str_take(&w->out);
  w->out = kept;
  tri_line(w, "\n\n@triton.jit\ndef %s(%s):", made->name, made->arguments);
  as_str_add(&w->out, text);
  free(text);
}

static const char *start_of(const wr_tensor *tensor) {
  return tensor->has_initial ? "full" : "empty";
}

static void write_tensor(tri_writer *w, const wr_tensor *tensor, const char *device) {
  as_str shape;
  as_str_init(&shape);
  for (uint32_t i = 0; i < tensor->rank; i++)
    as_str_printf(&shape, "%lld, ", (long long)tensor->dim[i]);
  char *start = tensor->has_initial ? as_format("%.17g, ", tensor->initial) : as_strdup("");
  tri_line(w, "%s = torch.%s((%s), %sdtype=torch.%s, device=%s)", tensor->name, start_of(tensor),
           shape.n ? shape.s : "", start, wr_type_word(tensor->type), device);
  free(start);
  as_str_clear(&shape);
}

static void write_launcher(tri_writer *w, const launch *kernel, size_t n_kernel) {
  as_str inputs;
  as_str results;
  as_str_init(&inputs);
  as_str_init(&results);
  const char *device = NULL;
  for (uint32_t i = 0; i < w->program->tensor.n; i++) {
    const wr_tensor *tensor = WR_TENSOR(w->program, i);
    bool input = tensor->role == AS_TILE_INPUT || tensor->role == AS_TILE_INOUT;
    if (input)
      as_str_printf(&inputs, "%s%s", inputs.n ? ", " : "", tensor->name);
    if (input && !device)
      device = tensor->name;
    if (tensor->role == AS_TILE_OUTPUT || tensor->role == AS_TILE_INOUT)
      as_str_printf(&results, "%s%s", results.n ? ", " : "", tensor->name);
  }
  char *where = device ? as_format("%s.device", device) : as_strdup("\"cuda\"");
  tri_line(w, "\n\ndef %s(%s):", w->program->name, inputs.n ? inputs.s : "");
  w->depth++;
  for (uint32_t i = 0; i < w->program->tensor.n; i++) {
    const wr_tensor *tensor = WR_TENSOR(w->program, i);
    bool input = tensor->role == AS_TILE_INPUT || tensor->role == AS_TILE_INOUT;
    if (!input && !w->tile->tensor[i].local)
      write_tensor(w, tensor, where);
  }
  for (size_t i = 0; i < n_kernel; i++)
    tri_line(w, "launched(%s, (%s), %d, %s)", kernel[i].name, kernel[i].grid, kernel[i].warps,
             kernel[i].arguments);
  tri_line(w, "return %s", results.n ? results.s : "None");
  w->depth--;
  free(where);
  as_str_clear(&inputs);
  as_str_clear(&results);
}

/* Triton keeps what a loop loads for as many rounds as it has stages.  How much shared memory that
 * takes Triton alone knows, so the launch asks for fewer where it says that there is not enough. */
static void write_helpers(tri_writer *w) {
  tri_line(w, "import torch\nimport triton\nimport triton.language as tl\n\n");
  tri_line(w, "@triton.jit\ndef product_of(a, b):\n    return a * b\n\n");
  tri_line(w, "stages_of = {}\n\n");
  tri_line(w, "def launched(kernel, grid, warps, *arguments):");
  tri_line(w, "    for stages in range(stages_of.get(id(kernel), 3), 0, -1):");
  tri_line(w, "        try:");
  tri_line(w, "            kernel[grid](*arguments, num_warps=warps, num_stages=stages)");
  tri_line(w, "            stages_of[id(kernel)] = stages");
  tri_line(w, "            return");
  tri_line(w, "        except triton.runtime.errors.OutOfResources:");
  tri_line(w, "            if stages == 1:");
  tri_line(w, "                raise");
}

/* a kernel for each statement outside of loops; what stands between loops is one kernel */
static void write_program(tri_writer *w) {
  const as_vec *body = &w->program->body;
  launch *kernel = as_calloc(body->n + 1, sizeof *kernel);
  size_t n = 0;
  tri_line(w, "# The tile program `%s` for Triton: what is written is certified, this text is not.",
           w->tile->name);
  write_helpers(w);
  for (size_t i = 0; i < body->n && w->err->status == AS_OK;) {
    size_t end = i + 1;
    while (WR_STMT(body, i)->kind != WR_LOOP && end < body->n &&
           WR_STMT(body, end)->kind != WR_LOOP)
      end++;
    as_vec part = {.data = &WR_STMT(body, i), .n = end - i, .cap = end - i, .item = body->item};
    write_kernel(w, &part, &kernel[n++]);
    i = end;
  }
  write_launcher(w, kernel, n);
  for (size_t i = 0; i < n; i++) {
    free(kernel[i].name);
    free(kernel[i].grid);
    free(kernel[i].arguments);
  }
  free(kernel);
}

char *as_write_triton(const as_tile_program *tile, as_err *err) {
  wr_program *program = wr_flatten(tile, NULL, wr_taken(WR_TRITON), err);
  if (!program)
    return NULL;
  wr_inline_places(program);
  tri_writer w = {.program = program, .tile = tile, .err = err};
  w.touched = as_calloc(program->tensor.n + 1, sizeof *w.touched);
  w.stored = as_calloc(program->tensor.n + 1, sizeof *w.stored);
  w.kernel = as_calloc(program->tile.n + 1, sizeof *w.kernel);
  as_str_init(&w.out);
  write_program(&w);
  free(w.touched);
  free(w.stored);
  free(w.kernel);
  wr_free(program);
  char *text = as_str_take(&w.out);
  if (err->status == AS_OK)
    return text;
  free(text);
  return NULL;
}
