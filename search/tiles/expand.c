/* A program with its abbreviations written out (expand.rule). */
#include "naive.h"
#include "patterns.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  const as_graph *from;
  as_graph *to;
  tl_patterns patterns;
  as_node_id *now; /* of each node of `from`, in `to` */
  char *stem;      /* what no name of `from` begins with */
  as_err *err;
} expander;

/* The name that a node has, or a new one: names that a graph makes by itself are taken from those
 * that the program may use further on.  malloc'ed */
static char *name_of(const expander *e, const as_node *node) {
  return node->is_named ? as_strdup(node->name) : as_format("%s%u", e->stem, e->to->n);
}

static char *new_stem(const as_graph *program) {
  char *stem = as_strdup("e");
  for (bool taken = true; taken;) {
    char *longer = as_format("%s_", stem);
    free(stem);
    stem = longer;
    taken = false;
    for (uint32_t i = 0; i < program->n; i++) {
      const char *name = program->node[i].name;
      taken |= name && strncmp(name, stem, strlen(stem)) == 0;
    }
  }
  return stem;
}

/* the call, with the rule's tensors as its operands */
static bool is_left_side(const expander *e, const as_rule *rule, const as_node *node,
                         tl_bound_sizes *bound) {
  const as_node *call = &rule->lhs->node[rule->lhs->output[0]];
  if (call->kind != AS_N_OP || tl_patterns_op(&e->patterns, call->op) != node->op ||
      !tl_same_attributes(rule, call, e->to->sizes, node->attr))
    return false;
  for (uint32_t i = 0; i < call->nargs; i++) {
    const as_node *tensor = &rule->lhs->node[call->arg[i]];
    const as_node *arg = &e->to->node[e->now[node->arg[i]]];
    if (tensor->kind != AS_N_INPUT ||
        !tl_bind_shape(bound, rule, tensor, e->to->sizes, arg->dim, arg->rank))
      return false;
  }
  return true;
}

static as_node_id number_of(const expander *e, const as_node *node, const tl_bound_sizes *bound) {
  if (node->kind == AS_N_CONST)
    return as_graph_const(e->to, node->value);
  as_size size = tl_bound_size(bound, node->size);
  return size == AS_SIZE_BAD ? AS_NONE : as_graph_size_const(e->to, size);
}

/* the rule's right side in the place of the call */
static as_node_id right_side(expander *e, const as_rule *rule, const as_node *node,
                             const tl_bound_sizes *bound) {
  const as_graph *side = rule->rhs;
  const as_node *call = &rule->lhs->node[rule->lhs->output[0]];
  as_node_id *made = as_malloc((side->n + 1) * sizeof *made);
  for (uint32_t i = 0; i < side->n; i++) {
    const as_node *part = &side->node[i];
    made[i] = AS_NONE;
    for (uint32_t k = 0; part->kind == AS_N_INPUT && k < call->nargs; k++) {
      if (strcmp(rule->lhs->node[call->arg[k]].name, part->name) == 0)
        made[i] = e->now[node->arg[k]];
    }
    if (as_graph_is_number(part))
      made[i] = number_of(e, part, bound);
    if (part->kind != AS_N_OP)
      continue;
    as_node_id arg[AS_MAX_ARGS];
    bool known = true;
    for (uint32_t k = 0; k < part->nargs; k++) {
      arg[k] = made[part->arg[k]];
      known &= arg[k] != AS_NONE;
    }
    as_attr attr[AS_MAX_ATTRS];
    if (!known || !tl_take_attributes(rule, part, e->to->sizes, attr))
      continue;
    const as_node unnamed = {.is_named = false};
    char *name = name_of(e, i == side->output[0] ? node : &unnamed);
    made[i] = as_graph_op(e->to, AS_NONE, name, tl_patterns_op(&e->patterns, part->op), arg,
                          part->nargs, attr, e->err);
    free(name);
    tl_drop_attributes(part->op, attr);
  }
  as_node_id result = made[side->output[0]];
  free(made);
  return result;
}

static as_node_id copy_node(expander *e, const as_node *node) {
  as_node_id arg[AS_MAX_ARGS];
  if (node->kind == AS_N_INPUT)
    return as_graph_input(e->to, node->name, node->dtype, node->dim, node->rank, e->err);
  if (as_graph_is_number(node))
    return as_graph_copy_number(e->to, node);
  for (uint32_t i = 0; i < node->nargs; i++)
    arg[i] = e->now[node->arg[i]];
  for (uint32_t i = 0; i < e->patterns.n; i++) {
    tl_bound_sizes bound = {.n = 0};
    const as_rule *rule = e->patterns.rule[i];
    as_node_id made =
        is_left_side(e, rule, node, &bound) ? right_side(e, rule, node, &bound) : AS_NONE;
    if (made != AS_NONE)
      return made;
  }
  char *name = name_of(e, node);
  as_node_id made =
      as_graph_op(e->to, AS_NONE, name, node->op, arg, node->nargs, node->attr, e->err);
  free(name);
  return made;
}

as_graph *tl_expand(const as_graph *program, as_err *err) {
  expander e = {.from = program, .err = err};
  if (!tl_patterns_init(&e.patterns, "expand.rule", tl_expand_text(), program->lib, err))
    return NULL;
  e.to = as_graph_new(as_sizes_copy(program->sizes), program->lib, NULL, program->name);
  e.stem = new_stem(program);
  e.now = as_malloc((program->n + 1) * sizeof *e.now);
  bool ok = true;
  for (uint32_t i = 0; ok && i < program->n_fact; i++)
    ok =
        as_graph_where(e.to, program->fact[i].lhs, program->fact[i].rel, program->fact[i].rhs, err);
  for (uint32_t i = 0; ok && i < program->n; i++) {
    e.now[i] = copy_node(&e, &program->node[i]);
    ok = e.now[i] != AS_NONE;
  }
  for (uint32_t i = 0; ok && i < program->n_output; i++)
    ok = as_graph_output(e.to, e.now[program->output[i]], err);
  tl_patterns_clear(&e.patterns);
  free(e.now);
  free(e.stem);
  if (ok)
    return e.to;
  as_sizes *sizes = e.to->sizes;
  as_graph_free(e.to);
  as_sizes_free(sizes);
  return NULL;
}
