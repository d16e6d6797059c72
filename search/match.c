/* Which axes the names of an operator's pattern stand for, in one call. */
#include "match.h"
#include <string.h>

uint8_t sg_root_of(const uint8_t *parent, uint8_t cls) {
  while (parent[cls] != cls)
    cls = parent[cls];
  return cls;
}

/* what is known of the parts of two classes that have become one */
static bool unite_parts(const sg_ctx *ctx, sg_class *kept, const sg_class *gone);

bool sg_same_class(const sg_ctx *ctx, sg_label left, sg_label right) {
  if (left == right)
    return true;
  if (left == SG_UNIT || right == SG_UNIT || !ctx->parent)
    return false;
  uint8_t left_root = sg_root_of(ctx->parent, (uint8_t)SG_CLASS(left));
  uint8_t right_root = sg_root_of(ctx->parent, (uint8_t)SG_CLASS(right));
  if (left_root == right_root)
    return true;
  if (ctx->part->classes[left_root].extent != ctx->part->classes[right_root].extent)
    return false;
  uint8_t kept = left_root < right_root ? left_root : right_root;
  uint8_t gone = left_root < right_root ? right_root : left_root;
  ctx->parent[gone] = kept;
  return !ctx->growing ||
         unite_parts(ctx, &ctx->growing->classes[kept], &ctx->growing->classes[gone]);
}

static bool unite_parts(const sg_ctx *ctx, sg_class *kept, const sg_class *gone) {
  if (gone->outer == SG_NO_CLASS)
    return true;
  if (kept->outer == SG_NO_CLASS) {
    kept->outer = gone->outer;
    kept->inner = gone->inner;
    return true;
  }
  bool alike = sg_same_class(ctx, SG_LABEL(kept->outer, 0), SG_LABEL(gone->outer, 0)) &&
               sg_same_class(ctx, SG_LABEL(kept->inner, 0), SG_LABEL(gone->inner, 0));
  kept->rigid |= !alike; /* split in two ways: no tile is one of both */
  return true;
}

static bool same_classes(const sg_ctx *ctx, const sg_axes *left, const sg_axes *right) {
  if (left->rank != right->rank)
    return false;
  for (uint32_t i = 0; i < left->rank; i++) {
    if (!sg_same_class(ctx, left->ax[i], right->ax[i]))
      return false;
  }
  return true;
}

bool sg_axes_eq(const sg_axes *left, const sg_axes *right) {
  return left->rank == right->rank && !memcmp(left->ax, right->ax, left->rank);
}

int sg_attr_index(const as_opdef *op, const char *name) {
  for (uint32_t i = 0; i < op->nattrs; i++) {
    if (!strcmp(op->attr[i], name))
      return (int)i;
  }
  return -1;
}

static bool attr_int(const sg_call *frame, int which, long *value) {
  const as_attr *attr = &frame->attr[which];
  if (attr->is_size)
    return as_size_is_const(frame->ctx->sizes, attr->size, value);
  if (mpz_cmp_ui(mpq_denref(attr->num), 1) || !mpz_fits_slong_p(mpq_numref(attr->num)))
    return false;
  *value = mpz_get_si(mpq_numref(attr->num));
  return true;
}

static bool expr_int(const sg_call *frame, const as_expr *expr, long *value) {
  if (expr->kind == AS_E_NUM) {
    *value = mpz_get_si(mpq_numref(expr->num));
    return !mpz_cmp_ui(mpq_denref(expr->num), 1);
  }
  if (expr->kind == AS_E_NEG) {
    bool ok = expr_int(frame, expr->kid[0], value);
    *value = -*value;
    return ok;
  }
  if (expr->kind == AS_E_ADD || expr->kind == AS_E_SUB) {
    long other;
    bool ok = expr_int(frame, expr->kid[0], value) && expr_int(frame, expr->kid[1], &other);
    return ok && !(expr->kind == AS_E_ADD ? __builtin_add_overflow(*value, other, value)
                                          : __builtin_sub_overflow(*value, other, value));
  }
  int which = expr->kind == AS_E_NAME ? sg_attr_index(frame->op, expr->name) : -1;
  return which >= 0 && attr_int(frame, which, value);
}

