/* Where kernels of a tile program are cut, so that each has at most one loop that sums, and what
 * each kernel stores. */
#include "blocks_int.h"
#include <stdlib.h>
#include <string.h>

/* ---- which sums a value is made of, after the cuts so far */
static uint64_t sums_of(const tv_program *p, uint32_t number) {
  const tv_value *value = TV_VALUE(p, number);
  const tv_store *store;
  tv_renaming renaming;
  uint64_t all = 0;
  if (TV_CUT(p, number)->is)
    return 0;
  if (value->kind == TV_TOTAL || value->kind == TV_MOST)
    return UINT64_C(1) << value->of;
  if (value->kind == TV_LOAD)
    return tv_forwards(p, value, &store, &renaming) ? sums_of(p, store->value) : 0;
  for (uint32_t i = 0; i < value->n_arg; i++)
    all |= sums_of(p, value->arg[i]);
  return all;
}

static uint64_t renamed(uint64_t loops, const tv_renaming *renaming) {
  uint64_t out = loops;
  for (uint32_t i = 0; i < renaming->n; i++)
    out &= ~(UINT64_C(1) << renaming->from[i]);
  for (uint32_t i = 0; i < renaming->n; i++)
    out |= loops >> renaming->from[i] & 1 ? UINT64_C(1) << renaming->to[i] : 0;
  return out;
}

static uint64_t loops_of_place(const tv_program *p, const as_tile_stmt *stmt) {
  tv_part part[AS_MAX_RANK];
  uint64_t all = 0;
  if (!tv_place(p, stmt, part))
    return 0; /* which is an error when it is built */
  for (uint32_t d = 0; d < stmt->n_place; d++) {
    for (uint32_t i = 0; i < part[d].n; i++)
      all |= UINT64_C(1) << part[d].loop[i];
  }
  return all;
}

uint64_t tv_loops_of(const tv_program *p, uint32_t number) {
  const tv_value *value = TV_VALUE(p, number);
  const tv_store *store;
  tv_renaming renaming;
  uint64_t all = 0;
  if (value->kind == TV_LOAD) {
    bool forwards = tv_forwards(p, value, &store, &renaming);
    return forwards ? renamed(tv_loops_of(p, store->value), &renaming)
                    : loops_of_place(p, value->stmt);
  }
  for (uint32_t i = 0; i < value->n_arg; i++)
    all |= tv_loops_of(p, value->arg[i]);
  if (value->kind == TV_TOTAL || value->kind == TV_MOST)
    all &= ~(UINT64_C(1) << value->of);
  if (value->kind == TV_MOST)
    all &= ~(UINT64_C(1) << TV_VALUE(p, value->arg[0])->loop);
  return all;
}

/* ---- cutting */
typedef struct {
  tv_program *p;
  as_vec *roots;
  bool changed;
} planner;

static void add_cut(planner *plan, uint32_t number) {
  if (TV_CUT(plan->p, number)->is)
    return;
  TV_CUT(plan->p, number)->is = true;
  tv_root root = {.is_store = false, .number = number, .value = number, .sums = AS_NONE};
  as_vec_push(plan->roots, &root);
  plan->changed = true;
}

/* does a value reduce elements of what is stored or loaded? */
static bool reduces(const tv_program *p, uint32_t number) {
  const tv_value *value = TV_VALUE(p, number);
  bool found = value->kind == TV_CALL && tv_reduces(value->expr->op);
  for (uint32_t i = 0; i < value->n_arg && value->kind == TV_CALL && !found; i++)
    found = !TV_CUT(p, value->arg[i])->is && reduces(p, value->arg[i]);
  return found;
}

static void cut_sums(planner *plan, uint32_t number) {
  const tv_value *value = TV_VALUE(plan->p, number);
  const tv_store *store;
  tv_renaming renaming;
  if (TV_CUT(plan->p, number)->is)
    return;
  if (value->kind == TV_TOTAL || value->kind == TV_MOST) {
    add_cut(plan, number);
  } else if (value->kind == TV_LOAD) {
    if (tv_forwards(plan->p, value, &store, &renaming))
      cut_sums(plan, store->value);
  } else {
    for (uint32_t i = 0; i < value->n_arg; i++)
      cut_sums(plan, value->arg[i]);
  }
}

