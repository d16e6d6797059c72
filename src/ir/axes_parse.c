/* Lists of axes in calls: `sum(x, axis=[0, 2])`, `transpose(x, axis=[2, 0, 1])`.  Both are written
 * out as calls that take one axis each; the checkers do the same (proofs/CLAIM.md section 5). */
#include "expr_parse.h"
#include <string.h>

bool as_gp_parse_axes(as_gparser *parser, as_gp_axes *axes) {
  as_lexed *lexed = parser->lexed;
  const as_token *name = as_tok(lexed);
  if (axes->n > 0)
    return as_lex_fail(lexed, name, "a second list of axes");
  if (strcmp(name->s, "axis") != 0)
    return as_lex_fail(lexed, name, "a list is of axes: `axis = [..]`");
  axes->at = name;
  lexed->at += 3;
  do {
    const as_token *token = as_tok(lexed);
    bool minus = as_tok_take(lexed, '-');
    as_size axis = as_tok_is(lexed, AS_T_NUMBER) ? as_gp_size(parser) : AS_SIZE_BAD;
    long value;
    if (axis == AS_SIZE_BAD || !as_size_is_const(parser->graph->sizes, axis, &value) ||
        value >= AS_MAX_RANK)
      return as_lex_fail(lexed, token, "the number of an axis is wanted");
    if (axes->n == AS_MAX_RANK)
      return as_lex_fail(lexed, token, "more than %d axes", AS_MAX_RANK);
    axes->axis[axes->n++] = minus ? -value : value;
  } while (as_tok_take(lexed, ','));
  return as_tok_want(lexed, ']', "`]` or `,`");
}

static bool mentions(const as_expr *expr, const char *name) {
  if (expr->kind == AS_E_NAME && strcmp(expr->name, name) == 0)
    return true;
  for (uint32_t i = 0; i < expr->n; i++) {
    if (expr->kid[i] && mentions(expr->kid[i], name))
      return true;
  }
  return false;
}

/* the operator's axis is not among the result's: then one axis after the other is all at once */
static bool reduces_its_axis(const as_opdef *op) {
  if (op->nargs != 1)
    return false;
  const as_targ *arg = &op->arg[0];
  for (uint32_t i = 0; i + 1 < arg->n; i++) {
    const as_dim *before = &arg->dim[i];
    const as_dim *axis = &arg->dim[i + 1];
    if (before->kind != AS_D_LIST || !before->count || !mentions(before->count, "axis") ||
        axis->kind != AS_D_SIZE || axis->size->kind != AS_E_NAME)
      continue;
    for (uint32_t k = 0; k < op->nout; k++) {
      if (op->out[k].kind == AS_D_SIZE && mentions(op->out[k].size, axis->size->name))
        return false;
    }
    return true;
  }
  return false;
}

/* exchanges bring each axis to its place, from the first place on; axes behind the list stay */
static as_node_id permuted(as_gparser *parser, const as_token *token, as_node_id arg,
                           const as_gp_axes *axes) {
  static const char *const names[] = {"first", "second"};
  as_sizes *sizes = parser->graph->sizes;
  long now[AS_MAX_RANK];
  if (axes->n != parser->graph->node[arg].rank) {
    as_lex_fail(parser->lexed, axes->at, "a permutation of %u axes is wanted",
                parser->graph->node[arg].rank);
    return AS_NONE;
  }
  bool moves = false;
  for (uint32_t i = 0; i < axes->n; i++) {
    now[i] = (long)i;
    moves |= axes->axis[i] != now[i];
  }
  if (!moves) {
    as_lex_fail(parser->lexed, axes->at, "this permutation leaves every axis where it is");
    return AS_NONE;
  }
  for (uint32_t i = 0; i < axes->n && arg != AS_NONE; i++) {
    uint32_t k = i;
    while (k < axes->n && now[k] != axes->axis[i])
      k++;
    if (k == axes->n) {
      as_lex_fail(parser->lexed, axes->at, "each axis from 0 to %u is wanted, once", axes->n - 1);
      return AS_NONE;
    }
    now[k] = now[i];
    as_size place[] = {as_size_int(sizes, (long)i), as_size_int(sizes, (long)k)};
    if (k != i)
      arg = as_gp_with_sizes(parser, token, "swap_axes", arg, names, place, 2);
  }
  return arg;
}

as_node_id as_gp_over_axes(as_gparser *parser, const as_token *token, const as_opdef *op,
                           as_node_id arg, const as_gp_axes *axes) {
  static const char *const names[] = {"axis"};
  if (strcmp(op->name, "transpose") == 0)
    return permuted(parser, token, arg, axes);
  if (!reduces_its_axis(op)) {
    as_lex_fail(parser->lexed, axes->at,
                "`%s` does not reduce one axis: over several it is not one axis after the other",
                op->name);
    return AS_NONE;
  }
  bool from_right = axes->axis[0] < 0;
  for (uint32_t i = 1; i < axes->n; i++) {
    if (axes->axis[i] <= axes->axis[i - 1] || (axes->axis[i] < 0) != from_right) {
      as_lex_fail(parser->lexed, axes->at, "axes are in order, all counted from one end");
      return AS_NONE;
    }
  }
  /* such that the axes still to come keep their numbers */
  for (uint32_t i = 0; i < axes->n && arg != AS_NONE; i++) {
    long axis = axes->axis[from_right ? i : axes->n - 1 - i];
    as_size number = as_size_int(parser->graph->sizes, axis);
    arg = as_gp_with_sizes(parser, token, op->name, arg, names, &number, 1);
  }
  return arg;
}
