/* Normal form of quotients.  a div b is q + r div b where a = b*q + r and b does not divide what is
 * left in r; it is q where r is known to be in range.  Remainders become a - b*(a div b). */
#include "pv_norm.h"
#include "src/base/mem.h"
#include <stdlib.h>

/* the monomial of b by which dividing ends: of the highest degree, the greatest in the order */
static const pv_mono *leading(pv *prover, const pv_poly *b) {
  const pv_mono *mono = &b->monos[0];
  for (uint32_t i = 1; i < b->count; i++) {
    const pv_mono *other = &b->monos[i];
    if (other->degree > mono->degree ||
        (other->degree == mono->degree &&
         pv_order(prover, pv_mono_term(prover, prover->one, other->atoms, other->degree),
                  pv_mono_term(prover, prover->one, mono->atoms, mono->degree)) > 0))
      mono = other;
  }
  return mono;
}

/* the whole part of c/d for constants, the divisor's sign aside; rounded down if `floors` */
static ck_id whole(pv *prover, ck_id c, ck_id d, bool floors) {
  mpq_t x;
  mpq_t y;
  mpz_t f;
  ck_id r = prover->zero;
  mpq_inits(x, y, NULL);
  mpz_init(f);
  mpq_set(x, *ck_q_value(prover->terms, c));
  mpq_set(y, *ck_q_value(prover->terms, d));
  mpq_div(x, x, y);
  if (floors || mpz_cmp_ui(mpq_denref(x), 1) == 0) {
    mpz_fdiv_q(f, mpq_numref(x), mpq_denref(x));
    mpq_set_z(x, f);
    r = ck_q(prover->terms, x);
  }
  mpq_clears(x, y, NULL);
  mpz_clear(f);
  return r;
}

/* a = b*q + r */
static void divide(pv *prover, const pv_poly *a, const pv_poly *b, pv_poly *quotient, pv_poly *r) {
  const pv_mono *lead = leading(prover, b);
  bool constant = b->count == 1 && lead->degree == 0;
  pv_poly_clear(quotient);
  pv_poly_clear(r);
  pv_poly_add(prover, r, a, prover->one);
  for (int rounds = 0; rounds < 24; rounds++) {
    bool hit = false;
    for (uint32_t i = 0; i < r->count && !hit; i++) {
      ck_id *rest = as_malloc((r->monos[i].degree + 1) * sizeof *rest);
      int k = pv_mono_div(r->monos[i].atoms, r->monos[i].degree, lead->atoms, lead->degree, rest);
      ck_id c = k < 0 ? prover->zero : whole(prover, r->monos[i].coef, lead->coef, constant);
      if (c != prover->zero) {
        pv_poly shifted;
        pv_poly_init(&shifted);
        pv_poly_add_mono(prover, quotient, c, rest, (uint32_t)k);
        pv_poly_mul_mono(prover, &shifted, b, pv_const_mul(prover, c, pv_num(prover, -1)), rest,
                         (uint32_t)k);
        pv_poly_add(prover, r, &shifted, prover->one);
        pv_poly_clear(&shifted);
        hit = true;
      }
      free(rest);
    }
    if (!hit)
      return;
  }
}

ck_id pv_rest_of_division(pv *prover, ck_id a, ck_id b) {
  pv_poly poly;
  pv_poly other;
  pv_poly quotient;
  pv_poly rest;
  ck_id term;
  pv_poly_init(&poly);
  pv_poly_init(&other);
  pv_poly_init(&quotient);
  pv_poly_init(&rest);
  pv_poly_read(prover, &poly, a);
  pv_poly_read(prover, &other, b);
  if (other.count)
    divide(prover, &poly, &other, &quotient, &rest);
  term = quotient.count ? pv_poly_term(prover, &rest) : CK_BAD;
  pv_poly_clear(&poly);
  pv_poly_clear(&other);
  pv_poly_clear(&quotient);
  pv_poly_clear(&rest);
  return term != CK_BAD && ck_is_int(prover->terms, term) ? term : CK_BAD;
}

