/* Types in memory of tensors between kernels, for programs that read 16 bits.
 *
 * The theorem is about real numbers, so the type of what one kernel leaves for another is free: 16
 * bits are half of the traffic, and what tensor cores and libraries multiply; 32 bits keep what a
 * later operator would make much of.  The choice is made by node from what makes a value (going
 * forward) and from what reads it (going backward), across kernels and blocks alike:
 *
 *   operand   a product reads it as it is: it has 16 bits, as products of 16 bits want it
 *   factor    it reaches products alone, through operators element by element
 *   tame      it is made of inputs and products by sums, scaling, views and bounded functions, so
 *             that it is about as large as these, and no reader makes much of its rounding
 *
 * Readers that do are: exponentials that nothing bounds (a sigmoid's stands below a quotient),
 * differences, comparisons and choices by it, positions, functions with steps, and sums of parts
 * of one product.  What may be beyond 16 bits (`wild`) keeps 32 whoever reads it: an exponential
 * that nothing divides yet, and what is summed up of it; and what grows with an input faster than
 * the input does, and than all that the program given rounds to 16 bits (the squares of a norm that
 * is one operator of the framework which the program comes from). */
#include "graph_types.h"
#include "graph_degrees.h"
#include "src/base/id.h"
#include "src/base/mem.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* numbers that 16 bits of either kind hold to their precision */
static const double LEAST_TAME = 6.2e-5;
static const double MOST_TAME = 6e4;

typedef struct {
  bool operand;    /* read as it is by a product */
  bool factor;     /* all that reads it are products, in the end */
  bool is_read;    /* by anything */
  bool exact;      /* some reader wants 32 bits */
  bool is_tame;    /* as large as inputs and products are */
  bool is_wild;    /* of an exponential that nothing divides yet, or outgrows the inputs */
  bool multiplies; /* is the sum of a product, of a tile or all of it */
} flow;

static bool is_reduction(as_ekind kind) {
  return kind >= AS_E_SUM && kind <= AS_E_MINR;
}

/* does the expression read an element of the tensor; NULL: of any argument or definition? */
static bool reads(const char *tensor, const as_expr *e) {
  if (e->kind == AS_E_ACCESS && (!tensor || !strcmp(e->name, tensor)))
    return true;
  for (uint32_t i = 0; i < e->n; i++) {
    if (e->kid[i] && reads(tensor, e->kid[i]))
      return true;
  }
  return false;
}

static bool reads_data(const as_expr *e) {
  return reads(NULL, e);
}

/* a sum of products of two elements, over one index or several */
static bool is_product(const as_node *node) {
  if (node->kind != AS_N_OP || node->nargs < 2)
    return false;
  const as_expr *body = node->op->let[node->op->nlet - 1].body;
  bool sums = false;
  while (body->kind == AS_E_SUM || (sums && body->kind == AS_E_IF)) {
    sums = true;
    body = body->kid[1];
  }
  return sums && body->kind == AS_E_MUL && reads_data(body->kid[0]) && reads_data(body->kid[1]);
}

/* --- what reads a value */

/* Does rounding the tensor's elements show in the expression more than in them?  `bounded`: below a
 * divisor or a logarithm.  `alone`: beside it there are only numbers, from which nothing cancels.
 */
static bool amplifies(const char *tensor, const as_expr *e, bool bounded, bool alone) {
  switch (e->kind) {
  case AS_E_ACCESS: /* a position */
    for (uint32_t i = 0; i < e->n; i++) {
      if (e->kid[i] && reads(tensor, e->kid[i]))
        return true;
    }
    return false;
  case AS_E_REL:
    return reads(tensor, e);
  case AS_E_SUB:
    if (!alone && reads_data(e->kid[0]) && reads_data(e->kid[1]) && reads(tensor, e))
      return true;
    break;
  case AS_E_EXP:
    if (!bounded && reads(tensor, e))
      return true;
    break;
  case AS_E_CALL: /* builtin: with steps, or of an angle */
    if (!e->func->body && reads(tensor, e))
      return true;
    break;
  default:
    break;
  }
  for (uint32_t i = 0; i < e->n; i++) {
    bool below =
        bounded || e->kind == AS_E_INV || e->kind == AS_E_LOG || (e->kind == AS_E_FDIV && i == 1);
    if (e->kid[i] && amplifies(tensor, e->kid[i], below, alone))
      return true;
  }
  return false;
}

