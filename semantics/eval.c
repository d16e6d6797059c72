/* Evaluates programs and muGraphs: kernel level in order, each block graph for every block and
 * iteration of its loop. */
#include "eval_codes.h"
#include "src/base/id.h"
#include "src/base/mem.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  const as_graph *graph;
  const as_domain *domain;
  int64_t *env;         /* a copy: in a block the indices of the block and the iteration change */
  as_eval_codes *codes; /* NULL: nothing is kept */
  as_err *err;
  uint64_t left;
  uint64_t *ticks;
  as_eval_marks marks;
  size_t used;         /* bytes of the tensors made so far; a block's are given back at its end */
  as_tensor *val;      /* kernel-level values, by node */
  unsigned char *done; /* blocks that ran */
  as_status status;
} run_state;

static bool refuse(run_state *run, as_status status, const char *what, const as_node *node) {
  if (run->status == AS_OK)
    run->status = status;
  return as_err_set(run->err, status, "%s%s%s", what, node && node->name ? " " : "",
                    node && node->name ? node->name : "");
}

static bool extents(run_state *run, const as_node *node, const as_size *dim, uint32_t rank,
                    int64_t *out) {
  for (uint32_t i = 0; i < rank; i++) {
    out[i] = as_size_eval(run->graph->sizes, dim[i], run->env);
    if (out[i] < 0)
      return refuse(run, AS_NO, "an extent has no value at these sizes:", node);
  }
  return true;
}

static bool new_tensor(run_state *run, const as_node *node, as_tensor *tensor) {
  int64_t dim[AS_MAX_RANK];
  if (!extents(run, node, node->dim, node->rank, dim))
    return false;
  if (!as_tensor_fits(run->domain, dim, node->rank, &run->used))
    return refuse(run, AS_UNKNOWN, "too large to evaluate:", node);
  as_tensor_init(tensor, run->domain, dim, node->rank);
  return true;
}

static as_opcode *compile_node(run_state *run, const as_node *user) {
  as_size adim[AS_MAX_ARGS][AS_MAX_RANK];
  uint32_t arank[AS_MAX_ARGS];
  for (uint32_t i = 0; i < user->nargs; i++) {
    const as_node *node = &run->graph->node[user->arg[i]];
    arank[i] = node->rank;
    memcpy(adim[i], node->dim, sizeof adim[i]);
  }
  as_err err;
  as_err_init(&err);
  as_opcode *opcode =
      as_opcode_new(run->graph->sizes, user->op, (const as_size(*)[AS_MAX_RANK])adim, arank,
                    user->nargs, user->attr, run->domain, run->env, &err);
  int64_t dim[AS_MAX_RANK];
  int64_t want[AS_MAX_RANK];
  uint32_t rank = 0;
  if (opcode)
    as_opcode_dims(opcode, dim, &rank);
  if (!opcode) {
    as_err_set(run->err, err.status, "%s%s%s", user->name ? user->name : "", user->name ? ": " : "",
               err.text ? err.text : "ill-formed call");
    if (run->status == AS_OK)
      run->status = err.status == AS_OK ? AS_INTERNAL : err.status;
  } else if (!extents(run, user, user->dim, user->rank, want) || rank != user->rank ||
             memcmp(dim, want, rank * sizeof *dim)) {
    refuse(run, AS_NO, "the operator's result has another shape than its node", user);
    as_opcode_free(opcode);
    opcode = NULL;
  }
  as_err_clear(&err);
  return opcode;
}

/* the node's operator, compiled before or now; kept by the codes where there are any */
static as_opcode *opcode_of(run_state *run, as_node_id id) {
  as_opcode *opcode = as_eval_codes_find(run->codes, run->graph, id, run->domain);
  if (opcode == NULL)
    opcode = compile_node(run, &run->graph->node[id]);
  if (opcode && run->codes)
    as_eval_codes_keep(run->codes, run->graph, id, run->domain, opcode);
  return opcode;
}

static void mark(run_state *run, const as_node *node, const as_tensor *tensor) {
  for (size_t i = 0; i < tensor->n; i++) {
    unsigned flags = run->domain->flags(run->domain, as_tensor_at(tensor, i));
    if (flags & ~run->marks.flags & AS_F_UNDEF) {
      run->marks.node = (as_node_id)(node - run->graph->node);
      run->marks.at = i;
    }
    run->marks.flags |= flags;
  }
}

