/* A model of a muGraph's time at concrete sizes, and the choice of tile sizes by it.
 *
 * A kernel's time is that of its busiest multiprocessor: the larger of what its copies take and
 * what its warps do between barriers (a soft maximum, since the two overlap only in part), behind
 * the launch, the first tile's arrival and the last tile's use. The constants were fitted to
 * kernels of src/lower on an H200 (bench/results): 41 tilings of six programs by hand, six found by
 * the search; the rank correlation (Spearman) of the model with these 47 times is 0.97. dram
 * gated_mlp U=32: 67 MB in 22 us less launch and fill; no kernel drew more than 3.4 TB/s over its
 * whole time mp_bandwidth    gated_mlp U=64 T=64, 64 blocks of 1.1 MB in 26 us; gqa, 1 MB a block
 * whatever the tile row waste       gated_mlp U=16 (rows of 32 bytes) 30 us, U=32 22 us latency_us
 * gated_mlp with 4, 6, 8 tiles of 18 KB in flight: 25.7, 23.7, 22.3 us; rmsnorm_linear with 2, 3:
 * 28, 23 us step_us         layernorm_linear U=16, T=64, 128, 256 (one phase): 15.6, 12.1, 10.4 us;
 * gated_mixer (two phases) T=64, 128: 22, 16 us; gqa U=8 (four), T=64, 128, 256: 51, 37, 32 us
 *   tile_*          gqa T=256, U=8, 16, 32: 32, 42, 61 us, where only the work grows */
#include "search.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  as_size work;
  bool contraction;
} node_work; /* body evaluations times reduction extents */

typedef struct {
  const as_graph *g;
  const as_target *target;
  node_work *w;
  int64_t *env;
} model;

static void set_env(model *M) {
  const as_sizes *S = M->g->sizes;
  uint32_t n = as_size_count(S);
  M->env = as_realloc(M->env, (n + 1) * sizeof *M->env);
  for (uint32_t i = 0; i <= n; i++)
    M->env[i] = 1;
  for (uint32_t i = 0; as_size_nth_sym(S, i) != AS_SIZE_BAD; i++) {
    as_size s = as_size_nth_sym(S, i);
    long v = as_size_value(S, s);
    M->env[s] = v < 0 ? 1 : v;
  }
}

static double value(const model *M, as_size s) {
  int64_t v = as_size_eval(M->g->sizes, s, M->env);
  return v == INT64_MIN || v < 0 ? 1e18 : (double)v;
}

static double elements(const model *M, const as_node *n) {
  double e = 1;
  for (uint32_t i = 0; i < n->rank; i++)
    e *= value(M, n->dim[i]);
  return e;
}

static double bytes_of(const model *M, const as_node *n) {
  return elements(M, n) * (n->dtype == AS_F32 ? 4 : 2);
}

static void reductions(model *M, const as_node *n, const as_match *m, const as_expr *e,
                       as_size *factor) {
  for (uint32_t i = 0; i < e->n; i++) {
    if (e->kid[i] && !((e->kind >= AS_E_SUM && e->kind <= AS_E_MINR) && i == 0))
      reductions(M, n, m, e->kid[i], factor);
  }
  if (e->kind >= AS_E_SUM && e->kind <= AS_E_MINR) {
    as_size s = as_opdef_size(M->g->sizes, n->op, m, n->attr, e->kid[0]);
    if (s != AS_SIZE_BAD)
      *factor = as_size_mul(M->g->sizes, *factor, s);
  }
}

static bool is_contraction(const as_node *n) {
  if (n->kind != AS_N_OP || n->nargs != 2)
    return false;
  const as_expr *b = n->op->let[n->op->nlet - 1].body;
  return b->kind == AS_E_SUM && b->kid[1]->kind == AS_E_MUL;
}