/* a div b = qt for a = b*qt + rt with rt in range */
static pv_eqn exact(pv *prover, pv_ctx ctx, ck_id a, ck_id b, ck_id qt, ck_id rt) {
  pv_eqn eqn = {qt, PV_NONE};
  pv_thm premises[3];
  if (pv_is_const(prover, rt) && pv_const_sign(prover, rt) < 0)
    return eqn;
  premises[0] = pv_follows(prover, ctx, pv_ge0(prover, rt));
  premises[1] = premises[0] == PV_NONE ? PV_NONE : pv_follows(prover, ctx, pv_lt(prover, rt, b));
  if (premises[1] == PV_NONE)
    return eqn;
  premises[2] = pv_identity(prover, pv_eq(prover, a, pv_add(prover, pv_mul(prover, b, qt), rt)));
  pv_var_sub vars[4] = {{pv_int_var(prover, "a"), a},
                        {pv_int_var(prover, "b"), b},
                        {pv_int_var(prover, "q"), qt},
                        {pv_int_var(prover, "r"), rt}};
  eqn.by = pv_use_lemma(prover, PV_DIVMOD, vars, 4, NULL, 0, premises, 3);
  return eqn;
}

/* a div b = qt + rt div b for a = b*qt + rt */
static pv_eqn partial(pv *prover, ck_id a, ck_id b, ck_id qt, ck_id rt, pv_thm divisor_pos) {
  ck_id rb[2] = {rt, b};
  ck_id d = ck_mk2(prover->terms, CK_DIV, rt, b);
  ck_id m = ck_mk2(prover->terms, CK_MOD, rt, b);
  ck_id qd = pv_add(prover, qt, d);
  pv_eqn eqn = {qd, PV_NONE};
  pv_thm premises[3];
  pv_thm l = pv_law(prover, "div", rb, 2, divisor_pos);
  premises[0] = pv_law(prover, "mod>", rb, 2, divisor_pos);
  premises[1] = pv_law(prover, "mod<", rb, 2, divisor_pos);
  premises[2] =
      pv_scaled(prover, pv_eq(prover, a, pv_add(prover, pv_mul(prover, b, qd), m)), prover->one, l);
  pv_var_sub vars[4] = {{pv_int_var(prover, "a"), a},
                        {pv_int_var(prover, "b"), b},
                        {pv_int_var(prover, "q"), qd},
                        {pv_int_var(prover, "r"), m}};
  eqn.by = pv_use_lemma(prover, PV_DIVMOD, vars, 4, NULL, 0, premises, 3);
  return eqn;
}

/* a div b = c for a = b*c by the equations of the context */
static pv_eqn by_equation(pv *prover, pv_ctx ctx, ck_id a, ck_id b, ck_id c) {
  ck_id bc = pv_add(prover, pv_mul(prover, b, c), prover->zero);
  pv_eqn eqn = {c, PV_NONE};
  pv_thm premises[3];
  premises[2] = pv_follows_int(prover, ctx, pv_eq(prover, a, bc));
  premises[0] = pv_by_value(prover, pv_ge0(prover, prover->zero));
  premises[1] = pv_follows(prover, ctx, pv_gt0(prover, b));
  if (premises[2] == PV_NONE || premises[1] == PV_NONE)
    return eqn;
  pv_var_sub vars[4] = {{pv_int_var(prover, "a"), a},
                        {pv_int_var(prover, "b"), b},
                        {pv_int_var(prover, "q"), c},
                        {pv_int_var(prover, "r"), prover->zero}};
  eqn.by = pv_use_lemma(prover, PV_DIVMOD, vars, 4, NULL, 0, premises, 3);
  return eqn;
}

/* (x div b) div a = x div (b*a) for 0 < a, 0 < b: x = (b*a)*Q + b*m + r with r = x mod b, m = (x
 * div b) mod a */
