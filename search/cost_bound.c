/* What no kernel for a group of operators takes less than, by the model: its launch, what it draws
 * from memory and stores there, and the sums of products of 32-bit operands in it.
 *
 * A kernel for the group makes the group's outputs in any way that algebra allows, so a product
 * counts only where algebra cannot take work off it.  That is linear: a sum of its results is a
 * product with a sum, a product of its result a product of something smaller, and an operand that
 * is an outer product or repeated comes out of it.  So it does not count where its result, on ways
 * along which it is only added, scaled and moved, comes to an operator that has fewer results or is
 * a product itself, nor where an operand comes so from one that has more results than operands or
 * is a product itself.  Orders of the operators in which there is less work (variant_through.c) are
 * groups of their own. */
#include "cost_model.h"
#include "src/base/mem.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sg_bounds {
  sg_cost_model model;
  bool *marked; /* by node, of the product at hand */
};

sg_bounds *sg_bounds_new(const as_graph *graph, const as_target *target) {
  sg_bounds *bounds = as_calloc(1, sizeof *bounds);
  bounds->model = (sg_cost_model){.graph = graph, .target = target};
  sg_cost_prepare(&bounds->model);
  free(bounds->model.between); /* what lies between kernels may take less in another cut */
  bounds->model.between = NULL;
  free(bounds->model.is_index);
  bounds->model.is_index = as_graph_index_tensors(graph, false);
  bounds->marked = as_malloc((graph->n + 1) * sizeof *bounds->marked);
  return bounds;
}

void sg_bounds_free(sg_bounds *bounds) {
  sg_cost_clear(&bounds->model);
  free(bounds->marked);
  free(bounds);
}

/* --- whether an operator adds, scales and moves the elements of an argument */
static const as_let *let_of(const as_opdef *op, const char *name) {
  for (uint32_t i = 0; i < op->nlet; i++) {
    if (!strcmp(op->let[i].name, name))
      return &op->let[i];
  }
  return NULL;
}

static bool is_linear_in(const as_opdef *op, const as_expr *expr, const char *name) {
  if (expr == NULL)
    return false;
  switch (expr->kind) {
  case AS_E_NAME: /* the parameter of a function */
    return !strcmp(expr->name, name);
  case AS_E_ACCESS: {
    const as_let *let = let_of(op, expr->name);
    return let ? is_linear_in(op, let->body, name) : !strcmp(expr->name, name);
  }
  case AS_E_ADD:
  case AS_E_SUB:
  case AS_E_MUL:
    return is_linear_in(op, expr->kid[0], name) || is_linear_in(op, expr->kid[1], name);
  case AS_E_FDIV:
  case AS_E_NEG:
    return is_linear_in(op, expr->kid[0], name);
  case AS_E_SUM:
    return is_linear_in(op, expr->kid[1], name);
  case AS_E_IF:
    return is_linear_in(op, expr->kid[1], name) || is_linear_in(op, expr->kid[2], name);
  case AS_E_CALL:
    for (uint32_t i = 0; i < expr->n && expr->func->body; i++) {
      if (is_linear_in(op, expr->kid[i], name) &&
          is_linear_in(op, expr->func->body, expr->func->param[i]))
        return true;
    }
    return false;
  default:
    return false;
  }
}

static bool passes_on(const as_node *node, uint32_t argument) {
  const as_opdef *op = node->op;
  return is_linear_in(op, op->let[op->nlet - 1].body, op->arg[argument].name);
}

/* --- products that count */
static bool is_product(const sg_bounds *bounds, uint32_t node) {
  return bounds->model.works[node].contraction || bounds->model.works[node].products;
}

/* behind the product: is nothing of it lost, and no product made of it? */
static bool keeps_results(const sg_bounds *bounds, uint32_t product, const uint32_t *op,
                          uint32_t n) {
  const sg_cost_model *model = &bounds->model;
  memset(bounds->marked, 0, model->graph->n * sizeof *bounds->marked);
  bounds->marked[product] = true;
  for (uint32_t i = 0; i < n; i++) {
    const as_node *node = &model->graph->node[op[i]];
    for (uint32_t k = 0; k < node->nargs; k++) {
      if (op[i] == product || !bounds->marked[node->arg[k]] || !passes_on(node, k))
        continue;
      const as_node *read = &model->graph->node[node->arg[k]];
      if (is_product(bounds, op[i]) ||
          sg_cost_elements(model, node) < sg_cost_elements(model, read))
        return false;
      bounds->marked[op[i]] = true;
    }
  }
  return true;
}

static double widest_operand(const sg_cost_model *model, const as_node *node) {
  double most = 0;
  for (uint32_t k = 0; k < node->nargs; k++)
    most = fmax(most, sg_cost_elements(model, &model->graph->node[node->arg[k]]));
  return most;
}

