/* Building nodes, with the rules of semantics/SEMANTICS.md sections 2 and 3. */
#include "graph_int.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool bad_input(as_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static bool bad_input(as_err *err, const char *fmt, ...) {
  char text[512];
  va_list ap;
  va_start(ap, fmt);
  int n = vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  return as_err_set(err, n < 0 ? AS_INTERNAL : AS_BAD_INPUT, "%s", text);
}

static const char *name_of(const as_graph *g, as_node_id n) {
  return g->node[n].name ? g->node[n].name : "a constant";
}

static bool differ(const as_graph *g, as_err *err, const char *what, as_size a, as_size b) {
  char *x = as_size_print(g->sizes, a);
  char *y = as_size_print(g->sizes, b);
  bad_input(err, "%s: extents `%s` and `%s` differ, and no `where` relation makes them equal", what,
            x, y);
  free(x);
  free(y);
  return false;
}

/* --- nodes */
static as_node_id push_node(as_graph *g, as_node_kind kind, uint32_t block, const char *name,
                            as_err *err) {
  as_graph_mem *m = as_gm(g);
  uint32_t scope = kind == AS_N_STORE ? AS_NONE : block;
  if (name && (as_name_taken(g, scope, name) || as_names_get(g, block, name) != AS_NONE)) {
    bad_input(err, "`%s` is already defined", name);
    return AS_NONE;
  }
  as_grow(&g->node, &m->node_cap, g->n, sizeof *g->node);
  as_node_id id = g->n++;
  as_node *n = &g->node[id];
  memset(n, 0, sizeof *n);
  n->kind = kind;
  n->block = block;
  for (int i = 0; i < 4; i++)
    n->map[i] = -1;
  mpq_init(n->value);
  for (uint32_t k = 0; k < AS_MAX_ATTRS; k++)
    as_attr_init(&n->attr[k]);
  n->size = AS_SIZE_BAD;
  if (kind == AS_N_CONST || kind == AS_N_SIZE)
    return id;
  char fresh[24];
  if (name == NULL) {
    do
      snprintf(fresh, sizeof fresh, "t%u", ++m->fresh);
    while (as_name_taken(g, scope, fresh) || as_names_get(g, AS_SCOPE_TAKEN, fresh) != AS_NONE ||
           (g->program && as_names_get(g->program, AS_NONE, fresh) != AS_NONE));
    name = fresh;
  }
  n->name = as_names_put(g, scope, name, id);
  return id;
}

static void to_block(as_graph *g, uint32_t block, as_node_id id) {
  as_block *b = &g->block[block];
  if ((b->n & (b->n - 1)) == 0)
    b->nodes = as_realloc(b->nodes, (b->n ? 2 * b->n : 1) * sizeof *b->nodes);
  b->nodes[b->n++] = id;
}

static void to_order(as_graph *g, as_node_id id) {
  as_grow(&g->order, &as_gm(g)->order_cap, g->n_order, sizeof *g->order);
  g->order[g->n_order++] = id;
}

as_node_id as_graph_input(as_graph *g, const char *name, as_dtype t, const as_size *dim,
                          uint32_t rank, as_err *err) {
  if (rank > AS_MAX_RANK) {
    bad_input(err, "`%s` has more than %d axes", name, AS_MAX_RANK);
    return AS_NONE;
  }
  as_node_id id = push_node(g, AS_N_INPUT, AS_NONE, name, err);
  if (id == AS_NONE)
    return id;
  as_node *n = &g->node[id];
  n->dtype = t;
  n->rank = rank;
  if (rank)
    memcpy(n->dim, dim, rank * sizeof *dim);
  as_grow(&g->input, &as_gm(g)->input_cap, g->n_input, sizeof *g->input);
  g->input[g->n_input++] = id;
  return id;
}

as_node_id as_graph_const(as_graph *g, const mpq_t value) {
  char *text = mpq_get_str(NULL, 10, value);
  char *key = as_format("=%s", text); /* no name starts so */
  free(text);
  as_node_id id = as_names_get(g, AS_NONE, key);
  if (id == AS_NONE) {
    id = push_node(g, AS_N_CONST, AS_NONE, NULL, NULL);
    mpq_set(g->node[id].value, value);
    g->node[id].dtype = AS_F32;
    as_names_put(g, AS_NONE, key, id);
  }
  free(key);
  return id;
}

