/* Lemmas about integers: squares, quotients. */
#include "pv_lemma_kit.h"

/* 0 <= r, r < b, a = b*q + r  gives  a div b = q */
pv_thm pv_derive_divmod(pv *p) {
  ck_id a = iv(p, "a");
  ck_id b = iv(p, "b");
  ck_id q = iv(p, "q");
  ck_id r = iv(p, "r");
  ck_id d = ck_mk2(p->terms, CK_DIV, a, b);
  ck_id half[2];
  pv_thm h1 = pv_hyp(p, ge0(p, r));
  pv_thm h2 = pv_hyp(p, pv_rel(p, CK_LT, r, b));
  pv_thm h3 = pv_hyp(p, eq(p, a, pv_add(p, pv_mul(p, b, q), r)));
  pv_thm bp = AR(p, gt0(p, b), 2, one(p), h1, one(p), h2);
  pv_thm x = law2(p, "div", a, b, bp);
  pv_thm y = law2(p, "mod>", a, b, bp);
  pv_thm w = law2(p, "mod<", a, b, bp);
  for (int i = 0; i < 2; i++) { /* 0: not q < d; 1: not d < q */
    ck_id u = i ? d : q;
    ck_id v = i ? q : d;
    ck_id f = pv_rel(p, CK_LE, v, u);
    pv_thm n = pv_int(p, pv_rel(p, CK_LE, pv_add(p, u, p->one), v), pv_hyp(p, pv_rel(p, CK_LT, u, v)));
    pv_comb s;
    pv_comb_init(&s);
    pv_comb_add_product(&s, one(p), bp, n);
    pv_comb_add(&s, one(p), i ? h1 : y);
    pv_comb_add(&s, one(p), i ? w : h2);
    pv_comb_add(&s, i ? one(p) : minus(p), x);
    pv_comb_add(&s, i ? minus(p) : one(p), h3);
    half[i] = pv_cases(p, f, pv_hyp(p, f), pv_from_zero_below_zero(p, f, pv_comb_prove(p, &s, gt0(p, p->zero))));
  }
  return pv_antisym(p, half[0], half[1]);
}

static pv_thm div_bound(pv *p, bool low) {
  ck_id a = iv(p, "a");
  ck_id b = iv(p, "b");
  ck_id c = iv(p, "c");
  ck_id d = ck_mk2(p->terms, CK_DIV, a, b);
  ck_id f = low ? ge0(p, d) : pv_rel(p, CK_LT, d, c);
  pv_thm bp = pv_hyp(p, gt0(p, b));
  pv_thm h = pv_hyp(p, low ? ge0(p, a) : pv_rel(p, CK_LT, a, pv_mul(p, c, b)));
  pv_thm x = law2(p, "div", a, b, bp);
  pv_thm n;
  pv_comb s;
  pv_comb_init(&s);
  if (low) {
    n = pv_int(p, pv_rel(p, CK_LE, pv_add(p, d, p->one), p->zero),
              pv_hyp(p, pv_rel(p, CK_LT, d, p->zero)));
  } else {
    n = pv_hyp(p, pv_rel(p, CK_LE, c, d));
  }
  pv_comb_add_product(&s, one(p), bp, n);
  pv_comb_add(&s, one(p), h);
  pv_comb_add(&s, one(p), law2(p, low ? "mod<" : "mod>", a, b, bp));
  pv_comb_add(&s, low ? one(p) : minus(p), x);
  return pv_cases(p, f, pv_hyp(p, f), pv_from_zero_below_zero(p, f, pv_comb_prove(p, &s, gt0(p, p->zero))));
}

/* n <= n*n for an integer n: n <= 0, or 1 <= n */
pv_thm pv_derive_int_square(pv *p) {
  ck_id n = iv(p, "n");
  ck_id f = pv_rel(p, CK_LE, n, pv_mul(p, n, n));
  ck_id c = pv_rel(p, CK_LE, n, p->zero);
  pv_thm res[2];
  pv_thm h = pv_hyp(p, c);
  pv_thm g = pv_hyp(p, gt0(p, n));
  pv_thm g1 = pv_int(p, ge0(p, pv_sub(p, n, p->one)), g);
  pv_comb b;
  pv_comb_init(&b);
  pv_comb_add_product(&b, one(p), h, h);
  pv_comb_add(&b, one(p), h); /* n*n - n */
  res[0] = pv_comb_prove(p, &b, f);
  pv_comb_init(&b);
  pv_comb_add_product(&b, one(p), g, g1);
  res[1] = pv_comb_prove(p, &b, f);
  return pv_cases(p, c, res[0], res[1]);
}


pv_thm pv_derive_div_lo(pv *p) {
  return div_bound(p, true);
}

pv_thm pv_derive_div_hi(pv *p) {
  return div_bound(p, false);
}
