/* Terms: made, known by their shape, and put in an order. */
#include "pv_terms.h"
#include <string.h>

enum { MAX_TREE = 400000 };

ck_id pv_num(pv *prover, long n) {
  if (n < -PV_SMALL || n > PV_SMALL)
    return ck_int(prover->terms, n);
  ck_id *known = &prover->small[n + PV_SMALL];
  if (*known == CK_BAD)
    *known = ck_int(prover->terms, n);
  return *known;
}

ck_id pv_rational(pv *prover, const mpq_t value) {
  bool small =
      mpz_cmp_ui(mpq_denref(value), 1) == 0 && mpz_cmpabs_ui(mpq_numref(value), PV_SMALL) <= 0;
  return small ? pv_num(prover, mpz_get_si(mpq_numref(value))) : ck_q(prover->terms, value);
}

bool pv_is_const(pv *prover, ck_id term) {
  return term != CK_BAD && ck_head(prover->terms, term) == CK_Q;
}

bool pv_is_zero(pv *prover, ck_id term) {
  return term == prover->zero;
}

bool pv_is_one(pv *prover, ck_id term) {
  return term == prover->one;
}

static ck_id mk2(pv *prover, ck_op head, ck_id a, ck_id b) {
  return a == CK_BAD || b == CK_BAD ? CK_BAD : ck_mk2(prover->terms, head, a, b);
}

ck_id pv_add(pv *prover, ck_id a, ck_id b) {
  return mk2(prover, CK_ADD, a, b);
}

ck_id pv_mul(pv *prover, ck_id a, ck_id b) {
  return mk2(prover, CK_MUL, a, b);
}

ck_id pv_neg(pv *prover, ck_id a) {
  return mk2(prover, CK_MUL, pv_num(prover, -1), a);
}

ck_id pv_sub(pv *prover, ck_id a, ck_id b) {
  return pv_add(prover, a, pv_neg(prover, b));
}

ck_id pv_rel(pv *prover, ck_op head, ck_id a, ck_id b) {
  return mk2(prover, head, a, b);
}

ck_id pv_unary(pv *prover, ck_op head, ck_id a) {
  return a == CK_BAD ? CK_BAD : ck_mk1(prover->terms, head, a);
}

ck_id pv_eq(pv *prover, ck_id a, ck_id b) {
  return pv_rel(prover, CK_EQ, a, b);
}

ck_id pv_le(pv *prover, ck_id a, ck_id b) {
  return pv_rel(prover, CK_LE, a, b);
}

ck_id pv_lt(pv *prover, ck_id a, ck_id b) {
  return pv_rel(prover, CK_LT, a, b);
}

ck_id pv_ge0(pv *prover, ck_id a) {
  return pv_rel(prover, CK_LE, prover->zero, a);
}

ck_id pv_gt0(pv *prover, ck_id a) {
  return pv_rel(prover, CK_LT, prover->zero, a);
}

ck_id pv_ne0(pv *prover, ck_id a) {
  return pv_rel(prover, CK_NE, a, prover->zero);
}

ck_id pv_inv(pv *prover, ck_id a) {
  return pv_unary(prover, CK_INV, a);
}

ck_id pv_exp(pv *prover, ck_id a) {
  return pv_unary(prover, CK_EXP, a);
}

ck_id pv_log(pv *prover, ck_id a) {
  return pv_unary(prover, CK_LOG, a);
}

ck_id pv_sqrt(pv *prover, ck_id a) {
  return pv_unary(prover, CK_SQRT, a);
}

ck_id pv_int_var(pv *prover, const char *name) {
  return ck_var(prover->terms, name, 'i');
}

ck_id pv_real_var(pv *prover, const char *name) {
  return ck_var(prover->terms, name, 'r');
}

ck_id pv_apply(pv *prover, const char *function, ck_id a) {
  return a == CK_BAD ? CK_BAD : ck_app(prover->terms, function, "i:r", &a, 1);
}

ck_id pv_call(pv *prover, const char *function, ck_id a) {
  char name[32];
  snprintf(name, sizeof name, "func.%s", function);
  return ck_app(prover->terms, name, "r:r", &a, 1);
}