const sg_list_bind *sg_get_list(const sg_call *frame, const char *name) {
  for (uint32_t i = 0; i < frame->n_list; i++) {
    if (!strcmp(frame->list[i].name, name))
      return &frame->list[i];
  }
  return NULL;
}

sg_index_bind *sg_get_bind(sg_index_bind *binds, uint32_t n, const char *name) {
  while (n--) {
    if (!strcmp(binds[n].name, name))
      return &binds[n];
  }
  return NULL;
}

static bool bind_list(sg_call *frame, const char *name, const sg_label *ax, uint32_t n) {
  sg_axes labels = {n, {0}};
  memcpy(labels.ax, ax, n);
  const sg_list_bind *known = sg_get_list(frame, name);
  if (known)
    return same_classes(frame->ctx, &known->labels, &labels);
  if (frame->n_list == 12)
    return false;
  frame->list[frame->n_list++] = (sg_list_bind){name, labels};
  return true;
}

bool sg_match_arg(sg_call *frame, const as_targ *pattern, const sg_axes *axes) {
  uint32_t fixed = 0;
  uint32_t from = 0;
  uint32_t rest;
  long count[AS_MAX_RANK + 2];
  bool open = false;
  if (pattern->n > AS_MAX_RANK + 2)
    return false;
  for (uint32_t i = 0; i < pattern->n; i++) {
    count[i] = 1;
    if (pattern->dim[i].kind == AS_D_LIST && pattern->dim[i].count) {
      if (!expr_int(frame, pattern->dim[i].count, &count[i]))
        return false;
      if (count[i] < 0)
        count[i] += axes->rank;
      if (count[i] < 0 || count[i] > (long)axes->rank)
        return false;
    } else if (pattern->dim[i].kind == AS_D_LIST && sg_get_list(frame, pattern->dim[i].name)) {
      count[i] = sg_get_list(frame, pattern->dim[i].name)->labels.rank; /* bound before */
    } else if (pattern->dim[i].kind == AS_D_LIST) {
      if (open)
        return false;
      open = true;
      count[i] = -1;
    }
    if (count[i] > 0)
      fixed += (uint32_t)count[i];
  }
  if (fixed > axes->rank || (!open && fixed != axes->rank))
    return false;
  rest = axes->rank - fixed;
  for (uint32_t i = 0; i < pattern->n; i++) {
    const as_dim *dim = &pattern->dim[i];
    uint32_t n_axes = count[i] < 0 ? rest : (uint32_t)count[i];
    if (dim->kind == AS_D_LIST) {
      if (!bind_list(frame, dim->name, axes->ax + from, n_axes))
        return false;
    } else if (dim->kind == AS_D_SIZE && dim->size->kind == AS_E_NAME &&
               sg_attr_index(frame->op, dim->size->name) < 0) {
      sg_index_bind *known = sg_get_bind(frame->size, frame->n_sizes, dim->size->name);
      if (known) {
        if (!sg_same_class(frame->ctx, known->labels, axes->ax[from]))
          return false;
      } else if (frame->n_sizes == 12) {
        return false;
      } else {
        frame->size[frame->n_sizes++] = (sg_index_bind){dim->size->name, axes->ax[from], true};
      }
    } else {
      return false;
    }
    from += n_axes;
  }
  return true;
}

static bool subsequence(const sg_axes *part, const sg_axes *whole) {
  uint32_t next = 0;
  for (uint32_t j = 0; j < whole->rank && next < part->rank; j++)
    next += part->ax[next] == whole->ax[j];
  return next == part->rank;
}

