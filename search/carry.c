/* Operators that read elements at computed places along some axes, as slices, concatenations,
 * paddings, gathers, convolutions: abstract expressions keep them as functions of their operands.
 * The axes of a list in the pattern (`..a`) are only passed on as a whole, and so are axes whose
 * index is that of the result (the batch and the output channels of a convolution): they are
 * divided as if the operator were applied to each index apart; the other axes stay whole. */
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

/* --- axes of a size of the pattern that are passed on */
typedef struct {
  const sg_call *frame;
  const char *size; /* of the operands' axes and of one of the result */
} passing;

static bool is_named(const as_expr *expr, const char *name) {
  return name != NULL && expr->kind == AS_E_NAME && strcmp(expr->name, name) == 0;
}

/* the extent that a size of the pattern stands for in this call; AS_SIZE_BAD: none */
static as_size extent_of(const sg_call *frame, const as_expr *name) {
  if (name->kind != AS_E_NAME)
    return AS_SIZE_BAD;
  for (uint32_t i = 0; i < frame->n_sizes; i++) {
    if (strcmp(frame->size[i].name, name->name) != 0)
      continue;
    sg_label label = frame->size[i].labels;
    return label == SG_UNIT ? AS_SIZE_ONE : frame->ctx->part->classes[SG_CLASS(label)].extent;
  }
  return AS_SIZE_BAD;
}

/* `1`, or the quotient of an extent by itself (the number of groups where there is one) */
static bool is_one(const sg_call *frame, const as_expr *expr) {
  if (expr->kind == AS_E_NUM)
    return mpq_cmp_ui(expr->num, 1, 1) == 0;
  if (expr->kind != AS_E_IDIV)
    return false;
  as_size extent = extent_of(frame, expr->kid[0]);
  return extent != AS_SIZE_BAD && extent == extent_of(frame, expr->kid[1]);
}

/* whether the expression is the size, perhaps divided by 1 */
static bool is_size(const passing *of, const as_expr *expr) {
  return is_named(expr, of->size) ||
         (expr->kind == AS_E_IDIV && is_size(of, expr->kid[0]) && is_one(of->frame, expr->kid[1]));
}

static bool is_only_passed(const passing *of, const as_expr *expr, const char *index);

/* an operand's axes of the size are read at the index, and no others */
static bool reads_at(const passing *of, const as_expr *access, const as_targ *pattern,
                     const char *index) {
  for (uint32_t i = 0; i < access->n; i++) {
    const as_dim *dim = i < pattern->n ? &pattern->dim[i] : NULL;
    bool scalar = access->acc[i] == AS_IX_SCALAR;
    bool wanted = dim && dim->kind == AS_D_SIZE && is_named(dim->size, of->size);
    if (wanted ? !scalar || !is_named(access->kid[i], index)
               : scalar && !is_only_passed(of, access->kid[i], index))
      return false;
  }
  return true;
}

/* an inner definition, whose own indices are other names */
static bool reads_inner(const passing *of, const as_expr *access, const as_let *let,
                        const char *index) {
  const char *inner = NULL;
  for (uint32_t i = 0; i < access->n; i++) {
    if (access->acc[i] != AS_IX_SCALAR)
      continue;
    bool same = is_named(access->kid[i], index);
    if (same && inner == NULL)
      inner = let->ix[i].name;
    else if (!is_only_passed(of, access->kid[i], index))
      return false;
  }
  return is_only_passed(of, let->body, inner);
}

/* Whether the result's index (NULL: no name here is it) is used for nothing but to read the
 * operands' axes of the size, and these are read at no other place.  A quotient of the index by the
 * size is 0. */
static bool is_only_passed(const passing *of, const as_expr *expr, const char *index) {
  const as_opdef *op = of->frame->op;
  if (is_named(expr, index))
    return false;
  if (expr->kind == AS_E_IDIV && is_named(expr->kid[0], index) && is_size(of, expr->kid[1]))
    return true;
  if (expr->kind == AS_E_ACCESS) {
    for (uint32_t i = 0; i < op->nargs; i++) {
      if (strcmp(op->arg[i].name, expr->name) == 0)
        return reads_at(of, expr, &op->arg[i], index);
    }
    for (uint32_t i = 0; i + 1 < op->nlet; i++) {
      if (strcmp(op->let[i].name, expr->name) == 0)
        return reads_inner(of, expr, &op->let[i], index);
    }
    return false;
  }
  for (uint32_t i = 0; i < expr->n; i++) {
    if (expr->kid[i] && !is_only_passed(of, expr->kid[i], index))
      return false;
  }
  return true;
}

/* whether the operands' axes of this extent are the result's one axis of it, index for index */
static bool passes_on(const sg_call *frame, const as_expr *size) {
  const as_let *out = &frame->op->let[frame->op->nlet - 1];
  const char *index = NULL;
  if (size->kind != AS_E_NAME || sg_attr_index(frame->op, size->name) >= 0)
    return false;
  for (uint32_t i = 0; i < frame->op->nout; i++) {
    const as_dim *dim = &frame->op->out[i];
    if (dim->kind != AS_D_SIZE || !is_named(dim->size, size->name))
      continue;
    if (index != NULL || i >= out->n || out->ix[i].is_list)
      return false;
    index = out->ix[i].name;
  }
  passing of = {.frame = frame, .size = size->name};
  return index != NULL && is_only_passed(&of, out->body, index);
}

static void find_computed(const sg_call *frame, uint32_t arg, bool *computed) {
  const as_targ *pattern = &frame->op->arg[arg];
  uint32_t at = 0;
  for (uint32_t i = 0; i < pattern->n; i++) {
    const as_dim *dim = &pattern->dim[i];
    const sg_list_bind *list = dim->kind == AS_D_LIST ? sg_get_list(frame, dim->name) : NULL;
    bool passed = list ? is_in_result(frame->op, dim->name)
                       : dim->kind == AS_D_SIZE && passes_on(frame, dim->size);
    uint32_t n_axes = list ? list->labels.rank : 1;
    for (uint32_t k = 0; k < n_axes && at < AS_MAX_RANK; k++)
      computed[at++] = !passed;
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
    else if (dim->kind == AS_D_SIZE && passes_on(frame, dim->size))
      labels.ax[0] = sg_get_bind(frame->size, frame->n_sizes, dim->size->name)->labels;
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
