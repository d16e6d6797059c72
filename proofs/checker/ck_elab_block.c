/* Block graphs (proofs/CLAIM.md section 6, semantics/SEMANTICS.md section 3). */
#include "ck_elab.h"

/* the block variables of the declared axes, with the iteration last if wanted */
static uint32_t lead(const ck_scope *s, bool iteration, ck_id out[4]) {
  uint32_t n = 0;
  for (; n < s->block->n_axes; n++)
    out[n] = s->block->variables[n];
  if (iteration)
    out[n++] = ck_variable(s, 'b', CK_LOOP);
  return n;
}

static ck_tensor *block_tensor(const ck_scope *s, const ck_token *name) {
  return ck_tensor_named(s, &s->block->tensors, name, "in the block");
}

/* the element of t at this iteration and the first indices */
static ck_id element_at(const ck_scope *s, const ck_tensor *t, ck_id iteration) {
  ck_id index[CK_MAX_RANK];
  for (uint32_t i = 0; i < t->rank; i++)
    index[i] = ck_variable(s, 'i', i);
  return ck_element(s, t, s->block->variables, iteration, index);
}

/* --- load and store */
typedef struct { /* NAME [extents of a tile] = TENSOR map */
  ck_tensor tile;
  const ck_tensor *source;
  int axis[4]; /* of the tensor, that grid x, y, z and the loop divide; -1: none */
} tile_line;

static tile_line read_tile(const ck_scope *s, const ck_line *line) {
  ck_job *job = &s->E->job;
  bool store = line->kind == CK_L_STORE;
  tile_line m = {.tile.value = CK_BAD, .axis = {-1, -1, -1, -1}};
  ck_new_tensor_name(s, line->name);
  m.tile.rank = ck_dims_value(s, line->dims, m.tile.extent);
  m.source = store ? block_tensor(s, line->source)
                   : ck_tensor_named(s, &s->side->tensors, line->source, "at kernel level");
  if (m.source->rank != m.tile.rank) {
    ck_refuse(job, line->source, "%s has %u axes, the tile %u", m.source->name,
              (unsigned)m.source->rank, (unsigned)m.tile.rank);
  }
  for (const ck_map *p = line->map; p; p = p->next) {
    if (s->block->extent[p->grid] == CK_BAD)
      ck_refuse(job, p->at, "the kernel does not declare this");
    if (m.axis[p->grid] >= 0)
      ck_refuse(job, p->at, "mapped twice");
    if (p->axis >= (long)m.tile.rank)
      ck_refuse(job, p->at, "the tensor has only %u axes", (unsigned)m.tile.rank);
    for (int k = 0; k < CK_LOOP; k++) {
      if (p->grid < CK_LOOP && m.axis[k] == p->axis)
        ck_refuse(job, p->at, "two grid axes on one axis of the tensor");
    }
    m.axis[p->grid] = (int)p->axis;
  }
  return m;
}

static void load(const ck_scope *s, const ck_line *line) {
  tile_line m = read_tile(s, line);
  ck_id index[CK_MAX_RANK];
  ck_id before[4];
  for (uint32_t d = 0; d < m.tile.rank; d++) {
    ck_id at = ck_int(s->E->T, 0);
    ck_id tiles = ck_int(s->E->T, 1); /* number of the tile along d, and how many there are */
    for (uint32_t a = 0; a < 4; a++) {
      if (m.axis[a] != (int)d)
        continue;
      at = ck_calculated(s, CK_MUL, at, s->block->extent[a]);
      at = ck_calculated(s, CK_ADD, at, ck_variable(s, 'b', a));
      tiles = ck_calculated(s, CK_MUL, tiles, s->block->extent[a]);
    }
    ck_require_same(s, m.source->extent[d], ck_calculated(s, CK_MUL, tiles, m.tile.extent[d]));
    index[d] = ck_calculated(s, CK_ADD, ck_calculated(s, CK_MUL, at, m.tile.extent[d]),
                             ck_variable(s, 'i', d));
  }
  ck_id body = ck_element(s, m.source, NULL, CK_BAD, index);
  m.tile.varying = m.axis[CK_LOOP] >= 0;
  m.tile.in_block = true;
  uint32_t n = lead(s, m.tile.varying, before);
  ck_define_symbol(s, &m.tile, ck_symbol_name(s, line->name->text), before, n, body, "load");
  ck_enter(s, &s->block->tensors, line->name->text, &m.tile);
}

/* Where tiles of extent `tile` lie side by side: the index i is in tile i div s, at i mod s. */
static ck_id tile_of(const ck_scope *s, ck_id i, ck_id tile) {
  return ck_calculated(s, CK_DIV, i, tile);
}

static ck_id within_tile(const ck_scope *s, ck_id i, ck_id tile) {
  return ck_calculated(s, CK_MOD, i, tile);
}

