/* From a graph to units of values: inputs, constants, operator calls, loads, accumulators, stores.
 */
#include "body.h"
#include "emit.h"
#include "fault.h"
#include "hoist.h"
#include "live.h"
#include "range.h"
#include "src/base/id.h"
#include "src/base/vec.h"
#include "threads.h"
#include "through.h"
#include "units.h"
#include <stdlib.h>
#include <string.h>

uint32_t lo_new_val(lo_job *job, lv_kind kind, const char *name, int rank, const long *dim) {
  if (job->n_value == job->value_cap) {
    job->value_cap = job->value_cap ? 2 * job->value_cap : 64;
    job->value = as_realloc(job->value, job->value_cap * sizeof *job->value);
  }
  lo_value *value = &job->value[job->n_value];
  memset(value, 0, sizeof *value);
  value->kind = kind;
  value->name = as_arena_strdup(job->arena, name);
  value->rank = rank;
  for (int i = 0; i < rank; i++)
    value->dim[i] = dim[i];
  value->source = value->of = value->run = value->fused_acc = LO_NONE;
  value->level = value->level16 = -1;
  value->unit = LO_NONE;
  for (int i = 0; i < 8; i++)
    value->grid_axis[i] = -1;
  return job->n_value++;
}

bool lo_size_value(lo_job *job, as_size size, long *out) {
  int64_t value = as_size_eval(job->graph->sizes, size, job->size_value);
  *out = (long)value;
  if (value != INT64_MIN && value >= 0)
    return true;
  char *printed = as_size_print(job->graph->sizes, size);
  as_err_set(job->err, AS_BAD_INPUT,
             "the size %s has no value, or none within 64 bits, at these sizes", printed);
  free(printed);
  return false;
}

static bool check_facts(lo_job *job, const as_vec *facts, const char *where) {
  for (size_t i = 0; i < facts->n; i++) {
    const as_size_fact *fact = &AS_VEC_AT(facts, as_size_fact, i);
    int64_t left = as_size_eval(job->graph->sizes, fact->lhs, job->size_value);
    int64_t right = as_size_eval(job->graph->sizes, fact->rhs, job->size_value);
    bool ok = left != INT64_MIN && right != INT64_MIN &&
              (fact->rel == AS_REL_EQ   ? left == right
               : fact->rel == AS_REL_NE ? left != right
               : fact->rel == AS_REL_LE ? left <= right
                                        : left < right);
    if (ok)
      continue;
    static const char *const rel[] = {"=", "!=", "<=", "<"};
    char *left_text = as_size_print(job->graph->sizes, fact->lhs);
    char *right_text = as_size_print(job->graph->sizes, fact->rhs);
    as_err_set(job->err, AS_BAD_INPUT, "%s: the relation %s %s %s does not hold at these sizes",
               where, left_text, rel[fact->rel], right_text);
    free(left_text);
    free(right_text);
    return false;
  }
  return true;
}

static bool node_dims(lo_job *job, const as_node *node, long *dim) {
  for (uint32_t i = 0; i < node->rank; i++) {
    if (!lo_size_value(job, node->dim[i], &dim[i]))
      return false;
  }
  const char *name = node->name ? node->name : node->op ? node->op->name : "a tensor";
  return lo_check_extents(name, (int)node->rank, dim, job->err);
}

/* the rows of a value's extents that depend on sizes left to run time */
static bool node_live(lo_job *job, const as_node *node, uint32_t *live) {
  for (uint32_t i = 0; i < node->rank; i++) {
    if (!lo_live_extent(job, node->dim[i], &live[i]))
      return false;
  }
  return true;
}

