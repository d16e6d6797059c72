/* The same program with its operators in another order: reassociated, distributed, factored.
 *
 * No rule names an operator.  Where an operator f reads another, g, they change places: f goes to
 * one or more operands of g (operator propagation: Axon, section 4.2),
 *
 *     f(g(x, y), z)  ->  g(f(x, z), y),  g(x, f(y, z)),  g(f(x, z), f(y, z))
 *
 * and where f reads g twice, with one operand that differs, f goes before it:
 *
 *     f(g(x, y), g(x, z))  ->  g(x, f(y, z)).
 *
 * A change is kept when both sides have the same abstract expression, by the operators' own
 * specifications; the candidates that come of it are proved as whole programs like any other, so
 * what is too generous here costs a candidate.  Terms are shared among all orders, and the changes
 * of a term are looked for once; a sum is the same term as the one of its operands swapped.  Orders
 * are gone through cheapest first, by what their operators cost apart, up to a stated number. */
#include "variant.h"
#include "segment.h"
#include "src/base/map.h"
#include "src/base/trace.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_EXPANDED = 48, /* orders whose neighbours are looked at */
  MOST_TERMS = 4000,
  MOST_SWAPPED = 3, /* operands that f may be cloned to */
  WORTH_PERCENT = 97
};

typedef struct {
  uint32_t source;     /* the program's node, or AS_NONE: made here */
  const as_opdef *op;  /* NULL: an input or a number */
  const as_attr *attr; /* a node's of the program */
  uint32_t nargs;
  uint32_t arg[AS_MAX_ARGS];
  uint32_t rank;
  as_size dim[AS_MAX_RANK];
  double us; /* as a predefined kernel */
  bool looked_into;
  as_vec changes; /* uint32_t: equal terms */
} term;

typedef struct {
  uint32_t *output;
  double us;
  bool expanded;
} order;

typedef struct {
  const as_graph *program;
  const as_target *target;
  bool concrete;
  as_vec terms;  /* term */
  as_vec orders; /* order */
} variants;

#define TERM(v, i) (&AS_VEC_AT(&(v)->terms, term, i))
#define ORDER(v, i) (&AS_VEC_AT(&(v)->orders, order, i))

static bool same_number(const as_graph *program, uint32_t left, uint32_t right) {
  const as_node *one = &program->node[left];
  const as_node *other = &program->node[right];
  if (!as_graph_is_number(one) || one->kind != other->kind)
    return false;
  return one->kind == AS_N_SIZE ? one->size == other->size : mpq_equal(one->value, other->value);
}

static bool same_operands(const term *one, const term *other) {
  if (!memcmp(one->arg, other->arg, one->nargs * sizeof *one->arg))
    return true;
  return sg_op_commutes(one->op) && one->arg[0] == other->arg[1] && one->arg[1] == other->arg[0];
}

static bool same_term(const variants *all, const term *one, const term *other) {
  if (one->op == NULL || other->op == NULL)
    return one->op == other->op &&
           (one->source == other->source || same_number(all->program, one->source, other->source));
  if (one->op != other->op || one->nargs != other->nargs || !same_operands(one, other))
    return false;
  for (uint32_t i = 0; i < one->op->nattrs; i++) {
    if (!sg_attr_same(&one->attr[i], &other->attr[i]))
      return false;
  }
  return true;
}

static uint32_t add_term(variants *all, const term *made) {
  for (uint32_t i = 0; i < all->terms.n; i++) {
    if (same_term(all, TERM(all, i), made))
      return i;
  }
  as_vec_push(&all->terms, made);
  as_vec_init(&TERM(all, all->terms.n - 1)->changes, sizeof(uint32_t));
  return (uint32_t)all->terms.n - 1;
}

/* --- terms of one change, as a program of their own whose inputs are what both sides read */
typedef struct {
  variants *all;
  as_graph *graph;
  uint32_t leaf[2 * AS_MAX_ARGS];
  as_node_id leaf_node[2 * AS_MAX_ARGS];
  uint32_t n_leaf;
  as_err err;
} scratch;

