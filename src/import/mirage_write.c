/* Writes muGraphs of ours at their concrete sizes in Mirage's format, where that has words for
 * them: the operators of mi_operators; sums over the last axis (whole, or with the stride of a
 * split) together with the accumulation over the loop; root mean squares.
 *
 * A block graph is walked in order.  What Mirage has only as one accumulator (square, split, sum,
 * accumulate, divide by the count, root, keep the axis) is gathered in a *view* of a tile and
 * becomes an operator when something reads it. */
#include "mirage_int.h"
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
  factor f[MI_FACTORS];
  uint32_t n; /* of the last axis, outermost first */
} view;

typedef struct {
  const as_graph *g;
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

static tensor *at(writer *w, size_t t) {
  return &AS_VEC_AT(&w->tensor, tensor, t);
}

__attribute__((format(printf, 3, 4))) static bool bad(writer *w, as_node_id id, const char *fmt,
                                                      ...) {
  va_list ap;
  char text[300];
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  const char *name = w->g->node[id].name;
  return as_err_set(w->err, AS_BAD_INPUT, "%s cannot be written in Mirage's format: `%s`: %s",
                    w->g->name, name ? name : "a number", text);
}

static json_t *tensor_json(writer *w, size_t t) {
  const tensor *x = at(w, t);
  json_t *dims = json_array();
  json_t *j =
      json_pack("{s:i, s:o, s:I, s:s, s:i}", "data_type", HALF, "dim", dims, "guid", x->guid,
                "layout", x->block ? "SmemRowMajor" : "DmemRowMajor", "num_dims", (int)x->rank);
  for (uint32_t i = 0; i < RANKS; i++)
    json_array_append_new(dims, json_integer(i < x->rank ? x->dim[i] : 0));
  if (x->block)
    json_object_set_new(j, "after_accum", json_boolean(x->after));
  if (x->block)
    json_object_set_new(j, "smem_offset", json_integer(x->offset));
  return j;
}

static json_t *strides_json(const tensor *x) {
  json_t *j = json_array();
  int64_t s = 1;
  for (uint32_t i = x->rank; i-- > 0; s *= x->dim[i])
    json_array_insert_new(j, 0, json_integer(s));
  return j;
}

/* axes that x, y, z divide; grid axes of extent 1 divide nothing */
static json_t *map_json(const writer *w, const int *map) {
  int m[3];
  for (int a = 0; a < 3; a++)
    m[a] = map && w->part[a] > 1 ? map[a] : -1;
  return json_pack("{s:i, s:i, s:i}", "x", m[0], "y", m[1], "z", m[2]);
}

static size_t new_tensor(writer *w, const int64_t *dim, uint32_t rank, bool block, bool after) {
  tensor t = {.rank = rank,
              .block = block,
              .after = after,
              .guid = block ? w->block_guid++ : w->kernel_guid++,
              .offset = w->offset};
  int64_t bytes = HALF_BYTES;
  for (uint32_t i = 0; i < rank; i++)
    bytes *= t.dim[i] = dim[i];
  if (block)
    w->offset += (bytes + ALIGN - 1) / ALIGN * ALIGN;
  as_vec_push(&w->tensor, &t);
  return w->tensor.n - 1;
}

static bool node_tensor(writer *w, as_node_id id, bool after, size_t *out) {
  const as_node *n = &w->g->node[id];
  int64_t dim[AS_MAX_RANK];
  if (n->rank > RANKS)
    return bad(w, id, "it has %u axes, and tensors there have at most %d", n->rank, RANKS);
  for (uint32_t i = 0; i < n->rank; i++) {
    if (!as_graph_concrete(w->g, n->dim[i], &dim[i]))
      return bad(w, id, "axis %u has no concrete value", i);
  }
  *out = new_tensor(w, dim, n->rank, n->block != AS_NONE && n->kind != AS_N_STORE, after);
  return true;
}

static json_t *operator_json(writer *w, const char *prefix, const char *name, const size_t *in,
                             uint32_t n, size_t out) {
  json_t *args = json_array();
  json_t *kind = json_sprintf("%s_%s_op", prefix, name);
  for (uint32_t i = 0; i < n; i++)
    json_array_append_new(args, tensor_json(w, in[i]));
  return json_pack("{s:o, s:o, s:[o]}", "input_tensors", args, "op_type", kind, "output_tensors",
                   tensor_json(w, out));
}

static void emit(writer *w, const char *name, const size_t *in, uint32_t n, size_t out) {
  json_array_append_new(w->block, operator_json(w, "tb", name, in, n, out));
}

/* ---- views */
static view view_of(writer *w, size_t t) {
  const tensor *x = at(w, t);
  view v = {.of = t, .set = true, .over = 1, .n = x->rank > 0};
  if (x->rank)
    v.f[0].extent = x->dim[x->rank - 1];
  return v;
}

static uint32_t open_factors(const view *v) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < v->n; i++)
    n += !v->f[i].summed;
  return n;
}

