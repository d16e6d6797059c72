/* Lemmas: derived from the rules at most once per certificate, when first wanted, and instantiated
 * ever after (proofs/RULES.md section 7 has the list).  Includes the rules.
 *
 * A lemma is one row: its name, the function that derives it (pv_derive_ and the second column),
 * and what it says.  x, y, c are real variables, n, m, G, T, a, b, q, r integer ones, f and g
 * functions from integers to reals, f2 one of two integers, h one of a real; what stands left of
 * the colon are the hypotheses, which are premises of an instance.  To add one, write the row and
 * the function. */
#ifndef AS_PV_LEMMA_H
#define AS_PV_LEMMA_H
#include "pv_log.h"

#define PV_LEMMA_TABLE(ROW)                                                                        \
  /* sums: lemma_sums.c */                                                                         \
  ROW(SUM_SCALE, sum_scale, "0 <= n: sum(k < n) c*f(k) = c * sum(k < n) f(k)")                     \
  ROW(SUM_ADD, sum_add, "0 <= n: sum(k < n) f(k)+g(k) = sum(k < n) f(k) + sum(k < n) g(k)")        \
  ROW(SUM_ONE, sum_one, "0 <= n: sum(k < n) 1 = n")                                                \
  ROW(SUM_ZERO, sum_zero, "0 <= n: sum(k < n) 0 = 0")                                              \
  ROW(SUM_INDEX, sum_index, "0 <= n: sum(k < n) k = n*(n-1)/2")                                    \
  ROW(SUM_FROM, sum_from, "0 <= n: fold(n; b; s + f(k)) = b + sum(k < n) f(k)")                    \
  ROW(SUM_CONCAT, sum_concat,                                                                      \
      "0 <= m, 0 <= n: sum(k < m+n) f(k) = sum(k < m) f(k) + sum(k < n) f(m+k)")                   \
  ROW(SUM_SPLIT, sum_split,                                                                        \
      "0 <= G, 0 <= T: sum(k < G*T) f(k) = sum(g < G) sum(t < T) f(g*T + t)")                      \
  ROW(SUM_EXCHANGE, sum_exchange,                                                                  \
      "0 <= n, 0 <= m: sum(i < n) sum(k < m) f2(i,k) = sum(k < m) sum(i < n) f2(i,k)")             \
  ROW(SUM_REVERSE, sum_reverse, "0 <= n: sum(k < n) f(k) = sum(k < n) f(n-1-k)")                   \
  ROW(SUM_MIN, sum_min, "0 <= b: sum(k < min2(a,b)) f(k) = sum(k < a) ite(k < b, f(k), 0)")        \
  /* reals: lemma_reals.c, roots.c */                                                              \
  ROW(EXP0, exp0, "exp 0 = 1")                                                                     \
  ROW(EXP_POS, exp_pos, "0 < exp x")                                                               \
  ROW(EXP_NEG, exp_neg, "exp x * exp(-x) = 1")                                                     \
  ROW(EXP_INJ, exp_inj, "exp x = exp y: x = y")                                                    \
  ROW(INV_NE, inv_ne, "x # 0: inv x # 0")                                                          \
  ROW(INV_POS, inv_pos, "0 < x: 0 < inv x")                                                        \
  ROW(INV_MUL, inv_mul, "x # 0, y # 0: inv(x*y) = inv x * inv y")                                  \
  ROW(INV_INV, inv_inv, "x # 0: inv(inv x) = x")                                                   \
  ROW(NZ_LEFT, nz_left, "x*y # 0: x # 0")                                                          \
  ROW(NZ_RIGHT, nz_right, "x*y # 0: y # 0")                                                        \
  ROW(SQRT_POS, sqrt_pos, "0 < x: 0 < sqrt x")                                                     \
  ROW(SQRT_OF, sqrt_of, "0 <= y, y*y = x: sqrt x = y")                                             \
  ROW(LOG_OF, log_of, "0 < x, exp y = x: log x = y")                                               \
  ROW(SQUARE, square, "0 <= x*x")                                                                  \
  ROW(UNIT, unit, "x*x <= 1: x <= 1")                                                              \
  /* sine and cosine: lemma_trig.c */                                                              \
  ROW(SIN0, sin0, "sin 0 = 0")                                                                     \
  ROW(COS0, cos0, "cos 0 = 1")                                                                     \
  ROW(SIN_NEG, sin_neg, "sin(-x) = -sin x")                                                        \
  ROW(COS_NEG, cos_neg, "cos(-x) = cos x")                                                         \
  /* the order: lemma_order.c */                                                                   \
  ROW(EXP_ORDER, exp_order, "x <= y: exp x <= exp y")                                              \
  ROW(LOG_ORDER, log_order, "0 < x, x <= y: log x <= log y")                                       \
  ROW(SQRT_ORDER, sqrt_order, "0 <= x, x <= y: sqrt x <= sqrt y")                                  \
  ROW(EXP_STRICT, exp_strict, "x < y: exp x < exp y")                                              \
  ROW(LOG_STRICT, log_strict, "0 < x, x < y: log x < log y")                                       \
  ROW(SQRT_STRICT, sqrt_strict, "0 <= x, x < y: sqrt x < sqrt y")                                  \
  ROW(INV_ORDER, inv_order, "0 < x, x <= y: inv y <= inv x")                                       \
  ROW(RELU_ORDER, relu_order, "x <= y: relu x <= relu y")                                          \
  /* integers: lemma_ints.c */                                                                     \
  ROW(INT_SQUARE, int_square, "n <= n*n")                                                          \
  ROW(DIVMOD, divmod, "0 <= r, r < b, a = b*q + r: a div b = q")                                   \
  ROW(DIV_LO, div_lo, "0 < b, 0 <= a: 0 <= a div b")                                               \
  ROW(DIV_HI, div_hi, "0 < b, a < c*b: a div b < c")                                               \
  /* folds in which few rounds change anything: lemma_loops.c */                                   \
  ROW(KEEP, keep, "fold(n; b; s) = b")                                                             \
  ROW(LAST, last, "fold(n; b; f(k)) = ite(0 < n, f(n - 1), b)")                                    \
  ROW(SELECT, select,                                                                              \
      "fold(n; b; ite(k = q, f(k, s), s)) = ite(0 <= q, ite(q < n, f(q, b), b), b)")               \
  /* maxima: maxlaws.c, maxcut.c */                                                                \
  ROW(MAX_CONCAT, max_concat,                                                                      \
      "0 <= m, 0 <= q: max(k < m+(q+1)) f(k) = max2(max(k < m) f(k), max(k < q+1) f(m+k))")        \
  ROW(MAX_SPLIT, max_split, "0 < G, 0 < T: max(g < G) max(t < T) f(g*T + t) = max(k < G*T) f(k)")  \
  ROW(MAX_CUT, max_cut,                                                                            \
      "0 <= g, 0 < T, g*T < D, D <= g*T+T: max(l < g+1) max(t < min2(T, D-l*T)) f(l*T + t) = "     \
      "max(k < D) f(k)")                                                                           \
  ROW(MAX_ADD, max_add, "max(k < n) f(k)+x = max(k < n) f(k) + x")                                 \
  ROW(MAX_SCALE, max_scale, "0 <= x: max(k < n) x*f(k) = x * max(k < n) f(k)")                     \
  ROW(MAX_EXP, max_exp, "max(k < n) exp f(k) = exp max(k < n) f(k)")                               \
  ROW(MAX_RELU, max_relu, "max(k < n) relu f(k) = relu max(k < n) f(k)")                           \
  ROW(MAX_NRELU, max_nrelu, "max(k < n) -relu(-f(k)) = -relu(-max(k < n) f(k))")                   \
  ROW(MAX_FIRST, max_first, "0 <= n: f(0) <= max(k < n) f(k)")                                     \
  ROW(MAX_GE, max_ge, "0 <= i, i < n: f(i) <= max(k < n) f(k)")                                    \
  ROW(MAX_CONST, max_const, "max(k < n) x = x")                                                    \
  ROW(MAX_REVERSE, max_reverse, "0 < n: max(k < n) f(k) = max(k < n) f(n-1-k)")                    \
  ROW(MAX_SWAP, max_swap,                                                                          \
      "0 < n, 0 < m: max(i < n) max(k < m) f2(i,k) = max(k < m) max(i < n) f2(i,k)")               \
  ROW(MAX_JOIN, max_join, "max(k < n) max2(f(k), g(k)) = max2(max(k < n) f(k), max(k < n) g(k))")  \
  ROW(MAX_IMAGE, max_image, "0 <= n: h(max(k < n) f(k)) <= max(k < n) h(f(k))")                    \
  ROW(MAX_WINDOWS, max_windows,                                                                    \
      "0 < n, 0 < m: max(i < n) max(k < m) f(i + k) = max(k < n+m-1) f(k)")                        \
  ROW(MIN_MAX, min_max, "0 <= n: min(k < n) f(k) = -max(k < n) -f(k)")                             \
  /* products over a range: prods.c, lemma_prods.c */                                              \
  ROW(PROD_MUL, prod_mul, "0 <= n: prod(k < n) f(k)*g(k) = prod(k < n) f(k) * prod(k < n) g(k)")   \
  ROW(PROD_EXP, prod_exp, "0 <= n: prod(k < n) exp f(k) = exp(sum(k < n) f(k))")                   \
  ROW(PROD_ONE, prod_one, "0 <= n: prod(k < n) 1 = 1")                                             \
  ROW(PROD_CONCAT, prod_concat,                                                                    \
      "0 <= m, 0 <= n: prod(k < m+n) f(k) = prod(k < m) f(k) * prod(k < n) f(m+k)")

