/* Exponentials are shifted where nothing of the shift is left in the outputs.  Let E be multiplied
 * by a factor r for each row: a product with E has r once, a quotient of two such has none, and a
 * sum along the row has it where no other rows are summed with it.  If no output has r, then r =
 * exp(-maximum of the row) changes none; of a logarithm of r times something the maximum is added
 * again.  What is found is proved like all candidates: nothing relies on this. */
#include "safe.h"
#include "condition.h"
#include "segment.h"
#include "src/base/id.h"
#include "src/base/trace.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 8, NO_AXIS = -1 };

/* what stands for a score that is masked: below all that are not, whatever the mask's program has
 */
static const char FAR_BELOW[] = "-300000000000000000000000000000000000000";

/* how a tensor depends on the factor */
typedef struct {
  int power;
  int axis; /* of the row, counted from the last one; NO_AXIS: summed */
  bool logged;
} share;

typedef struct {
  const as_graph *program;
  uint32_t exponential; /* the node that is shifted */
  int axis;             /* of its row, from the last one */
  uint32_t mask;        /* what it is multiplied with before anything else, AS_NONE: nothing */
  share *share;         /* by node */
} shift;

/* --- what operators are, by their specifications */
static const as_expr *body_of(const as_opdef *op) {
  return op->nlet == 1 ? op->let[0].body : NULL;
}

static bool is_plain_access(const as_expr *e) {
  bool plain = e->kind == AS_E_ACCESS;
  for (uint32_t i = 0; plain && i < e->n; i++)
    plain = e->acc[i] != AS_IX_SCALAR;
  return plain;
}

static bool is_element_wise(const as_expr *e) {
  if (e->kind == AS_E_ACCESS)
    return is_plain_access(e);
  bool folds = e->kind >= AS_E_SUM && e->kind <= AS_E_MINR;
  bool plain = !folds && (e->kind != AS_E_CALL || !e->func || e->func->body == NULL);
  for (uint32_t i = 0; plain && i < e->n; i++)
    plain = is_element_wise(e->kid[i]);
  return plain;
}

static bool is_function(const as_node *node, as_ekind kind) {
  const as_expr *body = node->kind == AS_N_OP ? body_of(node->op) : NULL;
  return body && body->kind == kind && body->n == 1 && is_plain_access(body->kid[0]);
}

/* a fold of its operand along one axis, or that over its extent; from the last axis of the operand,
 * NO_AXIS: it is none */
static int folded_axis(const as_graph *program, const as_node *node, bool *mean) {
  const as_expr *body = node->kind == AS_N_OP && node->nargs == 1 ? body_of(node->op) : NULL;
  *mean = body && body->kind == AS_E_FDIV;
  if (*mean)
    body = body->kid[1]->kind == AS_E_NAME ? body->kid[0] : NULL;
  if (!body || body->kind != AS_E_SUM || body->kid[1]->kind != AS_E_ACCESS)
    return NO_AXIS;
  const as_expr *access = body->kid[1];
  bool one = false;
  for (uint32_t i = 0; i < access->n; i++) {
    if (access->acc[i] != AS_IX_SCALAR)
      continue;
    if (one || access->kid[i]->kind != AS_E_NAME || strcmp(access->kid[i]->name, body->name) != 0)
      return NO_AXIS;
    one = true;
  }
  int rank = (int)program->node[node->arg[0]].rank;
  for (uint32_t i = 0; one && i < node->op->nattrs; i++) {
    long axis;
    if (strcmp(node->op->attr[i], "axis") == 0 && node->attr[i].is_size &&
        as_size_is_const(program->sizes, node->attr[i].size, &axis))
      return (int)(axis < 0 ? -axis - 1 : rank - 1 - axis);
  }
  return NO_AXIS;
}

/* a sum of products whose first operand is summed along its last axis */
static bool is_contraction(const as_node *node) {
  const as_expr *body = node->kind == AS_N_OP && node->nargs == 2 ? body_of(node->op) : NULL;
  if (!body || body->kind != AS_E_SUM || body->kid[1]->kind != AS_E_MUL)
    return false;
  const as_expr *first = body->kid[1]->kid[0];
  uint32_t last = first->n - 1;
  return first->kind == AS_E_ACCESS && first->n > 0 && first->acc[last] == AS_IX_SCALAR &&
         first->kid[last]->kind == AS_E_NAME && strcmp(first->kid[last]->name, body->name) == 0 &&
         strcmp(first->name, node->op->arg[0].name) == 0;
}

