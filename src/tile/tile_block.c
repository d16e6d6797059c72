/* Tile programs of block form as muGraphs (docs/tile.md section 5).
 * Nothing rests on this translation but what is searched and tested: the checker reads the tile
 * program itself. */
#include "src/base/mem.h"
#include "src/base/str.h"
#include "src/ir/graph_int.h"
#include "src/ir/lex.h"
#include "tile.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  const as_tile_program *program;
  const as_graph *given;
  as_err *err;
  as_str out;
  const as_tile_stmt *grid[3];
  uint32_t n_grid;
  const as_tile_stmt *loop; /* NULL: the kernel has none yet */
  uint32_t kernels;
} block;

static bool fail(block *b, const as_tile_stmt *stmt, const char *what) {
  return as_err_set(b->err, AS_BAD_INPUT, "line %d: %s", stmt->line, what);
}

static void add_scalar(block *b, const as_tile_scalar *scalar) {
  char *text = as_expr_print(scalar->text);
  as_str_add(&b->out, text);
  free(text);
}

static bool same(const as_tile_scalar *a, const as_tile_scalar *c) {
  char *first = as_expr_print(a->text);
  char *second = as_expr_print(c->text);
  bool equal = strcmp(first, second) == 0;
  free(first);
  free(second);
  return equal;
}

static bool is_zero(const as_tile_scalar *scalar) {
  return scalar->text->kind == AS_E_NUM && mpq_sgn(scalar->text->num) == 0;
}

static bool is_integer(const as_tile_scalar *scalar, uint32_t slot) {
  return scalar->text->kind == AS_E_NAME && scalar->meaning == AS_TILE_IS_INTEGER &&
         scalar->id == slot;
}

/* ---- positions as maps */
static int grid_axis(const block *b, const as_tile_scalar *scalar) {
  for (uint32_t a = 0; a < b->n_grid; a++) {
    if (is_integer(scalar, b->grid[a]->slot))
      return (int)a;
  }
  return -1;
}

/* v, l or v * L + l: adds ` x -> d` and ` loop -> d` */
static bool add_number(block *b, const as_tile_scalar *number, uint32_t axis, as_str *map) {
  static const char names[] = "xyz";
  const as_tile_scalar *v = number;
  const as_tile_scalar *l = number;
  if (number->text->kind == AS_E_ADD && number->kid[0]->text->kind == AS_E_MUL) {
    v = number->kid[0]->kid[0];
    l = number->kid[1];
    if (b->loop == NULL || grid_axis(b, v) < 0 || !same(number->kid[0]->kid[1], b->loop->to))
      return false;
  }
  int grid = grid_axis(b, v);
  bool looped = b->loop && is_integer(l, b->loop->slot);
  if (v != l && !looped)
    return false;
  if (grid >= 0)
    as_str_printf(map, " %c -> %u", names[grid], axis);
  if (looped)
    as_str_printf(map, " loop -> %u", axis);
  return grid >= 0 || looped;
}

/* i, or n * s + i; NULL: something else.  Gives the map (malloc'ed). */
static char *map_of(block *b, const as_tile_stmt *stmt) {
  as_str map;
  as_str_init(&map);
  bool ok = stmt->n_place == stmt->n_lane && stmt->mask == NULL;
  for (uint32_t d = 0; ok && d < stmt->n_place; d++) {
    const as_tile_scalar *x = stmt->place[d];
    if (is_integer(x, stmt->lane[d].slot))
      continue;
    ok = x->text->kind == AS_E_ADD && is_integer(x->kid[1], stmt->lane[d].slot) &&
         x->kid[0]->text->kind == AS_E_MUL && same(x->kid[0]->kid[1], stmt->lane[d].extent) &&
         add_number(b, x->kid[0]->kid[0], d, &map);
  }
  char *text = as_str_take(&map);
  if (ok)
    return text;
  free(text);
  fail(b, stmt, "not a tile of the grid or the loop, from lane to lane in their order");
  return NULL;
}