static bool run_op(run_state *run, const as_node *node, as_opcode *opcode, const as_tensor *val,
                   as_tensor *out) {
  const as_tensor *arg[AS_MAX_ARGS];
  for (uint32_t i = 0; i < node->nargs; i++) {
    arg[i] = &val[node->arg[i]];
    if (!arg[i]->d)
      return refuse(run, AS_BAD_INPUT,
                    "used before it has a value:", &run->graph->node[node->arg[i]]);
  }
  as_status status = as_opcode_run(opcode, arg, out, run->ticks, run->err);
  if (status != AS_OK && run->status == AS_OK)
    run->status = status;
  if (status == AS_OK)
    mark(run, node, out);
  return status == AS_OK;
}

/* --- block graphs */
typedef struct {
  const as_block *right;
  uint32_t id;
  as_node_id *node;
  uint32_t n;       /* in order of definition */
  as_opcode **code; /* by position */
  int64_t **cut; /* by position: of a node whose extents, or those of what it reads, depend on the
                    block or iteration, what they were when it was made ready; else NULL */
  bool *varying;
  bool *after;    /* by position; worked out here, not taken from the graph */
  as_tensor *val; /* tile values, by node id of the graph */
  as_tensor *old; /* running maxima before this iteration, by node id */
  int64_t grid[3];
  int64_t loop;
  int64_t at[3];
  int64_t iteration;
} block_run;

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

static bool map_ok(const as_node *node) {
  for (int a = 0; a < 4; a++) {
    if (node->map[a] < -1 || node->map[a] >= (int)node->rank)
      return false;
  }
  return true;
}

/* the block's place along an axis of a tensor: of the grid axes that divide it the last one counts
 * fastest */
static int64_t block_number(const block_run *running, const as_node *node, uint32_t axis) {
  int64_t number = 0;
  for (int a = 0; a < 3; a++) {
    if (node->map[a] == (int)axis)
      number = number * running->grid[a] + running->at[a];
  }
  return number;
}

static bool run_load(run_state *run, block_run *running, const as_node *node, as_tensor *out) {
  const as_tensor *from = &run->val[node->arg[0]];
  if (!from->d || from->rank != node->rank || !map_ok(node))
    return refuse(run, AS_BAD_INPUT, "ill-formed load", node);
  int64_t base[AS_MAX_RANK];
  int64_t ix[AS_MAX_RANK] = {0};
  for (uint32_t i = 0; i < node->rank; i++) {
    bool cut = node->upto[i] != AS_SIZE_BAD;
    int64_t tile = cut ? as_size_eval(run->graph->sizes, node->tile[i], run->env) : out->dim[i];
    int64_t whole = tile;
    int64_t b = block_number(running, node, i);
    for (int a = 0; a < 3; a++)
      whole *= node->map[a] == (int)i ? running->grid[a] : 1;
    bool looped = node->map[3] == (int)i;
    if (looped) {
      whole *= running->loop;
      b = b * running->loop + running->iteration;
    }
    if (cut ? whole < from->dim[i] : whole != from->dim[i])
      return refuse(run, AS_NO, "the tiles do not make up the tensor: load", node);
    base[i] = b * tile;
  }
  if (!out->n)
    return true;
  for (size_t at = 0;; at++) {
    int64_t src[AS_MAX_RANK];
    for (uint32_t i = 0; i < node->rank; i++) {
      src[i] = base[i] + ix[i];
      if (src[i] < 0 || src[i] >= from->dim[i])
        return refuse(run, AS_NO, "reads outside its tensor: load", node);
    }
    run->domain->set(run->domain, as_tensor_at(out, at),
                     as_tensor_at(from, flat(src, from->dim, node->rank)));
    if (!step(ix, out->dim, node->rank))
      return true;
  }
}

/* r = ite(a <= b, b, a) */
static void take_max(const as_domain *domain, void *r, const void *left, const void *right) {
  unsigned flags = domain->flags(domain, left) | domain->flags(domain, right);
  if (flags & AS_F_NOVALUE) {
    domain->set(domain, r, left);
    domain->flag(domain, r, flags);
    return;
  }
  unsigned m = domain->cmp(domain, left, right);
  if (!(m & AS_C_GT))
    domain->set(domain, r, right);
  else if (m == AS_C_GT)
    domain->set(domain, r, left);
  else
    domain->join(domain, r, left, right);
  if (flags)
    domain->flag(domain, r, flags);
}