/* --- the factor */
/* the power of the factor in an element-wise expression; false: it is none */
static bool power_of(const shift *s, const as_node *node, const as_expr *e, int *power) {
  int side[3] = {0, 0, 0};
  *power = 0;
  if (e->kind == AS_E_ACCESS) {
    for (uint32_t i = 0; i < node->nargs; i++) {
      if (strcmp(node->op->arg[i].name, e->name) == 0)
        *power = s->share[node->arg[i]].power;
    }
    return true;
  }
  if (e->kind == AS_E_NUM || e->kind == AS_E_NAME)
    return true;
  uint32_t from = e->kind == AS_E_IF;
  for (uint32_t i = 0; i < e->n && i < 3; i++) {
    if (!power_of(s, node, e->kid[i], &side[i]))
      return false;
  }
  switch (e->kind) {
  case AS_E_MUL:
    *power = side[0] + side[1];
    return true;
  case AS_E_FDIV:
    *power = side[0] - side[1];
    return true;
  case AS_E_ADD:
  case AS_E_SUB:
  case AS_E_NEG:
  case AS_E_IF:
    *power = side[from];
    return (from == 0 || side[0] == 0) && (e->n <= from + 1 || side[from] == side[from + 1]);
  default:
    return side[0] == 0 && side[1] == 0 && side[2] == 0;
  }
}

static bool depends(const shift *s, const as_node *node) {
  bool found = false;
  for (uint32_t i = 0; i < node->nargs; i++)
    found = found || s->share[node->arg[i]].power != 0;
  return found;
}

/* the axis of the row in an element-wise result; false: its operands have it at different places */
static bool common_axis(const shift *s, const as_node *node, int *axis) {
  *axis = NO_AXIS;
  for (uint32_t i = 0; i < node->nargs; i++) {
    const share *part = &s->share[node->arg[i]];
    if (part->power == 0 || part->axis == NO_AXIS)
      continue;
    if (*axis != NO_AXIS && *axis != part->axis)
      return false;
    *axis = part->axis;
  }
  return true;
}

/* how what the node computes depends on the factor; false: in no way that is known */
static bool share_of(const shift *s, uint32_t id, share *out) {
  const as_node *node = &s->program->node[id];
  bool mean;
  *out = (share){.axis = NO_AXIS};
  if (id == s->exponential) {
    *out = (share){.power = 1, .axis = s->axis};
    return true;
  }
  if (!depends(s, node))
    return true;
  const share *first = &s->share[node->arg[0]];
  const as_expr *body = body_of(node->op);
  if (!body)
    return false;
  if (is_function(node, AS_E_LOG) && first->power == 1 && first->axis == NO_AXIS) {
    out->logged = true;
    return true;
  }
  if (is_element_wise(body))
    return power_of(s, node, body, &out->power) && common_axis(s, node, &out->axis);
  bool contracts = is_contraction(node) && first->axis == 0 && s->share[node->arg[1]].power == 0;
  bool folds = first->axis != NO_AXIS && folded_axis(s->program, node, &mean) == first->axis;
  bool moves = body->kind == AS_E_ACCESS && first->axis == NO_AXIS;
  out->power = first->power;
  return contracts || folds || moves;
}

/* Is the factor in no output? */
static bool is_free(shift *s) {
  bool all = true;
  for (uint32_t i = 0; i < s->program->n && all; i++) {
    s->share[i] = (share){.axis = NO_AXIS};
    if (s->program->node[i].kind == AS_N_OP)
      all = share_of(s, i, &s->share[i]);
  }
  for (uint32_t i = 0; i < s->program->n_output && all; i++)
    all = s->share[s->program->output[i]].power == 0;
  return all;
}

/* what an operator multiplies the node with; AS_NONE: it is no product of it and another */
static uint32_t times(const as_node *node, uint32_t id) {
  const as_expr *body = node->kind == AS_N_OP && node->nargs == 2 ? body_of(node->op) : NULL;
  if (!body || body->kind != AS_E_MUL || !is_element_wise(body) || node->arg[0] == node->arg[1])
    return AS_NONE;
  return node->arg[0] == id ? node->arg[1] : node->arg[1] == id ? node->arg[0] : AS_NONE;
}