/* a value that is made of a sum, and needed where that loop cannot be */
static void cut(planner *plan, uint32_t number) {
  as_tile_cut how = plan->p->how->cut;
  uint32_t late = number;
  while (how != AS_TILE_CUT_SUMS && tv_is_move(TV_VALUE(plan->p, late)))
    late = TV_VALUE(plan->p, late)->arg[0];
  if (how != AS_TILE_CUT_LATE)
    cut_sums(plan, late);
  if (how != AS_TILE_CUT_SUMS)
    add_cut(plan, late);
}

/* A part of a tensor that is changed is small beside the tensor: what reduces elements for it is a
 * kernel of its own, so that the one that moves the tensor has tiles of any extent. */
static void cut_updating(planner *plan, const tv_value *update) {
  uint32_t late = update->arg[1];
  while (tv_is_move(TV_VALUE(plan->p, late)))
    late = TV_VALUE(plan->p, late)->arg[0];
  if (reduces(plan->p, late))
    add_cut(plan, late);
}

static uint32_t last_of(uint64_t loops) {
  uint32_t last = 0;
  for (uint32_t i = 0; i < TV_MOST_LOOPS; i++)
    last = loops >> i & 1 ? i : last;
  return last;
}

/* one kernel makes sums over one loop: the last of those that the value needs */
static void cut_others(planner *plan, const tv_value *value) {
  uint64_t all = 0;
  for (uint32_t i = 0; i < value->n_arg; i++)
    all |= sums_of(plan->p, value->arg[i]);
  if ((all & (all - 1)) == 0)
    return;
  uint64_t kept = UINT64_C(1) << last_of(all);
  for (uint32_t i = 0; i < value->n_arg; i++) {
    uint64_t own = sums_of(plan->p, value->arg[i]);
    if (own && (own & kept) == 0)
      cut(plan, value->arg[i]);
  }
}

static void add_store(planner *plan, uint32_t number) {
  for (uint32_t i = 0; i < plan->roots->n; i++) {
    const tv_root *root = &AS_VEC_AT(plan->roots, tv_root, i);
    if (root->is_store && root->number == number)
      return;
  }
  tv_root root = {.is_store = true,
                  .number = number,
                  .value = TV_STORE(plan->p, number)->value,
                  .sums = AS_NONE};
  as_vec_push(plan->roots, &root);
  plan->changed = true;
}

/* summing: the loop within whose sum the value is needed, AS_NONE */
static bool visit(planner *plan, uint32_t number, uint32_t summing, bool root);

static bool visit_load(planner *plan, const tv_value *value, uint32_t summing) {
  const tv_store *store;
  tv_renaming renaming;
  uint32_t source;
  if (tv_forwards(plan->p, value, &store, &renaming)) {
    if (!visit(plan, store->value, summing, false))
      return false;
    if (sums_of(plan->p, store->value)) /* the kernel that loads has another loop */
      cut(plan, store->value);
    return true;
  }
  if (!tv_source(plan->p, value, &source))
    return false;
  if (source != AS_NONE)
    add_store(plan, source);
  return true;
}