/* One iteration of each kind of accumulator: `tensor` is its tile, `acc` its value so far. */
static bool acc_SUM(run_state *run, block_run *running, as_node_id id, as_tensor *acc,
                    const as_tensor *tensor) {
  (void)running;
  if (tensor->n != acc->n)
    return refuse(run, AS_BAD_INPUT, "accumulator of another shape:", &run->graph->node[id]);
  for (size_t i = 0; i < acc->n; i++) {
    void *sum = as_tensor_at(acc, i);
    run->domain->add(run->domain, sum, sum, as_tensor_at(tensor, i));
  }
  return true;
}

static bool acc_MAX(run_state *run, block_run *running, as_node_id id, as_tensor *acc,
                    const as_tensor *tensor) {
  const as_domain *domain = run->domain;
  if (tensor->n != acc->n)
    return refuse(run, AS_BAD_INPUT, "accumulator of another shape:", &run->graph->node[id]);
  if (!running->old[id].d) {
    if (!as_tensor_fits(domain, acc->dim, acc->rank, &run->used))
      return refuse(run, AS_UNKNOWN, "too large to evaluate:", &run->graph->node[id]);
    as_tensor_init(&running->old[id], domain, acc->dim, acc->rank);
  }
  for (size_t i = 0; i < acc->n; i++) {
    void *a = as_tensor_at(acc, i);
    if (running->iteration == 0)
      domain->set(domain, a, as_tensor_at(tensor, i));
    domain->set(domain, as_tensor_at(&running->old[id], i), a);
    take_max(domain, a, a, as_tensor_at(tensor, i));
  }
  return true;
}

static bool acc_RESCALE(run_state *run, block_run *running, as_node_id id, as_tensor *acc,
                        const as_tensor *tensor) {
  const as_domain *domain = run->domain;
  const as_node *node = &run->graph->node[id];
  as_node_id m = node->nargs > 1 ? node->arg[1] : AS_NONE;
  if (m != AS_NONE && run->graph->node[m].kind == AS_N_RUN)
    m = run->graph->node[m].arg[0];
  if (m == AS_NONE || !running->old[m].d || tensor->n != acc->n)
    return refuse(run, AS_BAD_INPUT, "ill-formed rescaled accumulator", node);
  const as_tensor *now = &running->val[m];
  const as_tensor *old = &running->old[m];
  if (now->rank > acc->rank || memcmp(now->dim, acc->dim, now->rank * sizeof *now->dim))
    return refuse(run, AS_NO, "the maximum does not fit the accumulator", node);
  size_t per = now->n ? acc->n / now->n : 0;
  void *f = as_dom_new(domain, 1);
  for (size_t i = 0; i < now->n; i++) {
    domain->sub(domain, f, as_tensor_at(old, i), as_tensor_at(now, i));
    domain->un(domain, AS_U_EXP, f, f);
    for (size_t j = i * per; j < (i + 1) * per; j++) {
      void *a = as_tensor_at(acc, j);
      domain->mul(domain, a, a, f);
      domain->add(domain, a, a, as_tensor_at(tensor, j));
    }
  }
  as_dom_free(domain, f, 1);
  return true;
}

static bool acc_CONCAT(run_state *run, block_run *running, as_node_id id, as_tensor *acc,
                       const as_tensor *tensor) {
  const as_node *node = &run->graph->node[id];
  if (!tensor->n)
    return true;
  if (node->axis < 0 || node->axis >= (int)node->rank || tensor->rank != node->rank)
    return refuse(run, AS_BAD_INPUT, "ill-formed accumulator", node);
  int64_t ix[AS_MAX_RANK] = {0};
  for (size_t at = 0;; at++) {
    int64_t to[AS_MAX_RANK];
    memcpy(to, ix, sizeof to);
    to[node->axis] += running->iteration * tensor->dim[node->axis];
    for (uint32_t i = 0; i < node->rank; i++) {
      if (to[i] >= acc->dim[i])
        return refuse(run, AS_NO, "writes outside its tensor: accumulator", node);
    }
    run->domain->set(run->domain, as_tensor_at(acc, flat(to, acc->dim, node->rank)),
                     as_tensor_at(tensor, at));
    if (!step(ix, tensor->dim, node->rank))
      return true;
  }
}