typedef enum {

#define ROW(name, derivation, statement) PV_##name,
  PV_LEMMA_TABLE(ROW)
#undef ROW
      PV_LEMMAS
} pv_lemma_id;

#define ROW(name, derivation, statement) pv_thm pv_derive_##derivation(pv *p);
PV_LEMMA_TABLE(ROW)
#undef ROW

pv_thm pv_lemma(pv *prover, pv_lemma_id lemma); /* the lemma itself; PV_NONE: the effort is spent */
const char *pv_lemma_says(pv_lemma_id lemma);
/* an instance of it */
pv_thm pv_use_lemma(pv *prover, pv_lemma_id lemma, const pv_var_sub *vars, uint32_t nv,
                    const ck_fsub *funs, uint32_t nf, const pv_thm *ps, uint32_t np);
/* an instance of a lemma about reals x and y; second PV_REFL: it has one premise */
pv_thm pv_lemma_xy(pv *prover, pv_lemma_id lemma, ck_id x, ck_id y, pv_thm first, pv_thm second);
/* dividend div divisor = quotient, from 0 <= rest, rest < divisor, dividend = divisor*quotient +
 * rest
 */
pv_thm pv_divided(pv *prover, ck_id dividend, ck_id divisor, ck_id quotient, ck_id rest,
                  const pv_thm premises[3]);
/* from s: f = g, where k and its range may be used:  sum(k<n) f = sum(k<n) g */
pv_thm pv_lift_sum(pv *prover, ck_id n, ck_id k, pv_thm thm);

pv_thm pv_lift_prod(pv *prover, ck_id n, ck_id k, pv_thm thm); /* prod(k<n) f = prod(k<n) g */

/* increasing functions that a maximum goes through */
typedef enum {
  PV_THROUGH_ADD,
  PV_THROUGH_SCALE,
  PV_THROUGH_EXP,
  PV_THROUGH_RELU,
  PV_THROUGH_NRELU
} pv_max_way;

/* of one claim about folds with bound n: from its proofs for 0 <= n and for n < 0 */
pv_thm pv_at_any_bound(pv *prover, ck_id n, pv_thm some, pv_thm none);
/* n <= 0 from n < 0: the premise of `zero` for the second one */
pv_thm pv_below_zero_is_none(pv *prover, ck_id n);

ck_id pv_max_through_term(pv *prover, pv_max_way way, ck_id x, ck_id a);
#endif