static pv_eqn nested(pv *prover, pv_ctx ctx, ck_id d, ck_id a, pv_thm ap) {
  ck_id x = ck_kid(prover->terms, d, 0);
  ck_id b = ck_kid(prover->terms, d, 1);
  ck_id xb[2] = {x, b};
  ck_id da[2] = {d, a};
  ck_id Q = ck_mk2(prover->terms, CK_DIV, d, a);
  ck_id m = ck_mk2(prover->terms, CK_MOD, d, a);
  ck_id r = ck_mk2(prover->terms, CK_MOD, x, b);
  ck_id ba = pv_mul(prover, b, a);
  ck_id R = pv_add(prover, pv_mul(prover, b, m), r);
  ck_id term = ck_mk2(prover->terms, CK_DIV, x, ba);
  pv_thm divisor_pos = pv_follows(prover, ctx, pv_gt0(prover, b));
  pv_thm premises[3];
  pv_eqn eqn = {term, PV_NONE};
  if (divisor_pos == PV_NONE)
    return eqn;
  pv_thm l1 = pv_law(prover, "div", xb, 2, divisor_pos);
  pv_thm l2 = pv_law(prover, "div", da, 2, ap);
  pv_thm m0 = pv_law(prover, "mod>", da, 2, ap);
  pv_thm m1 = pv_tighten(prover, pv_law(prover, "mod<", da, 2, ap));
  pv_thm r0 = pv_law(prover, "mod>", xb, 2, divisor_pos);
  pv_thm r1 = pv_law(prover, "mod<", xb, 2, divisor_pos);
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add_product(&comb, prover->one, divisor_pos, m0);
  pv_comb_add(&comb, prover->one, r0);
  premises[0] = pv_comb_prove(prover, &comb, pv_ge0(prover, R));
  pv_comb_init(&comb);
  pv_comb_add_product(&comb, prover->one, divisor_pos, m1);
  pv_comb_add(&comb, prover->one, r1); /* b*(a - m - 1) + (b - r) */
  premises[1] = pv_comb_prove(prover, &comb, pv_lt(prover, R, ba));
  pv_comb_init(&comb);
  pv_comb_add(&comb, prover->one, l1);
  pv_comb_add(&comb, b, l2);
  premises[2] =
      pv_comb_prove(prover, &comb, pv_eq(prover, x, pv_add(prover, pv_mul(prover, ba, Q), R)));
  pv_var_sub vars[4] = {{pv_int_var(prover, "a"), x},
                        {pv_int_var(prover, "b"), ba},
                        {pv_int_var(prover, "q"), Q},
                        {pv_int_var(prover, "r"), R}};
  eqn.by = pv_sym(prover, pv_use_lemma(prover, PV_DIVMOD, vars, 4, NULL, 0, premises, 3));
  return eqn;
}

/* (g*x) div (g*m) = x div m for a positive g: g*x = (g*m)*(x div m) + g*(x mod m) */
static pv_eqn without_factor(pv *prover, pv_ctx ctx, ck_id a, ck_id b, const pv_poly *fb) {
  pv_eqn eqn = {CK_BAD, PV_NONE};
  for (uint32_t i = 0; fb->count && i < fb->monos[0].degree; i++) {
    ck_id g = fb->monos[0].atoms[i];
    ck_id x = pv_poly_quotient(prover, a, g);
    ck_id m = x == CK_BAD ? CK_BAD : pv_poly_quotient(prover, b, g);
    ck_id xm[2] = {x, m};
    pv_thm gp;
    pv_thm mp;
    pv_thm premises[3];
    if (m == CK_BAD || (gp = pv_follows(prover, ctx, pv_gt0(prover, g))) == PV_NONE ||
        (mp = pv_follows(prover, ctx, pv_gt0(prover, m))) == PV_NONE)
      continue;
    ck_id q = ck_mk2(prover->terms, CK_DIV, x, m);
    ck_id r = pv_mul(prover, g, ck_mk2(prover->terms, CK_MOD, x, m));
    pv_comb comb;
    pv_comb_init(&comb);
    pv_comb_add_product(&comb, prover->one, gp, pv_law(prover, "mod>", xm, 2, mp));
    premises[0] = pv_comb_prove(prover, &comb, pv_ge0(prover, r));
    pv_comb_init(&comb);
    pv_comb_add_product(&comb, prover->one, gp, pv_law(prover, "mod<", xm, 2, mp));
    premises[1] = pv_comb_prove(prover, &comb, pv_lt(prover, r, b));
    premises[2] = pv_scaled(prover, pv_eq(prover, a, pv_add(prover, pv_mul(prover, b, q), r)), g,
                            pv_law(prover, "div", xm, 2, mp));
    pv_var_sub vars[4] = {{pv_int_var(prover, "a"), a},
                          {pv_int_var(prover, "b"), b},
                          {pv_int_var(prover, "q"), q},
                          {pv_int_var(prover, "r"), r}};
    eqn.to = q;
    eqn.by = pv_use_lemma(prover, PV_DIVMOD, vars, 4, NULL, 0, premises, 3);
    if (eqn.by != PV_NONE)
      return eqn;
  }
  return eqn;
}