static void prepare_node(model *M, uint32_t i) {
  const as_graph *g = M->g;
  const as_node *n = &g->node[i];
  as_size dim[AS_MAX_ARGS][8];
  as_size out[AS_MAX_RANK];
  as_size total = AS_SIZE_ONE;
  as_size sum = 0;
  uint32_t rank[AS_MAX_ARGS];
  uint32_t orank = 0;
  as_match m;
  for (uint32_t k = 0; k < n->rank; k++)
    total = as_size_mul(g->sizes, total, n->dim[k]);
  M->w[i].work = total;
  if (n->kind != AS_N_OP)
    return;
  for (uint32_t k = 0; k < n->nargs; k++) {
    rank[k] = g->node[n->arg[k]].rank;
    memcpy(dim[k], g->node[n->arg[k]].dim, sizeof dim[k]);
  }
  if (!as_opdef_match(g->sizes, n->op, (const as_size(*)[8])dim, rank, n->nargs, n->attr, &m, out,
                      &orank, NULL, NULL))
    return;
  as_size widest = total;
  double most = 0;
  for (uint32_t k = 0; k < n->nargs; k++) {
    if (elements(M, &g->node[n->arg[k]]) > most) {
      most = elements(M, &g->node[n->arg[k]]);
      widest = AS_SIZE_ONE;
      for (uint32_t j = 0; j < rank[k]; j++)
        widest = as_size_mul(g->sizes, widest, dim[k][j]);
    }
  }
  for (uint32_t k = 0; k < n->op->nlet; k++) { /* an inner definition goes over an argument once */
    as_size f = total;
    if (k + 1 < n->op->nlet)
      f = widest;
    else
      reductions(M, n, &m, n->op->let[k].body, &f);
    if (k + 1 == n->op->nlet && n->nargs == 1 && f != total)
      f = widest;
    sum = as_size_add(g->sizes, sum, f);
  }
  M->w[i].work = sum;
  M->w[i].contraction = is_contraction(n);
}

static void prepare(model *M) {
  M->w = as_calloc(M->g->n + 1, sizeof *M->w);
  for (uint32_t i = 0; i < M->g->n; i++)
    prepare_node(M, i);
}

/* Short rows of a tile waste sectors and copy instructions. */
static double row_waste(const model *M, const as_node *n) {
  if (!n->rank)
    return 1;
  double row = value(M, n->dim[n->rank - 1]) * 2;
  for (uint32_t i = 0; i < n->rank && row < 64; i++) /* a tensor of short rows is read in whole */
  {
    if (i + 1 == n->rank && n->map[0] != (int)i && n->map[1] != (int)i && n->map[2] != (int)i &&
        n->map[3] != (int)i)
      return 1;
  }
  return row >= 128 ? 1 : row >= 64 ? 1.03 : row >= 32 ? 1.4 : 1.4 * sqrt(32 / row);
}

static double lane_waste(const model *M, const as_node *n) {
  double w = 1;
  for (uint32_t i = n->rank >= 2 ? n->rank - 2 : 0; i < n->rank; i++) {
    double d = value(M, n->dim[i]);
    double unit = i + 1 == n->rank ? 16 : 8;
    w *= ceil(d / unit) * unit / d;
  }
  return w;
}

#define PRODUCT_TILE 1024 /* elements of a result that a block of a predefined product makes */

static double soft_max(double a, double b) {
  return sqrt(sqrt(a * a * a * a + b * b * b * b));
}

/* A predefined kernel: a product goes block by block over tiles of its result, anything else is a
 * kernel for each of its definitions. */
static double predefined_us(const model *M, uint32_t id) {
  const as_node *n = &M->g->node[id];
  const as_target *target = M->target;
  double bytes = bytes_of(M, n);
  double out = elements(M, n);
  double work = value(M, M->w[id].work);
  double bare = target->launch_us + 2 * target->latency_us;
  for (uint32_t i = 0; i < n->nargs; i++) {
    if (M->g->node[n->arg[i]].kind != AS_N_CONST)
      bytes += bytes_of(M, &M->g->node[n->arg[i]]);
  }
  double mem = bytes / target->dram;
  if (!M->w[id].contraction) {
    double defs = n->op ? n->op->nlet : 1;
    double scalar = work / (target->tile_elements * target->multiprocessors);
    return defs * (bare + mem) + scalar;
  }
  double blocks = ceil(out / PRODUCT_TILE);
  double share = ceil(blocks / target->multiprocessors);
  double reduced = work / out;
  double serial = share * (2 * work * lane_waste(M, n) / blocks / target->tile_flops) +
                  reduced / 64 * target->step_us;
  double fetch = share * (16 + PRODUCT_TILE / 16) * reduced * 2 / target->mp_bandwidth;
  return bare + soft_max(fetch > mem ? fetch : mem, serial);
}

