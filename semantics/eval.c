/* Evaluates programs and muGraphs: kernel level in order, each block graph for every block and
 * iteration of its loop. */
#include "eval.h"
#include <stdlib.h>
#include <string.h>

void as_tensor_init(as_tensor *t, const as_domain *d, const int64_t *dim, uint32_t rank) {
  *t = (as_tensor){.rank = rank, .n = 1, .d = d};
  for (uint32_t i = 0; i < rank; i++) {
    t->dim[i] = dim[i];
    t->n *= (size_t)dim[i];
  }
  t->data = as_dom_new(d, t->n);
}

bool as_tensor_fits(const as_domain *d, const int64_t *dim, uint32_t rank, size_t *used) {
  size_t n = 1;
  size_t room = *used < AS_EVAL_MAX_BYTES ? (AS_EVAL_MAX_BYTES - *used) / d->size : 0;
  for (uint32_t i = 0; i < rank; i++) {
    if (!dim[i])
      return true;
  }
  for (uint32_t i = 0; i < rank; i++) {
    if (n > room / (size_t)dim[i])
      return false;
    n *= (size_t)dim[i];
  }
  if (n > room)
    return false;
  *used += n * d->size;
  return true;
}

void as_tensor_clear(as_tensor *t) {
  if (t->d)
    as_dom_free(t->d, t->data, t->n);
  memset(t, 0, sizeof *t);
}

int64_t *as_env_new(const as_sizes *S) {
  uint32_t n = as_size_count(S);
  int64_t *env = as_malloc((n + 1) * sizeof *env);
  for (uint32_t i = 0; i < n; i++)
    env[i] = INT64_MIN;
  for (uint32_t i = 0; as_size_nth_sym(S, i) != AS_SIZE_BAD; i++) {
    as_size s = as_size_nth_sym(S, i);
    long v = as_size_value(S, s);
    if (v >= 0)
      env[s] = v;
  }
  return env;
}

bool as_fact_holds(const as_sizes *S, const as_size_fact *f, const int64_t *env) {
  int64_t a = as_size_eval(S, f->lhs, env);
  int64_t b = as_size_eval(S, f->rhs, env);
  if (a == INT64_MIN || b == INT64_MIN)
    return false;
  return f->rel == AS_REL_EQ   ? a == b
         : f->rel == AS_REL_NE ? a != b
         : f->rel == AS_REL_LE ? a <= b
                               : a < b;
}

typedef struct {
  const as_graph *g;
  const as_domain *d;
  const int64_t *env;
  as_err *err;
  uint64_t left;
  uint64_t *ticks;
  as_eval_marks marks;
  size_t used;         /* bytes of the tensors made so far; a block's are given back at its end */
  as_tensor *val;      /* kernel-level values, by node */
  unsigned char *done; /* blocks that ran */
  as_status status;
} ev;

static bool no(ev *E, as_status s, const char *what, const as_node *n) {
  if (E->status == AS_OK)
    E->status = s;
  return as_err_set(E->err, s, "%s%s%s", what, n && n->name ? " " : "",
                    n && n->name ? n->name : "");
}

static bool extents(ev *E, const as_node *n, const as_size *dim, uint32_t rank, int64_t *out) {
  for (uint32_t i = 0; i < rank; i++) {
    out[i] = as_size_eval(E->g->sizes, dim[i], E->env);
    if (out[i] < 0)
      return no(E, AS_NO, "an extent has no value at these sizes:", n);
  }
  return true;
}

static bool new_tensor(ev *E, const as_node *n, as_tensor *t) {
  int64_t dim[AS_MAX_RANK];
  if (!extents(E, n, n->dim, n->rank, dim))
    return false;
  if (!as_tensor_fits(E->d, dim, n->rank, &E->used))
    return no(E, AS_UNKNOWN, "too large to evaluate:", n);
  as_tensor_init(t, E->d, dim, n->rank);
  return true;
}