static bool run_acc(run_state *run, block_run *running, as_node_id id) {
  const as_node *node = &run->graph->node[id];
  const as_tensor *tensor = &running->val[node->arg[0]];
  as_tensor *acc = &running->val[id];
  if (!tensor->d)
    return refuse(run, AS_BAD_INPUT,
                  "used before it has a value:", &run->graph->node[node->arg[0]]);
  if (run->ticks)
    *run->ticks -= *run->ticks < tensor->n ? *run->ticks : tensor->n;
  static bool (*const step_of[])(run_state *, block_run *, as_node_id, as_tensor *,
                                 const as_tensor *) = {
#define X(kind, word, tail, operand, runs, empty) [AS_ACC_##kind] = acc_##kind,
      AS_ACC_KINDS(X)
#undef X
  };

  return step_of[node->acc](run, running, id, acc, tensor);
}

/* a NUMBER, or a size as the number that it is */
static bool run_number(run_state *run, const as_node *node, as_tensor *tensor) {
  if (node->kind == AS_N_CONST) {
    run->domain->from_q(run->domain, as_tensor_at(tensor, 0), node->value);
    return true;
  }
  int64_t v = as_size_eval(run->graph->sizes, node->size, run->env);
  if (v == INT64_MIN)
    return refuse(run, AS_BAD_INPUT, "a size that has no value here:", node);
  mpq_t value;
  mpq_init(value);
  mpq_set_si(value, v, 1);
  run->domain->from_q(run->domain, as_tensor_at(tensor, 0), value);
  mpq_clear(value);
  return true;
}

/* --- tiles that are cut off */
enum { MOST_EXTENTS = (AS_MAX_ARGS + 1) * AS_MAX_RANK };

/* the extents of a node and of what it reads, 0 where there is none */
static void extents_around(const run_state *run, const as_node *node, int64_t *out) {
  memset(out, 0, MOST_EXTENTS * sizeof *out);
  for (uint32_t k = 0; k <= node->nargs; k++) {
    const as_node *one = k ? &run->graph->node[node->arg[k - 1]] : node;
    bool kernel_level = one->block == AS_NONE || one->kind == AS_N_STORE;
    for (uint32_t d = 0; d < one->rank && !(kernel_level && k); d++)
      out[k * AS_MAX_RANK + d] = as_size_eval(run->graph->sizes, one->dim[d], run->env);
  }
}

static bool has_cut_extents(const run_state *run, const as_node *node) {
  for (uint32_t k = 0; k <= node->nargs; k++) {
    const as_node *one = k ? &run->graph->node[node->arg[k - 1]] : node;
    for (uint32_t d = 0; d < one->rank; d++) {
      if (as_graph_is_cut(run->graph, one->dim[d]))
        return true;
    }
  }
  return false;
}

/* the indices of the block and the iteration, which extents may depend on, have their values */
static void place_indices(run_state *run, const block_run *running) {
  for (int axis = 0; axis < 4; axis++) {
    as_size index = as_graph_find_block_index(run->graph->sizes, axis);
    if (index != AS_SIZE_BAD)
      run->env[index] = axis < 3 ? running->at[axis] : running->iteration;
  }
}

/* A node that runs at another block or iteration than before may have other extents: then it gets
 * another tensor, and its operator is read anew. */
static bool make_ready(run_state *run, block_run *running, uint32_t i) {
  as_node_id id = running->node[i];
  const as_node *node = &run->graph->node[id];
  int64_t now[MOST_EXTENTS];
  if (!running->cut[i])
    return true;
  place_indices(run, running);
  extents_around(run, node, now);
  if (memcmp(now, running->cut[i], sizeof now) == 0)
    return true;
  memcpy(running->cut[i], now, sizeof now);
  run->used -= running->val[id].n * run->domain->size;
  as_tensor_clear(&running->val[id]);
  as_tensor_clear(&running->old[id]);
  as_opcode_free(running->code[i]);
  running->code[i] = NULL;
  return new_tensor(run, node, &running->val[id]) &&
         (node->kind != AS_N_OP || (running->code[i] = compile_node(run, node)));
}