bool pv_is_call(const pv *prover, ck_id term, const char *function) {
  if (ck_head(prover->terms, term) != CK_APP)
    return false;
  const char *name = ck_word_text(prover->terms, ck_name(prover->terms, term));
  return strncmp(name, "func.", 5) == 0 && strcmp(name + 5, function) == 0 &&
         strcmp(ck_word_text(prover->terms, ck_sig(prover->terms, term)), "r:r") == 0;
}

ck_id pv_apply2(pv *prover, const char *function, ck_id a, ck_id b) {
  ck_id args[2] = {a, b};
  return a == CK_BAD || b == CK_BAD ? CK_BAD : ck_app(prover->terms, function, "ii:r", args, 2);
}

ck_id pv_fold1(pv *prover, ck_id n, ck_id init, ck_id k, ck_id acc, ck_id step) {
  ck_id vars[2] = {k, acc};
  if (n == CK_BAD || init == CK_BAD || step == CK_BAD)
    return CK_BAD;
  ck_id kids[3] = {n, init, ck_close(prover->terms, step, vars, 2)};
  return kids[2] == CK_BAD ? CK_BAD : ck_fold(prover->terms, 0, 1, kids);
}

ck_id pv_sum(pv *prover, ck_id n, ck_id k, ck_id body) {
  if (n == CK_BAD || body == CK_BAD)
    return CK_BAD;
  ck_id vars[2] = {k, pv_real_var(prover, "$$acc")};
  ck_id kids[3] = {n, prover->zero,
                   ck_close(prover->terms, pv_add(prover, vars[1], body), vars, 2)};
  return ck_fold(prover->terms, 0, 1, kids);
}

ck_id pv_min2(pv *prover, ck_id a, ck_id b) {
  ck_id c = pv_le(prover, a, b);
  return c == CK_BAD ? CK_BAD : ck_ite(prover->terms, c, a, b);
}

ck_id pv_max2(pv *prover, ck_id a, ck_id b) {
  ck_id c = pv_le(prover, a, b);
  return c == CK_BAD ? CK_BAD : ck_ite(prover->terms, c, b, a);
}

/* does the bound variable `index` (counted from outside of t) occur loose in t? */
static bool uses_index(const ck_terms *terms, ck_id term, uint32_t index) {
  if (ck_loose_max(terms, term) <= index)
    return false;
  if (ck_head(terms, term) == CK_B)
    return ck_index(terms, term) == index;
  for (uint32_t i = 0, n = ck_nkids(terms, term); i < n; i++) {
    if (uses_index(terms, ck_kid(terms, term, i), index + ck_kid_binders(terms, term, i)))
      return true;
  }
  return false;
}

bool pv_is_sum(pv *prover, ck_id term) {
  const ck_terms *terms = prover->terms;
  if (term == CK_BAD || ck_head(terms, term) != CK_FOLD || ck_width(terms, term) != 1 ||
      ck_kid(terms, term, 1) != prover->zero)
    return false;
  ck_id b = ck_kid(terms, term, 2);
  if (ck_head(terms, b) != CK_ADD)
    return false;
  ck_id acc = ck_kid(terms, b, 0);
  return ck_head(terms, acc) == CK_B && ck_index(terms, acc) == 1 &&
         !uses_index(terms, ck_kid(terms, b, 1), 1);
}

ck_id pv_sum_body(pv *prover, ck_id term, ck_id k) {
  ck_id v[2] = {k, prover->zero};
  return ck_open(prover->terms, ck_kid(prover->terms, ck_kid(prover->terms, term, 2), 1), v, 2);
}

bool pv_is_max(pv *prover, ck_id term, ck_id *f) {
  const ck_terms *terms = prover->terms;
  if (term == CK_BAD || ck_head(terms, term) != CK_FOLD || ck_width(terms, term) != 1)
    return false;
  ck_id b = ck_kid(terms, term, 2);
  if (ck_head(terms, b) != CK_ITE)
    return false;
  ck_id c = ck_kid(terms, b, 0);
  ck_id g = ck_kid(terms, b, 1);
  ck_id acc = ck_kid(terms, b, 2);
  if (ck_head(terms, c) != CK_LE || ck_kid(terms, c, 0) != acc || ck_kid(terms, c, 1) != g)
    return false;
  if (ck_head(terms, acc) != CK_B || ck_index(terms, acc) != 1 || uses_index(terms, g, 1))
    return false;
  ck_id v[2] = {prover->zero, prover->zero};
  if (ck_loose_max(terms, g) <= 2 && ck_open(prover->terms, g, v, 2) != ck_kid(terms, term, 1))
    return false;
  *f = g;
  return true;
}

