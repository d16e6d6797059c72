/* The cost model of blocks that are lowered to thread graphs (src/threads).
 *
 * Which blocks those are is told by their products, as the lowering tells it by terms: products of
 * loaded tiles in a loop (streaming), two of them chained, or no loop and no product (rows).  How
 * many warps, stages and registers they get is asked of src/target/choice.c, as the lowering does.
 * Times have the form
 *   launch + first tiles + soft maximum (memory, iterations)
 * where an iteration takes what its longest chain of dependent instructions takes, or what the
 * blocks that share the multiprocessor keep its units busy, by a soft maximum. */
#include "cost_model.h"
#include "src/base/id.h"
#include <math.h>

typedef enum { GENERAL, STREAM, CHAINED, ROWS } family;

typedef struct {
  const sg_cost_model *model;
  const as_block *block;
  double blocks;
  double loop;
  family family;
  as_node_id first; /* of chained products */
  as_node_id second;
  double still;    /* bytes of tiles loaded once */
  double moving;   /* of an iteration */
  double padded;   /* the same with extents that are powers of two, as the ring holds them */
  double dram;     /* bytes of tensors read and written by all blocks */
  double flops;    /* of an iteration, padded */
  double work;     /* elements gone over, without products */
  double run;      /* of the iterations the share that blocks run in the mean */
  bool after;      /* products after the loop */
  double elements; /* bytes beside each score: of masks and biases that are loaded */
  bool known;      /* it is lowered so: limits that only foresee whether it is do not apply */
} profile;

static double power_of_two(double least, double extent) {
  double padded = least;
  while (padded < extent)
    padded *= 2;
  return padded;
}

static bool is_product(const profile *of, as_node_id id) {
  return of->model->graph->node[id].kind == AS_N_OP && of->model->works[id].contraction;
}

/* does a value of the loop come from a product of the same iteration? */
static as_node_id product_below(const profile *of, as_node_id id) {
  const as_node *node = &of->model->graph->node[id];
  bool running = node->kind == AS_N_RUN; /* of an accumulator, whose tile varies */
  if (running || (node->kind == AS_N_ACC && node->nargs))
    return product_below(of, node->arg[0]);
  if (node->kind != AS_N_OP || node->block == AS_NONE || !node->varying)
    return AS_NONE;
  if (is_product(of, id))
    return id;
  for (uint32_t i = 0; i < node->nargs; i++) {
    as_node_id found = product_below(of, node->arg[i]);
    if (found != AS_NONE)
      return found;
  }
  return AS_NONE;
}

/* a loaded tile, or one seen with other axes */
static bool is_loaded(const profile *of, as_node_id id) {
  const as_node *node = &of->model->graph->node[id];
  bool view =
      node->kind == AS_N_OP && node->op->nlet == 1 && node->op->let[0].body->kind == AS_E_ACCESS;
  return node->kind == AS_N_LOAD || (view && is_loaded(of, node->arg[0]));
}

/* a loaded tile, or a product of its elements with those of others: the ring's operand is scaled in
 * registers */
static bool is_scaled(const profile *of, as_node_id id) {
  const as_node *node = &of->model->graph->node[id];
  if (is_loaded(of, id))
    return true;
  bool scales =
      node->kind == AS_N_OP && node->op->nlet == 1 && node->op->let[0].body->kind == AS_E_MUL;
  for (uint32_t i = 0; scales && i < node->nargs; i++)
    scales = is_loaded(of, node->arg[i]);
  return scales;
}

/* are the operands of a product what a thread graph feeds it: a loaded tile and another one, scaled
 * or not, or what comes from the product before */
static bool is_fed(const profile *of, as_node_id product) {
  const as_node *node = &of->model->graph->node[product];
  uint32_t loaded = 0;
  uint32_t fed = 0;
  for (uint32_t k = 0; k < node->nargs; k++) {
    bool above = product_below(of, node->arg[k]) != AS_NONE;
    loaded += is_loaded(of, node->arg[k]);
    fed += above || is_scaled(of, node->arg[k]);
  }
  return loaded >= 1 && fed == node->nargs;
}

