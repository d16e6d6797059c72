/* Runs compiled operator bodies. */
#include "eval_code.h"
#include <stdlib.h>
#include <string.h>

static void stop(as_opcode *opcode, as_status status) {
  if (opcode->status == AS_OK)
    opcode->status = status;
}

static void fail(as_opcode *opcode, const code *expr, const char *what) {
  if (opcode->status != AS_OK)
    return;
  stop(opcode, AS_NO);
  as_err_set(opcode->err, AS_NO, "%s:%d:%d: operator %s: %s%s%s",
             opcode->op->file ? opcode->op->file : "?", expr ? expr->line : opcode->op->line,
             expr ? expr->col : 1, opcode->op->name, what, expr && expr->name ? " " : "",
             expr && expr->name ? expr->name : "");
}

static bool tick(as_opcode *opcode) {
  if (opcode->ticks && !(*opcode->ticks)--) {
    *opcode->ticks = 0;
    stop(opcode, AS_UNKNOWN);
    as_err_set(opcode->err, AS_UNKNOWN, "the evaluation takes more steps than allowed");
  }
  return opcode->status == AS_OK;
}

typedef enum { K_NO, K_YES, K_MAYBE, K_UNDEF, K_POISON } known;

static known test(as_opcode *o, const cond *c, bool *doubt);
static void eval_value(as_opcode *o, const code *e, void *result);

/* an element of a tensor as an integer; flags say why there is none */
static int64_t eval_data_index(as_opcode *opcode, const icode *index) {
  const as_domain *domain = opcode->domain;
  eval_value(opcode, index->data, index->element);
  unsigned flags = domain->flags(domain, index->element);
  int64_t value = 0;
  if (!(flags & AS_F_NOVALUE) && !domain->to_int(domain, index->element, &value))
    flags |= AS_F_POISON;
  opcode->index_flags |= flags;
  return value;
}

/* quotient, rounded down, or remainder */
static int64_t divided(as_opcode *opcode, bool remainder, int64_t a, int64_t b) {
  if (b <= 0) {
    fail(opcode, NULL, "an integer division by zero or a negative number");
    return 0;
  }
  int64_t quotient = a / b - (a % b < 0);
  return remainder ? a - quotient * b : quotient;
}

/* an operation of the values of its operands; b is 0 where there is one operand */
static int64_t index_operation(as_opcode *opcode, ikind kind, int64_t a, int64_t b) {
  int64_t result = 0;
  bool over = false;
  switch (kind) {
  case I_ADD:
    over = __builtin_add_overflow(a, b, &result);
    break;
  case I_SUB:
    over = __builtin_sub_overflow(a, b, &result);
    break;
  case I_MUL:
    over = __builtin_mul_overflow(a, b, &result);
    break;
  case I_NEG:
    over = __builtin_sub_overflow((int64_t)0, a, &result);
    break;
  case I_ABS:
    over = a == INT64_MIN;
    result = over || a >= 0 ? a : -a;
    break;
  case I_MAX:
    return a > b ? a : b;
  case I_MIN:
    return a < b ? a : b;
  case I_DIV:
  case I_MOD:
    return divided(opcode, kind == I_MOD, a, b);
  default: /* no operation: eval_index has it */
    break;
  }
  if (over)
    fail(opcode, NULL, "an integer expression overflows");
  return result;
}

static int64_t eval_index(as_opcode *opcode, const icode *index) {
  switch (index->kind) {
  case I_CONST:
    return index->value;
  case I_SLOT:
    return opcode->slot[index->slot];
  case I_DATA:
    return eval_data_index(opcode, index);
  case I_IF: {
    bool doubt = false;
    known answer = test(opcode, index->cond, &doubt);
    if (answer != K_YES && answer != K_NO)
      fail(opcode, NULL, "an index depends on data");
    return eval_index(opcode, answer == K_YES ? index->left : index->right);
  }
  default:
    break;
  }
  int64_t a = eval_index(opcode, index->left);
  int64_t b = index->right ? eval_index(opcode, index->right) : 0;
  return index_operation(opcode, index->kind, a, b);
}

