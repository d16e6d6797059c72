#include "access.h"
#include "src/base/mem.h"
#include <stdlib.h>
#include <string.h>

void tl_accesses_init(tl_accesses *all, as_graph *program) {
  *all = (tl_accesses){.sizes = program->sizes, .program = program, .mem = as_arena_new()};
  as_vec_init(&all->axes, sizeof(tl_axis));
  as_vec_init(&all->variables, sizeof(tl_variable));
  as_vec_init(&all->tensors, sizeof(tl_tensor));
  as_vec_init(&all->operators, sizeof(tl_operator));
  as_intern_init(&all->rows, all->mem);
  as_intern_init(&all->effects, all->mem);
  as_intern_init(&all->shapes, all->mem);
}

void tl_accesses_clear(tl_accesses *all) {
  for (uint32_t i = 0; i < all->operators.n; i++) {
    for (uint32_t k = 0; k < AS_MAX_ATTRS; k++)
      as_attr_clear(&AS_VEC_AT(&all->operators, tl_operator, i).attr[k]);
  }
  as_vec_clear(&all->axes);
  as_vec_clear(&all->variables);
  as_vec_clear(&all->tensors);
  as_vec_clear(&all->operators);
  as_intern_clear(&all->rows);
  as_intern_clear(&all->effects);
  as_intern_clear(&all->shapes);
  as_arena_free(all->mem);
  free(all->env);
  *all = (tl_accesses){0};
}

const tl_axis *tl_axis_at(const tl_accesses *all, uint32_t axis) {
  return &AS_VEC_AT(&all->axes, tl_axis, axis);
}

const tl_variable *tl_variable_at(const tl_accesses *all, uint32_t variable) {
  return &AS_VEC_AT(&all->variables, tl_variable, variable);
}

tl_tensor *tl_tensor_at(const tl_accesses *all, uint32_t tensor) {
  return &AS_VEC_AT(&all->tensors, tl_tensor, tensor);
}

const tl_operator *tl_operator_at(const tl_accesses *all, uint32_t op) {
  return &AS_VEC_AT(&all->operators, tl_operator, op);
}

uint32_t tl_add_axis(tl_accesses *all, const tl_axis *axis) {
  tl_axis *own = as_vec_push(&all->axes, axis);
  own->name = as_arena_strdup(all->mem, axis->name);
  return (uint32_t)all->axes.n - 1;
}

uint32_t tl_add_variable(tl_accesses *all, const tl_variable *variable) {
  tl_variable *own = as_vec_push(&all->variables, variable);
  own->name = as_arena_strdup(all->mem, variable->name);
  return (uint32_t)all->variables.n - 1;
}

uint32_t tl_add_tensor(tl_accesses *all, const tl_tensor *tensor) {
  tl_tensor *own = as_vec_push(&all->tensors, tensor);
  own->name = as_arena_strdup(all->mem, tensor->name);
  return (uint32_t)all->tensors.n - 1;
}

static bool same_attr(const as_attr *left, const as_attr *right) {
  return left->is_size == right->is_size &&
         (left->is_size ? left->size == right->size : mpq_equal(left->num, right->num));
}

uint32_t tl_add_operator(tl_accesses *all, const as_opdef *op, const as_attr *attr) {
  for (uint32_t i = 0; i < all->operators.n; i++) {
    const tl_operator *known = tl_operator_at(all, i);
    bool same = known->op == op;
    for (uint32_t k = 0; same && k < op->nattrs; k++)
      same = same_attr(&known->attr[k], &attr[k]);
    if (same)
      return i;
  }
  tl_operator *fresh = as_vec_push(&all->operators, NULL);
  fresh->op = op;
  for (uint32_t k = 0; k < AS_MAX_ATTRS; k++) {
    as_attr_init(&fresh->attr[k]);
    if (k < op->nattrs)
      as_attr_set(&fresh->attr[k], &attr[k]);
  }
  return (uint32_t)all->operators.n - 1;
}

/* --- accesses */
uint32_t tl_access(tl_accesses *all, uint32_t tensor, const uint32_t *by) {
  uint32_t row[1 + AS_MAX_RANK] = {tensor};
  uint32_t rank = tl_tensor_at(all, tensor)->rank;
  for (uint32_t i = 0; i < rank; i++)
    row[1 + i] = by[i];
  return as_intern_row(&all->rows, row, (1 + rank) * sizeof *row);
}

uint32_t tl_access_tensor(const tl_accesses *all, uint32_t access) {
  size_t bytes;
  return *(const uint32_t *)as_intern_bytes(&all->rows, access, &bytes);
}

