/* One operator on labelled tensors: matches the shape pattern, follows the indices of the body,
 * computes the abstract expression. The operator's specification is all that is read, so that
 * operators of users work like built-in ones. */
#include "match.h"
#include <stdio.h>
#include <string.h>

ax_id sg_size_expr(const sg_ctx *ctx, as_size size) {
  ax_id sum = AX_ZERO;
  if (!ctx->A)
    return AX_ONE;
  for (uint32_t i = 0; i < as_size_nmono(ctx->sizes, size); i++) {
    as_size_mono mono = as_size_get_mono(ctx->sizes, size, i);
    ax_id product = ax_int(ctx->A, mono.coef);
    for (uint32_t j = 0; j < mono.n; j++) {
      ax_id factor = ax_size(ctx->A, mono.atom[j]);
      for (uint32_t cls = 0; ctx->plan && cls < ctx->part->n_classes;
           cls++) /* a size that the plan splits is the product of its parts */
      {
        if (ctx->part->classes[cls].extent == mono.atom[j] && ctx->plan->mode[cls] != SG_WHOLE &&
            ctx->whole[cls] != AX_BAD) {
          factor = ctx->whole[cls];
          break;
        }
      }
      product = ax_mul(ctx->A, product, factor);
    }
    sum = ax_add(ctx->A, sum, product);
  }
  return sum;
}

static bool label_size(const sg_call *frame, sg_label label, ax_id *size) {
  if (!frame->ctx->A || label == SG_UNIT) {
    *size = AX_ONE;
    return true;
  }
  *size =
      SG_IS_TILE(label) ? frame->ctx->tile[SG_CLASS(label)] : frame->ctx->whole[SG_CLASS(label)];
  return *size != AX_BAD;
}

static bool eval(sg_call *frame, const as_expr *e, ax_id *r);

/* how many axes of the tensor the indices behind index i take */
static uint32_t other_axes(sg_call *frame, const as_expr *access, uint32_t i) {
  uint32_t axes = 0;
  while (++i < access->n) {
    const sg_list_bind *known =
        access->acc[i] == AS_IX_LIST ? sg_get_list(frame, access->acc_name[i]) : NULL;
    axes += access->acc[i] == AS_IX_LIST ? (known ? known->labels.rank : 0) : 1;
  }
  return axes;
}

static bool access_labels(sg_call *frame, const as_expr *access, const sg_axes *have) {
  uint32_t next = 0;
  for (uint32_t i = 0; i < access->n; i++) {
    if (access->acc[i] == AS_IX_BCAST) { /* matched when the result was */
      uint32_t others = other_axes(frame, access, i);
      if (have->rank < next + others)
        return false;
      next = have->rank - others;
      continue;
    }
    if (access->acc[i] == AS_IX_LIST) {
      const sg_list_bind *known = sg_get_list(frame, access->acc_name[i]);
      if (!known || next + known->labels.rank > have->rank)
        return false;
      for (uint32_t j = 0; j < known->labels.rank; j++) {
        if (!sg_same_class(frame->ctx, known->labels.ax[j], have->ax[next + j]))
          return false;
      }
      next += known->labels.rank;
      continue;
    }
    if (next >= have->rank)
      return false;
    const as_expr *index = access->kid[i];
    if (index->kind == AS_E_NUM) {
      if (have->ax[next++] != SG_UNIT || mpq_sgn(index->num))
        return false;
      continue;
    }
    sg_index_bind *known =
        index->kind == AS_E_NAME ? sg_get_bind(frame->index, frame->n_index, index->name) : NULL;
    if (!known)
      return false;
    if (!known->known) {
      known->labels = have->ax[next];
      known->known = true;
    }
    if (!sg_same_class(frame->ctx, known->labels, have->ax[next++]))
      return false;
  }
  return next == have->rank;
}

