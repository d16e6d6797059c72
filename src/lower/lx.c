#include "lx.h"
#include "job.h"
#include "range.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

lx *lx_new(lo_job *job, lx_op op, int n) {
  lx *expr = as_arena_alloc(job->arena, sizeof *expr);
  expr->op = op;
  expr->n = n;
  if (n)
    expr->kid = as_arena_alloc(job->arena, (size_t)n * sizeof *expr->kid);
  return expr;
}

lx *lx_int(lo_job *job, long i) {
  lx *expr = lx_new(job, LX_INT, 0);
  expr->number = i;
  expr->integer = true;
  return expr;
}

lx *lx_var(lo_job *job, int number) {
  lx *expr = lx_new(job, LX_VAR, 0);
  expr->number = number;
  expr->integer = true;
  return expr;
}

lx *lx_num(lo_job *job, double real) {
  lx *expr = lx_new(job, LX_NUM, 0);
  expr->real = real;
  return expr;
}

lx *lx_ratio(lo_job *job, long numerator, long denominator) {
  lx *expr = lx_num(job, (double)numerator / (double)denominator);
  expr->number = numerator;
  expr->denominator = denominator;
  return expr;
}

lx *lx_ref(lo_job *job, uint32_t val, int n, lx *const *idx) {
  lx *expr = lx_new(job, LX_REF, n);
  expr->val = val;
  for (int i = 0; i < n; i++)
    expr->kid[i] = idx[i];
  return expr;
}

lx *lx_whole(lo_job *job, uint32_t val, int n, lx *const *idx) {
  lx *expr = lx_ref(job, val, n, idx);
  expr->op = LX_WHOLE;
  expr->integer = true;
  return expr;
}

bool lx_has_whole(const lx *expr) {
  if (expr->op == LX_WHOLE)
    return true;
  for (int i = 0; i < expr->n; i++) {
    if (lx_has_whole(expr->kid[i]))
      return true;
  }
  return false;
}

lx *lx_as_number(lo_job *job, lx *expr) {
  bool computes = expr->op == LX_ADD || expr->op == LX_SUB || expr->op == LX_MUL ||
                  expr->op == LX_NEG || expr->op == LX_ABS || expr->op == LX_MAX ||
                  expr->op == LX_MIN || expr->op == LX_IF;
  if (!expr->integer || !computes || !lx_has_whole(expr))
    return expr;
  lx *result = lx_new(job, expr->op, expr->n);
  for (int i = 0; i < expr->n; i++)
    result->kid[i] = expr->op == LX_IF && i == 0 ? expr->kid[i] : lx_as_number(job, expr->kid[i]);
  return result;
}

static bool is_int(const lx *expr, long i) {
  return expr->op == LX_INT && expr->number == i;
}

static bool boolean(lx_op op) {
  return op >= LX_EQ && op <= LX_NOT;
}

static long floor_div(long dividend, long divisor) {
  long quotient = dividend / divisor;
  return quotient * divisor != dividend && (dividend < 0) != (divisor < 0) ? quotient - 1
                                                                           : quotient;
}

/* NULL: not within 64 bits, or not defined */
static lx *fold_int(lo_job *job, lx_op op, lx *const *kid) {
  long left = kid[0]->number;
  long right = kid[1]->number;
  long result;
  switch (op) {
  case LX_ADD:
    return __builtin_add_overflow(left, right, &result) ? NULL : lx_int(job, result);
  case LX_SUB:
    return __builtin_sub_overflow(left, right, &result) ? NULL : lx_int(job, result);
  case LX_MUL:
    return __builtin_mul_overflow(left, right, &result) ? NULL : lx_int(job, result);
  case LX_IDIV:
    return right > 0 ? lx_int(job, floor_div(left, right)) : NULL;
  case LX_MOD:
    return right > 0 ? lx_int(job, left - right * floor_div(left, right)) : NULL;
  default:
    return NULL;
  }
}

