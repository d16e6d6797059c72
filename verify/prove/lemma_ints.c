/* Lemmas about integers: squares, quotients. */
#include "pv_lemma.h"
#include "pv_steps.h"

/* 0 <= r, r < b, a = b*q + r  gives  a div b = q */
pv_thm pv_derive_divmod(pv *p) {
  ck_id a = pv_int_var(p, "a");
  ck_id b = pv_int_var(p, "b");
  ck_id q = pv_int_var(p, "q");
  ck_id r = pv_int_var(p, "r");
  ck_id d = ck_mk2(p->terms, CK_DIV, a, b);
  ck_id half[2];
  pv_thm h1 = pv_hyp(p, pv_ge0(p, r));
  pv_thm h2 = pv_hyp(p, pv_lt(p, r, b));
  pv_thm h3 = pv_hyp(p, pv_eq(p, a, pv_add(p, pv_mul(p, b, q), r)));
  pv_thm bp = PV_COMBINE(p, pv_gt0(p, b), p->one, h1, p->one, h2);
  pv_thm x = pv_law2(p, "div", a, b, bp);
  pv_thm y = pv_law2(p, "mod>", a, b, bp);
  pv_thm w = pv_law2(p, "mod<", a, b, bp);
  for (int i = 0; i < 2; i++) { /* 0: not q < d; 1: not d < q */
    ck_id u = i ? d : q;
    ck_id v = i ? q : d;
    ck_id f = pv_le(p, v, u);
    pv_thm n = pv_int(p, pv_le(p, pv_add(p, u, p->one), v), pv_hyp(p, pv_lt(p, u, v)));
    pv_comb s;
    pv_comb_init(&s);
    pv_comb_add_product(&s, p->one, bp, n);
    pv_comb_add(&s, p->one, i ? h1 : y);
    pv_comb_add(&s, p->one, i ? w : h2);
    pv_comb_add(&s, i ? p->one : pv_num(p, -1), x);
    pv_comb_add(&s, i ? pv_num(p, -1) : p->one, h3);
    half[i] = pv_cases(p, f, pv_hyp(p, f),
                       pv_from_zero_below_zero(p, f, pv_comb_prove(p, &s, pv_gt0(p, p->zero))));
  }
  return pv_antisym(p, half[0], half[1]);
}

static pv_thm div_bound(pv *p, bool low) {
  ck_id a = pv_int_var(p, "a");
  ck_id b = pv_int_var(p, "b");
  ck_id c = pv_int_var(p, "c");
  ck_id d = ck_mk2(p->terms, CK_DIV, a, b);
  ck_id f = low ? pv_ge0(p, d) : pv_lt(p, d, c);
  pv_thm bp = pv_hyp(p, pv_gt0(p, b));
  pv_thm h = pv_hyp(p, low ? pv_ge0(p, a) : pv_lt(p, a, pv_mul(p, c, b)));
  pv_thm x = pv_law2(p, "div", a, b, bp);
  pv_thm n;
  pv_comb s;
  pv_comb_init(&s);
  if (low) {
    n = pv_int(p, pv_le(p, pv_add(p, d, p->one), p->zero), pv_hyp(p, pv_lt(p, d, p->zero)));
  } else {
    n = pv_hyp(p, pv_le(p, c, d));
  }
  pv_comb_add_product(&s, p->one, bp, n);
  pv_comb_add(&s, p->one, h);
  pv_comb_add(&s, p->one, pv_law2(p, low ? "mod<" : "mod>", a, b, bp));
  pv_comb_add(&s, low ? p->one : pv_num(p, -1), x);
  return pv_cases(p, f, pv_hyp(p, f),
                  pv_from_zero_below_zero(p, f, pv_comb_prove(p, &s, pv_gt0(p, p->zero))));
}

/* n <= n*n for an integer n: n <= 0, or 1 <= n */
pv_thm pv_derive_int_square(pv *p) {
  ck_id n = pv_int_var(p, "n");
  ck_id f = pv_le(p, n, pv_mul(p, n, n));
  ck_id c = pv_le(p, n, p->zero);
  pv_thm res[2];
  pv_thm h = pv_hyp(p, c);
  pv_thm g = pv_hyp(p, pv_gt0(p, n));
  pv_thm g1 = pv_int(p, pv_ge0(p, pv_sub(p, n, p->one)), g);
  pv_comb b;
  pv_comb_init(&b);
  pv_comb_add_product(&b, p->one, h, h);
  pv_comb_add(&b, p->one, h); /* n*n - n */
  res[0] = pv_comb_prove(p, &b, f);
  pv_comb_init(&b);
  pv_comb_add_product(&b, p->one, g, g1);
  res[1] = pv_comb_prove(p, &b, f);
  return pv_cases(p, c, res[0], res[1]);
}

pv_thm pv_derive_div_lo(pv *p) {
  return div_bound(p, true);
}

pv_thm pv_derive_div_hi(pv *p) {
  return div_bound(p, false);
}