static bool visit(planner *plan, uint32_t number, uint32_t summing, bool root) {
  tv_program *p = plan->p;
  const tv_value *value = TV_VALUE(p, number);
  if (TV_CUT(p, number)->is && !root)
    return true;
  if (value->kind == TV_OTHER)
    return tv_fail(p, value->stmt, "this has no form in a block graph");
  if (value->kind == TV_LOAD)
    return visit_load(plan, value, summing);
  uint32_t most = p->most[number];
  if (most != AS_NONE && TV_VALUE(p, most)->of != summing)
    add_cut(plan, most);
  uint32_t inner = value->kind == TV_TOTAL || value->kind == TV_MOST ? value->of : value->loop;
  uint32_t within = value->kind == TV_TOTAL || value->kind == TV_MOST ? value->of : summing;
  if (value->kind == TV_MOST) /* of the exponential only the argument is needed */
    return visit(plan, TV_VALUE(p, value->arg[0])->arg[0], within, false);
  for (uint32_t i = 0; i < value->n_arg; i++) {
    uint32_t arg = value->arg[i];
    if (TV_VALUE(p, arg)->loop != inner && sums_of(p, arg))
      cut(plan, arg);
    if (!visit(plan, arg, within, false))
      return false;
  }
  if (value->kind == TV_UPDATE)
    cut_updating(plan, value);
  cut_others(plan, value); /* of what is left once the operands have their own cuts */
  return true;
}

/* ---- what is stored apart from the sums that it is made of */
double tv_elements(const tv_program *p, const as_tile_stmt *stmt) {
  int64_t *env = as_graph_size_values(p->given);
  const tv_updated *update = tv_update_of(p, stmt);
  double n = 1;
  for (uint32_t d = 0; d < stmt->n_lane; d++) {
    as_size extent = update && update->lane == d
                         ? tv_tied(p, p->program->tensor[stmt->tensor].dim[update->axis])
                         : tv_size(p, stmt->lane[d].extent);
    int64_t value = extent == AS_SIZE_BAD ? 1 : as_size_eval(p->given->sizes, extent, env);
    n *= value > 0 ? (double)value : 1;
  }
  free(env);
  return n;
}

/* elements of all that a loop sums up */
static double carried(const tv_program *p, uint32_t loop) {
  double n = 0;
  for (uint32_t i = 0; i < p->values.n; i++) {
    const tv_value *value = TV_VALUE(p, i);
    if (value->kind == TV_TOTAL && value->of == loop)
      n += tv_elements(p, value->shape);
  }
  return n;
}

/* A tile that is larger than all that the loop carries is not held beside it: its operands are
 * stored, and it is made by a kernel of its own. */
static void set_apart(planner *plan, const tv_root *root) {
  const tv_program *p = plan->p;
  uint64_t sums = sums_of(p, root->value);
  if (!root->is_store || sums == 0)
    return;
  const as_tile_stmt *stmt = TV_STORE(p, root->number)->stmt;
  if (TV_STORE(p, root->number)->loop != TV_LOOP(p, last_of(sums))->parent)
    return; /* in a loop of its own, so that it is apart */
  if (tv_elements(p, stmt) <= carried(p, last_of(sums)))
    return;
  const tv_value *value = TV_VALUE(p, root->value);
  bool made = value->kind == TV_CALL || value->kind == TV_UPDATE;
  for (uint32_t i = 0; i < value->n_arg && made; i++) {
    if (sums_of(p, value->arg[i]))
      cut(plan, value->arg[i]);
  }
}

/* ---- exponentials of differences to a maximum */
/* the loop that sums what an exponential gives: its own, or one that loads it; AS_NONE */
static uint32_t summing_loop(const tv_program *p, uint32_t number) {
  uint32_t loop = TV_VALUE(p, number)->loop;
  if (loop != AS_NONE && TV_LOOP(p, loop)->sums)
    return loop;
  for (uint32_t i = 0; i < p->values.n; i++) {
    const tv_value *load = TV_VALUE(p, i);
    const tv_store *store;
    tv_renaming renaming;
    if (load->kind != TV_LOAD || load->loop == AS_NONE || !TV_LOOP(p, load->loop)->sums ||
        !tv_forwards(p, load, &store, &renaming))
      continue;
    uint32_t value = store->value;
    while (tv_is_move(TV_VALUE(p, value)))
      value = TV_VALUE(p, value)->arg[0];
    if (value == number)
      return load->loop;
  }
  return AS_NONE;
}

