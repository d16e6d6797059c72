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
#include "src/base/id.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  as_size work;
  bool contraction;
} node_work; /* body evaluations times reduction extents */

typedef struct {
  const as_graph *graph;
  const as_target *target;
  node_work *works;
  int64_t *env;
} cost_model;

static void set_env(cost_model *model) {
  const as_sizes *sizes = model->graph->sizes;
  uint32_t n_sizes = as_size_count(sizes);
  model->env = as_realloc(model->env, (n_sizes + 1) * sizeof *model->env);
  for (uint32_t i = 0; i <= n_sizes; i++)
    model->env[i] = 1;
  for (uint32_t i = 0; as_size_nth_sym(sizes, i) != AS_SIZE_BAD; i++) {
    as_size sym = as_size_nth_sym(sizes, i);
    long value_of = as_size_value(sizes, sym);
    model->env[sym] = value_of < 0 ? 1 : value_of;
  }
}

static double value(const cost_model *model, as_size size) {
  int64_t at = as_size_eval(model->graph->sizes, size, model->env);
  return at == INT64_MIN || at < 0 ? 1e18 : (double)at;
}

static double elements(const cost_model *model, const as_node *node) {
  double count = 1;
  for (uint32_t i = 0; i < node->rank; i++)
    count *= value(model, node->dim[i]);
  return count;
}

static double bytes_of(const cost_model *model, const as_node *node) {
  return elements(model, node) * (node->dtype == AS_F32 ? 4 : 2);
}

static void reductions(cost_model *model, const as_node *node, const as_match *match,
                       const as_expr *expr, as_size *factor) {
  for (uint32_t i = 0; i < expr->n; i++) {
    if (expr->kid[i] && !((expr->kind >= AS_E_SUM && expr->kind <= AS_E_MINR) && i == 0))
      reductions(model, node, match, expr->kid[i], factor);
  }
  if (expr->kind >= AS_E_SUM && expr->kind <= AS_E_MINR) {
    as_size extent = as_opdef_size(model->graph->sizes, node->op, match, node->attr, expr->kid[0]);
    if (extent != AS_SIZE_BAD)
      *factor = as_size_mul(model->graph->sizes, *factor, extent);
  }
}

static bool is_contraction(const as_node *node) {
  if (node->kind != AS_N_OP || node->nargs != 2)
    return false;
  const as_expr *body = node->op->let[node->op->nlet - 1].body;
  return body->kind == AS_E_SUM && body->kid[1]->kind == AS_E_MUL;
}

static void prepare_node(cost_model *model, uint32_t i) {
  const as_graph *graph = model->graph;
  const as_node *node = &graph->node[i];
  as_size dim[AS_MAX_ARGS][8];
  as_size out[AS_MAX_RANK];
  as_size total = AS_SIZE_ONE;
  as_size sum = 0;
  uint32_t rank[AS_MAX_ARGS];
  uint32_t orank = 0;
  as_match match;
  for (uint32_t k = 0; k < node->rank; k++)
    total = as_size_mul(graph->sizes, total, node->dim[k]);
  model->works[i].work = total;
  if (node->kind != AS_N_OP)
    return;
  for (uint32_t k = 0; k < node->nargs; k++) {
    rank[k] = graph->node[node->arg[k]].rank;
    memcpy(dim[k], graph->node[node->arg[k]].dim, sizeof dim[k]);
  }
  if (!as_opdef_match(graph->sizes, node->op, (const as_size(*)[8])dim, rank, node->nargs,
                      node->attr, &match, out, &orank, NULL, NULL))
    return;
  as_size widest = total;
  double most = 0;
  for (uint32_t k = 0; k < node->nargs; k++) {
    if (elements(model, &graph->node[node->arg[k]]) > most) {
      most = elements(model, &graph->node[node->arg[k]]);
      widest = AS_SIZE_ONE;
      for (uint32_t j = 0; j < rank[k]; j++)
        widest = as_size_mul(graph->sizes, widest, dim[k][j]);
    }
  }
  for (uint32_t k = 0; k < node->op->nlet;
       k++) { /* an inner definition goes over an argument once */
    as_size evaluations = total;
    if (k + 1 < node->op->nlet)
      evaluations = widest;
    else
      reductions(model, node, &match, node->op->let[k].body, &evaluations);
    if (k + 1 == node->op->nlet && node->nargs == 1 && evaluations != total)
      evaluations = widest;
    sum = as_size_add(graph->sizes, sum, evaluations);
  }
  model->works[i].work = sum;
  model->works[i].contraction = is_contraction(node);
}