/* the extents of a call checked and matched; what an operator's requirements say of them too */
static bool match_call(lo_job *job, const as_node *node, as_match *match) {
  as_size argdim[AS_MAX_ARGS][AS_MAX_RANK] = {{0}};
  as_size outdim[AS_MAX_RANK];
  uint32_t argrank[AS_MAX_ARGS];
  uint32_t outrank = 0;
  for (uint32_t i = 0; i < node->nargs; i++) {
    const as_node *arg_node = &job->graph->node[node->arg[i]];
    argrank[i] = arg_node->rank;
    memcpy(argdim[i], arg_node->dim, sizeof arg_node->dim);
  }
  as_vec facts;
  as_vec_init(&facts, sizeof(as_size_fact));
  bool ok =
      as_opdef_match(job->graph->sizes, node->op, (const as_size(*)[AS_MAX_RANK])argdim, argrank,
                     node->nargs, node->attr, match, outdim, &outrank, &facts, job->err) &&
      check_facts(job, &facts, node->name ? node->name : node->op->name);
  as_vec_clear(&facts);
  return ok;
}

/* does the body only read the reduction `value` at its own indices? */
static bool is_whole_value(const lx *body, const lo_value *value, int rank, const long *dim) {
  if (body->n != rank)
    return false;
  for (int i = 0; i < rank; i++) {
    const lx *index = body->kid[i];
    bool own = index->op == LX_VAR && index->number == i && value->dim[i] == dim[i];
    bool single = index->op == LX_INT && dim[i] == 1 && value->dim[i] == 1;
    if (!own && !single)
      return false;
  }
  return true;
}

static uint32_t expand_op(lo_job *job, const as_node *node, uint32_t unit) {
  uint32_t arg[AS_MAX_ARGS];
  long dim[AS_MAX_RANK];
  uint32_t live[AS_MAX_RANK] = {0};
  as_match match = {0};
  lo_body body;
  const char *name = node->name ? node->name : node->op->name;
  uint32_t first = job->n_value;
  int rank = (int)node->rank;
  for (uint32_t i = 0; i < node->nargs; i++)
    arg[i] = job->node_val[node->arg[i]];
  if (!match_call(job, node, &match) || !node_dims(job, node, dim) || !node_live(job, node, live) ||
      !lo_body_read(job, node, &match, arg, dim, live, &body))
    return LO_NONE;
  lx *expr = lo_hoist(job, name, unit, &body);
  if (!expr)
    return LO_NONE;
  for (uint32_t id = first; id < job->n_value; id++)
    job->value[id].rounding = as_target_rounds(job->options->target, node->op->name);
  expr = lx_simplify(job, expr, dim, rank);
  lo_range range; /* integers that 64 bits may not hold are numbers */
  if (expr->integer && lx_has_whole(expr) && !lo_range_of(expr, dim, rank, &range))
    expr = lx_as_number(job, expr);
  if (expr->op == LX_REF && expr->val >= first) { /* the result is one reduction */
    lo_value *value = &job->value[expr->val];
    if (is_whole_value(expr, value, rank, dim)) {
      value->name = as_arena_strdup(job->arena, name);
      memcpy(value->live_dim, live, sizeof live);
      return expr->val;
    }
  }
  if (unit != LO_NONE)
    expr = lo_body_guarded(job, &body, expr, rank, lx_num(job, 0));
  if (!expr)
    return LO_NONE;
  uint32_t id = lo_new_val(job, LV_MAP, name, rank, dim);
  memcpy(job->value[id].live_dim, live, sizeof live);
  job->value[id].body = expr;
  job->value[id].unit = unit;
  return id;
}

static uint32_t flat_unit(lo_job *job, uint32_t val) {
  uint32_t unit_id = lo_new_unit(job, job->value[val].name);
  job->unit[unit_id].flat = true;
  job->unit[unit_id].flat_val = val;
  job->value[val].unit = unit_id;
  job->value[val].place = LP_GLOBAL;
  job->value[val].buffer_class = LG_WORK;
  job->value[val].dtype = AS_F32;
  return unit_id;
}

/* A tile that is not cut off makes up its axis, at all sizes of the range: the number of tiles
 * follows the tensor's extent, or one tile is all of it. */