static as_opcode *compile_node(ev *E, const as_node *n) {
  as_size adim[AS_MAX_ARGS][AS_MAX_RANK];
  uint32_t arank[AS_MAX_ARGS];
  for (uint32_t i = 0; i < n->nargs; i++) {
    const as_node *a = &E->g->node[n->arg[i]];
    arank[i] = a->rank;
    memcpy(adim[i], a->dim, sizeof adim[i]);
  }
  as_err e;
  as_err_init(&e);
  as_opcode *c = as_opcode_new(E->g->sizes, n->op, (const as_size(*)[AS_MAX_RANK])adim, arank,
                               n->nargs, n->attr, E->d, E->env, &e);
  int64_t dim[AS_MAX_RANK];
  int64_t want[AS_MAX_RANK];
  uint32_t rank = 0;
  if (c)
    as_opcode_dims(c, dim, &rank);
  if (!c) {
    as_err_set(E->err, e.status, "%s%s%s", n->name ? n->name : "", n->name ? ": " : "",
               e.text ? e.text : "ill-formed call");
    if (E->status == AS_OK)
      E->status = e.status == AS_OK ? AS_INTERNAL : e.status;
  } else if (!extents(E, n, n->dim, n->rank, want) || rank != n->rank ||
             memcmp(dim, want, rank * sizeof *dim)) {
    no(E, AS_NO, "the operator's result has another shape than its node", n);
    as_opcode_free(c);
    c = NULL;
  }
  as_err_clear(&e);
  return c;
}

static void mark(ev *E, const as_node *n, const as_tensor *t) {
  for (size_t i = 0; i < t->n; i++) {
    unsigned f = E->d->flags(E->d, as_tensor_at(t, i));
    if (f & ~E->marks.flags & AS_F_UNDEF) {
      E->marks.node = (as_node_id)(n - E->g->node);
      E->marks.at = i;
    }
    E->marks.flags |= f;
  }
}

static bool run_op(ev *E, const as_node *n, as_opcode *c, const as_tensor *val, as_tensor *out) {
  const as_tensor *arg[AS_MAX_ARGS];
  for (uint32_t i = 0; i < n->nargs; i++) {
    arg[i] = &val[n->arg[i]];
    if (!arg[i]->d)
      return no(E, AS_BAD_INPUT, "used before it has a value:", &E->g->node[n->arg[i]]);
  }
  as_status s = as_opcode_run(c, arg, out, E->ticks, E->err);
  if (s != AS_OK && E->status == AS_OK)
    E->status = s;
  if (s == AS_OK)
    mark(E, n, out);
  return s == AS_OK;
}

/* --- block graphs */
typedef struct {
  const as_block *b;
  uint32_t id;
  as_node_id *node;
  uint32_t n;       /* in order of definition */
  as_opcode **code; /* by position */
  bool *varying;
  bool *after;    /* by position; worked out here, not taken from the graph */
  as_tensor *val; /* tile values, by node id of the graph */
  as_tensor *old; /* running maxima before this iteration, by node id */
  int64_t grid[3];
  int64_t loop;
  int64_t at[3];
  int64_t l;
} blk;

static int by_id(const void *a, const void *b) {
  as_node_id x = *(const as_node_id *)a;
  as_node_id y = *(const as_node_id *)b;
  return (x > y) - (x < y);
}

/* index arithmetic of loads and stores: row-major walk over a shape */
static bool step(int64_t *ix, const int64_t *dim, uint32_t rank) {
  for (uint32_t i = rank; i-- > 0;) {
    if (++ix[i] < dim[i])
      return true;
    ix[i] = 0;
  }
  return false;
}

static size_t flat(const int64_t *ix, const int64_t *dim, uint32_t rank) {
  size_t at = 0;
  for (uint32_t i = 0; i < rank; i++)
    at = at * (size_t)dim[i] + (size_t)ix[i];
  return at;
}

static bool map_ok(const as_node *n) {
  for (int a = 0; a < 4; a++) {
    if (n->map[a] < -1 || n->map[a] >= (int)n->rank)
      return false;
  }
  return true;
}

