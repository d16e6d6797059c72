/* Terms: made, known by their shape, and put in an order. */
#include "pv_terms.h"
#include <string.h>

enum { MAX_TREE = 400000 };

ck_id pv_num(pv *p, long n) {
  return ck_int(p->terms, n);
}

bool pv_is_const(pv *p, ck_id t) {
  return t != CK_BAD && ck_head(p->terms, t) == CK_Q;
}

bool pv_is_zero(pv *p, ck_id t) {
  return t == p->zero;
}

bool pv_is_one(pv *p, ck_id t) {
  return t == p->one;
}

static ck_id mk2(pv *p, ck_op o, ck_id a, ck_id b) {
  return a == CK_BAD || b == CK_BAD ? CK_BAD : ck_mk2(p->terms, o, a, b);
}

ck_id pv_add(pv *p, ck_id a, ck_id b) {
  return mk2(p, CK_ADD, a, b);
}

ck_id pv_mul(pv *p, ck_id a, ck_id b) {
  return mk2(p, CK_MUL, a, b);
}

ck_id pv_neg(pv *p, ck_id a) {
  return mk2(p, CK_MUL, pv_num(p, -1), a);
}

ck_id pv_sub(pv *p, ck_id a, ck_id b) {
  return pv_add(p, a, pv_neg(p, b));
}

ck_id pv_rel(pv *p, ck_op o, ck_id a, ck_id b) {
  return mk2(p, o, a, b);
}

ck_id pv_unary(pv *p, ck_op o, ck_id a) {
  return a == CK_BAD ? CK_BAD : ck_mk1(p->terms, o, a);
}

ck_id pv_eq(pv *p, ck_id a, ck_id b) {
  return pv_rel(p, CK_EQ, a, b);
}

ck_id pv_le(pv *p, ck_id a, ck_id b) {
  return pv_rel(p, CK_LE, a, b);
}

ck_id pv_lt(pv *p, ck_id a, ck_id b) {
  return pv_rel(p, CK_LT, a, b);
}

ck_id pv_ge0(pv *p, ck_id a) {
  return pv_rel(p, CK_LE, p->zero, a);
}

ck_id pv_gt0(pv *p, ck_id a) {
  return pv_rel(p, CK_LT, p->zero, a);
}

ck_id pv_ne0(pv *p, ck_id a) {
  return pv_rel(p, CK_NE, a, p->zero);
}

ck_id pv_inv(pv *p, ck_id a) {
  return pv_unary(p, CK_INV, a);
}

ck_id pv_exp(pv *p, ck_id a) {
  return pv_unary(p, CK_EXP, a);
}

ck_id pv_log(pv *p, ck_id a) {
  return pv_unary(p, CK_LOG, a);
}

ck_id pv_sqrt(pv *p, ck_id a) {
  return pv_unary(p, CK_SQRT, a);
}

ck_id pv_int_var(pv *p, const char *name) {
  return ck_var(p->terms, name, 'i');
}

ck_id pv_real_var(pv *p, const char *name) {
  return ck_var(p->terms, name, 'r');
}

ck_id pv_apply(pv *p, const char *function, ck_id a) {
  return a == CK_BAD ? CK_BAD : ck_app(p->terms, function, "i:r", &a, 1);
}

ck_id pv_apply2(pv *p, const char *function, ck_id a, ck_id b) {
  ck_id args[2] = {a, b};
  return a == CK_BAD || b == CK_BAD ? CK_BAD : ck_app(p->terms, function, "ii:r", args, 2);
}

ck_id pv_fold1(pv *p, ck_id n, ck_id init, ck_id k, ck_id acc, ck_id step) {
  ck_id vars[2] = {k, acc};
  if (n == CK_BAD || init == CK_BAD || step == CK_BAD)
    return CK_BAD;
  ck_id kids[3] = {n, init, ck_close(p->terms, step, vars, 2)};
  return kids[2] == CK_BAD ? CK_BAD : ck_fold(p->terms, 0, 1, kids);
}

ck_id pv_sum(pv *p, ck_id n, ck_id k, ck_id body) {
  if (n == CK_BAD || body == CK_BAD)
    return CK_BAD;
  ck_id vars[2] = {k, pv_real_var(p, "$$acc")};
  ck_id kids[3] = {n, p->zero, ck_close(p->terms, pv_add(p, vars[1], body), vars, 2)};
  return ck_fold(p->terms, 0, 1, kids);
}

ck_id pv_max2(pv *p, ck_id a, ck_id b) {
  ck_id c = pv_le(p, a, b);
  return c == CK_BAD ? CK_BAD : ck_ite(p->terms, c, b, a);
}