static bool is_plain(const view *v) {
  return v->n <= 1 && open_factors(v) == v->n && !v->squared && v->over == 1 && !v->root;
}

static size_t apply(writer *w, const char *name, size_t of, int64_t last, bool after) {
  const tensor x = *at(w, of);
  int64_t dim[RANKS];
  memcpy(dim, x.dim, sizeof dim);
  if (last >= 0)
    dim[x.rank - 1] = last;
  size_t out = new_tensor(w, dim, x.rank, true, after);
  emit(w, name, &of, 1, out);
  return out;
}

static size_t accumulated(writer *w, size_t t) {
  if (at(w, t)->after)
    return t;
  if (!at(w, t)->accumulated) {
    size_t a = apply(w, "accum_nored", t, -1, true);
    at(w, t)->accumulated = a + 1;
  }
  return at(w, t)->accumulated - 1;
}

static size_t squared(writer *w, size_t t) {
  if (!at(w, t)->square) {
    size_t s = apply(w, "square", t, -1, at(w, t)->after);
    at(w, t)->square = s + 1;
  }
  return at(w, t)->square - 1;
}

/* the tensor that a node's view is, by operators where it is none yet */
static bool materialize(writer *w, as_node_id id, size_t *out) {
  view *v = &w->view[id];
  if (!v->set)
    return bad(w, id, "a number: there are none there");
  if (v->made) {
    *out = v->made - 1;
    return true;
  }
  const tensor x = *at(w, v->of);
  uint32_t open = open_factors(v);
  int64_t count = w->part[3];
  for (uint32_t i = 0; i < v->n; i++)
    count *= v->f[i].summed ? v->f[i].extent : 1;
  bool sums = open < v->n;
  if (!sums && v->n > 1)
    return bad(w, id, "an axis is split and not summed");
  if (sums && x.after)
    return bad(w, id, "a sum of what is defined after the loop");
  if (sums && w->part[3] > 1 && !v->acc) {
    return bad(w, id,
               "a sum that is not accumulated over the loop: sums are taken by accumulators only");
  }
  if (sums && open == 0 && !v->kept)
    return bad(w, id, "a sum that does not keep its axis as an extent of 1");
  if (sums && (open > 1 || (open == 1 && v->f[v->n - 1].summed)))
    return bad(w, id, "a sum over the inner part of an axis");
  bool rms = sums && open == 0 && v->squared && v->root && v->over == count;
  if (v->over != 1 && !rms)
    return bad(w, id, "a division by a number, outside of a root mean square");
  size_t t = v->squared && !rms ? squared(w, v->of) : v->of;
  if (sums && open == 0) {
    t = apply(w, rms ? "accum_red_ld_rms" : "accum_red_ld_sum", t, 1, true);
  } else if (sums) {
    int64_t width = v->f[v->n - 1].extent;
    if (w->width && w->width != width) {
      return bad(w, id, "a sum with stride %lld and another with %lld in one block graph",
                 (long long)width, (long long)w->width);
    }
    w->width = width;
    t = apply(w, "accum_redtox_ld_sum", t, width, true);
  } else if (v->acc) {
    t = accumulated(w, t);
  }
  if (v->root && !rms)
    t = apply(w, "sqrt", t, -1, at(w, t)->after);
  v->made = t + 1;
  *out = t;
  return true;
}

/* ---- numbers */
static bool whole_number(const as_graph *g, as_node_id id, int64_t *out) {
  const as_node *n = &g->node[id];
  if (n->kind == AS_N_SIZE)
    return as_graph_concrete(g, n->size, out);
  if (n->kind == AS_N_CONST && mpz_cmp_si(mpq_denref(n->value), 1) == 0 &&
      mpz_fits_slong_p(mpq_numref(n->value))) {
    *out = mpz_get_si(mpq_numref(n->value));
    return true;
  }
  int64_t a;
  int64_t b; /* a product of sizes, as it is written in a program */
  return n->kind == AS_N_OP && n->rank == 0 && n->nargs == 2 && strcmp(n->op->name, "mul") == 0 &&
         whole_number(g, n->arg[0], &a) && whole_number(g, n->arg[1], &b) &&
         !__builtin_mul_overflow(a, b, out);
}

