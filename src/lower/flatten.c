/* Where the tiles of what is loaded lie as those of what is stored do, an index within a tile
 * stands for the index in the tensor: tile number times extent plus it, on both sides. */
#include "flatten.h"
#include "body.h"

typedef struct {
  const lo_unit *unit;
  const lo_store *store;
  const lo_value *tile; /* what is stored of a block */
  bool failed;
} flattening;

static bool is_divided(const flattening *of, int axis) {
  return of->store->grid_axis[axis] >= 0;
}

/* Is an axis of a load divided among blocks as that axis of the store is? */
static bool lies_alike(const flattening *of, const lo_value *load, int axis, int stored) {
  const lo_store *store = of->store;
  return load->grid_axis[axis] == store->grid_axis[stored] &&
         load->slower_axes[axis] == store->slower_axes[stored] &&
         load->cut[axis] == store->cut[stored] && load->dim[axis] == of->tile->dim[stored];
}

static bool uses_divided(const flattening *of, const lx *expr) {
  for (int axis = 0; axis < of->tile->rank; axis++) {
    if (is_divided(of, axis) && lx_uses_var(expr, axis))
      return true;
  }
  return false;
}

/* the index in the tensor that is loaded, of an index in the tile; NULL: it is none of the store's
 */
static lx *whole_index(lo_job *job, const flattening *of, const lo_value *load, int axis,
                       lx *index) {
  if (load->by_loop[axis])
    return NULL;
  if (load->grid_axis[axis] < 0)
    return uses_divided(of, index) || load->cut[axis] ? NULL : index;
  bool single = load->dim[axis] == 1 && index->op == LX_INT && index->number == 0;
  if (index->op != LX_VAR && !single)
    return NULL;
  for (int stored = 0; stored < of->tile->rank; stored++) {
    if ((single || index->number == stored) && lies_alike(of, load, axis, stored))
      return lx_var(job, stored);
  }
  return NULL;
}

static lx *expand_ref(lo_job *job, void *arg, lx *ref);

static lx *fail(flattening *of, lx *ref) {
  of->failed = true;
  return ref;
}

static lx *expand_load(lo_job *job, flattening *of, const lo_value *load, lx *ref) {
  const lo_value *source = &job->value[load->source];
  lx *index[AS_MAX_RANK];
  if (source->place != LP_GLOBAL || source->through || lo_holds_integers(source))
    return fail(of, ref);
  for (int axis = 0; axis < ref->n; axis++) {
    index[axis] = whole_index(job, of, load, axis, ref->kid[axis]);
    if (index[axis] == NULL)
      return fail(of, ref);
  }
  return lx_ref(job, load->source, ref->n, index);
}

static lx *expand_ref(lo_job *job, void *arg, lx *ref) {
  flattening *of = arg;
  const lo_value *value = &job->value[ref->val];
  if (value->kind == LV_CONST)
    return lo_number(job, value);
  if (value->kind == LV_LOAD)
    return expand_load(job, of, value, ref);
  if (value->kind != LV_MAP || value->place == LP_GLOBAL || value->body == NULL)
    return fail(of, ref);
  return lx_map_refs(job, lx_subst(job, value->body, ref->kid, ref->n), expand_ref, of);
}

/* Is an index of a divided axis, or what is left of a tile, a number of its own somewhere? */
static bool counts_tiles(const flattening *of, const lx *expr) {
  if (expr->op == LX_CUT || expr->op == LX_FIRST || expr->op == LX_WHOLE)
    return true;
  if (expr->op == LX_VAR)
    return is_divided(of, (int)expr->number);
  for (int i = 0; i < expr->n; i++) {
    bool place = expr->op == LX_REF && expr->kid[i]->op == LX_VAR;
    if (!place && counts_tiles(of, expr->kid[i]))
      return true;
  }
  return false;
}

lx *lo_flatten(lo_job *job, const lo_unit *unit) {
  lx *index[AS_MAX_RANK];
  if (unit->flat || unit->n_store != 1 || unit->loop != 1 || unit->library)
    return NULL;
  const lo_store *store = &unit->store[0];
  flattening of = {.unit = unit, .store = store, .tile = &job->value[store->val]};
  const lo_value *target = &job->value[store->target];
  for (int axis = 0; axis < of.tile->rank; axis++) {
    if (target->live_dim[axis] || of.tile->live_dim[axis])
      return NULL;
    index[axis] = lx_var(job, axis);
  }
  lx *body = expand_ref(job, &of, lx_ref(job, store->val, of.tile->rank, index));
  if (of.failed || counts_tiles(&of, body))
    return NULL;
  return lx_simplify(job, body, target->dim, target->rank);
}