static bool run_load(ev *E, blk *B, const as_node *n, as_tensor *out) {
  const as_tensor *from = &E->val[n->arg[0]];
  if (!from->d || from->rank != n->rank || !map_ok(n))
    return no(E, AS_BAD_INPUT, "ill-formed load", n);
  int64_t base[AS_MAX_RANK];
  int64_t ix[AS_MAX_RANK] = {0};
  for (uint32_t i = 0; i < n->rank; i++) {
    int64_t whole = out->dim[i];
    int64_t b = 0;
    int axes = 0;
    for (int a = 0; a < 3; a++) {
      if (n->map[a] == (int)i) {
        whole *= B->grid[a];
        b = B->at[a];
        axes++;
      }
    }
    if (axes > 1)
      return no(E, AS_BAD_INPUT, "two grid axes divide one axis of", n);
    bool looped = n->map[3] == (int)i;
    if (looped) {
      whole *= B->loop;
      b = b * B->loop + B->l;
    }
    if (whole != from->dim[i])
      return no(E, AS_NO, "the tiles do not make up the tensor: load", n);
    base[i] = b * out->dim[i];
  }
  if (!out->n)
    return true;
  for (size_t at = 0;; at++) {
    int64_t src[AS_MAX_RANK];
    for (uint32_t i = 0; i < n->rank; i++) {
      src[i] = base[i] + ix[i];
      if (src[i] < 0 || src[i] >= from->dim[i])
        return no(E, AS_NO, "reads outside its tensor: load", n);
    }
    E->d->set(E->d, as_tensor_at(out, at), as_tensor_at(from, flat(src, from->dim, n->rank)));
    if (!step(ix, out->dim, n->rank))
      return true;
  }
}

/* r = ite(a <= b, b, a) */
static void take_max(const as_domain *d, void *r, const void *a, const void *b) {
  unsigned f = d->flags(d, a) | d->flags(d, b);
  if (f & AS_F_NOVALUE) {
    d->set(d, r, a);
    d->flag(d, r, f);
    return;
  }
  unsigned m = d->cmp(d, a, b);
  if (!(m & AS_C_GT))
    d->set(d, r, b);
  else if (m == AS_C_GT)
    d->set(d, r, a);
  else
    d->join(d, r, a, b);
  if (f)
    d->flag(d, r, f);
}

static bool acc_max(ev *E, blk *B, as_node_id id, as_tensor *acc, const as_tensor *t) {
  const as_domain *d = E->d;
  if (t->n != acc->n)
    return no(E, AS_BAD_INPUT, "accumulator of another shape:", &E->g->node[id]);
  if (!B->old[id].d) {
    if (!as_tensor_fits(d, acc->dim, acc->rank, &E->used))
      return no(E, AS_UNKNOWN, "too large to evaluate:", &E->g->node[id]);
    as_tensor_init(&B->old[id], d, acc->dim, acc->rank);
  }
  for (size_t i = 0; i < acc->n; i++) {
    void *a = as_tensor_at(acc, i);
    if (B->l == 0)
      d->set(d, a, as_tensor_at(t, i));
    d->set(d, as_tensor_at(&B->old[id], i), a);
    take_max(d, a, a, as_tensor_at(t, i));
  }
  return true;
}

static bool acc_rescale(ev *E, blk *B, const as_node *n, as_tensor *acc, const as_tensor *t) {
  const as_domain *d = E->d;
  as_node_id m = n->nargs > 1 ? n->arg[1] : AS_NONE;
  if (m != AS_NONE && E->g->node[m].kind == AS_N_RUN)
    m = E->g->node[m].arg[0];
  if (m == AS_NONE || !B->old[m].d || t->n != acc->n)
    return no(E, AS_BAD_INPUT, "ill-formed rescaled accumulator", n);
  const as_tensor *now = &B->val[m];
  const as_tensor *old = &B->old[m];
  if (now->rank > acc->rank || memcmp(now->dim, acc->dim, now->rank * sizeof *now->dim))
    return no(E, AS_NO, "the maximum does not fit the accumulator", n);
  size_t per = now->n ? acc->n / now->n : 0;
  void *f = as_dom_new(d, 1);
  for (size_t i = 0; i < now->n; i++) {
    d->sub(d, f, as_tensor_at(old, i), as_tensor_at(now, i));
    d->un(d, AS_U_EXP, f, f);
    for (size_t j = i * per; j < (i + 1) * per; j++) {
      void *a = as_tensor_at(acc, j);
      d->mul(d, a, a, f);
      d->add(d, a, a, as_tensor_at(t, j));
    }
  }
  as_dom_free(d, f, 1);
  return true;
}