static bool attribute(const as_graph *g, const as_node *n, const char *name, int64_t *out) {
  for (uint32_t i = 0; i < n->op->nattrs; i++) {
    if (strcmp(n->op->attr[i], name) != 0)
      continue;
    const as_attr *a = &n->attr[i];
    if (a->is_size)
      return as_graph_concrete(g, a->size, out);
    if (mpz_cmp_si(mpq_denref(a->num), 1) != 0 || !mpz_fits_slong_p(mpq_numref(a->num)))
      return false;
    *out = mpz_get_si(mpq_numref(a->num));
    return true;
  }
  return false;
}

/* ---- operators of a block graph */
/* which factor of the last axis an operator's `axis` is; -1: another axis */
static int factor_of(const writer *w, const view *v, const as_node *n, const as_node *arg) {
  int64_t axis;
  if (!attribute(w->g, n, "axis", &axis))
    return -1;
  if (axis < 0)
    axis += arg->rank;
  int64_t k = axis - ((int64_t)arg->rank - open_factors(v));
  for (uint32_t i = 0; i < v->n && k >= 0; i++) {
    if (!v->f[i].summed && k-- == 0)
      return (int)i;
  }
  return -1;
}

/* an operator that only changes the view; *done: it was one */
static bool change(writer *w, as_node_id id, bool *done) {
  const as_node *n = &w->g->node[id];
  const as_node *arg = &w->g->node[n->arg[0]];
  const char *op = n->op->name;
  view v = w->view[n->arg[0]];
  int64_t number = 1;
  int64_t inner;
  int64_t outer;
  bool is_sum = strcmp(op, "sum") == 0;
  bool is_mean = strcmp(op, "mean") == 0;
  bool is_split = strcmp(op, "split_axis") == 0;
  *done = true;
  v.made = 0;
  if (!v.set)
    return bad(w, id, "an operator on numbers");
  if (is_sum || is_mean || is_split) {
    int k = v.kept || v.over != 1 || v.root ? -1 : factor_of(w, &v, n, arg);
    if (k < 0)
      return bad(w, id, "%s of an axis other than the last", op);
    if (is_mean && __builtin_mul_overflow(v.over, v.f[k].extent, &v.over))
      return bad(w, id, "a division by a number beyond 64 bits");
    if (!is_split) {
      v.f[k].summed = true;
    } else {
      if (!attribute(w->g, n, "outer", &outer) || !attribute(w->g, n, "inner", &inner) ||
          v.n == MI_FACTORS)
        return bad(w, id, "a split without concrete extents");
      for (uint32_t i = v.n++; i > (uint32_t)k + 1; i--)
        v.f[i] = v.f[i - 1];
      v.f[k].extent = outer;
      v.f[k + 1] = (factor){inner, false};
    }
  } else if ((strcmp(op, "div") == 0 && whole_number(w->g, n->arg[1], &number)) ||
             (strcmp(op, "div_by") == 0 && attribute(w->g, n, "n", &number))) {
    if (number < 1 || v.root || __builtin_mul_overflow(v.over, number, &v.over))
      return bad(w, id, "a division by a number, outside of a root mean square");
  } else if (strcmp(op, "sqrt") == 0 && !is_plain(&v) && !v.root) {
    v.root = true;
  } else if ((strcmp(op, "square") == 0 || (strcmp(op, "mul") == 0 && n->arg[0] == n->arg[1])) &&
             is_plain(&v) && !v.acc && !v.kept) {
    v.squared = true;
  } else if (strcmp(op, "expand_dims") == 0 && v.n > 0 && open_factors(&v) == 0 && !v.kept &&
             attribute(w->g, n, "axis", &number) && (number == -1 || number == arg->rank)) {
    v.kept = true;
  } else {
    *done = false;
  }
  if (*done)
    w->view[id] = v;
  return true;
}

static const char *mirage_name(writer *w, as_node_id id) {
  const as_node *n = &w->g->node[id];
  int64_t eps;
  for (size_t i = 0; i < mi_n_operators; i++) {
    if (strcmp(mi_operators[i].ours, n->op->name) != 0)
      continue;
    if (attribute(w->g, n, "eps", &eps) ? eps != 0 : n->op->nattrs != 0) {
      bad(w, id, "`%s` with attributes of its own", n->op->name);
      return NULL;
    }
    for (uint32_t k = 0; k < n->nargs; k++) {
      if (w->g->node[n->arg[k]].rank != n->rank) {
        bad(w, id, "operands of different numbers of axes; only extents of 1 are broadcast there");
        return NULL;
      }
    }
    return mi_operators[i].mirage;
  }
  bad(w, id, "there is no operator `%s`", n->op->name);
  return NULL;
}

