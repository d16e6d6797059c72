/* A model of a muGraph's time at concrete sizes, and the choice of tile sizes by it.
 *
 * Blocks that are lowered to thread graphs: cost_threads.c.  What follows is the others.
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
#include "cost_model.h"
#include "fault.h"
#include "src/base/id.h"
#include "src/ir/graph_types.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef AS_SEEDED_FAULTS
sg_fault sg_seeded_fault = SG_FAULT_NONE;
#endif

void sg_cost_set_env(sg_cost_model *model) {
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

double sg_cost_value(const sg_cost_model *model, as_size size) {
  int64_t at = as_size_eval(model->graph->sizes, size, model->env);
  return at == INT64_MIN || at < 0 ? 1e18 : (double)at;
}

double sg_cost_elements(const sg_cost_model *model, const as_node *node) {
  double count = 1;
  for (uint32_t i = 0; i < node->rank; i++)
    count *= sg_cost_value(model, node->dim[i]);
  return count;
}

bool sg_cost_is_index(const sg_cost_model *model, const as_node *node) {
  return model->is_index[node->kind == AS_N_LOAD ? node->arg[0] : node - model->graph->node];
}

as_dtype sg_cost_type(const sg_cost_model *model, const as_node *node) {
  as_node_id id = node->kind == AS_N_LOAD ? node->arg[0] : (as_node_id)(node - model->graph->node);
  const as_node *tensor = &model->graph->node[id];
  bool made = tensor->kind == AS_N_STORE || (tensor->kind == AS_N_OP && tensor->block == AS_NONE);
  if (!model->between || !made || as_graph_is_output(model->graph, id) || tensor->dtype == AS_INT)
    return tensor->dtype;
  return model->between[id];
}

double sg_cost_bytes(const sg_cost_model *model, const as_node *node) {
  if (sg_cost_is_index(model, node))
    return 0;
  return sg_cost_elements(model, node) * (double)as_dtype_bytes(sg_cost_type(model, node));
}

static void reductions(sg_cost_model *model, const as_node *node, const as_match *match,
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

bool sg_cost_is_contraction(const as_node *node) {
  if (node->kind != AS_N_OP || node->nargs != 2)
    return false;
  const as_expr *body = node->op->let[node->op->nlet - 1].body;
  return body->kind == AS_E_SUM && body->kid[1]->kind == AS_E_MUL;
}

/* the same, of elements that other definitions of the operator give, over several indices */
static bool sums_products(const as_node *node) {
  if (node->kind != AS_N_OP || node->nargs != 2)
    return false;
  const as_expr *body = node->op->let[node->op->nlet - 1].body;
  bool sums = body->kind == AS_E_SUM;
  while (body->kind == AS_E_SUM)
    body = body->kid[1];
  return sums && body->kind == AS_E_MUL;
}

/* how many axes a list of indices stands for */
static uint32_t axes_of(const as_match *match, const char *list) {
  for (uint32_t k = 0; k < match->nlist; k++) {
    if (strcmp(match->list[k].name, list) == 0)
      return match->list[k].n;
  }
  return 1;
}

/* Is an operator a view whose last axis is not its argument's last, so that neighbours in a row of
 * one are not in the other? */
static bool turns_axes(const as_node *node, const as_match *match) {
  const as_let *out = &node->op->let[node->op->nlet - 1];
  const as_expr *read = out->body;
  if (node->nargs != 1 || node->op->nlet != 1 || read->kind != AS_E_ACCESS)
    return false;
  uint32_t written = out->n;
  while (written && out->ix[written - 1].is_list && !axes_of(match, out->ix[written - 1].name))
    written--;
  uint32_t at = read->n;
  while (at && read->acc_name[at - 1] && !axes_of(match, read->acc_name[at - 1]))
    at--;
  if (!written || !at)
    return false;
  const as_ix *last = &out->ix[written - 1];
  const as_expr *index = read->kid[at - 1];
  if (index && index->kind != AS_E_NAME)
    return false;
  return strcmp(last->name, index ? index->name : read->acc_name[at - 1]) != 0;
}