static bool tiles_follow(lo_job *job, const as_node *node, uint32_t axis, as_size tile,
                         as_size whole, const lo_unit *unit, int grid_axis, bool by_loop) {
  as_sizes *sizes = job->graph->sizes;
  as_size count = grid_axis >= 0 ? unit->grid_size[grid_axis] : AS_SIZE_ONE;
  if (by_loop)
    count = as_size_mul(sizes, count, unit->loop_size);
  if (!lo_is_live(job, tile) && !lo_is_live(job, whole) && !lo_is_live(job, count))
    return true;
  bool apart = lo_is_live(job, tile) && !lo_live_same(job, count, AS_SIZE_ONE);
  bool shared = by_loop && grid_axis >= 0 && unit->loop_live;
  if (!apart && !shared && lo_live_same(job, as_size_mul(sizes, count, tile), whole))
    return true;
  return as_err_set(job->err, AS_BAD_INPUT,
                    "%s: axis %u is left to run time, and its tiles do not follow it", node->name,
                    axis);
}

/* one more grid axis divides an axis: of several the last counts the tiles fastest */
static void divide(int *last, uint8_t *slower, int grid_axis) {
  if (*last >= 0)
    *slower |= (uint8_t)(1 << *last);
  *last = grid_axis;
}

static long blocks_along(const lo_unit *unit, int last, uint8_t slower) {
  long blocks = 1;
  for (int axis = 0; axis < 3; axis++)
    blocks *= axis == last || slower >> axis & 1 ? unit->grid[axis] : 1;
  return blocks;
}

/* An axis that several grid axes divide has tiles of one extent, and as many at all sizes. */
static bool is_fixed(lo_job *job, const as_node *node, int axis, as_size whole,
                     const lo_unit *unit) {
  bool fixed = node->upto[axis] == AS_SIZE_BAD && !lo_is_live(job, whole) && !unit->loop_live;
  for (int a = 0; a < 3; a++)
    fixed = fixed && !unit->grid_live[a];
  return fixed || as_err_set(job->err, AS_BAD_INPUT,
                             "%s: axis %d, which several grid axes divide, is cut off or left to "
                             "run time: that is not lowered",
                             node->name, axis);
}

/* do `parts` times `others` tiles of this extent make up the whole? */
static bool tiles_make_up(long parts, long others, long tile, long whole) {
  long product;
  return !__builtin_mul_overflow(parts, others, &product) &&
         !__builtin_mul_overflow(product, tile, &product) && product == whole;
}

static bool expand_load(lo_job *job, const as_node *node, uint32_t unit_id, uint32_t *out) {
  long dim[8];
  const lo_unit *unit = &job->unit[unit_id];
  if (!node_dims(job, node, dim))
    return false;
  uint32_t id = lo_new_val(job, LV_LOAD, node->name, (int)node->rank, dim);
  uint32_t src = job->node_val[node->arg[0]];
  lo_value *value = &job->value[id];
  const as_node *tensor = &job->graph->node[node->arg[0]];
  value->source = src;
  value->unit = unit_id;
  if (job->value[src].kind == LV_CONST)
    return as_err_set(job->err, AS_BAD_INPUT, "%s: a constant cannot be loaded", node->name);
  for (int grid_axis = 0; grid_axis < 3; grid_axis++) {
    if (node->map[grid_axis] >= 0)
      divide(&value->grid_axis[node->map[grid_axis]], &value->slower_axes[node->map[grid_axis]],
             grid_axis);
  }
  if (node->map[3] >= 0)
    value->by_loop[node->map[3]] = true;
  for (int axis = 0; axis < value->rank; axis++) {
    long blocks = blocks_along(unit, value->grid_axis[axis], value->slower_axes[axis]);
    if (value->slower_axes[axis] && !is_fixed(job, node, axis, tensor->dim[axis], unit))
      return false;
    long rounds = value->by_loop[axis] ? unit->loop : 1;
    if (node->upto[axis] != AS_SIZE_BAD) {
      if (!lo_cut_axis(job, node, unit_id, (uint32_t)axis, src, &value->cut[axis]))
        return false;
      continue;
    }
    if (!lo_live_row(job, node->dim[axis], &value->cut[axis]) ||
        !tiles_follow(job, node, (uint32_t)axis, node->dim[axis], tensor->dim[axis], unit,
                      value->grid_axis[axis], value->by_loop[axis]))
      return false;
    if (!tiles_make_up(blocks, rounds, dim[axis], job->value[src].dim[axis])) {
      return as_err_set(job->err, AS_BAD_INPUT,
                        "%s: axis %d of extent %ld is not %ld times %ld tiles of %ld", node->name,
                        axis, job->value[src].dim[axis], blocks, rounds, dim[axis]);
    }
  }
  *out = id;
  bool elsewhere = job->value[src].through || lo_holds_integers(&job->value[src]);
  return (!elsewhere || lo_index_tile(job, id)) && node_live(job, node, job->value[id].live_dim);
}