static bool run_node(run_state *run, block_run *running, uint32_t i) {
  as_node_id id = running->node[i];
  const as_node *node = &run->graph->node[id];
  if (node->kind != AS_N_ACC && !make_ready(run, running, i))
    return false;
  switch (node->kind) {
  case AS_N_LOAD:
    return run_load(run, running, node, &running->val[id]);
  case AS_N_OP:
    return run_op(run, node, running->code[i], running->val, &running->val[id]);
  case AS_N_ACC:
    if (!run_acc(run, running, id))
      return false;
    mark(run, node, &running->val[id]);
    return true;
  case AS_N_CONST:
  case AS_N_SIZE:
    return run_number(run, node, &running->val[id]);
  case AS_N_RUN:
    for (size_t k = 0; k < running->val[id].n; k++)
      run->domain->set(run->domain, as_tensor_at(&running->val[id], k),
                       as_tensor_at(&running->val[node->arg[0]], k));
    return true;
  default:
    return refuse(run, AS_BAD_INPUT, "cannot stand in a block graph:", node);
  }
}

/* what varies with the loop and what comes after it (SEMANTICS.md section 3); refuses what reads
 * across the end of the loop wrongly */
static bool classify(run_state *run, block_run *running) {
  const as_graph *graph = run->graph;
  bool *after = as_calloc(graph->n, 1);
  bool *vary = as_calloc(graph->n, 1);
  bool *loopy = as_calloc(graph->n, 1);
  bool ok = true;
  for (uint32_t i = 0; i < running->n && ok; i++) {
    as_node_id id = running->node[i];
    const as_node *node = &graph->node[id];
    if (node->kind == AS_N_LOAD)
      vary[id] = node->map[3] >= 0;
    for (uint32_t k = 0; k < node->nargs && node->kind != AS_N_LOAD; k++) {
      as_node_id a = node->arg[k];
      bool final = (graph->node[a].kind == AS_N_ACC && node->kind != AS_N_RUN &&
                    !(node->kind == AS_N_ACC && k == 1)) ||
                   after[a];
      after[id] |= final;
      vary[id] |= vary[a];
      loopy[id] |= loopy[a];
    }
    if (node->kind == AS_N_RUN)
      vary[id] = loopy[id] = true;
    if (node->kind == AS_N_ACC) {
      if (after[id])
        ok = refuse(run, AS_BAD_INPUT, "an accumulator reads the end of another:", node);
      if (as_acc_rows[node->acc].has_running_value && loopy[node->arg[0]])
        ok = refuse(run, AS_BAD_INPUT, "a running maximum reads another:", node);
      vary[id] = loopy[id] = false;
    }
    if (after[id] && vary[id])
      ok = refuse(run, AS_BAD_INPUT, "reads a tensor of the loop after the loop:", node);
    running->varying[i] = vary[id];
    running->after[i] = after[id];
  }
  for (uint32_t i = 0; i < graph->n && ok; i++) {
    if (graph->node[i].kind == AS_N_STORE && graph->node[i].block == running->id &&
        vary[graph->node[i].arg[0]])
      ok = refuse(run, AS_BAD_INPUT, "stores a tensor of the loop:", &graph->node[i]);
  }
  free(after);
  free(vary);
  free(loopy);
  return ok;
}

static bool reset_acc(run_state *run, block_run *running) {
  for (uint32_t i = 0; i < running->n; i++) {
    const as_node *node = &run->graph->node[running->node[i]];
    as_tensor *tensor = &running->val[running->node[i]];
    if (node->kind != AS_N_ACC)
      continue;
    if (!make_ready(run, running, i))
      return false;
    for (size_t k = 0; k < tensor->n; k++) {
      as_dom_from_int(run->domain, as_tensor_at(tensor, k), 0);
      if (!as_acc_rows[node->acc].has_empty_value && running->loop <= 0)
        run->domain->flag(run->domain, as_tensor_at(tensor, k), AS_F_UNDEF);
    }
  }
  return true;
}

