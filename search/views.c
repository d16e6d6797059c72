/* Operators that only rename axes by arithmetic: an axis of p * q elements as two axes of p and q
 * (`x[.., i * q + j, ..]`) and back (`x[.., k div q, k mod q, ..]`).  They are found by what their
 * specifications say.  The axis of p * q elements is a class with two parts; who divides the outer
 * part among blocks, and leaves the inner part whole, divides the class into as many tiles. */
#include "sg.h"
#include <string.h>

static bool is_name(const as_expr *expr, const char *name) {
  return expr && expr->kind == AS_E_NAME && !strcmp(expr->name, name);
}

static bool is_attribute(const as_opdef *op, const as_expr *expr) {
  for (uint32_t i = 0; i < op->nattrs; i++) {
    if (is_name(expr, op->attr[i]))
      return true;
  }
  return false;
}

/* `over op under` of two names, under a size */
static bool is_quotient(const as_expr *expr, as_ekind kind, const char *over,
                        const as_expr *under) {
  return expr && expr->kind == kind && is_name(expr->kid[0], over) && under->kind == AS_E_NAME &&
         is_name(expr->kid[1], under->name);
}

static bool is_list(const as_dim *dim, const char *name) {
  return dim->kind == AS_D_LIST && !strcmp(dim->name, name);
}

/* the lists around: `[..a@axis, <n_in axes>, ..b]` to `[..a, <n_out axes>, ..b]`, in the shapes and
 * in the indices */
static bool has_lists_around(const as_opdef *op, uint32_t n_in, uint32_t n_out) {
  const as_targ *arg = &op->arg[0];
  const as_let *let = &op->let[0];
  const as_expr *body = let->body;
  if (arg->n != n_in + 2 || op->nout != n_out + 2 || let->n != n_out + 2 || body->n != n_in + 2 ||
      arg->dim[0].kind != AS_D_LIST || arg->dim[n_in + 1].kind != AS_D_LIST)
    return false;
  const char *before = arg->dim[0].name;
  const char *behind = arg->dim[n_in + 1].name;
  for (uint32_t i = 1; i <= n_in; i++) {
    if (arg->dim[i].kind != AS_D_SIZE || body->acc[i] != AS_IX_SCALAR)
      return false;
  }
  for (uint32_t i = 1; i <= n_out; i++) {
    if (op->out[i].kind != AS_D_SIZE || let->ix[i].is_list)
      return false;
  }
  return is_list(&op->out[0], before) && is_list(&op->out[n_out + 1], behind) &&
         let->ix[0].is_list && !strcmp(let->ix[0].name, before) && let->ix[n_out + 1].is_list &&
         !strcmp(let->ix[n_out + 1].name, behind) && body->acc[0] == AS_IX_LIST &&
         !strcmp(body->acc_name[0], before) && body->acc[n_in + 1] == AS_IX_LIST &&
         !strcmp(body->acc_name[n_in + 1], behind);
}

static bool splits_axis(const as_opdef *op) {
  if (!has_lists_around(op, 1, 2))
    return false;
  const as_expr *index = op->let[0].body->kid[1];
  const as_expr *outer = op->out[1].size;
  const as_expr *inner = op->out[2].size;
  const as_ix *ix = op->let[0].ix;
  if (!is_attribute(op, outer) || !is_attribute(op, inner) || index->kind != AS_E_ADD ||
      index->kid[0]->kind != AS_E_MUL)
    return false;
  return is_name(index->kid[0]->kid[0], ix[1].name) &&
         is_name(index->kid[0]->kid[1], inner->name) && is_name(index->kid[1], ix[2].name);
}

static bool merges_axes(const as_opdef *op) {
  if (!has_lists_around(op, 2, 1))
    return false;
  const as_expr *body = op->let[0].body;
  const as_expr *outer = op->arg[0].dim[1].size;
  const as_expr *inner = op->arg[0].dim[2].size;
  const as_expr *extent = op->out[1].size;
  const char *index = op->let[0].ix[1].name;
  if (outer->kind != AS_E_NAME || inner->kind != AS_E_NAME || extent->kind != AS_E_MUL)
    return false;
  return is_name(extent->kid[0], outer->name) && is_name(extent->kid[1], inner->name) &&
         is_quotient(body->kid[1], AS_E_IDIV, index, inner) &&
         is_quotient(body->kid[2], AS_E_MOD, index, inner);
}

