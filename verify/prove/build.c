/* Term builders, the shapes the prover knows (sum, max), small derived steps, the structural order.
 */
#include "pv.h"
#include <string.h>

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
  ck_id vars[2] = {k, ck_var(p->terms, "$$acc", 'r')};
  ck_id kids[3] = {n, p->zero, ck_close(p->terms, pv_add(p, vars[1], body), vars, 2)};
  return ck_fold(p->terms, 0, 1, kids);
}

ck_id pv_max2(pv *p, ck_id a, ck_id b) {
  ck_id c = pv_rel(p, CK_LE, a, b);
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

/* --- equations */
pv_thm pv_identity(pv *p, ck_id f) {
  return pv_arith(p, f, NULL, 0);
}

pv_thm pv_scaled(pv *p, ck_id f, ck_id c, pv_thm s) {
  pv_summand m = {c, &s, 1};
  return pv_arith(p, f, &m, 1);
}

pv_thm pv_refl(pv *p, ck_id a) {
  return pv_identity(p, pv_rel(p, CK_EQ, a, a));
}

pv_thm pv_by_value(pv *p, ck_id f) {
  mpq_t c;
  ck_id q;
  const ck_poly *v = f == CK_BAD ? NULL : ck_poly_val(p->terms, f);
  pv_summand m = {CK_BAD, NULL, 0};
  if (!v)
    return PV_NONE;
  mpq_init(c);
  q = ck_poly_const(v, c) ? ck_q(p->terms, c) : CK_BAD;
  mpq_clear(c);
  if (q == CK_BAD)
    return PV_NONE;
  if (q == p->zero)
    return pv_identity(p, f);
  m.coef = q;
  return pv_arith(p, f, &m, 1);
}

pv_thm pv_sym(pv *p, pv_thm s) {
  if (s == PV_NONE || s == PV_REFL)
    return s;
  return pv_scaled(p, pv_rel(p, CK_EQ, pv_right(p, s), pv_left(p, s)), pv_num(p, -1), s);
}

pv_thm pv_trans(pv *p, pv_thm a, pv_thm b) {
  if (a == PV_NONE || b == PV_NONE)
    return PV_NONE;
  if (a == PV_REFL)
    return b;
  if (b == PV_REFL)
    return a;
  pv_summand m[2] = {{p->one, &a, 1}, {p->one, &b, 1}};
  return pv_arith(p, pv_rel(p, CK_EQ, pv_left(p, a), pv_right(p, b)), m, 2);
}

pv_eqn pv_then(pv *p, pv_eqn a, pv_eqn b) {
  pv_eqn r = {b.to, pv_trans(p, a.by, b.by)};
  return r;
}

pv_thm pv_restate(pv *p, ck_id f, pv_thm s) {
  if (s == PV_NONE || f == CK_BAD)
    return PV_NONE;
  return pv_says(p, s) == f ? s : pv_scaled(p, f, p->one, s);
}

pv_thm pv_use_lemma(pv *p, pv_lemma_id l, const pv_var_sub *vs, uint32_t nv, const ck_fsub *fs, uint32_t nf,
                 const pv_thm *ps, uint32_t np) {
  return pv_inst(p, pv_lemma(p, l), vs, nv, fs, nf, ps, np);
}

pv_thm pv_from_zero_is_one(pv *p, ck_id f, pv_thm one) {
  if (one == PV_NONE || f == CK_BAD)
    return PV_NONE;
  ck_id g = pv_sub(p, ck_kid(p->terms, f, 1), ck_kid(p->terms, f, 0));
  ck_op o = ck_head(p->terms, f);
  pv_summand m[2] = {{g, &one, 1}, {p->one, NULL, 0}};
  if (o == CK_EQ || o == CK_LE)
    return pv_arith(p, f, m, 1);
  m[0].coef = pv_sub(p, g, p->one);
  return pv_arith(p, f, m, 2);
}

pv_thm pv_from_zero_below_zero(pv *p, ck_id f, pv_thm lt) {
  if (lt == PV_NONE)
    return PV_NONE;
  pv_thm le = pv_by_value(p, pv_rel(p, CK_LE, p->zero, p->one));
  pv_thm ge = pv_int(p, pv_rel(p, CK_LE, p->one, p->zero), lt);
  return pv_from_zero_is_one(p, f, pv_antisym(p, le, ge));
}

pv_thm pv_from_zero_differs(pv *p, ck_id f, pv_thm ne) {
  pv_thm i = pv_law(p, "inv", &p->zero, 1, ne); /* 0 * inv 0 = 1 */
  return i == PV_NONE ? PV_NONE : pv_from_zero_is_one(p, f, pv_scaled(p, pv_rel(p, CK_EQ, p->zero, p->one), p->one, i));
}

/* --- sums of steps */
void pv_comb_init(pv_comb *b) {
  as_vec_init(&b->summands, sizeof(pv_summand));
  as_vec_init(&b->premises, sizeof(uint32_t));
}

void pv_comb_add_product(pv_comb *b, ck_id coef, pv_thm p1, pv_thm p2) {
  pv_summand m = {coef, NULL, 1};
  as_vec_push(&b->premises, &p1);
  if (p2 != PV_REFL) {
    as_vec_push(&b->premises, &p2);
    m.count = 2;
  }
  as_vec_push(&b->summands, &m);
}

void pv_comb_add(pv_comb *b, ck_id coef, pv_thm prem) {
  if (prem == PV_REFL)
    return;
  pv_comb_add_product(b, coef, prem, PV_REFL);
}

pv_thm pv_comb_prove(pv *p, pv_comb *b, ck_id f) {
  size_t off = 0;
  pv_thm r;
  for (size_t i = 0; i < b->summands.n; i++) {
    pv_summand *m = &AS_VEC_AT(&b->summands, pv_summand, i);
    m->premises = &AS_VEC_AT(&b->premises, uint32_t, off);
    off += m->count;
  }
  r = pv_arith(p, f, b->summands.data, (uint32_t)b->summands.n);
  pv_comb_clear(b);
  return r;
}

void pv_comb_clear(pv_comb *b) {
  as_vec_clear(&b->summands);
  as_vec_clear(&b->premises);
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
  if (pv_map_get(&p->cmp_memo, a, b, &v))
    return (int)(int64_t)v;
  for (uint32_t i = 0, n = ck_nkids(p->terms, a); i < n && !c; i++)
    c = pv_order(p, ck_kid(p->terms, a, i), ck_kid(p->terms, b, i));
  pv_map_put(&p->cmp_memo, a, b, (uint64_t)(int64_t)c);
  return c;
}