const uint32_t *tl_access_by(const tl_accesses *all, uint32_t access, uint32_t *rank) {
  size_t bytes;
  const uint32_t *row = as_intern_bytes(&all->rows, access, &bytes);
  *rank = (uint32_t)(bytes / sizeof *row) - 1;
  return row + 1;
}

uint32_t tl_access_with(tl_accesses *all, uint32_t access, uint32_t variable, uint32_t other) {
  uint32_t rank;
  const uint32_t *by = tl_access_by(all, access, &rank);
  uint32_t changed[AS_MAX_RANK];
  bool differs = false;
  for (uint32_t i = 0; i < rank; i++) {
    changed[i] = by[i] == variable ? other : by[i];
    differs |= by[i] == variable;
  }
  return differs ? tl_access(all, tl_access_tensor(all, access), changed) : access;
}

as_size tl_tile_extent(const tl_accesses *all, uint32_t axis, uint32_t by) {
  if (axis == AS_NONE)
    return by == TL_WHOLE ? AS_SIZE_ONE : AS_SIZE_BAD;
  const tl_axis *of = tl_axis_at(all, axis);
  if (by == TL_WHOLE)
    return of->extent;
  const tl_variable *variable = tl_variable_at(all, by - 1);
  if (variable->axis == axis)
    return variable->tile;
  if (of->outer == AS_NONE || of->outer != variable->axis)
    return AS_SIZE_BAD;
  return as_size_mul(all->sizes, variable->tile, tl_axis_at(all, of->inner)->extent);
}

int64_t tl_value(const tl_accesses *all, as_size size) {
  int64_t value = as_size_eval(all->sizes, size, all->env);
  return value > 0 ? value : 1;
}

void tl_accesses_values(tl_accesses *all) {
  uint32_t n = as_size_count(all->sizes);
  as_size sym;
  all->env = as_realloc(all->env, (n + 1) * sizeof *all->env);
  for (uint32_t i = 0; i < n; i++)
    all->env[i] = INT64_MIN;
  for (uint32_t i = 0; (sym = as_size_nth_sym(all->sizes, i)) != AS_SIZE_BAD; i++)
    all->env[sym] = as_size_value(all->sizes, sym);
}

/* --- shapes */
uint32_t tl_shape(tl_accesses *all, const as_size *dim, uint32_t rank) {
  return as_intern_row(&all->shapes, dim, rank * sizeof *dim);
}

const as_size *tl_shape_dims(const tl_accesses *all, uint32_t shape, uint32_t *rank) {
  size_t bytes;
  const as_size *dim = as_intern_bytes(&all->shapes, shape, &bytes);
  *rank = (uint32_t)(bytes / sizeof *dim);
  return dim;
}

uint32_t tl_access_shape(tl_accesses *all, uint32_t access) {
  uint32_t rank;
  const uint32_t *by = tl_access_by(all, access, &rank);
  const tl_tensor *tensor = tl_tensor_at(all, tl_access_tensor(all, access));
  as_size dim[AS_MAX_RANK];
  for (uint32_t i = 0; i < rank; i++) {
    dim[i] = tl_tile_extent(all, tensor->axis[i], by[i]);
    if (dim[i] == AS_SIZE_BAD)
      return AS_NONE;
  }
  return tl_shape(all, dim, rank);
}

uint32_t tl_call_shape(tl_accesses *all, uint32_t op, const uint32_t *shape, uint32_t n) {
  const tl_operator *call = tl_operator_at(all, op);
  as_size dim[AS_MAX_ARGS][8];
  uint32_t rank[AS_MAX_ARGS];
  as_size out[AS_MAX_RANK];
  uint32_t out_rank;
  as_match match;
  as_err err;
  as_vec facts;
  for (uint32_t i = 0; i < n; i++) {
    if (shape[i] == AS_NONE)
      return AS_NONE;
    const as_size *from = tl_shape_dims(all, shape[i], &rank[i]);
    memcpy(dim[i], from, rank[i] * sizeof *from);
  }
  as_err_init(&err);
  as_vec_init(&facts, sizeof(as_size_fact));
  bool fits = as_opdef_match(all->sizes, call->op, (const as_size(*)[8])dim, rank, n, call->attr,
                             &match, out, &out_rank, &facts, &err);
  for (uint32_t i = 0; fits && i < facts.n; i++) {
    const as_size_fact *fact = &AS_VEC_AT(&facts, as_size_fact, i);
    fits = fact->rel != AS_REL_EQ || fact->lhs == fact->rhs;
  }
  as_vec_clear(&facts);
  as_err_clear(&err);
  return fits ? tl_shape(all, out, out_rank) : AS_NONE;
}