/* the one tensor that all that reads the exponential multiplies it with */
static uint32_t mask_of(const as_graph *program, uint32_t exponential) {
  uint32_t mask = AS_NONE;
  for (uint32_t i = 0; i < program->n; i++) {
    const as_node *node = &program->node[i];
    bool reads = false;
    for (uint32_t k = 0; k < node->nargs; k++)
      reads = reads || node->arg[k] == exponential;
    if (!reads)
      continue;
    uint32_t other = times(node, exponential);
    if (other == AS_NONE || (mask != AS_NONE && mask != other) ||
        program->node[other].rank > program->node[exponential].rank)
      return AS_NONE;
    mask = other;
  }
  return mask;
}

/* an axis along which the exponential, or its product with the mask, is summed or contracted */
static int row_of(const as_graph *program, uint32_t exponential, uint32_t mask) {
  for (uint32_t i = exponential + 1; i < program->n; i++) {
    const as_node *node = &program->node[i];
    bool mean;
    if (node->kind != AS_N_OP)
      continue;
    uint32_t of = node->arg[0];
    bool masked = mask != AS_NONE && times(&program->node[of], exponential) == mask;
    if (of != exponential && !masked)
      continue;
    int axis = folded_axis(program, node, &mean);
    if (axis != NO_AXIS)
      return axis;
    if (is_contraction(node))
      return 0;
  }
  return NO_AXIS;
}

/* --- the program anew */
typedef struct {
  const as_graph *program;
  as_graph *made;
  as_node_id *node; /* by node of the program */
  const shift *shift;
  uint32_t difference; /* a variance by one pass, AS_NONE: none is changed */
  as_node_id maximum;  /* of the row, without its axis and with it */
  as_node_id kept_maximum;
  uint32_t fresh;
  char room[16];
  as_err *err;
} copier;

/* a name that the program does not have, so that what is copied later can keep its own */
static const char *fresh_name(copier *c) {
  do
    snprintf(c->room, sizeof c->room, "s%u", ++c->fresh);
  while (!sg_name_is_free(c->program, c->room));
  return c->room;
}

static as_node_id apply(copier *c, const char *name, const char *op, as_node_id x, as_node_id y,
                        const as_attr *attr) {
  const as_opdef *def = as_oplib_find(c->program->lib, op);
  as_node_id arg[2] = {x, y};
  if (!def || x == AS_NONE || (def->nargs == 2 && y == AS_NONE))
    return AS_NONE;
  return as_graph_op(c->made, AS_NONE, name ? name : fresh_name(c), def, arg, def->nargs, attr,
                     c->err);
}

/* an operator with one attribute, an axis counted from the last one of its operand, or of its
 * result where that has one more */
static as_node_id along(copier *c, const char *op, as_node_id x, int from_last, bool grows) {
  as_attr attr[AS_MAX_ATTRS];
  for (int i = 0; i < AS_MAX_ATTRS; i++)
    as_attr_init(&attr[i]);
  if (x != AS_NONE) {
    long axis = (long)c->made->node[x].rank + grows - 1 - from_last;
    attr[0].is_size = true;
    attr[0].size = as_size_int(c->made->sizes, axis);
  }
  as_node_id made = apply(c, NULL, op, x, AS_NONE, attr);
  for (int i = 0; i < AS_MAX_ATTRS; i++)
    as_attr_clear(&attr[i]);
  return made;
}

static as_node_id constant(copier *c, const char *text) {
  mpq_t value;
  mpq_init(value);
  mpq_set_str(value, text, 10);
  as_node_id made = as_graph_const(c->made, value);
  mpq_clear(value);
  return made;
}

static as_node_id emit(copier *c, uint32_t id);

static as_node_id masked_fill(copier *c, as_node_id x) {
  const as_opdef *def = as_oplib_find(c->program->lib, "masked_fill");
  as_node_id none = apply(c, NULL, "equal", emit(c, c->shift->mask), constant(c, "0"), NULL);
  as_node_id arg[3] = {x, none, constant(c, FAR_BELOW)};
  if (!def || x == AS_NONE || none == AS_NONE)
    return AS_NONE;
  return as_graph_op(c->made, AS_NONE, fresh_name(c), def, arg, 3, NULL, c->err);
}

