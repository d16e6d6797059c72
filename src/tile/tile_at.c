/* A tile program at given values of its sizes. */
#include "src/base/id.h"
#include "src/ir/oplib_int.h"
#include "tile.h"

typedef struct {
  as_tile_program *program;
  as_oplib *lib;
  const int64_t *value;
  as_err *err;
} fixed;

/* AS_NONE: it is no size of this program */
static uint32_t number_of(const fixed *in, as_size size) {
  const as_graph *sizes = in->program->sizes;
  for (uint32_t i = 0; i < sizes->n_own_size; i++) {
    if (sizes->own_size[i] == size)
      return i;
  }
  return AS_NONE;
}

static as_expr *number(const fixed *in, uint32_t size, int line) {
  as_expr *made = as_oplib_new_expr(in->lib, AS_E_NUM, 0, &(as_token){.line = line});
  mpq_set_si(made->num, (long)in->value[size], 1);
  return made;
}

/* what is printed of a scalar and of its parts */
static as_expr *text_of(const fixed *in, const as_tile_scalar *scalar) {
  const as_expr *was = scalar->text;
  uint32_t size = scalar->meaning == AS_TILE_IS_SIZE ? number_of(in, scalar->id) : AS_NONE;
  if (size != AS_NONE)
    return number(in, size, was->line);
  as_expr *made = as_oplib_new_expr(in->lib, was->kind, was->n, &(as_token){.line = was->line});
  mpq_set(made->num, was->num);
  made->name = was->name;
  made->rel = was->rel;
  made->swap = was->swap;
  made->acc = was->acc;
  made->acc_name = was->acc_name;
  made->func = was->func;
  for (uint32_t i = 0; i < was->n; i++)
    made->kid[i] = text_of(in, scalar->kid[i]);
  return made;
}

static void fix_scalar(const fixed *in, as_tile_scalar *scalar) {
  if (scalar)
    scalar->text = text_of(in, scalar);
}

static void fix_expr(const fixed *in, as_tile_expr *expr) {
  if (!expr)
    return;
  bool sized = expr->kind == AS_TILE_NAMED && expr->meaning == AS_TILE_IS_SIZE;
  uint32_t size = sized ? number_of(in, expr->id) : AS_NONE;
  if (size != AS_NONE) {
    expr->kind = AS_TILE_NUMBER;
    expr->number = number(in, size, expr->line);
  }
  for (uint32_t i = 0; i < expr->n_arg; i++)
    fix_expr(in, expr->arg[i]);
  for (uint32_t i = 0; expr->op && i < expr->op->nattrs; i++)
    fix_scalar(in, expr->attr[i].scalar);
}

static void fix_body(const fixed *in, as_tile_stmt *const *body, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    as_tile_stmt *stmt = body[i];
    as_tile_scalar *const parts[] = {stmt->mask, stmt->other, stmt->value,
                                     stmt->from, stmt->to,    stmt->step};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
      fix_scalar(in, parts[k]);
    for (uint32_t k = 0; k < stmt->n_lane; k++)
      fix_scalar(in, stmt->lane[k].extent);
    for (uint32_t k = 0; k < stmt->n_place; k++)
      fix_scalar(in, stmt->place[k]);
    for (uint32_t k = 0; k < stmt->n_carry; k++) {
      fix_expr(in, stmt->carry[k].first);
      fix_expr(in, stmt->carry[k].next);
    }
    fix_expr(in, stmt->expr);
    fix_body(in, stmt->body, stmt->n_body);
  }
}

static bool fix_tensors(const fixed *in) {
  for (uint32_t i = 0; i < in->program->n_tensor; i++) {
    as_tile_tensor *tensor = &in->program->tensor[i];
    for (uint32_t k = 0; k < tensor->rank; k++) {
      if (!as_graph_size_at(in->program->sizes, in->value, &tensor->dim[k], in->err))
        return false;
    }
  }
  return true;
}

bool as_tile_fix_sizes(as_tile_program *program, as_oplib *lib, const int64_t *value, as_err *err) {
  fixed in = {program, lib, value, err};
  if (!fix_tensors(&in))
    return false;
  fix_body(&in, program->body, program->n_body);
  return as_graph_fix_sizes(program->sizes, value, err);
}