/* Time of one multiprocessor for an operator on tiles: a product by its padded flops, anything else
 * by the elements it goes over (each is read from and written to shared memory or shuffled, which
 * costs far more than its arithmetic). */
static double tile_us(const model *M, uint32_t id) {
  double work = value(M, M->w[id].work);
  if (!M->w[id].contraction && work <= elements(M, &M->g->node[id]))
    work /= 2; /* element by element: done where it is read */
  return M->w[id].contraction ? 2 * work * lane_waste(M, &M->g->node[id]) / M->target->tile_flops
                              : work / M->target->tile_elements;
}

/* Phases of an iteration: values that are complete only behind a barrier.  What follows a product
 * or a reduction waits for it, a product waits for operands that are computed.  depth: by node, of
 * its value. */
static uint32_t phases(const model *M, const as_block *k, bool varying) {
  const as_graph *g = M->g;
  uint32_t *depth = as_calloc(g->n + 1, sizeof *depth);
  uint32_t most = 0;
  for (uint32_t i = 0; i < k->n; i++) {
    uint32_t id = k->nodes[i];
    uint32_t d = 0;
    const as_node *n = &g->node[id];
    if (n->kind == AS_N_LOAD || n->kind == AS_N_STORE)
      continue;
    for (uint32_t j = 0; j < n->nargs; j++) {
      uint32_t a = n->arg[j];
      const as_node *b = &g->node[a];
      bool behind =
          b->kind == AS_N_OP && b->block != AS_NONE &&
          (M->w[id].contraction || M->w[a].contraction || elements(M, b) < value(M, M->w[a].work));
      if (depth[a] + behind > d)
        d = depth[a] + behind;
    }
    depth[id] = d;
    if (n->kind == AS_N_OP && n->varying == varying && d + 1 > most)
      most = d + 1;
  }
  free(depth);
  return most;
}

/* tiles in flight, as the lowering chooses them: more for blocks that are alone on their
 * multiprocessor */
static double ring(const model *M, double blocks, double loop, double moving, double rest) {
  const as_target *target = M->target;
  bool alone = blocks <= target->multiprocessors;
  double in_flight = (double)(alone ? target->ring_alone : target->ring_shared);
  double s = moving > 0 ? floor(in_flight / moving) : 1;
  if (s < 2)
    s = 2;
  if (s > target->ring_stages)
    s = target->ring_stages;
  if (s > loop)
    s = loop;
  while (s > 1 && rest + moving * s > (double)target->shared_block)
    s--;
  return s;
}

