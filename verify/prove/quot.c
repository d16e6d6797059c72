/* Normal form of quotients.  a div b is q + r div b where a = b*q + r and b does not divide what is
 * left in r; it is q where r is known to be in range.  Remainders become a - b*(a div b). */
#include "pv_norm.h"
#include "src/base/mem.h"
#include <stdlib.h>

/* the monomial of b by which dividing ends: of the highest degree, the greatest in the order */
static const pv_mono *leading(pv *p, const pv_poly *b) {
  const pv_mono *m = &b->monos[0];
  for (uint32_t i = 1; i < b->count; i++) {
    const pv_mono *x = &b->monos[i];
    if (x->degree > m->degree ||
        (x->degree == m->degree && pv_order(p, pv_mono_term(p, p->one, x->atoms, x->degree),
                                            pv_mono_term(p, p->one, m->atoms, m->degree)) > 0))
      m = x;
  }
  return m;
}

/* the whole part of c/d for constants, the divisor's sign aside; rounded down if `floors` */
static ck_id whole(pv *p, ck_id c, ck_id d, bool floors) {
  mpq_t x;
  mpq_t y;
  mpz_t f;
  ck_id r = p->zero;
  mpq_inits(x, y, NULL);
  mpz_init(f);
  mpq_set(x, *ck_q_value(p->terms, c));
  mpq_set(y, *ck_q_value(p->terms, d));
  mpq_div(x, x, y);
  if (floors || mpz_cmp_ui(mpq_denref(x), 1) == 0) {
    mpz_fdiv_q(f, mpq_numref(x), mpq_denref(x));
    mpq_set_z(x, f);
    r = ck_q(p->terms, x);
  }
  mpq_clears(x, y, NULL);
  mpz_clear(f);
  return r;
}

/* a = b*q + r */
static void divide(pv *p, const pv_poly *a, const pv_poly *b, pv_poly *q, pv_poly *r) {
  const pv_mono *lead = leading(p, b);
  bool constant = b->count == 1 && lead->degree == 0;
  pv_poly_clear(q);
  pv_poly_clear(r);
  pv_poly_add(p, r, a, p->one);
  for (int rounds = 0; rounds < 24; rounds++) {
    bool hit = false;
    for (uint32_t i = 0; i < r->count && !hit; i++) {
      ck_id *rest = as_malloc((r->monos[i].degree + 1) * sizeof *rest);
      int k = pv_mono_div(r->monos[i].atoms, r->monos[i].degree, lead->atoms, lead->degree, rest);
      ck_id c = k < 0 ? p->zero : whole(p, r->monos[i].coef, lead->coef, constant);
      if (c != p->zero) {
        pv_poly t;
        pv_poly_init(&t);
        pv_poly_add_mono(p, q, c, rest, (uint32_t)k);
        pv_poly_mul_mono(p, &t, b, pv_const_mul(p, c, pv_num(p, -1)), rest, (uint32_t)k);
        pv_poly_add(p, r, &t, p->one);
        pv_poly_clear(&t);
        hit = true;
      }
      free(rest);
    }
    if (!hit)
      return;
  }
}

ck_id pv_rest_of_division(pv *p, ck_id a, ck_id b) {
  pv_poly f;
  pv_poly g;
  pv_poly q;
  pv_poly r;
  ck_id t;
  pv_poly_init(&f);
  pv_poly_init(&g);
  pv_poly_init(&q);
  pv_poly_init(&r);
  pv_poly_read(p, &f, a);
  pv_poly_read(p, &g, b);
  if (g.count)
    divide(p, &f, &g, &q, &r);
  t = q.count ? pv_poly_term(p, &r) : CK_BAD;
  pv_poly_clear(&f);
  pv_poly_clear(&g);
  pv_poly_clear(&q);
  pv_poly_clear(&r);
  return t != CK_BAD && ck_is_int(p->terms, t) ? t : CK_BAD;
}

/* a div b = qt for a = b*qt + rt with rt in range */
static pv_eqn exact(pv *p, pv_ctx cx, ck_id a, ck_id b, ck_id qt, ck_id rt) {
  pv_eqn e = {qt, PV_NONE};
  pv_thm prem[3];
  if (pv_is_const(p, rt) && pv_const_sign(p, rt) < 0)
    return e;
  prem[0] = pv_follows(p, cx, pv_ge0(p, rt));
  prem[1] = prem[0] == PV_NONE ? PV_NONE : pv_follows(p, cx, pv_lt(p, rt, b));
  if (prem[1] == PV_NONE)
    return e;
  prem[2] = pv_identity(p, pv_eq(p, a, pv_add(p, pv_mul(p, b, qt), rt)));
  pv_var_sub v[4] = {{pv_int_var(p, "a"), a},
                     {pv_int_var(p, "b"), b},
                     {pv_int_var(p, "q"), qt},
                     {pv_int_var(p, "r"), rt}};
  e.by = pv_use_lemma(p, PV_DIVMOD, v, 4, NULL, 0, prem, 3);
  return e;
}