static void prepare(cost_model *model) {
  model->works = as_calloc(model->graph->n + 1, sizeof *model->works);
  for (uint32_t i = 0; i < model->graph->n; i++)
    prepare_node(model, i);
}

/* Short rows of a tile waste sectors and copy instructions. */
static double row_waste(const cost_model *model, const as_node *node) {
  if (!node->rank)
    return 1;
  double row_bytes = value(model, node->dim[node->rank - 1]) * 2;
  for (uint32_t i = 0; i < node->rank && row_bytes < 64;
       i++) /* a tensor of short rows is read in whole */
  {
    if (i + 1 == node->rank && node->map[0] != (int)i && node->map[1] != (int)i &&
        node->map[2] != (int)i && node->map[3] != (int)i)
      return 1;
  }
  return row_bytes >= 128  ? 1
         : row_bytes >= 64 ? 1.03
         : row_bytes >= 32 ? 1.4
                           : 1.4 * sqrt(32 / row_bytes);
}

static double lane_waste(const cost_model *model, const as_node *node) {
  double waste = 1;
  for (uint32_t i = node->rank >= 2 ? node->rank - 2 : 0; i < node->rank; i++) {
    double extent = value(model, node->dim[i]);
    double unit = i + 1 == node->rank ? 16 : 8;
    waste *= ceil(extent / unit) * unit / extent;
  }
  return waste;
}

#define PRODUCT_TILE 1024 /* elements of a result that a block of a predefined product makes */

static double soft_max(double a, double b) {
  return sqrt(sqrt(a * a * a * a + b * b * b * b));
}

/* A predefined kernel: a product goes block by block over tiles of its result, anything else is a
 * kernel for each of its definitions. */
static double predefined_us(const cost_model *model, uint32_t id) {
  const as_node *node = &model->graph->node[id];
  const as_target *target = model->target;
  double bytes = bytes_of(model, node);
  double out = elements(model, node);
  double work = value(model, model->works[id].work);
  double bare = target->launch_us + 2 * target->latency_us;
  for (uint32_t i = 0; i < node->nargs; i++) {
    if (!as_graph_is_number(&model->graph->node[node->arg[i]]))
      bytes += bytes_of(model, &model->graph->node[node->arg[i]]);
  }
  double mem = bytes / target->dram;
  if (!model->works[id].contraction) {
    double n_kernels = node->op ? node->op->nlet : 1;
    double scalar = work / (target->tile_elements * target->multiprocessors);
    return n_kernels * (bare + mem) + scalar;
  }
  double blocks = ceil(out / PRODUCT_TILE);
  double share = ceil(blocks / target->multiprocessors);
  double reduced = work / out;
  double serial = share * (2 * work * lane_waste(model, node) / blocks / target->tile_flops) +
                  reduced / 64 * target->step_us;
  double fetch = share * (16 + PRODUCT_TILE / 16) * reduced * 2 / target->mp_bandwidth;
  return bare + soft_max(fetch > mem ? fetch : mem, serial);
}

/* Time of one multiprocessor for an operator on tiles: a product by its padded flops, anything else
 * by the elements it goes over (each is read from and written to shared memory or shuffled, which
 * costs far more than its arithmetic). */
static double tile_us(const cost_model *model, uint32_t id) {
  double work = value(model, model->works[id].work);
  if (!model->works[id].contraction && work <= elements(model, &model->graph->node[id]))
    work /= 2; /* element by element: done where it is read */
  return model->works[id].contraction
             ? 2 * work * lane_waste(model, &model->graph->node[id]) / model->target->tile_flops
             : work / model->target->tile_elements;
}