/* An expression of indices and known ratios as numerator / denominator, denominator > 0.  false:
 * it is none, or 64 bits do not suffice. */
static bool as_ratio(lo_job *job, lx *expr, lx **numerator, long *denominator) {
  lx *left;
  lx *right;
  long below_left;
  long below_right;
  if (expr->integer || (expr->op == LX_NUM && expr->denominator > 0)) {
    *numerator = expr->integer ? expr : lx_int(job, expr->number);
    *denominator = expr->integer ? 1 : expr->denominator;
    return true;
  }
  if (expr->op == LX_NEG && as_ratio(job, expr->kid[0], &left, denominator)) {
    *numerator = lx_mk(job, LX_NEG, 1, &left);
    return true;
  }
  bool sum = expr->op == LX_ADD || expr->op == LX_SUB;
  if ((!sum && expr->op != LX_MUL && expr->op != LX_FDIV) ||
      !as_ratio(job, expr->kid[0], &left, &below_left) ||
      !as_ratio(job, expr->kid[1], &right, &below_right))
    return false;
  if (expr->op == LX_FDIV) { /* by a number: multiplied by its inverse */
    if (right->op != LX_INT || right->number == 0 || right->number == LONG_MIN)
      return false;
    long over = right->number < 0 ? -below_right : below_right;
    below_right = right->number < 0 ? -right->number : right->number;
    right = lx_int(job, over);
  }
  if (__builtin_mul_overflow(below_left, below_right, denominator))
    return false;
  if (sum) {
    left = lx_mk(job, LX_MUL, 2, (lx *[]){left, lx_int(job, below_right)});
    right = lx_mk(job, LX_MUL, 2, (lx *[]){right, lx_int(job, below_left)});
  }
  *numerator = lx_mk(job, sum ? expr->op : LX_MUL, 2, (lx *[]){left, right});
  return true;
}

/* both sides of a relation over a common denominator, where they are sums of indices and ratios */
static lx *integer_relation(lo_job *job, lx_op op, lx *const *kid) {
  lx *side[2];
  long below[2];
  if ((kid[0]->integer && kid[1]->integer) || !as_ratio(job, kid[0], &side[0], &below[0]) ||
      !as_ratio(job, kid[1], &side[1], &below[1]))
    return NULL;
  lx *relation = lx_new(job, op, 2);
  for (int i = 0; i < 2; i++)
    relation->kid[i] = lx_mk(job, LX_MUL, 2, (lx *[]){side[i], lx_int(job, below[1 - i])});
  return relation;
}

/* is the operation of these an integer? */
static bool gives_integer(lx_op op, int n, lx *const *kid) {
  bool integer = !boolean(op) && op != LX_FDIV && op != LX_CALL && op != LX_REF &&
                 !(op >= LX_EXP && op <= LX_INV);
  for (int i = op == LX_IF; i < n; i++)
    integer = integer && kid[i]->integer;
  return integer;
}

/* an operation of two integers, simplified; NULL: it stays */
static lx *simpler_integer(lo_job *job, lx_op op, lx *const *kid) {
  lx *folded = kid[0]->op == LX_INT && kid[1]->op == LX_INT ? fold_int(job, op, kid) : NULL;
  if (folded)
    return folded;
  if (op == LX_MUL && (is_int(kid[0], 0) || is_int(kid[1], 0)))
    return lx_int(job, 0);
  if ((op == LX_MUL || op == LX_IDIV) && is_int(kid[1], 1))
    return kid[0];
  if (op == LX_MUL && is_int(kid[0], 1))
    return kid[1];
  return op == LX_MOD && is_int(kid[1], 1) ? lx_int(job, 0) : NULL;
}

/* the same of any numbers, where one is 0 */
static lx *without_zero(lx_op op, lx *const *kid) {
  if ((op == LX_ADD || op == LX_SUB) && is_int(kid[1], 0))
    return kid[0];
  return op == LX_ADD && is_int(kid[0], 0) ? kid[1] : NULL;
}