ck_id pv_max_body(pv *prover, ck_id term, ck_id k) {
  ck_id v[2] = {k, prover->zero};
  return ck_open(prover->terms, ck_kid(prover->terms, ck_kid(prover->terms, term, 2), 1), v, 2);
}

ck_id pv_max(pv *prover, ck_id n, ck_id k, ck_id body) {
  ck_id acc = pv_real_var(prover, "$$acc");
  ck_id init = ck_sub(prover->terms, body, &k, &prover->zero, 1, NULL, 0);
  return pv_fold1(prover, n, init, k, acc, pv_max2(prover, acc, body));
}

bool pv_is_prod(pv *prover, ck_id term, ck_id *f) {
  const ck_terms *terms = prover->terms;
  ck_id s;
  ck_id acc;
  ck_id v[2] = {pv_int_var(prover, "$$k"), pv_real_var(prover, "$$a")};
  if (ck_head(terms, term) != CK_FOLD || ck_width(terms, term) != 1 ||
      !pv_is_one(prover, ck_kid(terms, term, 1)))
    return false;
  s = ck_open(prover->terms, ck_kid(terms, term, 2), v, 2);
  if (ck_head(terms, s) != CK_MUL)
    return false;
  acc = ck_kid(terms, s, 0);
  *f = ck_kid(terms, s, 1);
  return acc == v[1] && !ck_has_var(terms, *f, v[1]);
}

bool pv_occurs(pv *prover, ck_id term, ck_id x) {
  if (term == x)
    return true;
  for (uint32_t i = 0, n = ck_nkids(prover->terms, term); i < n; i++) {
    if (pv_occurs(prover, ck_kid(prover->terms, term, i), x))
      return true;
  }
  return false;
}

uint64_t pv_tree_size(pv *prover, ck_id term) {
  uint64_t n = 1;
  uint64_t known;
  ck_op head = ck_head(prover->terms, term);
  const ck_poly *f = head == CK_ADD || head == CK_MUL ? ck_poly_of(prover->terms, term) : NULL;
  if (ck_nkids(prover->terms, term) == 0)
    return 1;
  if (as_map_get(&prover->misc_memo, AS_KEY(term, 9), &known))
    return known;
  for (uint32_t i = 0, k = f ? ck_poly_len(f) : 0; i < k && n <= MAX_TREE; i++) {
    ck_mono m = ck_poly_mono(f, i);
    for (uint32_t j = 0; j < m.deg && n <= MAX_TREE; j++)
      n += pv_tree_size(prover, m.atoms[j]);
  }
  for (uint32_t i = 0, k = f ? 0 : ck_nkids(prover->terms, term); i < k && n <= MAX_TREE; i++)
    n += pv_tree_size(prover, ck_kid(prover->terms, term, i));
  if (n > MAX_TREE)
    n = MAX_TREE + 1;
  as_map_put(&prover->misc_memo, AS_KEY(term, 9), n);
  return n;
}

bool pv_too_big(pv *prover, ck_id term) {
  if (pv_tree_size(prover, term) <= MAX_TREE)
    return false;
  prover->too_deep = true;
  return true;
}

/* --- constants */
static ck_id q2(pv *prover, ck_id a, ck_id b, int op) {
  if (a == CK_BAD || b == CK_BAD)
    return CK_BAD;
  if (op == '*' && a == prover->one)
    return b;
  if (op == '*' && b == prover->one)
    return a;
  mpq_t result;
  mpq_init(result);
  if (op == '+')
    mpq_add(result, *ck_q_value(prover->terms, a), *ck_q_value(prover->terms, b));
  else
    mpq_mul(result, *ck_q_value(prover->terms, a), *ck_q_value(prover->terms, b));
  ck_id term = pv_rational(prover, result);
  mpq_clear(result);
  return term;
}

ck_id pv_const_add(pv *prover, ck_id a, ck_id b) {
  return q2(prover, a, b, '+');
}

ck_id pv_const_mul(pv *prover, ck_id a, ck_id b) {
  return q2(prover, a, b, '*');
}

