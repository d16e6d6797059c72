/* Tensors and operators of single nodes, as the kernel level and block graphs both need them. */
#include "eval_machine.h"
#include "src/base/id.h"
#include <string.h>

bool ev_refuse(ev_run *run, as_status status, const char *what, const as_node *node) {
  if (run->status == AS_OK)
    run->status = status;
  return as_err_set(run->err, status, "%s%s%s", what, node && node->name ? " " : "",
                    node && node->name ? node->name : "");
}

bool ev_extents(ev_run *run, const as_node *node, const as_size *dim, uint32_t rank, int64_t *out) {
  for (uint32_t i = 0; i < rank; i++) {
    out[i] = as_size_eval(run->graph->sizes, dim[i], run->env);
    if (out[i] < 0)
      return ev_refuse(run, AS_NO, "an extent has no value at these sizes:", node);
  }
  return true;
}

bool ev_new_tensor(ev_run *run, const as_node *node, as_tensor *tensor) {
  int64_t dim[AS_MAX_RANK];
  if (!ev_extents(run, node, node->dim, node->rank, dim))
    return false;
  if (!as_tensor_fits(run->domain, dim, node->rank, &run->used))
    return ev_refuse(run, AS_UNKNOWN, "too large to evaluate:", node);
  as_tensor_init(tensor, run->domain, dim, node->rank);
  return true;
}

as_opcode *ev_compile_node(ev_run *run, const as_node *user) {
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
  } else if (!ev_extents(run, user, user->dim, user->rank, want) || rank != user->rank ||
             memcmp(dim, want, rank * sizeof *dim)) {
    ev_refuse(run, AS_NO, "the operator's result has another shape than its node", user);
    as_opcode_free(opcode);
    opcode = NULL;
  }
  as_err_clear(&err);
  return opcode;
}

as_opcode *ev_opcode_of(ev_run *run, as_node_id id) {
  as_opcode *opcode = as_eval_codes_find(run->codes, run->graph, id, run->domain);
  if (opcode == NULL)
    opcode = ev_compile_node(run, &run->graph->node[id]);
  if (opcode && run->codes)
    as_eval_codes_keep(run->codes, run->graph, id, run->domain, opcode);
  return opcode;
}

void ev_made(ev_run *run, const as_node *node, as_tensor *value) {
  if (run->watch && run->watch->made)
    run->watch->made(run->watch->arg, (as_node_id)(node - run->graph->node), value);
}

void ev_mark(ev_run *run, const as_node *node, const as_tensor *tensor) {
  for (size_t i = 0; i < tensor->n; i++) {
    unsigned flags = run->domain->flags(run->domain, as_tensor_at(tensor, i));
    if (flags & ~run->marks.flags & AS_F_UNDEF) {
      run->marks.node = (as_node_id)(node - run->graph->node);
      run->marks.at = i;
    }
    run->marks.flags |= flags;
  }
}

bool ev_run_op(ev_run *run, const as_node *node, as_opcode *opcode, const as_tensor *val,
               as_tensor *out) {
  const as_tensor *arg[AS_MAX_ARGS];
  for (uint32_t i = 0; i < node->nargs; i++) {
    arg[i] = &val[node->arg[i]];
    if (!arg[i]->d)
      return ev_refuse(run, AS_BAD_INPUT,
                       "used before it has a value:", &run->graph->node[node->arg[i]]);
  }
  if (run->watch && run->watch->before)
    run->watch->before(run->watch->arg, (as_node_id)(node - run->graph->node));
  as_status status = as_opcode_run(opcode, arg, out, run->ticks, run->err);
  if (status != AS_OK && run->status == AS_OK)
    run->status = status;
  if (status == AS_OK) {
    ev_made(run, node, out);
    ev_mark(run, node, out);
  }
  if (run->cover)
    ev_note_choices(run->cover, (as_node_id)(node - run->graph->node), opcode);
  return status == AS_OK;
}

bool ev_run_number(ev_run *run, const as_node *node, as_tensor *tensor) {
  if (node->kind == AS_N_CONST) {
    run->domain->from_q(run->domain, as_tensor_at(tensor, 0), node->value);
    return true;
  }
  int64_t v = as_size_eval(run->graph->sizes, node->size, run->env);
  if (v == INT64_MIN)
    return ev_refuse(run, AS_BAD_INPUT, "a size that has no value here:", node);
  mpq_t value;
  mpq_init(value);
  mpq_set_si(value, v, 1);
  run->domain->from_q(run->domain, as_tensor_at(tensor, 0), value);
  mpq_clear(value);
  return true;
}
