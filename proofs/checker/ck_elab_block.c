/* Block graphs (proofs/CLAIM.md section 6, semantics/SEMANTICS.md section 3). */
#include "ck_elab.h"

static ck_id iteration(const ck_scope *s) {
  return ck_variable(s, 'b', CK_LOOP);
}

static ck_tensor *block_tensor(const ck_scope *s, const ck_token *name) {
  return ck_tensor_named(s, s->block->tensors, name, "in the block");
}

/* the element of t at this iteration and the first indices */
static ck_id element_at(const ck_scope *s, const ck_tensor *t, ck_id l) {
  ck_id index[CK_MAX_AXES];
  CK_BELOW(i, t->rank)
    index[i] = ck_variable(s, 'i', i);
  return ck_element(s, t, s->block->variables, l, index);
}

/* defines t, and makes it known in the block */
static void define(const ck_scope *s, ck_tensor *t, const ck_token *name, ck_id body,
                   const char *by) {
  t->in_block = true;
  ck_define_symbol(s, t, ck_symbol_name(s, name->text), body, by);
  ck_enter(s, &s->block->tensors, name->text, t);
}

/* --- load and store */
typedef struct { /* NAME [extents of a tile] = TENSOR map */
  ck_tensor tile;
  ck_id whole[CK_MAX_AXES]; /* the tensor's, where the last tile is cut off; CK_BAD: nowhere */
  const ck_tensor *source;  /* NULL: refused */
  int axis[4];              /* of the tensor, that grid x, y, z and the loop divide; -1: none */
} tile_line;

static void read_map(const ck_scope *s, const ck_map *p, tile_line *m) {
  if (s->block->extent[p->grid] == CK_BAD)
    ck_refuse(s->job, p->at, "the kernel does not declare this");
  if (m->axis[p->grid] >= 0)
    ck_refuse(s->job, p->at, "mapped twice");
  if (p->axis >= (long)m->tile.rank)
    ck_refuse(s->job, p->at, "the tensor has only %u axes", m->tile.rank);
  m->axis[p->grid] = (int)p->axis;
}

static ck_id extent_of(const ck_scope *s, const ck_expr *x) {
  ck_id extent = ck_size_value(s, x);
  ck_require_extent(s, extent);
  return extent;
}

/* What tile number `at` of those that lie side by side up to `whole` has of it; all of them,
 * `tiles` in number, must cover that. */
static ck_id cut_off(const ck_scope *s, ck_id tile, ck_id whole, ck_id at, ck_id tiles) {
  ck_id before = ck_calculated(s, CK_MUL, at, tile);
  ck_id left = ck_calculated(s, CK_ADD, whole, ck_minus(s, before));
  ck_id extent = MIN2(tile, left);
  ck_require(s, LE(whole, ck_calculated(s, CK_MUL, tiles, tile)));
  ck_require_extent(s, extent);
  return extent;
}

static tile_line read_tile(const ck_scope *s, const ck_line *line) {
  bool store = line->kind == CK_L_STORE;
  tile_line m = {.tile.value = CK_BAD, .axis = {-1, -1, -1, -1}};
  ck_new_tensor_name(s, line->name);
  m.tile.rank = ck_dims_value(s, line->tile, m.tile.extent);
  uint32_t n = 0;
  CK_EACH(ck_part, d, line->tile) {
    if (!ck_refused(s->job))
      m.whole[n++] = d->whole ? extent_of(s, d->whole) : CK_BAD;
  }
  m.source = store ? block_tensor(s, line->source)
                   : ck_tensor_named(s, s->side->tensors, line->source, "at kernel level");
  if (m.source && m.source->rank != m.tile.rank) {
    ck_refuse(s->job, line->source, "%s has %u axes, the tile %u", m.source->name, m.source->rank,
              m.tile.rank);
  }
  CK_EACH(ck_map, p, line->map)
    read_map(s, p, &m);
  if (ck_refused(s->job))
    m.source = NULL;
  return m;
}