static bool int_rel(as_rel rel, int64_t left, int64_t right) {
  return rel == AS_REL_EQ   ? left == right
         : rel == AS_REL_NE ? left != right
         : rel == AS_REL_LE ? left <= right
                            : left < right;
}

static known rel_known(as_rel rel, unsigned m) {
  unsigned yes = rel == AS_REL_EQ   ? AS_C_EQ
                 : rel == AS_REL_NE ? AS_C_LT | AS_C_GT
                 : rel == AS_REL_LE ? AS_C_LT | AS_C_EQ
                                    : AS_C_LT;
  return !(m & ~yes) ? K_YES : !(m & yes) ? K_NO : K_MAYBE;
}

static known compare(const as_domain *domain, as_rel rel, const void *left, const void *right,
                     bool *doubt) {
  unsigned flags = domain->flags(domain, left) | domain->flags(domain, right);
  if (flags & AS_F_DOUBT)
    *doubt = true;
  return flags & AS_F_UNDEF    ? K_UNDEF
         : flags & AS_F_POISON ? K_POISON
                               : rel_known(rel, domain->cmp(domain, left, right));
}

/* three-valued, from left to right: what is undefined matters only when it is reached */
static known test(as_opcode *opcode, const cond *c, bool *doubt) {
  known x;
  known y;
  switch (c->kind) {
  case C_INTREL: {
    int64_t a = eval_index(opcode, c->int_left);
    int64_t b = eval_index(opcode, c->int_right);
    return int_rel(c->rel, a, b) ? K_YES : K_NO;
  }
  case C_REL: {
    eval_value(opcode, c->left, c->tmp[0]);
    eval_value(opcode, c->right, c->tmp[1]);
    return compare(opcode->domain, c->rel, c->tmp[0], c->tmp[1], doubt);
  }
  case C_NOT:
    x = test(opcode, c->first, doubt);
    return x == K_YES ? K_NO : x == K_NO ? K_YES : x;
  case C_AND:
  case C_OR:
    break;
  }
  known stops = c->kind == C_AND ? K_NO : K_YES;
  x = test(opcode, c->first, doubt);
  if (x != K_YES && x != K_NO && x != K_MAYBE)
    return x;
  if (x == stops)
    return x;
  y = test(opcode, c->second, doubt);
  if (x == K_MAYBE) {
    if (y == stops)
      return y;
    if (y == K_UNDEF || y == K_POISON)
      return K_POISON;
    return K_MAYBE;
  }
  return y;
}

/* notes which of its values a choice took */
static void note_taken(as_opcode *opcode, const code *choice, bool second) {
  AS_VEC_AT(&opcode->taken, choice_taken, choice->which).times[second]++;
}

/* r = (a rel b) ? b : a, for maxima and minima; acc may be r itself.  Gives what the comparison
 * came to. */
static known choose(as_opcode *opcode, void *result, const void *left, const void *right,
                    bool greater) {
  const as_domain *domain = opcode->domain;
  bool doubt = false;
  known answer = compare(domain, AS_REL_LE, left, right, &doubt);
  unsigned flags = (domain->flags(domain, left) | domain->flags(domain, right)) & AS_F_DOUBT;
  if (answer == K_UNDEF || answer == K_POISON) {
    domain->set(domain, result, left);
    domain->flag(domain, result, (answer == K_UNDEF ? AS_F_UNDEF : AS_F_POISON) | flags);
    return answer;
  }
  if (answer == K_MAYBE)
    domain->join(domain, result, left, right);
  else
    domain->set(domain, result, (answer == K_YES) == greater ? right : left);
  if (flags)
    domain->flag(domain, result, flags);
  return answer;
}

