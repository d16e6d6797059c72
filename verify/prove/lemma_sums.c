/* Lemmas about sums, by induction over the bound.  Each derivation has a function `.._at` that
 * states the lemma for one bound x; the base is that at 0, where sums are empty, the step takes it
 * from j to j + 1, where sums lose their last element to the rule `succ`. */
#include "pv_lemma.h"
#include "pv_steps.h"

typedef struct {
  ck_id k; /* the counter of sums */
  ck_id n; /* the bound that the lemma speaks of */
  ck_id j; /* the bound in the step, which goes to j + 1 */
  ck_id j_next;
  pv_thm j_nonneg;
  ck_id f; /* f(k), and what else a lemma is about */
  ck_id g;
  ck_id m;
} induction;

static induction induction_over(pv *prover, const char *bound) {
  induction over = {
      .k = pv_int_var(prover, "k"), .j = pv_int_var(prover, "j"), .n = pv_int_var(prover, bound)};
  over.j_next = pv_add(prover, over.j, prover->one);
  over.j_nonneg = pv_hyp(prover, pv_ge0(prover, over.j));
  over.f = pv_apply(prover, "f", over.k);
  return over;
}

/* 0 <= n gives what is claimed of j, for n */
static pv_thm by_induction(pv *prover, const induction *over, ck_id claim, pv_thm base,
                           pv_thm step) {
  pv_thm n_nonneg = pv_hyp(prover, pv_ge0(prover, over->n));
  return pv_induct(prover, over->j, over->n, 0, &claim, &base, &step, 1, n_nonneg);
}

static ck_id sum_to(pv *prover, const induction *over, ck_id bound, ck_id body) {
  return pv_sum(prover, bound, over->k, body);
}

/* sum, whose bound is 0, is 0 */
static pv_thm empty(pv *prover, ck_id sum) {
  return pv_zero(prover, sum, pv_zero_le_zero(prover));
}

/* sum, whose bound is j + 1, as that to j and the element at j */
static pv_thm unrolled(pv *prover, const induction *over, ck_id sum) {
  return pv_succ(prover, sum, over->j, over->j_nonneg);
}

/* f(m + k) */
static ck_id f_after(pv *prover, const induction *over, ck_id m) {
  return pv_apply(prover, "f", pv_add(prover, m, over->k));
}

/* --- sum c*f = c * sum f */
static ck_id scaled_sum(pv *prover, const induction *over, ck_id x) {
  return sum_to(prover, over, x, pv_mul(prover, over->g, over->f));
}

static ck_id scale_at(pv *prover, const induction *over, ck_id x) {
  ck_id left = scaled_sum(prover, over, x);
  return pv_eq(prover, left, pv_mul(prover, over->g, sum_to(prover, over, x, over->f)));
}

pv_thm pv_derive_sum_scale(pv *prover) {
  induction over = induction_over(prover, "n");
  ck_id zero = prover->zero;
  over.g = pv_real_var(prover, "c");
  ck_id minus_c = pv_neg(prover, over.g);
  pv_thm base = PV_COMBINE(prover, scale_at(prover, &over, zero), prover->one,
                           empty(prover, scaled_sum(prover, &over, zero)), minus_c,
                           empty(prover, sum_to(prover, &over, zero, over.f)));
  pv_thm left = unrolled(prover, &over, scaled_sum(prover, &over, over.j_next));
  pv_thm right = unrolled(prover, &over, sum_to(prover, &over, over.j_next, over.f));
  pv_thm assumed = pv_hyp(prover, scale_at(prover, &over, over.j));
  pv_thm step = PV_COMBINE(prover, scale_at(prover, &over, over.j_next), prover->one, left, minus_c,
                           right, prover->one, assumed);
  return by_induction(prover, &over, scale_at(prover, &over, over.j), base, step);
}

/* --- sum f+g = sum f + sum g */
static ck_id add_at(pv *prover, const induction *over, ck_id x) {
  ck_id both = sum_to(prover, over, x, pv_add(prover, over->f, over->g));
  ck_id of_f = sum_to(prover, over, x, over->f);
  return pv_eq(prover, both, pv_add(prover, of_f, sum_to(prover, over, x, over->g)));
}