static bool eval_access(sg_call *frame, const as_expr *access, ax_id *value) {
  for (uint32_t i = 0; i < frame->nargs; i++) {
    if (!strcmp(frame->op->arg[i].name, access->name)) {
      *value = frame->expr ? frame->expr[i] : AX_ONE;
      return access_labels(frame, access, &frame->arg[i]);
    }
  }
  for (uint32_t i = 0; i < frame->n_lets; i++) {
    if (!strcmp(frame->let[i].name, access->name)) {
      *value = frame->let[i].expr;
      return access_labels(frame, access, &frame->let[i].labels);
    }
  }
  return false;
}

/* blocks do not see each other: what the grid divides is not reduced in a block */
static bool may_reduce(const sg_ctx *ctx, uint32_t cls) {
  if (!ctx->plan)
    return true;
  const sg_class *of = &ctx->part->classes[cls];
  if (ctx->plan->mode[cls] == SG_GRID || ctx->plan->mode[cls] == SG_GRID_ONE)
    return false;
  return !sg_has_parts(ctx->part, cls) ||
         (may_reduce(ctx, of->inner) && may_reduce(ctx, of->outer));
}

/* the value reduced along a class, or along both of its parts */
static bool reduce_class(const sg_ctx *ctx, const as_expr *reduction, uint32_t cls, bool tile,
                         ax_id *value) {
  int parts = tile ? AX_TILE : AX_BOTH;
  if (sg_has_parts(ctx->part, cls)) {
    const sg_class *of = &ctx->part->classes[cls];
    bool inner_tile = tile && ctx->plan && ctx->plan->mode[of->inner] != SG_WHOLE;
    return reduce_class(ctx, reduction, of->inner, inner_tile, value) &&
           reduce_class(ctx, reduction, of->outer, tile, value);
  }
  if (reduction->kind == AS_E_SUM) {
    *value = ax_sum(ctx->A, *value, cls, parts, ctx->tile[cls], ctx->loop[cls]);
  } else if (reduction->kind == AS_E_MAXR || reduction->kind == AS_E_MINR) {
    *value = ax_extremum(ctx->A, reduction->kind == AS_E_MAXR, *value, cls, parts);
  } else {
    char head[32];
    snprintf(head, sizeof head, "prod%u_%d", cls, parts);
    *value = ax_opaque(ctx->A, head, value, 1, 0);
  }
  return *value != AX_BAD;
}

static bool eval_reduce(sg_call *frame, const as_expr *reduction, ax_id *value) {
  const as_expr *bound = reduction->kid[0];
  sg_index_bind *known =
      bound->kind == AS_E_NAME ? sg_get_bind(frame->size, frame->n_sizes, bound->name) : NULL;
  ax_id body;
  if (!known || frame->n_index == 24)
    return false;
  sg_label label = known->labels;
  frame->index[frame->n_index++] = (sg_index_bind){reduction->name, label, true};
  bool ok = eval(frame, reduction->kid[1], &body);
  frame->n_index--;
  if (!ok)
    return false;
  *value = body;
  if (label == SG_UNIT)
    return true;
  if (frame->ctx->reduced)
    *frame->ctx->reduced |= 1u << SG_CLASS(label);
  if (!may_reduce(frame->ctx, SG_CLASS(label)))
    return false;
  return !frame->ctx->A ||
         reduce_class(frame->ctx, reduction, SG_CLASS(label), SG_IS_TILE(label), value);
}

static bool eval_opaque(sg_call *frame, const as_expr *expr, const char *head, bool commutes,
                        ax_id *value) {
  ax_id args[8];
  if (expr->n > 8)
    return false;
  for (uint32_t i = 0; i < expr->n; i++) {
    if (!eval(frame, expr->kid[i], &args[i]))
      return false;
  }
  if (!frame->ctx->A)
    return true;
  if (commutes && args[0] > args[1]) {
    ax_id larger = args[0];
    args[0] = args[1];
    args[1] = larger;
  }
  *value = ax_opaque(frame->ctx->A, head, args, expr->n, 0);
  return *value != AX_BAD;
}