typedef struct { /* a store whose definition waits for the end of the block */
  const char *name;
  const char *symbol;
  ck_tensor tensor;
  ck_id body;
  const ck_token *at;
} stored;

/* Every element is written exactly once: a block writes the tile of its place, and the tiles of all
 * blocks cover the tensor. */
static stored store(const ck_scope *s, const ck_line *line) {
  tile_line m = read_tile(s, line);
  ck_id block[3];
  ck_id index[CK_MAX_RANK];
  ck_id zero = ck_int(s->E->T, 0);
  uint32_t n = 0;
  if (m.source->varying) {
    ck_refuse(&s->E->job, line->source, "%s differs between iterations and cannot be stored",
              m.source->name);
  }
  for (uint32_t d = 0; d < m.tile.rank; d++) {
    ck_require_same(s, m.source->extent[d], m.tile.extent[d]);
    index[d] = ck_variable(s, 'i', d);
  }
  for (uint32_t a = 0; a < CK_LOOP; a++) {
    if (s->block->extent[a] == CK_BAD)
      continue;
    if (m.axis[a] < 0) {
      ck_refuse(&s->E->job, line->source,
                "every grid axis must be mapped: else several blocks write the same elements");
    }
    uint32_t d = (uint32_t)m.axis[a]; /* no other grid axis is mapped to it */
    ck_id tile = m.tile.extent[d];
    ck_id i = index[d];
    ck_require(s, CK_LT, zero, tile);
    block[n++] = tile_of(s, i, tile);
    index[d] = within_tile(s, i, tile);
    m.tile.extent[d] = ck_calculated(s, CK_MUL, s->block->extent[a], tile);
  }
  stored z = {.name = line->name->text, .tensor = m.tile, .at = line->at};
  z.symbol = ck_keep_text(&s->E->job, "C.%s", z.name);
  z.body = ck_element(s, m.source, block, CK_BAD, index);
  return z;
}

/* --- accumulators */
/* the maximum of t over the first n iterations */
static ck_id maximum(const ck_scope *s, const ck_tensor *t, ck_id n) {
  ck_id iteration = ck_variable(s, 'b', CK_LOOP);
  ck_id zero = ck_int(s->E->T, 0);
  ck_id step = ck_larger(s, ck_state(s), element_at(s, t, iteration));
  return ck_folded(s, iteration, n, element_at(s, t, zero), step);
}

/* the sum of t over all iterations; where a running maximum m is named, the state is multiplied by
 * exp(m before this iteration - m) first */
static ck_id total(const ck_scope *s, const ck_tensor *t, const ck_tensor *m) {
  ck_terms *T = s->E->T;
  ck_id iteration = ck_variable(s, 'b', CK_LOOP);
  ck_id state = ck_state(s);
  if (m) {
    ck_id before = maximum(s, m->maximum_of, iteration);
    ck_id now = ck_join(s, CK_MUL, ck_int(T, -1), element_at(s, m, iteration));
    ck_id factor = ck_sure(s, ck_mk1(T, CK_EXP, ck_join(s, CK_ADD, before, now)));
    state = ck_join(s, CK_MUL, state, factor);
  }
  ck_id step = ck_join(s, CK_ADD, state, element_at(s, t, iteration));
  return ck_folded(s, iteration, s->block->extent[CK_LOOP], ck_int(T, 0), step);
}

/* the tiles of t, one for each iteration, side by side along axis d of a */
static ck_id side_by_side(const ck_scope *s, const ck_tensor *t, uint32_t d, ck_tensor *a) {
  ck_id index[CK_MAX_RANK];
  ck_id tile = t->extent[d];
  ck_require(s, CK_LT, ck_int(s->E->T, 0), tile);
  for (uint32_t i = 0; i < t->rank; i++)
    index[i] = ck_variable(s, 'i', i);
  ck_id iteration = tile_of(s, index[d], tile);
  index[d] = within_tile(s, index[d], tile);
  a->extent[d] = ck_calculated(s, CK_MUL, s->block->extent[CK_LOOP], tile);
  return ck_element(s, t, s->block->variables, iteration, index);
}

static const ck_tensor *rescaled_by(const ck_scope *s, const ck_line *line, const ck_tensor *t) {
  if (!line->rescale)
    return NULL;
  const ck_tensor *m = block_tensor(s, line->rescale);
  if (!m->maximum_of)
    ck_refuse(&s->E->job, line->rescale, "%s is not a running maximum", m->name);
  if (m->rank > t->rank)
    ck_refuse(&s->E->job, line->rescale, "%s has more axes than the sum", m->name);
  for (uint32_t i = 0; i < m->rank; i++)
    ck_require_same(s, m->extent[i], t->extent[i]);
  return m;
}