/* An inner definition stands for the argument wherever it is read: what it reads of the tensor is
 * taken as read there. */
static bool wants_32_bits(const as_graph *graph, const as_node *node, uint32_t k) {
  const as_opdef *op = node->op;
  bool alone = node->nargs > 1;
  for (uint32_t i = 0; i < node->nargs; i++)
    alone = alone && (i == k || as_graph_is_number(&graph->node[node->arg[i]]));
  for (uint32_t i = 0; i < op->nlet; i++) {
    if (amplifies(op->arg[k].name, op->let[i].body, false, alone))
      return true;
  }
  return false;
}

/* elements of arguments at other places, and nothing computed */
static bool is_move(const as_expr *e) {
  if (e->kind == AS_E_IF)
    return !reads_data(e->kid[0]) && is_move(e->kid[1]) && is_move(e->kid[2]);
  return e->kind == AS_E_ACCESS;
}

static bool reduces(const as_expr *e) {
  if (is_reduction(e->kind))
    return true;
  for (uint32_t i = 0; i < e->n; i++) {
    if (e->kid[i] && reduces(e->kid[i]))
      return true;
  }
  return false;
}

static bool is_pointwise(const as_opdef *op) {
  for (uint32_t i = 0; i < op->nlet; i++) {
    if (reduces(op->let[i].body))
      return false;
  }
  return true;
}

/* A sum of what are sums of products already: the parts of one product, which the program given has
 * not, and whose rounding shows where they cancel. */
static bool sums_parts(const flow *all, const as_node *node, uint32_t k) {
  const as_expr *body = node->op->let[node->op->nlet - 1].body;
  return body->kind == AS_E_SUM && is_move(body->kid[1]) && all[node->arg[k]].multiplies;
}

static void joined(flow *into, const flow *from, bool through) {
  into->operand |= through && from->operand;
  into->factor &= from->factor && from->is_read;
  into->exact |= from->exact;
}

/* what the node does to its argument number k */
static void read_by(const as_graph *graph, const flow *all, as_node_id id, uint32_t k, flow *of) {
  const as_node *node = &graph->node[id];
  if (!of->is_read)
    of->factor = true;
  of->is_read = true;
  switch (node->kind) {
  case AS_N_LOAD:
  case AS_N_STORE:
  case AS_N_RUN:
    joined(of, &all[id], true);
    break;
  case AS_N_ACC: /* a running maximum is what exponentials subtract */
    of->exact |= k == 1;
    joined(of, &all[id], false);
    of->factor &= all[node->arg[0]].multiplies;
    break;
  default:
    if (is_product(node)) {
      of->operand = true;
      break;
    }
    of->exact |= wants_32_bits(graph, node, k) || sums_parts(all, node, k);
    joined(of, &all[id], is_move(node->op->let[node->op->nlet - 1].body));
    of->factor &= is_pointwise(node->op) && !of->exact;
    break;
  }
}

/* --- what makes a value */

static bool names_an_attribute(const as_opdef *op, const char *name) {
  for (uint32_t i = 0; op && i < op->nattrs; i++) {
    if (!strcmp(op->attr[i], name))
      return true;
  }
  return false;
}

static bool is_tame_number(double x) {
  return x == 0 || (fabs(x) >= LEAST_TAME && fabs(x) <= MOST_TAME);
}