/* the tile, perhaps seen with other axes, that a value is */
static as_node_id tile_of(const profile *of, as_node_id id) {
  const as_node *node = &of->model->graph->node[id];
  return node->kind == AS_N_LOAD ? id : is_loaded(of, id) ? tile_of(of, node->arg[0]) : AS_NONE;
}

static bool multiplies(const profile *of, as_node_id product, as_node_id load) {
  const as_node *node = &of->model->graph->node[product];
  bool found = false;
  for (uint32_t k = 0; k < node->nargs; k++)
    found = found || tile_of(of, node->arg[k]) == load;
  return found;
}

/* axes of more than one element */
static uint32_t long_axes(const profile *of, as_node_id id) {
  const as_node *node = &of->model->graph->node[id];
  uint32_t n = 0;
  for (uint32_t i = 0; i < node->rank; i++)
    n += sg_cost_value(of->model, node->dim[i]) > 1;
  return n;
}

static bool is_element(const profile *of, as_node_id load) {
  const as_node *node = &of->model->graph->node[load];
  return of->first != AS_NONE && node->kind == AS_N_LOAD && !sg_cost_is_index(of->model, node) &&
         !multiplies(of, of->first, load) && !multiplies(of, of->second, load);
}

/* The loads beside those of products are elements of masks and biases: of a row and a key, in pairs
 * where they have 16 bits (src/threads/attend_load.c). */
static bool read_elements(profile *of) {
  const as_graph *graph = of->model->graph;
  bool fit = true;
  for (uint32_t i = 0; fit && i < of->block->n; i++) {
    as_node_id id = of->block->nodes[i];
    const as_node *node = &graph->node[id];
    if (!is_element(of, id))
      continue;
    double bytes = (double)as_dtype_bytes(sg_cost_type(of->model, node));
    bool runs = node->rank && node->map[3] == (int)node->rank - 1;
    fit = node->dtype != AS_INT && long_axes(of, id) <= 2 && (runs || bytes == 4);
    of->elements += bytes;
  }
  return fit;
}

/* is a value made of places alone? */
static bool is_of_places(const profile *of, as_node_id id) {
  const as_node *node = &of->model->graph->node[id];
  bool places = node->kind == AS_N_OP && node->block != AS_NONE;
  if (node->kind == AS_N_LOAD)
    return sg_cost_is_index(of->model, node);
  for (uint32_t k = 0; places && k < node->nargs; k++)
    places =
        is_of_places(of, node->arg[k]) || as_graph_is_number(&of->model->graph->node[node->arg[k]]);
  return places;
}

/* is all that an expression of the operator's body reads made of places? */
static bool reads_places(const profile *of, const as_node *node, const as_expr *expr) {
  uint32_t k = 0;
  bool places = expr->kind != AS_E_NAME;
  if (expr->kind == AS_E_ACCESS) {
    while (k < node->nargs && strcmp(node->op->arg[k].name, expr->name) != 0)
      k++;
    return k < node->nargs && (is_of_places(of, node->arg[k]) ||
                               as_graph_is_number(&of->model->graph->node[node->arg[k]]));
  }
  for (uint32_t i = 0; places && i < expr->n; i++)
    places = reads_places(of, node, expr->kid[i]);
  return places;
}

/* does the expression choose by anything but places? */
static bool chooses_by_elements(const profile *of, const as_node *node, const as_expr *expr) {
  bool does = expr && expr->kind == AS_E_IF && !reads_places(of, node, expr->kid[0]);
  for (uint32_t i = 0; expr && !does && i < expr->n; i++)
    does = chooses_by_elements(of, node, expr->kid[i]);
  return does;
}

/* Thread graphs choose by places and by whether an element is some number, and not by which of two
 * is larger. */