static bool acc_concat(ev *E, blk *B, const as_node *n, as_tensor *acc, const as_tensor *t) {
  if (!t->n)
    return true;
  if (n->axis < 0 || n->axis >= (int)n->rank || t->rank != n->rank)
    return no(E, AS_BAD_INPUT, "ill-formed accumulator", n);
  int64_t ix[AS_MAX_RANK] = {0};
  for (size_t at = 0;; at++) {
    int64_t to[AS_MAX_RANK];
    memcpy(to, ix, sizeof to);
    to[n->axis] += B->l * t->dim[n->axis];
    for (uint32_t i = 0; i < n->rank; i++) {
      if (to[i] >= acc->dim[i])
        return no(E, AS_NO, "writes outside its tensor: accumulator", n);
    }
    E->d->set(E->d, as_tensor_at(acc, flat(to, acc->dim, n->rank)), as_tensor_at(t, at));
    if (!step(ix, t->dim, n->rank))
      return true;
  }
}

static bool run_acc(ev *E, blk *B, as_node_id id) {
  const as_node *n = &E->g->node[id];
  const as_tensor *t = &B->val[n->arg[0]];
  as_tensor *acc = &B->val[id];
  if (!t->d)
    return no(E, AS_BAD_INPUT, "used before it has a value:", &E->g->node[n->arg[0]]);
  if (E->ticks)
    *E->ticks -= *E->ticks < t->n ? *E->ticks : t->n;
  switch (n->acc) {
  case AS_ACC_SUM:
    if (t->n != acc->n)
      return no(E, AS_BAD_INPUT, "accumulator of another shape:", n);
    for (size_t i = 0; i < acc->n; i++)
      E->d->add(E->d, as_tensor_at(acc, i), as_tensor_at(acc, i), as_tensor_at(t, i));
    return true;
  case AS_ACC_MAX:
    return acc_max(E, B, id, acc, t);
  case AS_ACC_RESCALE:
    return acc_rescale(E, B, n, acc, t);
  case AS_ACC_CONCAT:
    return acc_concat(E, B, n, acc, t);
  }
  return no(E, AS_BAD_INPUT, "unknown accumulator", n);
}

/* a NUMBER, or a size as the number that it is */
static bool run_number(ev *E, const as_node *n, as_tensor *t) {
  if (n->kind == AS_N_CONST) {
    E->d->from_q(E->d, as_tensor_at(t, 0), n->value);
    return true;
  }
  int64_t v = as_size_eval(E->g->sizes, n->size, E->env);
  if (v == INT64_MIN)
    return no(E, AS_BAD_INPUT, "a size that has no value here:", n);
  mpq_t q;
  mpq_init(q);
  mpq_set_si(q, v, 1);
  E->d->from_q(E->d, as_tensor_at(t, 0), q);
  mpq_clear(q);
  return true;
}

static bool run_node(ev *E, blk *B, uint32_t i) {
  as_node_id id = B->node[i];
  const as_node *n = &E->g->node[id];
  switch (n->kind) {
  case AS_N_LOAD:
    return run_load(E, B, n, &B->val[id]);
  case AS_N_OP:
    return run_op(E, n, B->code[i], B->val, &B->val[id]);
  case AS_N_ACC:
    if (!run_acc(E, B, id))
      return false;
    mark(E, n, &B->val[id]);
    return true;
  case AS_N_CONST:
  case AS_N_SIZE:
    return run_number(E, n, &B->val[id]);
  case AS_N_RUN:
    for (size_t k = 0; k < B->val[id].n; k++)
      E->d->set(E->d, as_tensor_at(&B->val[id], k), as_tensor_at(&B->val[n->arg[0]], k));
    return true;
  default:
    return no(E, AS_BAD_INPUT, "cannot stand in a block graph:", n);
  }
}

/* what varies with the loop and what comes after it (SEMANTICS.md section 3); refuses what reads
 * across the end of the loop wrongly */
