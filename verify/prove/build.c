/* Term builders, the shapes the prover knows (sum, max), small derived steps, the structural order.
 */
#include "pv.h"
#include <string.h>

ck_id t_int(pv *p, long n) {
  return ck_int(p->T, n);
}

bool is_q(pv *p, ck_id t) {
  return t != CK_BAD && ck_head(p->T, t) == CK_Q;
}

bool is_zero(pv *p, ck_id t) {
  return t == p->zero;
}

bool is_one(pv *p, ck_id t) {
  return t == p->one;
}

static ck_id mk2(pv *p, ck_op o, ck_id a, ck_id b) {
  return a == CK_BAD || b == CK_BAD ? CK_BAD : ck_mk2(p->T, o, a, b);
}

ck_id t_add(pv *p, ck_id a, ck_id b) {
  return mk2(p, CK_ADD, a, b);
}

ck_id t_mul(pv *p, ck_id a, ck_id b) {
  return mk2(p, CK_MUL, a, b);
}

ck_id t_neg(pv *p, ck_id a) {
  return mk2(p, CK_MUL, t_int(p, -1), a);
}

ck_id t_sub(pv *p, ck_id a, ck_id b) {
  return t_add(p, a, t_neg(p, b));
}

ck_id t_rel(pv *p, ck_op o, ck_id a, ck_id b) {
  return mk2(p, o, a, b);
}

ck_id t_op(pv *p, ck_op o, ck_id a) {
  return a == CK_BAD ? CK_BAD : ck_mk1(p->T, o, a);
}

ck_id t_fold1(pv *p, ck_id n, ck_id init, ck_id k, ck_id acc, ck_id step) {
  ck_id vars[2] = {k, acc};
  if (n == CK_BAD || init == CK_BAD || step == CK_BAD)
    return CK_BAD;
  ck_id kids[3] = {n, init, ck_close(p->T, step, vars, 2)};
  return kids[2] == CK_BAD ? CK_BAD : ck_fold(p->T, 0, 1, kids);
}

ck_id t_sum(pv *p, ck_id n, ck_id k, ck_id body) {
  if (n == CK_BAD || body == CK_BAD)
    return CK_BAD;
  ck_id vars[2] = {k, ck_var(p->T, "$$acc", 'r')};
  ck_id kids[3] = {n, p->zero, ck_close(p->T, t_add(p, vars[1], body), vars, 2)};
  return ck_fold(p->T, 0, 1, kids);
}