static bool compares_elements(const profile *of, as_node_id id) {
  const as_node *node = &of->model->graph->node[id];
  const as_expr *body = node->op->let[node->op->nlet - 1].body;
  if (!chooses_by_elements(of, node, body) || is_of_places(of, id))
    return false;
  bool equality = body->kind == AS_E_IF && body->kid[0]->kind == AS_E_REL &&
                  (body->kid[0]->rel == AS_REL_EQ || body->kid[0]->rel == AS_REL_NE) &&
                  body->kid[1]->kind == AS_E_NUM && body->kid[2]->kind == AS_E_NUM;
  bool number = false;
  for (uint32_t k = 0; k < node->nargs; k++)
    number = number || as_graph_is_number(&of->model->graph->node[node->arg[k]]);
  return !(equality && number);
}

/* Does all that the loop computes come from the first product, or element by element from what is
 * loaded beside?  Scores have one axis beside the keys, results two. */
static bool follows_scores(profile *of) {
  const as_graph *graph = of->model->graph;
  for (uint32_t i = 0; i < of->block->n; i++) {
    as_node_id id = of->block->nodes[i];
    const as_node *node = &graph->node[id];
    if (node->kind != AS_N_OP)
      continue;
    double over = sg_cost_value(of->model, of->model->works[id].work);
    bool folds = over > sg_cost_elements(of->model, node);
    bool apart = node->varying && !is_loaded(of, id) && product_below(of, id) == AS_NONE;
    if ((apart && folds) || compares_elements(of, id))
      return false;
  }
  const as_node *scores = &graph->node[of->first];
  return is_loaded(of, scores->arg[0]) && is_loaded(of, scores->arg[1]) &&
         long_axes(of, of->first) <= 2 && long_axes(of, of->second) <= 2 && read_elements(of);
}

/* a product after the loop, of what the loop has summed up and a loaded tile */
static bool is_after_loop(const profile *of, as_node_id product) {
  const as_node *node = &of->model->graph->node[product];
  uint32_t loaded = 0;
  uint32_t summed = 0;
  for (uint32_t k = 0; k < node->nargs; k++) {
    const as_node *operand = &of->model->graph->node[node->arg[k]];
    loaded += is_loaded(of, node->arg[k]) && !operand->varying;
    summed += operand->kind == AS_N_ACC && operand->nargs == 1;
  }
  return !node->varying && loaded == 1 && summed == 1 && node->nargs == 2;
}

/* Of what a loop leaves, thread graphs know sums, in chained products the running maximum too, and
 * nothing that is put side by side. */
static bool accumulates(const profile *of, bool maxima) {
  bool fit = true;
  for (uint32_t i = 0; fit && i < of->block->n; i++) {
    const as_node *node = &of->model->graph->node[of->block->nodes[i]];
    bool maximum = node->acc == AS_ACC_MAX || node->acc == AS_ACC_RESCALE;
    if (node->kind == AS_N_ACC)
      fit = node->acc == AS_ACC_SUM || (maxima && maximum);
  }
  return fit;
}

/* is the loaded tile an operand of the product, scaled or not? */
static bool feeds(const profile *of, as_node_id product, as_node_id load) {
  const as_node *node = &of->model->graph->node[product];
  bool found = multiplies(of, product, load);
  for (uint32_t k = 0; k < node->nargs; k++) {
    const as_node *scaled = &of->model->graph->node[node->arg[k]];
    bool scales = scaled->kind == AS_N_OP && !is_product(of, node->arg[k]);
    for (uint32_t i = 0; scales && i < scaled->nargs; i++)
      found = found || tile_of(of, scaled->arg[i]) == load;
  }
  return found;
}

/* Products of a loop that are not chained share a tile (the plan's batch); the same elements
 * loaded for each of them apart are several tiles. */
static bool share_a_tile(const profile *of) {
  const as_block *block = of->block;
  bool shared = false;
  for (uint32_t i = 0; i < block->n && !shared; i++) {
    const as_node *load = &of->model->graph->node[block->nodes[i]];
    shared = load->kind == AS_N_LOAD && load->map[3] >= 0;
    for (uint32_t k = 0; k < block->n && shared; k++) {
      as_node_id id = block->nodes[k];
      if (is_product(of, id) && of->model->graph->node[id].varying)
        shared = feeds(of, id, block->nodes[i]);
    }
  }
  return shared;
}

