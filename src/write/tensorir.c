/* Definitions as TVMScript: a block each. */
#include "flat.h"
#include "src/base/id.h"
#include "src/base/str.h"
#include "words.h"
#include "write.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  const wr_program *program;
  as_str out;
  int depth;
  bool parallel; /* within a parallel loop: TVM's threads do not start others */
  as_err *err;
} writer;

__attribute__((format(printf, 2, 3))) static void line(writer *w, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = as_format_va(format, arguments);
  va_end(arguments);
  as_str_printf(&w->out, "%*s%s\n", 4 * w->depth, "", text);
  free(text);
}

/* ---- scalars */

static void add_expr(writer *w, as_str *out, const wr_expr *expr, bool real);

static void add_number(as_str *out, const wr_expr *expr, bool real) {
  char *text = wr_number_text(expr);
  as_str_printf(out, real ? "T.float32(%s)" : expr->integer ? "%s" : "T.float32(%s)", text);
  free(text);
}

static void add_element(writer *w, as_str *out, const wr_expr *expr) {
  as_str_printf(out, "%s[", WR_TILE(w->program, expr->id)->name);
  for (uint32_t i = 0; i < expr->n; i++) {
    as_str_add(out, i ? ", " : "");
    add_expr(w, out, expr->kid[i], false);
  }
  as_str_add(out, expr->n ? "]" : "0]");
}

static void add_relation(writer *w, as_str *out, const wr_expr *expr) {
  bool real = !expr->kid[0]->integer || !expr->kid[1]->integer;
  as_str_add(out, "(");
  add_expr(w, out, expr->kid[0], real);
  as_str_printf(out, " %s ", wr_relation_word(expr->rel));
  add_expr(w, out, expr->kid[1], real);
  as_str_add(out, ")");
}

static void add_operation(writer *w, as_str *out, const wr_expr *expr, bool real) {
  const wr_word *word = wr_word_of(expr, WR_TENSORIR);
  if (!word) {
    as_err_set(w->err, AS_BAD_INPUT, "%s: the function `%s` cannot be said in TensorIR",
               w->program->name, expr->function ? expr->function : "?");
    return;
  }
  as_str_printf(out, "%s(", word->form == WR_CALL ? word->word : "");
  if (word->form == WR_PREFIX)
    as_str_add(out, word->word);
  for (uint32_t i = 0; i < expr->n; i++) {
    bool condition = expr->kind == AS_E_IF && i == 0;
    as_str_printf(out, "%s%s%s", i && word->form == WR_INFIX ? " " : "",
                  i ? (word->form == WR_INFIX ? word->word : ",") : "", i ? " " : "");
    add_expr(w, out, expr->kid[i], real && !condition);
  }
  as_str_add(out, ")");
}

/* real: as a number of floating point, whatever it is made of */
static void add_expr(writer *w, as_str *out, const wr_expr *expr, bool real) {
  bool condition = expr->kind == AS_E_REL || expr->kind == AS_E_AND || expr->kind == AS_E_OR ||
                   expr->kind == AS_E_NOT;
  if (expr->kind == AS_E_NUM) {
    add_number(out, expr, real);
    return;
  }
  bool cast = real && expr->integer && !condition;
  as_str_add(out, cast ? "T.Cast(\"float32\", " : "");
  if (expr->kind == AS_E_NAME)
    as_str_add(out, WR_VAR(w->program, expr->id)->name);
  else if (expr->kind == AS_E_ACCESS)
    add_element(w, out, expr);
  else if (expr->kind == AS_E_REL)
    add_relation(w, out, expr);
  else
    add_operation(w, out, expr, !condition && !expr->integer);
  as_str_add(out, cast ? ")" : "");
}

static char *expr_text(writer *w, const wr_expr *expr, bool real) {
  as_str out;
  as_str_init(&out);
  add_expr(w, &out, expr, real);
  return as_str_take(&out);
}

/* ---- blocks */