/* the terms from `from` on, up to `to`, added or multiplied */
static void accumulate(as_opcode *opcode, const code *expr, int64_t from, int64_t to,
                       void *result) {
  const as_domain *domain = opcode->domain;
  as_dom_from_int(domain, result, expr->kind == S_PROD);
  for (int64_t k = from; k < to && tick(opcode); k++) {
    opcode->slot[expr->slot] = k;
    eval_value(opcode, expr->kid[0], expr->tmp[0]);
    (expr->kind == S_SUM ? domain->add : domain->mul)(domain, result, result, expr->tmp[0]);
  }
}

/* a sum in parts, each added to those before it */
static void sum_parts(as_opcode *opcode, const code *expr, int64_t n, void *result) {
  const as_domain *domain = opcode->domain;
  const int64_t part = domain->part;
  accumulate(opcode, expr, 0, part, result);
  for (int64_t from = part; from < n && opcode->status == AS_OK; from += part) {
    accumulate(opcode, expr, from, from + part < n ? from + part : n, expr->tmp[1]);
    domain->add(domain, result, result, expr->tmp[1]);
  }
}

static void reduce(as_opcode *opcode, const code *expr, void *result) {
  const as_domain *domain = opcode->domain;
  int64_t n = eval_index(opcode, expr->i);
  if (expr->kind == S_SUM && domain->part && n > domain->part) {
    sum_parts(opcode, expr, n, result);
    return;
  }
  if (expr->kind == S_SUM || expr->kind == S_PROD) {
    accumulate(opcode, expr, 0, n, result);
    return;
  }
  if (n <= 0) {
    as_dom_from_int(domain, result, 0);
    domain->flag(domain, result, AS_F_UNDEF);
    return;
  }
  for (int64_t k = 0; k < n; k++) {
    if (!tick(opcode))
      return;
    opcode->slot[expr->slot] = k;
    if (!k) {
      eval_value(opcode, expr->kid[0], result);
      continue;
    }
    eval_value(opcode, expr->kid[0], expr->tmp[0]);
    if (expr->kind == S_MAXR)
      choose(opcode, result, result, expr->tmp[0], true);
    else
      choose(opcode, result, result, expr->tmp[0], false);
  }
}

/* The indices of an access.  Gives what must be flagged where an element that is read as an index
 * has no value. */
static unsigned eval_indices(as_opcode *opcode, const code *expr, int64_t *at) {
  unsigned outer = opcode->index_flags;
  opcode->index_flags = 0;
  for (uint32_t i = 0; i < expr->nindex; i++)
    at[i] = eval_index(opcode, expr->index[i]);
  unsigned flags = opcode->index_flags;
  opcode->index_flags = outer;
  return flags;
}

static void flagged(as_opcode *opcode, void *result, unsigned flags) {
  as_dom_from_int(opcode->domain, result, 0);
  opcode->domain->flag(opcode->domain, result, flags);
}

/* An index out of range is no value where it is data, and no program where it is not. */
static void access_arg(as_opcode *opcode, const code *expr, void *result) {
  const as_tensor *tensor = opcode->arg[expr->which];
  int64_t index[4 * AS_MAX_RANK];
  unsigned flags = eval_indices(opcode, expr, index);
  if (flags & AS_F_NOVALUE) {
    flagged(opcode, result, flags);
    return;
  }
  size_t at = 0;
  for (uint32_t i = 0; i < expr->nindex; i++) {
    if (index[i] < 0 || index[i] >= tensor->dim[i]) {
      if (expr->by_data)
        flagged(opcode, result, flags | AS_F_UNDEF);
      else
        fail(opcode, expr, "an index leaves the tensor");
      return;
    }
    at = at * (size_t)tensor->dim[i] + (size_t)index[i];
  }
  opcode->domain->set(opcode->domain, result, as_tensor_at(tensor, at));
  if (flags)
    opcode->domain->flag(opcode->domain, result, flags);
}

static void let_grow(const as_domain *domain, letcode *let) {
  letcode old = *let;
  let->cap = old.cap ? old.cap * 2 : 16;
  let->val = as_dom_new(domain, let->cap);
  for (size_t i = 0; i < old.cap; i++)
    domain->set(domain, AS_DOM_AT(domain, let->val, i), AS_DOM_AT(domain, old.val, i));
  as_dom_free(domain, old.val, old.cap);
}