static bool expand_acc(lo_job *job, const as_node *node, uint32_t unit, uint32_t *out) {
  long dim[8];
  if (!node_dims(job, node, dim))
    return false;
  if (lo_acc_row_of(node->acc) == NULL) {
    return as_err_set(job->err, AS_BAD_INPUT, "%s: an accumulator `%s` is not lowered", node->name,
                      as_acc_rows[node->acc].word);
  }
  uint32_t id = lo_new_val(job, LV_ACC, node->name, (int)node->rank, dim);
  lo_value *value = &job->value[id];
  value->acc = node->acc;
  value->of = job->node_val[node->arg[0]];
  value->axis = node->axis;
  value->unit = unit;
  if (node->acc == AS_ACC_RESCALE) {
    uint32_t run = job->node_val[node->arg[1]];
    value->run = job->value[run].kind == LV_RUN ? job->value[run].of : run;
  }
  *out = id;
  return node_live(job, node, value->live_dim);
}

static bool expand_store(lo_job *job, const as_node *node, uint32_t unit_id, uint32_t *out) {
  long dim[8];
  if (!node_dims(job, node, dim))
    return false;
  uint32_t id = lo_new_val(job, LV_GLOBAL, node->name, (int)node->rank, dim);
  uint32_t of = job->node_val[node->arg[0]];
  job->value[id].place = LP_GLOBAL;
  job->value[id].buffer_class = LG_WORK;
  job->value[id].dtype = job->between[node - job->graph->node];
  if (!node_live(job, node, job->value[id].live_dim))
    return false;
  lo_unit *unit = &job->unit[unit_id];
  lo_store *longer = as_arena_alloc(job->arena, (unit->n_store + 1) * sizeof *longer);
  lo_store *store = &longer[unit->n_store];
  if (unit->n_store)
    memcpy(longer, unit->store, unit->n_store * sizeof *longer);
  unit->store = longer;
  unit->n_store++;
  if (job->value[of].kind == LV_CONST) { /* a tile that is a constant: a map without operands */
    uint32_t constant = lo_new_val(job, LV_MAP, node->name, 0, NULL);
    job->value[constant].body = lo_number(job, &job->value[of]);
    lo_unit_add(job, &job->unit[unit_id], constant);
    of = constant;
  }
  store->val = of;
  store->target = id;
  for (int axis = 0; axis < 8; axis++)
    store->grid_axis[axis] = -1;
  for (int grid_axis = 0; grid_axis < 3; grid_axis++) {
    if (node->map[grid_axis] >= 0)
      divide(&store->grid_axis[node->map[grid_axis]], &store->slower_axes[node->map[grid_axis]],
             grid_axis);
  }
  for (uint32_t axis = 0; axis < node->rank; axis++) {
    long blocks = blocks_along(unit, store->grid_axis[axis], store->slower_axes[axis]);
    if (store->slower_axes[axis] && !is_fixed(job, node, (int)axis, node->dim[axis], unit))
      return false;
    if (node->upto[axis] != AS_SIZE_BAD) {
      if (!lo_cut_axis(job, node, unit_id, axis, id, &store->cut[axis]))
        return false;
      continue;
    }
    as_size tile = job->graph->node[node->arg[0]].dim[axis];
    if (!lo_live_row(job, tile, &store->cut[axis]) ||
        !tiles_follow(job, node, axis, tile, node->dim[axis], unit, store->grid_axis[axis], false))
      return false;
    if (!tiles_make_up(blocks, 1, job->value[of].dim[axis], dim[axis])) {
      return as_err_set(job->err, AS_BAD_INPUT, "%s: the tiles stored do not make up axis %u",
                        node->name, axis);
    }
  }
  *out = id;
  return true;
}