static bool scratch_init(scratch *to, variants *all) {
  const as_graph *program = all->program;
  *to = (scratch){.all = all,
                  .graph = as_graph_new(program->sizes, program->lib, NULL, program->name)};
  to->graph->is_piece = true;
  to->graph->type = as_graph_type(program);
  as_err_init(&to->err);
  return sg_copy_sizes(to->graph, program, &to->err);
}

static void scratch_clear(scratch *to) {
  as_graph_free(to->graph);
  as_err_clear(&to->err);
}

static as_node_id leaf_node(scratch *to, uint32_t id) {
  const term *read = TERM(to->all, id);
  const as_node *node = read->source == AS_NONE ? NULL : &to->all->program->node[read->source];
  char name[16];
  for (uint32_t i = 0; i < to->n_leaf; i++) {
    if (to->leaf[i] == id)
      return to->leaf_node[i];
  }
  snprintf(name, sizeof name, "x%u", to->n_leaf);
  as_node_id made = node && as_graph_is_number(node)
                        ? as_graph_copy_number(to->graph, node)
                        : as_graph_input(to->graph, name, AS_F32, read->dim, read->rank, &to->err);
  to->leaf[to->n_leaf] = id;
  to->leaf_node[to->n_leaf++] = made;
  return made;
}

/* an operator on nodes of the scratch program, and as a term */
typedef struct {
  as_node_id node;
  uint32_t term;
} made_op;

/* false: not well-formed on such operands */
static bool make_op(scratch *to, const term *like, const uint32_t *arg, const as_node_id *arg_node,
                    made_op *out) {
  term made = {.source = AS_NONE, .op = like->op, .attr = like->attr, .nargs = like->nargs};
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
  out->term = add_term(to->all, &made);
  return true;
}

/* whether two nodes of the scratch program have the same abstract expression on the same axes */
static bool same_meaning(scratch *to, as_node_id left, as_node_id right) {
  const as_graph *graph = to->graph;
  uint32_t *ops = as_malloc((graph->n + 1) * sizeof *ops);
  uint32_t n_ops = 0;
  for (uint32_t i = 0; i < graph->n; i++) {
    if (graph->node[i].kind == AS_N_OP)
      ops[n_ops++] = i;
  }
  uint32_t *last_use = sg_last_use(graph);
  sg_part part;
  bool same = sg_part_init(&part, graph, ops, n_ops, last_use);
  free(ops);
  free(last_use);
  if (!same)
    return false;
  ax_id *expr = as_calloc(part.n + 1, sizeof *expr);
  sg_axes *axes = as_calloc(part.n + 1, sizeof *axes);
  sg_ctx ctx = {.A = ax_new(), .part = &part, .sizes = graph->sizes, .strict_ones = true};
  for (uint32_t cls = 0; cls < part.n_classes; cls++) {
    ctx.whole[cls] = ctx.tile[cls] = sg_size_expr(&ctx, part.classes[cls].extent);
    ctx.loop[cls] = AX_ONE;
    same &= ctx.whole[cls] != AX_BAD;
  }
  same = same && sg_program_exprs(&ctx, expr, axes);
  uint32_t at[2] = {0, 0};
  for (uint32_t i = 0; i < part.n; i++) {
    if (part.tensor[i] == left)
      at[0] = i;
    if (part.tensor[i] == right)
      at[1] = i;
  }
  same = same && expr[at[0]] == expr[at[1]] && sg_axes_eq(&axes[at[0]], &axes[at[1]]);
  free(expr);
  free(axes);
  ax_free(ctx.A);
  sg_part_clear(&part);
  return same;
}

static bool same_shape(const term *one, const term *other) {
  return one->rank == other->rank && !memcmp(one->dim, other->dim, one->rank * sizeof *one->dim);
}