static as_node_id shifted(copier *c, const as_node *node) {
  as_node_id x = emit(c, node->arg[0]);
  if (c->shift->mask != AS_NONE)
    x = masked_fill(c, x);
  c->maximum = along(c, "max", x, c->shift->axis, false);
  c->kept_maximum = along(c, "expand_dims", c->maximum, c->shift->axis, true);
  return apply(c, NULL, "exp", apply(c, NULL, "sub", x, c->kept_maximum, NULL), AS_NONE, NULL);
}

static as_node_id logarithm(copier *c, const as_node *node) {
  as_node_id x = apply(c, NULL, "log", emit(c, node->arg[0]), AS_NONE, NULL);
  bool kept = x != AS_NONE && c->maximum != AS_NONE &&
              c->made->node[x].rank != c->made->node[c->maximum].rank;
  return apply(c, node->name, "add", x, kept ? c->kept_maximum : c->maximum, NULL);
}

static bool same_attribute(const as_attr *left, const as_attr *right) {
  return left->is_size == right->is_size &&
         (left->is_size ? left->size == right->size : mpq_equal(left->num, right->num) != 0);
}

/* the same operators of the same */
static bool same(const as_graph *program, uint32_t left, uint32_t right) {
  const as_node *x = &program->node[left];
  const as_node *y = &program->node[right];
  if (left == right)
    return true;
  bool alike = x->kind == AS_N_OP && y->kind == AS_N_OP && x->op == y->op && x->nargs == y->nargs;
  for (uint32_t i = 0; alike && i < x->op->nattrs; i++)
    alike = same_attribute(&x->attr[i], &y->attr[i]);
  for (uint32_t i = 0; alike && i < x->nargs; i++)
    alike = same(program, x->arg[i], y->arg[i]);
  return alike;
}

/* the node whose square it is; AS_NONE: it is none */
static uint32_t square_of(const as_graph *program, uint32_t id) {
  const as_node *node = &program->node[id];
  const as_expr *body = node->kind == AS_N_OP ? body_of(node->op) : NULL;
  bool product = body && body->kind == AS_E_MUL && is_element_wise(body);
  return product && (node->nargs == 1 || same(program, node->arg[0], node->arg[1])) ? node->arg[0]
                                                                                    : AS_NONE;
}

/* the mean of squares less the square of the mean, along one axis: of which tensor; AS_NONE: it is
 * none */
static uint32_t variance_of(const as_graph *program, uint32_t id, uint32_t *mean) {
  const as_node *node = &program->node[id];
  const as_expr *body = node->kind == AS_N_OP && node->nargs == 2 ? body_of(node->op) : NULL;
  bool first;
  bool second;
  if (!body || body->kind != AS_E_SUB || !is_element_wise(body))
    return AS_NONE;
  const as_node *squares = &program->node[node->arg[0]];
  *mean = square_of(program, node->arg[1]);
  if (*mean == AS_NONE || squares->kind != AS_N_OP)
    return AS_NONE;
  const as_node *average = &program->node[*mean];
  int axis = folded_axis(program, squares, &first);
  if (axis == NO_AXIS || axis != folded_axis(program, average, &second) || !first || !second ||
      squares->op != average->op)
    return AS_NONE;
  uint32_t of = square_of(program, squares->arg[0]);
  return of != AS_NONE && same(program, of, average->arg[0]) ? of : AS_NONE;
}

static as_node_id variance(copier *c, uint32_t id) {
  bool is_mean;
  uint32_t mean = AS_NONE;
  uint32_t of = variance_of(c->program, id, &mean);
  const as_node *average = &c->program->node[mean];
  int axis = folded_axis(c->program, average, &is_mean);
  as_node_id x = emit(c, of);
  as_node_id middle = emit(c, mean);
  if (x != AS_NONE && middle != AS_NONE && c->made->node[middle].rank < c->made->node[x].rank)
    middle = along(c, "expand_dims", middle, axis, true);
  as_node_id apart = apply(c, NULL, "sub", x, middle, NULL);
  as_node_id square = apply(c, NULL, "mul", apart, apart, NULL);
  if (square == AS_NONE)
    return AS_NONE;
  return as_graph_op(c->made, AS_NONE, c->program->node[id].name, average->op, &square, 1,
                     average->attr, c->err);
}