static bool run_store(run_state *run, block_run *running, as_node_id id, unsigned char *written) {
  const as_node *node = &run->graph->node[id];
  const as_tensor *tensor = &running->val[node->arg[0]];
  as_tensor *out = &run->val[id];
  if (!tensor->d || tensor->rank != node->rank || !map_ok(node))
    return refuse(run, AS_BAD_INPUT, "ill-formed store", node);
  if (!tensor->n)
    return true;
  int64_t ix[AS_MAX_RANK] = {0};
  for (size_t at = 0;; at++) {
    int64_t to[AS_MAX_RANK];
    for (uint32_t i = 0; i < node->rank; i++) {
      to[i] = ix[i];
      int64_t tile = node->upto[i] == AS_SIZE_BAD
                         ? tensor->dim[i]
                         : as_size_eval(run->graph->sizes, node->tile[i], run->env);
      to[i] += block_number(running, node, i) * tile;
      if (to[i] >= out->dim[i])
        return refuse(run, AS_NO, "writes outside its tensor: store", node);
    }
    size_t w = flat(to, out->dim, node->rank);
    if (written[w]++)
      return refuse(run, AS_NO, "an element is written twice: store", node);
    run->domain->set(run->domain, as_tensor_at(out, w), as_tensor_at(tensor, at));
    if (!step(ix, tensor->dim, node->rank))
      return true;
  }
}

static bool run_one(run_state *run, block_run *running) {
  running->iteration = 0;
  if (!reset_acc(run, running))
    return false;
  for (uint32_t i = 0; i < running->n; i++) /* what the loop does not change: before it */
  {
    if (!running->varying[i] && !running->after[i] &&
        run->graph->node[running->node[i]].kind != AS_N_ACC && !run_node(run, running, i))
      return false;
  }
  for (running->iteration = 0; running->iteration < running->loop; running->iteration++) {
    for (uint32_t i = 0; i < running->n; i++) {
      if ((running->varying[i] || run->graph->node[running->node[i]].kind == AS_N_ACC) &&
          !run_node(run, running, i))
        return false;
    }
  }
  for (uint32_t i = 0; i < running->n; i++) {
    if (running->after[i] && !run_node(run, running, i))
      return false;
  }
  return true;
}

static bool run_grid(run_state *run, block_run *running) {
  const as_graph *graph = run->graph;
  unsigned char **written = as_calloc(graph->n, sizeof *written);
  bool ok = true;
  for (as_node_id store = 0; store < graph->n && ok; store++) {
    if (graph->node[store].kind == AS_N_STORE && graph->node[store].block == running->id) {
      ok = new_tensor(run, &graph->node[store], &run->val[store]);
      if (ok)
        written[store] = as_calloc(run->val[store].n + 1, 1);
    }
  }
  for (running->at[0] = 0; running->at[0] < running->grid[0] && ok; running->at[0]++) {
    for (running->at[1] = 0; running->at[1] < running->grid[1] && ok; running->at[1]++) {
      for (running->at[2] = 0; running->at[2] < running->grid[2] && ok; running->at[2]++) {
        ok = run_one(run, running);
        for (as_node_id store = 0; store < graph->n && ok; store++) {
          if (written[store])
            ok = run_store(run, running, store, written[store]);
        }
      }
    }
  }
  for (as_node_id store = 0; store < graph->n; store++) {
    for (size_t i = 0; ok && written[store] && i < run->val[store].n; i++) {
      if (!written[store][i])
        ok = refuse(run, AS_NO, "an element is never written: store", &graph->node[store]);
    }
    free(written[store]);
  }
  free(written);
  return ok;
}