/* `for i_, k_ in T.grid(4, 8):` and the block in it, whose axes are the variables */
static int open_block(writer *w, const char *name, const wr_stmt *stmt) {
  uint32_t n = stmt->n_lane + stmt->n_counter;
  as_str names, extents, axes;
  as_str_init(&names);
  as_str_init(&extents);
  as_str_init(&axes);
  as_str kinds;
  as_str_init(&kinds);
  for (uint32_t i = 0; i < n; i++) {
    bool lane = i < stmt->n_lane;
    const wr_var *var = WR_VAR(w->program, lane ? stmt->lane[i] : stmt->counter[i - stmt->n_lane]);
    as_str_printf(&names, "%s%s_", i ? ", " : "", var->name);
    as_str_printf(&extents, "%s%lld", i ? ", " : "", (long long)var->high + 1);
    as_str_printf(&axes, "%s%s", i ? ", " : "", var->name);
    as_str_add(&kinds, lane ? "S" : "R");
  }
  int depth = w->depth;
  if (n) {
    line(w, "for %s in T.grid(%s):", names.s, extents.s);
    w->depth++;
  }
  line(w, "with T.sblock(\"%s\"):", name);
  w->depth++;
  if (n > 1)
    line(w, "%s = T.axis.remap(\"%s\", [%s])", axes.s, kinds.s, names.s);
  else if (n == 1)
    line(w, "%s = T.axis.%s(%s, %s)", axes.s, kinds.s[0] == 'S' ? "spatial" : "reduce", extents.s,
         names.s);
  as_str_clear(&names);
  as_str_clear(&extents);
  as_str_clear(&axes);
  as_str_clear(&kinds);
  return depth;
}

static char *own_element(writer *w, const wr_stmt *stmt) {
  as_str out;
  as_str_init(&out);
  as_str_printf(&out, "%s[", WR_TILE(w->program, stmt->tile)->name);
  for (uint32_t i = 0; i < stmt->n_lane; i++)
    as_str_printf(&out, "%s%s", i ? ", " : "", WR_VAR(w->program, stmt->lane[i])->name);
  as_str_add(&out, stmt->n_lane ? "]" : "0]");
  return as_str_take(&out);
}

static char *place_text(writer *w, const wr_stmt *stmt) {
  as_str out;
  as_str_init(&out);
  as_str_printf(&out, "%s[", WR_TENSOR(w->program, stmt->tensor)->name);
  for (uint32_t i = 0; i < stmt->n_place; i++) {
    as_str_add(&out, i ? ", " : "");
    add_expr(w, &out, stmt->place[i], false);
  }
  as_str_add(&out, stmt->n_place ? "]" : "()]");
  return as_str_take(&out);
}

static void add_alloc(writer *w, const wr_tile *tile) {
  as_str out;
  as_str_init(&out);
  for (uint32_t i = 0; i < tile->rank; i++)
    as_str_printf(&out, "%lld, ", (long long)(tile->bound[i] > 0 ? tile->bound[i] : 1));
  line(w, "%s = T.sblock_alloc_buffer((%s), \"%s\")", tile->name, tile->rank ? out.s : "1,",
       tile->integers ? "int64" : "float32");
  as_str_clear(&out);
}

/* lanes beyond an extent that differs between iterations: conditions, joined; NULL: none */
static char *within(writer *w, const wr_stmt *stmt, bool counters) {
  as_str out;
  as_str_init(&out);
  uint32_t n = counters ? stmt->n_counter : stmt->n_lane;
  for (uint32_t i = 0; i < n; i++) {
    const wr_expr *extent = counters ? stmt->count[i] : stmt->extent[i];
    int64_t value;
    if (wr_integer_value(extent, &value) && value > 0)
      continue;
    char *text = expr_text(w, extent, false);
    const wr_var *var = WR_VAR(w->program, counters ? stmt->counter[i] : stmt->lane[i]);
    char *own = as_format("%s < %s", var->name, text);
    if (out.n) {
      char *both = as_format("T.And(%s, %s)", out.s, own);
      as_str_clear(&out);
      as_str_add(&out, both);
      free(both);
    } else {
      as_str_add(&out, own);
    }
    free(own);
    free(text);
  }
  return out.n ? as_str_take(&out) : NULL;
}

/* what a reduction of integers starts from */
static char *start_of(writer *w, const wr_stmt *stmt, bool integers) {
  int64_t first = stmt->fold == AS_E_PROD ? 1 : 0;
  if (!integers)
    return as_strdup(wr_fold_of(stmt->fold, WR_TENSORIR)->start);
  if (stmt->fold == AS_E_MAXR || stmt->fold == AS_E_MINR)
    return as_format("T.%s_value(\"int64\")", stmt->fold == AS_E_MAXR ? "min" : "max");
  (void)w;
  return as_format("T.int64(%lld)", (long long)first);
}

