/* Changes of one term that mean the same.  Where an operator f reads another, g, they change
 * places: f goes to one or more operands of g (operator propagation: Axon, section 4.2),
 *
 *     f(g(x, y), z)  ->  g(f(x, z), y),  g(x, f(y, z)),  g(f(x, z), f(y, z))
 *
 * and where f reads g twice, with one operand that differs, f goes before it:
 *
 *     f(g(x, y), g(x, z))  ->  g(x, f(y, z)).
 *
 * A change is kept when both sides have the same abstract expression, by the operators' own
 * specifications. */
#include "src/base/id.h"
#include "variant_int.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

as_node_id sg_graph_number(as_graph *graph, long number) {
  mpq_t value;
  mpq_init(value);
  mpq_set_si(value, number, 1);
  as_node_id made = as_graph_const(graph, value);
  mpq_clear(value);
  return made;
}

bool sg_scratch_init(sg_scratch *to, sg_terms *all) {
  const as_graph *program = all->program;
  *to = (sg_scratch){.all = all,
                     .graph = as_graph_new(program->sizes, program->lib, NULL, program->name)};
  to->graph->is_piece = true;
  to->graph->type = as_graph_type(program);
  to->graph->mixed = as_graph_is_mixed(program);
  as_err_init(&to->err);
  return sg_copy_sizes(to->graph, program, &to->err);
}

void sg_scratch_clear(sg_scratch *to) {
  as_graph_free(to->graph);
  as_err_clear(&to->err);
}

as_node_id sg_scratch_leaf(sg_scratch *to, uint32_t id) {
  const sg_term *read = SG_TERM(to->all, id);
  const as_node *node = read->source == AS_NONE ? NULL : &to->all->program->node[read->source];
  as_dtype type = node ? node->dtype : as_graph_type(to->graph); /* prices look at it */
  char name[16];
  for (uint32_t i = 0; i < to->n_leaf; i++) {
    if (to->leaf[i] == id)
      return to->leaf_node[i];
  }
  snprintf(name, sizeof name, "x%u", to->n_leaf);
  as_node_id made = node && as_graph_is_number(node) ? as_graph_copy_number(to->graph, node)
                    : !node && !read->op
                        ? sg_graph_number(to->graph, read->number)
                        : as_graph_input(to->graph, name, type, read->dim, read->rank, &to->err);
  to->leaf[to->n_leaf] = id;
  to->leaf_node[to->n_leaf++] = made;
  return made;
}

bool sg_scratch_op(sg_scratch *to, const sg_term *like, const uint32_t *arg,
                   const as_node_id *arg_node, sg_made_op *out) {
  sg_term made = {.source = AS_NONE, .op = like->op, .attr = like->attr, .nargs = like->nargs};
  memcpy(made.arg, arg, like->nargs * sizeof *arg);
  out->node =
      as_graph_op(to->graph, AS_NONE, NULL, like->op, arg_node, like->nargs, like->attr, &to->err);
  if (out->node == AS_NONE)
    return false;
  const as_node *node = &to->graph->node[out->node];
  made.rank = node->rank;
  memcpy(made.dim, node->dim, node->rank * sizeof *node->dim);
  if (to->all->concrete)
    made.us = as_cost_operator(to->graph, out->node, to->all->target);
  out->term = sg_add_term(to->all, &made);
  return true;
}

/* a function that abstract expressions do not look into, beside others or alone */
static bool has_opaque(const ax_store *store, ax_id expr) {
  enum { MOST_FACTORS = 32 };

  for (uint32_t i = 0; i < ax_n_terms(store, expr); i++) {
    int64_t over;
    int64_t under;
    ax_factor factor[MOST_FACTORS];
    uint32_t n = ax_term(store, expr, i, &over, &under, factor, MOST_FACTORS);
    for (uint32_t k = 0; k < n && k < MOST_FACTORS; k++) {
      if (factor[k].kind == AX_OPAQUE)
        return true;
    }
  }
  return false;
}

/* the abstract expressions of up to two nodes of the scratch program, and their axes */
typedef struct {
  ax_store *store; /* NULL: they are not known */
  ax_id expr[2];
  sg_axes axes[2];
} meanings;