pv_eqn pv_norm_div(pv *prover, pv_ctx ctx, ck_id term) {
  ck_id a = ck_kid(prover->terms, term, 0);
  ck_id b = ck_kid(prover->terms, term, 1);
  ck_id ab[2] = {a, b};
  pv_thm divisor_pos = pv_follows(prover, ctx, pv_gt0(prover, b));
  pv_eqn eqn = pv_same(term);
  if (divisor_pos == PV_NONE)
    return eqn;
  if (ck_head(prover->terms, term) == CK_MOD) {
    eqn.to = pv_sub(prover, a, pv_mul(prover, b, ck_mk2(prover->terms, CK_DIV, a, b)));
    eqn.by = pv_scaled(prover, pv_eq(prover, term, eqn.to), pv_num(prover, -1),
                       pv_law(prover, "div", ab, 2, divisor_pos));
    return eqn.by == PV_NONE ? pv_fail() : pv_then(prover, eqn, pv_norm(prover, ctx, eqn.to));
  }
  if (ck_head(prover->terms, a) == CK_DIV &&
      (eqn = nested(prover, ctx, a, b, divisor_pos)).by != PV_NONE)
    return pv_then(prover, eqn, pv_norm(prover, ctx, eqn.to));
  pv_poly poly;
  pv_poly other;
  pv_poly quotient;
  pv_poly rest;
  pv_poly_init(&poly);
  pv_poly_init(&other);
  pv_poly_init(&quotient);
  pv_poly_init(&rest);
  eqn = pv_same(term);
  pv_poly_read(prover, &poly, a);
  pv_poly_read(prover, &other, b);
  if (other.count) {
    divide(prover, &poly, &other, &quotient, &rest);
    ck_id qt = pv_poly_term(prover, &quotient);
    ck_id rt = pv_poly_term(prover, &rest);
    pv_eqn x = exact(prover, ctx, a, b, qt, rt);
    for (int i = 0; i < 2 && x.by == PV_NONE && other.count > 1;
         i++) { /* one step beside the range */
      ck_id step = pv_num(prover, i ? 1 : -1);
      x = exact(prover, ctx, a, b, pv_canon(prover, pv_add(prover, qt, step)),
                pv_canon(prover, pv_sub(prover, rt, pv_mul(prover, step, b))));
    }
    if (x.by == PV_NONE && rt == a) { /* by an equation of the hypotheses */
      ck_id c = pv_size_quotient(prover, ctx, a, b);
      if (c != CK_BAD && !pv_occurs(prover, c, term))
        x = by_equation(prover, ctx, a, b, c);
    }
    if (x.by == PV_NONE)
      x = without_factor(prover, ctx, a, b, &other);
    if (x.by == PV_NONE && quotient.count && ck_is_int(prover->terms, rt))
      x = partial(prover, a, b, qt, rt, divisor_pos);
    if (x.by != PV_NONE)
      eqn = pv_then(prover, x, pv_norm(prover, ctx, x.to));
  }
  pv_poly_clear(&poly);
  pv_poly_clear(&other);
  pv_poly_clear(&quotient);
  pv_poly_clear(&rest);
  return eqn.by == PV_NONE ? pv_same(term) : eqn;
}