static void load(const ck_scope *s, const ck_line *line) {
  tile_line m = read_tile(s, line);
  ck_id index[CK_MAX_AXES];
  if (!m.source)
    return;
  CK_BELOW(d, m.tile.rank) {
    ck_id at = ZERO;
    ck_id tiles = ONE; /* number of the tile along d, and how many there are */
    CK_BELOW(a, 4) {
      if (m.axis[a] != (int)d)
        continue;
      at = ck_calculated(s, CK_MUL, at, s->block->extent[a]);
      at = ck_calculated(s, CK_ADD, at, ck_variable(s, 'b', a));
      tiles = ck_calculated(s, CK_MUL, tiles, s->block->extent[a]);
    }
    ck_id *tile = &m.tile.extent[d];
    ck_id from = ck_calculated(s, CK_MUL, at, *tile);
    index[d] = ck_calculated(s, CK_ADD, from, ck_variable(s, 'i', d));
    if (m.whole[d] == CK_BAD) {
      ck_require_same(s, m.source->extent[d], ck_calculated(s, CK_MUL, tiles, *tile));
    } else {
      ck_require_same(s, m.source->extent[d], m.whole[d]);
      *tile = cut_off(s, *tile, m.whole[d], at, tiles);
    }
  }
  m.tile.varying = m.axis[CK_LOOP] >= 0;
  define(s, &m.tile, line->name, ck_element(s, m.source, NULL, CK_BAD, index), "load");
}

/* Where tiles of extent `tile` lie side by side: the index is at *index mod tile in the tile whose
 * number is given. */
static ck_id tile_of(const ck_scope *s, ck_id tile, ck_id *index) {
  ck_id number = ck_calculated(s, CK_DIV, *index, tile);
  ck_require(s, LT(ZERO, tile));
  *index = ck_calculated(s, CK_MOD, *index, tile);
  return number;
}

/* the tile that is stored has the extent that is written, or what is left of it in this block */
static void stored_extent(const ck_scope *s, const tile_line *m, uint32_t d) {
  ck_id extent = m->tile.extent[d];
  int a = 0;
  while (a < CK_LOOP && m->axis[a] != (int)d)
    a++;
  if (m->whole[d] != CK_BAD && a == CK_LOOP)
    ck_refuse(s->job, s->at, "a tile is cut off along axes that the grid divides");
  else if (m->whole[d] != CK_BAD)
    extent = cut_off(s, extent, m->whole[d], ck_variable(s, 'b', (uint32_t)a), s->block->extent[a]);
  ck_require_same(s, m->source->extent[d], extent);
}

typedef struct { /* a store whose definition waits for the end of the block */
  const char *name;
  ck_tensor tensor;
  ck_id body;
  const ck_token *at;
} stored;

/* How many tiles along axis d of the tensor one step of grid axis a passes over: the product of the
 * grid axes behind a that divide d too; CK_BAD: there is none. */
static ck_id tiles_passed(const ck_scope *s, const tile_line *m, uint32_t a) {
  ck_id tiles = CK_BAD;
  for (uint32_t k = a + 1; k < CK_LOOP; k++) {
    if (m->axis[k] == m->axis[a])
      tiles = tiles == CK_BAD ? s->block->extent[k]
                              : ck_calculated(s, CK_MUL, tiles, s->block->extent[k]);
  }
  return tiles;
}

/* Every element is written exactly once: a block writes the tile of its place, and the tiles of all
 * blocks cover the tensor. */
