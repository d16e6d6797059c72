/* Lemmas about sums, by induction over the bound. */
#include "pv_lemma.h"
#include "pv_steps.h"

/* --- sums; hypothesis 0 <= n */
typedef struct {
  ck_id k;
  ck_id a;
  ck_id a1;
  ck_id n;
  ck_id h;
  pv_thm h0;
} ind; /* k: summation counter; a: induction variable */

static ind ind_vars(pv *p, const char *bound) {
  ind v = {pv_int_var(p, "k"), pv_int_var(p, "j"), CK_BAD, pv_int_var(p, bound), CK_BAD, PV_NONE};
  v.a1 = pv_add(p, v.a, p->one);
  v.h0 = pv_hyp(p, pv_ge0(p, v.a)); /* of the induction variable */
  return v;
}

static pv_thm induct1(pv *p, const ind *v, ck_id f, pv_thm base, pv_thm step) {
  return pv_induct(p, v->a, v->n, 0, &f, &base, &step, 1, pv_hyp(p, pv_ge0(p, v->n)));
}

pv_thm pv_derive_sum_scale(pv *p) {
  ind v = ind_vars(p, "n");
  ck_id c = pv_real_var(p, "c");
  ck_id f = pv_apply(p, "f", v.k);
  ck_id cf = pv_mul(p, c, f);
#define L(x) pv_sum(p, x, v.k, cf)
#define R(x) pv_sum(p, x, v.k, f)
#define F(x) pv_eq(p, L(x), pv_mul(p, c, R(x)))
  pv_thm base = PV_COMBINE(p, F(p->zero), p->one, pv_zero(p, L(p->zero), pv_zero_le_zero(p)),
                           pv_neg(p, c), pv_zero(p, R(p->zero), pv_zero_le_zero(p)));
  pv_thm step = PV_COMBINE(p, F(v.a1), p->one, pv_succ(p, L(v.a1), v.a, v.h0), pv_neg(p, c),
                           pv_succ(p, R(v.a1), v.a, v.h0), p->one, pv_hyp(p, F(v.a)));
  return induct1(p, &v, F(v.a), base, step);
#undef L
#undef R
#undef F
}

pv_thm pv_derive_sum_add(pv *p) {
  ind v = ind_vars(p, "n");
  ck_id f = pv_apply(p, "f", v.k);
  ck_id g = pv_apply(p, "g", v.k);
  ck_id z = p->zero;
#define S(b, x) pv_sum(p, x, v.k, b)
#define F(x) pv_eq(p, S(pv_add(p, f, g), x), pv_add(p, S(f, x), S(g, x)))
  pv_thm base = PV_COMBINE(p, F(z), p->one, pv_zero(p, S(pv_add(p, f, g), z), pv_zero_le_zero(p)),
                           pv_num(p, -1), pv_zero(p, S(f, z), pv_zero_le_zero(p)), pv_num(p, -1),
                           pv_zero(p, S(g, z), pv_zero_le_zero(p)));
  pv_thm step = PV_COMBINE(p, F(v.a1), p->one, pv_succ(p, S(pv_add(p, f, g), v.a1), v.a, v.h0),
                           pv_num(p, -1), pv_succ(p, S(f, v.a1), v.a, v.h0), pv_num(p, -1),
                           pv_succ(p, S(g, v.a1), v.a, v.h0), p->one, pv_hyp(p, F(v.a)));
  return induct1(p, &v, F(v.a), base, step);
#undef S
#undef F
}

static pv_thm sum_const(pv *p, bool ones) {
  ind v = ind_vars(p, "n");
  ck_id b = ones ? p->one : p->zero;
#define S(x) pv_sum(p, x, v.k, b)
#define F(x) pv_eq(p, S(x), ones ? (x) : p->zero)
  pv_thm base = PV_COMBINE(p, F(p->zero), p->one, pv_zero(p, S(p->zero), pv_zero_le_zero(p)));
  pv_thm step =
      PV_COMBINE(p, F(v.a1), p->one, pv_succ(p, S(v.a1), v.a, v.h0), p->one, pv_hyp(p, F(v.a)));
  return induct1(p, &v, F(v.a), base, step);
#undef S
#undef F
}

/* 0 <= n:  sum(k < n) k = n*(n-1)/2 */
pv_thm pv_derive_sum_index(pv *p) {
  ind v = ind_vars(p, "n");
  ck_id half = pv_const_inv(p, pv_num(p, 2));
#define S(x) pv_sum(p, x, v.k, v.k)
#define F(x) pv_eq(p, S(x), pv_mul(p, half, pv_mul(p, x, pv_sub(p, x, p->one))))
  pv_thm base = PV_COMBINE(p, F(p->zero), p->one, pv_zero(p, S(p->zero), pv_zero_le_zero(p)));
  pv_thm step =
      PV_COMBINE(p, F(v.a1), p->one, pv_succ(p, S(v.a1), v.a, v.h0), p->one, pv_hyp(p, F(v.a)));
  return induct1(p, &v, F(v.a), base, step);
#undef S
#undef F
}