/* --- effects */
typedef struct {
  tl_effect *item; /* sorted */
  uint32_t n;
  uint32_t room;
} effect_set;

static void put(effect_set *set, tl_effect effect) {
  uint32_t at = 0;
  while (at < set->n &&
         (set->item[at].access < effect.access ||
          (set->item[at].access == effect.access && set->item[at].mode < effect.mode)))
    at++;
  if (at < set->n && set->item[at].access == effect.access && set->item[at].mode == effect.mode)
    return;
  if (set->n == set->room) {
    set->room = set->room ? 2 * set->room : 16;
    set->item = as_realloc(set->item, set->room * sizeof *set->item);
  }
  memmove(set->item + at + 1, set->item + at, (set->n - at) * sizeof *set->item);
  set->item[at] = effect;
  set->n++;
}

uint32_t tl_no_effect(tl_accesses *all) {
  return as_intern_row(&all->effects, "", 0);
}

/* the number of the set, whose memory is given back */
static uint32_t kept(tl_accesses *all, effect_set *set) {
  uint32_t effects = set->n ? as_intern_row(&all->effects, set->item, set->n * sizeof *set->item)
                            : tl_no_effect(all);
  free(set->item);
  return effects;
}

const tl_effect *tl_effects(const tl_accesses *all, uint32_t effects, uint32_t *n) {
  size_t bytes;
  const tl_effect *item = as_intern_bytes(&all->effects, effects, &bytes);
  *n = (uint32_t)(bytes / sizeof *item);
  return item;
}

static void take(const tl_accesses *all, uint32_t effects, effect_set *set) {
  const tl_effect *item = tl_effects(all, effects, &set->n);
  set->room = set->n + 8;
  set->item = as_malloc(set->room * sizeof *item);
  if (set->n)
    memcpy(set->item, item, set->n * sizeof *item);
}

uint32_t tl_effect_of(tl_accesses *all, uint32_t access, uint32_t mode) {
  tl_effect effect = {access, mode};
  return as_intern_row(&all->effects, &effect, sizeof effect);
}

uint32_t tl_effects_or(tl_accesses *all, uint32_t left, uint32_t right) {
  if (left == right)
    return left;
  effect_set set;
  uint32_t n;
  take(all, left, &set);
  const tl_effect *more = tl_effects(all, right, &n);
  for (uint32_t i = 0; i < n; i++)
    put(&set, more[i]);
  return kept(all, &set);
}

static bool writes_at(const tl_accesses *all, uint32_t effects, uint32_t access) {
  uint32_t n;
  const tl_effect *item = tl_effects(all, effects, &n);
  for (uint32_t i = 0; i < n; i++) {
    if (item[i].access == access && item[i].mode == TL_WRITE)
      return true;
  }
  return false;
}

uint32_t tl_effects_then(tl_accesses *all, uint32_t first, uint32_t second) {
  effect_set set;
  uint32_t n;
  take(all, first, &set);
  const tl_effect *more = tl_effects(all, second, &n);
  for (uint32_t i = 0; i < n; i++) {
    if (more[i].mode != TL_READ || !writes_at(all, first, more[i].access))
      put(&set, more[i]);
  }
  return kept(all, &set);
}

uint32_t tl_effects_loop(tl_accesses *all, uint32_t body, uint32_t variable) {
  effect_set set = {0};
  uint32_t n;
  const tl_effect *item = tl_effects(all, body, &n);
  for (uint32_t i = 0; i < n; i++) {
    uint64_t sums = tl_tensor_at(all, tl_access_tensor(all, item[i].access))->sums_over;
    bool closes = item[i].mode >= TL_SUM && (sums >> variable & 1);
    tl_effect effect = {tl_access_with(all, item[i].access, variable + 1, TL_WHOLE),
                        item[i].mode - closes};
    put(&set, effect); /* TL_SUM with no loop missing is TL_WRITE */
  }
  return kept(all, &set);
}

uint32_t tl_effects_without_read(tl_accesses *all, uint32_t effects, uint32_t access) {
  effect_set set = {0};
  uint32_t n;
  const tl_effect *item = tl_effects(all, effects, &n);
  for (uint32_t i = 0; i < n; i++) {
    if (item[i].access != access || item[i].mode != TL_READ)
      put(&set, item[i]);
  }
  return kept(all, &set);
}