/* does the bound variable `index` (counted from outside of t) occur loose in t? */
static bool uses_index(const ck_terms *T, ck_id t, uint32_t index) {
  if (ck_loose_max(T, t) <= index)
    return false;
  if (ck_head(T, t) == CK_B)
    return ck_index(T, t) == index;
  for (uint32_t i = 0, n = ck_nkids(T, t); i < n; i++) {
    if (uses_index(T, ck_kid(T, t, i), index + ck_kid_binders(T, t, i)))
      return true;
  }
  return false;
}

bool pv_is_sum(pv *p, ck_id t) {
  const ck_terms *T = p->terms;
  if (t == CK_BAD || ck_head(T, t) != CK_FOLD || ck_width(T, t) != 1 || ck_kid(T, t, 1) != p->zero)
    return false;
  ck_id b = ck_kid(T, t, 2);
  if (ck_head(T, b) != CK_ADD)
    return false;
  ck_id acc = ck_kid(T, b, 0);
  return ck_head(T, acc) == CK_B && ck_index(T, acc) == 1 && !uses_index(T, ck_kid(T, b, 1), 1);
}

ck_id pv_sum_body(pv *p, ck_id t, ck_id k) {
  ck_id v[2] = {k, p->zero};
  return ck_open(p->terms, ck_kid(p->terms, ck_kid(p->terms, t, 2), 1), v, 2);
}

bool pv_is_max(pv *p, ck_id t, ck_id *f) {
  const ck_terms *T = p->terms;
  if (t == CK_BAD || ck_head(T, t) != CK_FOLD || ck_width(T, t) != 1)
    return false;
  ck_id b = ck_kid(T, t, 2);
  if (ck_head(T, b) != CK_ITE)
    return false;
  ck_id c = ck_kid(T, b, 0);
  ck_id g = ck_kid(T, b, 1);
  ck_id acc = ck_kid(T, b, 2);
  if (ck_head(T, c) != CK_LE || ck_kid(T, c, 0) != acc || ck_kid(T, c, 1) != g)
    return false;
  if (ck_head(T, acc) != CK_B || ck_index(T, acc) != 1 || uses_index(T, g, 1))
    return false;
  ck_id v[2] = {p->zero, p->zero};
  if (ck_loose_max(T, g) <= 2 && ck_open(p->terms, g, v, 2) != ck_kid(T, t, 1))
    return false;
  *f = g;
  return true;
}

ck_id pv_max_body(pv *p, ck_id t, ck_id k) {
  ck_id v[2] = {k, p->zero};
  return ck_open(p->terms, ck_kid(p->terms, ck_kid(p->terms, t, 2), 1), v, 2);
}

ck_id pv_max(pv *p, ck_id n, ck_id k, ck_id body) {
  ck_id acc = pv_real_var(p, "$$acc");
  ck_id init = ck_sub(p->terms, body, &k, &p->zero, 1, NULL, 0);
  return pv_fold1(p, n, init, k, acc, pv_max2(p, acc, body));
}

bool pv_is_prod(pv *p, ck_id t, ck_id *f) {
  const ck_terms *T = p->terms;
  ck_id s;
  ck_id acc;
  ck_id v[2] = {pv_int_var(p, "$$k"), pv_real_var(p, "$$a")};
  if (ck_head(T, t) != CK_FOLD || ck_width(T, t) != 1 || !pv_is_one(p, ck_kid(T, t, 1)))
    return false;
  s = ck_open(p->terms, ck_kid(T, t, 2), v, 2);
  if (ck_head(T, s) != CK_MUL)
    return false;
  acc = ck_kid(T, s, 0);
  *f = ck_kid(T, s, 1);
  return acc == v[1] && !ck_has_var(T, *f, v[1]);
}

bool pv_occurs(pv *p, ck_id t, ck_id x) {
  if (t == x)
    return true;
  for (uint32_t i = 0, n = ck_nkids(p->terms, t); i < n; i++) {
    if (pv_occurs(p, ck_kid(p->terms, t, i), x))
      return true;
  }
  return false;
}

/* nodes of t written out as a tree, sums and products as polynomials, which is what walks over
 * terms cost; not counted beyond the bound */
static uint64_t tree_size(pv *p, ck_id t) {
  uint64_t n = 1;
  uint64_t v;
  ck_op o = ck_head(p->terms, t);
  const ck_poly *f = o == CK_ADD || o == CK_MUL ? ck_poly_of(p->terms, t) : NULL;
  if (ck_nkids(p->terms, t) == 0)
    return 1;
  if (as_map_get(&p->misc_memo, AS_KEY(t, 9), &v))
    return v;
  for (uint32_t i = 0, k = f ? ck_poly_len(f) : 0; i < k && n <= MAX_TREE; i++) {
    ck_mono m = ck_poly_mono(f, i);
    for (uint32_t j = 0; j < m.deg && n <= MAX_TREE; j++)
      n += tree_size(p, m.atoms[j]);
  }
  for (uint32_t i = 0, k = f ? 0 : ck_nkids(p->terms, t); i < k && n <= MAX_TREE; i++)
    n += tree_size(p, ck_kid(p->terms, t, i));
  if (n > MAX_TREE)
    n = MAX_TREE + 1;
  as_map_put(&p->misc_memo, AS_KEY(t, 9), n);
  return n;
}

