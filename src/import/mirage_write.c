/* Writes muGraphs of ours at their concrete sizes in Mirage's format, where that has words for
 * them: the operators of mi_operators; sums over the last axis (whole, or with the stride of a
 * split) together with the accumulation over the loop; root mean squares.
 *
 * A block graph is walked in order.  What Mirage has only as one accumulator (square, split, sum,
 * accumulate, divide by the count, root, keep the axis) is gathered in a *view* of a tile and
 * becomes an operator when something reads it. */
#include "mirage_int.h"
#include "src/base/id.h"
#include <stdlib.h>
#include <string.h>

enum {
  RANKS = 4,
  HALF = 921,
  HALF_BYTES = 2,
  ALIGN = 16,
  THREADS = 128,
  DEFAULT_WIDTH = 64,
  FIRST_KERNEL_GUID = 10000000,
  FIRST_BLOCK_GUID = 20000000
};

typedef struct {
  int64_t dim[RANKS];
  uint32_t rank;
  json_int_t guid;
  json_int_t offset;
  bool block;
  bool after;
  size_t square;
  size_t accumulated;
} tensor; /* the last two: index + 1 */

typedef struct {
  int64_t extent;
  bool summed;
} factor;

typedef struct {
  size_t of; /* tensor */
  bool set;
  bool squared;
  bool acc;
  bool root;
  bool kept;    /* kept: the last axis, all summed, stands as an extent of 1 */
  int64_t over; /* divided by */
  size_t made;  /* the tensor that it became, + 1 */
  factor factor[MI_FACTORS];
  uint32_t n; /* of the last axis, outermost first */
} view;

typedef struct {
  const as_graph *graph;
  as_err *err;
  as_vec tensor; /* of tensor */
  view *view;    /* by node */
  json_t *ops;
  json_t *block; /* operators of the graph and of the block at hand; owned by the graph */
  json_int_t kernel_guid;
  json_int_t block_guid;
  json_int_t offset;
  int64_t part[4];
  int64_t width; /* extents of x, y, z, the loop; reduction_dimx, 0: any */
} writer;

static tensor *tensor_at(writer *writing, size_t number) {
  return &AS_VEC_AT(&writing->tensor, tensor, number);
}

__attribute__((format(printf, 3, 4))) static bool refuse(writer *writing, as_node_id id,
                                                         const char *fmt, ...) {
  va_list args;
  char text[300];
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  const char *name = writing->graph->node[id].name;
  return as_err_set(writing->err, AS_BAD_INPUT, "%s cannot be written in Mirage's format: `%s`: %s",
                    writing->graph->name, name ? name : "a number", text);
}

static json_t *tensor_json(writer *writing, size_t number) {
  const tensor *tensor_of = tensor_at(writing, number);
  json_t *dims = json_array();
  json_t *object =
      json_pack("{s:i, s:o, s:I, s:s, s:i}", "data_type", HALF, "dim", dims, "guid",
                tensor_of->guid, "layout", tensor_of->block ? "SmemRowMajor" : "DmemRowMajor",
                "num_dims", (int)tensor_of->rank);
  for (uint32_t i = 0; i < RANKS; i++)
    json_array_append_new(dims, json_integer(i < tensor_of->rank ? tensor_of->dim[i] : 0));
  if (tensor_of->block)
    json_object_set_new(object, "after_accum", json_boolean(tensor_of->after));
  if (tensor_of->block)
    json_object_set_new(object, "smem_offset", json_integer(tensor_of->offset));
  return object;
}

static json_t *strides_json(const tensor *tensor_of) {
  json_t *list = json_array();
  int64_t stride = 1;
  for (uint32_t i = tensor_of->rank; i-- > 0; stride *= tensor_of->dim[i])
    json_array_insert_new(list, 0, json_integer(stride));
  return list;
}

/* axes that x, y, z divide; grid axes of extent 1 divide nothing */
static json_t *map_json(const writer *writing, const int *map) {
  int axis[3];
  for (int part = 0; part < 3; part++)
    axis[part] = map && writing->part[part] > 1 ? map[part] : -1;
  return json_pack("{s:i, s:i, s:i}", "x", axis[0], "y", axis[1], "z", axis[2]);
}