pv_thm pv_derive_sum_add(pv *prover) {
  induction over = induction_over(prover, "n");
  over.g = pv_apply(prover, "g", over.k);
  ck_id zero = prover->zero;
  ck_id minus = pv_num(prover, -1);
  ck_id body[3] = {pv_add(prover, over.f, over.g), over.f, over.g};
  pv_thm first[3];
  pv_thm next[3];
  for (int i = 0; i < 3; i++)
    first[i] = empty(prover, sum_to(prover, &over, zero, body[i]));
  pv_thm base = PV_COMBINE(prover, add_at(prover, &over, zero), prover->one, first[0], minus,
                           first[1], minus, first[2]);
  for (int i = 0; i < 3; i++)
    next[i] = unrolled(prover, &over, sum_to(prover, &over, over.j_next, body[i]));
  pv_thm step =
      PV_COMBINE(prover, add_at(prover, &over, over.j_next), prover->one, next[0], minus, next[1],
                 minus, next[2], prover->one, pv_hyp(prover, add_at(prover, &over, over.j)));
  return by_induction(prover, &over, add_at(prover, &over, over.j), base, step);
}

/* --- sums that are a polynomial of their bound: base and step are identities of polynomials */
typedef ck_id (*closed_form)(pv *prover, ck_id bound);

static pv_thm sum_is(pv *prover, const induction *over, ck_id body, closed_form value) {
  ck_id bound[3] = {prover->zero, over->j, over->j_next};
  ck_id sum[3];
  ck_id claim[3];
  for (int i = 0; i < 3; i++) {
    sum[i] = sum_to(prover, over, bound[i], body);
    claim[i] = pv_eq(prover, sum[i], value(prover, bound[i]));
  }
  pv_thm base = PV_COMBINE(prover, claim[0], prover->one, empty(prover, sum[0]));
  pv_thm step = PV_COMBINE(prover, claim[2], prover->one, unrolled(prover, over, sum[2]),
                           prover->one, pv_hyp(prover, claim[1]));
  return by_induction(prover, over, claim[1], base, step);
}

static ck_id itself(pv *prover, ck_id bound) {
  (void)prover;
  return bound;
}

static ck_id nothing(pv *prover, ck_id bound) {
  (void)bound;
  return prover->zero;
}

static ck_id triangle(pv *prover, ck_id bound) {
  ck_id half = pv_const_inv(prover, pv_num(prover, 2));
  ck_id less = pv_sub(prover, bound, prover->one);
  return pv_mul(prover, half, pv_mul(prover, bound, less));
}

pv_thm pv_derive_sum_one(pv *prover) {
  induction over = induction_over(prover, "n");
  return sum_is(prover, &over, prover->one, itself);
}

pv_thm pv_derive_sum_zero(pv *prover) {
  induction over = induction_over(prover, "n");
  return sum_is(prover, &over, prover->zero, nothing);
}

pv_thm pv_derive_sum_index(pv *prover) {
  induction over = induction_over(prover, "n");
  return sum_is(prover, &over, over.k, triangle);
}

/* --- what is added to a number, from that on */
static ck_id added_to(pv *prover, const induction *over, ck_id x) {
  ck_id state = pv_real_var(prover, "s");
  return pv_fold1(prover, x, over->g, over->k, state, pv_add(prover, state, over->f));
}

static ck_id from_at(pv *prover, const induction *over, ck_id x) {
  ck_id sum = sum_to(prover, over, x, over->f);
  return pv_eq(prover, added_to(prover, over, x), pv_add(prover, over->g, sum));
}

pv_thm pv_derive_sum_from(pv *prover) {
  induction over = induction_over(prover, "n");
  ck_id zero = prover->zero;
  ck_id minus = pv_num(prover, -1);
  over.g = pv_real_var(prover, "b");
  pv_thm base = PV_COMBINE(prover, from_at(prover, &over, zero), prover->one,
                           empty(prover, added_to(prover, &over, zero)), minus,
                           empty(prover, sum_to(prover, &over, zero, over.f)));
  pv_thm left = unrolled(prover, &over, added_to(prover, &over, over.j_next));
  pv_thm right = unrolled(prover, &over, sum_to(prover, &over, over.j_next, over.f));
  pv_thm step = PV_COMBINE(prover, from_at(prover, &over, over.j_next), prover->one, left, minus,
                           right, prover->one, pv_hyp(prover, from_at(prover, &over, over.j)));
  return by_induction(prover, &over, from_at(prover, &over, over.j), base, step);
}