/* Does an iteration compute more elements than any tile has that it loads?  Such a value is a
 * product of two tiles written as multiplications and a sum, which tensor cores do not make: the
 * kernel is one of the general kind, which goes over all of them. */
static bool multiplies_apart(const profile *of) {
  double largest = 0;
  double most = 0;
  for (uint32_t i = 0; i < of->block->n; i++) {
    as_node_id id = of->block->nodes[i];
    const as_node *node = &of->model->graph->node[id];
    double elements = sg_cost_elements(of->model, node);
    if (node->kind == AS_N_LOAD)
      largest = fmax(largest, elements);
    else if (node->kind == AS_N_OP && node->varying && !is_product(of, id))
      most = fmax(most, elements);
  }
  return most > largest;
}

static family family_of(profile *of) {
  const as_graph *graph = of->model->graph;
  uint32_t products = 0;
  uint32_t after = 0;
  of->first = of->second = AS_NONE;
  for (uint32_t i = 0; i < of->block->n; i++) {
    as_node_id id = of->block->nodes[i];
    const as_node *node = &graph->node[id];
    if (!is_product(of, id))
      continue;
    if (is_after_loop(of, id)) {
      after++;
      of->after = true;
      continue;
    }
    if (!node->varying || !is_fed(of, id))
      return GENERAL;
    products++;
    for (uint32_t k = 0; k < node->nargs; k++) {
      as_node_id below = product_below(of, node->arg[k]);
      if (below == AS_NONE)
        continue;
      of->first = below;
      of->second = id;
    }
  }
  if (!products)
    return of->block->has_loop || after ? GENERAL : ROWS;
  if (after && of->first != AS_NONE)
    return GENERAL;
  if (of->first == AS_NONE)
    return accumulates(of, false) && share_a_tile(of) && !multiplies_apart(of) ? STREAM : GENERAL;
  return products == 2 && accumulates(of, true) && follows_scores(of) ? CHAINED : GENERAL;
}

/* Bytes of a tile that follow each other in its tensor. */
static double run_bytes(const profile *of, const as_node *load) {
  double run = (double)as_dtype_bytes(load->dtype);
  bool whole = true;
  for (uint32_t i = load->rank; i-- > 0 && whole;) {
    run *= sg_cost_value(of->model, load->dim[i]);
    for (uint32_t k = 0; k < 4; k++)
      whole = whole && load->map[k] != (int)i;
  }
  return run;
}

/* What memory loses by turning from one run of 32-bit elements to the next: by order of magnitude
 * only, so that of tilings that move the same the one with longer runs is taken. */
static const double TURN_BYTES = 16;

/* short rows of a tile waste sectors */
static double row_waste(const profile *of, const as_node *load) {
  if (as_graph_type(of->model->graph) == AS_F32)
    return 1 + TURN_BYTES / run_bytes(of, load);
  double bytes = load->rank ? 2 * sg_cost_value(of->model, load->dim[load->rank - 1]) : 64;
  double narrow = of->model->target->threads.narrow_rows;
  bool moved = false;
  for (uint32_t k = 0; k < 4; k++)
    moved = moved || (load->rank && load->map[k] == (int)load->rank - 1);
  if (bytes >= 64 || !moved)
    return 1;
  return bytes >= 32 ? narrow : narrow * sqrt(32 / bytes);
}

static double padded_bytes(const profile *of, const as_node *load) {
  double count = sg_cost_is_index(of->model, load) ? 0 : 1;
  for (uint32_t i = 0; i < load->rank; i++) {
    double extent = sg_cost_value(of->model, load->dim[i]);
    count *= extent > 1 ? power_of_two(8, extent) : 1;
  }
  return 2 * count;
}

static double padded_flops(const profile *of, as_node_id product) {
  const as_node *node = &of->model->graph->node[product];
  double reduced = sg_cost_value(of->model, of->model->works[product].reduced);
  double flops = 2 * power_of_two(16, reduced);
  for (uint32_t i = 0; i < node->rank; i++) {
    double extent = sg_cost_value(of->model, node->dim[i]);
    flops *= i + 2 < node->rank ? extent : power_of_two(8, extent);
  }
  return flops;
}

