/* Risks in floats.  Each tensor is one term of what its elements are, without their indices: x[i]
 * and x[k] are one, a tile is its tensor, a sum over a loop a sum.  So the maximum of a row is the
 * maximum of what it is subtracted from, however it is computed.  A term has bounds, as far as its
 * operations tell. */
#include "condition.h"
#include "src/base/hash.h"
#include "src/base/id.h"
#include "src/base/mem.h"
#include "src/base/vec.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_TERMS = 2000,
  MOST_DEPTH = 32, /* of definitions within each other */
  MOST_NAMES = 32
};

static const double LARGEST_EXPONENT = 88; /* exp of more is no float */
static const double NORMED = 65536;        /* an element over its vector's norm, times a root */

typedef enum {
  C_INPUT,
  C_NUMBER,
  C_ADD,
  C_SUB,
  C_MUL,
  C_DIV,
  C_EXP,
  C_SQRT,
  C_SUM,
  C_MAX, /* along axes or iterations */
  C_LARGER,
  C_OTHER
} kind;

typedef struct {
  kind kind;
  uint32_t kid[2]; /* AS_NONE: there is none */
  double number;   /* C_NUMBER: its value; C_INPUT, C_OTHER: which */
  double low;
  double high;
  uint64_t inputs; /* a bit for each that it is made of; several may share one */
  bool sums;       /* has a sum in it */
} term;

typedef struct {
  const as_graph *graph;
  as_vec terms;
  uint32_t *of; /* by node */
  double others;
} reader;

#define TERM(reader, id) (&AS_VEC_AT(&(reader)->terms, term, id))

/* --- terms */
static bool same_double(double left, double right) {
  return memcmp(&left, &right, sizeof left) == 0;
}

static uint32_t intern(reader *r, const term *made) {
  for (uint32_t i = 0; i < r->terms.n; i++) {
    const term *known = TERM(r, i);
    if (known->kind == made->kind && known->kid[0] == made->kid[0] &&
        known->kid[1] == made->kid[1] && same_double(known->number, made->number))
      return i;
  }
  as_vec_push(&r->terms, made);
  return (uint32_t)r->terms.n - 1;
}

static uint32_t number(reader *r, double value) {
  return intern(r, &(term){.kind = C_NUMBER,
                           .kid = {AS_NONE, AS_NONE},
                           .number = value,
                           .low = value,
                           .high = value});
}

/* of what nothing is known but what it is made of, and its bounds */
static uint32_t other(reader *r, uint64_t inputs, double low, double high) {
  return intern(r, &(term){.kind = C_OTHER,
                           .kid = {AS_NONE, AS_NONE},
                           .number = ++r->others,
                           .low = low,
                           .high = high,
                           .inputs = inputs});
}

static double times(double left, double right) {
  return fabs(left) <= 0 || fabs(right) <= 0 ? 0 : left * right;
}

static void product_bounds(term *out, const term *x, const term *y) {
  double corner[4] = {times(x->low, y->low), times(x->low, y->high), times(x->high, y->low),
                      times(x->high, y->high)};
  out->low = out->high = corner[0];
  for (int i = 1; i < 4; i++) {
    out->low = fmin(out->low, corner[i]);
    out->high = fmax(out->high, corner[i]);
  }
  if (out->kid[0] == out->kid[1])
    out->low = fmax(out->low, 0);
}

static bool contains(const reader *r, uint32_t in, uint32_t what) {
  if (in == what)
    return true;
  for (int i = 0; i < 2; i++) { /* operands have lower numbers */
    uint32_t kid = TERM(r, in)->kid[i];
    if (kid != AS_NONE && kid >= what && contains(r, kid, what))
      return true;
  }
  return false;
}

/* is y the root of a sum of squares of x, perhaps over a number? */
static bool is_norm_of(const reader *r, uint32_t y, uint32_t x) {
  if (TERM(r, y)->kind != C_SQRT)
    return false;
  for (uint32_t i = 0; i < r->terms.n; i++) {
    const term *square = TERM(r, i);
    if (square->kind == C_MUL && square->kid[0] == x && square->kid[1] == x)
      return contains(r, y, i);
  }
  return false;
}