static bool eval_name(sg_call *frame, const as_expr *name_expr, ax_id *value) {
  ax_store *store = frame->ctx->A;
  if (sg_get_bind(frame->index, frame->n_index, name_expr->name))
    return false; /* the value depends on the position: tiles would differ */
  sg_index_bind *known = sg_get_bind(frame->size, frame->n_sizes, name_expr->name);
  if (known)
    return label_size(frame, known->labels, value);
  int which = sg_attr_index(frame->op, name_expr->name);
  if (which < 0)
    return false;
  *value = !store                       ? AX_ONE
           : frame->attr[which].is_size ? sg_size_expr(frame->ctx, frame->attr[which].size)
                                        : ax_const(store, frame->attr[which].num);
  return *value != AX_BAD;
}

const char *sg_opaque_head(const as_expr *expr) {
  static const char *const relations[] = {"=", "!=", "<=", "<"};
  switch (expr->kind) {
  case AS_E_CALL:
    return expr->name;
  case AS_E_ABS:
    return "abs";
  case AS_E_MAX2:
    return "max2";
  case AS_E_MIN2:
    return "min2";
  case AS_E_IF:
    return "if";
  case AS_E_AND:
    return "and";
  case AS_E_OR:
    return "or";
  case AS_E_NOT:
    return "not";
  case AS_E_REL:
    return relations[expr->rel & 3];
  default:
    return NULL;
  }
}

static bool eval(sg_call *frame, const as_expr *expr, ax_id *value) {
  ax_store *store = frame->ctx->A;
  ax_id left;
  ax_id right;
  *value = AX_ONE;
  switch (expr->kind) {
  case AS_E_NUM:
    if (store)
      *value = ax_const(store, expr->num);
    return *value != AX_BAD;
  case AS_E_NAME:
    return eval_name(frame, expr, value);
  case AS_E_ACCESS:
    return eval_access(frame, expr, value);
  case AS_E_CALL:
  case AS_E_ABS:
  case AS_E_MAX2:
  case AS_E_MIN2:
  case AS_E_IF:
  case AS_E_AND:
  case AS_E_OR:
  case AS_E_NOT:
  case AS_E_REL: {
    bool commutes = expr->kind == AS_E_MAX2 || expr->kind == AS_E_MIN2;
    return eval_opaque(frame, expr, sg_opaque_head(expr), commutes, value);
  }
  case AS_E_SUM:
  case AS_E_PROD:
  case AS_E_MAXR:
  case AS_E_MINR:
    return eval_reduce(frame, expr, value);
  case AS_E_IDIV:
  case AS_E_MOD:
    return false;
  case AS_E_NEG:
  case AS_E_EXP:
  case AS_E_LOG:
  case AS_E_SQRT:
  case AS_E_INV:
    if (!eval(frame, expr->kid[0], &left))
      return false;
    if (!store)
      return true;
    *value = expr->kind == AS_E_NEG    ? ax_neg(store, left)
             : expr->kind == AS_E_EXP  ? ax_exp(store, left)
             : expr->kind == AS_E_LOG  ? ax_log(store, left)
             : expr->kind == AS_E_SQRT ? ax_sqrt(store, left)
                                       : ax_inv(store, left);
    return *value != AX_BAD;
  case AS_E_ADD:
  case AS_E_SUB:
  case AS_E_MUL:
  case AS_E_FDIV:
    if (!eval(frame, expr->kid[0], &left) || !eval(frame, expr->kid[1], &right))
      return false;
    if (!store)
      return true;
    *value = expr->kind == AS_E_ADD   ? ax_add(store, left, right)
             : expr->kind == AS_E_SUB ? ax_add(store, left, ax_neg(store, right))
             : expr->kind == AS_E_MUL ? ax_mul(store, left, right)
                                      : ax_mul(store, left, ax_inv(store, right));
    return *value != AX_BAD;
  }
  return false;
}

