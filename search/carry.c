/* Operators that read elements at computed places along some axes, as slices, concatenations,
 * paddings, gathers: abstract expressions keep them as functions of their operands.  The axes of a
 * list in the pattern (`..a`) are only passed on as a whole, so that they are divided as if the
 * operator were applied to each index apart; the other axes stay whole. */
#include "match.h"
#include "src/base/hash.h"
#include "src/base/str.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* a new axis of the result that the body does not look at */
static bool is_repeated(const as_opdef *op, uint32_t dim) {
  const as_let *let = &op->let[0];
  const as_expr *body = let->body;
  if (op->nlet != 1 || body->kind != AS_E_ACCESS || dim >= let->n || let->ix[dim].is_list)
    return false;
  for (uint32_t i = 0; i < body->n; i++) {
    const as_expr *index = body->kid[i];
    if (body->acc[i] == AS_IX_SCALAR &&
        !(index->kind == AS_E_NUM ||
          (index->kind == AS_E_NAME && strcmp(index->name, let->ix[dim].name) != 0)))
      return false;
  }
  return true;
}

/* whether the list is passed on to the result */
static bool is_in_result(const as_opdef *op, const char *list) {
  for (uint32_t i = 0; i < op->nout; i++) {
    const as_dim *dim = &op->out[i];
    if ((dim->kind == AS_D_LIST && !strcmp(dim->name, list)) ||
        (dim->kind == AS_D_BCAST && (!strcmp(dim->b1, list) || !strcmp(dim->b2, list))))
      return true;
  }
  return false;
}

static void find_computed(const sg_call *frame, uint32_t arg, bool *computed) {
  const as_targ *pattern = &frame->op->arg[arg];
  uint32_t at = 0;
  for (uint32_t i = 0; i < pattern->n; i++) {
    const as_dim *dim = &pattern->dim[i];
    const sg_list_bind *list = dim->kind == AS_D_LIST ? sg_get_list(frame, dim->name) : NULL;
    uint32_t n_axes = list ? list->labels.rank : 1;
    for (uint32_t k = 0; k < n_axes && at < AS_MAX_RANK; k++)
      computed[at++] = !list || !is_in_result(frame->op, dim->name);
  }
}

static bool carry_out(sg_call *frame, sg_carried *result) {
  result->out.rank = 0;
  for (uint32_t i = 0; i < frame->op->nout; i++) {
    const as_dim *dim = &frame->op->out[i];
    sg_axes labels = {1, {SG_UNIT}};
    bool is_new = false;
    if (dim->kind == AS_D_LIST && sg_get_list(frame, dim->name))
      labels = sg_get_list(frame, dim->name)->labels;
    else if (dim->kind == AS_D_BCAST && !sg_match_broadcast(frame, dim, &labels))
      return false;
    else if (dim->kind != AS_D_BCAST)
      is_new = true;
    if (result->out.rank + labels.rank > AS_MAX_RANK)
      return false;
    for (uint32_t k = 0; k < labels.rank; k++) {
      result->is_new[result->out.rank] = is_new;
      result->is_repeated[result->out.rank] = is_new && is_repeated(frame->op, i);
      result->out.ax[result->out.rank++] = labels.ax[k];
    }
  }
  return true;
}

bool sg_carry(const sg_ctx *ctx, const as_opdef *op, const as_attr *attr, uint32_t nargs,
              const sg_axes *arg, sg_carried *result) {
  sg_call frame = {.ctx = ctx, .op = op, .attr = attr, .nargs = nargs, .arg = arg};
  memset(result, 0, sizeof *result);
  memset(result->computed, 1, sizeof result->computed);
  if (nargs != op->nargs)
    return false;
  for (uint32_t i = 0; i < nargs; i++) {
    if (!sg_match_arg(&frame, &op->arg[i], &arg[i]))
      return false;
  }
  if (!carry_out(&frame, result))
    return false;
  for (uint32_t i = 0; i < nargs; i++)
    find_computed(&frame, i, result->computed[i]);
  return true;
}

ax_id sg_opaque_call(const sg_ctx *ctx, const as_opdef *op, const as_attr *attr, uint32_t nargs,
                     const ax_id *expr, uint64_t dep) {
  as_str attrs;
  as_str_init(&attrs);
  for (uint32_t i = 0; i < op->nattrs; i++) {
    char *shown = attr[i].is_size ? as_size_print(ctx->sizes, attr[i].size)
                                  : mpq_get_str(NULL, 10, attr[i].num);
    as_str_printf(&attrs, "%s ", shown);
    free(shown);
  }
  char head[64];
  uint64_t hash = attrs.n ? as_hash(attrs.s, attrs.n, 1) : 0;
  snprintf(head, sizeof head, "%.30s.%llx", op->name, (unsigned long long)hash);
  as_str_clear(&attrs);
  return ax_opaque(ctx->A, head, expr, nargs, dep);
}