static void store(const ck_scope *s, const ck_line *line, stored *z) {
  tile_line m = read_tile(s, line);
  ck_id block[CK_LOOP];
  ck_id index[CK_MAX_AXES];
  ck_id number[CK_MAX_AXES]; /* of the tile along an axis; of what is left of it */
  uint32_t n = 0;
  if (!m.source)
    return;
  if (m.source->varying) {
    ck_refuse(s->job, line->source, "%s differs between iterations and cannot be stored",
              m.source->name);
  }
  CK_BELOW(d, m.tile.rank) {
    index[d] = ck_variable(s, 'i', d);
    number[d] = CK_BAD;
    stored_extent(s, &m, d);
  }
  CK_BELOW(a, CK_LOOP) {
    int d = m.axis[a];
    if (s->block->extent[a] != CK_BAD && d < 0) {
      ck_refuse(s->job, line->source,
                "every grid axis must be mapped: else several blocks write the same elements");
    } else if (d >= 0) {
      ck_id *extent = &m.tile.extent[d];
      ck_id passed = tiles_passed(s, &m, a);
      if (passed != CK_BAD && m.whole[d] != CK_BAD)
        ck_refuse(s->job, s->at, "a tile is cut off along one grid axis");
      if (number[d] == CK_BAD)
        number[d] = tile_of(s, *extent, &index[d]);
      block[n++] = passed == CK_BAD ? number[d] : tile_of(s, passed, &number[d]);
      *extent = m.whole[d] == CK_BAD ? ck_calculated(s, CK_MUL, s->block->extent[a], *extent)
                                     : m.whole[d];
    }
  }
  if (ck_refused(s->job))
    return;
  z->name = line->name->text;
  z->tensor = m.tile;
  z->body = ck_element(s, m.source, block, CK_BAD, index);
  z->at = line->at;
}

/* --- accumulators */
/* the maximum of t over the first n iterations */
static ck_id maximum(const ck_scope *s, const ck_tensor *t, ck_id n) {
  ck_id step = MAX2(ck_state(s), element_at(s, t, iteration(s)));
  return ck_folded(s, iteration(s), n, element_at(s, t, ZERO), step);
}

/* the sum of t over all iterations; where a running maximum m is named, the state is multiplied by
 * exp(m before this iteration - m) first */
static ck_id total(const ck_scope *s, const ck_tensor *t, const ck_tensor *m) {
  ck_id l = iteration(s);
  ck_id state = ck_state(s);
  if (m) {
    ck_id before = maximum(s, m->maximum_of, l);
    ck_id now = element_at(s, m, l);
    state = TIMES(state, EXP(PLUS(before, TIMES(ck_int(s->T, -1), now))));
  }
  return ck_folded(s, l, s->block->extent[CK_LOOP], ZERO, PLUS(state, element_at(s, t, l)));
}

/* the tiles of t, one for each iteration, side by side along axis d of a */
static ck_id side_by_side(const ck_scope *s, const ck_tensor *t, uint32_t d, ck_tensor *a) {
  ck_id index[CK_MAX_AXES];
  CK_BELOW(i, t->rank)
    index[i] = ck_variable(s, 'i', i);
  ck_id l = tile_of(s, t->extent[d], &index[d]);
  a->extent[d] = ck_calculated(s, CK_MUL, s->block->extent[CK_LOOP], t->extent[d]);
  return ck_element(s, t, s->block->variables, l, index);
}

static const ck_tensor *rescaled_by(const ck_scope *s, const ck_line *line, const ck_tensor *t) {
  const ck_tensor *m = line->rescale ? block_tensor(s, line->rescale) : NULL;
  if (m && !m->maximum_of)
    ck_refuse(s->job, line->rescale, "%s is not a running maximum", m->name);
  if (m && m->rank > t->rank)
    ck_refuse(s->job, line->rescale, "%s has more axes than the sum", m->name);
  if (ck_refused(s->job))
    return NULL;
  for (uint32_t i = 0; m && i < m->rank; i++)
    ck_require_same(s, m->extent[i], t->extent[i]);
  return m;
}

static void running_maximum(const ck_scope *s, const ck_line *line, const ck_tensor *t) {
  ck_tensor m = *t;
  m.varying = true;
  m.maximum_of = t;
  define(s, &m, line->running, maximum(s, t, PLUS(iteration(s), ONE)), "acc");
}