/* NULL: nothing to simplify */
static lx *simpler(lo_job *job, lx_op op, int n, lx *const *kid, bool integer) {
  if (op == LX_FDIV && kid[0]->op == LX_INT && kid[1]->op == LX_INT && kid[1]->number > 0)
    return lx_ratio(job, kid[0]->number, kid[1]->number);
  if (integer && op == LX_NEG)
    return kid[0]->op == LX_INT ? lx_int(job, -kid[0]->number)
                                : lx_mk(job, LX_SUB, 2, (lx *[]){lx_int(job, 0), kid[0]});
  lx *made = integer && n == 2 ? simpler_integer(job, op, kid) : NULL;
  return made ? made : without_zero(op, kid);
}

lx *lx_mk(lo_job *job, lx_op op, int n, lx *const *kid) {
  bool relation = op >= LX_EQ && op <= LX_LT;
  bool integer = gives_integer(op, n, kid);
  lx *made = relation ? integer_relation(job, op, kid) : NULL;
  if (!made)
    made = simpler(job, op, n, kid, integer);
  if (made)
    return made;
  made = lx_new(job, op, n);
  made->integer = integer;
  for (int i = 0; i < n; i++)
    made->kid[i] = kid[i];
  return made;
}

lx *lx_rebuilt(lo_job *job, const lx *expr, lx **kid) {
  if (expr->op == LX_REF || expr->op == LX_WHOLE || expr->op == LX_CALL || expr->op == LX_FOLD) {
    lx *result = lx_new(job, expr->op, expr->n);
    result->integer = expr->op == LX_WHOLE;
    result->val = expr->val;
    result->function = expr->function;
    result->number = expr->number;
    result->var = expr->var;
    result->red = expr->red;
    memcpy(result->kid, kid, (size_t)expr->n * sizeof *kid);
    return result;
  }
  return lx_mk(job, expr->op, expr->n, kid);
}

typedef struct {
  const lx **from;
  lx **to;
  uint32_t n;
  uint32_t cap;
} lx_memo;

static lx *memo_find(const lx_memo *memo, const lx *expr) {
  for (uint32_t i = memo->n; i-- > 0;) {
    if (memo->from[i] == expr)
      return memo->to[i];
  }
  return NULL;
}

static void memo_put(lx_memo *memo, const lx *expr, lx *result) {
  if (memo->n == memo->cap) {
    memo->cap = memo->cap ? 2 * memo->cap : 32;
    memo->from = as_realloc(memo->from, memo->cap * sizeof *memo->from);
    memo->to = as_realloc(memo->to, memo->cap * sizeof *memo->to);
  }
  memo->from[memo->n] = expr;
  memo->to[memo->n++] = result;
}

static void memo_clear(lx_memo *memo) {
  free(memo->from);
  free(memo->to);
}

/* what becomes of the leaves of one kind */
typedef struct {
  lx_op leaf;
  bool remember; /* a leaf that stands in several places is changed once */
  lx *(*change)(lo_job *job, void *arg, lx *leaf);
  void *arg;
} leaf_map;

/* The expression with its leaves changed; itself where none is. */
static lx *map_leaves(lo_job *job, lx *expr, const leaf_map *map, lx_memo *memo) {
  bool leaf = expr->op == map->leaf;
  if (leaf && !map->remember)
    return map->change(job, map->arg, expr);
  if (!leaf && !expr->n)
    return expr;
  lx *result = memo_find(memo, expr);
  if (result)
    return result;
  if (leaf) {
    result = map->change(job, map->arg, expr);
  } else {
    lx *few[9];
    lx **kids = expr->n <= 9 ? few : as_arena_alloc(job->arena, (size_t)expr->n * sizeof *kids);
    bool same = true;
    for (int i = 0; i < expr->n; i++) {
      kids[i] = map_leaves(job, expr->kid[i], map, memo);
      same = same && kids[i] == expr->kid[i];
    }
    result = same ? expr : lx_rebuilt(job, expr, kids);
  }
  memo_put(memo, expr, result);
  return result;
}

