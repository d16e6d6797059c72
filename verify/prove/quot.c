/* Normal form of quotients.  a div b is q + r div b where a = b*q + r and b does not divide what is
 * left in r; it is q where r is known to be in range.  Remainders become a - b*(a div b). */
#include "pv.h"
#include <stdlib.h>

static eqn same(ck_id t) {
  eqn e = {t, REFL};
  return e;
}

static eqn fail(void) {
  eqn e = {CK_BAD, NO};
  return e;
}

/* the monomial of b by which dividing ends: of the highest degree, the greatest in the order */
static const mono *leading(pv *p, const poly *b) {
  const mono *m = &b->m[0];
  for (uint32_t i = 1; i < b->n; i++) {
    const mono *x = &b->m[i];
    if (x->n > m->n || (x->n == m->n && t_cmp(p, mono_term(p, p->one, x->a, x->n),
                                              mono_term(p, p->one, m->a, m->n)) > 0))
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
  mpq_set(x, *ck_q_value(p->T, c));
  mpq_set(y, *ck_q_value(p->T, d));
  mpq_div(x, x, y);
  if (floors || mpz_cmp_ui(mpq_denref(x), 1) == 0) {
    mpz_fdiv_q(f, mpq_numref(x), mpq_denref(x));
    mpq_set_z(x, f);
    r = ck_q(p->T, x);
  }
  mpq_clears(x, y, NULL);
  mpz_clear(f);
  return r;
}

/* a = b*q + r */
static void divide(pv *p, const poly *a, const poly *b, poly *q, poly *r) {
  const mono *lead = leading(p, b);
  bool constant = b->n == 1 && lead->n == 0;
  poly_clear(q);
  poly_clear(r);
  poly_add(p, r, a, p->one);
  for (int rounds = 0; rounds < 24; rounds++) {
    bool hit = false;
    for (uint32_t i = 0; i < r->n && !hit; i++) {
      ck_id *rest = as_malloc((r->m[i].n + 1) * sizeof *rest);
      int k = mono_div(r->m[i].a, r->m[i].n, lead->a, lead->n, rest);
      ck_id c = k < 0 ? p->zero : whole(p, r->m[i].q, lead->q, constant);
      if (c != p->zero) {
        poly t;
        poly_init(&t);
        poly_push(p, q, c, rest, (uint32_t)k);
        poly_mul_mono(p, &t, b, q_mul(p, c, t_int(p, -1)), rest, (uint32_t)k);
        poly_add(p, r, &t, p->one);
        poly_clear(&t);
        hit = true;
      }
      free(rest);
    }
    if (!hit)
      return;
  }
}

ck_id rest_of_division(pv *p, ck_id a, ck_id b) {
  poly f;
  poly g;
  poly q;
  poly r;
  ck_id t;
  poly_init(&f);
  poly_init(&g);
  poly_init(&q);
  poly_init(&r);
  poly_of(p, &f, a);
  poly_of(p, &g, b);
  if (g.n)
    divide(p, &f, &g, &q, &r);
  t = q.n ? poly_term(p, &r) : CK_BAD;
  poly_clear(&f);
  poly_clear(&g);
  poly_clear(&q);
  poly_clear(&r);
  return t != CK_BAD && ck_is_int(p->T, t) ? t : CK_BAD;
}

/* a div b = qt for a = b*qt + rt with rt in range */
static eqn exact(pv *p, uint32_t cx, ck_id a, ck_id b, ck_id qt, ck_id rt) {
  eqn e = {qt, NO};
  uint32_t prem[3];
  if (is_q(p, rt) && q_sgn(p, rt) < 0)
    return e;
  prem[0] = side(p, cx, t_rel(p, CK_LE, p->zero, rt));
  prem[1] = prem[0] == NO ? NO : side(p, cx, t_rel(p, CK_LT, rt, b));
  if (prem[1] == NO)
    return e;
  prem[2] = r_arith0(p, t_rel(p, CK_EQ, a, t_add(p, t_mul(p, b, qt), rt)));
  ck_vsub v[4] = {{ck_var(p->T, "a", 'i'), a},
                  {ck_var(p->T, "b", 'i'), b},
                  {ck_var(p->T, "q", 'i'), qt},
                  {ck_var(p->T, "r", 'i'), rt}};
  e.s = r_lemma(p, L_DIVMOD, v, 4, NULL, 0, prem, 3);
  return e;
}

/* a div b = qt + rt div b for a = b*qt + rt */
static eqn partial(pv *p, ck_id a, ck_id b, ck_id qt, ck_id rt, uint32_t bp) {
  ck_id rb[2] = {rt, b};
  ck_id d = ck_mk2(p->T, CK_DIV, rt, b);
  ck_id m = ck_mk2(p->T, CK_MOD, rt, b);
  ck_id qd = t_add(p, qt, d);
  eqn e = {qd, NO};
  uint32_t prem[3];
  uint32_t l = r_law(p, "div", rb, 2, bp);
  prem[0] = r_law(p, "mod>", rb, 2, bp);
  prem[1] = r_law(p, "mod<", rb, 2, bp);
  prem[2] = r_arith1(p, t_rel(p, CK_EQ, a, t_add(p, t_mul(p, b, qd), m)), p->one, l);
  ck_vsub v[4] = {{ck_var(p->T, "a", 'i'), a},
                  {ck_var(p->T, "b", 'i'), b},
                  {ck_var(p->T, "q", 'i'), qd},
                  {ck_var(p->T, "r", 'i'), m}};
  e.s = r_lemma(p, L_DIVMOD, v, 4, NULL, 0, prem, 3);
  return e;
}

/* a div b = c for a = b*c by the equations of the context */
static eqn by_equation(pv *p, uint32_t cx, ck_id a, ck_id b, ck_id c) {
  ck_id bc = t_add(p, t_mul(p, b, c), p->zero);
  eqn e = {c, NO};
  uint32_t prem[3];
  prem[2] = side_int(p, cx, t_rel(p, CK_EQ, a, bc));
  prem[0] = r_const(p, t_rel(p, CK_LE, p->zero, p->zero));
  prem[1] = side(p, cx, t_rel(p, CK_LT, p->zero, b));
  if (prem[2] == NO || prem[1] == NO)
    return e;
  ck_vsub v[4] = {{ck_var(p->T, "a", 'i'), a},
                  {ck_var(p->T, "b", 'i'), b},
                  {ck_var(p->T, "q", 'i'), c},
                  {ck_var(p->T, "r", 'i'), p->zero}};
  e.s = r_lemma(p, L_DIVMOD, v, 4, NULL, 0, prem, 3);
  return e;
}

/* (x div b) div a = x div (b*a) for 0 < a, 0 < b: x = (b*a)*Q + b*m + r with r = x mod b, m = (x
 * div b) mod a */
static eqn nested(pv *p, uint32_t cx, ck_id d, ck_id a, uint32_t ap) {
  ck_id x = ck_kid(p->T, d, 0);
  ck_id b = ck_kid(p->T, d, 1);
  ck_id xb[2] = {x, b};
  ck_id da[2] = {d, a};
  ck_id Q = ck_mk2(p->T, CK_DIV, d, a);
  ck_id m = ck_mk2(p->T, CK_MOD, d, a);
  ck_id r = ck_mk2(p->T, CK_MOD, x, b);
  ck_id ba = t_mul(p, b, a);
  ck_id R = t_add(p, t_mul(p, b, m), r);
  ck_id t = ck_mk2(p->T, CK_DIV, x, ba);
  uint32_t bp = side(p, cx, t_rel(p, CK_LT, p->zero, b));
  uint32_t prem[3];
  eqn e = {t, NO};
  if (bp == NO)
    return e;
  uint32_t l1 = r_law(p, "div", xb, 2, bp);
  uint32_t l2 = r_law(p, "div", da, 2, ap);
  uint32_t m0 = r_law(p, "mod>", da, 2, ap);
  uint32_t m1 = tight(p, r_law(p, "mod<", da, 2, ap));
  uint32_t r0 = r_law(p, "mod>", xb, 2, bp);
  uint32_t r1 = r_law(p, "mod<", xb, 2, bp);
  by s;
  by_start(&s);
  by_add2(&s, p->one, bp, m0);
  by_add(&s, p->one, r0);
  prem[0] = by_end(p, &s, t_rel(p, CK_LE, p->zero, R));
  by_start(&s);
  by_add2(&s, p->one, bp, m1);
  by_add(&s, p->one, r1); /* b*(a - m - 1) + (b - r) */
  prem[1] = by_end(p, &s, t_rel(p, CK_LT, R, ba));
  by_start(&s);
  by_add(&s, p->one, l1);
  by_add(&s, b, l2);
  prem[2] = by_end(p, &s, t_rel(p, CK_EQ, x, t_add(p, t_mul(p, ba, Q), R)));
  ck_vsub v[4] = {{ck_var(p->T, "a", 'i'), x},
                  {ck_var(p->T, "b", 'i'), ba},
                  {ck_var(p->T, "q", 'i'), Q},
                  {ck_var(p->T, "r", 'i'), R}};
  e.s = eq_sym(p, r_lemma(p, L_DIVMOD, v, 4, NULL, 0, prem, 3));
  return e;
}

/* (g*x) div (g*m) = x div m for a positive g: g*x = (g*m)*(x div m) + g*(x mod m) */
static eqn without_factor(pv *p, uint32_t cx, ck_id a, ck_id b, const poly *fb) {
  eqn e = {CK_BAD, NO};
  for (uint32_t i = 0; fb->n && i < fb->m[0].n; i++) {
    ck_id g = fb->m[0].a[i];
    ck_id x = poly_quotient(p, a, g);
    ck_id m = x == CK_BAD ? CK_BAD : poly_quotient(p, b, g);
    ck_id xm[2] = {x, m};
    uint32_t gp;
    uint32_t mp;
    uint32_t prem[3];
    if (m == CK_BAD || (gp = side(p, cx, t_rel(p, CK_LT, p->zero, g))) == NO ||
        (mp = side(p, cx, t_rel(p, CK_LT, p->zero, m))) == NO)
      continue;
    ck_id q = ck_mk2(p->T, CK_DIV, x, m);
    ck_id r = t_mul(p, g, ck_mk2(p->T, CK_MOD, x, m));
    by s;
    by_start(&s);
    by_add2(&s, p->one, gp, r_law(p, "mod>", xm, 2, mp));
    prem[0] = by_end(p, &s, t_rel(p, CK_LE, p->zero, r));
    by_start(&s);
    by_add2(&s, p->one, gp, r_law(p, "mod<", xm, 2, mp));
    prem[1] = by_end(p, &s, t_rel(p, CK_LT, r, b));
    prem[2] =
        r_arith1(p, t_rel(p, CK_EQ, a, t_add(p, t_mul(p, b, q), r)), g, r_law(p, "div", xm, 2, mp));
    ck_vsub v[4] = {{ck_var(p->T, "a", 'i'), a},
                    {ck_var(p->T, "b", 'i'), b},
                    {ck_var(p->T, "q", 'i'), q},
                    {ck_var(p->T, "r", 'i'), r}};
    e.t = q;
    e.s = r_lemma(p, L_DIVMOD, v, 4, NULL, 0, prem, 3);
    if (e.s != NO)
      return e;
  }
  return e;
}

eqn norm_div(pv *p, uint32_t cx, ck_id t) {
  ck_id a = ck_kid(p->T, t, 0);
  ck_id b = ck_kid(p->T, t, 1);
  ck_id ab[2] = {a, b};
  uint32_t bp = side(p, cx, t_rel(p, CK_LT, p->zero, b));
  eqn e = same(t);
  if (bp == NO)
    return e;
  if (ck_head(p->T, t) == CK_MOD) {
    e.t = t_sub(p, a, t_mul(p, b, ck_mk2(p->T, CK_DIV, a, b)));
    e.s = r_arith1(p, t_rel(p, CK_EQ, t, e.t), t_int(p, -1), r_law(p, "div", ab, 2, bp));
    return e.s == NO ? fail() : eq_then(p, e, norm(p, cx, e.t));
  }
  if (ck_head(p->T, a) == CK_DIV && (e = nested(p, cx, a, b, bp)).s != NO)
    return eq_then(p, e, norm(p, cx, e.t));
  poly f;
  poly g;
  poly q;
  poly r;
  poly_init(&f);
  poly_init(&g);
  poly_init(&q);
  poly_init(&r);
  e = same(t);
  poly_of(p, &f, a);
  poly_of(p, &g, b);
  if (g.n) {
    divide(p, &f, &g, &q, &r);
    ck_id qt = poly_term(p, &q);
    ck_id rt = poly_term(p, &r);
    eqn x = exact(p, cx, a, b, qt, rt);
    for (int i = 0; i < 2 && x.s == NO && g.n > 1; i++) { /* one step beside the range */
      ck_id step = t_int(p, i ? 1 : -1);
      x = exact(p, cx, a, b, canon(p, t_add(p, qt, step)),
                canon(p, t_sub(p, rt, t_mul(p, step, b))));
    }
    if (x.s == NO && rt == a) { /* by an equation of the hypotheses */
      ck_id c = size_quotient(p, cx, a, b);
      if (c != CK_BAD && !occurs(p, c, t))
        x = by_equation(p, cx, a, b, c);
    }
    if (x.s == NO)
      x = without_factor(p, cx, a, b, &g);
    if (x.s == NO && q.n && ck_is_int(p->T, rt))
      x = partial(p, a, b, qt, rt, bp);
    if (x.s != NO)
      e = eq_then(p, x, norm(p, cx, x.t));
  }
  poly_clear(&f);
  poly_clear(&g);
  poly_clear(&q);
  poly_clear(&r);
  return e.s == NO ? same(t) : e;
}