static bool add_tile(block *b, const as_tile_stmt *stmt, const char *word, const char *name,
                     const char *of) {
  char *map = map_of(b, stmt);
  if (map == NULL)
    return false;
  as_str_printf(&b->out, "  %s %s [", word, name);
  for (uint32_t i = 0; i < stmt->n_lane; i++) {
    as_str_add(&b->out, i ? ", " : "");
    add_scalar(b, stmt->lane[i].extent);
  }
  as_str_printf(&b->out, "] = %s%s\n", of, map);
  free(map);
  return true;
}

/* ---- statements */
static bool computes(block *b, const as_tile_stmt *stmt) {
  if (stmt->kind == AS_TILE_LOAD)
    return add_tile(b, stmt, "load", stmt->name, b->program->tensor[stmt->tensor].name);
  if (stmt->kind != AS_TILE_LET)
    return fail(b, stmt, "a claim is made of loads and of calls of operators only here");
  char *text = as_tile_expr_text(stmt->expr);
  as_str_printf(&b->out, "  %s = %s\n", stmt->name, text);
  free(text);
  return true;
}

static bool names(const as_tile_expr *expr, uint32_t slot) {
  return expr->kind == AS_TILE_NAMED && expr->meaning == AS_TILE_IS_TILE && expr->id == slot;
}

/* carried from zeros, and at each iteration added to; who makes zeros is in the kernel's body */
static bool add_sum(block *b, const as_tile_stmt *loop, const as_tile_carry *carry,
                    const as_tile_stmt *body_of) {
  const as_tile_expr *next = carry->next;
  bool zeros = false;
  for (uint32_t i = 0; i < body_of->n_body; i++) {
    const as_tile_stmt *stmt = body_of->body[i];
    zeros = zeros ||
            (stmt->kind == AS_TILE_MAKE && is_zero(stmt->value) && names(carry->first, stmt->slot));
  }
  bool sum = next->kind == AS_TILE_CALL && strcmp(next->op->name, "add") == 0 &&
             names(next->arg[0], carry->slot) && next->arg[1]->kind == AS_TILE_NAMED &&
             next->arg[1]->meaning == AS_TILE_IS_TILE;
  if (!zeros || !sum)
    return fail(b, loop, "a claim is made of loops that carry sums, from zeros, only");
  as_str_printf(&b->out, "  acc %s = sum %s\n", carry->name, next->arg[1]->name);
  return true;
}

static bool add_loop(block *b, const as_tile_stmt *loop, const as_tile_stmt *body_of) {
  if (loop->parallel || b->loop || !is_zero(loop->from) || loop->step)
    return fail(b, loop, "a claim is made of kernels with one loop from 0, without step, only");
  b->loop = loop;
  for (uint32_t i = 0; i < loop->n_body; i++) {
    if (!computes(b, loop->body[i]))
      return false;
  }
  for (uint32_t i = 0; i < loop->n_carry; i++) {
    if (!add_sum(b, loop, &loop->carry[i], body_of))
      return false;
  }
  return true;
}

static bool add_store(block *b, const as_tile_stmt *stmt) {
  if (stmt->whole_name == NULL)
    return fail(b, stmt, "a claim is made of stores of whole tiles only");
  return add_tile(b, stmt, "store", b->program->tensor[stmt->tensor].name, stmt->whole_name);
}

/* the loop is declared before all statements of the kernel */
static const as_tile_stmt *find_loop(const as_tile_stmt *inner) {
  for (uint32_t i = 0; i < inner->n_body; i++) {
    if (inner->body[i]->kind == AS_TILE_LOOP)
      return inner->body[i];
  }
  return NULL;
}

static bool add_body(block *b, const as_tile_stmt *inner) {
  for (uint32_t i = 0; i < inner->n_body; i++) {
    const as_tile_stmt *stmt = inner->body[i];
    bool ok = stmt->kind == AS_TILE_MAKE
                  ? is_zero(stmt->value) || fail(b, stmt, "a claim is made of zeros only here")
              : stmt->kind == AS_TILE_LOOP  ? add_loop(b, stmt, inner)
              : stmt->kind == AS_TILE_STORE ? add_store(b, stmt)
                                            : computes(b, stmt);
    if (!ok)
      return false;
  }
  return true;
}