static lx *map_all(lo_job *job, lx *expr, const leaf_map *map) {
  lx_memo memo = {0};
  lx *result = map_leaves(job, expr, map, &memo);
  memo_clear(&memo);
  return result;
}

typedef struct {
  lx *const *by; /* of each variable; NULL: it stays */
  int n;
} replacements;

static lx *replaced(lo_job *job, void *arg, lx *variable) {
  const replacements *all = arg;
  (void)job;
  bool stays = variable->number >= all->n || all->by[variable->number] == NULL;
  return stays ? variable : all->by[variable->number];
}

lx *lx_subst(lo_job *job, lx *expr, lx *const *replacement, int n) {
  replacements all = {replacement, n};
  return map_all(job, expr, &(leaf_map){.leaf = LX_VAR, .change = replaced, .arg = &all});
}

lx *lx_map_refs(lo_job *job, lx *expr, lx *(*change)(lo_job *, void *, lx *), void *arg) {
  return map_all(job, expr,
                 &(leaf_map){.leaf = LX_REF, .remember = true, .change = change, .arg = arg});
}

/* e = q*d + r with 0 <= r < d for all indices, when that can be read off a sum */
static bool split(lo_job *job, lx *expr, long divisor, const long *ext, int n, lx **quotient,
                  lx **rest) {
  lo_range whole;
  if (lo_range_of(expr, ext, n, &whole) && whole.low >= 0 && whole.high < divisor) {
    *quotient = lx_int(job, 0);
    *rest = expr;
    return true;
  }
  if (expr->op == LX_INT) {
    *quotient = lx_int(job, floor_div(expr->number, divisor));
    *rest = lx_int(job, expr->number - divisor * floor_div(expr->number, divisor));
    return true;
  }
  if (expr->op == LX_MUL) {
    for (int j = 0; j < 2; j++) {
      if (expr->kid[j]->op == LX_INT && expr->kid[j]->number % divisor == 0) {
        *quotient = lx_mk(job, LX_MUL, 2,
                          (lx *[]){expr->kid[1 - j], lx_int(job, expr->kid[j]->number / divisor)});
        *rest = lx_int(job, 0);
        return true;
      }
    }
  }
  if (expr->op == LX_ADD) {
    lx *quotient0;
    lx *rest0;
    lx *quotient1;
    lx *rest1;
    lo_range range0;
    lo_range range1;
    if (!split(job, expr->kid[0], divisor, ext, n, &quotient0, &rest0) ||
        !split(job, expr->kid[1], divisor, ext, n, &quotient1, &rest1))
      return false;
    if (!lo_range_of(rest0, ext, n, &range0) || !lo_range_of(rest1, ext, n, &range1) ||
        range0.high >= divisor - range1.high)
      return false;
    *quotient = lx_mk(job, LX_ADD, 2, (lx *[]){quotient0, quotient1});
    *rest = lx_mk(job, LX_ADD, 2, (lx *[]){rest0, rest1});
    return true;
  }
  return false;
}

/* the branch that an `if` always takes, by the ranges of what it compares; NULL: not known */
static lx *branch_taken(const lx *expr, const long *ext, int n) {
  const lx *relation = expr->kid[0];
  lo_range left;
  lo_range right;
  if ((relation->op != LX_LT && relation->op != LX_LE) ||
      !lo_range_of(relation->kid[0], ext, n, &left) ||
      !lo_range_of(relation->kid[1], ext, n, &right))
    return NULL;
  bool strict = relation->op == LX_LT;
  if (strict ? left.high < right.low : left.high <= right.low)
    return expr->kid[1];
  if (strict ? left.low >= right.high : left.low > right.high)
    return expr->kid[2];
  return NULL;
}