static bool is_share_of(const reader *r, uint32_t y, uint32_t x) {
  return TERM(r, y)->kind == C_SUM && TERM(r, y)->kid[0] == x && TERM(r, x)->low >= 0;
}

static void quotient_bounds(const reader *r, term *out, const term *x, const term *y) {
  if (is_norm_of(r, out->kid[1], out->kid[0])) {
    out->low = -NORMED;
    out->high = NORMED;
  } else if (is_share_of(r, out->kid[1], out->kid[0])) {
    out->low = 0;
    out->high = 1;
  } else if (y->low > 0 || y->high < 0) {
    term inverse = {.kid = {AS_NONE, AS_NONE}, .low = 1 / y->high, .high = 1 / y->low};
    product_bounds(out, x, &inverse);
  } else if (x->low >= 0 && y->low >= 0) {
    out->low = 0;
  }
}

static uint32_t make(reader *r, kind op, uint32_t left, uint32_t right) {
  term made = {.kind = op, .kid = {left, right}, .low = -INFINITY, .high = INFINITY};
  if (left == AS_NONE || r->terms.n > MOST_TERMS)
    return AS_NONE;
  if ((op == C_SUM || op == C_MAX) && TERM(r, left)->kind == op)
    return left; /* in parts */
  bool symmetric = op == C_ADD || op == C_MUL || op == C_LARGER;
  if (symmetric && right < left) {
    made.kid[0] = right;
    made.kid[1] = left;
  }
  const term *x = TERM(r, made.kid[0]);
  const term *y = right == AS_NONE ? x : TERM(r, made.kid[1]);
  made.inputs = x->inputs | y->inputs;
  made.sums = op == C_SUM || x->sums || y->sums;
  switch (op) {
  case C_ADD:
    made.low = x->low + y->low;
    made.high = x->high + y->high;
    break;
  case C_SUB:
    made.low = x->low - y->high;
    made.high = x->high - y->low;
    if (left == right || (y->kind == C_MAX && y->kid[0] == left))
      made.high = 0;
    break;
  case C_MUL:
    product_bounds(&made, x, y);
    break;
  case C_DIV:
    quotient_bounds(r, &made, x, y);
    break;
  case C_EXP:
    made.low = exp(x->low);
    made.high = exp(x->high);
    break;
  case C_SQRT:
    made.low = sqrt(fmax(x->low, 0));
    made.high = sqrt(fmax(x->high, 0));
    break;
  case C_SUM:
    made.low = x->low >= 0 ? 0 : -INFINITY;
    made.high = x->high <= 0 ? 0 : INFINITY;
    break;
  case C_MAX:
    made.low = x->low;
    made.high = x->high;
    break;
  default: /* the larger of both */
    made.low = fmax(x->low, y->low);
    made.high = fmax(x->high, y->high);
  }
  if (isnan(made.low))
    made.low = -INFINITY;
  if (isnan(made.high))
    made.high = INFINITY;
  return intern(r, &made);
}

/* --- what an operator computes */
typedef struct {
  const char *name;
  uint32_t value;
} named;

typedef struct {
  reader *r;
  const as_node *node;
  named bound[MOST_NAMES]; /* parameters of functions */
  uint32_t n_bound;
  uint32_t depth;
} body;

static uint32_t read_body(body *b, const as_expr *e);

/* a function, or a choice: made of its operands, its bounds those of what it may be */
static uint32_t made_of(body *b, const as_expr *e, bool chosen) {
  double which = e->func ? (double)(uintptr_t)e->func : -(double)e->kind;
  term made = {.kind = C_OTHER, .kid = {AS_NONE, AS_NONE}, .number = -0.5 - which};
  uint32_t from = e->kind == AS_E_IF; /* the condition is no part of it */
  made.low = chosen ? INFINITY : -INFINITY;
  made.high = -made.low;
  for (uint32_t i = from; i < e->n; i++) {
    uint32_t part = read_body(b, e->kid[i]);
    if (part == AS_NONE || i >= from + 2)
      return AS_NONE;
    const term *x = TERM(b->r, part);
    made.kid[i - from] = part;
    made.inputs |= x->inputs;
    made.sums = made.sums || x->sums;
    if (chosen) {
      made.low = fmin(made.low, x->low);
      made.high = fmax(made.high, x->high);
    }
  }
  return intern(b->r, &made);
}