static void running_maximum(const ck_scope *s, const ck_line *line, const ck_tensor *t) {
  ck_id before[4];
  ck_id iteration = ck_variable(s, 'b', CK_LOOP);
  ck_tensor m = *t;
  m.varying = m.in_block = true;
  m.maximum_of = t;
  ck_id body = maximum(s, t, ck_join(s, CK_ADD, iteration, ck_int(s->E->T, 1)));
  ck_define_symbol(s, &m, ck_symbol_name(s, line->running->text), before, lead(s, true, before),
                   body, "acc");
  ck_enter(s, &s->block->tensors, line->running->text, &m);
}

static void accumulate(const ck_scope *s, const ck_line *line) {
  ck_id body;
  ck_id before[4];
  if (s->block->extent[CK_LOOP] == CK_BAD)
    ck_refuse(&s->E->job, line->name, "accumulators need a loop");
  ck_new_tensor_name(s, line->name);
  if (line->running) {
    ck_new_tensor_name(s, line->running);
    if (strcmp(line->running->text, line->name->text) == 0)
      ck_refuse(&s->E->job, line->name, "one name for two tensors");
  }
  const ck_tensor *t = block_tensor(s, line->source);
  if (t->after)
    ck_refuse(&s->E->job, line->source, "%s needs the end of the loop", t->name);
  ck_tensor a = *t;
  a.varying = false;
  a.maximum_of = NULL;
  a.after = a.in_block = true;
  switch (line->how) {
  case CK_K_MAX:
    ck_require(s, CK_LT, ck_int(s->E->T, 0), s->block->extent[CK_LOOP]);
    if (line->running)
      running_maximum(s, line, t);
    body = maximum(s, t, s->block->extent[CK_LOOP]);
    break;
  case CK_K_CONCAT:
    if (line->axis >= (long)t->rank)
      ck_refuse(&s->E->job, line->source, "the tensor has only %u axes", (unsigned)t->rank);
    body = side_by_side(s, t, (uint32_t)line->axis, &a);
    break;
  default:
    body = total(s, t, rescaled_by(s, line, t));
    break;
  }
  ck_define_symbol(s, &a, ck_symbol_name(s, line->name->text), before, lead(s, false, before), body,
                   "acc");
  ck_enter(s, &s->block->tensors, line->name->text, &a);
}

/* --- the kernel */
static void declare_grid(const ck_scope *s, const ck_kernel *k) {
  ck_block *b = s->block;
  for (int a = 0; a < 4; a++)
    b->extent[a] = CK_BAD;
  for (const ck_grid *g = k->grid; g; g = g->next) {
    b->extent[g->axis] = ck_size_value(s, g->extent);
    ck_require_extent(s, b->extent[g->axis]);
  }
  if (k->loop) {
    ck_new_tensor_name(s, k->loop);
    b->extent[CK_LOOP] = ck_size_value(s, k->loop_extent);
    ck_require_extent(s, b->extent[CK_LOOP]);
  }
  for (uint32_t a = 0; a < CK_LOOP; a++) {
    if (b->extent[a] != CK_BAD)
      b->variables[b->n_axes++] = ck_variable(s, 'b', a);
  }
}

void ck_read_kernel(const ck_scope *outer, const ck_kernel *k) {
  ck_scope s = *outer;
  ck_block block = {.number = ++s.side->n_kernels};
  stored waiting[CK_MAX_SIZES];
  uint32_t n = 0;
  block.tensors.at = ck_keep(&s.E->job, CK_MAX_TENSORS * sizeof *block.tensors.at);
  s.block = &block;
  declare_grid(&s, k);
  for (const ck_line *line = k->lines; line; line = line->next) {
    s.at = line->at;
    if (line->kind == CK_L_LOAD) {
      load(&s, line);
    } else if (line->kind == CK_L_ACCUMULATE) {
      accumulate(&s, line);
    } else if (line->kind == CK_L_DEFINE) {
      ck_define_tensor(&s, line);
    } else {
      for (uint32_t i = 0; i < n; i++) {
        if (strcmp(waiting[i].name, line->name->text) == 0)
          ck_refuse(&s.E->job, line->name, "%s is already stored", line->name->text);
      }
      if (n == CK_MAX_SIZES)
        ck_refuse(&s.E->job, line->source, "more than %d stores", CK_MAX_SIZES);
      waiting[n++] = store(&s, line);
    }
  }
  if (n == 0)
    ck_refuse(&s.E->job, k->end, "the kernel stores nothing");
  s.block = NULL; /* other blocks see what is stored only when all is done */
  for (uint32_t i = 0; i < n; i++) {
    s.at = waiting[i].at;
    ck_define_symbol(&s, &waiting[i].tensor, waiting[i].symbol, NULL, 0, waiting[i].body, "store");
    ck_enter(&s, &s.side->tensors, waiting[i].name, &waiting[i].tensor);
  }
}
