/* Tile programs as text. */
#include "src/base/str.h"
#include "src/ir/lex.h"
#include "tile.h"
#include <stdlib.h>

static void add_taken(as_str *out, char *text) {
  as_str_add(out, text);
  free(text);
}

static void add_scalar(as_str *out, const as_tile_scalar *scalar) {
  add_taken(out, as_expr_print(scalar->text));
}

static void indent(as_str *out, int depth) {
  as_str_printf(out, "%*s", 2 * depth, "");
}

/* operators are printed as calls: what sugar stood there is not kept */
static void add_expr(as_str *out, const as_tile_expr *expr) {
  if (expr->kind == AS_TILE_NUMBER) {
    add_taken(out, as_print_number(expr->number->num));
    return;
  }
  if (expr->kind == AS_TILE_NAMED) {
    as_str_add(out, expr->name);
    return;
  }
  as_str_printf(out, "%s(", expr->op->name);
  const char *comma = "";
  for (uint32_t i = 0; i < expr->n_arg; i++) {
    as_str_add(out, comma);
    add_expr(out, expr->arg[i]);
    comma = ", ";
  }
  for (uint32_t k = 0; k < expr->op->nattrs; k++) {
    if (!expr->attr[k].scalar && !expr->attr[k].number)
      continue;
    as_str_printf(out, "%s%s=", comma, expr->op->attr[k]);
    if (expr->attr[k].scalar)
      add_scalar(out, expr->attr[k].scalar);
    else
      add_taken(out, as_print_number(*expr->attr[k].number));
    comma = ", ";
  }
  as_str_add(out, ")");
}

char *as_tile_expr_text(const as_tile_expr *expr) {
  as_str out;
  as_str_init(&out);
  add_expr(&out, expr);
  return as_str_take(&out);
}

static void add_tensor(as_str *out, const as_tile_program *program, const as_tile_tensor *tensor) {
  as_str_printf(out, "%s %s: %s[", as_tile_role_word(tensor->role), tensor->name,
                as_tile_type_word(tensor->type));
  for (uint32_t i = 0; i < tensor->rank; i++) {
    as_str_add(out, i ? ", " : "");
    add_taken(out, as_size_print(program->sizes->sizes, tensor->dim[i]));
  }
  as_str_add(out, "]");
  if (tensor->initial) {
    as_str_add(out, tensor->minus ? " = -" : " = ");
    add_taken(out, as_print_number(tensor->initial->num));
  }
  as_str_add(out, "\n");
}

static void add_lanes(as_str *out, const as_tile_stmt *stmt) {
  as_str_add(out, "[");
  for (uint32_t i = 0; i < stmt->n_lane; i++) {
    as_str_printf(out, "%s%s < ", i ? ", " : "", stmt->lane[i].name);
    add_scalar(out, stmt->lane[i].extent);
  }
  as_str_add(out, "]");
}

static void add_place(as_str *out, const as_tile_program *program, const as_tile_stmt *stmt) {
  as_str_printf(out, "%s[", program->tensor[stmt->tensor].name);
  for (uint32_t i = 0; i < stmt->n_place; i++) {
    as_str_add(out, i ? ", " : "");
    add_scalar(out, stmt->place[i]);
  }
  as_str_add(out, "]");
}

static void add_mask(as_str *out, const as_tile_stmt *stmt) {
  if (stmt->mask) {
    as_str_add(out, " where ");
    add_scalar(out, stmt->mask);
  }
  if (stmt->other) {
    as_str_add(out, " else ");
    add_scalar(out, stmt->other);
  }
}

static void add_stmt(as_str *out, const as_tile_program *program, const as_tile_stmt *stmt,
                     int depth);