/* Phases of an iteration: values that are complete only behind a barrier.  What follows a product
 * or a reduction waits for it, a product waits for operands that are computed.  depth: by node, of
 * its value. */
static uint32_t phases(const cost_model *model, const as_block *block, bool varying) {
  const as_graph *graph = model->graph;
  uint32_t *depth = as_calloc(graph->n + 1, sizeof *depth);
  uint32_t most = 0;
  for (uint32_t i = 0; i < block->n; i++) {
    uint32_t id = block->nodes[i];
    uint32_t level = 0;
    const as_node *node = &graph->node[id];
    if (node->kind == AS_N_LOAD || node->kind == AS_N_STORE)
      continue;
    for (uint32_t j = 0; j < node->nargs; j++) {
      uint32_t arg = node->arg[j];
      const as_node *arg_node = &graph->node[arg];
      bool behind = arg_node->kind == AS_N_OP && arg_node->block != AS_NONE &&
                    (model->works[id].contraction || model->works[arg].contraction ||
                     elements(model, arg_node) < value(model, model->works[arg].work));
      if (depth[arg] + behind > level)
        level = depth[arg] + behind;
    }
    depth[id] = level;
    if (node->kind == AS_N_OP && node->varying == varying && level + 1 > most)
      most = level + 1;
  }
  free(depth);
  return most;
}

/* tiles in flight, as the lowering chooses them: more for blocks that are alone on their
 * multiprocessor */
static double ring(const cost_model *model, double blocks, double loop, double moving,
                   double rest) {
  const as_target *target = model->target;
  bool alone = blocks <= target->multiprocessors;
  double in_flight = (double)(alone ? target->ring_alone : target->ring_shared);
  double stages = moving > 0 ? floor(in_flight / moving) : 1;
  if (stages < 2)
    stages = 2;
  if (stages > target->ring_stages)
    stages = target->ring_stages;
  if (stages > loop)
    stages = loop;
  while (stages > 1 && rest + moving * stages > (double)target->shared_block)
    stages--;
  return stages;
}