static bool classify(ev *E, blk *B) {
  const as_graph *g = E->g;
  bool *after = as_calloc(g->n, 1);
  bool *vary = as_calloc(g->n, 1);
  bool *loopy = as_calloc(g->n, 1);
  bool ok = true;
  for (uint32_t i = 0; i < B->n && ok; i++) {
    as_node_id id = B->node[i];
    const as_node *n = &g->node[id];
    if (n->kind == AS_N_LOAD)
      vary[id] = n->map[3] >= 0;
    for (uint32_t k = 0; k < n->nargs && n->kind != AS_N_LOAD; k++) {
      as_node_id a = n->arg[k];
      bool final = (g->node[a].kind == AS_N_ACC && n->kind != AS_N_RUN &&
                    !(n->kind == AS_N_ACC && k == 1)) ||
                   after[a];
      after[id] |= final;
      vary[id] |= vary[a];
      loopy[id] |= loopy[a];
    }
    if (n->kind == AS_N_RUN)
      vary[id] = loopy[id] = true;
    if (n->kind == AS_N_ACC) {
      if (after[id])
        ok = no(E, AS_BAD_INPUT, "an accumulator reads the end of another:", n);
      if (n->acc == AS_ACC_MAX && loopy[n->arg[0]])
        ok = no(E, AS_BAD_INPUT, "a running maximum reads another:", n);
      vary[id] = loopy[id] = false;
    }
    if (after[id] && vary[id])
      ok = no(E, AS_BAD_INPUT, "reads a tensor of the loop after the loop:", n);
    B->varying[i] = vary[id];
    B->after[i] = after[id];
  }
  for (uint32_t i = 0; i < g->n && ok; i++) {
    if (g->node[i].kind == AS_N_STORE && g->node[i].block == B->id && vary[g->node[i].arg[0]])
      ok = no(E, AS_BAD_INPUT, "stores a tensor of the loop:", &g->node[i]);
  }
  free(after);
  free(vary);
  free(loopy);
  return ok;
}

static bool reset_acc(ev *E, blk *B) {
  for (uint32_t i = 0; i < B->n; i++) {
    const as_node *n = &E->g->node[B->node[i]];
    as_tensor *t = &B->val[B->node[i]];
    if (n->kind != AS_N_ACC)
      continue;
    for (size_t k = 0; k < t->n; k++) {
      as_dom_from_int(E->d, as_tensor_at(t, k), 0);
      if (n->acc == AS_ACC_MAX && B->loop <= 0)
        E->d->flag(E->d, as_tensor_at(t, k), AS_F_UNDEF);
    }
  }
  return true;
}

static bool run_store(ev *E, blk *B, as_node_id id, unsigned char *written) {
  const as_node *n = &E->g->node[id];
  const as_tensor *t = &B->val[n->arg[0]];
  as_tensor *out = &E->val[id];
  if (!t->d || t->rank != n->rank || !map_ok(n))
    return no(E, AS_BAD_INPUT, "ill-formed store", n);
  if (!t->n)
    return true;
  int64_t ix[AS_MAX_RANK] = {0};
  for (size_t at = 0;; at++) {
    int64_t to[AS_MAX_RANK];
    for (uint32_t i = 0; i < n->rank; i++) {
      to[i] = ix[i];
      for (int a = 0; a < 3; a++) {
        if (n->map[a] == (int)i)
          to[i] += B->at[a] * t->dim[i];
      }
      if (to[i] >= out->dim[i])
        return no(E, AS_NO, "writes outside its tensor: store", n);
    }
    size_t w = flat(to, out->dim, n->rank);
    if (written[w]++)
      return no(E, AS_NO, "an element is written twice: store", n);
    E->d->set(E->d, as_tensor_at(out, w), as_tensor_at(t, at));
    if (!step(ix, t->dim, n->rank))
      return true;
  }
}

static bool run_one(ev *E, blk *B) {
  if (!reset_acc(E, B))
    return false;
  B->l = 0;
  for (uint32_t i = 0; i < B->n; i++) /* what the loop does not change: before it */
  {
    if (!B->varying[i] && !B->after[i] && E->g->node[B->node[i]].kind != AS_N_ACC &&
        !run_node(E, B, i))
      return false;
  }
  for (B->l = 0; B->l < B->loop; B->l++) {
    for (uint32_t i = 0; i < B->n; i++) {
      if ((B->varying[i] || E->g->node[B->node[i]].kind == AS_N_ACC) && !run_node(E, B, i))
        return false;
    }
  }
  for (uint32_t i = 0; i < B->n; i++) {
    if (B->after[i] && !run_node(E, B, i))
      return false;
  }
  return true;
}

