/* The order in which a program's operators are looked at for kernels: each right before what first
 * needs it, from the outputs, so that the order of the text is of no matter.  What only moves
 * elements (transposes, slices, broadcasts, axes written as two) stands right before what reads it,
 * once for each reader.  A kernel reads or writes a tensor in any order of its elements, so a move
 * costs nothing where it is used, and a kernel of its own where it stands among operators that have
 * nothing to do with it. */
#include "cost_model.h"
#include "driver.h"
#include "match.h"
#include "segment.h"
#include "src/base/id.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool sg_op_moves(const as_opdef *op) {
  return op->nargs == 1 && op->nlet == 1 && op->let[0].body->kind == AS_E_ACCESS;
}

/* whether the expression reads a tensor at a computed place */
static bool has_computed_place(const as_expr *expr) {
  bool found = false;
  for (uint32_t i = 0; i < expr->n && !found; i++) {
    const as_expr *kid = expr->kid[i];
    if (!kid)
      continue;
    bool plain = kid->kind == AS_E_NAME || kid->kind == AS_E_NUM;
    found = (expr->kind == AS_E_ACCESS && !plain) || has_computed_place(kid);
  }
  return found;
}

bool sg_op_computes_place(const as_opdef *op) {
  return sg_op_moves(op) && has_computed_place(op->let[0].body);
}

static bool is_move(const as_node *node) {
  return node->kind == AS_N_OP && sg_op_moves(node->op);
}

/* by node: read at computed places, by an operator or behind moves; malloc'ed */
static bool *read_at_computed_places(const as_graph *program) {
  bool *computed = as_calloc(program->n + 1, sizeof *computed);
  for (uint32_t i = program->n; i-- > 0;) {
    const as_node *node = &program->node[i];
    if (node->kind != AS_N_OP)
      continue;
    bool computes = is_move(node) && computed[i];
    for (uint32_t k = 0; k < node->op->nlet && !is_move(node); k++)
      computes |= has_computed_place(node->op->let[k].body);
    for (uint32_t k = 0; k < node->nargs && computes; k++)
      computed[node->arg[k]] = true;
  }
  return computed;
}

/* Two axes as one that is not the last: a block that takes one index of it takes one axis of the
 * grid for each, and there are three. */
static bool joins_axes(const as_graph *program, uint32_t id) {
  const as_node *node = &program->node[id];
  if (!is_move(node) || sg_op_view(node->op) != SG_VIEW_MERGE || node->block != AS_NONE)
    return false;
  const as_node *of = &program->node[node->arg[0]];
  bool last = !as_graph_same_size(program, node->dim[node->rank - 1], of->dim[of->rank - 1]);
  return !last;
}

enum { CHAINED = 2 };

/* Where a result is only moved behind products of products: by node, the first of these moves.  A
 * block for all of it has as many ways more to order its axes. */
static void add_moved_last(const as_graph *program, bool *first) {
  uint32_t products = 0;
  for (uint32_t i = 0; i < program->n; i++)
    products += program->node[i].kind == AS_N_OP && sg_cost_is_contraction(&program->node[i]);
  for (uint32_t i = 0; i < program->n_output && products >= CHAINED; i++) {
    uint32_t id = program->output[i];
    while (is_move(&program->node[id]) && is_move(&program->node[program->node[id].arg[0]]))
      id = program->node[id].arg[0];
    first[id] |=
        is_move(&program->node[id]) && program->node[program->node[id].arg[0]].kind == AS_N_OP;
  }
}

bool *sg_joined_first(const as_graph *program, bool *any) {
  bool *joined = as_calloc(program->n + 1, sizeof *joined);
  *any = false;
  for (uint32_t i = 0; i < program->n; i++)
    joined[i] = joins_axes(program, i);
  add_moved_last(program, joined);
  for (uint32_t i = 0; i < program->n; i++)
    *any |= joined[i];
  return joined;
}

/* by node: joined axes, and moves behind which there are none but moves and these; malloc'ed */
static bool *made_joined(const as_graph *program) {
  bool any;
  bool *joined = sg_joined_first(program, &any);
  for (uint32_t i = program->n; i-- > 0;) {
    if (joined[i] && is_move(&program->node[i]))
      joined[program->node[i].arg[0]] = true;
  }
  return joined;
}

bool sg_moves_matter(const as_graph *program) {
  bool *computed = read_at_computed_places(program);
  bool matter = false;
  for (uint32_t i = 0; i < program->n; i++)
    matter |= computed[i] && is_move(&program->node[i]);
  free(computed);
  return matter;
}