/* the axis along which a tile of exponentials is summed, where one is */
static int summed_axis(const tv_program *p, uint32_t number) {
  int axis;
  for (uint32_t i = 0; i < p->values.n; i++) {
    const tv_value *value = TV_VALUE(p, i);
    if (value->kind == TV_CALL && value->n_arg == 1 && value->arg[0] == number &&
        value->loop == TV_VALUE(p, number)->loop && tv_sums_along(p, value, &axis))
      return axis;
  }
  return TV_NOT_ALONG;
}

static bool is_stored(const tv_program *p, uint32_t number) {
  for (uint32_t i = 0; i < p->stores.n; i++) {
    const as_tile_tensor *tensor = &p->program->tensor[TV_STORE(p, i)->stmt->tensor];
    if (TV_STORE(p, i)->value == number && tensor->role == AS_TILE_SCRATCH)
      return true;
  }
  return false;
}

/* false with err: what is stored would overflow */
static bool find_most(tv_program *p) {
  uint32_t n = (uint32_t)p->values.n;
  p->most = as_malloc((2 * n + 1) * sizeof *p->most);
  p->along = as_malloc((2 * n + 1) * sizeof *p->along);
  for (uint32_t i = 0; i < 2 * n; i++) {
    p->most[i] = AS_NONE;
    p->along[i] = TV_NOT_ALONG;
  }
  for (uint32_t i = 0; i < n && p->how->shifted; i++) {
    tv_value value = *TV_VALUE(p, i);
    uint32_t loop = tv_is_exponential(&value) ? summing_loop(p, i) : AS_NONE;
    if (tv_is_exponential(&value) && loop == AS_NONE) {
      p->along[i] = summed_axis(p, i);
      if (p->along[i] == TV_NOT_ALONG && is_stored(p, i))
        return tv_fail(p, value.stmt, "an exponential is stored without its maximum");
    }
    if (loop == AS_NONE || value.loop == AS_NONE)
      continue;
    tv_value most = {.kind = TV_MOST,
                     .stmt = value.stmt,
                     .n_arg = 1,
                     .arg = {i},
                     .loop = TV_LOOP(p, loop)->parent,
                     .of = loop,
                     .name = value.name};
    p->most[i] = (uint32_t)p->values.n;
    as_vec_push(&p->values, &most);
  }
  return true;
}

bool tv_plan(tv_program *p, as_vec *roots) {
  if (!find_most(p))
    return false;
  for (uint32_t i = 0; i < p->values.n; i++) {
    tv_cut none = {.is = false, .node = AS_NONE};
    as_vec_push(&p->cuts, &none);
  }
  planner plan = {p, roots, true};
  for (uint32_t i = 0; i < p->given->n_output; i++)
    add_store(&plan, p->stored_by[p->result[i]]);
  while (plan.changed) {
    plan.changed = false;
    for (uint32_t i = 0; i < roots->n; i++) {
      tv_root root = AS_VEC_AT(roots, tv_root, i); /* there may be more of them behind it */
      set_apart(&plan, &root);
      uint32_t at = root.is_store ? TV_STORE(p, root.number)->loop : TV_VALUE(p, root.value)->loop;
      bool inner = root.is_store && at != TV_VALUE(p, root.value)->loop;
      if (inner && sums_of(p, root.value))
        cut(&plan, root.value);
      if (!visit(&plan, root.value, AS_NONE, !root.is_store))
        return false;
    }
  }
  for (uint32_t i = 0; i < roots->n; i++) {
    tv_root *root = &AS_VEC_AT(roots, tv_root, i);
    tv_cut *own = TV_CUT(p, root->value);
    bool is = own->is;
    if (!root->is_store)
      own->is = false;
    uint64_t sums = sums_of(p, root->value);
    own->is = is;
    root->sums = sums ? last_of(sums) : AS_NONE;
    root->loops = root->is_store ? loops_of_place(p, TV_STORE(p, root->number)->stmt)
                                 : tv_loops_of(p, root->value);
  }
  return true;
}