static void add_loop(as_str *out, const as_tile_program *program, const as_tile_stmt *loop,
                     int depth) {
  as_str_printf(out, "%s %s = ", loop->parallel ? "parallel" : "for", loop->name);
  add_scalar(out, loop->from);
  as_str_add(out, " to ");
  add_scalar(out, loop->to);
  if (loop->step) {
    as_str_add(out, " step ");
    add_scalar(out, loop->step);
  }
  as_str_add(out, "\n");
  for (uint32_t i = 0; i < loop->n_carry; i++) {
    indent(out, depth + 1);
    as_str_printf(out, "carry %s%s = ", loop->carry[i].integers ? "int " : "", loop->carry[i].name);
    add_expr(out, loop->carry[i].first);
    as_str_add(out, "\n");
  }
  for (uint32_t i = 0; i < loop->n_body; i++)
    add_stmt(out, program, loop->body[i], depth + 1);
  for (uint32_t i = 0; i < loop->n_carry; i++) {
    indent(out, depth + 1);
    as_str_printf(out, "next %s = ", loop->carry[i].name);
    add_expr(out, loop->carry[i].next);
    as_str_add(out, "\n");
  }
  indent(out, depth);
  as_str_add(out, "end");
}

static void add_stmt(as_str *out, const as_tile_program *program, const as_tile_stmt *stmt,
                     int depth) {
  indent(out, depth);
  switch (stmt->kind) {
  case AS_TILE_LOOP:
    add_loop(out, program, stmt, depth);
    break;
  case AS_TILE_LOAD:
    as_str_printf(out, "load %s", stmt->name);
    add_lanes(out, stmt);
    as_str_add(out, " = ");
    add_place(out, program, stmt);
    add_mask(out, stmt);
    break;
  case AS_TILE_STORE:
    as_str_add(out, "store ");
    add_place(out, program, stmt);
    as_str_add(out, " = ");
    if (stmt->whole_name)
      as_str_add(out, stmt->whole_name);
    else
      add_scalar(out, stmt->value);
    as_str_add(out, " over ");
    add_lanes(out, stmt);
    add_mask(out, stmt);
    break;
  case AS_TILE_MAKE:
    as_str_printf(out, "make %s", stmt->name);
    add_lanes(out, stmt);
    as_str_add(out, " = ");
    add_scalar(out, stmt->value);
    break;
  case AS_TILE_LET:
    as_str_printf(out, "%s = ", stmt->name);
    add_expr(out, stmt->expr);
    break;
  case AS_TILE_ALLOC:
    add_tensor(out, program, &program->tensor[stmt->tensor]);
    return;
  }
  as_str_add(out, "\n");
}

static void add_sizes(as_str *out, const as_tile_program *program) {
  const as_graph *graph = program->sizes;
  for (uint32_t i = 0; i < graph->n_own_size; i++) {
    as_size size = graph->own_size[i];
    long value = as_size_value(graph->sizes, size);
    long least = as_size_least(graph->sizes, size);
    as_str_printf(out, "%s%s", i ? ", " : "sizes ", as_size_name(graph->sizes, size));
    if (least != 1)
      as_str_printf(out, " >= %ld", least);
    if (value >= 0)
      as_str_printf(out, " = %ld", value);
  }
  if (graph->n_own_size)
    as_str_add(out, "\n");
  for (uint32_t i = 0; i < graph->n_fact; i++) {
    as_str_add(out, "where ");
    add_taken(out, as_size_print(graph->sizes, graph->fact[i].lhs));
    as_str_printf(out, " %s ", as_rel_text(graph->fact[i].rel));
    add_taken(out, as_size_print(graph->sizes, graph->fact[i].rhs));
    as_str_add(out, "\n");
  }
}

char *as_tile_print(const as_tile_program *program) {
  as_str out;
  as_str_init(&out);
  for (uint32_t i = 0; i < program->sizes->n_use; i++)
    as_str_printf(&out, "use \"%s\"\n", program->sizes->use[i]);
  as_str_printf(&out, "tile %s\n", program->name);
  add_sizes(&out, program);
  for (uint32_t i = 0; i < program->n_tensor; i++) {
    if (!program->tensor[i].local)
      add_tensor(&out, program, &program->tensor[i]);
  }
  for (uint32_t i = 0; i < program->n_body; i++)
    add_stmt(&out, program, program->body[i], 0);
  return as_str_take(&out);
}