static bool expand_block_node(lo_job *job, uint32_t id, const uint32_t *block_unit) {
  const as_node *node = &job->graph->node[id];
  uint32_t unit = block_unit[node->block];
  uint32_t first = job->n_value;
  uint32_t out = LO_NONE;
  if (node->kind == AS_N_OP) {
    out = expand_op(job, node, unit);
    if (out == LO_NONE)
      return false;
  } else if (node->kind == AS_N_LOAD) {
    if (!expand_load(job, node, unit, &out))
      return false;
  } else if (node->kind == AS_N_ACC) {
    if (!expand_acc(job, node, unit, &out))
      return false;
  } else if (node->kind == AS_N_RUN) {
    long dim[8];
    if (!node_dims(job, node, dim))
      return false;
    out = lo_new_val(job, LV_RUN, node->name, (int)node->rank, dim);
    job->value[out].of = job->node_val[node->arg[0]];
    if (!node_live(job, node, job->value[out].live_dim))
      return false;
  } else {
    if (!expand_store(job, node, unit, &out))
      return false;
    job->node_val[id] = out;
    job->value[out].unit = unit;
    return true;
  }
  job->node_val[id] = out;
  for (uint32_t i = first; i < job->n_value; i++)
    lo_unit_add(job, &job->unit[unit], i);
  return true;
}

bool lo_check_blocks(lo_job *job, const lo_unit *unit) {
  int64_t most = job->options->target->grid[0];
  if (unit->blocks <= most)
    return true;
  return as_err_set(job->err, AS_BAD_INPUT,
                    "kernel %s needs %ld blocks at these sizes; a grid has at most %lld",
                    unit->name, unit->blocks, (long long)most);
}

static bool make_unit(lo_job *job, const as_block *block, uint32_t *id) {
  *id = lo_new_unit(job, block->name);
  lo_unit *unit = &job->unit[*id];
  unit->n_grid = 3;
  unit->has_loop = block->has_loop;
  for (int d = 0; d < 3; d++) {
    unit->grid_size[d] = block->grid[d];
    if (!lo_size_value(job, block->grid[d], &unit->grid[d]) ||
        !lo_live_row(job, block->grid[d], &unit->grid_live[d]))
      return false;
  }
  unit->loop_size = block->loop;
  if (block->has_loop && (!lo_size_value(job, block->loop, &unit->loop) ||
                          !lo_live_row(job, block->loop, &unit->loop_live)))
    return false;
  if (!lo_check_extents(block->name, 3, unit->grid, job->err))
    return false;
  unit->blocks = unit->grid[0] * unit->grid[1] * unit->grid[2];
  return lo_check_blocks(job, unit);
}

static bool make_units(lo_job *job, uint32_t *block_unit) {
  for (uint32_t i = 0; i < job->graph->n_block; i++) {
    if (!make_unit(job, &job->graph->block[i], &block_unit[i]))
      return false;
  }
  return true;
}