/* is a value of the expression about as large as what it reads? */
static bool keeps_size(const as_opdef *op, const as_expr *e) {
  switch (e->kind) {
  case AS_E_ACCESS:
    return true;
  case AS_E_NUM:
    return is_tame_number(mpq_get_d(e->num));
  case AS_E_NAME:
    return names_an_attribute(op, e->name);
  case AS_E_CALL: /* a function by its definition: activations */
  case AS_E_ADD:
  case AS_E_SUB:
  case AS_E_NEG:
  case AS_E_ABS:
  case AS_E_MAX2:
  case AS_E_MIN2:
    break;
  case AS_E_MUL:
    if (reads_data(e->kid[0]) && reads_data(e->kid[1]))
      return false;
    break;
  case AS_E_FDIV:
    if (reads_data(e->kid[1]))
      return false;
    break;
  case AS_E_IF:
    return keeps_size(op, e->kid[1]) && keeps_size(op, e->kid[2]);
  default:
    return false;
  }
  for (uint32_t i = 0; i < e->n; i++) {
    if (e->kid[i] && !keeps_size(op, e->kid[i]))
      return false;
  }
  return true;
}

/* an exponential that no divisor has below or above it */
static bool grows(const as_expr *e) {
  if (e->kind == AS_E_EXP)
    return true;
  if (e->kind == AS_E_INV || e->kind == AS_E_LOG || (e->kind == AS_E_FDIV && reads_data(e->kid[1])))
    return false;
  for (uint32_t i = 0; i < e->n; i++) {
    if (e->kid[i] && grows(e->kid[i]))
      return true;
  }
  return false;
}

static bool divides(const as_node *node) {
  const as_expr *body = node->op->let[node->op->nlet - 1].body;
  return body->kind == AS_E_FDIV && reads_data(body->kid[1]);
}

static void made_by_operator(const flow *all, const as_node *node, flow *of) {
  const as_opdef *op = node->op;
  const as_expr *body = op->let[op->nlet - 1].body;
  of->multiplies = is_product(node) || (is_move(body) && all[node->arg[0]].multiplies);
  of->is_tame = of->multiplies || (op->nlet == 1 && keeps_size(op, body));
  of->is_wild = grows(body);
  for (uint32_t k = 0; k < node->nargs; k++) {
    of->is_tame &= of->multiplies ? !all[node->arg[k]].is_wild : all[node->arg[k]].is_tame;
    of->is_wild |= all[node->arg[k]].is_wild && !divides(node);
  }
}

static bool adds(as_acc_kind kind) {
  return kind == AS_ACC_SUM || kind == AS_ACC_RESCALE;
}

static void made(const as_graph *graph, const flow *all, as_node_id id, flow *of) {
  const as_node *node = &graph->node[id];
  switch (node->kind) {
  case AS_N_INPUT:
    of->is_tame = node->dtype != AS_INT;
    break;
  case AS_N_CONST:
    of->is_tame = is_tame_number(mpq_get_d(node->value));
    break;
  case AS_N_OP:
    made_by_operator(all, node, of);
    break;
  case AS_N_ACC: {
    const flow *from = &all[node->arg[0]];
    of->multiplies = from->multiplies;
    of->is_tame = from->is_tame && (from->multiplies || !adds(node->acc));
    of->is_wild = from->is_wild;
    break;
  }
  case AS_N_LOAD:
  case AS_N_STORE:
  case AS_N_RUN:
    *of = all[node->arg[0]];
    break;
  default:
    break;
  }
}

static bool is_narrow(const flow *of) {
  if (of->is_wild)
    return false;
  return of->operand || (of->is_read && of->factor) || (of->is_tame && !of->exact);
}

static bool is_stored(const as_node *node) {
  return node->kind == AS_N_STORE || (node->kind == AS_N_OP && node->block == AS_NONE);
}

