/* Whether a candidate is the program itself, operator by operator. */
#include "identical.h"
#include "src/base/id.h"
#include "src/base/mem.h"
#include <stdlib.h>

typedef struct {
  const as_graph *spec;
  const as_graph *cand;
  as_node_id *of; /* by node of the candidate: the program's, AS_NONE where none is the same */
} pairing;

static bool same_operand(const pairing *pairs, as_node_id wanted, as_node_id had) {
  const as_node *one = &pairs->spec->node[wanted];
  const as_node *other = &pairs->cand->node[had];
  if (!as_graph_is_number(one) || !as_graph_is_number(other))
    return pairs->of[had] == wanted;
  if (one->kind != other->kind)
    return false;
  return one->kind == AS_N_SIZE ? one->size == other->size : mpq_equal(one->value, other->value);
}

static bool same_attribute(const as_attr *one, const as_attr *other) {
  if (one->is_size != other->is_size)
    return false;
  return one->is_size ? one->size == other->size : mpq_equal(one->num, other->num) != 0;
}

static bool same_call(const pairing *pairs, as_node_id wanted, as_node_id had) {
  const as_node *one = &pairs->spec->node[wanted];
  const as_node *other = &pairs->cand->node[had];
  bool same = one->kind == AS_N_OP && one->op == other->op && one->nargs == other->nargs;
  for (uint32_t i = 0; same && i < one->nargs; i++)
    same = same_operand(pairs, one->arg[i], other->arg[i]);
  for (uint32_t i = 0; same && i < one->op->nattrs; i++)
    same = same_attribute(&one->attr[i], &other->attr[i]);
  return same;
}

static as_node_id find_call(const pairing *pairs, as_node_id had) {
  for (as_node_id wanted = 0; wanted < pairs->spec->n; wanted++) {
    if (same_call(pairs, wanted, had))
      return wanted;
  }
  return AS_NONE;
}

/* whether the candidate asks no more of sizes than the program */
static bool asks_no_more(const as_graph *spec, const as_graph *cand) {
  for (uint32_t i = 0; i < cand->n_fact; i++) {
    const as_size_fact *asked = &cand->fact[i];
    bool known = false;
    for (uint32_t k = 0; k < spec->n_fact && !known; k++)
      known = spec->fact[k].rel == asked->rel && spec->fact[k].lhs == asked->lhs &&
              spec->fact[k].rhs == asked->rhs;
    if (!known)
      return false;
  }
  return true;
}

bool as_field_is_identical(const as_graph *spec, const as_graph *cand) {
  if (cand->n_block > 0 || !asks_no_more(spec, cand) || spec->n_input != cand->n_input ||
      spec->n_output != cand->n_output)
    return false;
  pairing pairs = {spec, cand, as_malloc((cand->n + 1) * sizeof *pairs.of)};
  for (as_node_id i = 0; i < cand->n; i++)
    pairs.of[i] = AS_NONE;
  for (uint32_t i = 0; i < cand->n_input; i++)
    pairs.of[cand->input[i]] = spec->input[i];
  for (as_node_id i = 0; i < cand->n; i++) {
    if (cand->node[i].kind == AS_N_OP)
      pairs.of[i] = find_call(&pairs, i);
  }
  bool same = true;
  for (uint32_t i = 0; same && i < cand->n_output; i++)
    same = same_operand(&pairs, spec->output[i], cand->output[i]);
  free(pairs.of);
  return same;
}