static void read_nodes(profile *of) {
  const as_graph *graph = of->model->graph;
  for (uint32_t i = 0; i < of->block->n; i++) {
    as_node_id id = of->block->nodes[i];
    const as_node *node = &graph->node[id];
    if (node->kind == AS_N_LOAD) {
      double bytes = sg_cost_bytes(of->model, node);
      bool moves = node->map[3] >= 0;
      bool ring = moves && !is_element(of, id);
      *(moves ? &of->moving : &of->still) += bytes;
      of->padded += ring ? padded_bytes(of, node) : 0;
      double whole = sg_cost_bytes(of->model, &graph->node[node->arg[0]]);
      of->dram += whole * row_waste(of, node);
    } else if (node->kind == AS_N_STORE) {
      of->dram += sg_cost_bytes(of->model, node);
    } else if (is_product(of, id)) {
      of->flops += is_after_loop(of, id) ? 0 : padded_flops(of, id);
    } else if (node->kind == AS_N_OP) {
      double over = sg_cost_value(of->model, of->model->works[id].work);
      bool alone = over <= sg_cost_elements(of->model, node);
      of->work += alone ? over / 2 : over;
    }
  }
}

/* bytes a microsecond that a multiprocessor gets with so many bytes under way */
static double fetch_rate(const as_target_threads *constant, double flight) {
  return 1 / sg_cost_soft_max(1 / constant->mp_bandwidth, constant->latency_us / (flight + 1));
}

/* microseconds of memory traffic: all of it, through the second-level cache, into one
 * multiprocessor that runs `share` blocks, `together` at a time with `flight` bytes under way */
static double memory_us(const profile *of, double drawn, double share, double flight) {
  const as_target_threads *constant = &of->model->target->threads;
  double fetch = drawn * share / fetch_rate(constant, flight);
  double all = sg_cost_soft_max(of->dram / constant->dram, of->blocks * drawn / constant->l2);
  return fetch > all ? fetch : all;
}

/* what a loop's family differs in */
typedef struct {
  double threads;
  double registers; /* of a thread */
  double launch_us;
  double short_us;   /* the same where all tiles fit in the ring; 0: no difference */
  double longest_us; /* an iteration of a block alone on its multiprocessor */
  double busy_us;    /* the units of the multiprocessor, for one block's iteration */
  double group;      /* both times by products of warpgroups; 0: there are none */
  bool alone;        /* the ring takes all of the multiprocessor's shared memory */
  uint32_t stages;   /* that the ring has at least, or as many as there is room for */
} loop_costs;

static double loop_us(profile *of, const loop_costs *costs, double *shared) {
  const as_target *target = of->model->target;
  const as_target_threads *constant = &target->threads;
  long room = target->shared_block - 2048;
  as_target whole = *target;
  if (costs->alone)
    whole.ring_alone = whole.ring_shared = room;
  uint32_t stages = as_target_ring(&whole, of->blocks, of->padded, of->loop, room);
  if (!stages && !of->known)
    return -1;
  if (!stages)
    stages = 1;
  if (costs->stages > stages)
    stages = (uint32_t)fmin(costs->stages, floor((double)room / of->padded));
  double need = stages * of->padded + 2048;
  *shared = need > *shared ? need : *shared;
  double resident = floor((double)target->shared_mp / (need + (double)target->shared_reserved));
  double by_registers = floor(target->registers_mp / (costs->registers * costs->threads));
  double by_warps = floor(target->warps_mp * 32.0 / costs->threads);
  resident = fmin(resident, fmin(by_registers, by_warps));
  if (resident < 1 && !of->known)
    return -1;
  resident = fmax(resident, 1);
  double share = ceil(of->blocks / target->multiprocessors);
  double together = fmin(share, resident);
  double waves = ceil(share / together);
  double full = floor(share / together);
  double rest = share - full * together;
  /* a stage is given back one iteration late: two of them are too few */
  double faster = costs->group > 0 && (stages > 2 || of->loop <= 2) ? costs->group : 1;
  double iteration = faster * sg_cost_soft_max(costs->longest_us, together * costs->busy_us);
  double last = rest > 0 ? faster * sg_cost_soft_max(costs->longest_us, rest * costs->busy_us) : 0;
  double flight = (of->still + of->moving * (stages - 1)) * together;
  double rate = fetch_rate(constant, flight);
  double memory = memory_us(of, of->still + of->moving * of->loop * of->run, share, flight);
  double bare =
      waves * constant->latency_us + (of->still + of->moving) * together / rate + iteration;
  bool at_once = costs->short_us > 0 && stages >= of->loop;
  double launch = at_once ? costs->short_us : costs->launch_us;
  double busy = of->loop * of->run * (full * iteration + last);
  bool in_turn = costs->alone && stages == 2 && of->loop > 2; /* a stage is given back too late */
  return launch + bare + (in_turn ? memory + busy : sg_cost_soft_max(memory, busy));
}