/* --- what rules ask */
typedef bool (*pair_test)(const tl_accesses *all, tl_effect left, tl_effect right, uint32_t var);

/* does the test hold of all pairs that touch one tensor, one of them to write? */
static bool all_pairs(const tl_accesses *all, uint32_t left, uint32_t right, pair_test test,
                      uint32_t variable) {
  uint32_t n_left;
  uint32_t n_right;
  const tl_effect *first = tl_effects(all, left, &n_left);
  const tl_effect *second = tl_effects(all, right, &n_right);
  for (uint32_t i = 0; i < n_left; i++) {
    for (uint32_t j = 0; j < n_right; j++) {
      bool one_writes = first[i].mode != TL_READ || second[j].mode != TL_READ;
      if (one_writes &&
          tl_access_tensor(all, first[i].access) == tl_access_tensor(all, second[j].access) &&
          !test(all, first[i], second[j], variable))
        return false;
    }
  }
  return true;
}

static bool never(const tl_accesses *all, tl_effect left, tl_effect right, uint32_t variable) {
  (void)all;
  (void)left;
  (void)right;
  (void)variable;
  return false;
}

/* the same axis of the tensor by tile `variable` */
static bool same_tile(const tl_accesses *all, tl_effect left, tl_effect right, uint32_t variable) {
  uint32_t rank;
  const uint32_t *first = tl_access_by(all, left.access, &rank);
  const uint32_t *second = tl_access_by(all, right.access, &rank);
  for (uint32_t i = 0; i < rank; i++) {
    if (first[i] == variable + 1 && second[i] == variable + 1)
      return true;
  }
  return false;
}

static bool first_reads(const tl_accesses *all, tl_effect left, tl_effect right,
                        uint32_t variable) {
  (void)all;
  (void)right;
  (void)variable;
  return left.mode == TL_READ;
}

bool tl_independent(const tl_accesses *all, uint32_t left, uint32_t right) {
  return all_pairs(all, left, right, never, 0);
}

bool tl_aligned(const tl_accesses *all, uint32_t left, uint32_t right, uint32_t variable) {
  return all_pairs(all, left, right, same_tile, variable);
}

bool tl_is_free(const tl_accesses *all, uint32_t effects, uint32_t variable) {
  uint32_t n;
  const tl_effect *item = tl_effects(all, effects, &n);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t rank;
    const uint32_t *by = tl_access_by(all, item[i].access, &rank);
    for (uint32_t k = 0; k < rank; k++) {
      if (by[k] == variable + 1)
        return false;
    }
  }
  return true;
}

bool tl_repeatable(const tl_accesses *all, uint32_t effects) {
  uint32_t n;
  const tl_effect *item = tl_effects(all, effects, &n);
  for (uint32_t i = 0; i < n; i++) {
    if (item[i].mode >= TL_SUM)
      return false;
    for (uint32_t j = 0; j < n; j++) {
      if (item[i].mode == TL_WRITE && item[j].mode == TL_READ &&
          tl_access_tensor(all, item[i].access) == tl_access_tensor(all, item[j].access))
        return false;
    }
  }
  return true;
}

bool tl_keeps(const tl_accesses *all, uint32_t left, uint32_t right) {
  return all_pairs(all, left, right, first_reads, 0);
}

bool tl_feeds(const tl_accesses *all, uint32_t left, uint32_t right) {
  uint32_t n_left;
  uint32_t n_right;
  const tl_effect *first = tl_effects(all, left, &n_left);
  const tl_effect *second = tl_effects(all, right, &n_right);
  for (uint32_t i = 0; i < n_left; i++) {
    for (uint32_t j = 0; j < n_right; j++) {
      if (first[i].mode != TL_READ && second[j].mode == TL_READ &&
          tl_access_tensor(all, first[i].access) == tl_access_tensor(all, second[j].access))
        return true;
    }
  }
  return false;
}

bool tl_exchangeable(const tl_accesses *all, uint32_t effects, uint32_t outer, uint32_t inner) {
  uint32_t n;
  const tl_effect *item = tl_effects(all, effects, &n);
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t j = 0; j < n; j++) {
      bool one_writes = item[i].mode != TL_READ || item[j].mode != TL_READ;
      bool both_add = item[i].mode >= TL_SUM && item[j].mode >= TL_SUM;
      if (one_writes && !both_add &&
          tl_access_tensor(all, item[i].access) == tl_access_tensor(all, item[j].access) &&
          !same_tile(all, item[i], item[j], outer) && !same_tile(all, item[i], item[j], inner))
        return false;
    }
  }
  return true;
}