/* -1: does not fit */
static double block_us(const cost_model *model, uint32_t which, double *shared) {
  const as_graph *graph = model->graph;
  const as_target *target = model->target;
  const as_block *block = &graph->block[which];
  double blocks = 1;
  double loop = value(model, block->loop);
  double still = 0;
  double moving = 0;
  double drawn = 0;
  double dram = 0;
  double state = 0;
  double inner = 0;
  double work = 0;
  double once = 0;
  for (int i = 0; i < 3; i++)
    blocks *= value(model, block->grid[i]);
  if (blocks == 0)
    return 0; /* nothing to compute: the kernel is not launched */
  if (value(model, block->grid[1]) > (double)target->grid[1] ||
      value(model, block->grid[2]) > (double)target->grid[2] || blocks > (double)target->grid[0])
    return -1;
  for (uint32_t i = 0; i < block->n; i++) {
    const as_node *node = &graph->node[block->nodes[i]];
    if (node->kind == AS_N_LOAD) {
      double bytes = bytes_of(model, node);
      double waste = row_waste(model, node);
      if (node->map[3] >= 0)
        moving += bytes;
      else
        still += bytes;
      drawn += bytes * (node->map[3] >= 0 ? loop : 1);
      dram += bytes_of(model, &graph->node[node->arg[0]]) * waste;
    } else if (node->kind == AS_N_ACC) {
      state += elements(model, node) * 4;
      if (node->acc == AS_ACC_RESCALE)
        work += elements(model, node) / target->tile_elements;
    } else if (node->kind == AS_N_STORE) {
      dram += bytes_of(model, node);
    } else if (node->kind == AS_N_OP) {
      *(node->varying ? &work : &once) += tile_us(model, block->nodes[i]);
      double size = elements(model, node) * (model->works[block->nodes[i]].contraction ? 4 : 2);
      if (size > inner)
        inner = size;
    }
  }
  /* accumulators live in registers, beside addresses and fragments */
  double registers = 4.0 * target->registers_mp;
  double accumulators_block = registers * 5 / 8;
  double accumulators_mp = registers * 25 / 32;
  double stages = ring(model, blocks, loop, moving, still + inner);
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
  double steps = loop * phases(model, block, true) * target->step_us +
                 phases(model, block, false) * target->step_us;
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

static double total_us(const cost_model *model, double *shared) {
  const as_graph *graph = model->graph;
  double total = 0;
  *shared = 0;
  for (uint32_t i = 0; i < graph->n_block; i++) {
    double block = block_us(model, i, shared);
    if (block < 0)
      return -1;
    total += block;
  }
  for (uint32_t i = 0; i < graph->n; i++) {
    if (graph->node[i].kind == AS_N_OP && graph->node[i].block == AS_NONE)
      total += predefined_us(model, i);
  }
  return total;
}

double as_cost(const as_graph *graph, const as_target *target, double *shared) {
  cost_model model = {.graph = graph, .target = target ? target : as_target_default()};
  double largest = 0;
  set_env(&model);
  prepare(&model);
  set_env(&model);
  double us = total_us(&model, &largest);
  free(model.works);
  free(model.env);
  if (shared)
    *shared = largest;
  return us;
}

/* what crosses a kernel's border comes from memory or goes there, whatever the kernel is */
double as_cost_bound(const as_graph *graph, const uint32_t *op, uint32_t n,
                     const uint32_t *last_use, const as_target *target) {
  cost_model model = {.graph = graph, .target = target};
  double bytes = 0;
  set_env(&model);
  for (uint32_t i = 0; i < n; i++) {
    const as_node *node = &graph->node[op[i]];
    if (last_use[op[i]] == 0 || last_use[op[i]] > op[n - 1])
      bytes += bytes_of(&model, node);
    for (uint32_t j = 0; j < node->nargs; j++) {
      bool counted = as_graph_is_number(&graph->node[node->arg[j]]);
      for (uint32_t k = 0; k < n && !counted; k++) {
        counted = op[k] == node->arg[j];
        for (uint32_t l = 0; k < i && l < graph->node[op[k]].nargs && !counted; l++)
          counted = graph->node[op[k]].arg[l] == node->arg[j];
      }
      for (uint32_t l = 0; l < j && !counted; l++)
        counted = node->arg[l] == node->arg[j];
      if (!counted)
        bytes += bytes_of(&model, &graph->node[node->arg[j]]);
    }
  }
  free(model.env);
  return target->launch_us + target->latency_us + bytes / target->dram;
}

double as_cost_operator(const as_graph *graph, as_node_id op, const as_target *target) {
  cost_model model = {.graph = graph, .target = target ? target : as_target_default()};
  model.works = as_calloc(graph->n + 1, sizeof *model.works);
  set_env(&model);
  prepare_node(&model, op);
  set_env(&model);
  double us = predefined_us(&model, op);
  free(model.works);
  free(model.env);
  return us;
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

static bool mentions(const as_sizes *sizes, as_size size, as_size sym) {
  for (uint32_t i = 0; i < as_size_nmono(sizes, size); i++) {
    as_size_mono mono = as_size_get_mono(sizes, size, i);
    for (uint32_t j = 0; j < mono.n; j++) {
      if (mono.atom[j] == sym)
        return true;
    }
  }
  return false;
}

static uint32_t block_of(const as_graph *graph, as_size sym) {
  for (uint32_t block = 0; block < graph->n_block; block++) {
    if (mentions(graph->sizes, graph->block[block].loop, sym))
      return block;
    for (int i = 0; i < 3; i++) {
      if (mentions(graph->sizes, graph->block[block].grid[i], sym))
        return block;
    }
  }
  return AS_NONE;
}

static bool is_own(const as_graph *graph, as_size size) {
  for (uint32_t i = 0; i < graph->n_own_size; i++) {
    if (graph->own_size[i] == size)
      return true;
  }
  return false;
}

static void choices(split *of, bool loop, bool fine) {
  static const long nice[] = {16,  32,  64, 128, 256, 48, 96, 80, 112, 160,
                              192, 512, 8,  24,  40,  56, 4,  2,  1};
  for (size_t i = 0; i < sizeof nice / sizeof *nice && of->n < 20; i++) {
    long tile = nice[i];
    if (tile > of->extent || of->extent % tile)
      continue;
    if (tile % 16 && of->n && !fine && (tile != 8 || loop))
      continue; /* tiles that are no multiple of a fragment only where nothing better divides */
    if (tile < 8 && (loop || (of->extent > 64 && !fine)))
      continue; /* a loop of single elements is no tiling */
    if (loop && tile > 256)
      continue;
    of->choice[of->n++] = tile;
  }
  if (of->extent == 0)
    of->choice[of->n++] = 1; /* no tiles, of any size */
  bool whole = of->extent == 0;
  for (uint32_t i = 0; i < of->n; i++)
    whole |= of->choice[i] == of->extent;
  if (!whole && of->extent <= 512)
    of->choice[of->n++] = of->extent;
}

static uint32_t read_splits(const as_graph *graph, split *out, uint32_t max, char **why) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < graph->n_fact; i++) {
    const as_size_fact *fact = &graph->fact[i];
    if (fact->rel != AS_REL_EQ || as_size_nmono(graph->sizes, fact->rhs) != 1)
      continue;
    as_size_mono mono = as_size_get_mono(graph->sizes, fact->rhs, 0);
    int64_t extent;
    if (mono.n != 2 || mono.coef != 1 || !is_own(graph, mono.atom[0]) ||
        !is_own(graph, mono.atom[1]) || n == max)
      continue;
    split found = {.count = mono.atom[0], .tile = mono.atom[1]};
    if (block_of(graph, found.count) == AS_NONE) {
      found.count = mono.atom[1];
      found.tile = mono.atom[0];
    }
    found.block = block_of(graph, found.count);
    if (!as_graph_concrete(graph, fact->lhs, &extent)) {
      if (why)
        *why = as_strdup("the program states no concrete sizes: nothing to tile for");
      return AS_NONE;
    }
    found.extent = (long)extent;
    bool fine = found.block != AS_NONE; /* no tensor cores: a block may take one row */
    for (uint32_t node = 0; fine && node < graph->block[found.block].n; node++)
      fine = !is_contraction(&graph->node[graph->block[found.block].nodes[node]]);
    choices(&found,
            found.block != AS_NONE &&
                mentions(graph->sizes, graph->block[found.block].loop, found.count),
            fine);
    if (!found.n) {
      char *shown = as_size_print(graph->sizes, fact->lhs);
      if (why) {
        *why = as_format("no tile size divides %s = %ld: it must have a divisor that is a multiple "
                         "of 8 (or be at most 512)",
                         shown, found.extent);
      }
      free(shown);
      return AS_NONE;
    }
    out[n++] = found;
  }
  return n;
}