bool pv_too_big(pv *p, ck_id t) {
  if (tree_size(p, t) <= MAX_TREE)
    return false;
  p->too_deep = true;
  return true;
}

/* --- constants */
static ck_id q2(pv *p, ck_id a, ck_id b, int op) {
  mpq_t x;
  mpq_t y;
  ck_id r;
  if (a == CK_BAD || b == CK_BAD)
    return CK_BAD;
  if (op == '*' && a == p->one)
    return b;
  if (op == '*' && b == p->one)
    return a;
  mpq_inits(x, y, NULL);
  mpq_set(x, *ck_q_value(p->terms, a));
  mpq_set(y, *ck_q_value(p->terms, b));
  if (op == '+')
    mpq_add(x, x, y);
  else
    mpq_mul(x, x, y);
  r = ck_q(p->terms, x);
  mpq_clears(x, y, NULL);
  return r;
}

ck_id pv_const_add(pv *p, ck_id a, ck_id b) {
  return q2(p, a, b, '+');
}

ck_id pv_const_mul(pv *p, ck_id a, ck_id b) {
  return q2(p, a, b, '*');
}

int pv_const_sign(pv *p, ck_id a) {
  return mpq_sgn(*ck_q_value(p->terms, a));
}

ck_id pv_const_inv(pv *p, ck_id a) {
  mpq_t x;
  ck_id r;
  mpq_init(x);
  mpq_set(x, *ck_q_value(p->terms, a));
  mpq_inv(x, x);
  r = ck_q(p->terms, x);
  mpq_clear(x);
  return r;
}

/* --- the structural order: heads first, then names, then kids from the left.  Counters of the
 * prover ("$$x7") compare by number, so that the order does not change when a term moves to another
 * depth. */
static int word_cmp(pv *p, uint32_t a, uint32_t b) {
  const char *x = ck_word_text(p->terms, a);
  const char *y = ck_word_text(p->terms, b);
  if (x[0] == '$' && y[0] == '$') {
    size_t m = strlen(x);
    size_t n = strlen(y);
    if (m != n)
      return m < n ? -1 : 1;
  }
  return strcmp(x, y);
}

static int head_cmp(pv *p, ck_id a, ck_id b) {
  const ck_terms *T = p->terms;
  ck_op o = ck_head(T, a);
  ck_op q = ck_head(T, b);
  int c;
  if (o != q)
    return o < q ? -1 : 1;
  switch (o) {
  case CK_Q:
    return mpq_cmp(*ck_q_value(T, a), *ck_q_value(T, b));
  case CK_V:
    c = word_cmp(p, ck_name(T, a), ck_name(T, b));
    return c ? c : ck_sort(T, a) - ck_sort(T, b);
  case CK_B:
    return ck_index(T, a) != ck_index(T, b) ? (ck_index(T, a) < ck_index(T, b) ? -1 : 1)
                                            : ck_sort(T, a) - ck_sort(T, b);
  case CK_APP:
    c = word_cmp(p, ck_name(T, a), ck_name(T, b));
    return c ? c : word_cmp(p, ck_sig(T, a), ck_sig(T, b));
  case CK_FOLD:
    if (ck_width(T, a) != ck_width(T, b))
      return ck_width(T, a) < ck_width(T, b) ? -1 : 1; /* fall through */
  case CK_ALL:
    if (ck_index(T, a) != ck_index(T, b))
      return ck_index(T, a) < ck_index(T, b) ? -1 : 1;
    break;
  default:
    break;
  }
  return ck_nkids(T, a) == ck_nkids(T, b) ? 0 : ck_nkids(T, a) < ck_nkids(T, b) ? -1 : 1;
}

int pv_order(pv *p, ck_id a, ck_id b) {
  uint64_t v;
  int c;
  if (a == b)
    return 0;
  c = head_cmp(p, a, b);
  if (c)
    return c;
  if (as_map_get(&p->cmp_memo, AS_KEY(a, b), &v))
    return (int)(int64_t)v;
  for (uint32_t i = 0, n = ck_nkids(p->terms, a); i < n && !c; i++)
    c = pv_order(p, ck_kid(p->terms, a, i), ck_kid(p->terms, b, i));
  as_map_put(&p->cmp_memo, AS_KEY(a, b), (uint64_t)(int64_t)c);
  return c;
}