/* --- sum to m+n = sum to m + sum of the n after it */
static ck_id concat_at(pv *prover, const induction *over, ck_id x) {
  ck_id whole = sum_to(prover, over, pv_add(prover, over->m, x), over->f);
  ck_id first = sum_to(prover, over, over->m, over->f);
  ck_id rest = sum_to(prover, over, x, f_after(prover, over, over->m));
  return pv_eq(prover, whole, pv_add(prover, first, rest));
}

pv_thm pv_derive_sum_concat(pv *prover) {
  induction over = induction_over(prover, "n");
  ck_id m = over.m = pv_int_var(prover, "m");
  ck_id after = f_after(prover, &over, m);
  ck_id minus = pv_num(prover, -1);
  pv_thm m_nonneg = pv_hyp(prover, pv_ge0(prover, m));
  /* base: the bound m + 0 is m, the rest is empty */
  ck_id m_and_0 = pv_add(prover, m, prover->zero);
  pv_thm same_bound = pv_identity(prover, pv_eq(prover, m_and_0, m));
  pv_thm first = pv_cong(prover, sum_to(prover, &over, m_and_0, over.f),
                         sum_to(prover, &over, m, over.f), &same_bound, 1);
  pv_thm rest = empty(prover, sum_to(prover, &over, prover->zero, after));
  pv_thm base =
      PV_COMBINE(prover, concat_at(prover, &over, prover->zero), prover->one, first, minus, rest);
  /* step: f(m + j) is the last element on both sides */
  ck_id m_and_j = pv_add(prover, m, over.j);
  pv_thm nonneg = PV_COMBINE(prover, pv_ge0(prover, m_and_j), prover->one, m_nonneg, prover->one,
                             over.j_nonneg);
  ck_id m_and_next = pv_add(prover, m, over.j_next);
  pv_thm whole = pv_succ(prover, sum_to(prover, &over, m_and_next, over.f), m_and_j, nonneg);
  pv_thm right = unrolled(prover, &over, sum_to(prover, &over, over.j_next, after));
  pv_thm step = PV_COMBINE(prover, concat_at(prover, &over, over.j_next), prover->one, whole, minus,
                           right, prover->one, pv_hyp(prover, concat_at(prover, &over, over.j)));
  return by_induction(prover, &over, concat_at(prover, &over, over.j), base, step);
}

/* --- a sum run backwards: the first element of the right side apart, then induction */
/* f(x-1-k) */
static ck_id f_back(pv *prover, const induction *over, ck_id x) {
  return pv_apply(prover, "f", pv_sub(prover, pv_sub(prover, x, prover->one), over->k));
}

static ck_id back_sum(pv *prover, const induction *over, ck_id x) {
  return sum_to(prover, over, x, f_back(prover, over, x));
}

static ck_id reverse_at(pv *prover, const induction *over, ck_id x) {
  return pv_eq(prover, sum_to(prover, over, x, over->f), back_sum(prover, over, x));
}