static void write_define(writer *w, const wr_stmt *stmt) {
  const wr_tile *tile = WR_TILE(w->program, stmt->tile);
  char *own = own_element(w, stmt);
  char *text = expr_text(w, stmt->value, !tile->integers);
  if (tile->integers) {
    char *cast = as_format("T.Cast(\"int64\", %s)", text);
    free(text);
    text = cast;
  }
  add_alloc(w, tile);
  int depth = open_block(w, tile->name, stmt);
  if (stmt->n_counter == 0) {
    line(w, "%s = %s", own, text);
  } else {
    const wr_word *combine = &wr_fold_of(stmt->fold, WR_TENSORIR)->combine;
    char *start = start_of(w, stmt, tile->integers);
    char *guard = within(w, stmt, true);
    char *term =
        guard ? as_format("T.if_then_else(%s, %s, %s)", guard, text, start) : as_strdup(text);
    line(w, "with T.init():");
    w->depth++;
    line(w, "%s = %s", own, start);
    w->depth--;
    if (combine->form == WR_INFIX)
      line(w, "%s = %s %s %s", own, own, combine->word, term);
    else
      line(w, "%s = %s(%s, %s)", own, combine->word, own, term);
    free(start);
    free(guard);
    free(term);
  }
  w->depth = depth;
  free(own);
  free(text);
}

static void write_load(writer *w, const wr_stmt *stmt) {
  const wr_tile *tile = WR_TILE(w->program, stmt->tile);
  const char *type = tile->integers ? "int64" : "float32";
  char *own = own_element(w, stmt);
  char *place = place_text(w, stmt);
  char *lanes = within(w, stmt, false);
  char *mask = stmt->mask ? expr_text(w, stmt->mask, false) : NULL;
  char *other = stmt->other ? expr_text(w, stmt->other, !tile->integers) : as_strdup("0");
  char *guard = lanes && mask ? as_format("T.And(%s, %s)", lanes, mask)
                : lanes       ? as_strdup(lanes)
                : mask        ? as_strdup(mask)
                              : NULL;
  add_alloc(w, tile);
  int depth = open_block(w, tile->name, stmt);
  if (guard)
    line(w, "%s = T.if_then_else(%s, T.Cast(\"%s\", %s), T.Cast(\"%s\", %s))", own, guard, type,
         place, type, other);
  else
    line(w, "%s = T.Cast(\"%s\", %s)", own, type, place);
  w->depth = depth;
  free(own);
  free(place);
  free(lanes);
  free(mask);
  free(other);
  free(guard);
}

static void write_store(writer *w, const wr_stmt *stmt) {
  const wr_tensor *tensor = WR_TENSOR(w->program, stmt->tensor);
  bool integers = tensor->type == AS_TILE_INT;
  char *place = place_text(w, stmt);
  char *value = expr_text(w, stmt->value, !integers);
  char *guards[2] = {within(w, stmt, false), stmt->mask ? expr_text(w, stmt->mask, false) : NULL};
  char *name = as_format("%s_store", tensor->name);
  int depth = open_block(w, name, stmt);
  for (int i = 0; i < 2; i++) {
    if (!guards[i])
      continue;
    line(w, "if %s:", guards[i]);
    w->depth++;
  }
  line(w, "%s = T.Cast(\"%s\", %s)", place, wr_type_word(tensor->type), value);
  w->depth = depth;
  free(name);
  free(place);
  free(value);
  free(guards[0]);
  free(guards[1]);
}

/* ---- loops */

static void write_stmts(writer *w, const as_vec *list);