as_node_id as_graph_size_const(as_graph *g, as_size s) {
  long v;
  if (as_size_is_const(g->sizes, s, &v)) {
    mpq_t q;
    mpq_init(q);
    mpq_set_si(q, v, 1);
    as_node_id c = as_graph_const(g, q);
    mpq_clear(q);
    return c;
  }
  if (s == AS_SIZE_BAD)
    return AS_NONE;
  for (uint32_t i = 0; i < as_size_nmono(g->sizes, s); i++) {
    as_size_mono m = as_size_get_mono(g->sizes, s, i);
    for (uint32_t k = 0; k < m.n; k++) {
      if (!as_size_is_sym(g->sizes, m.atom[k]))
        return AS_NONE;
    }
  }
  char *key = as_format("=#%u", s);
  as_node_id id = as_names_get(g, AS_NONE, key);
  if (id == AS_NONE) {
    id = push_node(g, AS_N_SIZE, AS_NONE, NULL, NULL);
    g->node[id].size = s;
    g->node[id].dtype = AS_F32;
    as_names_put(g, AS_NONE, key, id);
  }
  free(key);
  return id;
}

uint32_t as_graph_block(as_graph *g, const char *name, const as_size grid[3], as_size loop,
                        bool has_loop) {
  as_grow(&g->block, &as_gm(g)->block_cap, g->n_block, sizeof *g->block);
  as_block *b = &g->block[g->n_block];
  *b = (as_block){.name = as_arena_strdup(as_gm(g)->arena, name),
                  .loop = has_loop ? loop : AS_SIZE_ONE,
                  .has_loop = has_loop};
  memcpy(b->grid, grid, sizeof b->grid);
  return g->n_block++;
}

/* --- operators */
static bool reachable(const as_graph *g, uint32_t block, as_node_id a, as_err *err) {
  if (a >= g->n)
    return as_err_set(err, AS_INTERNAL, "node %u does not exist", a);
  const as_node *n = &g->node[a];
  if (as_node_is_number(n))
    return true;
  uint32_t level = n->kind == AS_N_STORE ? AS_NONE : n->block;
  if (level == block)
    return true;
  return bad_input(err,
                   "`%s` belongs to another level: a block graph reads tensors through `load` only",
                   n->name);
}

/* flags of a node that reads `arg`; false when it would read both a final value and one that
 * changes with the loop */
static bool flags(const as_graph *g, const as_node_id *arg, uint32_t nargs, as_node *out,
                  as_err *err) {
  as_node_id late = AS_NONE;
  as_node_id moving = AS_NONE;
  for (uint32_t i = 0; i < nargs; i++) {
    const as_node *n = &g->node[arg[i]];
    if (n->after)
      late = arg[i];
    if (n->varying)
      moving = arg[i];
    out->reads_run = out->reads_run || n->reads_run;
  }
  out->after = late != AS_NONE;
  out->varying = moving != AS_NONE;
  if (late != AS_NONE && moving != AS_NONE) {
    return bad_input(err, "reads both the final value `%s` and `%s`, which changes with the loop",
                     name_of(g, late), name_of(g, moving));
  }
  return true;
}

static bool obligations(as_graph *g, const as_opdef *op, const as_vec *facts, as_err *err) {
  if (g->open)
    return true;
  for (size_t i = 0; i < facts->n; i++) {
    as_size_fact f = AS_VEC_AT(facts, as_size_fact, i);
    char *what = as_format("`%s`", op->name);
    char *x = as_size_print(g->sizes, f.lhs);
    char *y = as_size_print(g->sizes, f.rhs);
    static const char *const text[] = {"=", "!=", "<=", "<"};
    bool ok = true;
    int64_t a;
    int64_t b;
    if (as_size_is_const(g->sizes, f.lhs, NULL) &&
        as_size_is_const(g->sizes, f.rhs, NULL)) /* false, or it would not be here */
    {
      ok = f.rel == AS_REL_EQ ? bad_input(err, "%s: extents differ: %s and %s", what, x, y)
                              : bad_input(err, "%s requires %s %s %s", what, x, text[f.rel], y);
    } else if (f.rel == AS_REL_EQ) {
      ok = as_graph_same_size(g, f.lhs, f.rhs) || differ(g, err, what, f.lhs, f.rhs);
    } else if (as_graph_decide(g, f.lhs, f.rel, f.rhs) == AS_FAILS) {
      ok = bad_input(err, "%s requires `%s %s %s`, which never holds", what, x, text[f.rel], y);
    } else if (g->program == NULL && as_graph_concrete(g, f.lhs, &a) &&
               as_graph_concrete(g, f.rhs, &b) &&
               !(f.rel == AS_REL_NE   ? a != b
                 : f.rel == AS_REL_LE ? a <= b
                                      : a < b)) {
      ok = bad_input(err, "%s requires `%s %s %s`, which the concrete sizes do not satisfy", what,
                     x, text[f.rel], y);
    }
    free(what);
    free(x);
    free(y);
    if (!ok)
      return false;
  }
  return true;
}

