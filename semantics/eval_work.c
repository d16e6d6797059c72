/* What an evaluation takes, without one: the scalar operations of compiled bodies counted by the
 * extents of what they run over.  An estimate: both branches of a condition count, and a bound that
 * depends on an index is taken at the index's last value. */
#include "eval_code.h"
#include "eval_machine.h"
#include <math.h>
#include <stdlib.h>

typedef struct {
  const as_opcode *opcode;
  double *extent; /* values that a slot runs over */
  double *times;  /* that each let's body is run: once for each different tuple of indices */
  double total;
} count;

/* the greatest value of an index expression, about */
static double greatest(const count *of, const icode *index) {
  if (index->kind == I_CONST)
    return (double)index->value;
  if (index->kind == I_SLOT)
    return of->extent[index->slot] - 1;
  if (index->kind == I_DATA)
    return 0;
  double left = greatest(of, index->left);
  double right = index->right ? greatest(of, index->right) : 0;
  switch (index->kind) {
  case I_ADD:
    return left + right;
  case I_SUB:
    return left - right;
  case I_MUL:
    return left * right;
  case I_DIV:
    return right > 0 ? floor(left / right) : 0;
  case I_MOD:
    return fmin(left, right - 1);
  case I_NEG:
    return -left;
  case I_MIN:
    return fmin(left, right);
  case I_ABS:
    return fabs(left);
  default: /* the greater of two, and of two branches */
    return fmax(left, right);
  }
}

/* how many values an index expression takes, at most */
static double values_of(const count *of, const icode *index) {
  if (index->kind == I_CONST)
    return 1;
  if (index->kind == I_SLOT)
    return of->extent[index->slot];
  if (index->kind == I_DATA)
    return INFINITY;
  return values_of(of, index->left) * (index->right ? values_of(of, index->right) : 1);
}

static void add(count *of, const code *expr, double times);

static void add_condition(count *of, const cond *condition, double times) {
  switch (condition->kind) {
  case C_INTREL:
    return;
  case C_REL:
    add(of, condition->left, times);
    add(of, condition->right, times);
    return;
  case C_NOT:
    add_condition(of, condition->first, times);
    return;
  case C_AND:
  case C_OR:
    add_condition(of, condition->first, times);
    add_condition(of, condition->second, times);
    return;
  }
}

static void add_reduction(count *of, const code *expr, double times) {
  double extent = fmax(0, greatest(of, expr->i));
  of->extent[expr->slot] = extent;
  of->total += times * extent;
  add(of, expr->kid[0], times * extent);
}

/* its body is counted after all that reads it */
static void note_let(count *of, const code *expr, double times) {
  const letcode *let = &of->opcode->let[expr->which];
  double tuples = 1;
  for (uint32_t i = 0; i < expr->nindex; i++) {
    double values = values_of(of, expr->index[i]);
    of->extent[let->slot[i]] = fmax(of->extent[let->slot[i]], values);
    tuples *= values;
  }
  of->times[expr->which] = fmax(of->times[expr->which], fmin(tuples, times));
}

/* an expression that is evaluated so many times */
static void add(count *of, const code *expr, double times) {
  uint32_t kids = 0;
  switch (expr->kind) {
  case S_CONST:
  case S_INT:
  case S_PARAM:
  case S_ARG:
    break;
  case S_LET:
    note_let(of, expr, times);
    break;
  case S_ADD:
  case S_SUB:
  case S_MUL:
  case S_DIV:
  case S_IDIV:
  case S_MOD:
  case S_MAX2:
  case S_MIN2:
    kids = 2;
    break;
  case S_UN:
  case S_ABS:
    kids = 1;
    break;
  case S_SUM:
  case S_PROD:
  case S_MAXR:
  case S_MINR:
    add_reduction(of, expr, times);
    break;
  case S_IF:
    add_condition(of, expr->cond, times);
    kids = 2;
    break;
  case S_FUNC:
    kids = expr->n + 1;
    break;
  case S_BUILTIN:
    kids = expr->n;
    break;
  }
  for (uint32_t i = 0; i < kids; i++)
    add(of, expr->kid[i], times);
}

static double work_of(const as_opcode *opcode) {
  count of = {.opcode = opcode,
              .extent = as_calloc(opcode->nslots + 1, sizeof *of.extent),
              .times = as_calloc(opcode->nlet + 1, sizeof *of.times)};
  double elements = 1;
  for (uint32_t i = 0; i < opcode->outrank; i++) {
    of.extent[opcode->out_slot + i] = (double)opcode->outdim[i];
    elements *= (double)opcode->outdim[i];
  }
  of.total = elements;
  add(&of, opcode->out, elements);
  for (uint32_t i = opcode->nlet; i-- > 0;) /* a body reads earlier lets only */
    add(&of, opcode->let[i].body, of.times[i]);
  free(of.extent);
  free(of.times);
  return of.total;
}

double as_graph_work(const as_graph *graph, const as_domain *domain, const int64_t *env) {
  as_err err;
  as_err_init(&err);
  /* at kernel level nothing changes the environment */
  ev_run run = {.graph = graph, .domain = domain, .env = (int64_t *)env, .err = &err};
  double total = 0;
  for (as_node_id i = 0; i < graph->n && total >= 0; i++) {
    const as_node *node = &graph->node[i];
    if (node->kind != AS_N_OP || node->block != AS_NONE)
      continue;
    as_opcode *opcode = ev_compile_node(&run, node);
    total = opcode ? total + work_of(opcode) : -1;
    as_opcode_free(opcode);
  }
  as_err_clear(&err);
  return total;
}