static size_t new_tensor(writer *writing, const int64_t *dim, uint32_t rank, bool block,
                         bool after) {
  tensor made = {.rank = rank,
                 .block = block,
                 .after = after,
                 .guid = block ? writing->block_guid++ : writing->kernel_guid++,
                 .offset = writing->offset};
  int64_t bytes = HALF_BYTES;
  for (uint32_t i = 0; i < rank; i++)
    bytes *= made.dim[i] = dim[i];
  if (block)
    writing->offset += (bytes + ALIGN - 1) / ALIGN * ALIGN;
  as_vec_push(&writing->tensor, &made);
  return writing->tensor.n - 1;
}

static bool node_tensor(writer *writing, as_node_id id, bool after, size_t *number) {
  const as_node *node = &writing->graph->node[id];
  int64_t dim[AS_MAX_RANK];
  if (node->rank > RANKS)
    return refuse(writing, id, "it has %u axes, and tensors there have at most %d", node->rank,
                  RANKS);
  for (uint32_t i = 0; i < node->rank; i++) {
    if (!as_graph_concrete(writing->graph, node->dim[i], &dim[i]))
      return refuse(writing, id, "axis %u has no concrete value", i);
  }
  *number = new_tensor(writing, dim, node->rank, node->block != AS_NONE && node->kind != AS_N_STORE,
                       after);
  return true;
}

static json_t *operator_json(writer *writing, const char *prefix, const char *name,
                             const size_t *operands, uint32_t count, size_t result) {
  json_t *args = json_array();
  json_t *kind = json_sprintf("%s_%s_op", prefix, name);
  for (uint32_t i = 0; i < count; i++)
    json_array_append_new(args, tensor_json(writing, operands[i]));
  return json_pack("{s:o, s:o, s:[o]}", "input_tensors", args, "op_type", kind, "output_tensors",
                   tensor_json(writing, result));
}

static void emit(writer *writing, const char *name, const size_t *operands, uint32_t count,
                 size_t result) {
  json_array_append_new(writing->block,
                        operator_json(writing, "tb", name, operands, count, result));
}

/* ---- views */
static view view_of(writer *writing, size_t number) {
  const tensor *tensor_of = tensor_at(writing, number);
  view made = {.of = number, .set = true, .over = 1, .n = tensor_of->rank > 0};
  if (tensor_of->rank)
    made.factor[0].extent = tensor_of->dim[tensor_of->rank - 1];
  return made;
}

static uint32_t open_factors(const view *of) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < of->n; i++)
    count += !of->factor[i].summed;
  return count;
}

static bool is_plain(const view *of) {
  return of->n <= 1 && open_factors(of) == of->n && !of->squared && of->over == 1 && !of->root;
}

static size_t apply(writer *writing, const char *name, size_t number, int64_t last, bool after) {
  const tensor source = *tensor_at(writing, number);
  int64_t dim[RANKS];
  memcpy(dim, source.dim, sizeof dim);
  if (last >= 0)
    dim[source.rank - 1] = last;
  size_t result = new_tensor(writing, dim, source.rank, true, after);
  emit(writing, name, &number, 1, result);
  return result;
}

static size_t accumulated(writer *writing, size_t number) {
  if (tensor_at(writing, number)->after)
    return number;
  if (!tensor_at(writing, number)->accumulated) {
    size_t sum = apply(writing, "accum_nored", number, -1, true);
    tensor_at(writing, number)->accumulated = sum + 1;
  }
  return tensor_at(writing, number)->accumulated - 1;
}

static size_t squared(writer *writing, size_t number) {
  if (!tensor_at(writing, number)->square) {
    size_t square = apply(writing, "square", number, -1, tensor_at(writing, number)->after);
    tensor_at(writing, number)->square = square + 1;
  }
  return tensor_at(writing, number)->square - 1;
}

/* what of a view decides which accumulator makes it */
typedef struct {
  uint32_t open; /* factors of the last axis that are not summed */
  bool sums;
  bool whole; /* the whole axis is summed */
  bool rms;   /* the root of the mean of squares, which is an accumulator of its own */
} form;