static bool shape(as_graph *g, const as_opdef *op, const as_node_id *arg, uint32_t nargs,
                  const as_attr *attr, as_size *dim, uint32_t *rank, as_err *err) {
  as_size argdim[AS_MAX_ARGS][8];
  uint32_t argrank[AS_MAX_ARGS];
  for (uint32_t i = 0; i < nargs; i++) {
    memcpy(argdim[i], g->node[arg[i]].dim, sizeof argdim[i]);
    argrank[i] = g->node[arg[i]].rank;
  }
  as_match m;
  as_vec facts;
  as_vec_init(&facts, sizeof(as_size_fact));
  bool ok =
      as_opdef_match(g->sizes, op, argdim, argrank, nargs, attr, &m, dim, rank, &facts, err) &&
      obligations(g, op, &facts, err);
  as_vec_clear(&facts);
  for (uint32_t i = 0; ok && !g->open && i < *rank; i++) {
    if (as_graph_decide(g, 0, AS_REL_LE, dim[i]) == AS_FAILS)
      ok = bad_input(err, "`%s` gives a negative extent", op->name);
  }
  return ok;
}

as_node_id as_graph_op(as_graph *g, uint32_t block, const char *name, const as_opdef *op,
                       const as_node_id *arg, uint32_t nargs, const as_attr *attr, as_err *err) {
  as_node tmp = {0};
  if (nargs > AS_MAX_ARGS || nargs != op->nargs) {
    bad_input(err, "`%s` takes %u tensor%s, not %u", op->name, op->nargs, op->nargs == 1 ? "" : "s",
              nargs);
    return AS_NONE;
  }
  for (uint32_t i = 0; i < nargs; i++) {
    if (!reachable(g, block, arg[i], err))
      return AS_NONE;
  }
  if (block != AS_NONE && !flags(g, arg, nargs, &tmp, err))
    return AS_NONE;
  if (!shape(g, op, arg, nargs, attr, tmp.dim, &tmp.rank, err)) {
    if (err && err->status == AS_NO && !g->open)
      err->status = AS_BAD_INPUT; /* only of a rule is it a finding */
    return AS_NONE;
  }
  as_node_id id = push_node(g, AS_N_OP, block, name, err);
  if (id == AS_NONE)
    return id;
  as_node *n = &g->node[id];
  n->op = op;
  n->nargs = nargs;
  n->rank = tmp.rank;
  memcpy(n->dim, tmp.dim, sizeof n->dim);
  n->varying = tmp.varying;
  n->after = tmp.after;
  n->reads_run = tmp.reads_run;
  n->dtype = g->n_input ? g->node[g->input[0]].dtype : AS_F16;
  bool typed = false;
  for (uint32_t i = 0; i < nargs; i++) {
    n->arg[i] = arg[i];
    if (typed || as_node_is_number(&g->node[arg[i]]))
      continue;
    n->dtype = g->node[arg[i]].dtype;
    typed = true;
  }
  for (uint32_t i = 0; i < op->nattrs; i++) {
    as_attr_set(&n->attr[i], &attr[i]);
    if (attr[i].is_size || mpz_cmp_ui(mpq_denref(attr[i].num), 1) != 0 ||
        !mpz_fits_slong_p(mpq_numref(attr[i].num)))
      continue;
    n->attr[i].is_size = true; /* an integer has one form */
    n->attr[i].size = as_size_int(g->sizes, mpz_get_si(mpq_numref(attr[i].num)));
  }
  if (block == AS_NONE)
    to_order(g, id);
  else
    to_block(g, block, id);
  return id;
}

/* --- block level */
static as_size extent(const as_block *b, int axis) {
  return axis < 3 ? b->grid[axis] : b->loop;
}