static bool run_grid(ev *E, blk *B) {
  const as_graph *g = E->g;
  unsigned char **written = as_calloc(g->n, sizeof *written);
  bool ok = true;
  for (as_node_id s = 0; s < g->n && ok; s++) {
    if (g->node[s].kind == AS_N_STORE && g->node[s].block == B->id) {
      ok = new_tensor(E, &g->node[s], &E->val[s]);
      if (ok)
        written[s] = as_calloc(E->val[s].n + 1, 1);
    }
  }
  for (B->at[0] = 0; B->at[0] < B->grid[0] && ok; B->at[0]++) {
    for (B->at[1] = 0; B->at[1] < B->grid[1] && ok; B->at[1]++) {
      for (B->at[2] = 0; B->at[2] < B->grid[2] && ok; B->at[2]++) {
        ok = run_one(E, B);
        for (as_node_id s = 0; s < g->n && ok; s++) {
          if (written[s])
            ok = run_store(E, B, s, written[s]);
        }
      }
    }
  }
  for (as_node_id s = 0; s < g->n; s++) {
    for (size_t i = 0; ok && written[s] && i < E->val[s].n; i++) {
      if (!written[s][i])
        ok = no(E, AS_NO, "an element is never written: store", &g->node[s]);
    }
    free(written[s]);
  }
  free(written);
  return ok;
}

static bool run_block(ev *E, uint32_t id) {
  const as_graph *g = E->g;
  if (id >= g->n_block)
    return no(E, AS_BAD_INPUT, "a store outside any kernel", NULL);
  if (E->done[id])
    return true;
  E->done[id] = 1;
  size_t used = E->used;
  const as_block *b = &g->block[id];
  blk B = {.b = b, .id = id, .n = 0};
  B.node = as_calloc(b->n + 1, sizeof *B.node);
  for (uint32_t i = 0; i < b->n; i++) {
    if (g->node[b->nodes[i]].kind != AS_N_STORE)
      B.node[B.n++] = b->nodes[i];
  }
  qsort(B.node, B.n, sizeof *B.node, by_id);
  B.code = as_calloc(B.n + 1, sizeof *B.code);
  B.varying = as_calloc(B.n + 1, 1);
  B.after = as_calloc(B.n + 1, 1);
  B.val = as_calloc(g->n + 1, sizeof *B.val);
  B.old = as_calloc(g->n + 1, sizeof *B.old);
  bool ok = true;
  for (int a = 0; a < 3; a++)
    B.grid[a] = as_size_eval(g->sizes, b->grid[a], E->env);
  B.loop = b->has_loop ? as_size_eval(g->sizes, b->loop, E->env) : 1;
  if (B.grid[0] < 0 || B.grid[1] < 0 || B.grid[2] < 0 || B.loop < 0)
    ok = no(E, AS_NO, "the grid or the loop has no value at these sizes", NULL);
  for (uint32_t i = 0; i < B.n && ok; i++) {
    const as_node *n = &g->node[B.node[i]];
    ok = new_tensor(E, n, &B.val[B.node[i]]) &&
         (n->kind != AS_N_OP || (B.code[i] = compile_node(E, n)));
  }
  for (uint32_t i = 0; i < B.n && ok;
       i++) { /* constants may stand outside the block that uses them */
    const as_node *n = &g->node[B.node[i]];
    for (uint32_t k = 0; k < n->nargs && n->kind == AS_N_OP && ok; k++) {
      if (as_node_is_number(&g->node[n->arg[k]]) && !B.val[n->arg[k]].d &&
          (ok = new_tensor(E, &g->node[n->arg[k]], &B.val[n->arg[k]])))
        ok = run_number(E, &g->node[n->arg[k]], &B.val[n->arg[k]]);
    }
  }
  ok = ok && classify(E, &B) && run_grid(E, &B);
  for (uint32_t i = 0; i < B.n; i++)
    as_opcode_free(B.code[i]);
  for (uint32_t i = 0; i < g->n; i++) {
    as_tensor_clear(&B.val[i]);
    as_tensor_clear(&B.old[i]);
  }
  for (as_node_id s = 0; s < g->n; s++) /* what it stored stays */
  {
    if (g->node[s].kind == AS_N_STORE && g->node[s].block == id)
      used += E->val[s].n * E->d->size;
  }
  E->used = used;
  free(B.node);
  free(B.code);
  free(B.varying);
  free(B.after);
  free(B.val);
  free(B.old);
  return ok;
}

/* --- kernel level */
static bool copy_tensor(ev *E, const as_node *n, as_tensor *to, const as_tensor *from) {
  int64_t dim[AS_MAX_RANK];
  if (!extents(E, n, n->dim, n->rank, dim))
    return false;
  if (from->rank != n->rank || memcmp(dim, from->dim, n->rank * sizeof *dim))
    return no(E, AS_BAD_INPUT, "an input of the wrong shape:", n);
  if (!as_tensor_fits(E->d, dim, n->rank, &E->used))
    return no(E, AS_UNKNOWN, "too large to evaluate:", n);
  as_tensor_init(to, E->d, dim, n->rank);
  for (size_t i = 0; i < to->n; i++)
    E->d->set(E->d, as_tensor_at(to, i), as_tensor_at(from, i));
  return true;
}