/* 0 <= m, 0 <= n:  sum(k < m+n) f(k) = sum(k < m) f(k) + sum(k < n) f(m+k) */
pv_thm pv_derive_sum_concat(pv *p) {
  ind v = ind_vars(p, "n");
  ck_id m = pv_int_var(p, "m");
  ck_id f = pv_apply(p, "f", v.k);
  ck_id fm = pv_apply(p, "f", pv_add(p, m, v.k));
  ck_id z = p->zero;
  pv_thm hm = pv_hyp(p, pv_ge0(p, m));
#define S(b, x) pv_sum(p, x, v.k, b)
#define F(x) pv_eq(p, S(f, pv_add(p, m, x)), pv_add(p, S(f, m), S(fm, x)))
  pv_thm r = pv_identity(p, pv_eq(p, pv_add(p, m, z), m));
  pv_thm c = pv_cong(p, S(f, pv_add(p, m, z)), S(f, m), &r, 1);
  pv_thm base =
      PV_COMBINE(p, F(z), p->one, c, pv_num(p, -1), pv_zero(p, S(fm, z), pv_zero_le_zero(p)));
  pv_thm ma = PV_COMBINE(p, pv_ge0(p, pv_add(p, m, v.a)), p->one, hm, p->one, v.h0);
  pv_thm u = pv_succ(p, S(f, pv_add(p, m, v.a1)), pv_add(p, m, v.a), ma);
  pv_thm w = pv_succ(p, S(fm, v.a1), v.a, v.h0);
  pv_thm step = PV_COMBINE(p, F(v.a1), p->one, u, pv_num(p, -1), w, p->one, pv_hyp(p, F(v.a)));
  return induct1(p, &v, F(v.a), base, step);
#undef F
}

/* 0 <= n:  sum(k < n) f(k) = sum(k < n) f(n-1-k): the first element of the right side apart, then
 * induction */
pv_thm pv_derive_sum_reverse(pv *p) {
  ind v = ind_vars(p, "n");
  ck_id f = pv_apply(p, "f", v.k);
  ck_id z = p->zero;
  ck_id o = p->one;
  ck_id jk = pv_sub(p, pv_sub(p, v.a1, o), v.k);
  ck_id shifted = pv_sub(p, pv_sub(p, v.a1, o), pv_add(p, o, v.k));
  ck_id bound = pv_add(p, o, v.a);
#define B(x) pv_apply(p, "f", pv_sub(p, pv_sub(p, x, o), v.k))
#define F(x) pv_eq(p, S(f, x), S(B(x), x))
  pv_var_sub vs[2] = {{pv_int_var(p, "m"), o}, {v.n, v.a}};
  ck_fsub fs = pv_fun_sub(p, "f", &v.k, pv_apply(p, "f", jk));
  pv_thm base = PV_COMBINE(p, F(z), p->one, pv_zero(p, S(f, z), pv_zero_le_zero(p)), pv_num(p, -1),
                           pv_zero(p, S(B(z), z), pv_zero_le_zero(p)));
  pv_thm prem[2] = {pv_by_value(p, pv_ge0(p, o)), v.h0};
  pv_thm cc = pv_use_lemma(p, PV_SUM_CONCAT, vs, 2, &fs, 1, prem, 2);
  pv_thm e = pv_identity(p, pv_eq(p, v.a1, bound));
  pv_thm c = pv_cong(p, S(B(v.a1), v.a1), S(B(v.a1), bound), &e, 1);
  ck_id first = pv_sub(p, pv_sub(p, v.a1, o), z);
  pv_thm one1 = pv_succ(p, S(B(v.a1), o), z, pv_zero_le_zero(p));
  pv_thm e0 = pv_identity(p, pv_eq(p, first, v.a));
  pv_thm f0 = pv_cong(p, pv_apply(p, "f", first), pv_apply(p, "f", v.a), &e0, 1);
  pv_thm es = pv_identity(p, pv_eq(p, shifted, pv_sub(p, pv_sub(p, v.a, o), v.k)));
  pv_thm sh = pv_lift_sum(p, v.a, v.k, pv_cong(p, pv_apply(p, "f", shifted), B(v.a), &es, 1));
  pv_thm u = pv_succ(p, S(f, v.a1), v.a, v.h0);
  pv_comb b;
  pv_comb_init(&b);
  pv_comb_add(&b, p->one, u);
  pv_comb_add(&b, p->one, pv_hyp(p, F(v.a)));
  pv_comb_add(&b, pv_num(p, -1), sh);
  pv_comb_add(&b, pv_num(p, -1), f0);
  pv_comb_add(&b, pv_num(p, -1), one1);
  pv_comb_add(&b, pv_num(p, -1), pv_zero(p, S(B(v.a1), z), pv_zero_le_zero(p)));
  pv_comb_add(&b, pv_num(p, -1), cc);
  pv_comb_add(&b, pv_num(p, -1), c);
  pv_thm step = pv_comb_prove(p, &b, F(v.a1));
  return induct1(p, &v, F(v.a), base, step);
#undef B
#undef F
}