typedef struct {
  double us;
  double shared;
  long v[12];
} choice;

static int cmp_choice(const void *left, const void *right) {
  const choice *first = left;
  const choice *second = right;
  if (first->us != second->us)
    return first->us < second->us ? -1 : 1;
  return memcmp(first->v, second->v, sizeof first->v) > 0 ? 1 : -1;
}

/* all tilings of block b, best first */
static choice *tile_block(cost_model *model, uint32_t block, const split *splits,
                          const uint32_t *at, uint32_t n_splits, uint32_t *n) {
  uint32_t total = 1;
  uint32_t digit[12] = {0};
  for (uint32_t i = 0; i < n_splits; i++)
    total *= splits[at[i]].n;
  choice *list = as_calloc(total + 1, sizeof *list);
  *n = 0;
  for (uint32_t nth = 0; nth < total; nth++) {
    choice choice_now = {0, 0, {0}};
    for (uint32_t i = 0; i < n_splits; i++) {
      const split *split_now = &splits[at[i]];
      choice_now.v[i] = split_now->choice[digit[i]];
      model->env[split_now->tile] = choice_now.v[i];
      model->env[split_now->count] = split_now->extent / choice_now.v[i];
    }
    choice_now.us = block_us(model, block, &choice_now.shared);
    for (uint32_t i = 0; i < n_splits; i++) {
      if (choice_now.v[i] & (choice_now.v[i] - 1))
        choice_now.us *= 1.03; /* odd tiles cost the address arithmetic */
    }
    if (choice_now.us >= 0)
      list[(*n)++] = choice_now;
    for (uint32_t i = 0; i < n_splits && ++digit[i] == splits[at[i]].n; i++)
      digit[i] = 0;
  }
  qsort(list, *n, sizeof *list, cmp_choice);
  return list;
}

