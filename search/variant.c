/* The same program with its operators in another order: reassociated, distributed, factored.
 *
 * No rule names an operator.  What may be changed of a term is in variant_change.c and
 * variant_through.c; the candidates that come of it are proved as whole programs like any other, so
 * what is too generous there costs a candidate.  Terms are shared among all orders, and the changes
 * of a term are looked for once; a sum is the same term as the one of its operands swapped.  Orders
 * are gone through cheapest first, by what their operators cost apart, up to a stated number. */
#include "src/base/map.h"
#include "src/base/trace.h"
#include "variant_int.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_EXPANDED = 48, /* orders whose neighbours are looked at */
  MOST_TERMS = 4000,
  WORTH_PERCENT = 97
};

static const double LITTLE = 1e-6;

typedef struct {
  uint32_t *output;
  double us;
  double turn; /* what is gone through first: us, or less where an order leads to less work */
  bool expanded;
} order;

#define ORDER(v, i) (&AS_VEC_AT(&(v)->orders, order, i))

static bool same_number(const as_graph *program, uint32_t left, uint32_t right) {
  const as_node *one = &program->node[left];
  const as_node *other = &program->node[right];
  if (!as_graph_is_number(one) || one->kind != other->kind)
    return false;
  return one->kind == AS_N_SIZE ? one->size == other->size : mpq_equal(one->value, other->value);
}

static bool same_leaf(const sg_terms *all, const sg_term *one, const sg_term *other) {
  if (one->source == AS_NONE || other->source == AS_NONE)
    return one->source == other->source && one->number == other->number;
  return one->source == other->source || same_number(all->program, one->source, other->source);
}

static bool same_operands(const sg_term *one, const sg_term *other) {
  if (!memcmp(one->arg, other->arg, one->nargs * sizeof *one->arg))
    return true;
  return sg_op_commutes(one->op) && one->arg[0] == other->arg[1] && one->arg[1] == other->arg[0];
}

static bool same_term(const sg_terms *all, const sg_term *one, const sg_term *other) {
  if (one->op == NULL || other->op == NULL)
    return one->op == other->op && same_leaf(all, one, other);
  if (one->op != other->op || one->nargs != other->nargs || !same_operands(one, other))
    return false;
  for (uint32_t i = 0; i < one->op->nattrs; i++) {
    if (!sg_attr_same(&one->attr[i], &other->attr[i]))
      return false;
  }
  return true;
}

uint32_t sg_add_term(sg_terms *all, const sg_term *made) {
  for (uint32_t i = 0; i < all->terms.n; i++) {
    sg_term *known = SG_TERM(all, i);
    if (!same_term(all, known, made))
      continue;
    if (known->means == 0)
      known->means = made->means;
    return i;
  }
  as_vec_push(&all->terms, made);
  as_vec_init(&SG_TERM(all, all->terms.n - 1)->changes, sizeof(sg_change));
  return (uint32_t)all->terms.n - 1;
}

static bool same_shape(const sg_term *one, const sg_term *other) {
  return one->rank == other->rank && !memcmp(one->dim, other->dim, one->rank * sizeof *one->dim);
}

void sg_add_change(sg_terms *all, uint32_t of, sg_change change) {
  if (of == change.to || !same_shape(SG_TERM(all, of), SG_TERM(all, change.to)))
    return;
  if (SG_TERM(all, change.to)->means == 0)
    SG_TERM(all, change.to)->means = SG_TERM(all, of)->means;
  as_vec *changes = &SG_TERM(all, of)->changes;
  for (uint32_t i = 0; i < changes->n; i++) {
    sg_change *known = &AS_VEC_AT(changes, sg_change, i);
    if (known->to == change.to) {
      known->less_work |= change.less_work;
      return;
    }
  }
  as_vec_push(changes, &change);
}

