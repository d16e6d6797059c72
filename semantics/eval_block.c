/* Evaluates block graphs: every block of the grid, every iteration of the loop, one after another.
 */
#include "eval_machine.h"
#include "src/base/id.h"
#include "src/base/mem.h"
#include <stdlib.h>
#include <string.h>

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

static bool run_load(ev_run *run, block_run *running, const as_node *node, as_tensor *out) {
  const as_tensor *from = &run->val[node->arg[0]];
  if (!from->d || from->rank != node->rank || !map_ok(node))
    return ev_refuse(run, AS_BAD_INPUT, "ill-formed load", node);
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
      return ev_refuse(run, AS_NO, "the tiles do not make up the tensor: load", node);
    base[i] = b * tile;
  }
  if (!out->n)
    return true;
  for (size_t at = 0;; at++) {
    int64_t src[AS_MAX_RANK];
    for (uint32_t i = 0; i < node->rank; i++) {
      src[i] = base[i] + ix[i];
      if (src[i] < 0 || src[i] >= from->dim[i])
        return ev_refuse(run, AS_NO, "reads outside its tensor: load", node);
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
static bool acc_SUM(ev_run *run, block_run *running, as_node_id id, as_tensor *acc,
                    const as_tensor *tensor) {
  (void)running;
  if (tensor->n != acc->n)
    return ev_refuse(run, AS_BAD_INPUT, "accumulator of another shape:", &run->graph->node[id]);
  for (size_t i = 0; i < acc->n; i++) {
    void *sum = as_tensor_at(acc, i);
    run->domain->add(run->domain, sum, sum, as_tensor_at(tensor, i));
  }
  return true;
}

static bool acc_MAX(ev_run *run, block_run *running, as_node_id id, as_tensor *acc,
                    const as_tensor *tensor) {
  const as_domain *domain = run->domain;
  if (tensor->n != acc->n)
    return ev_refuse(run, AS_BAD_INPUT, "accumulator of another shape:", &run->graph->node[id]);
  if (!running->old[id].d) {
    if (!as_tensor_fits(domain, acc->dim, acc->rank, &run->used))
      return ev_refuse(run, AS_UNKNOWN, "too large to evaluate:", &run->graph->node[id]);
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

static bool acc_RESCALE(ev_run *run, block_run *running, as_node_id id, as_tensor *acc,
                        const as_tensor *tensor) {
  const as_domain *domain = run->domain;
  const as_node *node = &run->graph->node[id];
  as_node_id m = node->nargs > 1 ? node->arg[1] : AS_NONE;
  if (m != AS_NONE && run->graph->node[m].kind == AS_N_RUN)
    m = run->graph->node[m].arg[0];
  if (m == AS_NONE || !running->old[m].d || tensor->n != acc->n)
    return ev_refuse(run, AS_BAD_INPUT, "ill-formed rescaled accumulator", node);
  const as_tensor *now = &running->val[m];
  const as_tensor *old = &running->old[m];
  if (now->rank > acc->rank || memcmp(now->dim, acc->dim, now->rank * sizeof *now->dim))
    return ev_refuse(run, AS_NO, "the maximum does not fit the accumulator", node);
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

static bool acc_CONCAT(ev_run *run, block_run *running, as_node_id id, as_tensor *acc,
                       const as_tensor *tensor) {
  const as_node *node = &run->graph->node[id];
  if (!tensor->n)
    return true;
  if (node->axis < 0 || node->axis >= (int)node->rank || tensor->rank != node->rank)
    return ev_refuse(run, AS_BAD_INPUT, "ill-formed accumulator", node);
  int64_t ix[AS_MAX_RANK] = {0};
  for (size_t at = 0;; at++) {
    int64_t to[AS_MAX_RANK];
    memcpy(to, ix, sizeof to);
    to[node->axis] += running->iteration * tensor->dim[node->axis];
    for (uint32_t i = 0; i < node->rank; i++) {
      if (to[i] >= acc->dim[i])
        return ev_refuse(run, AS_NO, "writes outside its tensor: accumulator", node);
    }
    run->domain->set(run->domain, as_tensor_at(acc, flat(to, acc->dim, node->rank)),
                     as_tensor_at(tensor, at));
    if (!step(ix, tensor->dim, node->rank))
      return true;
  }
}

static bool run_acc(ev_run *run, block_run *running, as_node_id id) {
  const as_node *node = &run->graph->node[id];
  const as_tensor *tensor = &running->val[node->arg[0]];
  as_tensor *acc = &running->val[id];
  if (!tensor->d)
    return ev_refuse(run, AS_BAD_INPUT,
                     "used before it has a value:", &run->graph->node[node->arg[0]]);
  if (run->ticks)
    *run->ticks -= *run->ticks < tensor->n ? *run->ticks : tensor->n;
  static bool (*const step_of[])(ev_run *, block_run *, as_node_id, as_tensor *,
                                 const as_tensor *) = {
#define X(kind, word, tail, operand, runs, empty) [AS_ACC_##kind] = acc_##kind,
      AS_ACC_KINDS(X)
#undef X
  };

  return step_of[node->acc](run, running, id, acc, tensor);
}

/* a NUMBER, or a size as the number that it is */
/* --- tiles that are cut off */
enum { MOST_EXTENTS = (AS_MAX_ARGS + 1) * AS_MAX_RANK };

/* the extents of a node and of what it reads, 0 where there is none */
static void extents_around(const ev_run *run, const as_node *node, int64_t *out) {
  memset(out, 0, MOST_EXTENTS * sizeof *out);
  for (uint32_t k = 0; k <= node->nargs; k++) {
    const as_node *one = k ? &run->graph->node[node->arg[k - 1]] : node;
    bool kernel_level = one->block == AS_NONE || one->kind == AS_N_STORE;
    for (uint32_t d = 0; d < one->rank && !(kernel_level && k); d++)
      out[k * AS_MAX_RANK + d] = as_size_eval(run->graph->sizes, one->dim[d], run->env);
  }
}

static bool has_cut_extents(const ev_run *run, const as_node *node) {
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
static void place_indices(ev_run *run, const block_run *running) {
  for (int axis = 0; axis < 4; axis++) {
    as_size index = as_graph_find_block_index(run->graph->sizes, axis);
    if (index != AS_SIZE_BAD)
      run->env[index] = axis < 3 ? running->at[axis] : running->iteration;
  }
}

/* the tensor of a node, and its operator, at the extents of now */
static bool make_node(ev_run *run, block_run *running, uint32_t i) {
  const as_node *node = &run->graph->node[running->node[i]];
  if (!ev_new_tensor(run, node, &running->val[running->node[i]]))
    return false;
  if (node->kind != AS_N_OP)
    return true;
  running->code[i] =
      running->cut[i] ? ev_compile_node(run, node) : ev_opcode_of(run, running->node[i]);
  return running->code[i] != NULL;
}

/* A node that runs at another block or iteration than before may have other extents: then it gets
 * another tensor, and its operator is read anew. */
static bool make_ready(ev_run *run, block_run *running, uint32_t i) {
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
  return make_node(run, running, i);
}

static bool run_node(ev_run *run, block_run *running, uint32_t i) {
  as_node_id id = running->node[i];
  const as_node *node = &run->graph->node[id];
  if (node->kind != AS_N_ACC && !make_ready(run, running, i))
    return false;
  switch (node->kind) {
  case AS_N_LOAD:
    return run_load(run, running, node, &running->val[id]);
  case AS_N_OP:
    return ev_run_op(run, node, running->code[i], running->val, &running->val[id]);
  case AS_N_ACC:
    if (!run_acc(run, running, id))
      return false;
    ev_made(run, node, &running->val[id]);
    ev_mark(run, node, &running->val[id]);
    return true;
  case AS_N_CONST:
  case AS_N_SIZE:
    return ev_run_number(run, node, &running->val[id]);
  case AS_N_RUN:
    for (size_t k = 0; k < running->val[id].n; k++)
      run->domain->set(run->domain, as_tensor_at(&running->val[id], k),
                       as_tensor_at(&running->val[node->arg[0]], k));
    return true;
  default:
    return ev_refuse(run, AS_BAD_INPUT, "cannot stand in a block graph:", node);
  }
}

/* what varies with the loop and what comes after it (SEMANTICS.md section 3); refuses what reads
 * across the end of the loop wrongly */
static bool classify(ev_run *run, block_run *running) {
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
        ok = ev_refuse(run, AS_BAD_INPUT, "an accumulator reads the end of another:", node);
      if (as_acc_rows[node->acc].has_running_value && loopy[node->arg[0]])
        ok = ev_refuse(run, AS_BAD_INPUT, "a running maximum reads another:", node);
      vary[id] = loopy[id] = false;
    }
    if (after[id] && vary[id])
      ok = ev_refuse(run, AS_BAD_INPUT, "reads a tensor of the loop after the loop:", node);
    running->varying[i] = vary[id];
    running->after[i] = after[id];
  }
  for (uint32_t i = 0; i < graph->n && ok; i++) {
    if (graph->node[i].kind == AS_N_STORE && graph->node[i].block == running->id &&
        vary[graph->node[i].arg[0]])
      ok = ev_refuse(run, AS_BAD_INPUT, "stores a tensor of the loop:", &graph->node[i]);
  }
  free(after);
  free(vary);
  free(loopy);
  return ok;
}

static bool reset_acc(ev_run *run, block_run *running) {
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

static bool run_store(ev_run *run, block_run *running, as_node_id id, unsigned char *written) {
  const as_node *node = &run->graph->node[id];
  const as_tensor *tensor = &running->val[node->arg[0]];
  as_tensor *out = &run->val[id];
  if (!tensor->d || tensor->rank != node->rank || !map_ok(node))
    return ev_refuse(run, AS_BAD_INPUT, "ill-formed store", node);
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
        return ev_refuse(run, AS_NO, "writes outside its tensor: store", node);
    }
    size_t w = flat(to, out->dim, node->rank);
    if (written[w]++)
      return ev_refuse(run, AS_NO, "an element is written twice: store", node);
    run->domain->set(run->domain, as_tensor_at(out, w), as_tensor_at(tensor, at));
    if (!step(ix, tensor->dim, node->rank))
      return true;
  }
}

static bool run_one(ev_run *run, block_run *running) {
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

static bool run_grid(ev_run *run, block_run *running) {
  const as_graph *graph = run->graph;
  unsigned char **written = as_calloc(graph->n, sizeof *written);
  bool ok = true;
  for (as_node_id store = 0; store < graph->n && ok; store++) {
    if (graph->node[store].kind == AS_N_STORE && graph->node[store].block == running->id) {
      ok = ev_new_tensor(run, &graph->node[store], &run->val[store]);
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
        ok = ev_refuse(run, AS_NO, "an element is never written: store", &graph->node[store]);
    }
    free(written[store]);
  }
  free(written);
  return ok;
}

/* the nodes of a block but its stores, in the order in which they are computed; end_block frees */
static block_run begin_block(const ev_run *run, uint32_t id) {
  const as_graph *graph = run->graph;
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
  return running;
}

static void end_block(const ev_run *run, block_run *running) {
  for (uint32_t i = 0; i < running->n; i++) {
    if (running->cut[i] || run->codes == NULL)
      as_opcode_free(running->code[i]);
    free(running->cut[i]);
  }
  for (uint32_t i = 0; i < run->graph->n; i++) {
    as_tensor_clear(&running->val[i]);
    as_tensor_clear(&running->old[i]);
  }
  free(running->node);
  free(running->code);
  free(running->cut);
  free(running->varying);
  free(running->after);
  free(running->val);
  free(running->old);
}

/* the extents of the grid and of the loop at the sizes of this run */
static bool set_ranges(ev_run *run, block_run *running) {
  const as_sizes *sizes = run->graph->sizes;
  const as_block *block = running->right;
  for (int a = 0; a < 3; a++)
    running->grid[a] = as_size_eval(sizes, block->grid[a], run->env);
  running->loop = block->has_loop ? as_size_eval(sizes, block->loop, run->env) : 1;
  if (running->grid[0] < 0 || running->grid[1] < 0 || running->grid[2] < 0 || running->loop < 0)
    return ev_refuse(run, AS_NO, "the grid or the loop has no value at these sizes", NULL);
  return true;
}

static bool prepare_node(ev_run *run, block_run *running, uint32_t i) {
  const as_node *node = &run->graph->node[running->node[i]];
  if (has_cut_extents(run, node)) {
    running->cut[i] = as_malloc(MOST_EXTENTS * sizeof **running->cut);
    extents_around(run, node, running->cut[i]);
  }
  return make_node(run, running, i);
}

/* numbers may stand outside of the block that uses them */
static bool set_numbers(ev_run *run, block_run *running, const as_node *user) {
  for (uint32_t k = 0; k < user->nargs && user->kind == AS_N_OP; k++) {
    const as_node *number = &run->graph->node[user->arg[k]];
    as_tensor *value = &running->val[user->arg[k]];
    if (!as_node_is_number(number) || value->d)
      continue;
    if (!ev_new_tensor(run, number, value) || !ev_run_number(run, number, value))
      return false;
  }
  return true;
}

static bool prepare_block(ev_run *run, block_run *running) {
  if (!set_ranges(run, running))
    return false;
  place_indices(run, running);
  for (uint32_t i = 0; i < running->n; i++) {
    if (!prepare_node(run, running, i))
      return false;
  }
  for (uint32_t i = 0; i < running->n; i++) {
    if (!set_numbers(run, running, &run->graph->node[running->node[i]]))
      return false;
  }
  return classify(run, running);
}

/* bytes of the tensors that a block stored */
static size_t stored_bytes(const ev_run *run, uint32_t id) {
  const as_graph *graph = run->graph;
  size_t bytes = 0;
  for (as_node_id store = 0; store < graph->n; store++) {
    if (graph->node[store].kind == AS_N_STORE && graph->node[store].block == id)
      bytes += run->val[store].n * run->domain->size;
  }
  return bytes;
}

bool ev_run_block(ev_run *run, uint32_t id) {
  if (id >= run->graph->n_block)
    return ev_refuse(run, AS_BAD_INPUT, "a store outside any kernel", NULL);
  if (run->done[id])
    return true;
  run->done[id] = 1;
  size_t used_before = run->used;
  block_run running = begin_block(run, id);
  bool ok = prepare_block(run, &running) && run_grid(run, &running);
  end_block(run, &running);
  for (as_node_id store = 0; store < run->graph->n && ok; store++) {
    const as_node *node = &run->graph->node[store];
    if (node->kind == AS_N_STORE && node->block == id)
      ev_made(run, node, &run->val[store]);
  }
  run->used = used_before + stored_bytes(run, id);
  return ok;
}