ck_id t_max2(pv *p, ck_id a, ck_id b) {
  ck_id c = t_rel(p, CK_LE, a, b);
  return c == CK_BAD ? CK_BAD : ck_ite(p->T, c, b, a);
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

bool is_sum(pv *p, ck_id t) {
  const ck_terms *T = p->T;
  if (t == CK_BAD || ck_head(T, t) != CK_FOLD || ck_width(T, t) != 1 || ck_kid(T, t, 1) != p->zero)
    return false;
  ck_id b = ck_kid(T, t, 2);
  if (ck_head(T, b) != CK_ADD)
    return false;
  ck_id acc = ck_kid(T, b, 0);
  return ck_head(T, acc) == CK_B && ck_index(T, acc) == 1 && !uses_index(T, ck_kid(T, b, 1), 1);
}

ck_id sum_body(pv *p, ck_id t, ck_id k) {
  ck_id v[2] = {k, p->zero};
  return ck_open(p->T, ck_kid(p->T, ck_kid(p->T, t, 2), 1), v, 2);
}

bool is_max(pv *p, ck_id t, ck_id *f) {
  const ck_terms *T = p->T;
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
  if (ck_loose_max(T, g) <= 2 && ck_open(p->T, g, v, 2) != ck_kid(T, t, 1))
    return false;
  *f = g;
  return true;
}

ck_id max_body(pv *p, ck_id t, ck_id k) {
  ck_id v[2] = {k, p->zero};
  return ck_open(p->T, ck_kid(p->T, ck_kid(p->T, t, 2), 1), v, 2);
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
  mpq_set(x, *ck_q_value(p->T, a));
  mpq_set(y, *ck_q_value(p->T, b));
  if (op == '+')
    mpq_add(x, x, y);
  else
    mpq_mul(x, x, y);
  r = ck_q(p->T, x);
  mpq_clears(x, y, NULL);
  return r;
}

ck_id q_add(pv *p, ck_id a, ck_id b) {
  return q2(p, a, b, '+');
}

ck_id q_mul(pv *p, ck_id a, ck_id b) {
  return q2(p, a, b, '*');
}

int q_sgn(pv *p, ck_id a) {
  return mpq_sgn(*ck_q_value(p->T, a));
}

ck_id q_inv(pv *p, ck_id a) {
  mpq_t x;
  ck_id r;
  mpq_init(x);
  mpq_set(x, *ck_q_value(p->T, a));
  mpq_inv(x, x);
  r = ck_q(p->T, x);
  mpq_clear(x);
  return r;
}

/* --- equations */
uint32_t r_arith0(pv *p, ck_id f) {
  return r_arith(p, f, NULL, 0);
}

uint32_t r_arith1(pv *p, ck_id f, ck_id c, uint32_t s) {
  ck_summand m = {c, &s, 1};
  return r_arith(p, f, &m, 1);
}

uint32_t eq_refl(pv *p, ck_id a) {
  return r_arith0(p, t_rel(p, CK_EQ, a, a));
}

uint32_t r_const(pv *p, ck_id f) {
  mpq_t c;
  ck_id q;
  const ck_poly *v = f == CK_BAD ? NULL : ck_poly_val(p->T, f);
  ck_summand m = {CK_BAD, NULL, 0};
  if (!v)
    return NO;
  mpq_init(c);
  q = ck_poly_const(v, c) ? ck_q(p->T, c) : CK_BAD;
  mpq_clear(c);
  if (q == CK_BAD)
    return NO;
  if (q == p->zero)
    return r_arith0(p, f);
  m.coef = q;
  return r_arith(p, f, &m, 1);
}

uint32_t eq_sym(pv *p, uint32_t s) {
  if (s == NO || s == REFL)
    return s;
  return r_arith1(p, t_rel(p, CK_EQ, rhs_of(p, s), lhs_of(p, s)), t_int(p, -1), s);
}

uint32_t eq_trans(pv *p, uint32_t a, uint32_t b) {
  if (a == NO || b == NO)
    return NO;
  if (a == REFL)
    return b;
  if (b == REFL)
    return a;
  ck_summand m[2] = {{p->one, &a, 1}, {p->one, &b, 1}};
  return r_arith(p, t_rel(p, CK_EQ, lhs_of(p, a), rhs_of(p, b)), m, 2);
}

eqn eq_then(pv *p, eqn a, eqn b) {
  eqn r = {b.t, eq_trans(p, a.s, b.s)};
  return r;
}

uint32_t r_same(pv *p, ck_id f, uint32_t s) {
  if (s == NO || f == CK_BAD)
    return NO;
  return thm(p, s) == f ? s : r_arith1(p, f, p->one, s);
}

uint32_t r_lemma(pv *p, pv_lemma l, const ck_vsub *vs, uint32_t nv, const ck_fsub *fs, uint32_t nf,
                 const uint32_t *ps, uint32_t np) {
  return r_inst(p, lemma(p, l), vs, nv, fs, nf, ps, np);
}

uint32_t absurd(pv *p, ck_id f, uint32_t one) {
  if (one == NO || f == CK_BAD)
    return NO;
  ck_id g = t_sub(p, ck_kid(p->T, f, 1), ck_kid(p->T, f, 0));
  ck_op o = ck_head(p->T, f);
  ck_summand m[2] = {{g, &one, 1}, {p->one, NULL, 0}};
  if (o == CK_EQ || o == CK_LE)
    return r_arith(p, f, m, 1);
  m[0].coef = t_sub(p, g, p->one);
  return r_arith(p, f, m, 2);
}

uint32_t from_false(pv *p, ck_id f, uint32_t lt) {
  if (lt == NO)
    return NO;
  uint32_t le = r_const(p, t_rel(p, CK_LE, p->zero, p->one));
  uint32_t ge = r_int(p, t_rel(p, CK_LE, p->one, p->zero), lt);
  return absurd(p, f, r_antisym(p, le, ge));
}

uint32_t false_ne(pv *p, ck_id f, uint32_t ne) {
  uint32_t i = r_law(p, "inv", &p->zero, 1, ne); /* 0 * inv 0 = 1 */
  return i == NO ? NO : absurd(p, f, r_arith1(p, t_rel(p, CK_EQ, p->zero, p->one), p->one, i));
}

/* --- sums of steps */
void by_start(by *b) {
  as_vec_init(&b->sum, sizeof(ck_summand));
  as_vec_init(&b->prem, sizeof(uint32_t));
}

void by_add2(by *b, ck_id coef, uint32_t p1, uint32_t p2) {
  ck_summand m = {coef, NULL, 1};
  as_vec_push(&b->prem, &p1);
  if (p2 != REFL) {
    as_vec_push(&b->prem, &p2);
    m.n = 2;
  }
  as_vec_push(&b->sum, &m);
}

void by_add(by *b, ck_id coef, uint32_t prem) {
  if (prem == REFL)
    return;
  by_add2(b, coef, prem, REFL);
}

uint32_t by_end(pv *p, by *b, ck_id f) {
  size_t off = 0;
  uint32_t r;
  for (size_t i = 0; i < b->sum.n; i++) {
    ck_summand *m = &AS_VEC_AT(&b->sum, ck_summand, i);
    m->prem = &AS_VEC_AT(&b->prem, uint32_t, off);
    off += m->n;
  }
  r = r_arith(p, f, b->sum.data, (uint32_t)b->sum.n);
  by_drop(b);
  return r;
}

void by_drop(by *b) {
  as_vec_clear(&b->sum);
  as_vec_clear(&b->prem);
}

/* --- the structural order: heads first, then names, then kids from the left.  Counters of the
 * prover ("$$x7") compare by number, so that the order does not change when a term moves to another
 * depth. */
static int word_cmp(pv *p, uint32_t a, uint32_t b) {
  const char *x = ck_word_text(p->T, a);
  const char *y = ck_word_text(p->T, b);
  if (x[0] == '$' && y[0] == '$') {
    size_t m = strlen(x);
    size_t n = strlen(y);
    if (m != n)
      return m < n ? -1 : 1;
  }
  return strcmp(x, y);
}

static int head_cmp(pv *p, ck_id a, ck_id b) {
  const ck_terms *T = p->T;
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

int t_cmp(pv *p, ck_id a, ck_id b) {
  uint64_t v;
  int c;
  if (a == b)
    return 0;
  c = head_cmp(p, a, b);
  if (c)
    return c;
  if (map_get(&p->cmp_memo, a, b, &v))
    return (int)(int64_t)v;
  for (uint32_t i = 0, n = ck_nkids(p->T, a); i < n && !c; i++)
    c = t_cmp(p, ck_kid(p->T, a, i), ck_kid(p->T, b, i));
  map_put(&p->cmp_memo, a, b, (uint64_t)(int64_t)c);
  return c;
}