static void accumulate(const ck_scope *s, const ck_line *line) {
  ck_id body = CK_BAD;
  ck_id rounds = s->block->extent[CK_LOOP];
  const ck_tensor *t = block_tensor(s, line->source);
  if (rounds == CK_BAD)
    ck_refuse(s->job, line->name, "accumulators need a loop");
  ck_new_tensor_name(s, line->name);
  if (line->running) {
    ck_new_tensor_name(s, line->running);
    if (strcmp(line->running->text, line->name->text) == 0)
      ck_refuse(s->job, line->name, "one name for two tensors");
  }
  if (t && t->after)
    ck_refuse(s->job, line->source, "%s needs the end of the loop", t->name);
  for (uint32_t d = 0; t && d < t->rank; d++) {
    if (ck_has_var(s->T, t->extent[d], iteration(s)))
      ck_refuse(s->job, line->source, "%s has another extent in each iteration", t->name);
  }
  if (t && line->axis >= (long)t->rank && line->how == CK_K_CONCAT)
    ck_refuse(s->job, line->source, "the tensor has only %u axes", t->rank);
  if (ck_refused(s->job))
    return;
  ck_tensor a = *t;
  a.varying = false;
  a.maximum_of = NULL;
  a.after = true;
  if (line->how == CK_K_MAX) {
    ck_require(s, LT(ZERO, rounds));
    if (line->running)
      running_maximum(s, line, t);
    body = maximum(s, t, rounds);
  } else if (line->how == CK_K_CONCAT) {
    body = side_by_side(s, t, (uint32_t)line->axis, &a);
  } else {
    body = total(s, t, rescaled_by(s, line, t));
  }
  define(s, &a, line->name, body, "acc");
}

/* --- the kernel */
static void declare_grid(const ck_scope *s, const ck_kernel *k) {
  ck_block *b = s->block;
  for (int a = 0; a < 4; a++)
    b->extent[a] = CK_BAD;
  CK_EACH(ck_map, g, k->grid)
    b->extent[g->grid] = extent_of(s, g->extent);
  if (k->loop) {
    ck_new_tensor_name(s, k->loop);
    b->extent[CK_LOOP] = extent_of(s, k->loop_extent);
  }
  CK_BELOW(a, CK_LOOP) {
    if (b->extent[a] != CK_BAD)
      b->variables[b->n_axes++] = ck_variable(s, 'b', a);
  }
}

void ck_read_kernel(const ck_scope *outer, const ck_kernel *k) {
  ck_scope s = *outer;
  ck_block block = {.number = ++s.side->n_kernels};
  stored waiting[CK_MAX_STORES];
  uint32_t n = 0;
  s.block = &block;
  declare_grid(&s, k);
  CK_EACH(ck_line, line, k->lines) {
    s.at = line->at;
    if (ck_refused(s.job))
      return;
    if (line->kind == CK_L_LOAD) {
      load(&s, line);
    } else if (line->kind == CK_L_ACCUMULATE) {
      accumulate(&s, line);
    } else if (line->kind == CK_L_DEFINE) {
      ck_define_tensor(&s, line);
    } else if (ck_within(s.job, line->at, CK_LIMIT_STORES, n + 1)) {
      CK_BELOW(i, n) {
        if (strcmp(waiting[i].name, line->name->text) == 0)
          ck_refuse(s.job, line->name, "%s is already stored", line->name->text);
      }
      store(&s, line, &waiting[n++]);
    }
  }
  if (n == 0)
    ck_refuse(s.job, k->end, "the kernel stores nothing");
  s.block = NULL; /* other blocks see what is stored only when all is done */
  for (uint32_t i = 0; i < n && !ck_refused(s.job); i++) {
    stored *z = &waiting[i];
    s.at = z->at;
    ck_define_symbol(&s, &z->tensor, ck_symbol_name(&s, z->name), z->body, "store");
    ck_enter(&s, &s.side->tensors, z->name, &z->tensor);
  }
}