/* a div b = qt + rt div b for a = b*qt + rt */
static pv_eqn partial(pv *p, ck_id a, ck_id b, ck_id qt, ck_id rt, pv_thm bp) {
  ck_id rb[2] = {rt, b};
  ck_id d = ck_mk2(p->terms, CK_DIV, rt, b);
  ck_id m = ck_mk2(p->terms, CK_MOD, rt, b);
  ck_id qd = pv_add(p, qt, d);
  pv_eqn e = {qd, PV_NONE};
  pv_thm prem[3];
  pv_thm l = pv_law(p, "div", rb, 2, bp);
  prem[0] = pv_law(p, "mod>", rb, 2, bp);
  prem[1] = pv_law(p, "mod<", rb, 2, bp);
  prem[2] = pv_scaled(p, pv_eq(p, a, pv_add(p, pv_mul(p, b, qd), m)), p->one, l);
  pv_var_sub v[4] = {{pv_int_var(p, "a"), a},
                     {pv_int_var(p, "b"), b},
                     {pv_int_var(p, "q"), qd},
                     {pv_int_var(p, "r"), m}};
  e.by = pv_use_lemma(p, PV_DIVMOD, v, 4, NULL, 0, prem, 3);
  return e;
}

/* a div b = c for a = b*c by the equations of the context */
static pv_eqn by_equation(pv *p, pv_ctx cx, ck_id a, ck_id b, ck_id c) {
  ck_id bc = pv_add(p, pv_mul(p, b, c), p->zero);
  pv_eqn e = {c, PV_NONE};
  pv_thm prem[3];
  prem[2] = pv_follows_int(p, cx, pv_eq(p, a, bc));
  prem[0] = pv_by_value(p, pv_ge0(p, p->zero));
  prem[1] = pv_follows(p, cx, pv_gt0(p, b));
  if (prem[2] == PV_NONE || prem[1] == PV_NONE)
    return e;
  pv_var_sub v[4] = {{pv_int_var(p, "a"), a},
                     {pv_int_var(p, "b"), b},
                     {pv_int_var(p, "q"), c},
                     {pv_int_var(p, "r"), p->zero}};
  e.by = pv_use_lemma(p, PV_DIVMOD, v, 4, NULL, 0, prem, 3);
  return e;
}

/* (x div b) div a = x div (b*a) for 0 < a, 0 < b: x = (b*a)*Q + b*m + r with r = x mod b, m = (x
 * div b) mod a */
static pv_eqn nested(pv *p, pv_ctx cx, ck_id d, ck_id a, pv_thm ap) {
  ck_id x = ck_kid(p->terms, d, 0);
  ck_id b = ck_kid(p->terms, d, 1);
  ck_id xb[2] = {x, b};
  ck_id da[2] = {d, a};
  ck_id Q = ck_mk2(p->terms, CK_DIV, d, a);
  ck_id m = ck_mk2(p->terms, CK_MOD, d, a);
  ck_id r = ck_mk2(p->terms, CK_MOD, x, b);
  ck_id ba = pv_mul(p, b, a);
  ck_id R = pv_add(p, pv_mul(p, b, m), r);
  ck_id t = ck_mk2(p->terms, CK_DIV, x, ba);
  pv_thm bp = pv_follows(p, cx, pv_gt0(p, b));
  pv_thm prem[3];
  pv_eqn e = {t, PV_NONE};
  if (bp == PV_NONE)
    return e;
  pv_thm l1 = pv_law(p, "div", xb, 2, bp);
  pv_thm l2 = pv_law(p, "div", da, 2, ap);
  pv_thm m0 = pv_law(p, "mod>", da, 2, ap);
  pv_thm m1 = pv_tighten(p, pv_law(p, "mod<", da, 2, ap));
  pv_thm r0 = pv_law(p, "mod>", xb, 2, bp);
  pv_thm r1 = pv_law(p, "mod<", xb, 2, bp);
  pv_comb s;
  pv_comb_init(&s);
  pv_comb_add_product(&s, p->one, bp, m0);
  pv_comb_add(&s, p->one, r0);
  prem[0] = pv_comb_prove(p, &s, pv_ge0(p, R));
  pv_comb_init(&s);
  pv_comb_add_product(&s, p->one, bp, m1);
  pv_comb_add(&s, p->one, r1); /* b*(a - m - 1) + (b - r) */
  prem[1] = pv_comb_prove(p, &s, pv_lt(p, R, ba));
  pv_comb_init(&s);
  pv_comb_add(&s, p->one, l1);
  pv_comb_add(&s, b, l2);
  prem[2] = pv_comb_prove(p, &s, pv_eq(p, x, pv_add(p, pv_mul(p, ba, Q), R)));
  pv_var_sub v[4] = {{pv_int_var(p, "a"), x},
                     {pv_int_var(p, "b"), ba},
                     {pv_int_var(p, "q"), Q},
                     {pv_int_var(p, "r"), R}};
  e.by = pv_sym(p, pv_use_lemma(p, PV_DIVMOD, v, 4, NULL, 0, prem, 3));
  return e;
}