/* left side of a definition; `shape` non-NULL: the axes of the result */
static bool bind_left(sg_call *frame, const as_let *definition, const sg_axes *shape) {
  uint32_t next = 0;
  frame->n_index = 0;
  for (uint32_t i = 0; i < definition->n; i++) {
    if (definition->ix[i].is_list) {
      const sg_list_bind *known = sg_get_list(frame, definition->ix[i].name);
      if (!known)
        return false;
      next += known->labels.rank;
    } else {
      if (frame->n_index == 24 || (shape && next >= shape->rank))
        return false;
      frame->index[frame->n_index++] =
          (sg_index_bind){definition->ix[i].name, shape ? shape->ax[next] : 0, shape != NULL};
      next++;
    }
  }
  return !shape || next == shape->rank;
}

static bool left_axes(sg_call *frame, const as_let *definition, sg_axes *labels) {
  uint32_t next = 0;
  labels->rank = 0;
  for (uint32_t i = 0; i < definition->n; i++) {
    sg_axes one = {1, {0}};
    if (definition->ix[i].is_list)
      one = sg_get_list(frame, definition->ix[i].name)->labels;
    else if (!frame->index[next].known)
      return false;
    else
      one.ax[0] = frame->index[next++].labels;
    if (labels->rank + one.rank > AS_MAX_RANK)
      return false;
    memcpy(labels->ax + labels->rank, one.ax, one.rank);
    labels->rank += one.rank;
  }
  return true;
}

bool sg_apply(const sg_ctx *ctx, const as_opdef *op, const as_attr *attr, uint32_t nargs,
              const sg_axes *arg, const ax_id *expr, sg_axes *out, ax_id *out_expr) {
  sg_call frame = {.ctx = ctx, .op = op, .attr = attr, .nargs = nargs, .arg = arg, .expr = expr};
  if (nargs != op->nargs || op->nlet > 12)
    return false;
  for (uint32_t i = 0; i < nargs; i++) {
    if (!sg_match_arg(&frame, &op->arg[i], &arg[i]))
      return false;
  }
  sg_view view = sg_op_view(op);
  if (view != SG_NO_VIEW) {
    if (ctx->A)
      *out_expr = expr[0];
    return sg_apply_view(&frame, view, out);
  }
  if (!sg_match_out(&frame, out))
    return false;
  for (uint32_t i = 0; i < op->nlet; i++) {
    const as_let *definition = &op->let[i];
    bool last = i + 1 == op->nlet;
    sg_let_bind bound = {definition->name, AX_ONE, {0, {0}}};
    if (!bind_left(&frame, definition, last ? out : NULL) ||
        !eval(&frame, definition->body, &bound.expr))
      return false;
    if (last)
      *out_expr = bound.expr;
    else if (!left_axes(&frame, definition, &bound.labels))
      return false;
    else
      frame.let[frame.n_lets++] = bound;
  }
  return true;
}

bool sg_op_broadcasts(const as_opdef *op) {
  return op->nout == 1 && op->out[0].kind == AS_D_BCAST;
}

bool sg_op_batches(const as_opdef *op) {
  if (op->nargs != 2 || op->nout < 2 || op->out[0].kind != AS_D_BCAST)
    return false;
  for (uint32_t i = 0; i < 2; i++) {
    const as_dim *batch = &op->arg[i].dim[0];
    const char *name = i == 0 ? op->out[0].b1 : op->out[0].b2;
    if (batch->kind != AS_D_LIST || batch->count || strcmp(batch->name, name))
      return false;
    for (uint32_t k = 1; k < op->arg[i].n; k++) {
      if (op->arg[i].dim[k].kind != AS_D_SIZE)
        return false;
    }
  }
  return true;
}

bool sg_op_is_pointwise(const as_opdef *op) {
  if (sg_op_broadcasts(op))
    return true;
  if (op->nlet != 1 || op->nout != 1 || op->out[0].kind != AS_D_LIST)
    return false;
  for (uint32_t i = 0; i < op->nargs; i++) {
    if (op->arg[i].n != 1 || op->arg[i].dim[0].kind != AS_D_LIST || op->arg[i].dim[0].count ||
        strcmp(op->arg[i].dim[0].name, op->out[0].name))
      return false;
  }
  return true;
}