static uint32_t read_name(body *b, const as_expr *e) {
  for (uint32_t i = b->n_bound; i-- > 0;) {
    if (strcmp(b->bound[i].name, e->name) == 0)
      return b->bound[i].value;
  }
  for (uint32_t i = 0; i < b->node->op->nattrs; i++) {
    const as_attr *attr = &b->node->attr[i];
    if (strcmp(b->node->op->attr[i], e->name) != 0)
      continue;
    long size;
    if (!attr->is_size)
      return number(b->r, mpq_get_d(attr->num));
    if (as_size_is_const(b->r->graph->sizes, attr->size, &size))
      return number(b->r, (double)size);
    return intern(b->r, &(term){.kind = C_OTHER,
                                .kid = {AS_NONE, AS_NONE},
                                .number = -2 - (double)attr->size,
                                .high = INFINITY});
  }
  /* a size, or an index: one in all places of the operator */
  uint64_t name = as_hash(e->name, strlen(e->name), (uint64_t)(uintptr_t)b->node->op);
  return intern(b->r, &(term){.kind = C_OTHER,
                              .kid = {AS_NONE, AS_NONE},
                              .number = -1e9 - (double)(name >> 16),
                              .high = INFINITY});
}

static uint32_t read_access(body *b, const as_expr *e) {
  const as_opdef *op = b->node->op;
  for (uint32_t i = 0; i < op->nargs; i++) {
    if (strcmp(op->arg[i].name, e->name) == 0)
      return b->r->of[b->node->arg[i]];
  }
  for (uint32_t i = 0; i + 1 < op->nlet; i++) {
    if (strcmp(op->let[i].name, e->name) == 0)
      return read_body(b, op->let[i].body);
  }
  return AS_NONE;
}

static uint32_t read_call(body *b, const as_expr *e) {
  if (e->func == NULL || e->func->body == NULL || b->n_bound + e->n > MOST_NAMES)
    return made_of(b, e, false);
  uint32_t value[MOST_NAMES];
  uint32_t keep = b->n_bound;
  for (uint32_t i = 0; i < e->n; i++)
    value[i] = read_body(b, e->kid[i]);
  for (uint32_t i = 0; i < e->n; i++)
    b->bound[b->n_bound++] = (named){e->func->param[i], value[i]};
  uint32_t result = read_body(b, e->func->body);
  b->n_bound = keep;
  return result;
}

static uint32_t read_operation(body *b, const as_expr *e) {
  static const kind kinds[] = {
      [AS_E_ADD] = C_ADD, [AS_E_SUB] = C_SUB,   [AS_E_MUL] = C_MUL,    [AS_E_FDIV] = C_DIV,
      [AS_E_EXP] = C_EXP, [AS_E_SQRT] = C_SQRT, [AS_E_MAX2] = C_LARGER};
  uint32_t left = read_body(b, e->kid[0]);
  uint32_t right = e->n > 1 ? read_body(b, e->kid[1]) : AS_NONE;
  return left == AS_NONE || (e->n > 1 && right == AS_NONE)
             ? AS_NONE
             : make(b->r, kinds[e->kind], left, right);
}

static uint32_t read_absolute(body *b, const as_expr *e) {
  uint32_t x = read_body(b, e->kid[0]);
  if (x == AS_NONE)
    return x;
  double most = fmax(fabs(TERM(b->r, x)->low), fabs(TERM(b->r, x)->high));
  return other(b->r, TERM(b->r, x)->inputs, 0, most);
}

