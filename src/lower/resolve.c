#include "resolve.h"
#include "place.h"
#include <limits.h>

enum { MEMO = 64 };

typedef struct {
  lo_job *job;
  const lo_range *of;
  int n;
  bool failed;
  const lx *from[MEMO]; /* what was resolved last */
  lx *to[MEMO];
  int n_memo;
} resolving;

/* truth values that are known, among the operands of and, or, not, if */
static lx *truth(lo_job *job, bool value) {
  return lx_int(job, value);
}

static bool is_truth(const lx *expr, bool value) {
  return expr->op == LX_INT && (expr->number != 0) == value;
}

static lx *difference(lo_job *job, lx *left, lx *right) {
  return lo_collected(job, lx_mk(job, LX_SUB, 2, (lx *[]){left, right}));
}

static lo_range range_of(resolving *at, const lx *expr) {
  lo_range range = {LONG_MIN, LONG_MAX};
  if (!lo_range_within(expr, at->of, at->n, &range))
    at->failed = true;
  return range;
}

lx *lo_not_negative(lo_job *job, lx *sum) {
  return lx_mk(job, LX_LE, 2, (lx *[]){lx_int(job, 0), sum});
}

/* left <= right, or less */
static lx *ordered(resolving *at, lx *left, lx *right, bool strict) {
  lx *above = difference(at->job, right, left);
  if (strict)
    above = lo_collected(at->job, lx_mk(at->job, LX_SUB, 2, (lx *[]){above, lx_int(at->job, 1)}));
  lo_range range = range_of(at, above);
  if (range.low >= 0)
    return truth(at->job, true);
  if (range.high < 0)
    return truth(at->job, false);
  return lo_not_negative(at->job, above);
}

static lx *equal(resolving *at, lx_op op, lx *left, lx *right) {
  lx *apart = difference(at->job, left, right);
  lo_range range = range_of(at, apart);
  bool never = range.low > 0 || range.high < 0;
  bool always = range.low == 0 && range.high == 0;
  if (never || always)
    return truth(at->job, op == LX_EQ ? always : never);
  return lx_mk(at->job, op, 2, (lx *[]){apart, lx_int(at->job, 0)});
}

static bool is_order(const lx *expr) {
  return expr->op >= LX_EQ && expr->op <= LX_LT && expr->kid[0]->integer && expr->kid[1]->integer;
}

static lx *relation(resolving *at, const lx *expr, lx **kid) {
  if (expr->op == LX_LE || expr->op == LX_LT)
    return ordered(at, kid[0], kid[1], expr->op == LX_LT);
  return equal(at, expr->op, kid[0], kid[1]);
}

/* the larger or smaller of two integers, where ranges say which one it is */
static lx *extreme(resolving *at, lx_op op, lx **kid) {
  lo_range range = range_of(at, difference(at->job, kid[0], kid[1]));
  if (range.low >= 0)
    return kid[op == LX_MAX ? 0 : 1];
  if (range.high <= 0)
    return kid[op == LX_MAX ? 1 : 0];
  return lx_mk(at->job, op, 2, kid);
}

static lx *division(resolving *at, lx_op op, lx **kid) {
  lx *quotient;
  lx *rest;
  if (kid[1]->op != LX_INT || kid[1]->number <= 0 ||
      !lo_divided(at->job, kid[0], kid[1]->number, &quotient, &rest))
    return lx_mk(at->job, op, 2, kid);
  lo_range range = range_of(at, rest);
  bool within = range.low >= 0 && range.high < kid[1]->number;
  if (op == LX_MOD)
    return within ? rest : lx_mk(at->job, op, 2, (lx *[]){rest, kid[1]});
  if (within)
    return quotient;
  lx *left = lx_mk(at->job, LX_IDIV, 2, (lx *[]){rest, kid[1]});
  return lo_collected(at->job, lx_mk(at->job, LX_ADD, 2, (lx *[]){quotient, left}));
}

static lx *logical(resolving *at, const lx *expr, lx **kid) {
  if (expr->op == LX_NOT) {
    if (kid[0]->op == LX_INT)
      return truth(at->job, is_truth(kid[0], false));
    return lx_mk(at->job, LX_NOT, 1, kid);
  }
  bool decides = expr->op == LX_OR; /* the value of one operand that decides */
  if (is_truth(kid[0], decides) || is_truth(kid[1], decides))
    return truth(at->job, decides);
  if (kid[0]->op == LX_INT)
    return kid[1];
  if (kid[1]->op == LX_INT)
    return kid[0];
  return lx_mk(at->job, expr->op, 2, kid);
}

static lx *choice(resolving *at, lx **kid) {
  if (kid[0]->op == LX_INT)
    return kid[is_truth(kid[0], true) ? 1 : 2];
  if (lx_equal(kid[1], kid[2]))
    return kid[1];
  if (kid[1]->op == LX_IF && lx_equal(kid[1]->kid[2], kid[2])) {
    lx *both = lx_mk(at->job, LX_AND, 2, (lx *[]){kid[0], kid[1]->kid[0]});
    return lx_mk(at->job, LX_IF, 3, (lx *[]){both, kid[1]->kid[1], kid[2]});
  }
  return lx_mk(at->job, LX_IF, 3, kid);
}

static lx *resolve(resolving *at, lx *expr);

static lx *resolve_operation(resolving *at, lx *expr) {
  lx **kid = as_arena_alloc(at->job->arena, (size_t)expr->n * sizeof *kid);
  if (expr->op == LX_IF || expr->op == LX_AND || expr->op == LX_OR) {
    kid[0] = resolve(at, expr->kid[0]); /* what it rules out has no ranges to be asked for */
    if (kid[0]->op == LX_INT && expr->op == LX_IF)
      return resolve(at, expr->kid[is_truth(kid[0], true) ? 1 : 2]);
    if (expr->op != LX_IF && is_truth(kid[0], expr->op == LX_OR))
      return kid[0];
  }
  for (int i = expr->op == LX_IF || expr->op == LX_AND || expr->op == LX_OR; i < expr->n; i++)
    kid[i] = resolve(at, expr->kid[i]);
  if (is_order(expr))
    return relation(at, expr, kid);
  if (expr->op >= LX_AND && expr->op <= LX_NOT)
    return logical(at, expr, kid);
  if (expr->op == LX_IF)
    return choice(at, kid);
  if (expr->integer && (expr->op == LX_MAX || expr->op == LX_MIN))
    return extreme(at, expr->op, kid);
  if (expr->integer && (expr->op == LX_IDIV || expr->op == LX_MOD))
    return division(at, expr->op, kid);
  lx *result = lx_rebuilt(at->job, expr, kid);
  bool sum = result->op == LX_ADD || result->op == LX_SUB || result->op == LX_MUL;
  return result->integer && sum ? lo_collected(at->job, result) : result;
}

static lx *resolve(resolving *at, lx *expr) {
  if (expr->op == LX_VAR && expr->number < at->n) {
    lo_range range = at->of[expr->number];
    return range.low == range.high ? lx_int(at->job, range.low) : expr;
  }
  if (!expr->n)
    return expr;
  for (int i = 0; i < at->n_memo; i++) {
    if (at->from[i] == expr)
      return at->to[i];
  }
  lx *result = resolve_operation(at, expr);
  if (at->n_memo < MEMO) {
    at->from[at->n_memo] = expr;
    at->to[at->n_memo++] = result;
  }
  return result;
}

lx *lo_resolved(lo_job *job, lx *expr, const lo_range *of, int n) {
  resolving at = {.job = job, .of = of, .n = n};
  lx *result = resolve(&at, expr);
  return at.failed ? NULL : result;
}