/* Is it the only product of the block, with both of its tiles as products of warpgroups read them
 * (group.c)?  Powers of two, rows of 128 bytes, one of the two along the axis that is summed over,
 * which is the loop's, and accumulators that fit the registers.  elements: of the result. */
static bool is_of_warpgroups(const profile *of, double *elements) {
  enum { WARPGROUPS = 2, LEAST_ROWS = 64, MOST_ROWS = 256, MOST_ACCUMULATORS = 128 };

  const sg_cost_model *model = of->model;
  const as_graph *graph = model->graph;
  uint32_t products = 0;
  uint32_t summed = 0;
  *elements = 1;
  if (!(model->target->has & AS_HAS_WGMMA) || of->after)
    return false;
  for (uint32_t i = 0; i < of->block->n; i++) {
    as_node_id id = of->block->nodes[i];
    const as_node *node = &graph->node[id];
    if (node->kind == AS_N_OP && node->varying && !is_loaded(of, id)) {
      products++;
      if (!is_product(of, id) || node->nargs != 2 || !is_loaded(of, node->arg[0]) ||
          !is_loaded(of, node->arg[1]))
        return false;
      *elements = sg_cost_elements(model, node);
    }
    if (node->kind != AS_N_LOAD || node->map[3] < 0)
      continue;
    summed += node->map[3] == (int)node->rank - 1;
    if (sg_cost_value(model, node->dim[node->rank - 1]) < LEAST_ROWS)
      return false;
    for (uint32_t k = 0; k < node->rank; k++) {
      double extent = sg_cost_value(model, node->dim[k]);
      bool own = node->map[3] != (int)k && extent > 1;
      if (power_of_two(1, extent) != extent || (own && extent < LEAST_ROWS) ||
          (k + 1 < node->rank && extent > MOST_ROWS))
        return false;
    }
  }
  return products == 1 && summed >= 1 && *elements <= WARPGROUPS * 128 * (double)MOST_ACCUMULATORS;
}

static double warpgroups_us(profile *of, double elements, double *shared) {
  const as_target_threads *constant = &of->model->target->threads;
  loop_costs costs = {.threads = 3 * 128,
                      .registers = elements / 256 + 32,
                      .launch_us = constant->stream_launch_us,
                      .longest_us = of->flops / constant->warpgroup_flops,
                      .busy_us = of->flops / constant->warpgroup_flops,
                      .alone = true};
  return loop_us(of, &costs, shared);
}

/* of the largest result of a product, padded */
static double accumulated(const profile *of) {
  double most = 0;
  for (uint32_t i = 0; i < of->block->n; i++) {
    as_node_id id = of->block->nodes[i];
    const as_node *node = &of->model->graph->node[id];
    double elements = 1;
    for (uint32_t k = 0; k < node->rank; k++) {
      double extent = sg_cost_value(of->model, node->dim[k]);
      elements *= extent > 1 ? power_of_two(8, extent) : 1;
    }
    if (is_product(of, id) && elements > most)
      most = elements;
  }
  return most;
}