static bool add_kernel(block *b, const as_tile_stmt *stmt) {
  b->n_grid = 0;
  b->loop = NULL;
  as_str_printf(&b->out, "kernel k%u\n  grid ", ++b->kernels);
  for (;;) {
    bool plain = stmt->kind == AS_TILE_LOOP && stmt->parallel && is_zero(stmt->from) && !stmt->step;
    if (!plain || b->n_grid == 3) {
      return fail(b, stmt,
                  "a claim is made of up to three parallel loops in each other, from 0 and "
                  "without step, only");
    }
    as_str_printf(&b->out, "%s%c = ", b->n_grid ? ", " : "", "xyz"[b->n_grid]);
    add_scalar(b, stmt->to);
    b->grid[b->n_grid++] = stmt;
    if (stmt->n_body != 1 || stmt->body[0]->kind != AS_TILE_LOOP || !stmt->body[0]->parallel)
      break;
    stmt = stmt->body[0];
  }
  as_str_add(&b->out, "\n");
  const as_tile_stmt *loop = find_loop(stmt);
  if (loop) {
    as_str_printf(&b->out, "  loop %s = ", loop->name);
    add_scalar(b, loop->to);
    as_str_add(&b->out, "\n");
  }
  bool ok = add_body(b, stmt);
  as_str_add(&b->out, "end\n");
  return ok;
}

/* ---- the whole */
static void add_sizes(block *b) {
  const as_graph *graph = b->program->sizes;
  for (uint32_t i = 0; i < graph->n_own_size; i++) {
    as_size size = graph->own_size[i];
    const char *name = as_size_name(graph->sizes, size);
    long value = as_size_value(graph->sizes, size);
    if (as_names_get(b->given, AS_SCOPE_SIZE, name) != AS_NONE)
      continue;
    as_str_printf(&b->out, "sizes %s >= %ld", name, as_size_least(graph->sizes, size));
    if (value >= 0)
      as_str_printf(&b->out, " = %ld", value);
    as_str_add(&b->out, "\n");
  }
  for (uint32_t i = 0; i < graph->n_fact; i++) {
    char *left = as_size_print(graph->sizes, graph->fact[i].lhs);
    char *right = as_size_print(graph->sizes, graph->fact[i].rhs);
    as_str_printf(&b->out, "where %s %s %s\n", left, as_rel_text(graph->fact[i].rel), right);
    free(left);
    free(right);
  }
}

static bool declared_well(block *b) {
  for (uint32_t i = 0; i < b->program->n_tensor; i++) {
    const as_tile_tensor *tensor = &b->program->tensor[i];
    if (tensor->role == AS_TILE_INOUT || tensor->local || tensor->type == AS_TILE_INT)
      return as_err_set(b->err, AS_BAD_INPUT,
                        "`%s`: a claim is made of inputs, outputs and scratch tensors of numbers, "
                        "declared at the start, only",
                        tensor->name);
  }
  return true;
}

char *as_tile_block_text(const as_tile_program *program, const as_graph *given, as_err *err) {
  const char *shadowed = as_oplib_shadowed(given->lib);
  if (shadowed) { /* a muGraph's names are the program's, a tile program's are its own */
    as_err_set(err, AS_BAD_INPUT,
               "`%s` is defined anew: no block graph is made of the tile program", shadowed);
    return NULL;
  }
  block b = {.program = program, .given = given, .err = err};
  as_str_init(&b.out);
  as_str_printf(&b.out, "mugraph %s\n", program->name);
  add_sizes(&b);
  bool ok = declared_well(&b);
  for (uint32_t i = 0; ok && i < program->n_body; i++)
    ok = add_kernel(&b, program->body[i]);
  char *text = as_str_take(&b.out);
  if (ok)
    return text;
  free(text);
  return NULL;
}