/* before the product: is no operand repeated, an outer product, or a product? */
static bool has_full_operands(const sg_bounds *bounds, uint32_t product, const uint32_t *op,
                              uint32_t n) {
  const sg_cost_model *model = &bounds->model;
  memset(bounds->marked, 0, model->graph->n * sizeof *bounds->marked);
  bounds->marked[product] = true;
  for (uint32_t i = n; i-- > 0;) {
    const as_node *node = &model->graph->node[op[i]];
    if (!bounds->marked[op[i]])
      continue;
    if (op[i] != product &&
        (is_product(bounds, op[i]) || sg_cost_elements(model, node) > widest_operand(model, node)))
      return false;
    for (uint32_t k = 0; k < node->nargs; k++)
      bounds->marked[node->arg[k]] |= passes_on(node, k);
  }
  return true;
}

/* Elements that a multiprocessor goes over in a microsecond, by a product of tiles or one by one,
 * in blocks of any kind. */
static double fastest(const as_target *target) {
  double tiles = fmax(target->tile_flops32 / 2, target->tile_elements);
  return fmax(tiles, target->threads.rows_elements);
}

static double products_us(const sg_bounds *bounds, const uint32_t *op, uint32_t n) {
  const as_target *target = bounds->model.target;
  double work = 0;
  for (uint32_t i = 0; i < n && bounds->model.wide; i++) {
    if (is_product(bounds, op[i]) && keeps_results(bounds, op[i], op, n) &&
        has_full_operands(bounds, op[i], op, n))
      work += sg_cost_value(&bounds->model, bounds->model.works[op[i]].work);
  }
  return work / fastest(target) / target->multiprocessors;
}

/* --- memory */
bool sg_has_reduction(const as_expr *expr) {
  if (expr == NULL)
    return false;
  bool has = expr->kind >= AS_E_SUM && expr->kind <= AS_E_MINR;
  for (uint32_t i = 0; i < expr->n && !has; i++)
    has = sg_has_reduction(expr->kid[i]);
  return has;
}

static bool reduces(const as_graph *graph, const uint32_t *op, uint32_t n) {
  bool found = false;
  for (uint32_t i = 0; i < n && !found; i++) {
    const as_opdef *def = graph->node[op[i]].op;
    for (uint32_t k = 0; k < def->nlet; k++)
      found |= sg_has_reduction(def->let[k].body);
  }
  return found;
}

/* Blocks of rows (cost_threads.c) of which a multiprocessor runs between `share` and `most`, each
 * with its part of the elements read. */
static double rows_us(const as_target *target, double memory, double read, double share,
                      double most) {
  const as_target_threads *threads = &target->threads;
  double resident = floor((double)target->warps_mp / target->block_warps);
  double still = read / target->multiprocessors / most;
  if (still / 2 > SG_ROWS_ELEMENTS)
    return HUGE_VAL;
  double crowded = threads->rows_crowded * 6 * still / (4.0 * target->registers_mp);
  double first = threads->latency_us + still * fmin(share, resident) / threads->mp_bandwidth;
  double queue = threads->rows_block_us * fmax(0, share - resident);
  return threads->rows_launch_us + first + memory * (1 - 1 / share) * (1 + crowded) + queue;
}

/* Without a product there are two kinds of blocks: of rows, as many as it may be, and the others.
 * Few large ones crowd the registers, many small ones wait for each other. */
static double map_us(const as_target *target, double read, double stored) {
  static const double finer = 1.03;
  static const double most_share = 1e7;
  const as_target_threads *threads = &target->threads;
  double memory = sg_cost_soft_max((read + stored) / threads->dram, read / threads->l2);
  double others = target->launch_us + target->latency_us +
                  sg_cost_soft_max((read + stored) / target->dram, read / target->l2);
  double least = others;
  for (double share = 1; share < most_share; share *= finer)
    least = fmin(least, rows_us(target, memory, read, share, share * finer));
  return least;
}

static double memory_us(const sg_bounds *bounds, const uint32_t *op, uint32_t n,
                        const uint32_t *tensor, uint32_t n_tensors) {
  const sg_cost_model *model = &bounds->model;
  const as_target_threads *threads = &model->target->threads; /* the faster way to lower */
  double read = 0;
  double stored = 0;
  for (uint32_t i = 0; i < n_tensors; i++) {
    bool inside = false;
    for (uint32_t k = 0; k < n; k++)
      inside |= op[k] == tensor[i];
    *(inside ? &stored : &read) += sg_cost_bytes(model, &model->graph->node[tensor[i]]);
  }
  double least = map_us(model->target, read, stored);
  if (!reduces(model->graph, op, n))
    return least;
  /* a sum may be part of a product, whose blocks have neither limit */
  return fmin(least,
              threads->rows_launch_us + threads->latency_us + (read + stored) / threads->dram);
}

double sg_bounds_of(const sg_bounds *bounds, const uint32_t *op, uint32_t n, const uint32_t *tensor,
                    uint32_t n_tensors) {
  return fmax(memory_us(bounds, op, n, tensor, n_tensors), products_us(bounds, op, n));
}
