/* Small derived steps. */
#include "pv_steps.h"

pv_thm pv_identity(pv *p, ck_id f) {
  return pv_arith(p, f, NULL, 0);
}

pv_thm pv_scaled(pv *p, ck_id f, ck_id c, pv_thm s) {
  pv_summand m = {c, &s, 1};
  return pv_arith(p, f, &m, 1);
}

pv_thm pv_refl(pv *p, ck_id a) {
  return pv_identity(p, pv_eq(p, a, a));
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
  return pv_scaled(p, pv_eq(p, pv_right(p, s), pv_left(p, s)), pv_num(p, -1), s);
}

pv_thm pv_trans(pv *p, pv_thm a, pv_thm b) {
  if (a == PV_NONE || b == PV_NONE)
    return PV_NONE;
  if (a == PV_REFL)
    return b;
  if (b == PV_REFL)
    return a;
  pv_summand m[2] = {{p->one, &a, 1}, {p->one, &b, 1}};
  return pv_arith(p, pv_eq(p, pv_left(p, a), pv_right(p, b)), m, 2);
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
  pv_thm le = pv_by_value(p, pv_ge0(p, p->one));
  pv_thm ge = pv_int(p, pv_le(p, p->one, p->zero), lt);
  return pv_from_zero_is_one(p, f, pv_antisym(p, le, ge));
}

pv_thm pv_from_zero_differs(pv *p, ck_id f, pv_thm ne) {
  pv_thm i = pv_law(p, "inv", &p->zero, 1, ne); /* 0 * inv 0 = 1 */
  return i == PV_NONE
             ? PV_NONE
             : pv_from_zero_is_one(p, f, pv_scaled(p, pv_eq(p, p->zero, p->one), p->one, i));
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

pv_thm pv_combine(pv *p, ck_id f, uint32_t n, const uint32_t *pairs) {
  pv_comb b;
  pv_comb_init(&b);
  for (uint32_t i = 0; i < n; i++)
    pv_comb_add(&b, pairs[2 * i], pairs[2 * i + 1]);
  return pv_comb_prove(p, &b, f);
}

pv_thm pv_law1(pv *p, const char *name, ck_id x, pv_thm prem) {
  return pv_law(p, name, &x, 1, prem);
}

pv_thm pv_law2(pv *p, const char *name, ck_id x, ck_id y, pv_thm prem) {
  ck_id both[2] = {x, y};
  return pv_law(p, name, both, 2, prem);
}

pv_thm pv_zero_le_zero(pv *p) {
  return pv_by_value(p, pv_ge0(p, p->zero));
}