pv_thm pv_derive_sum_reverse(pv *prover) {
  induction over = induction_over(prover, "n");
  ck_id zero = prover->zero;
  ck_id one = prover->one;
  ck_id minus = pv_num(prover, -1);
  ck_id last = pv_sub(prover, over.j_next, one);
  ck_id back = f_back(prover, &over, over.j_next);
  pv_thm base = PV_COMBINE(prover, reverse_at(prover, &over, zero), one,
                           empty(prover, sum_to(prover, &over, zero, over.f)), minus,
                           empty(prover, back_sum(prover, &over, zero)));
  /* the right side to j+1, cut behind its first element */
  pv_var_sub vars[2] = {{pv_int_var(prover, "m"), one}, {over.n, over.j}};
  ck_fsub fun = pv_fun_sub(prover, "f", &over.k, back);
  pv_thm premises[2] = {pv_by_value(prover, pv_ge0(prover, one)), over.j_nonneg};
  pv_thm cut = pv_use_lemma(prover, PV_SUM_CONCAT, vars, 2, &fun, 1, premises, 2);
  ck_id one_and_j = pv_add(prover, one, over.j);
  pv_thm same_bound = pv_identity(prover, pv_eq(prover, over.j_next, one_and_j));
  pv_thm rebound = pv_cong(prover, sum_to(prover, &over, over.j_next, back),
                           sum_to(prover, &over, one_and_j, back), &same_bound, 1);
  /* the first element is f(j) */
  ck_id at_first = pv_sub(prover, last, zero);
  pv_thm one_element =
      pv_succ(prover, sum_to(prover, &over, one, back), zero, pv_zero_le_zero(prover));
  pv_thm is_j = pv_identity(prover, pv_eq(prover, at_first, over.j));
  pv_thm first =
      pv_cong(prover, pv_apply(prover, "f", at_first), pv_apply(prover, "f", over.j), &is_j, 1);
  /* the others are those of the right side to j */
  ck_id at_shifted = pv_sub(prover, last, pv_add(prover, one, over.k));
  ck_id at_j = pv_sub(prover, pv_sub(prover, over.j, one), over.k);
  pv_thm same_index = pv_identity(prover, pv_eq(prover, at_shifted, at_j));
  pv_thm others = pv_lift_sum(prover, over.j, over.k,
                              pv_cong(prover, pv_apply(prover, "f", at_shifted),
                                      f_back(prover, &over, over.j), &same_index, 1));
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add(&comb, one, unrolled(prover, &over, sum_to(prover, &over, over.j_next, over.f)));
  pv_comb_add(&comb, one, pv_hyp(prover, reverse_at(prover, &over, over.j)));
  pv_comb_add(&comb, minus, others);
  pv_comb_add(&comb, minus, first);
  pv_comb_add(&comb, minus, one_element);
  pv_comb_add(&comb, minus, empty(prover, sum_to(prover, &over, zero, back)));
  pv_comb_add(&comb, minus, cut);
  pv_comb_add(&comb, minus, rebound);
  pv_thm step = pv_comb_prove(prover, &comb, reverse_at(prover, &over, over.j_next));
  return by_induction(prover, &over, reverse_at(prover, &over, over.j), base, step);
}

/* --- a sum over G*T as G sums over T; over.g is the inner one, over.m is T */
static ck_id split_at(pv *prover, const induction *over, ck_id x) {
  ck_id whole = sum_to(prover, over, pv_mul(prover, x, over->m), over->f);
  return pv_eq(prover, whole, sum_to(prover, over, x, over->g));
}

pv_thm pv_derive_sum_split(pv *prover) {
  induction over = induction_over(prover, "G");
  ck_id tile = over.m = pv_int_var(prover, "T");
  ck_id t = pv_int_var(prover, "t");
  ck_id zero = prover->zero;
  ck_id minus = pv_num(prover, -1);
  ck_id place = pv_add(prover, pv_mul(prover, over.k, tile), t);
  over.g = pv_sum(prover, tile, t, pv_apply(prover, "f", place));
  pv_thm tile_nonneg = pv_hyp(prover, pv_ge0(prover, tile));
  ck_id none = pv_mul(prover, zero, tile);
  pv_thm left = pv_zero(prover, sum_to(prover, &over, none, over.f),
                        pv_identity(prover, pv_le(prover, none, zero)));
  pv_thm base = PV_COMBINE(prover, split_at(prover, &over, zero), prover->one, left, minus,
                           empty(prover, sum_to(prover, &over, zero, over.g)));
  /* (j+1)*T = j*T + T: the sum is cut at j*T, and its rest is the last inner sum */
  ck_id before = pv_mul(prover, over.j, tile);
  ck_id bound = pv_mul(prover, over.j_next, tile);
  ck_id before_and_tile = pv_add(prover, before, tile);
  pv_comb comb;
  pv_comb_init(&comb);
  pv_comb_add_product(&comb, prover->one, over.j_nonneg, tile_nonneg);
  pv_thm before_nonneg = pv_comb_prove(prover, &comb, pv_ge0(prover, before));
  pv_thm same_bound = pv_identity(prover, pv_eq(prover, bound, before_and_tile));
  pv_thm rebound = pv_cong(prover, sum_to(prover, &over, bound, over.f),
                           sum_to(prover, &over, before_and_tile, over.f), &same_bound, 1);
  pv_var_sub vars[2] = {{pv_int_var(prover, "m"), before}, {pv_int_var(prover, "n"), tile}};
  pv_thm premises[2] = {before_nonneg, tile_nonneg};
  pv_thm cut = pv_use_lemma(prover, PV_SUM_CONCAT, vars, 2, NULL, 0, premises, 2);
  pv_thm right = unrolled(prover, &over, sum_to(prover, &over, over.j_next, over.g));
  pv_thm step =
      PV_COMBINE(prover, split_at(prover, &over, over.j_next), prover->one, rebound, prover->one,
                 cut, minus, right, prover->one, pv_hyp(prover, split_at(prover, &over, over.j)));
  return by_induction(prover, &over, split_at(prover, &over, over.j), base, step);
}