as_tiling *as_tilings(const as_graph *graph, const as_target *target, uint32_t keep, uint32_t *n,
                      char **why) {
  split splits[48];
  *n = 0;
  if (why)
    *why = NULL;
  for (const as_graph *outer = graph->program; outer; outer = outer->program) {
    for (uint32_t i = 0; i < outer->n_own_size; i++) {
      if (as_size_value(graph->sizes, outer->own_size[i]) < 0) {
        if (why) {
          *why = as_format("the program states no concrete size for %s: nothing to tile for",
                           as_size_name(graph->sizes, outer->own_size[i]));
        }
        return NULL;
      }
    }
  }
  uint32_t n_splits = read_splits(graph, splits, 48, why);
  if (n_splits == AS_NONE)
    return NULL;
  cost_model model = {.graph = graph, .target = target ? target : as_target_default()};
  set_env(&model);
  prepare(&model);
  set_env(&model);
  as_tiling *out = as_calloc(keep + 1, sizeof *out);
  uint32_t have = 0;
  bool possible = true;
  for (uint32_t i = 0; i < keep; i++) {
    out[i].size = as_calloc(2 * n_splits + 1, sizeof(as_size));
    out[i].value = as_calloc(2 * n_splits + 1, sizeof(long));
  }
  for (uint32_t block = 0; block < graph->n_block && possible; block++) {
    uint32_t at[12];
    uint32_t n_here = 0;
    uint32_t n_choices;
    for (uint32_t i = 0; i < n_splits; i++) {
      if (splits[i].block == block && n_here < 12)
        at[n_here++] = i;
    }
    choice *list = tile_block(&model, block, splits, at, n_here, &n_choices);
    possible = n_choices > 0;
    if (!possible && why && !*why) {
      *why = as_format(
          "kernel %s: no tile sizes that divide the concrete sizes fit shared memory and registers",
          graph->block[block].name);
    }
    /* the i-th tiling of the graph takes the i-th of each block (the last where there are fewer) */
    if (n_choices > have)
      have = n_choices < keep ? n_choices : keep;
    for (uint32_t i = 0; i < keep && possible; i++) {
      const choice *taken = &list[i < n_choices ? i : n_choices - 1];
      for (uint32_t j = 0; j < n_here; j++) {
        uint32_t slot = out[i].n;
        out[i].size[slot] = splits[at[j]].count;
        out[i].value[slot] = splits[at[j]].extent / taken->v[j];
        out[i].size[slot + 1] = splits[at[j]].tile;
        out[i].value[slot + 1] = taken->v[j];
        out[i].n += 2;
      }
    }
    free(list);
  }
  if (!graph->n_block)
    have = 1;
  for (uint32_t i = 0; i < have && possible; i++) {
    for (uint32_t j = 0; j < out[i].n; j++)
      model.env[out[i].size[j]] = out[i].value[j];
    out[i].us = total_us(&model, &out[i].shared);
  }
  for (uint32_t i = possible ? have : 0; i < keep; i++) {
    free(out[i].size);
    free(out[i].value);
    memset(&out[i], 0, sizeof out[i]);
  }
  *n = possible ? have : 0;
  free(model.works);
  free(model.env);
  return out;
}
