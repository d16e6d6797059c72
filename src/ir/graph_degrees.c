/* Degrees by the shapes of operators' definitions.  What nothing is known of grows without limit.
 */
#include "graph_degrees.h"
#include "src/base/mem.h"
#include <math.h>
#include <string.h>

enum { MOST_DEPTH = 64, MOST_NAMES = 32 };

typedef struct {
  const char *name;
  as_degrees of;
} bound_name;

typedef struct {
  const as_node *node;
  const as_degrees *at;         /* by node of the graph */
  bound_name bound[MOST_NAMES]; /* parameters of functions */
  uint32_t n_bound;
  uint32_t depth;
} reader;

static const as_degrees CONSTANT = {0, 0};
static const as_degrees UNKNOWN = {-INFINITY, INFINITY};

static as_degrees of_body(reader *r, const as_expr *e);

/* the larger of two values, which a sum is like, too: one of both that may be the smaller one where
 * they cancel */
static as_degrees either(as_degrees x, as_degrees y) {
  return (as_degrees){fmin(x.low, y.low), fmax(x.high, y.high)};
}

static as_degrees over(as_degrees x, as_degrees y) {
  return (as_degrees){x.low - y.high, x.high - y.low};
}

static as_degrees of_access(reader *r, const as_expr *e) {
  const as_opdef *op = r->node->op;
  for (uint32_t i = 0; i < op->nargs; i++) {
    if (strcmp(op->arg[i].name, e->name) == 0)
      return r->at[r->node->arg[i]];
  }
  for (uint32_t i = 0; i + 1 < op->nlet; i++) {
    if (strcmp(op->let[i].name, e->name) == 0)
      return of_body(r, op->let[i].body);
  }
  return UNKNOWN;
}

static as_degrees of_name(const reader *r, const char *name) {
  for (uint32_t i = r->n_bound; i-- > 0;) {
    if (strcmp(r->bound[i].name, name) == 0)
      return r->bound[i].of;
  }
  return CONSTANT;
}

/* a function that no text defines is bounded, or rounds */
static as_degrees of_call(reader *r, const as_expr *e) {
  as_degrees value[MOST_NAMES];
  as_degrees all = CONSTANT;
  if (r->n_bound + e->n > MOST_NAMES)
    return UNKNOWN;
  for (uint32_t i = 0; i < e->n; i++) {
    value[i] = of_body(r, e->kid[i]);
    all = either(all, value[i]);
  }
  if (!e->func->body)
    return all;
  uint32_t keep = r->n_bound;
  for (uint32_t i = 0; i < e->n; i++)
    r->bound[r->n_bound++] = (bound_name){e->func->param[i], value[i]};
  as_degrees result = of_body(r, e->func->body);
  r->n_bound = keep;
  return result;
}

static as_degrees of_two(reader *r, const as_expr *e) {
  as_degrees x = of_body(r, e->kid[0]);
  as_degrees y = of_body(r, e->kid[1]);
  switch (e->kind) {
  case AS_E_MUL:
    return (as_degrees){x.low + y.low, x.high + y.high};
  case AS_E_FDIV:
    return over(x, y);
  default:
    return either(x, y);
  }
}

static as_degrees of_kind(reader *r, const as_expr *e) {
  as_degrees x;
  switch (e->kind) {
  case AS_E_ACCESS:
    return of_access(r, e);
  case AS_E_NAME:
    return of_name(r, e->name);
  case AS_E_CALL:
    return of_call(r, e);
  case AS_E_ADD:
  case AS_E_SUB:
  case AS_E_MAX2:
  case AS_E_MIN2:
  case AS_E_MUL:
  case AS_E_FDIV:
    return of_two(r, e);
  case AS_E_NEG:
  case AS_E_ABS:
    return of_body(r, e->kid[0]);
  case AS_E_SUM:
  case AS_E_MAXR:
  case AS_E_MINR:
    return of_body(r, e->kid[1]);
  case AS_E_SQRT:
    x = of_body(r, e->kid[0]);
    return (as_degrees){x.low / 2, x.high / 2};
  case AS_E_INV:
    return over(CONSTANT, of_body(r, e->kid[0]));
  case AS_E_IF:
    return either(of_body(r, e->kid[1]), of_body(r, e->kid[2]));
  case AS_E_PROD:
    return UNKNOWN;
  default: /* numbers, sizes and truths; exponentials and logarithms */
    return CONSTANT;
  }
}

static as_degrees of_body(reader *r, const as_expr *e) {
  if (r->depth == MOST_DEPTH)
    return UNKNOWN;
  r->depth++;
  as_degrees result = of_kind(r, e);
  r->depth--;
  return isnan(result.low) || isnan(result.high) ? UNKNOWN : result;
}

as_degrees *as_graph_degrees(const as_graph *graph, uint32_t input) {
  static const as_degrees itself = {1, 1};
  as_degrees *at = as_calloc(graph->n + 1, sizeof *at);
  for (as_node_id id = 0; id < graph->n; id++) {
    const as_node *node = &graph->node[id];
    reader r = {.node = node, .at = at};
    switch (node->kind) {
    case AS_N_INPUT:
      at[id] = id == graph->input[input] ? itself : CONSTANT;
      break;
    case AS_N_OP:
      at[id] = of_body(&r, node->op->let[node->op->nlet - 1].body);
      break;
    case AS_N_LOAD:
    case AS_N_STORE:
    case AS_N_RUN:
    case AS_N_ACC:
      at[id] = at[node->arg[0]];
      break;
    default:
      at[id] = CONSTANT;
      break;
    }
  }
  return at;
}