static void add_change(variants *all, uint32_t of, uint32_t to) {
  if (of == to || !same_shape(TERM(all, of), TERM(all, to)))
    return;
  as_vec *changes = &TERM(all, of)->changes;
  for (uint32_t i = 0; i < changes->n; i++) {
    if (AS_VEC_AT(changes, uint32_t, i) == to)
      return;
  }
  as_vec_push(changes, &to);
}

/* f(.., g(x..) at `place`, ..)  ->  g(.., f(.., x_i, ..), ..) for the operands of g in `set` */
static void try_swap(variants *all, uint32_t outer_id, uint32_t place, uint32_t set) {
  scratch to;
  const term outer = *TERM(all, outer_id);
  const term inner = *TERM(all, outer.arg[place]);
  as_node_id outer_nodes[AS_MAX_ARGS];
  as_node_id inner_nodes[AS_MAX_ARGS];
  uint32_t changed_args[AS_MAX_ARGS];
  as_node_id changed_nodes[AS_MAX_ARGS];
  made_op read;
  made_op before;
  made_op after;
  bool made = scratch_init(&to, all);
  for (uint32_t i = 0; i < inner.nargs && made; i++)
    made = (inner_nodes[i] = leaf_node(&to, inner.arg[i])) != AS_NONE;
  for (uint32_t i = 0; i < outer.nargs && made; i++)
    made = i == place || (outer_nodes[i] = leaf_node(&to, outer.arg[i])) != AS_NONE;
  made = made && make_op(&to, &inner, inner.arg, inner_nodes, &read);
  if (made)
    outer_nodes[place] = read.node;
  made = made && make_op(&to, &outer, outer.arg, outer_nodes, &before);
  for (uint32_t i = 0; i < inner.nargs && made; i++) {
    uint32_t args[AS_MAX_ARGS];
    made_op moved = {inner_nodes[i], inner.arg[i]};
    memcpy(args, outer.arg, sizeof args);
    args[place] = inner.arg[i];
    outer_nodes[place] = inner_nodes[i];
    made = !(set >> i & 1) || make_op(&to, &outer, args, outer_nodes, &moved);
    changed_args[i] = moved.term;
    changed_nodes[i] = moved.node;
  }
  if (made && make_op(&to, &inner, changed_args, changed_nodes, &after) &&
      same_meaning(&to, before.node, after.node))
    add_change(all, outer_id, after.term);
  scratch_clear(&to);
}