/* How what the program given rounds to 16 bits grows with an input, and the input itself. */
static as_degrees rounded(const as_graph *program, uint32_t input) {
  as_degrees *at = as_graph_degrees(program, input);
  as_degrees all = {0, 1};
  for (as_node_id id = 0; id < program->n; id++) {
    const as_node *node = &program->node[id];
    bool rounds = !node->is_typed || node->memory != AS_F32;
    if (node->kind != AS_N_OP || !rounds)
      continue;
    all.low = fmin(all.low, at[id].low);
    all.high = fmax(all.high, at[id].high);
  }
  free(at);
  return all;
}

/* What grows with an input as nothing does that the program given rounds. */
static void outgrown(const as_graph *graph, flow *all) {
  const as_graph *program = graph->program ? graph->program : graph;
  for (uint32_t input = 0; input < graph->n_input && input < program->n_input; input++) {
    as_degrees most = rounded(program, input);
    as_degrees *at = as_graph_degrees(graph, input);
    for (as_node_id id = 0; id < graph->n; id++)
      all[id].is_wild |=
          is_stored(&graph->node[id]) && (at[id].high > most.high || at[id].low < most.low);
    free(at);
  }
}

/* does the program read one type of 16 bits? */
static bool is_narrow_program(const as_graph *graph) {
  return as_graph_type(graph) != AS_F32 && !as_graph_is_mixed(graph);
}

as_dtype *as_graph_between(const as_graph *graph) {
  as_dtype type = as_graph_type(graph);
  as_dtype *between = as_calloc(graph->n + 1, sizeof *between);
  bool narrow = is_narrow_program(graph);
  flow *all = as_calloc(graph->n + 1, sizeof *all);
  for (as_node_id id = 0; id < graph->n; id++)
    made(graph, all, id, &all[id]);
  if (narrow)
    outgrown(graph, all);
  for (as_node_id id = graph->n; id-- > 0;) {
    const as_node *node = &graph->node[id];
    if (as_graph_is_output(graph, id)) {
      all[id].is_read = true;
      all[id].factor = false;
    }
    for (uint32_t k = 0; k < node->nargs; k++)
      read_by(graph, all, id, k, &all[node->arg[k]]);
  }
  for (as_node_id id = 0; id < graph->n; id++) {
    const as_node *node = &graph->node[id];
    between[id] = narrow && is_stored(node) && is_narrow(&all[id]) ? type : AS_F32;
    if (node->is_typed)
      between[id] = node->memory;
  }
  free(all);
  return between;
}

/* is it an output of the program by its name?  The outputs of a text are known at its end. */
static bool is_named_output(const as_graph *graph, const char *name) {
  const as_graph *program = graph->program;
  for (uint32_t i = 0; program && i < program->n_output; i++) {
    if (!strcmp(program->node[program->output[i]].name, name))
      return true;
  }
  return false;
}

bool as_graph_state_type(as_graph *graph, as_node_id id, as_dtype type, as_err *err) {
  const char *name = graph->node[id].name;
  if (is_named_output(graph, name))
    return as_err_set(err, AS_BAD_INPUT, "`%s` is an output, whose type is the program's", name);
  if (!is_narrow_program(graph) || (type != AS_F32 && type != as_graph_type(graph)))
    return as_err_set(err, AS_BAD_INPUT,
                      "`%s` is f32 or has the one type of 16 bits that the program reads", name);
  graph->node[id].is_typed = true;
  graph->node[id].memory = type;
  return true;
}

void as_graph_state_types(as_graph *graph) {
  if (!is_narrow_program(graph))
    return;
  as_dtype *between = as_graph_between(graph);
  bool *none = as_graph_no_kernels(graph);
  for (as_node_id id = 0; id < graph->n; id++) {
    as_node *node = &graph->node[id];
    if (!is_stored(node) || none[id] || as_graph_is_output(graph, id) || node->dtype == AS_INT)
      continue;
    node->is_typed = true;
    node->memory = between[id];
  }
  free(none);
  free(between);
}