static bool map_ok(const as_block *b, const int map[4], uint32_t rank, const char *name,
                   as_err *err) {
  for (int x = 0; x < 4; x++) {
    if (map[x] < 0)
      continue;
    if ((uint32_t)map[x] >= rank)
      return bad_input(err, "`%s`: there is no axis %d", name, map[x]);
    if (x == 3 ? !b->has_loop : b->grid[x] == AS_SIZE_ONE) {
      return bad_input(err,
                       x == 3 ? "`%s`: the kernel has no loop"
                              : "`%s`: the grid has no axis %c (of extent other than 1)",
                       name, "xyz "[x]);
    }
    for (int y = 0; y < x && x < 3; y++) {
      if (map[y] == map[x])
        return bad_input(err, "`%s`: two grid axes divide axis %d", name, map[x]);
    }
  }
  return true;
}

as_node_id as_graph_load(as_graph *g, uint32_t block, const char *name, as_node_id from,
                         const as_size *tile, const int map[4], as_err *err) {
  const as_block *b = &g->block[block];
  const char *shown = name ? name : "load";
  if (!reachable(g, AS_NONE, from, err))
    return AS_NONE;
  if (as_node_is_number(&g->node[from])) {
    bad_input(err, "`%s`: a constant needs no load", shown);
    return AS_NONE;
  }
  if (g->node[from].kind == AS_N_STORE && g->node[from].block == block) {
    bad_input(err, "`%s`: a kernel cannot load what it stores itself", shown);
    return AS_NONE;
  }
  uint32_t rank = g->node[from].rank;
  if (!map_ok(b, map, rank, shown, err))
    return AS_NONE;
  for (uint32_t d = 0; d < rank; d++) {
    as_size whole = tile[d];
    for (int x = 0; x < 4; x++) {
      if (map[x] == (int)d)
        whole = as_size_mul(g->sizes, whole, extent(b, x));
    }
    if (as_graph_same_size(g, whole, g->node[from].dim[d]))
      continue;
    char *what = as_format("`%s`, axis %u of `%s` and its tiles", shown, d, g->node[from].name);
    differ(g, err, what, g->node[from].dim[d], whole);
    free(what);
    return AS_NONE;
  }
  as_node_id id = push_node(g, AS_N_LOAD, block, name, err);
  if (id == AS_NONE)
    return id;
  as_node *n = &g->node[id];
  n->nargs = 1;
  n->arg[0] = from;
  n->rank = rank;
  n->dtype = g->node[from].dtype;
  if (rank)
    memcpy(n->dim, tile, rank * sizeof *tile);
  memcpy(n->map, map, sizeof n->map);
  n->varying = map[3] >= 0;
  to_block(g, block, id);
  return id;
}

static bool rescale_ok(const as_graph *g, as_node_id of, as_node_id run, uint32_t block,
                       as_err *err) {
  if (run >= g->n || g->node[run].kind != AS_N_RUN || g->node[run].block != block)
    return bad_input(err, "`rescale` names a running maximum of the same kernel");
  const as_node *m = &g->node[run];
  const as_node *t = &g->node[of];
  if (m->rank > t->rank) {
    return bad_input(err, "the running maximum `%s` has more axes than `%s`", m->name,
                     name_of(g, of));
  }
  for (uint32_t i = 0; i < m->rank; i++) {
    if (!as_graph_same_size(g, m->dim[i], t->dim[i]))
      return differ(g, err, "rescale", m->dim[i], t->dim[i]);
  }
  return true;
}

as_node_id as_graph_acc(as_graph *g, uint32_t block, const char *name, as_acc_kind k, as_node_id of,
                        as_node_id run, int axis, as_err *err) {
  if (!reachable(g, block, of, err))
    return AS_NONE;
  as_node t = g->node[of]; /* its numbers are borrowed, not owned */
  if (!g->block[block].has_loop) {
    bad_input(err, "an accumulator needs a loop");
    return AS_NONE;
  }
  if (as_node_is_number(&t)) {
    bad_input(err, "an accumulator of a constant");
    return AS_NONE;
  }
  if (t.after) {
    bad_input(err, "an accumulator's argument must not depend on a final value, as `%s` does",
              t.name);
    return AS_NONE;
  }
  if (k == AS_ACC_RESCALE && !rescale_ok(g, of, run, block, err))
    return AS_NONE;
  if (k == AS_ACC_CONCAT && (axis < 0 || (uint32_t)axis >= t.rank)) {
    bad_input(err, "`%s` has no axis %d", t.name, axis);
    return AS_NONE;
  }
  as_size whole = k == AS_ACC_CONCAT ? as_size_mul(g->sizes, g->block[block].loop, t.dim[axis]) : 0;
  if (whole == AS_SIZE_BAD) {
    bad_input(err, "a size beyond 63 bits");
    return AS_NONE;
  }
  as_node_id id = push_node(g, AS_N_ACC, block, name, err);
  if (id == AS_NONE)
    return id;
  as_node *n = &g->node[id];
  n->acc = k;
  n->axis = axis;
  n->nargs = k == AS_ACC_RESCALE ? 2 : 1;
  n->arg[0] = of;
  n->arg[1] = k == AS_ACC_RESCALE ? run : 0;
  n->rank = t.rank;
  n->dtype = t.dtype;
  memcpy(n->dim, t.dim, sizeof n->dim);
  if (k == AS_ACC_CONCAT)
    n->dim[axis] = whole;
  n->after = true;
  to_block(g, block, id);
  return id;
}