static double stream_us(profile *of, double *shared) {
  double elements;
  if (is_of_warpgroups(of, &elements))
    return warpgroups_us(of, elements, shared);
  if (accumulated(of) > AS_TARGET_STREAM_ELEMENTS && !of->known)
    return -1;
  const as_target *target = of->model->target;
  const as_target_threads *constant = &target->threads;
  loop_costs costs = {.threads = 32 * (target->block_warps + 1),
                      .registers = 64,
                      .launch_us = constant->stream_launch_us,
                      .short_us = constant->stream_short_us,
                      .longest_us = constant->stream_step_us + of->flops * constant->stream_flop_us,
                      .busy_us = of->flops / constant->stream_flops + constant->stream_block_us};
  return loop_us(of, &costs, shared);
}

static bool is_fragments(double extent) {
  return extent >= 16 && power_of_two(16, extent) == extent;
}

/* as attend_group.c: a fragment of rows a warp, rows of 128 bytes in both rings */
static double group_share(const profile *of, const as_target_chained *chained, double depth,
                          double keys, double columns) {
  const as_target *target = of->model->target;
  bool panels = depth >= 64 && keys >= 64 && columns >= 64 && power_of_two(64, columns) == columns;
  if (!(target->has & AS_HAS_WGMMA) || chained->copies != 1 || chained->warps < 4 || !panels)
    return 0;
  return chained->warps == 4 ? target->threads.group_one : target->threads.group_more;
}

/* room for a stage that is read, one that is given back late, and one to fetch into? */
static bool three_stages(const profile *of) {
  return 3 * of->padded <= (double)of->model->target->shared_block - 2048;
}

/* Values are multiplied beside the next iteration's maxima and weights: tensor cores are what it
 * waits for.  tile: elements of both products, by row. */
static double delayed_us(profile *of, const as_target_chained *chained, double tile,
                         double *shared) {
  const as_target *target = of->model->target;
  const as_target_threads *constant = &target->threads;
  uint32_t warps = chained->warps + (chained->fits_handed ? 4 : 1);
  double registers = (double)target->registers_mp / (warps * target->warp);
  double us = 2.0 * 16 * chained->warps * tile / constant->delayed_flops + constant->delayed_us;
  loop_costs costs = {.threads = warps * target->warp,
                      .registers = fmin(registers, target->registers_thread),
                      .launch_us = constant->chain_launch_us,
                      .longest_us = us,
                      .busy_us = us,
                      .stages = AS_TARGET_GROUP_STAGES};
  if (!chained->fits && !chained->fits_handed && !of->known)
    return -1;
  return loop_us(of, &costs, shared);
}

static double chained_us(profile *of, double *shared) {
  const as_target *target = of->model->target;
  const as_target_threads *constant = &target->threads;
  const as_node *scores = &of->model->graph->node[of->first];
  const as_node *result = &of->model->graph->node[of->second];
  /* the second product sums over the keys, whichever way round the scores and the result are */
  double keys = sg_cost_value(of->model, of->model->works[of->second].reduced);
  double rows = sg_cost_elements(of->model, scores) / keys;
  double columns = sg_cost_elements(of->model, result) / rows;
  double depth = sg_cost_value(of->model, of->model->works[of->first].reduced);
  if ((!is_fragments(keys) || !is_fragments(depth)) && !of->known)
    return -1;
  as_target_chained chained = as_target_chain(rows, depth, keys, columns, of->elements, 0);
  double group = group_share(of, &chained, depth, keys, columns);
  of->run = sg_cost_iterations(of->model, of->block);
  if (group > 0 && !chained.shares && three_stages(of))
    return delayed_us(of, &chained, keys * (depth + columns), shared);
  if (!chained.fits && !of->known)
    return -1;
  /* addresses, maxima and sums come to what the fragments need: 96 of them 125 to 136 in all, 144
   * of them 162 to 168, 72 of them 102 (ptxas, bench/results/tilings.tsv) */
  double registers = 8 * ceil((0.8 * chained.registers + 48) / 8);
  double tile = chained.copies * keys * (depth + columns);
  double flops = 2.0 * 16 * chained.warps * tile;
  loop_costs costs = {.threads = 32 * (chained.warps + 1),
                      .registers = fmin(registers, target->registers_thread),
                      .launch_us = constant->chain_launch_us,
                      .longest_us = constant->chain_step_us + constant->chain_key_us * tile / 128,
                      .busy_us = flops / constant->chain_flops,
                      .group = group};
  return loop_us(of, &costs, shared);
}

