/* Equal parts of an expression found and made one; functions computed without loss of digits;
 * exponentials of logarithms, and bool-to-float conversions, undone. */
#include "scalar.h"
#include "job.h"
#include <stdlib.h>
#include <string.h>

/* powers of u that are products; others stay exponentials */
enum { MOST_POWER = 4 };

typedef struct {
  lo_job *job;
  as_vec node; /* lx *: what there is, each once */
  as_vec from; /* lx *: nodes as they were given .. */
  as_vec to;   /* .. and which of them is the same */
} sharing;

static bool same_number(double left, double right) {
  return memcmp(&left, &right, sizeof left) == 0;
}

static bool same_function(const lx *left, const lx *right) {
  bool named = left->function && right->function;
  return named ? strcmp(left->function, right->function) == 0 : left->function == right->function;
}

/* of nodes whose operands have been made one */
static bool same_node(const lx *left, const lx *right) {
  if (left->op != right->op || left->n != right->n || left->integer != right->integer ||
      left->number != right->number || left->val != right->val || left->var != right->var ||
      left->red != right->red || left->denominator != right->denominator ||
      left->low != right->low || left->high != right->high ||
      !same_number(left->real, right->real) || !same_function(left, right))
    return false;
  for (int i = 0; i < left->n; i++) {
    if (left->kid[i] != right->kid[i])
      return false;
  }
  return true;
}

static lx *one_of(sharing *all, lx *expr) {
  for (size_t i = 0; i < all->node.n; i++) {
    lx *known = AS_VEC_AT(&all->node, lx *, i);
    if (same_node(known, expr))
      return known;
  }
  as_vec_push(&all->node, &expr);
  return expr;
}

static lx *make(sharing *all, lx_op op, lx *left, lx *right) {
  return one_of(all, lx_mk(all->job, op, right ? 2 : 1, (lx *[]){left, right}));
}

static lx *power(sharing *all, lx *base, long n) {
  lx *result = base;
  for (long i = 1; i < n; i++)
    result = make(all, LX_MUL, result, base);
  return result;
}

/* a whole number from 1 to MOST_POWER; 0: it is none */
static long small_whole(const lx *expr) {
  bool whole = expr->op == LX_INT || (expr->op == LX_NUM && expr->denominator == 1);
  return whole && expr->number > 0 && expr->number <= MOST_POWER ? expr->number : 0;
}

/* exp(n * expr) without exponential and logarithm in at least one case; NULL: it is none such */
static lx *exponential(sharing *all, lx *expr, long n) {
  if (expr->op == LX_LOG)
    return n > 0 && n <= MOST_POWER ? power(all, expr->kid[0], n) : NULL;
  if (expr->op == LX_MUL) {
    int times = small_whole(expr->kid[0]) ? 0 : 1;
    long factor = small_whole(expr->kid[times]);
    return factor ? exponential(all, expr->kid[1 - times], n * factor) : NULL;
  }
  if (expr->op != LX_IF)
    return NULL;
  lx *branch[2];
  bool some = false;
  for (int i = 0; i < 2; i++) {
    branch[i] = exponential(all, expr->kid[i + 1], n);
    some = some || branch[i];
  }
  if (!some)
    return NULL;
  for (int i = 0; i < 2; i++) {
    lx *same = expr->kid[i + 1];
    lx *times = n == 1 ? same : make(all, LX_MUL, one_of(all, lx_int(all->job, n)), same);
    branch[i] = branch[i] ? branch[i] : make(all, LX_EXP, times, NULL);
  }
  lx *chosen = lx_mk(all->job, LX_IF, 3, (lx *[]){expr->kid[0], branch[0], branch[1]});
  return one_of(all, chosen);
}

static bool is_int(const lx *expr, long number) {
  return expr->op == LX_INT && expr->number == number;
}

/* a condition that was made a number and compared with 0; NULL: it is none such */
static lx *condition_of(const lx *expr) {
  const lx *choice = expr->op == LX_NE ? expr->kid[0] : NULL;
  bool truth = choice && choice->op == LX_IF && is_int(choice->kid[1], 1) &&
               is_int(choice->kid[2], 0) && is_int(expr->kid[1], 0);
  return truth ? choice->kid[0] : NULL;
}

