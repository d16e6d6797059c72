/* Tiles outside of loops that are functions of their positions alone, such as a causal mask over
 * all rows and columns: whoever reads an element computes it, and the tile is not kept. */
#include "flat_int.h"
#include <stdlib.h>

/* a definition of more operations than this is kept: its text would stand wherever it is read */
enum { MOST_NODES = 256 };

typedef struct {
  wr_maker maker;     /* has a program, and no more: what makes expressions */
  wr_stmt **by_place; /* by tile: its definition; NULL: it is no such tile */
  bool *named;        /* by tile: something other than a read of an element needs it */
} inliner;

/* The expression with other operands; as it was made from these, where it is folded. */
static wr_expr *with_kids(wr_maker *maker, wr_expr *expr, wr_expr *const *kid) {
  bool changed = false;
  for (uint32_t i = 0; i < expr->n; i++)
    changed = changed || kid[i] != expr->kid[i];
  if (!changed)
    return expr;
  if (expr->kind == AS_E_REL)
    return wr_relation(maker, expr->rel, kid[0], kid[1]);
  if (expr->kind != AS_E_ACCESS && expr->kind != AS_E_CALL)
    return wr_mk(maker, expr->kind, expr->n, kid);
  wr_expr *made = wr_new(maker, expr->kind, expr->n, kid);
  made->id = expr->id;
  made->function = expr->function;
  made->integer = expr->integer;
  return made;
}

/* the value of a definition at one place */
static wr_expr *value_at(wr_maker *maker, wr_expr *value, const wr_stmt *of,
                         wr_expr *const *place) {
  wr_expr *kid[AS_MAX_RANK];
  for (uint32_t i = 0; value->kind == AS_E_NAME && i < of->n_lane; i++) {
    if (value->id == of->lane[i])
      return place[i];
  }
  for (uint32_t i = 0; i < value->n; i++)
    kid[i] = value_at(maker, value->kid[i], of, place);
  return with_kids(maker, value, kid);
}

static wr_expr *inlined(inliner *in, wr_expr *expr) {
  wr_expr *kid[AS_MAX_RANK];
  for (uint32_t i = 0; i < expr->n; i++)
    kid[i] = inlined(in, expr->kid[i]);
  const wr_stmt *of = expr->kind == AS_E_ACCESS ? in->by_place[expr->id] : NULL;
  return of ? value_at(&in->maker, of->value, of, kid) : with_kids(&in->maker, expr, kid);
}

static void inline_in(inliner *in, wr_expr **expr, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (expr[i])
      expr[i] = inlined(in, expr[i]);
  }
}

static void inline_list(inliner *in, const as_vec *list);

static void inline_stmt(inliner *in, wr_stmt *stmt) {
  inline_in(in, stmt->extent, stmt->n_lane);
  inline_in(in, stmt->count, stmt->n_counter);
  inline_in(in, stmt->place, stmt->n_place);
  inline_in(in, &stmt->value, 1);
  inline_in(in, &stmt->mask, 1);
  inline_in(in, &stmt->other, 1);
  inline_in(in, &stmt->from, 1);
  inline_in(in, &stmt->to, 1);
  inline_in(in, &stmt->step, 1);
  for (size_t i = 0; i < stmt->carry.n; i++) {
    const wr_carry *carry = &AS_VEC_AT(&stmt->carry, wr_carry, i);
    in->named[carry->first] = true;
    in->named[carry->next] = true;
  }
  inline_list(in, &stmt->first);
  inline_list(in, &stmt->body);
}

static void inline_list(inliner *in, const as_vec *list) {
  for (size_t i = 0; i < list->n; i++)
    inline_stmt(in, WR_STMT(list, i));
}

/* Are there only numbers and the definition's own lanes in it?  Takes a node of *left for each of
 * its own; false too where these do not suffice. */
static bool is_of_places(const wr_expr *expr, uint32_t *left) {
  if (expr->kind == AS_E_ACCESS || *left == 0)
    return false;
  --*left;
  for (uint32_t i = 0; i < expr->n; i++) {
    if (!is_of_places(expr->kid[i], left))
      return false;
  }
  return true;
}

void wr_inline_places(wr_program *program) {
  inliner in = {.maker = {.program = program}};
  in.by_place = as_calloc(program->tile.n + 1, sizeof(wr_stmt *));
  in.named = as_calloc(program->tile.n + 1, sizeof(bool));
  for (size_t i = 0; i < program->body.n; i++) {
    wr_stmt *stmt = WR_STMT(&program->body, i);
    uint32_t left = MOST_NODES;
    inline_stmt(&in, stmt);
    if (stmt->kind == WR_DEFINE && stmt->fold == AS_E_NUM && is_of_places(stmt->value, &left))
      in.by_place[stmt->tile] = stmt;
  }
  size_t n = 0;
  for (size_t i = 0; i < program->body.n; i++) {
    wr_stmt *stmt = WR_STMT(&program->body, i);
    bool unread = stmt->kind == WR_DEFINE && in.by_place[stmt->tile] && !in.named[stmt->tile];
    if (!unread)
      WR_STMT(&program->body, n++) = stmt;
  }
  program->body.n = n;
  free(in.by_place);
  free(in.named);
}