static form form_of(const writer *writing, const view *wanted) {
  form out = {.open = open_factors(wanted)};
  out.sums = out.open < wanted->n;
  out.whole = out.sums && out.open == 0;
  int64_t count = writing->part[3];
  for (uint32_t i = 0; i < wanted->n; i++)
    count *= wanted->factor[i].summed ? wanted->factor[i].extent : 1;
  out.rms = out.whole && wanted->squared && wanted->root && wanted->over == count;
  return out;
}

/* whether the format has a sum of this form; where not, why */
static bool sum_is_writable(writer *writing, as_node_id id, const view *wanted, form of) {
  if (tensor_at(writing, wanted->of)->after)
    return refuse(writing, id, "a sum of what is defined after the loop");
  if (writing->part[3] > 1 && !wanted->acc) {
    return refuse(
        writing, id,
        "a sum that is not accumulated over the loop: sums are taken by accumulators only");
  }
  if (of.whole && !wanted->kept)
    return refuse(writing, id, "a sum that does not keep its axis as an extent of 1");
  if (of.open > 1 || (of.open == 1 && wanted->factor[wanted->n - 1].summed))
    return refuse(writing, id, "a sum over the inner part of an axis");
  return true;
}

static bool is_writable(writer *writing, as_node_id id, const view *wanted, form of) {
  if (!of.sums && wanted->n > 1)
    return refuse(writing, id, "an axis is split and not summed");
  if (of.sums && !sum_is_writable(writing, id, wanted, of))
    return false;
  if (wanted->over != 1 && !of.rms)
    return refuse(writing, id, "a division by a number, outside of a root mean square");
  return true;
}

/* the sum over the outer factor of the last axis, which leaves the inner one */
static bool strided_sum(writer *writing, as_node_id id, const view *wanted, size_t *number) {
  int64_t width = wanted->factor[wanted->n - 1].extent;
  if (writing->width && writing->width != width) {
    return refuse(writing, id, "a sum with stride %lld and another with %lld in one block graph",
                  (long long)width, (long long)writing->width);
  }
  writing->width = width;
  *number = apply(writing, "accum_redtox_ld_sum", *number, width, true);
  return true;
}

/* the tensor that a node's view is, by operators where it is none yet */
static bool materialize(writer *writing, as_node_id id, size_t *out) {
  view *wanted = &writing->view[id];
  if (!wanted->set)
    return refuse(writing, id, "a number: there are none there");
  if (wanted->made) {
    *out = wanted->made - 1;
    return true;
  }
  form of = form_of(writing, wanted);
  if (!is_writable(writing, id, wanted, of))
    return false;
  size_t number = wanted->squared && !of.rms ? squared(writing, wanted->of) : wanted->of;
  if (of.whole) {
    number = apply(writing, of.rms ? "accum_red_ld_rms" : "accum_red_ld_sum", number, 1, true);
  } else if (of.sums) {
    if (!strided_sum(writing, id, wanted, &number))
      return false;
  } else if (wanted->acc) {
    number = accumulated(writing, number);
  }
  if (wanted->root && !of.rms)
    number = apply(writing, "sqrt", number, -1, tensor_at(writing, number)->after);
  wanted->made = number + 1;
  *out = number;
  return true;
}

/* ---- numbers */
static bool whole_number(const as_graph *of, as_node_id id, int64_t *out) {
  const as_node *node = &of->node[id];
  if (node->kind == AS_N_SIZE)
    return as_graph_concrete(of, node->size, out);
  if (node->kind == AS_N_CONST && mpz_cmp_si(mpq_denref(node->value), 1) == 0 &&
      mpz_fits_slong_p(mpq_numref(node->value))) {
    *out = mpz_get_si(mpq_numref(node->value));
    return true;
  }
  int64_t first;
  int64_t second; /* a product of sizes, as it is written in a program */
  return node->kind == AS_N_OP && node->rank == 0 && node->nargs == 2 &&
         strcmp(node->op->name, "mul") == 0 && whole_number(of, node->arg[0], &first) &&
         whole_number(of, node->arg[1], &second) && !__builtin_mul_overflow(first, second, out);
}

static bool attribute(const as_graph *of, const as_node *node, const char *name, int64_t *out) {
  for (uint32_t i = 0; i < node->op->nattrs; i++) {
    if (strcmp(node->op->attr[i], name) != 0)
      continue;
    const as_attr *value = &node->attr[i];
    if (value->is_size)
      return as_graph_concrete(of, value->size, out);
    if (mpz_cmp_si(mpq_denref(value->num), 1) != 0 || !mpz_fits_slong_p(mpq_numref(value->num)))
      return false;
    *out = mpz_get_si(mpq_numref(value->num));
    return true;
  }
  return false;
}