static meanings meanings_of(sg_scratch *to, const as_node_id *node, uint32_t n) {
  const as_graph *graph = to->graph;
  uint32_t *ops = as_malloc((graph->n + 1) * sizeof *ops);
  uint32_t n_ops = 0;
  for (uint32_t i = 0; i < graph->n; i++) {
    if (graph->node[i].kind == AS_N_OP)
      ops[n_ops++] = i;
  }
  uint32_t *last_use = sg_last_use(graph);
  meanings found = {.store = NULL};
  sg_part part;
  bool known = sg_part_init(&part, graph, ops, n_ops, last_use);
  free(ops);
  free(last_use);
  if (!known)
    return found;
  ax_id *expr = as_calloc(part.n + 1, sizeof *expr);
  sg_axes *axes = as_calloc(part.n + 1, sizeof *axes);
  sg_ctx ctx = {.A = ax_new(), .part = &part, .sizes = graph->sizes, .strict_ones = true};
  for (uint32_t cls = 0; cls < part.n_classes; cls++) {
    ctx.whole[cls] = ctx.tile[cls] = sg_size_expr(&ctx, part.classes[cls].extent);
    ctx.loop[cls] = AX_ONE;
    known &= ctx.whole[cls] != AX_BAD;
  }
  known = known && sg_program_exprs(&ctx, expr, axes);
  for (uint32_t i = 0; i < part.n; i++) {
    for (uint32_t k = 0; k < n; k++) {
      if (part.tensor[i] == node[k]) {
        found.expr[k] = expr[i];
        found.axes[k] = axes[i];
      }
    }
  }
  free(expr);
  free(axes);
  sg_part_clear(&part);
  if (known)
    found.store = ctx.A;
  else
    ax_free(ctx.A);
  return found;
}

/* ends with what was found out of it */
static sg_meaning meaning(meanings *of, bool same) {
  sg_meaning found = SG_MEANS_OTHER;
  if (of->store && same)
    found = SG_MEANS_SAME;
  else if (of->store && has_opaque(of->store, of->expr[0]))
    found = SG_MEANS_UNKNOWN;
  if (of->store)
    ax_free(of->store);
  return found;
}

sg_meaning sg_same_meaning(sg_scratch *to, as_node_id left, as_node_id right) {
  meanings of = meanings_of(to, (as_node_id[]){left, right}, 2);
  return meaning(&of, of.expr[0] == of.expr[1] && sg_axes_eq(&of.axes[0], &of.axes[1]));
}

sg_meaning sg_means_number(sg_scratch *to, as_node_id node, long number) {
  meanings of = meanings_of(to, &node, 1);
  return meaning(&of, of.store && of.expr[0] == ax_int(of.store, number));
}

/* f(.., g(x..) at `place`, ..)  ->  g(.., f(.., x_i, ..), ..) for the operands of g in `set` */
static void try_swap(sg_terms *all, uint32_t outer_id, uint32_t place, uint32_t set) {
  sg_scratch to;
  const sg_term outer = *SG_TERM(all, outer_id);
  const sg_term inner = *SG_TERM(all, outer.arg[place]);
  as_node_id outer_nodes[AS_MAX_ARGS];
  as_node_id inner_nodes[AS_MAX_ARGS];
  uint32_t changed_args[AS_MAX_ARGS];
  as_node_id changed_nodes[AS_MAX_ARGS];
  sg_made_op read;
  sg_made_op before;
  sg_made_op after;
  bool made = sg_scratch_init(&to, all);
  for (uint32_t i = 0; i < inner.nargs && made; i++)
    made = (inner_nodes[i] = sg_scratch_leaf(&to, inner.arg[i])) != AS_NONE;
  for (uint32_t i = 0; i < outer.nargs && made; i++)
    made = i == place || (outer_nodes[i] = sg_scratch_leaf(&to, outer.arg[i])) != AS_NONE;
  made = made && sg_scratch_op(&to, &inner, inner.arg, inner_nodes, &read);
  if (made)
    outer_nodes[place] = read.node;
  made = made && sg_scratch_op(&to, &outer, outer.arg, outer_nodes, &before);
  for (uint32_t i = 0; i < inner.nargs && made; i++) {
    uint32_t args[AS_MAX_ARGS];
    sg_made_op moved = {inner_nodes[i], inner.arg[i]};
    memcpy(args, outer.arg, sizeof args);
    args[place] = inner.arg[i];
    outer_nodes[place] = inner_nodes[i];
    made = !(set >> i & 1) || sg_scratch_op(&to, &outer, args, outer_nodes, &moved);
    changed_args[i] = moved.term;
    changed_nodes[i] = moved.node;
  }
  if (made && sg_scratch_op(&to, &inner, changed_args, changed_nodes, &after) &&
      sg_same_meaning(&to, before.node, after.node) == SG_MEANS_SAME)
    sg_add_change(all, outer_id, (sg_change){after.term, false});
  sg_scratch_clear(&to);
}