sg_view sg_op_view(const as_opdef *op) {
  if (op->nargs != 1 || op->nlet != 1 || op->let[0].body->kind != AS_E_ACCESS)
    return SG_NO_VIEW;
  return splits_axis(op) ? SG_VIEW_SPLIT : merges_axes(op) ? SG_VIEW_MERGE : SG_NO_VIEW;
}

bool sg_has_parts(const sg_part *part, uint32_t cls) {
  return part->classes[cls].outer != SG_NO_CLASS;
}

bool sg_class_has(const sg_part *part, uint32_t cls, uint32_t wanted) {
  const sg_class *of = &part->classes[cls];
  return cls == wanted || (of->outer != SG_NO_CLASS && (sg_class_has(part, of->outer, wanted) ||
                                                        sg_class_has(part, of->inner, wanted)));
}

bool sg_label_has(const sg_part *part, sg_label label, uint32_t cls) {
  return label != SG_UNIT && sg_class_has(part, SG_CLASS(label), cls);
}

uint64_t sg_class_dep(const sg_part *part, uint32_t cls) {
  const sg_class *of = &part->classes[cls];
  return of->outer == SG_NO_CLASS ? 3ull << (2 * cls)
                                  : sg_class_dep(part, of->outer) | sg_class_dep(part, of->inner);
}

/* whether all of the class' elements are in one tile */
static bool is_whole(const sg_part *part, const sg_plan *plan, uint32_t cls) {
  const sg_class *of = &part->classes[cls];
  return of->outer == SG_NO_CLASS
             ? plan->mode[cls] == SG_WHOLE
             : is_whole(part, plan, of->outer) && is_whole(part, plan, of->inner);
}

/* the mode of a class with parts follows from theirs; false: its tiles would have gaps, or a part
 * that nothing may divide is divided */
static bool settle_class(const sg_part *part, sg_plan *plan, uint32_t cls) {
  const sg_class *of = &part->classes[cls];
  if (of->outer == SG_NO_CLASS)
    return true;
  if (!settle_class(part, plan, of->outer) || !settle_class(part, plan, of->inner))
    return false;
  plan->mode[cls] = SG_WHOLE;
  if (is_whole(part, plan, cls))
    return true;
  bool by_loop = plan->mode[of->outer] == SG_LOOP;
  if (of->rigid || by_loop || !is_whole(part, plan, of->inner) ||
      part->classes[of->inner].may_be_empty)
    return false;
  plan->mode[cls] = SG_GRID;
  plan->lead[cls] = plan->lead[of->outer];
  return true;
}

bool sg_settle_parts(const sg_part *part, sg_plan *plan) {
  for (uint32_t cls = 0; cls < part->n_classes; cls++) {
    if (!settle_class(part, plan, cls))
      return false;
  }
  return true;
}

sg_label sg_flat_label(const sg_part *part, const sg_plan *plan, sg_label label) {
  if (label == SG_UNIT || !SG_IS_TILE(label))
    return label;
  const sg_class *of = &part->classes[SG_CLASS(label)];
  if (plan->mode[SG_CLASS(label)] == SG_GRID_ONE)
    return SG_UNIT;
  if (of->outer != SG_NO_CLASS && sg_flat_label(part, plan, SG_LABEL(of->outer, true)) == SG_UNIT)
    return SG_LABEL(of->inner, false);
  return label;
}

bool sg_same_but_units(const sg_part *part, const sg_plan *plan, const sg_axes *left,
                       const sg_axes *right) {
  uint32_t i = 0;
  uint32_t j = 0;
  for (;;) {
    while (i < left->rank && sg_flat_label(part, plan, left->ax[i]) == SG_UNIT)
      i++;
    while (j < right->rank && sg_flat_label(part, plan, right->ax[j]) == SG_UNIT)
      j++;
    if (i == left->rank || j == right->rank)
      return i == left->rank && j == right->rank;
    if (sg_flat_label(part, plan, left->ax[i++]) != sg_flat_label(part, plan, right->ax[j++]))
      return false;
  }
}