/* -1: does not fit */
static double block_us(const model *M, uint32_t b, double *shared) {
  const as_graph *g = M->g;
  const as_target *target = M->target;
  const as_block *k = &g->block[b];
  double blocks = 1;
  double loop = value(M, k->loop);
  double still = 0;
  double moving = 0;
  double drawn = 0;
  double dram = 0;
  double state = 0;
  double inner = 0;
  double work = 0;
  double once = 0;
  for (int i = 0; i < 3; i++)
    blocks *= value(M, k->grid[i]);
  if (value(M, k->grid[1]) > (double)target->grid[1] ||
      value(M, k->grid[2]) > (double)target->grid[2] || blocks > (double)target->grid[0])
    return -1;
  for (uint32_t i = 0; i < k->n; i++) {
    const as_node *n = &g->node[k->nodes[i]];
    if (n->kind == AS_N_LOAD) {
      double bytes = bytes_of(M, n);
      double waste = row_waste(M, n);
      if (n->map[3] >= 0)
        moving += bytes;
      else
        still += bytes;
      drawn += bytes * (n->map[3] >= 0 ? loop : 1);
      dram += bytes_of(M, &g->node[n->arg[0]]) * waste;
    } else if (n->kind == AS_N_ACC) {
      state += elements(M, n) * 4;
      if (n->acc == AS_ACC_RESCALE)
        work += elements(M, n) / target->tile_elements;
    } else if (n->kind == AS_N_STORE) {
      dram += bytes_of(M, n);
    } else if (n->kind == AS_N_OP) {
      *(n->varying ? &work : &once) += tile_us(M, k->nodes[i]);
      double size = elements(M, n) * (M->w[k->nodes[i]].contraction ? 4 : 2);
      if (size > inner)
        inner = size;
    }
  }
  /* accumulators live in registers, beside addresses and fragments */
  double registers = 4.0 * target->registers_mp;
  double accumulators_block = registers * 5 / 8;
  double accumulators_mp = registers * 25 / 32;
  double stages = ring(M, blocks, loop, moving, still + inner);
  double need = still + moving * stages + inner;
  if (need > *shared)
    *shared = need;
  if (need > (double)target->shared_block || state > accumulators_block)
    return -1;
  double occupancy = floor((double)target->shared_mp / (need + (double)target->shared_reserved));
  if (occupancy > target->warps_mp / target->block_warps)
    occupancy = target->warps_mp / target->block_warps;
  if (state * occupancy > accumulators_mp)
    occupancy = floor(accumulators_mp / state) > 1 ? floor(accumulators_mp / state) : 1;
  double share = ceil(blocks / target->multiprocessors); /* blocks that the busiest multiprocessor
                                                            runs, `together` at a time */
  double together = share < occupancy ? share : occupancy;
  double rounds = ceil(share / together);
  double flight = (still + moving * (stages > 1 ? stages - 1 : 1)) * together;
  double rate = 1 / soft_max(1 / target->mp_bandwidth, target->latency_us / flight);
  double steps =
      loop * phases(M, k, true) * target->step_us + phases(M, k, false) * target->step_us;
  double fetch = drawn * share / rate;
  double serial = (work * loop + once) * share + steps * rounds;
  double mem = soft_max(dram / target->dram, blocks * drawn / target->l2);
  if (fetch > mem)
    mem = fetch;
  /* what nothing overlaps: the first tiles' arrival, the last iteration, what follows the loop */
  double bare = rounds * (target->latency_us + (still + moving) * together / rate) +
                (loop < 2 ? serial : serial / loop);
  return target->launch_us + bare + soft_max(mem, serial);
}

static double total_us(const model *M, double *shared) {
  const as_graph *g = M->g;
  double t = 0;
  *shared = 0;
  for (uint32_t i = 0; i < g->n_block; i++) {
    double b = block_us(M, i, shared);
    if (b < 0)
      return -1;
    t += b;
  }
  for (uint32_t i = 0; i < g->n; i++) {
    if (g->node[i].kind == AS_N_OP && g->node[i].block == AS_NONE)
      t += predefined_us(M, i);
  }
  return t;
}

double as_cost(const as_graph *g, const as_target *target, double *shared) {
  model M = {.g = g, .target = target ? target : as_target_default()};
  double s = 0;
  set_env(&M);
  prepare(&M);
  set_env(&M);
  double t = total_us(&M, &s);
  free(M.w);
  free(M.env);
  if (shared)
    *shared = s;
  return t;
}

double as_cost_operator(const as_graph *g, as_node_id op, const as_target *target) {
  model M = {.g = g, .target = target ? target : as_target_default()};
  M.w = as_calloc(g->n + 1, sizeof *M.w);
  set_env(&M);
  prepare_node(&M, op);
  set_env(&M);
  double t = predefined_us(&M, op);
  free(M.w);
  free(M.env);
  return t;
}

/* --- tilings.  A relation `extent = count * tile` gives the choices; kernels are tuned one by one
 * since they share no new size. */
typedef struct {
  as_size count;
  as_size tile;
  long extent;
  long choice[24];
  uint32_t n;
  uint32_t block;
} split;