static uint32_t read_kind(body *b, const as_expr *e) {
  reader *r = b->r;
  switch (e->kind) {
  case AS_E_NUM:
    return number(r, mpq_get_d(e->num));
  case AS_E_NAME:
    return read_name(b, e);
  case AS_E_ACCESS:
    return read_access(b, e);
  case AS_E_CALL:
    return read_call(b, e);
  case AS_E_SUM:
    return make(r, C_SUM, read_body(b, e->kid[1]), AS_NONE);
  case AS_E_MAXR:
    return make(r, C_MAX, read_body(b, e->kid[1]), AS_NONE);
  case AS_E_NEG:
    return make(r, C_SUB, number(r, 0), read_body(b, e->kid[0]));
  case AS_E_INV:
    return make(r, C_DIV, number(r, 1), read_body(b, e->kid[0]));
  case AS_E_ABS:
    return read_absolute(b, e);
  case AS_E_IF:
    return made_of(b, e, true);
  case AS_E_MIN2:
    return made_of(b, e, false);
  case AS_E_ADD:
  case AS_E_SUB:
  case AS_E_MUL:
  case AS_E_FDIV:
  case AS_E_EXP:
  case AS_E_SQRT:
  case AS_E_MAX2:
    return read_operation(b, e);
  default:
    return made_of(b, e, false);
  }
}

static uint32_t read_body(body *b, const as_expr *e) {
  if (++b->depth > 20 * MOST_DEPTH)
    return AS_NONE;
  uint32_t result = read_kind(b, e);
  b->depth--;
  return result;
}

static uint32_t read_node(reader *r, uint32_t id) {
  const as_node *node = &r->graph->node[id];
  body b = {.r = r, .node = node};
  switch (node->kind) {
  case AS_N_INPUT:
    return intern(r, &(term){.kind = C_INPUT,
                             .kid = {AS_NONE, AS_NONE},
                             .number = id,
                             .low = -INFINITY,
                             .high = INFINITY,
                             .inputs = UINT64_C(1) << (id % 64)});
  case AS_N_CONST:
    return number(r, mpq_get_d(node->value));
  case AS_N_SIZE:
    return other(r, 0, 0, INFINITY);
  case AS_N_OP:
    return read_body(&b, node->op->let[node->op->nlet - 1].body);
  case AS_N_ACC:
    if (node->acc == AS_ACC_CONCAT)
      return r->of[node->arg[0]];
    return make(r, node->acc == AS_ACC_MAX ? C_MAX : C_SUM, r->of[node->arg[0]], AS_NONE);
  default: /* loads, stores and running values are what they are of */
    return r->of[node->arg[0]];
  }
}

/* --- risks */
/* Is what reads an exponential right where it is infinite?  One more than it is, where that is a
 * divisor, or in functions that are computed otherwise. */
static bool is_harmless(const reader *r, uint32_t id) {
  bool used = false;
  for (uint32_t i = 0; i < r->terms.n; i++) {
    const term *user = TERM(r, i);
    if (user->kid[0] != id && user->kid[1] != id)
      continue;
    uint32_t beside = user->kid[0] == id ? user->kid[1] : user->kid[0];
    used = true;
    if ((user->kind != C_ADD && user->kind != C_SUB) || TERM(r, beside)->kind != C_NUMBER)
      return false;
  }
  return used;
}

static bool is_bounded(const term *x) {
  return x->low >= -NORMED && x->high <= NORMED;
}

/* x - y where both are computed of the same, one of them a sum, and none of the other */
static bool cancels(const reader *r, uint32_t left, uint32_t right) {
  const term *x = TERM(r, left);
  const term *y = TERM(r, right);
  return (x->inputs & y->inputs) && (x->sums || y->sums) && !(is_bounded(x) && is_bounded(y)) &&
         !contains(r, left, right) && !contains(r, right, left);
}

/* a number below 0, something taken from 0, or a product or sum of such and others */
static bool is_negated(const reader *r, uint32_t id) {
  const term *x = TERM(r, id);
  switch (x->kind) {
  case C_NUMBER:
    return x->number < 0;
  case C_SUB:
    return TERM(r, x->kid[0])->kind == C_NUMBER && fabs(TERM(r, x->kid[0])->number) <= 0;
  case C_MUL:
  case C_DIV:
    return is_negated(r, x->kid[0]) != is_negated(r, x->kid[1]);
  case C_SUM:
    return is_negated(r, x->kid[0]);
  default:
    return false;
  }
}

