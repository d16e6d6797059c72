/* Block graphs (semantics/SEMANTICS.md section 3).  Element terms are also terms of the block's indices $b0 $b1 $b2 and of the iteration $b3. */
#include "ck_read.h"
#include <string.h>

enum { LOOP = 3 };
/* what load and store have in common: NAME [extents of a tile] = TENSOR map; the axis of the tensor that grid x, y, z and the loop divide, -1: none */
typedef struct { const char *name; ck_tensor t; const ck_tok *at; const ck_tensor *of; int axis[4]; } tile;

static ck_tensor *block_tensor(ck_reader *R) { return ck_tensor_named(R, R->side->block, R->side->n_block, "in the block"); }

/* the place of x y z loop; -1: none of them */
static int grid_axis(const ck_reader *R) { return ck_at(R, "x") ? 0 : ck_at(R, "y") ? 1 : ck_at(R, "z") ? 2 : ck_at(R, "loop") ? LOOP : -1; }

static tile read_tile(ck_reader *R, bool store) {
  const ck_side *s = R->side;
  tile m = {.name = ck_fresh_name(R), .axis = {-1, -1, -1, -1}};
  m.t.rank = ck_dims(R, m.t.dim), ck_expect(R, "="), m.at = R->at;
  m.of = store ? block_tensor(R) : ck_tensor_named(R, s->tensor, s->n_tensors, "at kernel level");
  if (m.of->rank != m.t.rank) ck_die(R, m.at, "%s has %u axes, the tile %u", m.of->name, m.of->rank, m.t.rank);
  while (R->at->kind != CK_T_NL) {
    const ck_tok *at = R->at;
    int a = grid_axis(R);
    if (a < 0 || (a == LOOP && store)) ck_die(R, R->at, store ? "grid axis expected: x y z" : "grid axis or loop expected: x y z loop");
    if (R->grid[a] == CK_BAD || m.axis[a] >= 0) ck_die(R, at, m.axis[a] < 0 ? "the kernel does not declare this" : "mapped twice");
    R->at++, ck_expect(R, "->");
    long axis = ck_small_int(R);
    if (axis >= (long)m.t.rank) ck_die(R, at, "the tensor has only %u axes", m.t.rank);
    for (int k = 0; k < LOOP; k++) if (a < LOOP && m.axis[k] == axis) ck_die(R, at, "two grid axes on one axis of the tensor");
    m.axis[a] = (int)axis;
  }
  return m;
}

static void load(ck_reader *R) {
  tile m = read_tile(R, false);
  ck_id ix[CK_MAX_RANK];
  for (uint32_t d = 0; d < m.t.rank; d++) { /* index of the tile along d, and number of tiles */
    ck_id at = ck_int(R->T, 0), tiles = ck_int(R->T, 1);
    for (uint32_t a = 0; a < 4; a++)
      if (m.axis[a] == (int)d) at = ck_calc(R, CK_ADD, ck_calc(R, CK_MUL, at, R->grid[a]), ck_ix(R, 'b', a)), tiles = ck_calc(R, CK_MUL, tiles, R->grid[a]);
    ck_require_eq(R, m.of->dim[d], ck_calc(R, CK_MUL, tiles, m.t.dim[d]));
    ix[d] = ck_calc(R, CK_ADD, ck_calc(R, CK_MUL, at, m.t.dim[d]), ck_ix(R, 'i', d));
  }
  m.t.elem = ck_at_index(R, m.of, ix);
  m.t.varying = m.axis[LOOP] >= 0;
  ck_define(R, m.name, &m.t);
}

/* t with its axis d made of tiles, one per value of the variable: the tile i div s, and the index i mod s in it */
static void place_tiles(ck_reader *R, ck_tensor *t, uint32_t d, ck_id var, ck_id n) {
  ck_id i = ck_ix(R, 'i', d), s = t->dim[d];
  ck_require(R, CK_LT, ck_int(R->T, 0), s);
  t->elem = ck_ok(R, ck_sub(R->T, t->elem, (ck_id[]){var, i}, (ck_id[]){ck_calc(R, CK_DIV, i, s), ck_calc(R, CK_MOD, i, s)}, 2, NULL, 0));
  t->dim[d] = ck_calc(R, CK_MUL, n, s);
}

/* Every element is written exactly once: a block writes the tile of its place, and the tiles of all blocks cover the tensor. */
static void store(ck_reader *R, ck_tensor **stored, uint32_t *n_stored) {
  tile m = read_tile(R, true);
  if (ck_find_tensor(stored, *n_stored, m.name)) ck_die(R, R->at, "%s is already stored", m.name);
  if (m.of->varying || m.of->run_arg) ck_die(R, m.at, "%s differs between iterations and cannot be stored", m.of->name);
  for (uint32_t d = 0; d < m.t.rank; d++) ck_require_eq(R, m.of->dim[d], m.t.dim[d]);
  m.t.elem = m.of->elem;
  for (uint32_t a = 0; a < LOOP; a++) {
    if (R->grid[a] == CK_BAD) continue;
    if (m.axis[a] < 0) ck_die(R, m.at, "every grid axis must be mapped: else several blocks write the same elements");
    place_tiles(R, &m.t, (uint32_t)m.axis[a], ck_ix(R, 'b', a), R->grid[a]);
  }
  for (uint32_t a = 0; a < 4; a++)
    if (ck_has_var(R->T, m.t.elem, ck_ix(R, 'b', a))) ck_die(R, m.at, "%s depends on a block or an iteration", m.of->name);
  if (*n_stored == CK_MAX_SIZES) ck_die(R, m.at, "more than %d stores", CK_MAX_SIZES);
  m.t.name = m.name;
  stored[(*n_stored)++] = memcpy(ck_keep(R, sizeof m.t), &m.t, sizeof m.t);
}