static bool run_block(run_state *run, uint32_t id) {
  const as_graph *graph = run->graph;
  if (id >= graph->n_block)
    return refuse(run, AS_BAD_INPUT, "a store outside any kernel", NULL);
  if (run->done[id])
    return true;
  run->done[id] = 1;
  size_t used = run->used;
  const as_block *block = &graph->block[id];
  block_run running = {.right = block, .id = id, .n = 0};
  running.node = as_calloc(block->n + 1, sizeof *running.node);
  for (uint32_t i = 0; i < block->n; i++) {
    if (graph->node[block->nodes[i]].kind != AS_N_STORE)
      running.node[running.n++] = block->nodes[i];
  }
  qsort(running.node, running.n, sizeof *running.node, by_id);
  running.code = as_calloc(running.n + 1, sizeof *running.code);
  running.cut = as_calloc(running.n + 1, sizeof *running.cut);
  running.varying = as_calloc(running.n + 1, 1);
  running.after = as_calloc(running.n + 1, 1);
  running.val = as_calloc(graph->n + 1, sizeof *running.val);
  running.old = as_calloc(graph->n + 1, sizeof *running.old);
  bool ok = true;
  for (int a = 0; a < 3; a++)
    running.grid[a] = as_size_eval(graph->sizes, block->grid[a], run->env);
  running.loop = block->has_loop ? as_size_eval(graph->sizes, block->loop, run->env) : 1;
  if (running.grid[0] < 0 || running.grid[1] < 0 || running.grid[2] < 0 || running.loop < 0)
    ok = refuse(run, AS_NO, "the grid or the loop has no value at these sizes", NULL);
  place_indices(run, &running);
  for (uint32_t i = 0; i < running.n && ok; i++) {
    const as_node *node = &graph->node[running.node[i]];
    if (has_cut_extents(run, node)) {
      running.cut[i] = as_malloc(MOST_EXTENTS * sizeof **running.cut);
      extents_around(run, node, running.cut[i]);
    }
    ok = new_tensor(run, node, &running.val[running.node[i]]) &&
         (node->kind != AS_N_OP || (running.code[i] = compile_node(run, node)));
  }
  for (uint32_t i = 0; i < running.n && ok;
       i++) { /* constants may stand outside the block that uses them */
    const as_node *node = &graph->node[running.node[i]];
    for (uint32_t k = 0; k < node->nargs && node->kind == AS_N_OP && ok; k++) {
      if (as_node_is_number(&graph->node[node->arg[k]]) && !running.val[node->arg[k]].d &&
          (ok = new_tensor(run, &graph->node[node->arg[k]], &running.val[node->arg[k]])))
        ok = run_number(run, &graph->node[node->arg[k]], &running.val[node->arg[k]]);
    }
  }
  ok = ok && classify(run, &running) && run_grid(run, &running);
  for (uint32_t i = 0; i < running.n; i++) {
    as_opcode_free(running.code[i]);
    free(running.cut[i]);
  }
  for (uint32_t i = 0; i < graph->n; i++) {
    as_tensor_clear(&running.val[i]);
    as_tensor_clear(&running.old[i]);
  }
  for (as_node_id store = 0; store < graph->n; store++) /* what it stored stays */
  {
    if (graph->node[store].kind == AS_N_STORE && graph->node[store].block == id)
      used += run->val[store].n * run->domain->size;
  }
  run->used = used;
  free(running.node);
  free(running.code);
  free(running.cut);
  free(running.varying);
  free(running.after);
  free(running.val);
  free(running.old);
  return ok;
}

/* --- kernel level */
static bool copy_tensor(run_state *run, const as_node *node, as_tensor *to, const as_tensor *from) {
  int64_t dim[AS_MAX_RANK];
  if (!extents(run, node, node->dim, node->rank, dim))
    return false;
  if (from->rank != node->rank || memcmp(dim, from->dim, node->rank * sizeof *dim))
    return refuse(run, AS_BAD_INPUT, "an input of the wrong shape:", node);
  if (!as_tensor_fits(run->domain, dim, node->rank, &run->used))
    return refuse(run, AS_UNKNOWN, "too large to evaluate:", node);
  as_tensor_init(to, run->domain, dim, node->rank);
  for (size_t i = 0; i < to->n; i++)
    run->domain->set(run->domain, as_tensor_at(to, i), as_tensor_at(from, i));
  return true;
}

static bool run_kernel_node(run_state *run, as_node_id id) {
  const as_node *node = &run->graph->node[id];
  if (run->val[id].d)
    return true;
  switch (node->kind) {
  case AS_N_INPUT:
    return refuse(run, AS_BAD_INPUT, "an input without a value:", node);
  case AS_N_CONST:
  case AS_N_SIZE:
    return new_tensor(run, node, &run->val[id]) && run_number(run, node, &run->val[id]);
  case AS_N_OP: {
    as_opcode *opcode = opcode_of(run, id);
    bool ok = opcode && new_tensor(run, node, &run->val[id]) &&
              run_op(run, node, opcode, run->val, &run->val[id]);
    if (run->codes == NULL)
      as_opcode_free(opcode);
    return ok;
  }
  case AS_N_STORE:
    return run_block(run, node->block);
  default:
    return refuse(run, AS_BAD_INPUT, "cannot stand at kernel level:", node);
  }
}