/* ---- operators of a block graph */
/* which factor of the last axis an operator's `axis` is; -1: another axis */
static int factor_of(const writer *writing, const view *of, const as_node *node,
                     const as_node *arg) {
  int64_t axis;
  if (!attribute(writing->graph, node, "axis", &axis))
    return -1;
  if (axis < 0)
    axis += arg->rank;
  int64_t open = axis - ((int64_t)arg->rank - open_factors(of));
  for (uint32_t i = 0; i < of->n && open >= 0; i++) {
    if (!of->factor[i].summed && open-- == 0)
      return (int)i;
  }
  return -1;
}

/* the operator that is tried as a change of its first operand's view */
typedef struct {
  writer *writing;
  as_node_id id;
  const as_node *node;
  const as_node *arg;
} change;

typedef enum { NO_CHANGE, CHANGED, CHANGE_REFUSED } change_result;

static change_result refused(const change *of, const char *why) {
  refuse(of->writing, of->id, "%s", why);
  return CHANGE_REFUSED;
}

/* the factor of the last axis that the operator is about; -1: another axis, or what is no sum any
 * more */
static int changed_factor(const change *of, const view *to) {
  if (to->kept || to->over != 1 || to->root)
    return -1;
  return factor_of(of->writing, to, of->node, of->arg);
}

static change_result another_axis(const change *of) {
  refuse(of->writing, of->id, "%s of an axis other than the last", of->node->op->name);
  return CHANGE_REFUSED;
}

static change_result change_by_sum(const change *of, view *to) {
  int which = changed_factor(of, to);
  if (which < 0)
    return another_axis(of);
  to->factor[which].summed = true;
  return CHANGED;
}

static change_result change_by_mean(const change *of, view *to) {
  int which = changed_factor(of, to);
  if (which < 0)
    return another_axis(of);
  if (__builtin_mul_overflow(to->over, to->factor[which].extent, &to->over))
    return refused(of, "a division by a number beyond 64 bits");
  to->factor[which].summed = true;
  return CHANGED;
}

static change_result change_by_split(const change *of, view *to) {
  int which = changed_factor(of, to);
  int64_t outer;
  int64_t inner;
  if (which < 0)
    return another_axis(of);
  if (!attribute(of->writing->graph, of->node, "outer", &outer) ||
      !attribute(of->writing->graph, of->node, "inner", &inner) || to->n == MI_FACTORS)
    return refused(of, "a split without concrete extents");
  for (uint32_t i = to->n++; i > (uint32_t)which + 1; i--)
    to->factor[i] = to->factor[i - 1];
  to->factor[which].extent = outer;
  to->factor[which + 1] = (factor){inner, false};
  return CHANGED;
}

static change_result divide_by(const change *of, view *to, int64_t number) {
  if (number < 1 || to->root || __builtin_mul_overflow(to->over, number, &to->over))
    return refused(of, "a division by a number, outside of a root mean square");
  return CHANGED;
}

static change_result change_by_div(const change *of, view *to) {
  int64_t number;
  if (!whole_number(of->writing->graph, of->node->arg[1], &number))
    return NO_CHANGE;
  return divide_by(of, to, number);
}

static change_result change_by_div_by(const change *of, view *to) {
  int64_t number;
  if (!attribute(of->writing->graph, of->node, "n", &number))
    return NO_CHANGE;
  return divide_by(of, to, number);
}

static change_result change_by_sqrt(const change *of, view *to) {
  (void)of;
  if (is_plain(to) || to->root)
    return NO_CHANGE;
  to->root = true;
  return CHANGED;
}

static change_result change_by_square(const change *of, view *to) {
  (void)of;
  if (!is_plain(to) || to->acc || to->kept)
    return NO_CHANGE;
  to->squared = true;
  return CHANGED;
}

static change_result change_by_mul(const change *of, view *to) {
  return of->node->arg[0] == of->node->arg[1] ? change_by_square(of, to) : NO_CHANGE;
}