static void prepare_node(sg_cost_model *model, uint32_t i) {
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
  model->works[i].reduced = as_size_int(graph->sizes, 0);
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
    if (sg_cost_elements(model, &graph->node[node->arg[k]]) > most) {
      most = sg_cost_elements(model, &graph->node[node->arg[k]]);
      widest = AS_SIZE_ONE;
      for (uint32_t j = 0; j < rank[k]; j++)
        widest = as_size_mul(graph->sizes, widest, dim[k][j]);
    }
  }
  for (uint32_t k = 0; k < node->op->nlet;
       k++) { /* an inner definition goes over an argument once */
    as_size evaluations = total;
    as_size reduced = AS_SIZE_ONE;
    reductions(model, node, &match, node->op->let[k].body, &reduced);
    if (reduced != AS_SIZE_ONE)
      model->works[i].reduced = as_size_add(graph->sizes, model->works[i].reduced, reduced);
    evaluations = k + 1 < node->op->nlet ? widest : as_size_mul(graph->sizes, evaluations, reduced);
    if (k + 1 == node->op->nlet && node->nargs == 1 && evaluations != total)
      evaluations = widest;
    sum = as_size_add(graph->sizes, sum, evaluations);
  }
  model->works[i].work = sum;
  model->works[i].contraction = sg_cost_is_contraction(node);
  model->works[i].products = sums_products(node);
  model->works[i].turns = turns_axes(node, &match);
}

void sg_cost_prepare(sg_cost_model *model) {
  sg_cost_set_env(model);
  model->works = as_calloc(model->graph->n + 1, sizeof *model->works);
  model->is_index = as_graph_index_tensors(model->graph, true);
  model->is_none = as_graph_no_kernels(model->graph);
  model->wide = as_graph_type(model->graph) == AS_F32;
  model->mixed = as_graph_is_mixed(model->graph);
  model->between = as_graph_between(model->graph);
  for (uint32_t i = 0; i < model->graph->n; i++)
    prepare_node(model, i);
  sg_cost_set_env(model); /* of the sizes that came */
}

void sg_cost_clear(sg_cost_model *model) {
  free(model->works);
  free(model->is_index);
  free(model->is_none);
  free(model->between);
  free(model->env);
}