/* a number of the graph, or the value of a size */
static bool expand_number(lo_job *job, const as_node *node, uint32_t *out) {
  *out = lo_new_val(job, LV_CONST, "const", 0, NULL);
  lo_value *constant = &job->value[*out];
  if (node->kind == AS_N_SIZE) {
    if (!lo_size_value(job, node->size, &constant->numerator) ||
        !lo_live_row(job, node->size, &constant->num_live))
      return false;
    constant->denominator = 1;
    constant->num = (double)constant->numerator;
    return true;
  }
  mpz_srcptr numerator = mpq_numref(node->value);
  mpz_srcptr denominator = mpq_denref(node->value);
  constant->num = mpq_get_d(node->value);
  if (mpz_fits_slong_p(numerator) && mpz_fits_slong_p(denominator)) {
    constant->numerator = mpz_get_si(numerator);
    constant->denominator = mpz_get_si(denominator);
  }
  return true;
}

/* Does a kernel load tiles of it?  Other operators at kernel level read it where they need it. */
static bool is_loaded(const as_graph *graph, uint32_t id) {
  bool loaded = false;
  for (uint32_t i = 0; i < graph->n && !loaded; i++)
    loaded = graph->node[i].kind == AS_N_LOAD && graph->node[i].arg[0] == id;
  return loaded;
}

/* A tensor that is a part of another one in memory is no kernel: it is loaded from where it lies.
 * LO_NONE: it is none, or runs backwards, or has extents that are left to run time. */
static uint32_t expand_part(lo_job *job, uint32_t node_id) {
  const as_graph *graph = job->graph;
  const as_node *node = &graph->node[node_id];
  as_strided at;
  if (!is_loaded(graph, node_id) || !as_graph_strided(graph, node_id, &at))
    return LO_NONE;
  uint32_t source = job->node_val[at.base];
  if (lo_holds_integers(&job->value[source]) || lo_is_live(job, at.origin))
    return LO_NONE;
  int64_t origin = as_size_eval(graph->sizes, at.origin, job->size_value);
  long stride[AS_MAX_RANK];
  long dim[AS_MAX_RANK];
  if (origin < 0 || !node_dims(job, node, dim))
    return LO_NONE;
  for (uint32_t axis = 0; axis < node->rank; axis++) {
    stride[axis] = as_size_eval(graph->sizes, at.stride[axis], job->size_value);
    bool live = lo_is_live(job, at.stride[axis]) || lo_is_live(job, node->dim[axis]);
    if (live || stride[axis] < (dim[axis] > 1))
      return LO_NONE;
  }
  uint32_t id = lo_new_val(job, LV_GLOBAL, node->name, (int)node->rank, dim);
  lo_value *part = &job->value[id];
  part->place = LP_GLOBAL;
  part->buffer_class = LG_PART;
  part->dtype = job->value[source].dtype;
  part->source = source;
  part->origin = (long)origin;
  memcpy(part->stride, stride, node->rank * sizeof *stride);
  return id;
}

/* units in the order of launches: a block graph runs when its first store is met */
static bool expand_node(lo_job *job, uint32_t node_id, const uint32_t *block_unit, uint32_t *order,
                        uint32_t *norder, bool *placed, const lo_readers *readers) {
  const as_node *node = &job->graph->node[node_id];
  if (node->block != AS_NONE) {
    if (!placed[node->block] && node->kind == AS_N_STORE) {
      order[(*norder)++] = block_unit[node->block];
      placed[node->block] = true;
    }
    return expand_block_node(job, node_id, block_unit);
  }
  long dim[8];
  if (!node_dims(job, node, dim))
    return false;
  if (node->kind == AS_N_INPUT) {
    uint32_t id = lo_new_val(job, LV_GLOBAL, node->name, (int)node->rank, dim);
    job->value[id].place = LP_GLOBAL;
    job->value[id].buffer_class = LG_INPUT;
    job->value[id].dtype = node->dtype;
    if (!node_live(job, node, job->value[id].live_dim))
      return false;
    for (uint32_t k = 0; k < job->graph->n_input; k++) {
      if (job->graph->input[k] == node_id)
        job->value[id].buffer_index = k;
    }
    job->node_val[node_id] = id;
  } else if (as_node_is_number(node)) {
    return expand_number(job, node, &job->node_val[node_id]);
  } else {
    uint32_t part = expand_part(job, node_id);
    if (part != LO_NONE) {
      job->node_val[node_id] = part;
      return true;
    }
    uint32_t first = job->n_value;
    uint32_t out = expand_op(job, node, LO_NONE);
    if (out == LO_NONE)
      return false;
    bool alone = first == out && out + 1 == job->n_value;
    job->value[out].through = alone && lo_is_read_through(job, &job->value[out], &readers[node_id]);
    for (uint32_t id = first; id < job->n_value; id++) {
      if (!job->value[id].through && !lo_holds_integers(&job->value[id]))
        order[(*norder)++] = flat_unit(job, id);
    }
    if (job->value[out].place == LP_GLOBAL)
      job->value[out].dtype = job->between[node_id];
    job->node_val[node_id] = out;
  }
  return true;
}