static bool mentions(const as_sizes *S, as_size a, as_size sym) {
  for (uint32_t i = 0; i < as_size_nmono(S, a); i++) {
    as_size_mono m = as_size_get_mono(S, a, i);
    for (uint32_t j = 0; j < m.n; j++) {
      if (m.atom[j] == sym)
        return true;
    }
  }
  return false;
}

static uint32_t block_of(const as_graph *g, as_size sym) {
  for (uint32_t b = 0; b < g->n_block; b++) {
    if (mentions(g->sizes, g->block[b].loop, sym))
      return b;
    for (int i = 0; i < 3; i++) {
      if (mentions(g->sizes, g->block[b].grid[i], sym))
        return b;
    }
  }
  return AS_NONE;
}

static bool is_own(const as_graph *g, as_size s) {
  for (uint32_t i = 0; i < g->n_own_size; i++) {
    if (g->own_size[i] == s)
      return true;
  }
  return false;
}

static void choices(split *s, bool loop, bool fine) {
  static const long nice[] = {16,  32,  64, 128, 256, 48, 96, 80, 112, 160,
                              192, 512, 8,  24,  40,  56, 4,  2,  1};
  for (size_t i = 0; i < sizeof nice / sizeof *nice && s->n < 20; i++) {
    long t = nice[i];
    if (t > s->extent || s->extent % t)
      continue;
    if (t % 16 && s->n && !fine && (t != 8 || loop))
      continue; /* tiles that are no multiple of a fragment only where nothing better divides */
    if (t < 8 && (loop || (s->extent > 64 && !fine)))
      continue; /* a loop of single elements is no tiling */
    if (loop && t > 256)
      continue;
    s->choice[s->n++] = t;
  }
  bool whole = false;
  for (uint32_t i = 0; i < s->n; i++)
    whole |= s->choice[i] == s->extent;
  if (!whole && s->extent <= 512)
    s->choice[s->n++] = s->extent;
}

static uint32_t read_splits(const as_graph *g, split *out, uint32_t max, char **why) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < g->n_fact; i++) {
    const as_size_fact *f = &g->fact[i];
    if (f->rel != AS_REL_EQ || as_size_nmono(g->sizes, f->rhs) != 1)
      continue;
    as_size_mono m = as_size_get_mono(g->sizes, f->rhs, 0);
    int64_t extent;
    if (m.n != 2 || m.coef != 1 || !is_own(g, m.atom[0]) || !is_own(g, m.atom[1]) || n == max)
      continue;
    split s = {.count = m.atom[0], .tile = m.atom[1]};
    if (block_of(g, s.count) == AS_NONE) {
      s.count = m.atom[1];
      s.tile = m.atom[0];
    }
    s.block = block_of(g, s.count);
    if (!as_graph_concrete(g, f->lhs, &extent)) {
      if (why)
        *why = as_strdup("the program states no concrete sizes: nothing to tile for");
      return AS_NONE;
    }
    s.extent = (long)extent;
    bool fine = s.block != AS_NONE; /* no tensor cores: a block may take one row */
    for (uint32_t k = 0; fine && k < g->block[s.block].n; k++)
      fine = !is_contraction(&g->node[g->block[s.block].nodes[k]]);
    choices(&s, s.block != AS_NONE && mentions(g->sizes, g->block[s.block].loop, s.count), fine);
    if (!s.n) {
      char *a = as_size_print(g->sizes, f->lhs);
      if (why) {
        *why = as_format("no tile size divides %s = %ld: it must have a divisor that is a multiple "
                         "of 8 (or be at most 512)",
                         a, s.extent);
      }
      free(a);
      return AS_NONE;
    }
    out[n++] = s;
  }
  return n;
}

typedef struct {
  double us;
  double shared;
  long v[12];
} choice;

static int cmp_choice(const void *a, const void *b) {
  const choice *x = a;
  const choice *y = b;
  if (x->us != y->us)
    return x->us < y->us ? -1 : 1;
  return memcmp(x->v, y->v, sizeof x->v) > 0 ? 1 : -1;
}