bool *sg_late_moves(const as_graph *program, sg_moves moves) {
  bool *stays = moves == SG_MOVES_LATE_UNLESS_JOINED ? made_joined(program)
                                                     : read_at_computed_places(program);
  bool *is_late = as_calloc(program->n + 1, sizeof *is_late);
  uint32_t *last_use = sg_last_use(program);
  for (uint32_t i = 0; i < program->n && moves != SG_MOVES_AS_GIVEN; i++) {
    is_late[i] = is_move(&program->node[i]) && last_use[i] != AS_NONE && last_use[i] != 0 &&
                 !(stays[i] && moves != SG_MOVES_LATE);
  }
  free(stays);
  free(last_use);
  return is_late;
}

typedef struct {
  const as_graph *from;
  as_graph *to;
  as_node_id *made; /* by node of `from`; AS_NONE: not yet, or made for each reader */
  bool *is_late;    /* moved before its readers */
  uint32_t fresh;
  as_err err;
} ordering;

/* The program's name the first time.  What has none gets the name by which the claim calls it (the
 * second inner call of the statement that defines y is `y:2` there, `y_2` here), so that the prover
 * knows what a kernel's output should be; a copy gets a fresh one. */
static const char *name_of(ordering *work, uint32_t id, char *room, size_t size) {
  const as_graph *from = work->from;
  uint32_t statement = id;
  uint32_t place = 1;
  while (statement + 1 < from->n && !from->node[statement].is_named)
    statement++;
  const char *own = from->node[statement].is_named ? from->node[statement].name : NULL;
  for (uint32_t i = id; i-- > 0 && !from->node[i].is_named;)
    place += from->node[i].kind == AS_N_OP;
  if (own && statement != id) {
    snprintf(room, size, "%.*s_%u", (int)size - 12, own, place);
    own = room;
  }
  if (own && sg_name_is_free(work->to, own) && (own != room || sg_name_is_free(from, own)))
    return own;
  do
    snprintf(room, size, "v%u", ++work->fresh);
  while (!sg_name_is_free(from, room) || !sg_name_is_free(work->to, room));
  return room;
}

static as_node_id copy_node(ordering *work, uint32_t id) {
  const as_node *node = &work->from->node[id];
  as_node_id arg[AS_MAX_ARGS];
  char room[100];
  if (work->made[id] != AS_NONE)
    return work->made[id];
  if (as_graph_is_number(node)) {
    work->made[id] = as_graph_copy_number(work->to, node);
    return work->made[id];
  }
  for (uint32_t k = 0; k < node->nargs; k++) {
    arg[k] = copy_node(work, node->arg[k]);
    if (arg[k] == AS_NONE)
      return AS_NONE;
  }
  as_node_id made = as_graph_op(work->to, AS_NONE, name_of(work, id, room, sizeof room), node->op,
                                arg, node->nargs, node->attr, &work->err);
  if (!work->is_late[id])
    work->made[id] = made;
  return made;
}

static bool copy_inputs(ordering *work) {
  const as_graph *from = work->from;
  if (!sg_copy_sizes(work->to, from, &work->err))
    return false;
  for (uint32_t i = 0; i < from->n_input; i++) {
    const as_node *input = &from->node[from->input[i]];
    work->made[from->input[i]] =
        as_graph_input(work->to, input->name, input->dtype, input->dim, input->rank, &work->err);
    if (work->made[from->input[i]] == AS_NONE)
      return false;
  }
  return true;
}

/* the outputs in an order that does not depend on that of the text; malloc'ed */
static uint32_t *by_name(const as_graph *program) {
  uint32_t *output = as_malloc((program->n_output + 1) * sizeof *output);
  for (uint32_t i = 0; i < program->n_output; i++) {
    uint32_t place = i;
    const char *name = program->node[program->output[i]].name;
    for (; place > 0 && strcmp(program->node[output[place - 1]].name, name) > 0; place--)
      output[place] = output[place - 1];
    output[place] = program->output[i];
  }
  return output;
}

/* what the outputs need, operands first: an order that is the dataflow's own, whatever the text's
 */
static bool copy_all(ordering *work) {
  const as_graph *from = work->from;
  if (!copy_inputs(work))
    return false;
  bool copied = true;
  uint32_t *output = by_name(from);
  for (uint32_t i = 0; i < from->n_output && copied; i++)
    copied = copy_node(work, output[i]) != AS_NONE;
  free(output);
  for (uint32_t i = 0; i < from->n_output && copied; i++) {
    if (!as_graph_output(work->to, work->made[from->output[i]], &work->err))
      return false;
  }
  return copied;
}

as_graph *sg_reordered(const as_graph *program, sg_moves moves) {
  ordering work = {.from = program,
                   .to = as_graph_new(program->sizes, program->lib, NULL, program->name),
                   .made = as_malloc((program->n + 1) * sizeof(as_node_id)),
                   .is_late = sg_late_moves(program, moves)};
  as_err_init(&work.err);
  for (uint32_t i = 0; i < program->n; i++)
    work.made[i] = AS_NONE;
  if (!copy_all(&work)) {
    as_graph_free(work.to);
    work.to = NULL;
  }
  free(work.made);
  free(work.is_late);
  as_err_clear(&work.err);
  return work.to;
}
