/* One operator on labelled tensors: matches the shape pattern, follows the indices of the body,
 * computes the abstract expression. The operator's specification is all that is read, so that
 * operators of users work like built-in ones. */
#include "sg.h"
#include <stdio.h>
#include <string.h>

typedef struct {
  const char *name;
  sg_axes labels;
} list_bind;

typedef struct {
  const char *name;
  sg_label labels;
  bool known;
} index_bind;

typedef struct {
  const char *name;
  ax_id expr;
  sg_axes labels;
} let_bind;

typedef struct {
  const sg_ctx *ctx;
  const as_opdef *op;
  const as_attr *attr;
  uint32_t nargs;
  const sg_axes *arg;
  const ax_id *expr;
  list_bind list[12];
  uint32_t n_list;
  index_bind size[12];
  uint32_t n_sizes; /* size symbols of the pattern */
  index_bind index[24];
  uint32_t n_index;
  let_bind let[12];
  uint32_t n_lets;
} call_frame;

static uint8_t root_of(uint8_t *parent, uint8_t cls) {
  while (parent[cls] != cls)
    cls = parent[cls];
  return cls;
}

/* what is known of the parts of two classes that have become one */
static bool unite_parts(const sg_ctx *ctx, sg_class *kept, const sg_class *gone);

static bool same_class(const sg_ctx *ctx, sg_label left, sg_label right) {
  if (left == right)
    return true;
  if (left == SG_UNIT || right == SG_UNIT || !ctx->parent)
    return false;
  uint8_t left_root = root_of(ctx->parent, (uint8_t)SG_CLASS(left));
  uint8_t right_root = root_of(ctx->parent, (uint8_t)SG_CLASS(right));
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
  bool alike = same_class(ctx, SG_LABEL(kept->outer, 0), SG_LABEL(gone->outer, 0)) &&
               same_class(ctx, SG_LABEL(kept->inner, 0), SG_LABEL(gone->inner, 0));
  kept->rigid |= !alike; /* split in two ways: no tile is one of both */
  return true;
}

static bool same_classes(const sg_ctx *ctx, const sg_axes *left, const sg_axes *right) {
  if (left->rank != right->rank)
    return false;
  for (uint32_t i = 0; i < left->rank; i++) {
    if (!same_class(ctx, left->ax[i], right->ax[i]))
      return false;
  }
  return true;
}

bool sg_axes_eq(const sg_axes *left, const sg_axes *right) {
  return left->rank == right->rank && !memcmp(left->ax, right->ax, left->rank);
}

static int attr_index(const as_opdef *op, const char *name) {
  for (uint32_t i = 0; i < op->nattrs; i++) {
    if (!strcmp(op->attr[i], name))
      return (int)i;
  }
  return -1;
}

static bool attr_int(const call_frame *frame, int which, long *value) {
  const as_attr *attr = &frame->attr[which];
  if (attr->is_size)
    return as_size_is_const(frame->ctx->sizes, attr->size, value);
  if (mpz_cmp_ui(mpq_denref(attr->num), 1) || !mpz_fits_slong_p(mpq_numref(attr->num)))
    return false;
  *value = mpz_get_si(mpq_numref(attr->num));
  return true;
}

static bool expr_int(const call_frame *frame, const as_expr *expr, long *value) {
  if (expr->kind == AS_E_NUM) {
    *value = mpz_get_si(mpq_numref(expr->num));
    return !mpz_cmp_ui(mpq_denref(expr->num), 1);
  }
  if (expr->kind == AS_E_NEG) {
    bool ok = expr_int(frame, expr->kid[0], value);
    *value = -*value;
    return ok;
  }
  int which = expr->kind == AS_E_NAME ? attr_index(frame->op, expr->name) : -1;
  return which >= 0 && attr_int(frame, which, value);
}

static const list_bind *get_list(const call_frame *frame, const char *name) {
  for (uint32_t i = 0; i < frame->n_list; i++) {
    if (!strcmp(frame->list[i].name, name))
      return &frame->list[i];
  }
  return NULL;
}

static index_bind *get_bind(index_bind *binds, uint32_t n, const char *name) {
  while (n--) {
    if (!strcmp(binds[n].name, name))
      return &binds[n];
  }
  return NULL;
}

static bool bind_list(call_frame *frame, const char *name, const sg_label *ax, uint32_t n) {
  sg_axes labels = {n, {0}};
  memcpy(labels.ax, ax, n);
  const list_bind *known = get_list(frame, name);
  if (known)
    return same_classes(frame->ctx, &known->labels, &labels);
  if (frame->n_list == 12)
    return false;
  frame->list[frame->n_list++] = (list_bind){name, labels};
  return true;
}