static bool block_operator(writer *w, as_node_id id) {
  const as_node *n = &w->g->node[id];
  size_t in[AS_MAX_ARGS];
  size_t out;
  bool done;
  bool after = false;
  if (!change(w, id, &done))
    return false;
  if (done)
    return true;
  const char *name = mirage_name(w, id);
  if (name == NULL)
    return false;
  for (uint32_t i = 0; i < n->nargs; i++) {
    if (!materialize(w, n->arg[i], &in[i]))
      return false;
    after = after || at(w, in[i])->after;
  }
  for (uint32_t i = 0; i < n->nargs && after && w->part[3] == 1; i++)
    in[i] = accumulated(w, in[i]);
  if (!node_tensor(w, id, after, &out))
    return false;
  emit(w, name, in, n->nargs, out);
  w->view[id] = view_of(w, out);
  return true;
}

static bool accumulator(writer *w, as_node_id id) {
  const as_node *n = &w->g->node[id];
  if (n->acc != AS_ACC_SUM)
    return bad(w, id, "an accumulator that is not a plain sum");
  w->view[id] = w->view[n->arg[0]];
  if (w->view[id].acc)
    return bad(w, id, "it accumulates what is accumulated");
  w->view[id].acc = true;
  w->view[id].made = 0;
  return true;
}

static bool load(writer *w, as_node_id id, json_t *inputs) {
  const as_node *n = &w->g->node[id];
  size_t t;
  size_t from = w->view[n->arg[0]].of;
  if (!node_tensor(w, id, false, &t))
    return false;
  w->view[id] = view_of(w, t);
  json_array_append_new(inputs, tensor_json(w, from));
  json_array_append_new(w->block, json_pack("{s:o, s:i, s:o, s:[], s:s, s:[o]}", "dtensor",
                                            tensor_json(w, from), "forloop_dim",
                                            w->part[3] > 1 ? n->map[3] : -1, "input_map",
                                            map_json(w, n->map), "input_tensors", "op_type",
                                            "tb_input_op", "output_tensors", tensor_json(w, t)));
  return true;
}

/* what is stored must be accumulated: the operators for all stores of a block come before the first
 */
static bool stored(writer *w, as_node_id id, size_t *t) {
  if (!materialize(w, w->g->node[id].arg[0], t))
    return false;
  if (w->part[3] > 1 && !at(w, *t)->after)
    return bad(w, id, "what is stored is not accumulated over the loop");
  *t = accumulated(w, *t);
  return true;
}

static bool store(writer *w, as_node_id id, json_t *outputs) {
  const as_node *n = &w->g->node[id];
  size_t t;
  size_t to;
  if (!stored(w, id, &t) || !node_tensor(w, id, false, &to))
    return false;
  w->view[id] = view_of(w, to);
  json_array_append_new(outputs, tensor_json(w, to));
  json_array_append_new(w->block,
                        json_pack("{s:o, s:[o], s:s, s:o, s:[]}", "dtensor", tensor_json(w, to),
                                  "input_tensors", tensor_json(w, t), "op_type", "tb_output_op",
                                  "output_map", map_json(w, n->map), "output_tensors"));
  return true;
}

static bool block(writer *w, uint32_t k) {
  const as_block *b = &w->g->block[k];
  json_t *inputs = json_array();
  json_t *outputs = json_array();
  json_t *bg = json_object();
  bool ok = true;
  w->block = json_array();
  w->width = w->offset = 0;
  for (int a = 0; a < 4 && ok; a++) {
    w->part[a] = 1;
    as_size s = a < 3 ? b->grid[a] : b->has_loop ? b->loop : AS_SIZE_ONE;
    if (!as_graph_concrete(w->g, s, &w->part[a])) {
      ok = as_err_set(
          w->err, AS_BAD_INPUT,
          "%s cannot be written in Mirage's format: the %s of kernel `%s` has no concrete value",
          w->g->name, a < 3 ? "grid" : "loop", b->name);
    }
  }
  for (uint32_t i = 0; i < b->n && ok; i++) {
    as_node_id id = b->nodes[i];
    size_t t;
    switch (w->g->node[id].kind) {
    case AS_N_LOAD:
      ok = load(w, id, inputs);
      break;
    case AS_N_OP:
      ok = block_operator(w, id);
      break;
    case AS_N_ACC:
      ok = accumulator(w, id);
      break;
    case AS_N_STORE:
      ok = stored(w, id, &t);
      break;
    default:
      ok = bad(w, id, "a running maximum");
      break;
    }
  }
  for (uint32_t i = 0; i < b->n && ok; i++) {
    if (w->g->node[b->nodes[i]].kind == AS_N_STORE)
      ok = store(w, b->nodes[i], outputs);
  }
  json_object_set_new(bg, "block_dim", json_pack("{s:i, s:i, s:i}", "x", THREADS, "y", 1, "z", 1));
  json_object_set_new(bg, "forloop_range", json_integer(w->part[3]));
  json_object_set_new(bg, "graph_level", json_string("thread_block_graph"));
  json_object_set_new(bg, "grid_dim",
                      json_pack("{s:I, s:I, s:I}", "x", (json_int_t)w->part[0], "y",
                                (json_int_t)w->part[1], "z", (json_int_t)w->part[2]));
  json_object_set_new(bg, "operators", w->block);
  json_object_set_new(bg, "reduction_dimx", json_integer(w->width ? w->width : DEFAULT_WIDTH));
  json_object_set_new(bg, "smem_offset", json_integer(w->offset));
  json_array_append_new(w->ops,
                        json_pack("{s:o, s:o, s:s, s:o}", "bgraph", bg, "input_tensors", inputs,
                                  "op_type", "kn_customized_op", "output_tensors", outputs));
  return ok;
}