/* --- functions that are computed otherwise than they are written */
static as_shape shape_of(const void *of, as_scalar_ref e) {
  const lx *expr = (const lx *)e;
  (void)of;
  switch (expr->op) {
  case LX_INT:
  case LX_NUM:
    return AS_SHAPE_NUMBER;
  case LX_ADD:
    return AS_SHAPE_ADD;
  case LX_SUB:
    return AS_SHAPE_SUB;
  case LX_MUL:
    return AS_SHAPE_MUL;
  case LX_FDIV:
    return AS_SHAPE_DIV;
  case LX_NEG:
    return AS_SHAPE_NEG;
  case LX_EXP:
    return AS_SHAPE_EXP;
  case LX_LOG:
    return AS_SHAPE_LOG;
  default:
    return AS_SHAPE_OTHER;
  }
}

static as_scalar_ref kid_of(const void *of, as_scalar_ref e, int i) {
  (void)of;
  return (as_scalar_ref)((const lx *)e)->kid[i];
}

static double value_of(const void *of, as_scalar_ref e) {
  const lx *expr = (const lx *)e;
  (void)of;
  return expr->op == LX_INT ? (double)expr->number : expr->real;
}

static bool same(const void *of, as_scalar_ref x, as_scalar_ref y) {
  (void)of;
  return lx_equal((const lx *)x, (const lx *)y);
}

as_stable lo_stable_form(const lx *expr, lx **of) {
  static const as_scalar_view view = {NULL, shape_of, kid_of, value_of, same};
  as_scalar_ref x = 0;
  as_stable form = as_stable_form(&view, (as_scalar_ref)expr, &x);
  *of = (lx *)x;
  return form;
}

static lx *share(sharing *all, lx *expr);

static lx *called(sharing *all, as_stable form, lx *of) {
  lx *call = lx_new(all->job, LX_CALL, 1);
  call->function = as_stable_name(form);
  call->kid[0] = of;
  return one_of(all, call);
}

/* tanh(of), by cases where one of them is that of a logarithm, which is no exponential of it */
static lx *tanh_of(sharing *all, lx *of) {
  lx *sum = of->op == LX_LOG ? of->kid[0] : NULL;
  for (int i = 0; sum && sum->op == LX_ADD && i < 2; i++) {
    if (is_int(sum->kid[i], 1) && sum->kid[1 - i]->op == LX_EXP)
      return called(all, AS_STABLE_TANH_LOG1P, share(all, sum->kid[1 - i]));
  }
  if (of->op != LX_IF)
    return called(all, AS_STABLE_TANH, share(all, of));
  lx *branch[2] = {tanh_of(all, of->kid[1]), tanh_of(all, of->kid[2])};
  return one_of(all,
                lx_mk(all->job, LX_IF, 3, (lx *[]){share(all, of->kid[0]), branch[0], branch[1]}));
}

/* before anything below it is rewritten; NULL: it is none */
static lx *stable(sharing *all, lx *expr) {
  lx *of;
  as_stable form = lo_stable_form(expr, &of);
  if (form == AS_STABLE_NONE)
    return NULL;
  return form == AS_STABLE_TANH ? tanh_of(all, of) : called(all, form, share(all, of));
}

static lx *simpler(sharing *all, lx *expr) {
  if (expr->op == LX_EXP)
    return exponential(all, expr->kid[0], 1);
  return condition_of(expr);
}

static lx *rewritten(sharing *all, lx *expr) {
  lx *function = stable(all, expr);
  if (function)
    return function;
  lx *copy = lx_new(all->job, expr->op, expr->n);
  lx **kid = copy->kid;
  *copy = *expr;
  copy->kid = kid;
  for (int i = 0; i < expr->n; i++)
    kid[i] = share(all, expr->kid[i]);
  lx *result = one_of(all, copy);
  lx *other = simpler(all, result);
  return other ? other : result;
}

static lx *share(sharing *all, lx *expr) {
  for (size_t i = 0; i < all->from.n; i++) {
    if (AS_VEC_AT(&all->from, lx *, i) == expr)
      return AS_VEC_AT(&all->to, lx *, i);
  }
  lx *result = rewritten(all, expr);
  as_vec_push(&all->from, &expr);
  as_vec_push(&all->to, &result);
  return result;
}

lx *lo_scalar(lo_job *job, lx *expr) {
  sharing all = {.job = job};
  as_vec_init(&all.node, sizeof(lx *));
  as_vec_init(&all.from, sizeof(lx *));
  as_vec_init(&all.to, sizeof(lx *));
  lx *result = share(&all, expr);
  as_vec_clear(&all.node);
  as_vec_clear(&all.from);
  as_vec_clear(&all.to);
  return result;
}