/* A block of rows keeps them in registers and is one part of what its multiprocessor does: what it
 * waits for, others overlap, and where it is the only one nothing is counted twice. */
static double rows_us(profile *of, double *shared) {
  const as_target *target = of->model->target;
  const as_target_threads *constant = &target->threads;
  if (of->still / 2 > SG_ROWS_ELEMENTS && !of->known)
    return -1;
  if (*shared < (double)target->shared_reserved)
    *shared = (double)target->shared_reserved;
  double share = ceil(of->blocks / target->multiprocessors);
  double resident = floor((double)target->warps_mp / target->block_warps);
  double together = fmin(share, resident);
  double flight = of->still * together;
  double rate = fetch_rate(constant, flight);
  double memory = memory_us(of, of->still, share, flight);
  double serial = of->work / constant->rows_elements * share;
  double first = constant->latency_us + flight / rate;
  double crowded = constant->rows_crowded * 6 * of->still / (4.0 * target->registers_mp);
  double rest = sg_cost_soft_max(memory, serial) * (1 - 1 / share) * (1 + crowded);
  double queue = constant->rows_block_us * fmax(0, share - resident);
  return constant->rows_launch_us + first + serial / share + rest + queue;
}

/* Nor has a thread graph an axis of a tensor that two axes of the grid divide. */
static bool divides_twice(const profile *of) {
  for (uint32_t i = 0; i < of->block->n; i++) {
    const int *map = of->model->graph->node[of->block->nodes[i]].map;
    for (int a = 1; a < 3; a++) {
      for (int b = 0; b < a; b++) {
        if (map[a] >= 0 && map[a] == map[b])
          return true;
      }
    }
  }
  return false;
}

/* Thread graphs load all their tiles from memory, and none of integers.  (Chained products
 * compute masks of positions, and go the general way with masks from memory; their cost is that of
 * those without, for both.) */
static bool computes_tiles(const profile *of) {
  bool computes = false;
  for (uint32_t i = 0; i < of->block->n && of->family != CHAINED; i++) {
    const as_node *node = &of->model->graph->node[of->block->nodes[i]];
    computes |=
        node->kind == AS_N_LOAD && (sg_cost_is_index(of->model, node) || node->dtype == AS_INT);
  }
  return computes;
}

/* The family of a block that is known to be lowered to a thread graph, and was not foreseen to be:
 * by what takes the most of it. */
static family likely(profile *of) {
  bool products = false;
  for (uint32_t i = 0; i < of->block->n; i++)
    products |= is_product(of, of->block->nodes[i]);
  return products || of->block->has_loop ? STREAM : ROWS;
}

static double family_us(profile *of, double *shared) {
  if (of->family == ROWS)
    return rows_us(of, shared);
  return of->family == STREAM ? stream_us(of, shared) : chained_us(of, shared);
}

double sg_cost_threads(const sg_cost_model *model, const as_block *block, double blocks,
                       bool is_one, double *shared) {
  profile of = {.model = model,
                .block = block,
                .blocks = blocks,
                .loop = sg_cost_value(model, block->loop),
                .run = 1};
  of.family = as_graph_has_cut_tiles(model->graph, block) ? GENERAL : family_of(&of);
  bool foreseen =
      of.family != GENERAL && of.loop >= 1 && !computes_tiles(&of) && !divides_twice(&of);
  if (!foreseen && !is_one)
    return -1;
  if (of.family == GENERAL)
    of.family = likely(&of);
  of.known = is_one;
  read_nodes(&of);
  return family_us(&of, shared);
}