static bool match_arg(call_frame *frame, const as_targ *pattern, const sg_axes *axes) {
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
               attr_index(frame->op, dim->size->name) < 0) {
      index_bind *known = get_bind(frame->size, frame->n_sizes, dim->size->name);
      if (known) {
        if (!same_class(frame->ctx, known->labels, axes->ax[from]))
          return false;
      } else if (frame->n_sizes == 12) {
        return false;
      } else {
        frame->size[frame->n_sizes++] = (index_bind){dim->size->name, axes->ax[from], true};
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

static bool broadcast(call_frame *frame, const as_dim *dim, sg_axes *merged) {
  const list_bind *left = get_list(frame, dim->b1);
  const list_bind *right = get_list(frame, dim->b2);
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
        !same_class(frame->ctx, left_label, right_label))
      return false;
    merged->ax[merged->rank - 1 - i] = left_label == SG_UNIT ? right_label : left_label;
  }
  return true;
}

static bool match_out(call_frame *frame, sg_axes *out) {
  out->rank = 0;
  for (uint32_t i = 0; i < frame->op->nout; i++) {
    const as_dim *dim = &frame->op->out[i];
    sg_axes labels = {1, {0}};
    if (dim->kind == AS_D_LIST) {
      const list_bind *known = get_list(frame, dim->name);
      if (!known)
        return false;
      labels = known->labels;
    } else if (dim->kind == AS_D_BCAST) {
      if (!broadcast(frame, dim, &labels) || frame->n_list == 12)
        return false;
      frame->list[frame->n_list++] = (list_bind){dim->name, labels};
    } else if (dim->size->kind == AS_E_NUM) {
      if (mpq_cmp_ui(dim->size->num, 1, 1))
        return false;
      labels.ax[0] = SG_UNIT;
    } else {
      index_bind *known = dim->size->kind == AS_E_NAME
                              ? get_bind(frame->size, frame->n_sizes, dim->size->name)
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

static bool label_size(const call_frame *frame, sg_label label, ax_id *size) {
  if (!frame->ctx->A || label == SG_UNIT) {
    *size = AX_ONE;
    return true;
  }
  *size =
      SG_IS_TILE(label) ? frame->ctx->tile[SG_CLASS(label)] : frame->ctx->whole[SG_CLASS(label)];
  return *size != AX_BAD;
}

static bool eval(call_frame *frame, const as_expr *e, ax_id *r);

/* how many axes of the tensor the indices behind index i take */
static uint32_t other_axes(call_frame *frame, const as_expr *access, uint32_t i) {
  uint32_t axes = 0;
  while (++i < access->n) {
    const list_bind *known =
        access->acc[i] == AS_IX_LIST ? get_list(frame, access->acc_name[i]) : NULL;
    axes += access->acc[i] == AS_IX_LIST ? (known ? known->labels.rank : 0) : 1;
  }
  return axes;
}

static bool access_labels(call_frame *frame, const as_expr *access, const sg_axes *have) {
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
      const list_bind *known = get_list(frame, access->acc_name[i]);
      if (!known || next + known->labels.rank > have->rank)
        return false;
      for (uint32_t j = 0; j < known->labels.rank; j++) {
        if (!same_class(frame->ctx, known->labels.ax[j], have->ax[next + j]))
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
    index_bind *known =
        index->kind == AS_E_NAME ? get_bind(frame->index, frame->n_index, index->name) : NULL;
    if (!known)
      return false;
    if (!known->known) {
      known->labels = have->ax[next];
      known->known = true;
    }
    if (!same_class(frame->ctx, known->labels, have->ax[next++]))
      return false;
  }
  return next == have->rank;
}

static bool eval_access(call_frame *frame, const as_expr *access, ax_id *value) {
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

/* the value reduced along a class, or along both of its parts */
static bool reduce_class(const sg_ctx *ctx, const as_expr *reduction, uint32_t cls, bool tile,
                         ax_id *value) {
  int parts = tile ? AX_TILE : AX_BOTH;
  if (ctx->plan && (ctx->plan->mode[cls] == SG_GRID || ctx->plan->mode[cls] == SG_GRID_ONE))
    return false; /* blocks do not see each other */
  if (sg_has_parts(ctx->part, cls)) {
    const sg_class *of = &ctx->part->classes[cls];
    return reduce_class(ctx, reduction, of->inner, false, value) &&
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

static bool eval_reduce(call_frame *frame, const as_expr *reduction, ax_id *value) {
  const as_expr *bound = reduction->kid[0];
  index_bind *known =
      bound->kind == AS_E_NAME ? get_bind(frame->size, frame->n_sizes, bound->name) : NULL;
  ax_id body;
  if (!known || frame->n_index == 24)
    return false;
  sg_label label = known->labels;
  frame->index[frame->n_index++] = (index_bind){reduction->name, label, true};
  bool ok = eval(frame, reduction->kid[1], &body);
  frame->n_index--;
  if (!ok)
    return false;
  *value = body;
  return !frame->ctx->A || label == SG_UNIT ||
         reduce_class(frame->ctx, reduction, SG_CLASS(label), SG_IS_TILE(label), value);
}

static bool eval_opaque(call_frame *frame, const as_expr *expr, const char *head, bool commutes,
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

static bool eval_name(call_frame *frame, const as_expr *name_expr, ax_id *value) {
  ax_store *store = frame->ctx->A;
  if (get_bind(frame->index, frame->n_index, name_expr->name))
    return false; /* the value depends on the position: tiles would differ */
  index_bind *known = get_bind(frame->size, frame->n_sizes, name_expr->name);
  if (known)
    return label_size(frame, known->labels, value);
  int which = attr_index(frame->op, name_expr->name);
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

static bool eval(call_frame *frame, const as_expr *expr, ax_id *value) {
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
static bool bind_left(call_frame *frame, const as_let *definition, const sg_axes *shape) {
  uint32_t next = 0;
  frame->n_index = 0;
  for (uint32_t i = 0; i < definition->n; i++) {
    if (definition->ix[i].is_list) {
      const list_bind *known = get_list(frame, definition->ix[i].name);
      if (!known)
        return false;
      next += known->labels.rank;
    } else {
      if (frame->n_index == 24 || (shape && next >= shape->rank))
        return false;
      frame->index[frame->n_index++] =
          (index_bind){definition->ix[i].name, shape ? shape->ax[next] : 0, shape != NULL};
      next++;
    }
  }
  return !shape || next == shape->rank;
}

static bool left_axes(call_frame *frame, const as_let *definition, sg_axes *labels) {
  uint32_t next = 0;
  labels->rank = 0;
  for (uint32_t i = 0; i < definition->n; i++) {
    sg_axes one = {1, {0}};
    if (definition->ix[i].is_list)
      one = get_list(frame, definition->ix[i].name)->labels;
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

/* the parts of a class, by its root; where classes are still found, made if it has none */
static bool parts_of_class(const call_frame *frame, uint32_t cls, uint8_t parts[2]) {
  const sg_ctx *ctx = frame->ctx;
  if (ctx->parent)
    cls = root_of(ctx->parent, (uint8_t)cls);
  const sg_class *of = &ctx->part->classes[cls];
  as_size extent[2];
  for (uint32_t i = 0; i < 2; i++) {
    const as_attr *attr = &frame->attr[attr_index(frame->op, frame->op->out[i + 1].size->name)];
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
    outer = root_of(ctx->parent, outer);
    inner = root_of(ctx->parent, inner);
  }
  for (uint32_t cls = 0; cls < ctx->part->n_classes; cls++) {
    const sg_class *of = &ctx->part->classes[cls];
    if (of->outer == SG_NO_CLASS || (ctx->parent && root_of(ctx->parent, (uint8_t)cls) != cls))
      continue;
    uint8_t has_outer = ctx->parent ? root_of(ctx->parent, of->outer) : of->outer;
    uint8_t has_inner = ctx->parent ? root_of(ctx->parent, of->inner) : of->inner;
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

/* one axis as two, or two as one: the same value on other axes */
static bool apply_view(const call_frame *frame, sg_view view, sg_axes *out) {
  sg_axes middle = {0, {0}};
  const sg_label first = frame->size[0].labels;
  if (first == SG_UNIT)
    return false;
  if (view == SG_VIEW_SPLIT) {
    uint8_t parts[2];
    if (!parts_of_class(frame, SG_CLASS(first), parts))
      return false;
    middle = (sg_axes){2, {SG_LABEL(parts[0], SG_IS_TILE(first)), SG_LABEL(parts[1], 0)}};
  } else {
    const sg_label second = frame->size[1].labels;
    if (second == SG_UNIT || SG_IS_TILE(second))
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

bool sg_apply(const sg_ctx *ctx, const as_opdef *op, const as_attr *attr, uint32_t nargs,
              const sg_axes *arg, const ax_id *expr, sg_axes *out, ax_id *out_expr) {
  call_frame frame = {.ctx = ctx, .op = op, .attr = attr, .nargs = nargs, .arg = arg, .expr = expr};
  if (nargs != op->nargs || op->nlet > 12)
    return false;
  for (uint32_t i = 0; i < nargs; i++) {
    if (!match_arg(&frame, &op->arg[i], &arg[i]))
      return false;
  }
  sg_view view = sg_op_view(op);
  if (view != SG_NO_VIEW) {
    if (ctx->A)
      *out_expr = expr[0];
    return apply_view(&frame, view, out);
  }
  if (!match_out(&frame, out))
    return false;
  for (uint32_t i = 0; i < op->nlet; i++) {
    const as_let *definition = &op->let[i];
    bool last = i + 1 == op->nlet;
    let_bind bound = {definition->name, AX_ONE, {0, {0}}};
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
