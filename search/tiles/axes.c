#include "axes.h"
#include "search/sg.h"
#include "src/base/mem.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  const as_graph *graph;
  tl_axes *axes;
  as_vec parent; /* uint32_t: union-find over classes, while they are found */
  as_vec found;  /* tl_axis_class */
} finder;

static uint32_t root(const finder *f, uint32_t cls) {
  const uint32_t *parent = f->parent.data;
  while (parent[cls] != cls)
    cls = parent[cls];
  return cls;
}

static uint32_t fresh(finder *f, as_size extent) {
  uint32_t cls = (uint32_t)f->parent.n;
  tl_axis_class one = {.extent = extent, .outer = AS_NONE, .inner = AS_NONE, .is_batch = true};
  as_vec_push(&f->parent, &cls);
  as_vec_push(&f->found, &one);
  return cls;
}

static tl_axis_class *class_of(const finder *f, uint32_t cls) {
  return &AS_VEC_AT(&f->found, tl_axis_class, root(f, cls));
}

static void unite(finder *f, uint32_t left, uint32_t right) {
  if (left == AS_NONE || right == AS_NONE)
    return;
  left = root(f, left);
  right = root(f, right);
  if (left == right)
    return;
  tl_axis_class *into = class_of(f, left);
  tl_axis_class from = *class_of(f, right);
  AS_VEC_AT(&f->parent, uint32_t, right) = left;
  if (into->outer == AS_NONE) {
    into->outer = from.outer;
    into->inner = from.inner;
    if (from.outer != AS_NONE)
      into->extent = from.extent;
  } else if (from.outer != AS_NONE) {
    unite(f, into->outer, from.outer); /* the same axis written as two in two places */
    unite(f, into->inner, from.inner);
  }
}

static void new_axes(finder *f, as_node_id id) {
  const as_node *node = &f->graph->node[id];
  for (uint32_t k = 0; k < node->rank; k++) {
    if (f->axes->node[id].cls[k] == AS_NONE && node->dim[k] != AS_SIZE_ONE)
      f->axes->node[id].cls[k] = fresh(f, node->dim[k]);
  }
}

static void set_parts(finder *f, uint32_t whole, uint32_t outer, uint32_t inner) {
  if (whole == AS_NONE || outer == AS_NONE || inner == AS_NONE)
    return;
  tl_axis_class *of = class_of(f, whole);
  if (of->outer != AS_NONE) {
    unite(f, of->outer, outer);
    unite(f, of->inner, inner);
    return;
  }
  of->outer = outer;
  of->inner = inner;
  of->extent = as_size_mul(f->graph->sizes, class_of(f, outer)->extent, class_of(f, inner)->extent);
}

/* an axis as two: those around are passed on */
static void view_axes(finder *f, as_node_id id, bool splits) {
  const as_node *node = &f->graph->node[id];
  const as_node *from = &f->graph->node[node->arg[0]];
  const uint32_t *of = f->axes->node[node->arg[0]].cls;
  uint32_t *out = f->axes->node[id].cls;
  uint32_t at = 0;
  while (at < node->rank && at < from->rank && node->dim[at] == from->dim[at])
    out[at] = of[at], at++;
  uint32_t behind = (splits ? from->rank - 1 : node->rank - 1) - at;
  uint32_t n_from = splits ? 1 : 2;
  uint32_t n_out = splits ? 2 : 1;
  for (uint32_t k = 0; k < behind; k++)
    out[at + n_out + k] = of[at + n_from + k];
  new_axes(f, id);
  if (splits)
    set_parts(f, of[at], out[at], out[at + 1]);
  else
    set_parts(f, out[at], of[at], of[at + 1]);
}

static bool operator_axes(finder *f, as_node_id id, as_err *err) {
  const as_node *node = &f->graph->node[id];
  tl_node_axes *own = &f->axes->node[id];
  as_size dim[AS_MAX_ARGS][8];
  uint32_t rank[AS_MAX_ARGS];
  sg_view view = sg_op_view(node->op);
  for (uint32_t i = 0; i < node->nargs; i++) {
    const as_node *arg = &f->graph->node[node->arg[i]];
    rank[i] = arg->rank;
    memcpy(dim[i], arg->dim, arg->rank * sizeof *arg->dim);
  }
  if (!tl_roles_of(f->graph->sizes, node->op, node->attr, (const as_size(*)[8])dim, rank,
                   node->nargs, &own->roles, err))
    return false;
  own->is_view = view != SG_NO_VIEW;
  if (own->is_view) {
    view_axes(f, id, view == SG_VIEW_SPLIT);
    return true;
  }
  uint32_t sum[AS_MAX_RANK];
  memset(sum, 0xff, sizeof sum);
  for (uint32_t i = 0; i < node->nargs; i++) {
    for (uint32_t k = 0; k < rank[i]; k++) {
      tl_role role = own->roles.arg[i][k];
      uint32_t cls = f->axes->node[node->arg[i]].cls[k];
      uint32_t *meets = role.kind == TL_AXIS_PASSED   ? &own->cls[role.to]
                        : role.kind == TL_AXIS_SUMMED ? &sum[role.to]
                                                      : NULL;
      if (meets && *meets == AS_NONE)
        *meets = cls;
      else if (meets)
        unite(f, *meets, cls);
    }
  }
  new_axes(f, id);
  return true;
}

/* classes that were united get one number */
static void number(finder *f) {
  uint32_t n = (uint32_t)f->parent.n;
  uint32_t *to = as_malloc((n + 1) * sizeof *to);
  tl_axes *axes = f->axes;
  axes->cls = as_calloc(n + 1, sizeof *axes->cls);
  for (uint32_t cls = 0; cls < n; cls++) {
    if (root(f, cls) != cls)
      continue;
    to[cls] = axes->n_cls;
    axes->cls[axes->n_cls++] = *class_of(f, cls);
  }
  for (uint32_t cls = 0; cls < axes->n_cls; cls++) {
    tl_axis_class *of = &axes->cls[cls];
    if (of->outer == AS_NONE)
      continue;
    of->outer = to[root(f, of->outer)];
    of->inner = to[root(f, of->inner)];
    axes->cls[of->outer].is_outer = true;
    axes->cls[of->inner].is_inner = true;
  }
  for (uint32_t i = 0; i < f->graph->n; i++) {
    const as_node *node = &f->graph->node[i];
    for (uint32_t k = 0; k < node->rank; k++) {
      uint32_t *cls = &axes->node[i].cls[k];
      if (*cls == AS_NONE)
        continue;
      *cls = to[root(f, *cls)];
      axes->cls[*cls].is_batch &= k + 2 < node->rank;
    }
  }
  free(to);
}

bool tl_axes_init(tl_axes *axes, const as_graph *graph, as_err *err) {
  finder f = {.graph = graph, .axes = axes};
  *axes = (tl_axes){.node = as_calloc(graph->n + 1, sizeof *axes->node)};
  as_vec_init(&f.parent, sizeof(uint32_t));
  as_vec_init(&f.found, sizeof(tl_axis_class));
  bool ok = true;
  for (uint32_t i = 0; ok && i < graph->n; i++) {
    memset(axes->node[i].cls, 0xff, sizeof axes->node[i].cls);
    if (graph->node[i].kind == AS_N_OP)
      ok = operator_axes(&f, i, err);
    else
      new_axes(&f, i);
  }
  if (ok)
    number(&f);
  as_vec_clear(&f.parent);
  as_vec_clear(&f.found);
  return ok;
}

void tl_axes_clear(tl_axes *axes) {
  free(axes->node);
  free(axes->cls);
  *axes = (tl_axes){0};
}