/* (g*x) div (g*m) = x div m for a positive g: g*x = (g*m)*(x div m) + g*(x mod m) */
static pv_eqn without_factor(pv *p, pv_ctx cx, ck_id a, ck_id b, const pv_poly *fb) {
  pv_eqn e = {CK_BAD, PV_NONE};
  for (uint32_t i = 0; fb->count && i < fb->monos[0].degree; i++) {
    ck_id g = fb->monos[0].atoms[i];
    ck_id x = pv_poly_quotient(p, a, g);
    ck_id m = x == CK_BAD ? CK_BAD : pv_poly_quotient(p, b, g);
    ck_id xm[2] = {x, m};
    pv_thm gp;
    pv_thm mp;
    pv_thm prem[3];
    if (m == CK_BAD || (gp = pv_follows(p, cx, pv_gt0(p, g))) == PV_NONE ||
        (mp = pv_follows(p, cx, pv_gt0(p, m))) == PV_NONE)
      continue;
    ck_id q = ck_mk2(p->terms, CK_DIV, x, m);
    ck_id r = pv_mul(p, g, ck_mk2(p->terms, CK_MOD, x, m));
    pv_comb s;
    pv_comb_init(&s);
    pv_comb_add_product(&s, p->one, gp, pv_law(p, "mod>", xm, 2, mp));
    prem[0] = pv_comb_prove(p, &s, pv_ge0(p, r));
    pv_comb_init(&s);
    pv_comb_add_product(&s, p->one, gp, pv_law(p, "mod<", xm, 2, mp));
    prem[1] = pv_comb_prove(p, &s, pv_lt(p, r, b));
    prem[2] =
        pv_scaled(p, pv_eq(p, a, pv_add(p, pv_mul(p, b, q), r)), g, pv_law(p, "div", xm, 2, mp));
    pv_var_sub v[4] = {{pv_int_var(p, "a"), a},
                       {pv_int_var(p, "b"), b},
                       {pv_int_var(p, "q"), q},
                       {pv_int_var(p, "r"), r}};
    e.to = q;
    e.by = pv_use_lemma(p, PV_DIVMOD, v, 4, NULL, 0, prem, 3);
    if (e.by != PV_NONE)
      return e;
  }
  return e;
}

pv_eqn pv_norm_div(pv *p, pv_ctx cx, ck_id t) {
  ck_id a = ck_kid(p->terms, t, 0);
  ck_id b = ck_kid(p->terms, t, 1);
  ck_id ab[2] = {a, b};
  pv_thm bp = pv_follows(p, cx, pv_gt0(p, b));
  pv_eqn e = pv_same(t);
  if (bp == PV_NONE)
    return e;
  if (ck_head(p->terms, t) == CK_MOD) {
    e.to = pv_sub(p, a, pv_mul(p, b, ck_mk2(p->terms, CK_DIV, a, b)));
    e.by = pv_scaled(p, pv_eq(p, t, e.to), pv_num(p, -1), pv_law(p, "div", ab, 2, bp));
    return e.by == PV_NONE ? pv_fail() : pv_then(p, e, pv_norm(p, cx, e.to));
  }
  if (ck_head(p->terms, a) == CK_DIV && (e = nested(p, cx, a, b, bp)).by != PV_NONE)
    return pv_then(p, e, pv_norm(p, cx, e.to));
  pv_poly f;
  pv_poly g;
  pv_poly q;
  pv_poly r;
  pv_poly_init(&f);
  pv_poly_init(&g);
  pv_poly_init(&q);
  pv_poly_init(&r);
  e = pv_same(t);
  pv_poly_read(p, &f, a);
  pv_poly_read(p, &g, b);
  if (g.count) {
    divide(p, &f, &g, &q, &r);
    ck_id qt = pv_poly_term(p, &q);
    ck_id rt = pv_poly_term(p, &r);
    pv_eqn x = exact(p, cx, a, b, qt, rt);
    for (int i = 0; i < 2 && x.by == PV_NONE && g.count > 1; i++) { /* one step beside the range */
      ck_id step = pv_num(p, i ? 1 : -1);
      x = exact(p, cx, a, b, pv_canon(p, pv_add(p, qt, step)),
                pv_canon(p, pv_sub(p, rt, pv_mul(p, step, b))));
    }
    if (x.by == PV_NONE && rt == a) { /* by an equation of the hypotheses */
      ck_id c = pv_size_quotient(p, cx, a, b);
      if (c != CK_BAD && !pv_occurs(p, c, t))
        x = by_equation(p, cx, a, b, c);
    }
    if (x.by == PV_NONE)
      x = without_factor(p, cx, a, b, &g);
    if (x.by == PV_NONE && q.count && ck_is_int(p->terms, rt))
      x = partial(p, a, b, qt, rt, bp);
    if (x.by != PV_NONE)
      e = pv_then(p, x, pv_norm(p, cx, x.to));
  }
  pv_poly_clear(&f);
  pv_poly_clear(&g);
  pv_poly_clear(&q);
  pv_poly_clear(&r);
  return e.by == PV_NONE ? pv_same(t) : e;
}