static lx *simplify(lo_job *job, lx *expr, const long *ext, int n, lx_memo *memo) {
  if (expr->op == LX_VAR && expr->number < n && ext[expr->number] == 1)
    return lx_int(job, 0);
  if (!expr->n)
    return expr;
  lx *result = memo_find(memo, expr);
  if (result)
    return result;
  lx *few[9];
  lx **kids = expr->n <= 9 ? few : as_arena_alloc(job->arena, (size_t)expr->n * sizeof *kids);
  for (int i = 0; i < expr->n; i++)
    kids[i] = simplify(job, expr->kid[i], ext, n, memo);
  result = lx_rebuilt(job, expr, kids);
  bool divides = (result->op == LX_IDIV || result->op == LX_MOD) && result->integer;
  if (divides && result->kid[1]->op == LX_INT && result->kid[1]->number > 0) {
    lx *quotient;
    lx *rest;
    if (split(job, result->kid[0], result->kid[1]->number, ext, n, &quotient, &rest))
      result = result->op == LX_IDIV ? quotient : rest;
  } else if (result->op == LX_IF) {
    lx *taken = branch_taken(result, ext, n);
    if (taken)
      result = taken;
  }
  memo_put(memo, expr, result);
  return result;
}

lx *lx_simplify(lo_job *job, lx *expr, const long *ext, int n) {
  lx_memo memo = {0};
  lx *result = simplify(job, expr, ext, n, &memo);
  memo_clear(&memo);
  return result;
}

bool lx_equal(const lx *left, const lx *right) {
  if (left == right)
    return true;
  if (left->op != right->op || left->n != right->n || left->number != right->number ||
      left->val != right->val || left->var != right->var || left->red != right->red)
    return false;
  if (left->op == LX_NUM && !(left->real <= right->real && right->real <= left->real))
    return false;
  if (left->op == LX_CALL && strcmp(left->function, right->function))
    return false;
  for (int i = 0; i < left->n; i++) {
    if (!lx_equal(left->kid[i], right->kid[i]))
      return false;
  }
  return true;
}

bool lx_uses_var(const lx *expr, int var) {
  if (expr->op == LX_VAR)
    return expr->number == var;
  for (int i = 0; i < expr->n; i++) {
    if (lx_uses_var(expr->kid[i], var))
      return true;
  }
  return false;
}

bool lx_moves(const lo_job *job, const lx *expr) {
  if (expr->op == LX_FIRST && AS_VEC_AT(&job->firsts, lo_first, expr->number).by_loop)
    return true;
  if (expr->op == LX_CUT && lo_cut_row(job, (uint32_t)expr->number)->by_loop)
    return true;
  for (int i = 0; i < expr->n; i++) {
    if (lx_moves(job, expr->kid[i]))
      return true;
  }
  return false;
}

static long size_upto(const lx *expr, long cap) {
  long nodes = 1;
  for (int i = 0; i < expr->n && nodes < cap; i++)
    nodes += size_upto(expr->kid[i], cap - nodes);
  return nodes;
}

long lx_size(const lx *expr) {
  return size_upto(expr, 1000);
}

bool lx_costly(const lx *expr) {
  if ((expr->op >= LX_EXP && expr->op <= LX_INV) || expr->op == LX_CALL)
    return true;
  if (expr->op == LX_FDIV && !expr->kid[1]->integer && expr->kid[1]->op != LX_NUM)
    return true;
  for (int i = 0; i < expr->n; i++) {
    if (expr->op != LX_REF && lx_costly(expr->kid[i]))
      return true;
  }
  return false;
}

void lx_refs(const lx *expr, void (*visit)(void *, const lx *), void *arg) {
  if (expr->op == LX_REF) {
    visit(arg, expr);
    return;
  }
  for (int i = 0; i < expr->n; i++)
    lx_refs(expr->kid[i], visit, arg);
}