static bool outputs(lo_job *job, as_dtype type, uint32_t *order, uint32_t *norder) {
  for (uint32_t i = 0; i < job->graph->n_output; i++) {
    uint32_t id = job->node_val[job->graph->output[i]];
    if (job->value[id].place != LP_GLOBAL ||
        job->value[id].buffer_class != LG_WORK) { /* an input, a constant, or given twice: copied */
      uint32_t copy = lo_new_val(job, LV_MAP, job->graph->node[job->graph->output[i]].name,
                                 job->value[id].rank, job->value[id].dim);
      lx *index[8];
      for (int axis = 0; axis < job->value[id].rank; axis++)
        index[axis] = lx_var(job, axis);
      int rank = job->value[id].rank;
      memcpy(job->value[copy].live_dim, job->value[id].live_dim, sizeof job->value[id].live_dim);
      job->value[copy].body = job->value[id].kind == LV_CONST ? lo_number(job, &job->value[id])
                                                              : lo_read(job, id, rank, index);
      order[(*norder)++] = flat_unit(job, copy);
      id = copy;
    }
    job->value[id].buffer_class = LG_OUTPUT;
    job->value[id].buffer_index = i;
    job->value[id].dtype = type;
  }
  for (uint32_t i = 0; i < job->n_value; i++) { /* parts of results */
    lo_value *part = &job->value[i];
    if (part->kind == LV_GLOBAL && part->buffer_class == LG_PART)
      part->dtype = job->value[part->source].dtype;
  }
  return true;
}

bool lo_expand(lo_job *job) {
  const as_graph *graph = job->graph;
  for (const as_graph *program = graph; program; program = program->program) {
    as_vec facts = {.data = program->fact,
                    .n = program->n_fact,
                    .cap = program->n_fact,
                    .item = sizeof *program->fact};
    if (!check_facts(job, &facts, program->name))
      return false;
  }
  uint32_t *block_unit = as_arena_alloc(job->arena, (graph->n_block + 1) * sizeof *block_unit);
  uint32_t norder = 0;
  uint32_t *order =
      as_arena_alloc(job->arena, ((size_t)graph->n * 20 + graph->n_output + 1) * sizeof *order);
  bool *placed = as_arena_alloc(job->arena, graph->n_block + 1);
  job->node_val = as_arena_alloc(job->arena, (graph->n + 1) * sizeof *job->node_val);
  as_dtype type = as_graph_type(graph);
  lo_threads_types(job);
  const lo_readers *readers = lo_readers_of(job);
  if (!make_units(job, block_unit))
    return false;
  for (uint32_t i = 0; i < graph->n; i++) {
    if (!expand_node(job, i, block_unit, order, &norder, placed, readers))
      return false;
  }
  if (!outputs(job, type, order, &norder))
    return false;
  as_vec units;
  as_vec_init(&units, sizeof(lo_unit));
  for (uint32_t i = 0; i < norder; i++)
    as_vec_push(&units, &job->unit[order[i]]);
  lo_give_units(job, &units);
  as_vec_clear(&units);
  return true;
}