int pv_const_sign(pv *prover, ck_id a) {
  return mpq_sgn(*ck_q_value(prover->terms, a));
}

ck_id pv_const_inv(pv *prover, ck_id a) {
  mpq_t inverse;
  mpq_init(inverse);
  mpq_inv(inverse, *ck_q_value(prover->terms, a));
  ck_id term = pv_rational(prover, inverse);
  mpq_clear(inverse);
  return term;
}

/* --- the structural order: heads first, then names, then kids from the left.  Counters of the
 * prover ("$$x7") compare by number, so that the order does not change when a term moves to another
 * depth. */
static int word_cmp(pv *prover, uint32_t a, uint32_t b) {
  const char *x = ck_word_text(prover->terms, a);
  const char *y = ck_word_text(prover->terms, b);
  if (x[0] == '$' && y[0] == '$') {
    size_t m = strlen(x);
    size_t n = strlen(y);
    if (m != n)
      return m < n ? -1 : 1;
  }
  return strcmp(x, y);
}

static int head_cmp(pv *prover, ck_id a, ck_id b) {
  const ck_terms *terms = prover->terms;
  ck_op head = ck_head(terms, a);
  ck_op q = ck_head(terms, b);
  int c;
  if (head != q)
    return head < q ? -1 : 1;
  switch (head) {
  case CK_Q:
    return mpq_cmp(*ck_q_value(terms, a), *ck_q_value(terms, b));
  case CK_V:
    c = word_cmp(prover, ck_name(terms, a), ck_name(terms, b));
    return c ? c : ck_sort(terms, a) - ck_sort(terms, b);
  case CK_B:
    return ck_index(terms, a) != ck_index(terms, b)
               ? (ck_index(terms, a) < ck_index(terms, b) ? -1 : 1)
               : ck_sort(terms, a) - ck_sort(terms, b);
  case CK_APP:
    c = word_cmp(prover, ck_name(terms, a), ck_name(terms, b));
    return c ? c : word_cmp(prover, ck_sig(terms, a), ck_sig(terms, b));
  case CK_FOLD:
    if (ck_width(terms, a) != ck_width(terms, b))
      return ck_width(terms, a) < ck_width(terms, b) ? -1 : 1; /* fall through */
  case CK_ALL:
    if (ck_index(terms, a) != ck_index(terms, b))
      return ck_index(terms, a) < ck_index(terms, b) ? -1 : 1;
    break;
  default:
    break;
  }
  return ck_nkids(terms, a) == ck_nkids(terms, b)  ? 0
         : ck_nkids(terms, a) < ck_nkids(terms, b) ? -1
                                                   : 1;
}

int pv_order(pv *prover, ck_id a, ck_id b) {
  uint64_t known;
  int c;
  if (a == b)
    return 0;
  c = head_cmp(prover, a, b);
  if (c)
    return c;
  if (as_map_get(&prover->cmp_memo, AS_KEY(a, b), &known))
    return (int)(int64_t)known;
  for (uint32_t i = 0, n = ck_nkids(prover->terms, a); i < n && !c; i++)
    c = pv_order(prover, ck_kid(prover->terms, a, i), ck_kid(prover->terms, b, i));
  as_map_put(&prover->cmp_memo, AS_KEY(a, b), (uint64_t)(int64_t)c);
  return c;
}

/* min over k < n of body, base the body at 0 */
ck_id pv_min(pv *prover, ck_id n, ck_id k, ck_id body) {
  ck_id acc = pv_real_var(prover, "$$acc");
  ck_id init = ck_sub(prover->terms, body, &k, &prover->zero, 1, NULL, 0);
  return pv_fold1(prover, n, init, k, acc,
                  ck_ite(prover->terms, pv_le(prover, acc, body), acc, body));
}

ck_id pv_prod(pv *prover, ck_id n, ck_id k, ck_id body) {
  ck_id acc = pv_real_var(prover, "$$acc");
  return pv_fold1(prover, n, prover->one, k, acc, pv_mul(prover, acc, body));
}

bool pv_is_atom(const pv *prover, ck_id x) {
  ck_op head = ck_head(prover->terms, x);
  return head != CK_ADD && head != CK_MUL && head != CK_Q;
}