/* Short rows of a tile waste sectors and copy instructions. */
static double row_waste(const sg_cost_model *model, const as_node *node) {
  if (!node->rank)
    return 1;
  double row_bytes = sg_cost_value(model, node->dim[node->rank - 1]) * 2;
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

static double lane_waste(const sg_cost_model *model, const as_node *node) {
  double waste = 1;
  for (uint32_t i = node->rank >= 2 ? node->rank - 2 : 0; i < node->rank; i++) {
    double extent = sg_cost_value(model, node->dim[i]);
    double unit = i + 1 == node->rank ? 16 : 8;
    waste *= ceil(extent / unit) * unit / extent;
  }
  return waste;
}

enum { BANK_BYTES = 4 }; /* of shared memory */

#define LANE_LOADS 8 /* in flight at a time: a warp makes one result of a reduction */

double sg_cost_soft_max(double a, double b) {
  return sqrt(sqrt(a * a * a * a + b * b * b * b));
}

/* A warp makes one result of a predefined reduction, straight from memory: it waits for its loads.
 */
static double reduction_us(const sg_cost_model *model, uint32_t id) {
  const as_target *target = model->target;
  double reduced = sg_cost_value(model, model->works[id].reduced);
  if (reduced < 1)
    return 0;
  double warps = sg_cost_value(model, model->works[id].work) / reduced;
  double rounds = ceil(warps / (target->multiprocessors * target->warps_mp));
  return rounds * reduced / (32 * LANE_LOADS) * target->latency_us;
}

/* the way that a contraction at kernel level is lowered; NULL: none of its own, or none is known */
static const char *route_of(const sg_cost_model *model, uint32_t id) {
  return model->routes ? model->routes->node[id] : NULL;
}

static bool is_route(const char *route, const char *name) {
  return route && strcmp(route, name) == 0;
}

/* A sum of products of 32-bit operands by tiles of its result: of rows and columns only their
 * product is known, and that an operand has at least one of them times the depth. */
static double wide_products_us(const sg_cost_model *model, uint32_t id) {
  const as_node *node = &model->graph->node[id];
  double out = fmax(sg_cost_elements(model, node), 1);
  double depth = fmax(sg_cost_value(model, model->works[id].work) / out, 1);
  double rows = out;
  for (uint32_t i = 0; i < node->nargs; i++)
    rows = fmin(rows, fmax(sg_cost_elements(model, &model->graph->node[node->arg[i]]) / depth, 1));
  bool window = !model->works[id].contraction;
  as_contraction product = {.batches = 1,
                            .rows = rows,
                            .columns = fmax(out / rows, 1),
                            .depth = depth,
                            .fetch_columns = window ? AS_FETCH_COMPUTED : AS_FETCH_VECTOR};
  as_rounding rounds = as_target_rounds(model->target, node->op->name);
  const char *route = route_of(model, id);
  if (is_route(route, AS_ROUTE_REGISTERS))
    rounds = AS_ROUND_NEVER;
  else if (route && rounds == AS_ROUND_NEVER) /* of 16-bit operands, which are exact */
    rounds = AS_ROUND_TF32;
  return as_target_contraction_us(model->target, &product, rounds);
}

/* Of operands of two types, or of 32 bits in a program of 16, neither tensor cores nor the library
 * make the product. */
static bool has_wide_operand(const sg_cost_model *model, const as_node *product) {
  for (uint32_t i = 0; i < product->nargs; i++) {
    if (sg_cost_type(model, &model->graph->node[product->arg[i]]) == AS_F32)
      return true;
  }
  return false;
}

static as_target_product product_of(const sg_cost_model *model, uint32_t id, double bytes) {
  const as_node *node = &model->graph->node[id];
  return (as_target_product){.bytes = bytes,
                             .results = sg_cost_elements(model, node),
                             .work = sg_cost_value(model, model->works[id].work),
                             .lanes = lane_waste(model, node),
                             .wide = model->wide};
}

/* A product alone at kernel level: a kernel, or a call of the library where that is foreseen. */
static double product_us(const sg_cost_model *model, uint32_t id, double bytes) {
  const as_target *target = model->target;
  if (!model->wide && has_wide_operand(model, &model->graph->node[id]))
    return wide_products_us(model, id);
  as_target_product product = product_of(model, id, bytes);
  double own = model->wide ? wide_products_us(model, id) : as_target_product_us(target, &product);
  if (target->library == AS_LIBRARY_NEVER || model->routes)
    return own;
  return fmin(own, as_target_library_us(target, &product));
}

/* the same of one that is known to be a call, and of a contraction that is known to be made by
 * tiles */
static double called_alone_us(const sg_cost_model *model, uint32_t id, double bytes) {
  as_target_product product = product_of(model, id, bytes);
  if (model->priced)
    model->priced->node[id] = AS_ROUTE_LIBRARY;
  return as_target_library_us(model->target, &product);
}

static double by_tiles_us(const sg_cost_model *model, uint32_t id) {
  bool registers = is_route(route_of(model, id), AS_ROUTE_REGISTERS) != SG_FAULT(SG_FAULT_FACTORS);
  if (model->priced)
    model->priced->node[id] = registers ? AS_ROUTE_REGISTERS : AS_ROUTE_TENSOR_CORES;
  return wide_products_us(model, id);
}

/* A predefined kernel: a product goes block by block over tiles of its result, anything else is a
 * kernel for each of its definitions. */
static double predefined_us(const sg_cost_model *model, uint32_t id) {
  const as_node *node = &model->graph->node[id];
  const as_target *target = model->target;
  const char *route = route_of(model, id);
  if (route == NULL && (model->is_none ? model->is_none[id] : model->is_index[id]))
    return 0;
  double bytes = sg_cost_bytes(model, node);
  double work = sg_cost_value(model, model->works[id].work);
  double bare = target->launch_us + 2 * target->latency_us;
  for (uint32_t i = 0; i < node->nargs; i++) {
    if (!as_graph_is_number(&model->graph->node[node->arg[i]]))
      bytes += sg_cost_bytes(model, &model->graph->node[node->arg[i]]);
  }
  double mem = bytes / target->dram;
  if (SG_FAULT(is_route(route, AS_ROUTE_LIBRARY) ? SG_FAULT_CALL : SG_FAULT_TILES))
    route = NULL;
  if (is_route(route, AS_ROUTE_LIBRARY))
    return called_alone_us(model, id, bytes);
  if (route)
    return by_tiles_us(model, id);
  if (model->wide && model->works[id].products && !model->works[id].contraction)
    return wide_products_us(model, id);
  if (!model->works[id].contraction) {
    double n_kernels = node->op ? node->op->nlet : 1;
    double scalar = work / (target->tile_elements * target->multiprocessors);
    return n_kernels * (bare + mem) + scalar + reduction_us(model, id);
  }
  return product_us(model, id, bytes);
}

/* Tensor cores read operands from shared memory as they lie, so a turned one is copied there
 * element by element: 32 lanes read down a column of the tile that it is made of, whose rows of
 * `row` bytes put them into few of the 32 banks.  (Thread graphs read it turned.)  The same 128 by
 * 128 elements of 16 bits are 9.3 us, in attention of 16 rows 75 of a kernel's 95 us
 * (bench/results/saturation.md, QK-norm). */
static double turned_us(const sg_cost_model *model, uint32_t id) {
  const as_target *target = model->target;
  const as_node *tile = &model->graph->node[model->graph->node[id].arg[0]];
  double elements = sg_cost_elements(model, tile);
  double columns = tile->rank ? sg_cost_value(model, tile->dim[tile->rank - 1]) : 1;
  double row = columns * (double)as_dtype_bytes(tile->dtype);
  double lanes = target->warp;
  double conflicts = fmax(1, fmin(lanes, fmin(row / BANK_BYTES, elements / columns)));
  double accesses = target->shared_bandwidth / (lanes * BANK_BYTES); /* of all banks at a time */
  return elements / lanes * conflicts / accesses;
}

/* is it copied so, as an operand of tensor cores? */
static bool is_turned(const sg_cost_model *model, const as_block *block, uint32_t id) {
  if (model->wide || model->mixed || !model->works[id].turns)
    return false;
  for (uint32_t i = 0; i < block->n; i++) {
    const as_node *reader = &model->graph->node[block->nodes[i]];
    for (uint32_t k = 0; k < reader->nargs && model->works[block->nodes[i]].contraction; k++) {
      if (reader->arg[k] == id)
        return true;
    }
  }
  return false;
}

/* Time of one multiprocessor for an operator on tiles: a product by its padded flops, anything else
 * by the elements it goes over (each is read from and written to shared memory or shuffled, which
 * costs far more than its arithmetic). */
static double tile_us(const sg_cost_model *model, const as_block *block, uint32_t id) {
  double work = sg_cost_value(model, model->works[id].work);
  if (is_turned(model, block, id))
    return 0; /* turned_us */
  if ((model->wide || model->mixed) && model->works[id].products)
    return 2 * work / model->target->tile_flops32;
  if (!model->works[id].contraction && work <= sg_cost_elements(model, &model->graph->node[id]))
    work /= 2; /* element by element: done where it is read */
  if (!model->works[id].contraction)
    return work / model->target->tile_elements;
  return 2 * work * lane_waste(model, &model->graph->node[id]) / model->target->tile_flops;
}

/* Phases of an iteration: values that are complete only behind a barrier.  What follows a product
 * or a reduction waits for it, a product waits for operands that are computed.  depth: by node, of
 * its value. */
static uint32_t phases(const sg_cost_model *model, const as_block *block, bool varying) {
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
      bool behind =
          arg_node->kind == AS_N_OP && arg_node->block != AS_NONE &&
          (model->works[id].contraction || model->works[arg].contraction ||
           sg_cost_elements(model, arg_node) < sg_cost_value(model, model->works[arg].work));
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
static double ring(const sg_cost_model *model, double blocks, double loop, double moving,
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

/* Thread graphs multiply operands of 16 bits alone. */
static bool has_wide_products(const sg_cost_model *model, const as_block *block) {
  bool has = false;
  for (uint32_t i = 0; model->wide && i < block->n; i++)
    has = has || model->works[block->nodes[i]].products;
  return has;
}

/* What a block of the general kind does, and what that takes one multiprocessor. */
typedef struct {
  double still;    /* bytes of tiles loaded once */
  double moving;   /* of an iteration */
  double drawn;    /* of all iterations */
  double dram;     /* bytes of tensors read and written by all blocks */
  double state;    /* of accumulators */
  double inner;    /* bytes of the largest value in between */
  double work;     /* us of an iteration: products */
  double once;     /* us outside of the loop */
  double elements; /* the same of both, element by element and of all iterations, where several
                      blocks share the multiprocessor */
  double turned;   /* us of all iterations: operands of products that are turned */
} amounts;

static void add_operator(const sg_cost_model *model, const as_block *block, uint32_t id,
                         double loop, amounts *sums) {
  const as_node *node = &model->graph->node[id];
  double times = node->varying ? loop : 1;
  double us = tile_us(model, block, id);
  if (is_turned(model, block, id))
    sums->turned += turned_us(model, id) * times;
  else if (!model->works[id].products)
    sums->elements += us * times;
  else
    *(node->varying ? &sums->work : &sums->once) += us;
  double size = sg_cost_elements(model, node) * (model->works[id].contraction ? 4 : 2);
  sums->inner = fmax(sums->inner, size);
}

static amounts amounts_of(const sg_cost_model *model, const as_block *block, double loop) {
  amounts sums = {0};
  for (uint32_t i = 0; i < block->n; i++) {
    const as_node *node = &model->graph->node[block->nodes[i]];
    if (node->kind == AS_N_LOAD) {
      double bytes = sg_cost_bytes(model, node);
      *(node->map[3] >= 0 ? &sums.moving : &sums.still) += bytes;
      sums.drawn += bytes * (node->map[3] >= 0 ? loop : 1);
      sums.dram += sg_cost_bytes(model, &model->graph->node[node->arg[0]]) * row_waste(model, node);
    } else if (node->kind == AS_N_ACC) {
      sums.state += sg_cost_elements(model, node) * 4;
      if (node->acc == AS_ACC_RESCALE)
        sums.elements += loop * sg_cost_elements(model, node) / model->target->tile_elements;
    } else if (node->kind == AS_N_STORE) {
      sums.dram += sg_cost_bytes(model, node);
    } else if (node->kind == AS_N_OP) {
      add_operator(model, block, block->nodes[i], loop, &sums);
    }
  }
  return sums;
}

/* A block of the general kind, of so many blocks; -1: does not fit, where that is not known. */
static double general_us(const sg_cost_model *model, const as_block *block, double blocks,
                         double *shared) {
  const as_target *target = model->target;
  double loop = sg_cost_value(model, block->loop);
  amounts sums = amounts_of(model, block, loop);
  /* accumulators live in registers, beside addresses and fragments */
  double registers = 4.0 * target->registers_mp;
  double accumulators_block = registers * 5 / 8;
  double accumulators_mp = registers * 25 / 32;
  double stages = ring(model, blocks, loop, sums.moving, sums.still + sums.inner);
  double need = sums.still + sums.moving * stages + sums.inner;
  if (need > *shared)
    *shared = need;
  bool fits = need <= (double)target->shared_block && sums.state <= accumulators_block;
  if (!fits && model->routes == NULL)
    return -1;
  double occupancy = floor((double)target->shared_mp / (need + (double)target->shared_reserved));
  if (occupancy > target->warps_mp / target->block_warps)
    occupancy = target->warps_mp / target->block_warps;
  if (occupancy < 1) /* the lowering keeps less of it */
    occupancy = 1;
  if (sums.state * occupancy > accumulators_mp)
    occupancy = floor(accumulators_mp / sums.state) > 1 ? floor(accumulators_mp / sums.state) : 1;
  double share = ceil(blocks / target->multiprocessors); /* blocks that the busiest multiprocessor
                                                            runs, `together` at a time */
  double together = share < occupancy ? share : occupancy;
  double rounds = ceil(share / together);
  double elements = sums.elements / (together < 2 ? target->tile_alone : 1);
  double flight = (sums.still + sums.moving * (stages > 1 ? stages - 1 : 1)) * together;
  double rate = 1 / sg_cost_soft_max(1 / target->mp_bandwidth, target->latency_us / flight);
  double steps = loop * phases(model, block, true) * target->step_us +
                 phases(model, block, false) * target->step_us;
  double fetch = sums.drawn * share / rate;
  double serial = (sums.work * loop + sums.once + elements) * share + steps * rounds;
  double mem = sg_cost_soft_max(sums.dram / target->dram, blocks * sums.drawn / target->l2);
  if (fetch > mem)
    mem = fetch;
  /* what nothing overlaps: the first tiles' arrival, the last iteration, what follows the loop */
  double bare = rounds * (target->latency_us + (sums.still + sums.moving) * together / rate) +
                (loop < 2 ? serial : serial / loop);
  /* with one stage and one block a multiprocessor neither do copies and work: GEGLU's two products
   * of 4096 x 1024 x 4096 so took 1352 us (bench/results/kernelbench.md).  Whether results need
   * room beside two stages the lowering knows; where two do not fit at all, there is one. */
  bool one_stage = sums.still + 2 * sums.moving > (double)target->shared_block;
  serial += sums.turned * share; /* shared memory is busy, whichever block it is for */
  if (one_stage && loop >= 2 && together < 2)
    return target->launch_us + rounds * loop * target->latency_us + mem + serial;
  return target->launch_us + bare + sg_cost_soft_max(mem, serial);
}

/* A block whose results are computed over whole tensors: what it reads and stores goes through
 * memory once, as of an operator at kernel level. */
static double over_memory_us(const sg_cost_model *model, const as_block *block, double blocks,
                             double *shared) {
  (void)shared;
  const as_target *target = model->target;
  double loop = sg_cost_value(model, block->loop);
  double bytes = 0;
  double work = 0;
  for (uint32_t i = 0; i < block->n; i++) {
    const as_node *node = &model->graph->node[block->nodes[i]];
    if (node->kind == AS_N_LOAD)
      bytes += sg_cost_bytes(model, &model->graph->node[node->arg[0]]);
    else if (node->kind == AS_N_STORE)
      bytes += sg_cost_bytes(model, node);
    else if (node->kind == AS_N_OP)
      work += sg_cost_value(model, model->works[block->nodes[i]].work) *
              (node->varying ? loop : 1) * blocks;
  }
  double bare = target->launch_us + 2 * target->latency_us;
  return bare + bytes / target->dram + work / (target->tile_elements * target->multiprocessors);
}

/* A block that is nothing but a product, which is a call of the library. */
static double called_us(const sg_cost_model *model, const as_block *block, double blocks,
                        double *shared) {
  (void)shared;
  double loop = sg_cost_value(model, block->loop);
  as_target_product product = {.lanes = 1, .wide = model->wide};
  for (uint32_t i = 0; i < block->n; i++) {
    const as_node *node = &model->graph->node[block->nodes[i]];
    if (node->kind == AS_N_LOAD) {
      product.bytes += sg_cost_bytes(model, &model->graph->node[node->arg[0]]);
    } else if (node->kind == AS_N_STORE) {
      product.bytes += sg_cost_bytes(model, node);
      product.results += sg_cost_elements(model, node);
    } else if (model->works[block->nodes[i]].products) {
      product.work += sg_cost_value(model, model->works[block->nodes[i]].work) *
                      (node->varying ? loop : 1) * blocks;
    }
  }
  return as_target_library_us(model->target, &product);
}

static double threads_us(const sg_cost_model *model, const as_block *block, double blocks,
                         double *shared) {
  return sg_cost_threads(model, block, blocks, true, shared);
}

typedef double price(const sg_cost_model *model, const as_block *block, double blocks,
                     double *shared);

/* the ways that block graphs are lowered, and what each takes */
static const struct {
  const char *route;
  price *us;
} ways[] = {{AS_ROUTE_THREADS, threads_us},
            {AS_ROUTE_BLOCK, general_us},
            {AS_ROUTE_MEMORY, over_memory_us},
            {AS_ROUTE_LIBRARY, called_us}};

enum { WAYS = sizeof ways / sizeof *ways };

/* by the way that it is lowered; -1: the model knows none of this name */
static double lowered_us(const sg_cost_model *model, uint32_t which, double blocks,
                         double *shared) {
  const char *route = SG_FAULT(SG_FAULT_BLOCK)         ? AS_ROUTE_BLOCK
                      : SG_FAULT(SG_FAULT_THREADS)     ? AS_ROUTE_THREADS
                      : SG_FAULT(SG_FAULT_FIRST_BLOCK) ? model->routes->block[0]
                                                       : model->routes->block[which];
  int way = 0;
  while (way < WAYS && strcmp(ways[way].route, route) != 0)
    way++;
  if (way == WAYS)
    return -1;
  if (SG_FAULT(SG_FAULT_NEXT_WAY))
    way = (way + 1) % WAYS;
  if (model->priced)
    model->priced->block[which] = ways[way].route;
  /* without blocks there is nothing to compute, and the kernel is not launched */
  return blocks == 0 ? 0 : ways[way].us(model, &model->graph->block[which], blocks, shared);
}

/* by the way that it is foreseen to be lowered; -1: does not fit */
static double foreseen_us(const sg_cost_model *model, const as_block *block, double blocks,
                          double *shared) {
  double us = -1;
  if (!has_wide_products(model, block))
    us = sg_cost_threads(model, block, blocks, false, shared);
  if (model->priced)
    model->priced->block[block - model->graph->block] = us >= 0 ? AS_ROUTE_THREADS : AS_ROUTE_BLOCK;
  return us >= 0 ? us : general_us(model, block, blocks, shared);
}

/* -1: does not fit */
double sg_cost_block(const sg_cost_model *model, uint32_t which, double *shared) {
  const as_target *target = model->target;
  const as_block *block = &model->graph->block[which];
  double blocks = 1;
  for (int i = 0; i < 3; i++)
    blocks *= sg_cost_value(model, block->grid[i]);
  if (model->routes && !SG_FAULT(SG_FAULT_FORESEEN))
    return lowered_us(model, which, blocks, shared);
  if (blocks == 0)
    return 0; /* nothing to compute: the kernel is not launched */
  if (sg_cost_value(model, block->grid[1]) > (double)target->grid[1] ||
      sg_cost_value(model, block->grid[2]) > (double)target->grid[2] ||
      blocks > (double)target->grid[0])
    return -1;
  return foreseen_us(model, block, blocks, shared);
}

double sg_cost_total(const sg_cost_model *model, double *shared) {
  const as_graph *graph = model->graph;
  double total = 0;
  *shared = 0;
  for (uint32_t i = 0; i < graph->n_block; i++) {
    double block = sg_cost_block(model, i, shared);
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
  sg_cost_model model = {.graph = graph, .target = target ? target : as_target_default()};
  double largest = 0;
  sg_cost_prepare(&model);
  double us = sg_cost_total(&model, &largest);
  sg_cost_clear(&model);
  if (shared)
    *shared = largest;
  return us;
}

double as_cost_lowered(const as_graph *graph, const as_target *target, const as_routes *routes,
                       as_routes *priced, double *shared) {
  double largest = 0;
  as_routes_init(priced, graph->n_block, graph->n);
  assert(routes->n_block == graph->n_block && routes->n_node == graph->n);
  sg_cost_model model = {.graph = graph,
                         .target = target ? target : as_target_default(),
                         .routes = routes,
                         .priced = priced};
  sg_cost_prepare(&model);
  double us = sg_cost_total(&model, &largest);
  sg_cost_clear(&model);
  if (SG_FAULT(SG_FAULT_NOT_RECORDED))
    as_routes_clear(priced);
  if (shared)
    *shared = largest;
  return us;
}

double as_cost_operator(const as_graph *graph, as_node_id op, const as_target *target) {
  sg_cost_model model = {.graph = graph, .target = target ? target : as_target_default()};
  model.works = as_calloc(graph->n + 1, sizeof *model.works);
  model.is_index = as_graph_index_tensors(graph, false);
  model.wide = as_graph_type(graph) == AS_F32;
  model.mixed = as_graph_is_mixed(graph);
  sg_cost_set_env(&model);
  prepare_node(&model, op);
  sg_cost_set_env(&model);
  double us = predefined_us(&model, op);
  sg_cost_clear(&model);
  return us;
}