/* a summed axis kept as an extent of 1, as the last */
static change_result change_by_expand_dims(const change *of, view *to) {
  int64_t axis;
  if (to->n == 0 || open_factors(to) != 0 || to->kept ||
      !attribute(of->writing->graph, of->node, "axis", &axis) ||
      (axis != -1 && axis != of->arg->rank))
    return NO_CHANGE;
  to->kept = true;
  return CHANGED;
}

/* Operators that a view takes up without a tensor of their own. */
static const struct {
  const char *name;
  change_result (*apply)(const change *of, view *to);
} changes[] = {
    {"sum", change_by_sum},
    {"mean", change_by_mean},
    {"split_axis", change_by_split},
    {"div", change_by_div},
    {"div_by", change_by_div_by},
    {"sqrt", change_by_sqrt},
    {"square", change_by_square},
    {"mul", change_by_mul},
    {"expand_dims", change_by_expand_dims},
};

/* tries an operator as one that only changes the view of its first operand */
static change_result change_view(writer *writing, as_node_id id) {
  const as_node *node = &writing->graph->node[id];
  const change of = {writing, id, node, &writing->graph->node[node->arg[0]]};
  view changed = writing->view[node->arg[0]];
  if (!changed.set)
    return refused(&of, "an operator on numbers");
  changed.made = 0;
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    if (strcmp(changes[i].name, node->op->name) != 0)
      continue;
    change_result result = changes[i].apply(&of, &changed);
    if (result == CHANGED)
      writing->view[id] = changed;
    return result;
  }
  return NO_CHANGE;
}

static const char *mirage_name(writer *writing, as_node_id id) {
  const as_node *node = &writing->graph->node[id];
  int64_t eps;
  for (size_t i = 0; i < mi_n_operators; i++) {
    if (strcmp(mi_operators[i].ours, node->op->name) != 0)
      continue;
    if (attribute(writing->graph, node, "eps", &eps) ? eps != 0 : node->op->nattrs != 0) {
      refuse(writing, id, "`%s` with attributes of its own", node->op->name);
      return NULL;
    }
    for (uint32_t k = 0; k < node->nargs; k++) {
      if (writing->graph->node[node->arg[k]].rank != node->rank) {
        refuse(writing, id,
               "operands of different numbers of axes; only extents of 1 are broadcast there");
        return NULL;
      }
    }
    return mi_operators[i].mirage;
  }
  refuse(writing, id, "there is no operator `%s`", node->op->name);
  return NULL;
}

static bool block_operator(writer *writing, as_node_id id) {
  const as_node *node = &writing->graph->node[id];
  size_t operands[AS_MAX_ARGS];
  size_t result;
  bool after = false;
  change_result changed = change_view(writing, id);
  if (changed != NO_CHANGE)
    return changed == CHANGED;
  const char *name = mirage_name(writing, id);
  if (name == NULL)
    return false;
  for (uint32_t i = 0; i < node->nargs; i++) {
    if (!materialize(writing, node->arg[i], &operands[i]))
      return false;
    after = after || tensor_at(writing, operands[i])->after;
  }
  for (uint32_t i = 0; i < node->nargs && after && writing->part[3] == 1; i++)
    operands[i] = accumulated(writing, operands[i]);
  if (!node_tensor(writing, id, after, &result))
    return false;
  emit(writing, name, operands, node->nargs, result);
  writing->view[id] = view_of(writing, result);
  return true;
}

static bool accumulator(writer *writing, as_node_id id) {
  const as_node *node = &writing->graph->node[id];
  if (node->acc != AS_ACC_SUM)
    return refuse(writing, id, "an accumulator that is not a plain sum");
  writing->view[id] = writing->view[node->arg[0]];
  if (writing->view[id].acc)
    return refuse(writing, id, "it accumulates what is accumulated");
  writing->view[id].acc = true;
  writing->view[id].made = 0;
  return true;
}

/* Mirage's maps have another axis of the tensor for each axis of the grid. */
static bool divides_apart(writer *writing, as_node_id id) {
  const int *map = writing->graph->node[id].map;
  for (int a = 0; a < 3; a++) {
    for (int b = 0; b < a; b++) {
      if (map[a] >= 0 && map[a] == map[b])
        return refuse(writing, id, "two grid axes divide one axis of the tensor");
    }
  }
  return true;
}