static uint32_t differing(const term *one, const term *other, uint32_t *at) {
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
static void try_factor(variants *all, uint32_t outer_id) {
  const term outer = *TERM(all, outer_id);
  if (outer.nargs != 2)
    return;
  const term left = *TERM(all, outer.arg[0]);
  const term right = *TERM(all, outer.arg[1]);
  uint32_t at = 0;
  if (left.op == NULL || left.op != right.op || left.nargs != right.nargs ||
      differing(&left, &right, &at) != 1)
    return;
  for (uint32_t i = 0; i < left.op->nattrs; i++) {
    if (!sg_attr_same(&left.attr[i], &right.attr[i]))
      return;
  }
  scratch to;
  as_node_id nodes[AS_MAX_ARGS];
  made_op parts[2];
  made_op before;
  made_op joined;
  made_op after;
  bool made = scratch_init(&to, all);
  for (uint32_t i = 0; i < left.nargs && made; i++)
    made = (nodes[i] = leaf_node(&to, left.arg[i])) != AS_NONE;
  as_node_id pair[2] = {nodes[at], made ? leaf_node(&to, right.arg[at]) : AS_NONE};
  made = made && pair[1] != AS_NONE && make_op(&to, &left, left.arg, nodes, &parts[0]);
  nodes[at] = pair[1];
  made = made && make_op(&to, &right, right.arg, nodes, &parts[1]);
  as_node_id part_nodes[2] = {made ? parts[0].node : AS_NONE, made ? parts[1].node : AS_NONE};
  uint32_t inner_args[2] = {left.arg[at], right.arg[at]};
  made = made && make_op(&to, &outer, outer.arg, part_nodes, &before) &&
         make_op(&to, &outer, inner_args, pair, &joined);
  if (made) {
    uint32_t args[AS_MAX_ARGS];
    memcpy(args, left.arg, sizeof args);
    args[at] = joined.term;
    nodes[at] = joined.node;
    if (make_op(&to, &left, args, nodes, &after) && same_meaning(&to, before.node, after.node))
      add_change(all, outer_id, after.term);
  }
  scratch_clear(&to);
}

static void look_into(variants *all, uint32_t id) {
  const term outer = *TERM(all, id);
  if (outer.looked_into || outer.op == NULL)
    return;
  TERM(all, id)->looked_into = true;
  for (uint32_t place = 0; place < outer.nargs; place++) {
    const term inner = *TERM(all, outer.arg[place]);
    if (inner.op == NULL)
      continue;
    for (uint32_t set = 1; set < 1u << inner.nargs; set++) {
      if (__builtin_popcount(set) <= MOST_SWAPPED)
        try_swap(all, id, place, set);
    }
  }
  try_factor(all, id);
}

/* --- orders of the whole program */
/* the terms that the outputs need, operands first, each once; malloc'ed */
static uint32_t *reachable(const variants *all, const uint32_t *output, uint32_t *n) {
  uint32_t n_terms = (uint32_t)all->terms.n;
  bool *seen = as_calloc(n_terms + 1, sizeof *seen);
  uint32_t *stack = as_malloc((n_terms * AS_MAX_ARGS + all->program->n_output + 1) * sizeof *stack);
  uint32_t *list = as_malloc((n_terms + 1) * sizeof *list);
  uint32_t depth = 0;
  *n = 0;
  for (uint32_t i = all->program->n_output; i-- > 0;)
    stack[depth++] = output[i];
  while (depth > 0) {
    uint32_t id = stack[depth - 1];
    const term *at = TERM(all, id);
    bool ready = true;
    if (seen[id]) {
      depth--;
      continue;
    }
    for (uint32_t i = at->nargs; i-- > 0;) {
      if (!seen[at->arg[i]]) {
        stack[depth++] = at->arg[i];
        ready = false;
      }
    }
    if (!ready)
      continue;
    seen[id] = true;
    list[(*n)++] = id;
    depth--;
  }
  free(seen);
  free(stack);
  return list;
}

static void add_order(variants *all, const uint32_t *output) {
  uint32_t n_output = all->program->n_output;
  order added = {.output = as_malloc((n_output + 1) * sizeof *added.output)};
  for (uint32_t i = 0; i < all->orders.n; i++) {
    if (!memcmp(ORDER(all, i)->output, output, n_output * sizeof *output)) {
      free(added.output);
      return;
    }
  }
  memcpy(added.output, output, n_output * sizeof *output);
  uint32_t n;
  uint32_t *list = reachable(all, output, &n);
  for (uint32_t i = 0; i < n; i++)
    added.us += TERM(all, list[i])->us;
  free(list);
  as_vec_push(&all->orders, &added);
}

/* the outputs with one term taken for another, everywhere */
static void substitute(variants *all, const uint32_t *list, uint32_t n, const uint32_t *output,
                       uint32_t from, uint32_t to, uint32_t *result) {
  uint32_t *now = as_malloc((all->terms.n + 1) * sizeof *now);
  for (uint32_t i = 0; i < n; i++) {
    term copy = *TERM(all, list[i]);
    bool changed = false;
    for (uint32_t k = 0; k < copy.nargs; k++) {
      uint32_t arg = now[copy.arg[k]];
      changed |= arg != copy.arg[k];
      copy.arg[k] = arg;
    }
    copy.source = AS_NONE;
    copy.looked_into = false;
    now[list[i]] = list[i] == from ? to : changed ? add_term(all, &copy) : list[i];
  }
  for (uint32_t i = 0; i < all->program->n_output; i++)
    result[i] = now[output[i]];
  free(now);
}

static void expand(variants *all, uint32_t which) {
  uint32_t n_output = all->program->n_output;
  uint32_t *output = as_malloc((n_output + 1) * sizeof *output);
  uint32_t *result = as_malloc((n_output + 1) * sizeof *result);
  uint32_t n;
  memcpy(output, ORDER(all, which)->output, n_output * sizeof *output);
  ORDER(all, which)->expanded = true;
  uint32_t *list = reachable(all, output, &n);
  for (uint32_t i = 0; i < n; i++) {
    look_into(all, list[i]);
    for (uint32_t k = 0; k < TERM(all, list[i])->changes.n; k++) {
      uint32_t to = AS_VEC_AT(&TERM(all, list[i])->changes, uint32_t, k);
      substitute(all, list, n, output, list[i], to, result);
      add_order(all, result);
    }
  }
  free(list);
  free(output);
  free(result);
}

/* the cheapest order that is not expanded; AS_NONE: there is none */
static uint32_t next_order(const variants *all) {
  uint32_t best = AS_NONE;
  for (uint32_t i = 0; i < all->orders.n; i++) {
    if (!ORDER(all, i)->expanded && (best == AS_NONE || ORDER(all, i)->us < ORDER(all, best)->us))
      best = i;
  }
  return best;
}

/* --- as programs */
/* an output has the program's name, a term of the program its own, any other a fresh one */
static const char *name_of(const variants *all, const uint32_t *output, uint32_t id,
                           uint32_t *fresh, char *room, size_t size) {
  const as_graph *program = all->program;
  for (uint32_t i = 0; i < program->n_output; i++) {
    if (output[i] == id)
      return program->node[program->output[i]].name;
  }
  uint32_t source = TERM(all, id)->source;
  bool is_output = false;
  for (uint32_t i = 0; i < program->n_output; i++)
    is_output |= program->output[i] == source;
  if (source != AS_NONE && !is_output)
    return program->node[source].name;
  do
    snprintf(room, size, "v%u", ++*fresh);
  while (!sg_name_is_free(program, room));
  return room;
}

static as_graph *as_program(const variants *all, const uint32_t *output) {
  const as_graph *program = all->program;
  as_graph *graph = as_graph_new(program->sizes, program->lib, NULL, program->name);
  as_node_id *node = as_malloc((all->terms.n + 1) * sizeof *node);
  uint32_t n;
  uint32_t *list = reachable(all, output, &n);
  uint32_t fresh = 0;
  as_err err;
  as_err_init(&err);
  bool made = sg_copy_sizes(graph, program, &err);
  for (uint32_t i = 0; i < program->n_input && made; i++) {
    const as_node *input = &program->node[program->input[i]];
    as_node_id id = as_graph_input(graph, input->name, input->dtype, input->dim, input->rank, &err);
    made = id != AS_NONE;
    for (uint32_t k = 0; k < n; k++) {
      if (TERM(all, list[k])->source == program->input[i])
        node[list[k]] = id;
    }
  }
  for (uint32_t i = 0; i < n && made; i++) {
    const term *at = TERM(all, list[i]);
    as_node_id arg[AS_MAX_ARGS];
    char room[16];
    if (at->op == NULL) {
      if (as_graph_is_number(&program->node[at->source]))
        node[list[i]] = as_graph_copy_number(graph, &program->node[at->source]);
      continue;
    }
    for (uint32_t k = 0; k < at->nargs; k++)
      arg[k] = node[at->arg[k]];
    node[list[i]] =
        as_graph_op(graph, AS_NONE, name_of(all, output, list[i], &fresh, room, sizeof room),
                    at->op, arg, at->nargs, at->attr, &err);
    made = node[list[i]] != AS_NONE;
  }
  for (uint32_t i = 0; i < program->n_output && made; i++)
    made = as_graph_output(graph, node[output[i]], &err);
  free(list);
  free(node);
  as_err_clear(&err);
  if (made)
    return graph;
  as_graph_free(graph);
  return NULL;
}

static void read_program(variants *all, uint32_t *output) {
  const as_graph *program = all->program;
  uint32_t *at = as_malloc((program->n + 1) * sizeof *at);
  for (uint32_t i = 0; i < program->n; i++) {
    const as_node *node = &program->node[i];
    term read = {.source = i, .nargs = node->kind == AS_N_OP ? node->nargs : 0, .rank = node->rank};
    memcpy(read.dim, node->dim, sizeof read.dim);
    if (node->kind == AS_N_OP) {
      read.op = node->op;
      read.attr = node->attr;
      read.us = all->concrete ? as_cost_operator(program, i, all->target) : 0;
    }
    for (uint32_t k = 0; k < read.nargs; k++)
      read.arg[k] = at[node->arg[k]];
    at[i] = add_term(all, &read);
  }
  for (uint32_t i = 0; i < program->n_output; i++)
    output[i] = at[program->output[i]];
  free(at);
}

static bool has_outputs_apart(const order *one, uint32_t n_output) {
  for (uint32_t i = 0; i < n_output; i++) {
    for (uint32_t j = 0; j < i; j++) {
      if (one->output[i] == one->output[j])
        return false;
    }
  }
  return true;
}

static int compare_orders(const void *left, const void *right) {
  const order *first = left;
  const order *second = right;
  return first->us < second->us ? -1 : first->us > second->us;
}

/* --trace=search: an order that was gone through, as a program */
static void trace_order(const variants *all, const order *of) {
  if (!AS_TRACE_ON(SEARCH))
    return;
  as_graph *graph = as_program(all, of->output);
  char *text = graph ? as_print_tp_alone(graph) : NULL;
  AS_TRACE(SEARCH, "an order of the operators, %.4g us apart:\n%s", of->us,
           text ? text : "no program");
  free(text);
  if (graph)
    as_graph_free(graph);
}

as_graph **sg_variants(const as_graph *program, const as_target *target, bool concrete,
                       uint32_t most, uint32_t *n, uint64_t *struck) {
  variants all = {.program = program, .target = target, .concrete = concrete};
  as_graph **graphs = as_calloc(most + 1, sizeof(as_graph *));
  uint32_t *output = as_malloc((program->n_output + 1) * sizeof *output);
  *n = 0;
  as_vec_init(&all.terms, sizeof(term));
  as_vec_init(&all.orders, sizeof(order));
  read_program(&all, output);
  add_order(&all, output);
  double worth = ORDER(&all, 0)->us * WORTH_PERCENT / 100;
  uint32_t next;
  uint32_t expanded = 0;
  while ((next = next_order(&all)) != AS_NONE && concrete) {
    if (expanded++ == MOST_EXPANDED || all.terms.n > MOST_TERMS) {
      struck[AS_LIMIT_ORDERS]++;
      break;
    }
    expand(&all, next);
  }
  qsort(all.orders.data, all.orders.n, sizeof(order), compare_orders);
  for (uint32_t i = 0; i < all.orders.n; i++)
    trace_order(&all, ORDER(&all, i));
  for (uint32_t i = 0; i < all.orders.n && *n < most; i++) {
    const order *chosen = ORDER(&all, i);
    if (chosen->us >= worth || !has_outputs_apart(chosen, program->n_output))
      continue;
    as_graph *graph = as_program(&all, chosen->output);
    if (graph)
      graphs[(*n)++] = graph;
    AS_TRACE(SEARCH, "searched as well: the order of %.4g us apart", chosen->us);
  }
  for (uint32_t i = 0; i < all.terms.n; i++)
    as_vec_clear(&TERM(&all, i)->changes);
  for (uint32_t i = 0; i < all.orders.n; i++)
    free(ORDER(&all, i)->output);
  as_vec_clear(&all.terms);
  as_vec_clear(&all.orders);
  free(output);
  return graphs;
}