/* all tilings of block b, best first */
static choice *tile_block(model *M, uint32_t b, const split *s, const uint32_t *at, uint32_t k,
                          uint32_t *n) {
  uint32_t total = 1;
  uint32_t idx[12] = {0};
  for (uint32_t i = 0; i < k; i++)
    total *= s[at[i]].n;
  choice *c = as_calloc(total + 1, sizeof *c);
  *n = 0;
  for (uint32_t t = 0; t < total; t++) {
    choice x = {0, 0, {0}};
    for (uint32_t i = 0; i < k; i++) {
      const split *q = &s[at[i]];
      x.v[i] = q->choice[idx[i]];
      M->env[q->tile] = x.v[i];
      M->env[q->count] = q->extent / x.v[i];
    }
    x.us = block_us(M, b, &x.shared);
    for (uint32_t i = 0; i < k; i++) {
      if (x.v[i] & (x.v[i] - 1))
        x.us *= 1.03; /* odd tiles cost the address arithmetic */
    }
    if (x.us >= 0)
      c[(*n)++] = x;
    for (uint32_t i = 0; i < k && ++idx[i] == s[at[i]].n; i++)
      idx[i] = 0;
  }
  qsort(c, *n, sizeof *c, cmp_choice);
  return c;
}

as_tiling *as_tilings(const as_graph *g, const as_target *target, uint32_t keep, uint32_t *n,
                      char **why) {
  split s[48];
  *n = 0;
  if (why)
    *why = NULL;
  for (const as_graph *h = g->program; h; h = h->program) {
    for (uint32_t i = 0; i < h->n_own_size; i++) {
      if (as_size_value(g->sizes, h->own_size[i]) < 0) {
        if (why) {
          *why = as_format("the program states no concrete size for %s: nothing to tile for",
                           as_size_name(g->sizes, h->own_size[i]));
        }
        return NULL;
      }
    }
  }
  uint32_t ns = read_splits(g, s, 48, why);
  if (ns == AS_NONE)
    return NULL;
  model M = {.g = g, .target = target ? target : as_target_default()};
  set_env(&M);
  prepare(&M);
  set_env(&M);
  as_tiling *out = as_calloc(keep + 1, sizeof *out);
  uint32_t have = 0;
  bool ok = true;
  for (uint32_t i = 0; i < keep; i++) {
    out[i].size = as_calloc(2 * ns + 1, sizeof(as_size));
    out[i].value = as_calloc(2 * ns + 1, sizeof(long));
  }
  for (uint32_t b = 0; b < g->n_block && ok; b++) {
    uint32_t at[12];
    uint32_t k = 0;
    uint32_t nc;
    for (uint32_t i = 0; i < ns; i++) {
      if (s[i].block == b && k < 12)
        at[k++] = i;
    }
    choice *c = tile_block(&M, b, s, at, k, &nc);
    ok = nc > 0;
    if (!ok && why && !*why) {
      *why = as_format(
          "kernel %s: no tile sizes that divide the concrete sizes fit shared memory and registers",
          g->block[b].name);
    }
    /* the i-th tiling of the graph takes the i-th of each block (the last where there are fewer) */
    if (nc > have)
      have = nc < keep ? nc : keep;
    for (uint32_t i = 0; i < keep && ok; i++) {
      const choice *x = &c[i < nc ? i : nc - 1];
      for (uint32_t j = 0; j < k; j++) {
        uint32_t p = out[i].n;
        out[i].size[p] = s[at[j]].count;
        out[i].value[p] = s[at[j]].extent / x->v[j];
        out[i].size[p + 1] = s[at[j]].tile;
        out[i].value[p + 1] = x->v[j];
        out[i].n += 2;
      }
    }
    free(c);
  }
  if (!g->n_block)
    have = 1;
  for (uint32_t i = 0; i < have && ok; i++) {
    for (uint32_t j = 0; j < out[i].n; j++)
      M.env[out[i].size[j]] = out[i].value[j];
    out[i].us = total_us(&M, &out[i].shared);
  }
  for (uint32_t i = ok ? have : 0; i < keep; i++) {
    free(out[i].size);
    free(out[i].value);
    memset(&out[i], 0, sizeof out[i]);
  }
  *n = ok ? have : 0;
  free(M.w);
  free(M.env);
  return out;
}