/* a sum one of whose terms is taken negative */
static bool is_difference(const reader *r, const term *at) {
  if (at->kind == C_SUB)
    return TERM(r, at->kid[0])->kind != C_NUMBER;
  return at->kind == C_ADD && is_negated(r, at->kid[0]) != is_negated(r, at->kid[1]);
}

/* (x - mean of x) * x */
static bool is_offset(const reader *r, uint32_t centered, uint32_t by) {
  const term *x = TERM(r, centered);
  return x->kind == C_SUB && TERM(r, x->kid[1])->sums && contains(r, x->kid[1], x->kid[0]) &&
         contains(r, by, x->kid[0]) && !contains(r, by, centered);
}

static bool is_wide_divisor(const reader *r, uint32_t id) {
  const term *x = TERM(r, id);
  bool wide = x->kind == C_MUL && x->kid[0] != x->kid[1];
  for (int i = 0; wide && i < 2; i++)
    wide = TERM(r, x->kid[i])->inputs != 0 && !is_bounded(TERM(r, x->kid[i]));
  return wide;
}

/* does a term take this risk? */
static bool takes(const reader *r, uint32_t id, as_risk risk) {
  const term *at = TERM(r, id);
  switch (risk) {
  case AS_RISK_EXPONENTIAL:
    return at->kind == C_EXP && TERM(r, at->kid[0])->high > LARGEST_EXPONENT && !is_harmless(r, id);
  case AS_RISK_DIFFERENCE:
    return is_difference(r, at) && cancels(r, at->kid[0], at->kid[1]);
  case AS_RISK_OFFSET:
    return at->kind == C_MUL && at->kid[0] != at->kid[1] &&
           (is_offset(r, at->kid[0], at->kid[1]) || is_offset(r, at->kid[1], at->kid[0]));
  case AS_RISK_DIVISOR:
    return at->kind == C_DIV && is_wide_divisor(r, at->kid[1]);
  default:
    return false;
  }
}

static void read_graph(reader *r, const as_graph *graph) {
  *r = (reader){.graph = graph, .of = as_malloc((graph->n + 1) * sizeof *r->of)};
  as_vec_init(&r->terms, sizeof(term));
  for (uint32_t i = 0; i < graph->n; i++) {
    r->of[i] = read_node(r, i);
    if (r->of[i] == AS_NONE) /* not understood: something else than all others */
      r->of[i] = other(r, 0, -INFINITY, INFINITY);
  }
}

static void reader_clear(reader *r) {
  as_vec_clear(&r->terms);
  free(r->of);
}

void as_condition_of(const as_graph *graph, as_condition *out) {
  reader r;
  memset(out, 0, sizeof *out);
  read_graph(&r, graph);
  for (uint32_t i = 0; i < r.terms.n; i++) {
    for (as_risk risk = 0; risk < AS_N_RISK; risk++)
      out->n[risk] += takes(&r, i, risk);
  }
  reader_clear(&r);
}

void as_condition_at(const as_graph *graph, as_risk risk, bool *at) {
  reader r;
  read_graph(&r, graph);
  for (uint32_t i = 0; i < graph->n; i++)
    at[i] = takes(&r, r.of[i], risk);
  reader_clear(&r);
}

as_risk as_condition_worse(const as_condition *of, const as_condition *given) {
  as_risk risk = 0;
  while (risk < AS_N_RISK && of->n[risk] <= given->n[risk])
    risk++;
  return risk;
}

static const char *const names[AS_N_RISK][2] = {
#define R(id, name, what) [AS_RISK_##id] = {name, what},
    AS_RISKS(R)
#undef R
};

const char *as_risk_name(as_risk risk) {
  return names[risk][0];
}

const char *as_risk_meaning(as_risk risk) {
  return names[risk][1];
}