as_node_id as_graph_run(as_graph *g, uint32_t block, const char *name, as_node_id acc_max,
                        as_err *err) {
  if (!reachable(g, block, acc_max, err))
    return AS_NONE;
  const as_node *a = &g->node[acc_max];
  if (a->kind != AS_N_ACC || a->acc != AS_ACC_MAX) {
    bad_input(err, "only a `max` accumulator has a running value");
    return AS_NONE;
  }
  if (g->node[a->arg[0]].reads_run) {
    bad_input(err, "the argument of `%s` reads a running value itself", a->name);
    return AS_NONE;
  }
  for (uint32_t i = 0; i < g->block[block].n; i++) {
    const as_node *o = &g->node[g->block[block].nodes[i]];
    if (o->kind == AS_N_RUN && o->arg[0] == acc_max) {
      bad_input(err, "`%s` already has a running value, `%s`", a->name, o->name);
      return AS_NONE;
    }
  }
  as_node_id id = push_node(g, AS_N_RUN, block, name, err);
  if (id == AS_NONE)
    return id;
  as_node *n = &g->node[id];
  a = &g->node[acc_max];
  n->nargs = 1;
  n->arg[0] = acc_max;
  n->rank = a->rank;
  n->dtype = a->dtype;
  memcpy(n->dim, a->dim, sizeof n->dim);
  n->varying = n->reads_run = true;
  to_block(g, block, id);
  return id;
}

as_node_id as_graph_store(as_graph *g, uint32_t block, const char *name, as_node_id of,
                          const int map[4], as_err *err) {
  const as_block *b = &g->block[block];
  const char *shown = name ? name : "store";
  if (!reachable(g, block, of, err))
    return AS_NONE;
  as_node t = g->node[of]; /* its numbers are borrowed, not owned */
  if (as_node_is_number(&t)) {
    bad_input(err, "`%s`: a constant cannot be stored", shown);
    return AS_NONE;
  }
  if (t.varying) {
    bad_input(err, "`%s`: `%s` changes with the loop and cannot be stored; accumulate it", shown,
              t.name);
    return AS_NONE;
  }
  if (map[3] >= 0) {
    bad_input(err, "`%s`: a store is not mapped to the loop", shown);
    return AS_NONE;
  }
  if (!map_ok(b, map, t.rank, shown, err))
    return AS_NONE;
  for (int x = 0; x < 3; x++) {
    if (b->grid[x] == AS_SIZE_ONE)
      continue;
    if (map[x] < 0) {
      bad_input(err, "`%s` would be written more than once: grid axis %c is not mapped", shown,
                "xyz"[x]);
      return AS_NONE;
    }
    t.dim[map[x]] = as_size_mul(g->sizes, b->grid[x], t.dim[map[x]]);
    if (t.dim[map[x]] == AS_SIZE_BAD) {
      bad_input(err, "`%s`: a size beyond 63 bits", shown);
      return AS_NONE;
    }
  }
  as_node_id id = push_node(g, AS_N_STORE, block, name, err);
  if (id == AS_NONE)
    return id;
  as_node *n = &g->node[id];
  n->nargs = 1;
  n->arg[0] = of;
  n->rank = t.rank;
  n->dtype = t.dtype;
  memcpy(n->dim, t.dim, sizeof n->dim);
  memcpy(n->map, map, sizeof n->map);
  bool first = true;
  for (uint32_t i = 0; i < b->n; i++)
    first = first && g->node[b->nodes[i]].kind != AS_N_STORE;
  to_block(g, block, id);
  if (first)
    to_order(g, id);
  return id;
}