static bool run_kernel_node(ev *E, as_node_id id) {
  const as_node *n = &E->g->node[id];
  if (E->val[id].d)
    return true;
  switch (n->kind) {
  case AS_N_INPUT:
    return no(E, AS_BAD_INPUT, "an input without a value:", n);
  case AS_N_CONST:
  case AS_N_SIZE:
    return new_tensor(E, n, &E->val[id]) && run_number(E, n, &E->val[id]);
  case AS_N_OP: {
    as_opcode *c = compile_node(E, n);
    bool ok = c && new_tensor(E, n, &E->val[id]) && run_op(E, n, c, E->val, &E->val[id]);
    as_opcode_free(c);
    return ok;
  }
  case AS_N_STORE:
    return run_block(E, n->block);
  default:
    return no(E, AS_BAD_INPUT, "cannot stand at kernel level:", n);
  }
}

as_status as_eval_graph_ops(const as_graph *g, const as_domain *d, const int64_t *env,
                            const as_tensor *inputs, as_tensor *outputs, uint64_t max_ops,
                            as_eval_marks *marks, as_err *err) {
  ev E = {.g = g, .d = d, .env = env, .err = err, .left = max_ops, .marks = {.node = AS_NONE}};
  E.ticks = max_ops ? &E.left : NULL;
  E.val = as_calloc(g->n + 1, sizeof *E.val);
  E.done = as_calloc(g->n_block + 1, 1);
  bool ok = true;
  for (uint32_t i = 0; i < g->n_input && ok; i++)
    ok = copy_tensor(&E, &g->node[g->input[i]], &E.val[g->input[i]], &inputs[i]);
  /* in order of definition: operands come before users, and a kernel runs where its first store
   * stands */
  for (as_node_id i = 0; i < g->n && ok; i++) {
    const as_node *n = &g->node[i];
    if (n->kind == AS_N_STORE || n->block == AS_NONE)
      ok = run_kernel_node(&E, i);
  }
  for (uint32_t i = 0; i < g->n_output && ok; i++) {
    if (!E.val[g->output[i]].d)
      ok = no(&E, AS_BAD_INPUT, "an output without a value:", &g->node[g->output[i]]);
  }
  for (uint32_t i = 0; i < g->n_output && ok; i++) {
    const as_tensor *v = &E.val[g->output[i]];
    as_tensor_init(&outputs[i], d, v->dim, v->rank);
    for (size_t k = 0; k < v->n; k++)
      d->set(d, as_tensor_at(&outputs[i], k), as_tensor_at(v, k));
  }
  for (uint32_t i = 0; i < g->n; i++)
    as_tensor_clear(&E.val[i]);
  free(E.val);
  free(E.done);
  if (marks)
    *marks = E.marks;
  return ok ? AS_OK : E.status != AS_OK ? E.status : AS_INTERNAL;
}

as_status as_eval_graph(const as_graph *g, const as_domain *d, const int64_t *env,
                        const as_tensor *inputs, as_tensor *outputs, as_err *err) {
  return as_eval_graph_ops(g, d, env, inputs, outputs, 0, NULL, err);
}

bool as_graph_obligations(const as_graph *g, as_vec *facts, as_err *err) {
  for (as_node_id i = 0; i < g->n; i++) {
    const as_node *n = &g->node[i];
    if (n->kind != AS_N_OP)
      continue;
    as_size adim[AS_MAX_ARGS][AS_MAX_RANK];
    as_size out[AS_MAX_RANK];
    uint32_t arank[AS_MAX_ARGS];
    uint32_t rank;
    for (uint32_t k = 0; k < n->nargs; k++) {
      arank[k] = g->node[n->arg[k]].rank;
      memcpy(adim[k], g->node[n->arg[k]].dim, sizeof adim[k]);
    }
    as_match m;
    memset(&m, 0, sizeof m);
    if (!as_opdef_match(g->sizes, n->op, (const as_size(*)[AS_MAX_RANK])adim, arank, n->nargs,
                        n->attr, &m, out, &rank, facts, err))
      return false;
  }
  return true;
}