static bool load(writer *writing, as_node_id id, json_t *inputs) {
  const as_node *node = &writing->graph->node[id];
  size_t number;
  size_t from = writing->view[node->arg[0]].of;
  if (!divides_apart(writing, id) || !node_tensor(writing, id, false, &number))
    return false;
  writing->view[id] = view_of(writing, number);
  json_array_append_new(inputs, tensor_json(writing, from));
  json_array_append_new(writing->block,
                        json_pack("{s:o, s:i, s:o, s:[], s:s, s:[o]}", "dtensor",
                                  tensor_json(writing, from), "forloop_dim",
                                  writing->part[3] > 1 ? node->map[3] : -1, "input_map",
                                  map_json(writing, node->map), "input_tensors", "op_type",
                                  "tb_input_op", "output_tensors", tensor_json(writing, number)));
  return true;
}

/* what is stored must be accumulated: the operators for all stores of a block come before the first
 */
static bool stored(writer *writing, as_node_id id, size_t *number) {
  if (!materialize(writing, writing->graph->node[id].arg[0], number))
    return false;
  if (writing->part[3] > 1 && !tensor_at(writing, *number)->after)
    return refuse(writing, id, "what is stored is not accumulated over the loop");
  *number = accumulated(writing, *number);
  return true;
}

static bool store(writer *writing, as_node_id id, json_t *outputs) {
  const as_node *node = &writing->graph->node[id];
  size_t number;
  size_t target;
  if (!divides_apart(writing, id) || !stored(writing, id, &number) ||
      !node_tensor(writing, id, false, &target))
    return false;
  writing->view[id] = view_of(writing, target);
  json_array_append_new(outputs, tensor_json(writing, target));
  json_array_append_new(writing->block,
                        json_pack("{s:o, s:[o], s:s, s:o, s:[]}", "dtensor",
                                  tensor_json(writing, target), "input_tensors",
                                  tensor_json(writing, number), "op_type", "tb_output_op",
                                  "output_map", map_json(writing, node->map), "output_tensors"));
  return true;
}

static bool block(writer *writing, uint32_t number) {
  const as_block *of = &writing->graph->block[number];
  json_t *inputs = json_array();
  json_t *outputs = json_array();
  json_t *described = json_object();
  bool ok = true;
  writing->block = json_array();
  writing->width = writing->offset = 0;
  for (int part = 0; part < 4 && ok; part++) {
    writing->part[part] = 1;
    as_size extent = part < 3 ? of->grid[part] : of->has_loop ? of->loop : AS_SIZE_ONE;
    if (!as_graph_concrete(writing->graph, extent, &writing->part[part])) {
      ok = as_err_set(
          writing->err, AS_BAD_INPUT,
          "%s cannot be written in Mirage's format: the %s of kernel `%s` has no concrete value",
          writing->graph->name, part < 3 ? "grid" : "loop", of->name);
    }
  }
  for (uint32_t i = 0; i < of->n && ok; i++) {
    as_node_id id = of->nodes[i];
    size_t unused;
    switch (writing->graph->node[id].kind) {
    case AS_N_LOAD:
      ok = load(writing, id, inputs);
      break;
    case AS_N_OP:
      ok = block_operator(writing, id);
      break;
    case AS_N_ACC:
      ok = accumulator(writing, id);
      break;
    case AS_N_STORE:
      ok = stored(writing, id, &unused);
      break;
    default:
      ok = refuse(writing, id, "a running maximum");
      break;
    }
  }
  for (uint32_t i = 0; i < of->n && ok; i++) {
    if (writing->graph->node[of->nodes[i]].kind == AS_N_STORE)
      ok = store(writing, of->nodes[i], outputs);
  }
  json_object_set_new(described, "block_dim",
                      json_pack("{s:i, s:i, s:i}", "x", THREADS, "y", 1, "z", 1));
  json_object_set_new(described, "forloop_range", json_integer(writing->part[3]));
  json_object_set_new(described, "graph_level", json_string("thread_block_graph"));
  json_object_set_new(described, "grid_dim",
                      json_pack("{s:I, s:I, s:I}", "x", (json_int_t)writing->part[0], "y",
                                (json_int_t)writing->part[1], "z", (json_int_t)writing->part[2]));
  json_object_set_new(described, "operators", writing->block);
  json_object_set_new(described, "reduction_dimx",
                      json_integer(writing->width ? writing->width : DEFAULT_WIDTH));
  json_object_set_new(described, "smem_offset", json_integer(writing->offset));
  json_array_append_new(writing->ops, json_pack("{s:o, s:o, s:s, s:o}", "bgraph", described,
                                                "input_tensors", inputs, "op_type",
                                                "kn_customized_op", "output_tensors", outputs));
  return ok;
}