/* `to = from`, element by element */
static void write_copy(writer *w, const wr_tile *to, const char *to_name, const char *from_name,
                       bool from_integers) {
  as_str names, extents, axes, kinds;
  as_str_init(&names);
  as_str_init(&extents);
  as_str_init(&axes);
  as_str_init(&kinds);
  for (uint32_t i = 0; i < to->rank; i++) {
    as_str_printf(&names, "%sc%u_", i ? ", " : "", i);
    as_str_printf(&axes, "%sc%u", i ? ", " : "", i);
    as_str_printf(&extents, "%s%lld", i ? ", " : "", (long long)to->bound[i]);
    as_str_add(&kinds, "S");
  }
  int depth = w->depth;
  if (to->rank) {
    line(w, "for %s in T.grid(%s):", names.s, extents.s);
    w->depth++;
  }
  line(w, "with T.sblock(\"%s_next\"):", to_name);
  w->depth++;
  if (to->rank > 1)
    line(w, "%s = T.axis.remap(\"%s\", [%s])", axes.s, kinds.s, names.s);
  else if (to->rank == 1)
    line(w, "%s = T.axis.spatial(%s, %s)", axes.s, extents.s, names.s);
  const char *index = to->rank ? axes.s : "0";
  bool cast = from_integers != to->integers;
  line(w, cast ? "%s[%s] = T.Cast(\"%s\", %s[%s])" : "%s[%s] = %.0s%s[%s]", to_name, index,
       to->integers ? "int64" : "float32", from_name, index);
  w->depth = depth;
  as_str_clear(&names);
  as_str_clear(&extents);
  as_str_clear(&axes);
  as_str_clear(&kinds);
}

/* all of what is carried becomes the next, at once: what is another carried tile is kept aside */
static void write_next(writer *w, const wr_stmt *loop) {
  for (size_t i = 0; i < loop->carry.n; i++) {
    const wr_carry *carry = &AS_VEC_AT(&loop->carry, wr_carry, i);
    wr_tile *next = WR_TILE(w->program, carry->next);
    if (!wr_carries(loop, carry->next))
      continue;
    wr_tile aside = *next;
    char *name = as_format("%s_kept%zu", next->name, i);
    aside.name = name;
    add_alloc(w, &aside);
    write_copy(w, next, name, next->name, next->integers);
    free(name);
  }
  for (size_t i = 0; i < loop->carry.n; i++) {
    const wr_carry *carry = &AS_VEC_AT(&loop->carry, wr_carry, i);
    const wr_tile *next = WR_TILE(w->program, carry->next);
    const wr_tile *to = WR_TILE(w->program, carry->tile);
    char *name = wr_carries(loop, carry->next) ? as_format("%s_kept%zu", next->name, i)
                                               : as_strdup(next->name);
    write_copy(w, to, to->name, name, next->integers);
    free(name);
  }
}

static void write_loop(writer *w, const wr_stmt *loop) {
  const wr_var *var = WR_VAR(w->program, loop->variable);
  write_stmts(w, &loop->first);
  for (size_t i = 0; i < loop->carry.n; i++) {
    const wr_carry *carry = &AS_VEC_AT(&loop->carry, wr_carry, i);
    const wr_tile *tile = WR_TILE(w->program, carry->tile);
    add_alloc(w, tile);
    const wr_tile *first = WR_TILE(w->program, carry->first);
    write_copy(w, tile, tile->name, first->name, first->integers);
  }
  char *from = expr_text(w, loop->from, false);
  char *to = expr_text(w, loop->to, false);
  char *step = loop->step ? expr_text(w, loop->step, false) : as_strdup("1");
  bool unit = wr_is_integer(loop->from, 0) && strcmp(step, "1") == 0;
  char *rounds =
      unit ? as_strdup(to) : as_format("T.floordiv(%s - (%s) + %s - 1, %s)", to, from, step, step);
  char *value =
      unit ? as_format("%s_", var->name) : as_format("%s + %s_ * %s", from, var->name, step);
  int depth = w->depth;
  bool around = w->parallel;
  line(w, "for %s_ in T.%s(%s):", var->name, loop->parallel && !around ? "parallel" : "serial",
       rounds);
  w->parallel = around || loop->parallel;
  w->depth++;
  line(w, "with T.sblock(\"%s\"):", var->name);
  w->depth++;
  line(w, "%s = T.axis.%s((%lld, %lld), %s)", var->name, loop->parallel ? "spatial" : "opaque",
       (long long)var->low, (long long)var->high + 1, value);
  write_stmts(w, &loop->body);
  write_next(w, loop);
  w->depth = depth;
  w->parallel = around;
  free(from);
  free(to);
  free(step);
  free(rounds);
  free(value);
}

/* ---- tensors */