static uint32_t differing(const sg_term *one, const sg_term *other, uint32_t *at) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < one->nargs; i++) {
    if (one->arg[i] != other->arg[i]) {
      *at = i;
      n++;
    }
  }
  return n;
}

/* f(g(x, y), g(x, z))  ->  g(x, f(y, z)) */
static void try_factor(sg_terms *all, uint32_t outer_id) {
  const sg_term outer = *SG_TERM(all, outer_id);
  if (outer.nargs != 2)
    return;
  const sg_term left = *SG_TERM(all, outer.arg[0]);
  const sg_term right = *SG_TERM(all, outer.arg[1]);
  uint32_t at = 0;
  if (left.op == NULL || left.op != right.op || left.nargs != right.nargs ||
      differing(&left, &right, &at) != 1)
    return;
  for (uint32_t i = 0; i < left.op->nattrs; i++) {
    if (!sg_attr_same(&left.attr[i], &right.attr[i]))
      return;
  }
  sg_scratch to;
  as_node_id nodes[AS_MAX_ARGS];
  sg_made_op parts[2];
  sg_made_op before;
  sg_made_op joined;
  sg_made_op after;
  bool made = sg_scratch_init(&to, all);
  for (uint32_t i = 0; i < left.nargs && made; i++)
    made = (nodes[i] = sg_scratch_leaf(&to, left.arg[i])) != AS_NONE;
  as_node_id pair[2] = {nodes[at], made ? sg_scratch_leaf(&to, right.arg[at]) : AS_NONE};
  made = made && pair[1] != AS_NONE && sg_scratch_op(&to, &left, left.arg, nodes, &parts[0]);
  nodes[at] = pair[1];
  made = made && sg_scratch_op(&to, &right, right.arg, nodes, &parts[1]);
  as_node_id part_nodes[2] = {made ? parts[0].node : AS_NONE, made ? parts[1].node : AS_NONE};
  uint32_t inner_args[2] = {left.arg[at], right.arg[at]};
  made = made && sg_scratch_op(&to, &outer, outer.arg, part_nodes, &before) &&
         sg_scratch_op(&to, &outer, inner_args, pair, &joined);
  if (made) {
    uint32_t args[AS_MAX_ARGS];
    memcpy(args, left.arg, sizeof args);
    args[at] = joined.term;
    nodes[at] = joined.node;
    if (sg_scratch_op(&to, &left, args, nodes, &after) &&
        sg_same_meaning(&to, before.node, after.node) == SG_MEANS_SAME)
      sg_add_change(all, outer_id, (sg_change){after.term, false});
  }
  sg_scratch_clear(&to);
}

void sg_look_into(sg_terms *all, uint32_t id) {
  const sg_term outer = *SG_TERM(all, id);
  if (outer.looked_into || outer.op == NULL)
    return;
  SG_TERM(all, id)->looked_into = true;
  for (uint32_t place = 0; place < outer.nargs; place++) {
    const sg_term inner = *SG_TERM(all, outer.arg[place]);
    if (inner.op == NULL)
      continue;
    for (uint32_t set = 1; set < 1u << inner.nargs; set++) {
      if (__builtin_popcount(set) <= SG_MOST_SWAPPED)
        try_swap(all, id, place, set);
    }
  }
  try_factor(all, id);
  sg_try_through(all, id);
  sg_try_constant(all, id);
}