static as_node_id copied(copier *c, uint32_t id) {
  const as_node *node = &c->program->node[id];
  as_node_id arg[AS_MAX_ARGS];
  for (uint32_t i = 0; i < node->nargs; i++) {
    arg[i] = emit(c, node->arg[i]);
    if (arg[i] == AS_NONE)
      return AS_NONE;
  }
  bool changed = c->shift && c->shift->share[id].power != 0; /* it is no tensor of the program's */
  return as_graph_op(c->made, AS_NONE, changed ? fresh_name(c) : node->name, node->op, arg,
                     node->nargs, node->attr, c->err);
}

static as_node_id emit(copier *c, uint32_t id) {
  const as_node *node = &c->program->node[id];
  if (c->node[id] != AS_NONE && !as_graph_is_number(node))
    return c->node[id];
  if (as_graph_is_number(node))
    c->node[id] = as_graph_copy_number(c->made, node);
  else if (c->shift && id == c->shift->exponential)
    c->node[id] = shifted(c, node);
  else if (c->shift && c->shift->share[id].logged)
    c->node[id] = logarithm(c, node);
  else if (id == c->difference)
    c->node[id] = variance(c, id);
  else
    c->node[id] = copied(c, id);
  return c->node[id];
}

static as_graph *rebuilt(const as_graph *program, const shift *s, uint32_t difference) {
  as_err err;
  as_err_init(&err);
  copier c = {.program = program,
              .made = as_graph_new(program->sizes, program->lib, NULL, program->name),
              .node = as_malloc((program->n + 1) * sizeof *c.node),
              .shift = s,
              .difference = difference,
              .maximum = AS_NONE,
              .kept_maximum = AS_NONE,
              .err = &err};
  bool made = sg_copy_sizes(c.made, program, &err);
  memset(c.node, 255, (program->n + 1) * sizeof *c.node);
  for (uint32_t i = 0; i < program->n_input && made; i++) {
    const as_node *input = &program->node[program->input[i]];
    as_node_id id =
        as_graph_input(c.made, input->name, input->dtype, input->dim, input->rank, &err);
    c.node[program->input[i]] = id;
    made = id != AS_NONE;
  }
  for (uint32_t i = 0; i < program->n_output && made; i++) {
    as_node_id id = emit(&c, program->output[i]);
    made = id != AS_NONE && as_graph_output(c.made, id, &err);
  }
  if (!made) {
    AS_TRACE(SEARCH, "a safer form that cannot be built: %s", err.text ? err.text : "no operator");
    as_graph_free(c.made);
  }
  as_err_clear(&err);
  free(c.node);
  return made ? c.made : NULL;
}

/* --- one step */
static as_graph *shift_one(const as_graph *program, const bool *at) {
  as_graph *made = NULL;
  share *shares = as_calloc(program->n + 1, sizeof *shares);
  for (uint32_t i = 0; i < program->n && !made; i++) {
    const as_node *node = &program->node[i];
    if (!at[i] || !is_function(node, AS_E_EXP))
      continue;
    shift s = {.program = program, .exponential = i, .share = shares};
    s.mask = mask_of(program, i);
    s.axis = row_of(program, i, s.mask);
    if (s.axis != NO_AXIS && is_free(&s))
      made = rebuilt(program, &s, AS_NONE);
  }
  free(shares);
  return made;
}

static as_graph *two_passes(const as_graph *program, const bool *at) {
  as_graph *made = NULL;
  uint32_t mean;
  for (uint32_t i = 0; i < program->n && !made; i++) {
    if (at[i] && variance_of(program, i, &mean) != AS_NONE)
      made = rebuilt(program, NULL, i);
  }
  return made;
}

as_graph *sg_safe_form(const as_graph *program) {
  as_graph *best = NULL;
  for (int round = 0; round < MOST_ROUNDS; round++) {
    const as_graph *now = best ? best : program;
    bool *at = as_malloc((now->n + 1) * sizeof *at);
    as_condition_at(now, AS_RISK_EXPONENTIAL, at);
    as_graph *made = shift_one(now, at);
    if (!made) {
      as_condition_at(now, AS_RISK_DIFFERENCE, at);
      made = two_passes(now, at);
    }
    free(at);
    if (!made)
      break;
    if (best)
      as_graph_free(best);
    best = made;
  }
  return best;
}