/* --- orders of the whole program */
/* the terms that the outputs need, operands first, each once; malloc'ed */
static uint32_t *reachable(const sg_terms *all, const uint32_t *output, uint32_t *n) {
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
    const sg_term *at = SG_TERM(all, id);
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

/* An order that comes of a change to less work is gone through before all that are no cheaper than
 * the one it comes from (`before`). */
static void add_order(sg_terms *all, const uint32_t *output, double before) {
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
    added.us += SG_TERM(all, list[i])->us;
  free(list);
  added.turn = added.us < before ? added.us : before;
  as_vec_push(&all->orders, &added);
}

/* the outputs with one term taken for another, everywhere */
static void substitute(sg_terms *all, const uint32_t *list, uint32_t n, const uint32_t *output,
                       uint32_t from, uint32_t to, uint32_t *result) {
  uint32_t *now = as_malloc((all->terms.n + 1) * sizeof *now);
  for (uint32_t i = 0; i < n; i++) {
    sg_term copy = *SG_TERM(all, list[i]);
    bool changed = false;
    for (uint32_t k = 0; k < copy.nargs; k++) {
      uint32_t arg = now[copy.arg[k]];
      changed |= arg != copy.arg[k];
      copy.arg[k] = arg;
    }
    copy.source = AS_NONE;
    copy.looked_into = false;
    now[list[i]] = list[i] == from ? to : changed ? sg_add_term(all, &copy) : list[i];
  }
  for (uint32_t i = 0; i < all->program->n_output; i++)
    result[i] = now[output[i]];
  free(now);
}

static void expand(sg_terms *all, uint32_t which) {
  uint32_t n_output = all->program->n_output;
  uint32_t *output = as_malloc((n_output + 1) * sizeof *output);
  uint32_t *result = as_malloc((n_output + 1) * sizeof *result);
  uint32_t n;
  memcpy(output, ORDER(all, which)->output, n_output * sizeof *output);
  ORDER(all, which)->expanded = true;
  double sooner = ORDER(all, which)->turn * (1 - LITTLE);
  uint32_t *list = reachable(all, output, &n);
  for (uint32_t i = 0; i < n; i++) {
    sg_look_into(all, list[i]);
    for (uint32_t k = 0; k < SG_TERM(all, list[i])->changes.n; k++) {
      sg_change change = AS_VEC_AT(&SG_TERM(all, list[i])->changes, sg_change, k);
      substitute(all, list, n, output, list[i], change.to, result);
      add_order(all, result, change.less_work ? sooner : HUGE_VAL);
    }
  }
  free(list);
  free(output);
  free(result);
}

/* the cheapest order that is not expanded; AS_NONE: there is none */
static uint32_t next_order(const sg_terms *all) {
  uint32_t best = AS_NONE;
  for (uint32_t i = 0; i < all->orders.n; i++) {
    if (!ORDER(all, i)->expanded &&
        (best == AS_NONE || ORDER(all, i)->turn < ORDER(all, best)->turn))
      best = i;
  }
  return best;
}

/* --- as programs */
/* An output has the program's name, a term that has the value of one of the program that one's, any
 * other a fresh one: by its name the prover knows which of the program's tensors it may be. */
static const char *name_of(const sg_terms *all, const as_graph *graph, const uint32_t *output,
                           uint32_t id, uint32_t *fresh, char *room, size_t size) {
  const as_graph *program = all->program;
  for (uint32_t i = 0; i < program->n_output; i++) {
    if (output[i] == id)
      return program->node[program->output[i]].name;
  }
  uint32_t means = SG_TERM(all, id)->means;
  bool is_output = false;
  for (uint32_t i = 0; i < program->n_output; i++)
    is_output |= program->output[i] + 1 == means;
  if (means > 0 && !is_output && program->node[means - 1].name &&
      sg_name_is_free(graph, program->node[means - 1].name))
    return program->node[means - 1].name;
  do
    snprintf(room, size, "v%u", ++*fresh);
  while (!sg_name_is_free(program, room));
  return room;
}

static as_graph *as_program(const sg_terms *all, const uint32_t *output) {
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
      if (SG_TERM(all, list[k])->source == program->input[i])
        node[list[k]] = id;
    }
  }
  for (uint32_t i = 0; i < n && made; i++) {
    const sg_term *at = SG_TERM(all, list[i]);
    as_node_id arg[AS_MAX_ARGS];
    char room[16];
    if (at->op == NULL) {
      if (at->source == AS_NONE)
        node[list[i]] = sg_graph_number(graph, at->number);
      else if (as_graph_is_number(&program->node[at->source]))
        node[list[i]] = as_graph_copy_number(graph, &program->node[at->source]);
      continue;
    }
    for (uint32_t k = 0; k < at->nargs; k++)
      arg[k] = node[at->arg[k]];
    node[list[i]] =
        as_graph_op(graph, AS_NONE, name_of(all, graph, output, list[i], &fresh, room, sizeof room),
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

static void read_program(sg_terms *all, uint32_t *output) {
  const as_graph *program = all->program;
  uint32_t *at = as_malloc((program->n + 1) * sizeof *at);
  for (uint32_t i = 0; i < program->n; i++) {
    const as_node *node = &program->node[i];
    sg_term read = {.source = i,
                    .means = i + 1,
                    .nargs = node->kind == AS_N_OP ? node->nargs : 0,
                    .rank = node->rank};
    memcpy(read.dim, node->dim, sizeof read.dim);
    if (node->kind == AS_N_OP) {
      read.op = node->op;
      read.attr = node->attr;
      read.us = all->concrete ? as_cost_operator(program, i, all->target) : 0;
    }
    for (uint32_t k = 0; k < read.nargs; k++)
      read.arg[k] = at[node->arg[k]];
    at[i] = sg_add_term(all, &read);
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
static void trace_order(const sg_terms *all, const order *of) {
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
  sg_terms all = {.program = program, .target = target, .concrete = concrete};
  as_graph **graphs = as_calloc(most + 1, sizeof(as_graph *));
  uint32_t *output = as_malloc((program->n_output + 1) * sizeof *output);
  *n = 0;
  as_vec_init(&all.terms, sizeof(sg_term));
  as_vec_init(&all.orders, sizeof(order));
  as_vec_init(&all.attrs, sizeof(as_attr *));
  read_program(&all, output);
  add_order(&all, output, HUGE_VAL);
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
    as_vec_clear(&SG_TERM(&all, i)->changes);
  for (uint32_t i = 0; i < all.orders.n; i++)
    free(ORDER(&all, i)->output);
  for (uint32_t i = 0; i < all.attrs.n; i++) {
    as_attr *made = AS_VEC_AT(&all.attrs, as_attr *, i);
    for (uint32_t k = 0; k < AS_MAX_ATTRS; k++)
      as_attr_clear(&made[k]);
    free(made);
  }
  as_vec_clear(&all.terms);
  as_vec_clear(&all.orders);
  as_vec_clear(&all.attrs);
  free(output);
  return graphs;
}