static char *dims_text(const wr_tensor *tensor) {
  as_str out;
  as_str_init(&out);
  as_str_add(&out, "(");
  for (uint32_t i = 0; i < tensor->rank; i++)
    as_str_printf(&out, "%lld%s", (long long)tensor->dim[i],
                  i + 1 < tensor->rank ? ", "
                  : i == 0             ? ","
                                       : "");
  as_str_add(&out, ")");
  return as_str_take(&out);
}

static void write_fill(writer *w, const wr_tensor *tensor) {
  if (!tensor->has_initial)
    return;
  as_str index;
  as_str_init(&index);
  int depth = w->depth;
  for (uint32_t i = 0; i < tensor->rank; i++) {
    line(w, "for f%u_ in range(%lld):", i, (long long)tensor->dim[i]);
    w->depth++;
    as_str_printf(&index, "%sf%u", i ? ", " : "", i);
  }
  line(w, "with T.sblock(\"%s_start\"):", tensor->name);
  w->depth++;
  for (uint32_t i = 0; i < tensor->rank; i++)
    line(w, "f%u = T.axis.spatial(%lld, f%u_)", i, (long long)tensor->dim[i], i);
  line(w, "%s[%s] = T.Cast(\"%s\", %.17g)", tensor->name, index.n ? index.s : "()",
       wr_type_word(tensor->type), tensor->initial);
  w->depth = depth;
  as_str_clear(&index);
}

static void write_alloc(writer *w, const wr_tensor *tensor) {
  char *dims = dims_text(tensor);
  line(w, "%s = T.sblock_alloc_buffer(%s, \"%s\")", tensor->name, dims, wr_type_word(tensor->type));
  free(dims);
  write_fill(w, tensor);
}

static void write_stmts(writer *w, const as_vec *list) {
  for (size_t i = 0; i < list->n; i++) {
    const wr_stmt *stmt = WR_STMT(list, i);
    switch (stmt->kind) {
    case WR_DEFINE:
      write_define(w, stmt);
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
      write_alloc(w, WR_TENSOR(w->program, stmt->tensor));
      break;
    }
  }
}

static bool is_local(const as_tile_program *tile, uint32_t tensor) {
  return tile->tensor[tensor].local;
}

static void write_program(writer *w, const as_tile_program *tile) {
  const wr_program *program = w->program;
  line(w, "# The tile program `%s` as TensorIR: what is written is certified, this text is not.",
       tile->name);
  line(w, "from tvm.script import tirx as T\n\n");
  line(w, "@T.prim_func(s_tir=True)");
  as_str arguments;
  as_str_init(&arguments);
  for (uint32_t i = 0; i < program->tensor.n; i++) {
    const wr_tensor *tensor = WR_TENSOR(program, i);
    if (tensor->role == AS_TILE_SCRATCH)
      continue;
    char *dims = dims_text(tensor);
    as_str_printf(&arguments, "%s%s: T.Buffer(%s, \"%s\")", arguments.n ? ", " : "", tensor->name,
                  dims, wr_type_word(tensor->type));
    free(dims);
  }
  line(w, "def %s(%s):", program->name, arguments.n ? arguments.s : "");
  as_str_clear(&arguments);
  w->depth++;
  line(w, "T.func_attr({\"tirx.noalias\": True})");
  for (uint32_t i = 0; i < program->tensor.n; i++) {
    const wr_tensor *tensor = WR_TENSOR(program, i);
    if (tensor->role == AS_TILE_SCRATCH && !is_local(tile, i))
      write_alloc(w, tensor);
    else if (tensor->role == AS_TILE_OUTPUT)
      write_fill(w, tensor);
  }
  for (size_t i = 0; i < program->body.n; i++) {
    as_vec one = {.data = &WR_STMT(&program->body, i), .n = 1, .cap = 1, .item = sizeof(wr_stmt *)};
    write_stmts(w, &one);
  }
  w->depth--;
}

char *as_write_tensorir(const as_tile_program *tile, as_err *err) {
  wr_program *program = wr_flatten(tile, NULL, wr_taken(WR_TENSORIR), err);
  if (!program)
    return NULL;
  wr_inline_places(program);
  writer w = {.program = program, .err = err};
  as_str_init(&w.out);
  write_program(&w, tile);
  wr_free(program);
  char *text = as_str_take(&w.out);
  if (err->status == AS_OK)
    return text;
  free(text);
  return NULL;
}