/* ---- kernel level */
static bool input(writer *writing, as_node_id id) {
  size_t number;
  if (writing->graph->node[id].dtype != AS_F16)
    return refuse(writing, id, "it is not of f16, the type that the published files have");
  if (!node_tensor(writing, id, false, &number))
    return false;
  writing->view[id] = view_of(writing, number);
  json_array_append_new(writing->ops, json_pack("{s:o, s:o, s:[], s:s, s:[o]}", "input_map",
                                                map_json(writing, NULL), "input_strides",
                                                strides_json(tensor_at(writing, number)),
                                                "input_tensors", "op_type", "kn_input_op",
                                                "output_tensors", tensor_json(writing, number)));
  return true;
}

static bool kernel_operator(writer *writing, as_node_id id) {
  const as_node *node = &writing->graph->node[id];
  size_t operands[AS_MAX_ARGS];
  size_t result;
  const char *name = mirage_name(writing, id);
  if (name == NULL)
    return false;
  for (uint32_t i = 0; i < node->nargs; i++) {
    if (!writing->view[node->arg[i]].set)
      return refuse(writing, id, "a number: there are none there");
    operands[i] = writing->view[node->arg[i]].of;
  }
  if (!node_tensor(writing, id, false, &result))
    return false;
  writing->view[id] = view_of(writing, result);
  json_array_append_new(writing->ops,
                        operator_json(writing, "kn", name, operands, node->nargs, result));
  return true;
}

static bool graph(writer *writing) {
  const as_graph *of = writing->graph;
  as_node_id cut = as_graph_cut_load(of);
  if (cut != AS_NONE)
    return refuse(writing, cut, "a tile that is cut off at the end of its tensor");
  if (of->n_output != 1) {
    return as_err_set(
        writing->err, AS_BAD_INPUT,
        "%s cannot be written in Mirage's format: it has %u results, and graphs there have one",
        of->name, of->n_output);
  }
  for (uint32_t i = 0; i < of->n_input; i++) {
    if (!input(writing, of->input[i]))
      return false;
  }
  for (uint32_t i = 0; i < of->n_order; i++) {
    const as_node *node = &of->node[of->order[i]];
    if (node->kind == AS_N_STORE ? !block(writing, node->block)
                                 : !kernel_operator(writing, of->order[i]))
      return false;
  }
  size_t result = writing->view[of->output[0]].of;
  json_array_append_new(writing->ops,
                        json_pack("{s:[o], s:s, s:o, s:o, s:[]}", "input_tensors",
                                  tensor_json(writing, result), "op_type", "kn_output_op",
                                  "output_map", map_json(writing, NULL), "output_strides",
                                  strides_json(tensor_at(writing, result)), "output_tensors"));
  return true;
}

bool mi_add(void *graphs, const as_graph *added, as_err *err) {
  writer writing = {.graph = added,
                    .err = err,
                    .kernel_guid = FIRST_KERNEL_GUID,
                    .block_guid = FIRST_BLOCK_GUID,
                    .part = {1, 1, 1, 1}};
  as_vec_init(&writing.tensor, sizeof(tensor));
  writing.view = as_calloc(added->n + 1, sizeof *writing.view);
  writing.ops = json_array();
  bool ok = graph(&writing);
  if (ok)
    json_array_append_new(graphs, writing.ops);
  else
    json_decref(writing.ops);
  free(writing.view);
  as_vec_clear(&writing.tensor);
  return ok;
}

char *mi_text(const void *graphs) {
  char *text = json_dumps(graphs, JSON_INDENT(4) | JSON_SORT_KEYS);
  char *out = as_format("%s\n", text);
  free(text);
  return out;
}