/* the maximum of x over the first n iterations */
static ck_id running_max(ck_reader *R, ck_id x, ck_id n) {
  ck_id l = ck_ix(R, 'b', LOOP), s = ck_var(R->T, "$s", 'r');
  return ck_fold1(R, l, n, s, ck_put(R, x, l, ck_int(R->T, 0)), ck_larger(R, s, x));
}

/* acc A = sum T [rescale m]: Z becomes Z * exp(m before this iteration - m) + T;  acc A [, m] = max T: m is the maximum up to this iteration */
static void accumulate(ck_reader *R) {
  const ck_tok *first = R->at;
  ck_terms *T = R->T;
  ck_id l = ck_ix(R, 'b', LOOP), s = ck_var(T, "$s", 'r'), zero = ck_int(T, 0), n = R->grid[LOOP], old = s;
  if (n == CK_BAD) ck_die(R, R->at, "accumulators need a loop");
  const char *name = ck_fresh_name(R), *run = ck_accept(R, ",") ? ck_fresh_name(R) : NULL;
  if (run && !strcmp(run, name)) ck_die(R, first, "one name for two tensors");
  ck_expect(R, "=");
  bool max = ck_accept(R, "max"), concat = !max && !run && ck_accept(R, "concat");
  if (!max && !concat && (run || !ck_accept(R, "sum"))) ck_die(R, R->at, run ? "'max' expected" : "sum, max or concat expected");
  const ck_tok *at = R->at;
  const ck_tensor *t = block_tensor(R);
  ck_tensor a = *t, m = *t;
  if (t->after) ck_die(R, at, "%s needs the end of the loop", t->name);
  a.varying = false, a.run_arg = 0;
  if (max) {
    ck_require(R, CK_LT, zero, n);
    a.elem = running_max(R, t->elem, n);
    m.elem = running_max(R, t->elem, ck_two(R, CK_ADD, l, ck_int(T, 1))), m.run_arg = t->elem, m.varying = true;
    if (run) ck_define(R, run, &m);
  } else if (concat) {
    ck_expect(R, "axis");
    long d = ck_small_int(R);
    if (d >= (long)t->rank) ck_die(R, at, "the tensor has only %u axes", t->rank);
    place_tiles(R, &a, (uint32_t)d, l, n);
  } else {
    if (ck_tok_is(R->at, "rescale")) {
      R->at++, at = R->at;
      const ck_tensor *by = block_tensor(R);
      if (!by->run_arg) ck_die(R, at, "%s is not a running maximum", by->name);
      if (by->rank > t->rank) ck_die(R, at, "%s has more axes than the sum", by->name);
      for (uint32_t i = 0; i < by->rank; i++) ck_require_eq(R, by->dim[i], t->dim[i]);
      ck_id less = ck_two(R, CK_ADD, running_max(R, by->run_arg, l), ck_two(R, CK_MUL, ck_int(T, -1), by->elem));
      old = ck_two(R, CK_MUL, s, ck_ok(R, ck_mk1(T, CK_EXP, less)));
    }
    a.elem = ck_fold1(R, l, n, s, zero, ck_two(R, CK_ADD, old, t->elem));
  }
  a.after = true;
  ck_define(R, name, &a);
}

void ck_read_kernel(ck_reader *R) {
  ck_side *s = R->side;
  ck_tensor *stored[CK_MAX_SIZES];
  uint32_t n_stored = 0;
  for (int a = 0; a < 4; a++) R->grid[a] = CK_BAD;
  ck_new_name(R), ck_newline(R);
  if (ck_accept(R, "grid")) {
    do {
      int a = grid_axis(R);
      if (a < 0 || a == LOOP || R->grid[a] != CK_BAD) ck_die(R, R->at, a < 0 || a == LOOP ? "grid axis expected: x y z" : "declared twice");
      R->at++, ck_expect(R, "=");
      ck_require_extent(R, R->grid[a] = ck_integer(R));
    } while (ck_accept(R, ","));
    ck_newline(R);
  }
  if (ck_accept(R, "loop")) ck_fresh_name(R), ck_expect(R, "="), ck_require_extent(R, R->grid[LOOP] = ck_integer(R)), ck_newline(R);
  for (s->in_block = true, s->n_block = 0; !ck_accept(R, "end"); ck_newline(R)) {
    R->stmt = R->at;
    if (ck_accept(R, "load")) load(R);
    else if (ck_accept(R, "acc")) accumulate(R);
    else if (ck_accept(R, "store")) store(R, stored, &n_stored);
    else ck_assign(R);
  }
  if (!n_stored) ck_die(R, R->at, "the kernel stores nothing");
  s->in_block = false, s->n_block = 0;
  for (uint32_t i = 0; i < n_stored; i++) ck_define(R, stored[i]->name, stored[i]); /* other blocks see them only when all is done */
}