/* axes of a tensor made of both, in the program's own order of axes */
bool sg_merge(const sg_part *part, const sg_axes *left, const sg_axes *right, sg_axes *out) {
  if (subsequence(right, left)) {
    *out = *left;
    return true;
  }
  if (subsequence(left, right)) {
    *out = *right;
    return true;
  }
  sg_axes merged = {0, {0}};
  for (uint32_t i = 0, j = 0; i < left->rank || j < right->rank;) {
    if (merged.rank == AS_MAX_RANK)
      return false;
    if (i < left->rank && j < right->rank && left->ax[i] == right->ax[j]) {
      merged.ax[merged.rank++] = left->ax[i++];
      j++;
    } else if (j == right->rank ||
               (i < left->rank && part->classes[SG_CLASS(left->ax[i])].rank <=
                                      part->classes[SG_CLASS(right->ax[j])].rank)) {
      merged.ax[merged.rank++] = left->ax[i++];
    } else {
      merged.ax[merged.rank++] = right->ax[j++];
    }
  }
  for (uint32_t i = 0; i < merged.rank; i++) {
    for (uint32_t j = 0; j < i; j++) {
      if (SG_CLASS(merged.ax[i]) == SG_CLASS(merged.ax[j]))
        return false;
    }
  }
  *out = merged;
  return true;
}

bool sg_match_broadcast(sg_call *frame, const as_dim *dim, sg_axes *merged) {
  const sg_list_bind *left = sg_get_list(frame, dim->b1);
  const sg_list_bind *right = sg_get_list(frame, dim->b2);
  if (!left || !right)
    return false;
  /* operands of element-wise operators and of batches are given the axes that they lack (build.c)
   */
  if (!frame->ctx->strict_ones && (sg_op_broadcasts(frame->op) || sg_op_batches(frame->op)))
    return sg_merge(frame->ctx->part, &left->labels, &right->labels, merged);
  merged->rank = left->labels.rank > right->labels.rank ? left->labels.rank : right->labels.rank;
  for (uint32_t i = 0; i < merged->rank; i++) { /* i counts from the right */
    sg_label left_label =
        i < left->labels.rank ? left->labels.ax[left->labels.rank - 1 - i] : SG_UNIT;
    sg_label right_label =
        i < right->labels.rank ? right->labels.ax[right->labels.rank - 1 - i] : SG_UNIT;
    if (left_label != SG_UNIT && right_label != SG_UNIT &&
        !sg_same_class(frame->ctx, left_label, right_label))
      return false;
    merged->ax[merged->rank - 1 - i] = left_label == SG_UNIT ? right_label : left_label;
  }
  return true;
}

bool sg_match_out(sg_call *frame, sg_axes *out) {
  out->rank = 0;
  for (uint32_t i = 0; i < frame->op->nout; i++) {
    const as_dim *dim = &frame->op->out[i];
    sg_axes labels = {1, {0}};
    if (dim->kind == AS_D_LIST) {
      const sg_list_bind *known = sg_get_list(frame, dim->name);
      if (!known)
        return false;
      labels = known->labels;
    } else if (dim->kind == AS_D_BCAST) {
      if (!sg_match_broadcast(frame, dim, &labels) || frame->n_list == 12)
        return false;
      frame->list[frame->n_list++] = (sg_list_bind){dim->name, labels};
    } else if (dim->size->kind == AS_E_NUM) {
      if (mpq_cmp_ui(dim->size->num, 1, 1))
        return false;
      labels.ax[0] = SG_UNIT;
    } else {
      sg_index_bind *known = dim->size->kind == AS_E_NAME
                                 ? sg_get_bind(frame->size, frame->n_sizes, dim->size->name)
                                 : NULL;
      if (!known)
        return false;
      labels.ax[0] = known->labels;
    }
    if (out->rank + labels.rank > AS_MAX_RANK)
      return false;
    memcpy(out->ax + out->rank, labels.ax, labels.rank);
    out->rank += labels.rank;
  }
  return true;
}