static void access_let(as_opcode *opcode, const code *expr, void *result) {
  letcode *let = &opcode->let[expr->which];
  int64_t index[4 * AS_MAX_RANK];
  unsigned flags = eval_indices(opcode, expr, index);
  if (flags) {
    flagged(opcode, result, flags & AS_F_NOVALUE ? flags : AS_F_POISON);
    return;
  }
  uint64_t key[4 * AS_MAX_RANK];
  for (uint32_t i = 0; i < expr->nindex; i++)
    key[i] = (uint64_t)index[i];
  uint64_t at;
  if (as_map_get(&let->known, key, &at)) {
    opcode->domain->set(opcode->domain, result, AS_DOM_AT(opcode->domain, let->val, at));
    return;
  }
  /* the body reads only earlier lets, so this table cannot change meanwhile */
  for (uint32_t i = 0; i < let->nindex; i++)
    opcode->slot[let->slot[i]] = index[i];
  eval_value(opcode, let->body, result);
  if (opcode->status != AS_OK)
    return;
  at = let->known.count;
  if (at == let->cap)
    let_grow(opcode->domain, let);
  as_map_put(&let->known, key, at);
  opcode->domain->set(opcode->domain, AS_DOM_AT(opcode->domain, let->val, at), result);
}

static void ev_if(as_opcode *opcode, const code *expr, void *result) {
  const as_domain *domain = opcode->domain;
  bool doubt = false;
  known answer = test(opcode, expr->cond, &doubt);
  if (opcode->status != AS_OK)
    return;
  switch (answer) {
  case K_YES:
    note_taken(opcode, expr, false);
    eval_value(opcode, expr->kid[0], result);
    break;
  case K_NO:
    note_taken(opcode, expr, true);
    eval_value(opcode, expr->kid[1], result);
    break;
  case K_MAYBE:
    eval_value(opcode, expr->kid[0], expr->tmp[0]);
    eval_value(opcode, expr->kid[1], expr->tmp[1]);
    domain->join(domain, result, expr->tmp[0], expr->tmp[1]);
    break;
  case K_UNDEF:
  case K_POISON:
    as_dom_from_int(domain, result, 0);
    domain->flag(domain, result, answer == K_UNDEF ? AS_F_UNDEF : AS_F_POISON);
    break;
  }
  if (doubt)
    domain->flag(domain, result, AS_F_DOUBT);
}

static void ev_call(as_opcode *opcode, const code *expr, void *result) {
  for (uint32_t i = 0; i < expr->n; i++)
    eval_value(opcode, expr->kid[i], expr->param[i]);
  if (opcode->status != AS_OK)
    return;
  if (expr->kind == S_FUNC) {
    eval_value(opcode, expr->kid[expr->n], result);
    return;
  }
  if (!opcode->domain->builtin(opcode->domain, expr->name, result, (const void *const *)expr->param,
                               expr->n)) {
    stop(opcode, AS_BAD_INPUT);
    as_err_set(opcode->err, AS_BAD_INPUT, "the built-in function %s has no evaluator", expr->name);
  }
}

/* quotients of data are rounded as the domain's own `div` does; domains without one know nothing of
 * them */
static void ev_idiv(as_opcode *opcode, const code *expr, void *result) {
  const as_domain *domain = opcode->domain;
  eval_value(opcode, expr->kid[0], expr->tmp[0]);
  eval_value(opcode, expr->kid[1], expr->tmp[1]);
  if (opcode->status != AS_OK)
    return;
  if (!domain->builtin(domain, "div", result, (const void *const[]){expr->tmp[0], expr->tmp[1]},
                       2)) {
    as_dom_from_int(domain, result, 0);
    domain->flag(domain, result, AS_F_POISON | AS_F_DOUBT);
  }
  if (expr->kind == S_IDIV)
    return;
  domain->mul(domain, result, expr->tmp[1], result);
  domain->sub(domain, result, expr->tmp[0], result);
}