/* one more than the largest id of a size that the graph can speak of */
static uint32_t symbols_used(const as_graph *graph) {
  uint32_t n = 0;
  for (const as_graph *side = graph; side; side = side->program) {
    for (uint32_t i = 0; i < side->n_own_size; i++)
      n = side->own_size[i] >= n ? side->own_size[i] + 1 : n;
  }
  for (int axis = 0; axis < 4; axis++) {
    as_size index = as_graph_find_block_index(graph->sizes, axis);
    n = index != AS_SIZE_BAD && graph->n_block > 0 && index >= n ? index + 1 : n;
  }
  return n;
}

as_status as_eval_graph_again(const as_graph *graph, const as_domain *domain, const int64_t *env,
                              as_eval_codes *codes, const as_tensor *inputs, as_tensor *outputs,
                              uint64_t max_ops, as_eval_marks *marks, as_err *err) {
  run_state run = {.graph = graph,
                   .domain = domain,
                   .codes = codes,
                   .err = err,
                   .left = max_ops,
                   .marks = {.node = AS_NONE}};
  run.ticks = max_ops ? &run.left : NULL;
  uint32_t n_values = symbols_used(graph);
  run.env = as_malloc((n_values + 1) * sizeof *run.env);
  memcpy(run.env, env, n_values * sizeof *run.env);
  run.val = as_calloc(graph->n + 1, sizeof *run.val);
  run.done = as_calloc(graph->n_block + 1, 1);
  bool ok = true;
  for (uint32_t i = 0; i < graph->n_input && ok; i++)
    ok = copy_tensor(&run, &graph->node[graph->input[i]], &run.val[graph->input[i]], &inputs[i]);
  /* in order of definition: operands come before users, and a kernel runs where its first store
   * stands */
  for (as_node_id i = 0; i < graph->n && ok; i++) {
    const as_node *node = &graph->node[i];
    if (node->kind == AS_N_STORE || node->block == AS_NONE)
      ok = run_kernel_node(&run, i);
  }
  for (uint32_t i = 0; i < graph->n_output && ok; i++) {
    if (!run.val[graph->output[i]].d)
      ok = refuse(&run, AS_BAD_INPUT, "an output without a value:", &graph->node[graph->output[i]]);
  }
  for (uint32_t i = 0; i < graph->n_output && ok; i++) {
    const as_tensor *tensor = &run.val[graph->output[i]];
    as_tensor_init(&outputs[i], domain, tensor->dim, tensor->rank);
    for (size_t k = 0; k < tensor->n; k++)
      domain->set(domain, as_tensor_at(&outputs[i], k), as_tensor_at(tensor, k));
  }
  for (uint32_t i = 0; i < graph->n; i++)
    as_tensor_clear(&run.val[i]);
  free(run.val);
  free(run.env);
  free(run.done);
  run.marks.ops = max_ops - run.left;
  if (marks)
    *marks = run.marks;
  return ok ? AS_OK : run.status != AS_OK ? run.status : AS_INTERNAL;
}

bool as_graph_obligations(const as_graph *graph, as_vec *facts, as_err *err) {
  for (as_node_id i = 0; i < graph->n; i++) {
    const as_node *node = &graph->node[i];
    if (node->kind != AS_N_OP)
      continue;
    as_size adim[AS_MAX_ARGS][AS_MAX_RANK];
    as_size out[AS_MAX_RANK];
    uint32_t arank[AS_MAX_ARGS];
    uint32_t rank;
    for (uint32_t k = 0; k < node->nargs; k++) {
      arank[k] = graph->node[node->arg[k]].rank;
      memcpy(adim[k], graph->node[node->arg[k]].dim, sizeof adim[k]);
    }
    as_match match;
    memset(&match, 0, sizeof match);
    if (!as_opdef_match(graph->sizes, node->op, (const as_size(*)[AS_MAX_RANK])adim, arank,
                        node->nargs, node->attr, &match, out, &rank, facts, err))
      return false;
  }
  return true;
}