/* 0 <= G, 0 <= T:  sum(k < G*T) f(k) = sum(g < G) sum(t < T) f(g*T + t) */
pv_thm pv_derive_sum_split(pv *p) {
  ind v = ind_vars(p, "G");
  ck_id T = pv_int_var(p, "T");
  ck_id t = pv_int_var(p, "t");
  ck_id z = p->zero;
  ck_id f = pv_apply(p, "f", v.k);
  ck_id in = pv_sum(p, T, t, pv_apply(p, "f", pv_add(p, pv_mul(p, v.k, T), t)));
  pv_thm hT = pv_hyp(p, pv_ge0(p, T));
#define F(x) pv_eq(p, S(f, pv_mul(p, x, T)), S(in, x))
  pv_thm l0 = pv_zero(p, S(f, pv_mul(p, z, T)), pv_identity(p, pv_le(p, pv_mul(p, z, T), z)));
  pv_thm base =
      PV_COMBINE(p, F(z), p->one, l0, pv_num(p, -1), pv_zero(p, S(in, z), pv_zero_le_zero(p)));
  ck_id aT = pv_mul(p, v.a, T);
  ck_id big = pv_mul(p, v.a1, T);
  ck_id two = pv_add(p, aT, T);
  pv_comb b;
  pv_comb_init(&b);
  pv_comb_add_product(&b, p->one, v.h0, hT);
  pv_thm haT = pv_comb_prove(p, &b, pv_ge0(p, aT));
  pv_thm e = pv_identity(p, pv_eq(p, big, two));
  pv_thm c = pv_cong(p, S(f, big), S(f, two), &e, 1);
  pv_var_sub vs[2] = {{pv_int_var(p, "m"), aT}, {pv_int_var(p, "n"), T}};
  pv_thm prem[2] = {haT, hT};
  pv_thm cc = pv_use_lemma(p, PV_SUM_CONCAT, vs, 2, NULL, 0, prem, 2);
  pv_thm w = pv_succ(p, S(in, v.a1), v.a, v.h0);
  pv_thm step =
      PV_COMBINE(p, F(v.a1), p->one, c, p->one, cc, pv_num(p, -1), w, p->one, pv_hyp(p, F(v.a)));
  return induct1(p, &v, F(v.a), base, step);
#undef F
}

/* 0 <= n, 0 <= m:  sum(i < n) sum(k < m) f2(i,k) = sum(k < m) sum(i < n) f2(i,k) */
pv_thm pv_derive_sum_exchange(pv *p) {
  ind v = ind_vars(p, "n");
  ck_id m = pv_int_var(p, "m");
  ck_id i = pv_int_var(p, "i");
  ck_id z = p->zero;
  pv_thm hm = pv_hyp(p, pv_ge0(p, m));
#define ROW(x) pv_sum(p, m, v.k, pv_apply2(p, "f2", x, v.k))
#define COL(x) pv_sum(p, x, i, pv_apply2(p, "f2", i, v.k))
#define LL(x) pv_sum(p, x, i, ROW(i))
#define RR(x) S(COL(x), m)
#define F(x) pv_eq(p, LL(x), RR(x))
  pv_var_sub vn = {v.n, m};
  ck_fsub fs[2] = {pv_fun_sub(p, "f", &v.k, COL(v.a)),
                   pv_fun_sub(p, "g", &v.k, pv_apply2(p, "f2", v.a, v.k))};
  pv_thm sz = pv_use_lemma(p, PV_SUM_ZERO, &vn, 1, NULL, 0, &hm, 1);
  pv_thm l0 = pv_lift_sum(p, m, v.k, pv_zero(p, COL(z), pv_zero_le_zero(p)));
  pv_thm base = PV_COMBINE(p, F(z), p->one, pv_zero(p, LL(z), pv_zero_le_zero(p)), pv_num(p, -1),
                           l0, pv_num(p, -1), sz);
  pv_thm u = pv_succ(p, LL(v.a1), v.a, v.h0);
  pv_thm lf = pv_lift_sum(p, m, v.k, pv_succ(p, COL(v.a1), v.a, v.h0));
  pv_thm ad = pv_use_lemma(p, PV_SUM_ADD, &vn, 1, fs, 2, &hm, 1);
  pv_thm step = PV_COMBINE(p, F(v.a1), p->one, u, pv_num(p, -1), lf, pv_num(p, -1), ad, p->one,
                           pv_hyp(p, F(v.a)));
  return induct1(p, &v, F(v.a), base, step);
}

pv_thm pv_derive_sum_one(pv *p) {
  return sum_const(p, true);
}

pv_thm pv_derive_sum_zero(pv *p) {
  return sum_const(p, false);
}