/* the greater or the less of two values: of the first one, and of `result` */
static void ev_greater(as_opcode *opcode, const code *expr, void *result) {
  bool greater = expr->kind == S_MAX2;
  known answer = choose(opcode, result, expr->tmp[0], result, greater);
  if (answer == K_YES || answer == K_NO)
    note_taken(opcode, expr, (answer == K_YES) == greater);
}

static void eval_value(as_opcode *opcode, const code *expr, void *result) {
  const as_domain *domain = opcode->domain;
  if (opcode->status != AS_OK)
    return;
  switch (expr->kind) {
  case S_CONST:
  case S_PARAM:
    domain->set(domain, result, expr->from);
    return;
  case S_INT:
    as_dom_from_int(domain, result, eval_index(opcode, expr->i));
    return;
  case S_ARG:
    access_arg(opcode, expr, result);
    return;
  case S_LET:
    access_let(opcode, expr, result);
    return;
  case S_ADD:
  case S_SUB:
  case S_MUL:
    eval_value(opcode, expr->kid[0], expr->tmp[0]);
    eval_value(opcode, expr->kid[1], result);
    (expr->kind == S_ADD   ? domain->add
     : expr->kind == S_SUB ? domain->sub
                           : domain->mul)(domain, result, expr->tmp[0], result);
    return;
  case S_DIV:
    eval_value(opcode, expr->kid[0], expr->tmp[0]);
    eval_value(opcode, expr->kid[1], result);
    if (domain->div) {
      domain->div(domain, result, expr->tmp[0], result);
      return;
    }
    domain->un(domain, AS_U_INV, result, result);
    domain->mul(domain, result, expr->tmp[0], result);
    return;
  case S_IDIV:
  case S_MOD:
    ev_idiv(opcode, expr, result);
    return;
  case S_UN:
    eval_value(opcode, expr->kid[0], result);
    domain->un(domain, expr->un, result, result);
    return;
  case S_ABS:
    eval_value(opcode, expr->kid[0], expr->tmp[0]);
    domain->un(domain, AS_U_NEG, expr->tmp[1], expr->tmp[0]);
    choose(opcode, result, expr->tmp[1], expr->tmp[0], true); /* |x| = max(-x, x) */
    return;
  case S_MAX2:
  case S_MIN2:
    eval_value(opcode, expr->kid[0], expr->tmp[0]);
    eval_value(opcode, expr->kid[1], result);
    ev_greater(opcode, expr, result);
    return;
  case S_SUM:
  case S_PROD:
  case S_MAXR:
  case S_MINR:
    reduce(opcode, expr, result);
    return;
  case S_IF:
    ev_if(opcode, expr, result);
    return;
  case S_FUNC:
  case S_BUILTIN:
    ev_call(opcode, expr, result);
    return;
  }
}

as_status as_opcode_value(as_opcode *opcode, void *out, as_err *err) {
  opcode->err = err;
  opcode->status = AS_OK;
  eval_value(opcode, opcode->out, out);
  return opcode->status;
}

as_status as_opcode_run(as_opcode *opcode, const as_tensor *const *arg, as_tensor *out,
                        uint64_t *ticks, as_err *err) {
  opcode->arg = arg;
  opcode->ticks = ticks;
  opcode->err = err;
  opcode->status = AS_OK;
  for (uint32_t i = 0; i < opcode->nlet; i++) /* remembered values belong to the last arguments */
    as_map_reset(&opcode->let[i].known);
  int64_t ix[AS_MAX_RANK] = {0};
  for (size_t at = 0; at < out->n && tick(opcode); at++) {
    for (uint32_t i = 0; i < opcode->outrank; i++)
      opcode->slot[opcode->out_slot + i] = ix[i];
    eval_value(opcode, opcode->out, as_tensor_at(out, at));
    for (uint32_t i = opcode->outrank; i-- > 0;) {
      if (++ix[i] < opcode->outdim[i])
        break;
      ix[i] = 0;
    }
  }
  return opcode->status;
}