/* --- the order of two sums; over.m is the bound of k */
static ck_id rows(pv *prover, const induction *over, ck_id x) {
  ck_id i = pv_int_var(prover, "i");
  return pv_sum(prover, x, i, sum_to(prover, over, over->m, pv_apply2(prover, "f2", i, over->k)));
}

static ck_id column(pv *prover, const induction *over, ck_id x) {
  ck_id i = pv_int_var(prover, "i");
  return pv_sum(prover, x, i, pv_apply2(prover, "f2", i, over->k));
}

static ck_id exchange_at(pv *prover, const induction *over, ck_id x) {
  ck_id right = sum_to(prover, over, over->m, column(prover, over, x));
  return pv_eq(prover, rows(prover, over, x), right);
}

pv_thm pv_derive_sum_exchange(pv *prover) {
  induction over = induction_over(prover, "n");
  over.m = pv_int_var(prover, "m");
  ck_id zero = prover->zero;
  ck_id minus = pv_num(prover, -1);
  pv_thm m_nonneg = pv_hyp(prover, pv_ge0(prover, over.m));
  pv_var_sub bound = {over.n, over.m};
  pv_thm none = pv_use_lemma(prover, PV_SUM_ZERO, &bound, 1, NULL, 0, &m_nonneg, 1);
  pv_thm columns = pv_lift_sum(prover, over.m, over.k, empty(prover, column(prover, &over, zero)));
  pv_thm base = PV_COMBINE(prover, exchange_at(prover, &over, zero), prover->one,
                           empty(prover, rows(prover, &over, zero)), minus, columns, minus, none);
  /* row j joins the left side, and element j each column: a sum of sums of two */
  ck_fsub funs[2] = {pv_fun_sub(prover, "f", &over.k, column(prover, &over, over.j)),
                     pv_fun_sub(prover, "g", &over.k, pv_apply2(prover, "f2", over.j, over.k))};
  pv_thm left = unrolled(prover, &over, rows(prover, &over, over.j_next));
  pv_thm longer = pv_lift_sum(prover, over.m, over.k,
                              unrolled(prover, &over, column(prover, &over, over.j_next)));
  pv_thm apart = pv_use_lemma(prover, PV_SUM_ADD, &bound, 1, funs, 2, &m_nonneg, 1);
  pv_thm step =
      PV_COMBINE(prover, exchange_at(prover, &over, over.j_next), prover->one, left, minus, longer,
                 minus, apart, prover->one, pv_hyp(prover, exchange_at(prover, &over, over.j)));
  return by_induction(prover, &over, exchange_at(prover, &over, over.j), base, step);
}

/* --- a sum to the lesser of two bounds, as one to a whose elements from b on are 0 */
typedef struct {
  ck_id a;
  ck_id b;
  ck_id k;
  ck_id f; /* f(k) */
} cut_sum;

/* ite(at < b, f(at), 0) */
static ck_id guarded(pv *prover, const cut_sum *cut, ck_id at) {
  ck_id inside = pv_lt(prover, at, cut->b);
  return ck_ite(prover->terms, inside, pv_apply(prover, "f", at), prover->zero);
}

/* sum(k < n) f = sum(k < n) guarded, from inside: k < b */
static pv_thm all_inside(pv *prover, const cut_sum *cut, ck_id n, pv_thm inside) {
  ck_id guard = guarded(prover, cut, cut->k);
  pv_thm same = pv_sym(prover, pv_law(prover, "ite1", &guard, 1, inside));
  return pv_lift_sum(prover, n, cut->k, same);
}