/* ---- kernel level */
static bool input(writer *w, as_node_id id) {
  size_t t;
  if (w->g->node[id].dtype != AS_F16)
    return bad(w, id, "it is not of f16, the type that the published files have");
  if (!node_tensor(w, id, false, &t))
    return false;
  w->view[id] = view_of(w, t);
  json_array_append_new(w->ops,
                        json_pack("{s:o, s:o, s:[], s:s, s:[o]}", "input_map", map_json(w, NULL),
                                  "input_strides", strides_json(at(w, t)), "input_tensors",
                                  "op_type", "kn_input_op", "output_tensors", tensor_json(w, t)));
  return true;
}

static bool kernel_operator(writer *w, as_node_id id) {
  const as_node *n = &w->g->node[id];
  size_t in[AS_MAX_ARGS];
  size_t out;
  const char *name = mirage_name(w, id);
  if (name == NULL)
    return false;
  for (uint32_t i = 0; i < n->nargs; i++) {
    if (!w->view[n->arg[i]].set)
      return bad(w, id, "a number: there are none there");
    in[i] = w->view[n->arg[i]].of;
  }
  if (!node_tensor(w, id, false, &out))
    return false;
  w->view[id] = view_of(w, out);
  json_array_append_new(w->ops, operator_json(w, "kn", name, in, n->nargs, out));
  return true;
}

static bool graph(writer *w) {
  const as_graph *g = w->g;
  if (g->n_output != 1) {
    return as_err_set(
        w->err, AS_BAD_INPUT,
        "%s cannot be written in Mirage's format: it has %u results, and graphs there have one",
        g->name, g->n_output);
  }
  for (uint32_t i = 0; i < g->n_input; i++) {
    if (!input(w, g->input[i]))
      return false;
  }
  for (uint32_t i = 0; i < g->n_order; i++) {
    const as_node *n = &g->node[g->order[i]];
    if (n->kind == AS_N_STORE ? !block(w, n->block) : !kernel_operator(w, g->order[i]))
      return false;
  }
  size_t t = w->view[g->output[0]].of;
  json_array_append_new(w->ops, json_pack("{s:[o], s:s, s:o, s:o, s:[]}", "input_tensors",
                                          tensor_json(w, t), "op_type", "kn_output_op",
                                          "output_map", map_json(w, NULL), "output_strides",
                                          strides_json(at(w, t)), "output_tensors"));
  return true;
}

bool as_mirage_add(as_mirage *m, const as_graph *g, as_err *err) {
  writer w = {.g = g,
              .err = err,
              .kernel_guid = FIRST_KERNEL_GUID,
              .block_guid = FIRST_BLOCK_GUID,
              .part = {1, 1, 1, 1}};
  as_vec_init(&w.tensor, sizeof(tensor));
  w.view = as_calloc(g->n + 1, sizeof *w.view);
  w.ops = json_array();
  bool ok = graph(&w);
  if (ok)
    json_array_append_new(mi_graphs(m), w.ops);
  else
    json_decref(w.ops);
  free(w.view);
  as_vec_clear(&w.tensor);
  return ok;
}

char *as_mirage_text(const as_mirage *m) {
  char *text = json_dumps(mi_graphs(m), JSON_INDENT(4) | JSON_SORT_KEYS);
  char *out = as_format("%s\n", text);
  free(text);
  return out;
}
