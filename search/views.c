/* Operators that only rename axes by arithmetic: an axis of p * q elements as two axes of p and q
 * (`x[.., i * q + j, ..]`) and back (`x[.., k div q, k mod q, ..]`).  They are found by what their
 * specifications say.  The axis of p * q elements is a class with two parts; who divides the outer
 * part among blocks, and leaves the inner part whole, divides the class into as many tiles.  Where
 * a block has one index of the outer part, its loop may go over the inner one, or one more axis of
 * the grid divide it. */
#include "match.h"
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

bool sg_is_looped(const sg_plan *plan, uint32_t cls) {
  return plan->loop >= 0 && plan->lead[cls] == plan->loop;
}

static bool is_output_axis(const sg_part *part, uint32_t cls) {
  for (uint32_t out = 0; out < part->n_output; out++) {
    const sg_axes *axes = &part->axes[part->output[out]];
    for (uint32_t k = 0; k < axes->rank; k++) {
      if (axes->ax[k] == SG_LABEL(cls, 0))
        return true;
    }
  }
  return false;
}

bool sg_loops_within(const sg_part *part, const sg_plan *plan, uint32_t cls) {
  const sg_class *of = &part->classes[cls];
  return of->outer != SG_NO_CLASS && plan->mode[of->outer] == SG_GRID_ONE &&
         sg_is_looped(plan, of->inner) && !is_output_axis(part, cls);
}

bool sg_grids_within(const sg_part *part, const sg_plan *plan, uint32_t cls) {
  const sg_class *of = &part->classes[cls];
  return of->outer != SG_NO_CLASS && plan->mode[of->outer] == SG_GRID_ONE &&
         plan->mode[of->inner] == SG_GRID && !sg_has_parts(part, of->inner);
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
  plan->lead[cls] = (uint8_t)cls;
  if (is_whole(part, plan, cls))
    return true;
  bool within = sg_loops_within(part, plan, cls) || sg_grids_within(part, plan, cls);
  if (of->rigid || part->classes[of->inner].may_be_empty ||
      (!within && !is_whole(part, plan, of->inner)))
    return false;
  plan->lead[cls] = plan->lead[within ? of->inner : of->outer];
  plan->mode[cls] = sg_is_looped(plan, cls) ? SG_LOOP : SG_GRID;
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
    return SG_LABEL(of->inner, plan->mode[of->inner] != SG_WHOLE);
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

/* --- applying them */
/* the parts of a class, by its root; where classes are still found, made if it has none */
static bool parts_of_class(const sg_call *frame, uint32_t cls, uint8_t parts[2]) {
  const sg_ctx *ctx = frame->ctx;
  if (ctx->parent)
    cls = sg_root_of(ctx->parent, (uint8_t)cls);
  const sg_class *of = &ctx->part->classes[cls];
  as_size extent[2];
  for (uint32_t i = 0; i < 2; i++) {
    const as_attr *attr = &frame->attr[sg_attr_index(frame->op, frame->op->out[i + 1].size->name)];
    if (!attr->is_size)
      return false;
    extent[i] = attr->size;
  }
  if (ctx->growing && of->outer == SG_NO_CLASS) {
    uint32_t outer = sg_fresh_class(ctx->growing, ctx->parent, extent[0], false);
    uint32_t inner = sg_fresh_class(ctx->growing, ctx->parent, extent[1], false);
    if (outer == SG_NO_CLASS || inner == SG_NO_CLASS)
      return false;
    ctx->growing->classes[cls].outer = (uint8_t)outer;
    ctx->growing->classes[cls].inner = (uint8_t)inner;
  }
  parts[0] = of->outer;
  parts[1] = of->inner;
  return of->outer != SG_NO_CLASS &&
         ctx->part->classes[parts[0]].extent == sg_known_extent(ctx->part, extent[0]) &&
         ctx->part->classes[parts[1]].extent == sg_known_extent(ctx->part, extent[1]);
}

/* the class that has these two as parts */
static uint32_t class_of_parts(const sg_ctx *ctx, uint8_t outer, uint8_t inner) {
  if (ctx->parent) {
    outer = sg_root_of(ctx->parent, outer);
    inner = sg_root_of(ctx->parent, inner);
  }
  for (uint32_t cls = 0; cls < ctx->part->n_classes; cls++) {
    const sg_class *of = &ctx->part->classes[cls];
    if (of->outer == SG_NO_CLASS || (ctx->parent && sg_root_of(ctx->parent, (uint8_t)cls) != cls))
      continue;
    uint8_t has_outer = ctx->parent ? sg_root_of(ctx->parent, of->outer) : of->outer;
    uint8_t has_inner = ctx->parent ? sg_root_of(ctx->parent, of->inner) : of->inner;
    if (has_outer == outer && has_inner == inner)
      return cls;
  }
  if (!ctx->growing)
    return SG_NO_CLASS;
  const sg_class *classes = ctx->part->classes;
  as_size extent = as_size_mul(ctx->part->g->sizes, classes[outer].extent, classes[inner].extent);
  uint32_t cls = sg_fresh_class(ctx->growing, ctx->parent, extent, false);
  if (cls != SG_NO_CLASS) {
    ctx->growing->classes[cls].outer = outer;
    ctx->growing->classes[cls].inner = inner;
  }
  return cls;
}

/* an inner part beside an index of the outer one: whole, or the loop's tile */
static sg_label inner_label(const sg_ctx *ctx, uint32_t cls, sg_label outer) {
  return SG_LABEL(cls, SG_IS_TILE(outer) && ctx->plan && ctx->plan->mode[cls] != SG_WHOLE);
}

bool sg_apply_view(const sg_call *frame, sg_view view, sg_axes *out) {
  sg_axes middle = {0, {0}};
  const sg_label first = frame->size[0].labels;
  if (first == SG_UNIT)
    return false;
  if (view == SG_VIEW_SPLIT) {
    uint8_t parts[2];
    if (!parts_of_class(frame, SG_CLASS(first), parts))
      return false;
    middle = (sg_axes){
        2, {SG_LABEL(parts[0], SG_IS_TILE(first)), inner_label(frame->ctx, parts[1], first)}};
  } else {
    const sg_label second = frame->size[1].labels;
    if (second == SG_UNIT || second != inner_label(frame->ctx, SG_CLASS(second), first))
      return false;
    uint32_t cls = class_of_parts(frame->ctx, (uint8_t)SG_CLASS(first), (uint8_t)SG_CLASS(second));
    if (cls == SG_NO_CLASS)
      return false;
    middle = (sg_axes){1, {SG_LABEL(cls, SG_IS_TILE(first))}};
  }
  const sg_axes *pieces[3] = {&frame->list[0].labels, &middle, &frame->list[1].labels};
  out->rank = 0;
  for (uint32_t i = 0; i < 3; i++) {
    if (out->rank + pieces[i]->rank > AS_MAX_RANK)
      return false;
    memcpy(out->ax + out->rank, pieces[i]->ax, pieces[i]->rank);
    out->rank += pieces[i]->rank;
  }
  return true;
}