/* the lemma where a <= b: all elements are there */
static pv_thm not_cut(pv *prover, const cut_sum *cut, ck_id least) {
  pv_thm a_below_b = pv_hyp(prover, pv_le(prover, cut->a, cut->b));
  pv_thm k_below_a = pv_hyp(prover, pv_lt(prover, cut->k, cut->a));
  pv_thm is_a = pv_law(prover, "ite1", &least, 1, a_below_b);
  pv_thm left = pv_cong(prover, pv_sum(prover, least, cut->k, cut->f),
                        pv_sum(prover, cut->a, cut->k, cut->f), &is_a, 1);
  pv_thm inside = PV_COMBINE(prover, pv_lt(prover, cut->k, cut->b), prover->one, k_below_a,
                             prover->one, a_below_b);
  return pv_trans(prover, left, all_inside(prover, cut, cut->a, inside));
}

/* .. and where b < a: those from b on are 0 */
static pv_thm cut_at_b(pv *prover, const cut_sum *cut, ck_id least, pv_thm b_nonneg) {
  ck_id k = cut->k;
  ck_id rest = pv_sub(prover, cut->a, cut->b);
  ck_id both = pv_add(prover, cut->b, rest);
  ck_id after = pv_add(prover, cut->b, k);
  ck_id guard = guarded(prover, cut, k);
  ck_id beyond = guarded(prover, cut, after);
  pv_thm b_below_a = pv_hyp(prover, pv_lt(prover, cut->b, cut->a));
  pv_thm rest_nonneg = PV_COMBINE(prover, pv_ge0(prover, rest), prover->one, b_below_a);
  pv_thm is_b = pv_law(prover, "ite0", &least, 1, b_below_a);
  pv_thm left = pv_cong(prover, pv_sum(prover, least, k, cut->f), pv_sum(prover, cut->b, k, cut->f),
                        &is_b, 1);
  pv_thm first = all_inside(prover, cut, cut->b, pv_hyp(prover, pv_lt(prover, k, cut->b)));
  pv_thm same_bound = pv_identity(prover, pv_eq(prover, cut->a, both));
  pv_thm rebound = pv_cong(prover, pv_sum(prover, cut->a, k, guard), pv_sum(prover, both, k, guard),
                           &same_bound, 1);
  pv_var_sub vars[2] = {{pv_int_var(prover, "m"), cut->b}, {pv_int_var(prover, "n"), rest}};
  ck_fsub fun = pv_fun_sub(prover, "f", &k, guard);
  pv_thm premises[2] = {b_nonneg, rest_nonneg};
  pv_thm apart = pv_use_lemma(prover, PV_SUM_CONCAT, vars, 2, &fun, 1, premises, 2);
  pv_thm outside = PV_COMBINE(prover, pv_le(prover, cut->b, after), prover->one,
                              pv_hyp(prover, pv_ge0(prover, k)));
  pv_thm nothing_there = pv_lift_sum(prover, rest, k, pv_law(prover, "ite0", &beyond, 1, outside));
  pv_thm none = pv_use_lemma(prover, PV_SUM_ZERO, &vars[1], 1, NULL, 0, &rest_nonneg, 1);
  ck_id minus = pv_num(prover, -1);
  ck_id claim = pv_eq(prover, pv_sum(prover, least, k, cut->f), pv_sum(prover, cut->a, k, guard));
  return PV_COMBINE(prover, claim, prover->one, left, prover->one, first, minus, rebound, minus,
                    apart, minus, nothing_there, minus, none);
}

pv_thm pv_derive_sum_min(pv *prover) {
  cut_sum cut = {
      .a = pv_int_var(prover, "a"), .b = pv_int_var(prover, "b"), .k = pv_int_var(prover, "k")};
  cut.f = pv_apply(prover, "f", cut.k);
  ck_id least = pv_min2(prover, cut.a, cut.b);
  pv_thm b_nonneg = pv_hyp(prover, pv_ge0(prover, cut.b));
  pv_thm whole = not_cut(prover, &cut, least);
  pv_thm part = cut_at_b(prover, &cut, least, b_nonneg);
  return whole == PV_NONE || part == PV_NONE
             ? PV_NONE
             : pv_cases(prover, pv_le(prover, cut.a, cut.b), whole, part);
}
