/* Inside of the prover: its state, the logged rules, term builders, facts, normal forms.  Includes
 * the checker's rules and base. Called by the files of verify/prove only.
 *
 * Conventions.  A theorem is a step number; PV_NONE stands for "no proof" and is contagious: a rule
 * given PV_NONE gives PV_NONE, so that chains need one test at their end.  An equation `eqn` says "the term
 * asked about equals t by step s"; s is PV_REFL when t is the term itself. */
#ifndef AS_PV_H
#define AS_PV_H
#include "proofs/checker/ck_rules.h"
#include "src/base/base.h"

#define PV_NONE UINT32_MAX
#define PV_REFL                                                                                       \
  (UINT32_MAX - 1) /* "nothing to prove": sides are identical; accepted pv_comb pv_trans, pv_comb_add only   \
                    */

typedef struct {
  uint64_t key1;
  uint64_t key2;
  uint64_t value;
  bool used;
} pv_slot;

typedef struct {
  pv_slot *slot;
  size_t capacity;
  size_t count;
} pv_map;

bool pv_map_get(const pv_map *m, uint64_t k1, uint64_t k2, uint64_t *val);
void pv_map_put(pv_map *m, uint64_t k1, uint64_t k2, uint64_t val);
void pv_map_clear(pv_map *m);

typedef struct {
  ck_id to;
  pv_thm by;
} pv_eqn;

typedef enum {
  PV_RULE_HYP,
  PV_RULE_USE,
  PV_RULE_INST,
  PV_RULE_CASES,
  PV_RULE_CONG,
  PV_RULE_FOLDCONG,
  PV_RULE_ARITH,
  PV_RULE_ANTISYM,
  PV_RULE_INT,
  PV_RULE_LAW,
  PV_RULE_ZERO,
  PV_RULE_SUCC,
  PV_RULE_INDUCT,
  PV_RULES
} pv_rule;

typedef struct {
  uint32_t rule;
  size_t first;
  size_t count;
} pv_step;

typedef struct {
  uint32_t kind;
  uint32_t value;
} pv_token; /* 't' 's' '=' '\'' '|' ',' */

/* a context: a chain of hypotheses; binders bring a variable `var` with its two range facts */
typedef struct {
  pv_ctx parent;
  ck_id formula;
  pv_thm thm;
  ck_id var;
  uint32_t level;
  uint32_t depth;
} pv_assumption;

typedef enum {
  PV_SUM_SCALE,
  PV_SUM_ADD,
  PV_SUM_ONE,
  PV_SUM_ZERO,
  PV_SUM_CONCAT,
  PV_SUM_SPLIT,
  PV_SUM_EXCHANGE,
  PV_EXP0,
  PV_EXP_POS,
  PV_EXP_NEG,
  PV_INV_NE,
  PV_INV_POS,
  PV_INV_MUL,
  PV_INV_INV,
  PV_SQRT_POS,
  PV_SQUARE,
  PV_DIVMOD,
  PV_DIV_LO,
  PV_DIV_HI,
  PV_NZ_LEFT,
  PV_NZ_RIGHT,
  PV_MAX_CONCAT,
  PV_MAX_SPLIT,
  PV_MAX_ADD,
  PV_MAX_SCALE,
  PV_MIN_MAX,
  PV_MAX_FIRST,
  PV_PROD_MUL,
  PV_PROD_ONE,
  PV_PROD_CONCAT,
  PV_MAX_EXP,
  PV_MAX_RELU,
  PV_MAX_NRELU,
  PV_MAX_SWAP,
  PV_SUM_INDEX,
  PV_INT_SQUARE,
  PV_MAX_CONST,
  PV_MAX_GE,
  PV_MAX_REVERSE,
  PV_SUM_REVERSE,
  PV_EXP_INJ,
  PV_LOG_OF,
  PV_SQRT_OF,
  PV_LEMMAS
} pv_lemma_id;

typedef struct pv {
  ck_terms *terms;
  ck_proof *proof;
  as_vec steps;
  as_vec tokens;
  as_vec scratch; /* pv_step, pv_tok */
  pv_map step_memo;
  pv_map norm_memo;
  pv_map ctx_memo;
  pv_map rel_memo;
  pv_map cmp_memo;
  pv_map misc_memo;
  pv_map inst_memo;
  as_vec ctxs; /* pv_ctx; 0 is the empty context */
  pv_thm lemmas[PV_LEMMAS];
  bool lemmas_busy[PV_LEMMAS];
  uint32_t max_steps;
  uint64_t work;
  uint64_t max_work; /* steps; units of about 10 ns, by what was done: both bound the effort,
                        neither reads a clock */
  bool cut; /* a side condition was given up because it was already being asked: do not remember the
               failure */
  ck_id zero;
  ck_id one;
  as_vec fact_busy; /* uint64_t: hypotheses being normalised */
  as_vec owned;     /* void *: freed at the end */
  uint32_t fuel;
  uint32_t depth;
  uint32_t tightened; /* how often that was sought for this goal */
  bool cofactors;     /* lp.c: signs of cofactors are being asked for */
  bool too_deep;      /* a term nested deeper than normal forms are made was met */
} pv;

void pv_init(pv *p, ck_terms *T, uint32_t max_steps);
void pv_clear(pv *p);
bool pv_spent(const pv *p);

/* --- log.c: the rules, logged */
typedef struct {
  ck_id coef;
  const pv_thm *premises;
  uint32_t count;
} pv_summand;

typedef struct {
  ck_id var;
  ck_id term;
} pv_var_sub;

pv_thm pv_hyp(pv *p, ck_id f);
pv_thm pv_use(pv *p, pv_thm s, const ck_id *ts, uint32_t nt, const pv_thm *ps, uint32_t np);
/* premises that discharge nothing are left out */
pv_thm pv_inst(pv *p, pv_thm s, const pv_var_sub *vs, uint32_t nv, const ck_fsub *fs, uint32_t nf,
                const pv_thm *ps, uint32_t np);
pv_thm pv_cases(pv *p, ck_id c, pv_thm a, pv_thm b);
pv_thm pv_cong(pv *p, ck_id a, ck_id b, const pv_thm *ps, uint32_t np);
pv_thm pv_foldcong(pv *p, ck_id a, ck_id b, const ck_id *vars, uint32_t nv, const pv_thm *ps,
                    uint32_t np);
pv_thm pv_arith(pv *p, ck_id f, const pv_summand *sums, uint32_t n);
pv_thm pv_antisym(pv *p, pv_thm a, pv_thm b);
pv_thm pv_int(pv *p, ck_id f, pv_thm a);
pv_thm pv_law(pv *p, const char *name, const ck_id *ts, uint32_t nt,
               pv_thm prem); /* prem PV_NONE: none wanted */
pv_thm pv_zero(pv *p, ck_id t, pv_thm a);
pv_thm pv_succ(pv *p, ck_id t, ck_id k, pv_thm a);
pv_thm pv_induct(pv *p, ck_id k, ck_id n, uint32_t j, const ck_id *fs, const pv_thm *base,
                  const pv_thm *step, uint32_t r, pv_thm a);
ck_id pv_says(const pv *p, pv_thm s);
ck_id pv_left(const pv *p, pv_thm s);
ck_id pv_right(const pv *p, pv_thm s);
/* the certificate of goals[i] proved by proof[i]; malloc'ed */
char *pv_certificate(pv *p, const char *const *names, const pv_thm *proof, uint32_t n,
                      size_t *len, uint32_t *steps, uint32_t *terms);

/* --- build.c: terms, small derived steps */
ck_id pv_add(pv *p, ck_id a, ck_id b);
ck_id pv_mul(pv *p, ck_id a, ck_id b);
ck_id pv_sub(pv *p, ck_id a, ck_id b); /* a + (-1)*b */
ck_id pv_neg(pv *p, ck_id a);
ck_id pv_num(pv *p, long n);
ck_id pv_unary(pv *p, ck_op o, ck_id a);
ck_id pv_rel(pv *p, ck_op o, ck_id a, ck_id b);
ck_id pv_sum(pv *p, ck_id n, ck_id k, ck_id body); /* sum over k < n; k a variable */
ck_id pv_fold1(pv *p, ck_id n, ck_id init, ck_id k, ck_id acc,
              ck_id step); /* width 1, variables closed here */
ck_id pv_max2(pv *p, ck_id a, ck_id b);
bool pv_is_const(pv *p, ck_id t);
bool pv_is_zero(pv *p, ck_id t);
bool pv_is_one(pv *p, ck_id t);
bool pv_is_sum(pv *p, ck_id t);             /* fold 0 1 n 0 (acc + f), f free of acc */
ck_id pv_sum_body(pv *p, ck_id t, ck_id k); /* f opened at k */
bool pv_is_max(pv *p, ck_id t,
            ck_id *f); /* fold 0 1 n f[0] ite(acc <= f, f, acc); *f: under 2 binders */
ck_id pv_max_body(pv *p, ck_id t, ck_id k);
ck_id pv_const_add(pv *p, ck_id a, ck_id b);
ck_id pv_const_mul(pv *p, ck_id a, ck_id b);
ck_id pv_const_inv(pv *p, ck_id a);
int pv_const_sign(pv *p, ck_id a);
pv_thm pv_refl(pv *p, ck_id a);
pv_thm pv_sym(pv *p, pv_thm s);
pv_thm pv_trans(pv *p, pv_thm a, pv_thm b); /* PV_REFL allowed */
pv_eqn pv_then(pv *p, pv_eqn a, pv_eqn b);                 /* x = a.t by a, a.t = b.t by b */
pv_thm pv_restate(pv *p, ck_id f,
                pv_thm s); /* f has the same value polynomial as the theorem s, same relation */
pv_thm pv_scaled(pv *p, ck_id f, ck_id c, pv_thm s);
pv_thm pv_identity(pv *p, ck_id f); /* no premises */
pv_thm pv_by_value(pv *p, ck_id f);  /* f about constants: one constant summand */
pv_thm pv_use_lemma(pv *p, pv_lemma_id l, const pv_var_sub *vs, uint32_t nv, const ck_fsub *fs, uint32_t nf,
                 const pv_thm *ps, uint32_t np);
pv_thm pv_from_zero_is_one(pv *p, ck_id f, pv_thm one);    /* one: 0 = 1 */
pv_thm pv_from_zero_below_zero(pv *p, ck_id f, pv_thm lt); /* lt: 0 < 0 */
pv_thm pv_from_zero_differs(pv *p, ck_id f, pv_thm ne);   /* ne: 0 # 0 */
int pv_order(pv *p, ck_id a, ck_id b); /* structural order, the same whatever the numbers are */

/* sums of steps: by_start, by_add.., by_end proves f by arith */
typedef struct {
  as_vec summands;
  as_vec premises;
} pv_comb;

void pv_comb_init(pv_comb *b);
void pv_comb_add(pv_comb *b, ck_id coef, pv_thm prem); /* PV_REFL and zero coefficient are left out */
void pv_comb_add_product(pv_comb *b, ck_id coef, pv_thm p1, pv_thm p2);
pv_thm pv_comb_prove(pv *p, pv_comb *b, ck_id f);
void pv_comb_clear(pv_comb *b);

/* --- poly.c: polynomials as lists of monomials over atoms; coefficients are constant terms */
typedef struct {
  ck_id coef;
  uint32_t degree;
  ck_id *atoms;
} pv_mono; /* atoms sorted by number */

typedef struct {
  pv_mono *monos;
  uint32_t count;
  uint32_t capacity;
} pv_poly;

void pv_poly_init(pv_poly *f);
void pv_poly_clear(pv_poly *f);
void pv_poly_read(pv *p, pv_poly *f, ck_id t); /* f becomes the polynomial of t */
void pv_poly_add_mono(pv *p, pv_poly *f, ck_id q, const ck_id *a, uint32_t n);
void pv_poly_add(pv *p, pv_poly *f, const pv_poly *g, ck_id scale);
void pv_poly_mul_mono(pv *p, pv_poly *f, const pv_poly *g, ck_id q, const ck_id *a,
                   uint32_t n);        /* f = g * q*a */
ck_id pv_poly_term(pv *p, const pv_poly *f); /* canonical term: sorted structurally */
ck_id pv_mono_term(pv *p, ck_id q, const ck_id *a, uint32_t n); /* sorted structurally */
bool pv_mono_has(const pv_mono *m, ck_id a);
int pv_mono_div(const ck_id *a, uint32_t na, const ck_id *b, uint32_t nb,
             ck_id *rest);   /* b divides a: number of atoms of the rest, else -1 */
ck_id pv_canon(pv *p, ck_id t); /* canonical term of the polynomial of t */

/* --- ctx.c */
pv_ctx pv_ctx_push(pv *p, pv_ctx cx, ck_id formula, ck_id var);
pv_ctx pv_ctx_know(pv *p, pv_ctx cx, pv_thm s); /* with a theorem that follows from cx */
pv_ctx pv_ctx_assume(pv *p, pv_ctx cx, ck_id c);  /* assume.c: c and the equations that it makes */
pv_ctx pv_ctx_refresh(pv *p,
                    pv_ctx cx); /* orders in the normal form that new equations give them */
/* s: d divides x; cx with x = d*q, q new; back: that with q = x div d */
pv_ctx pv_ctx_quotient(pv *p, pv_ctx cx, pv_thm s, ck_id *q, pv_thm *back);
pv_ctx
pv_ctx_tighten(pv *p, pv_ctx cx); /* one more equation, sought with more effort; cx: there is none */
pv_ctx pv_ctx_derive(pv *p,
                   pv_ctx cx); /* the equations that the hypotheses make among themselves */
pv_ctx pv_ctx_bind(pv *p, pv_ctx cx, ck_id n,
                 ck_id *k); /* a new counter 0 <= k < n; gives its variable */
ck_id pv_level_var(pv *p, uint32_t level);
ck_id pv_state_var(pv *p, uint32_t level, uint32_t q);
pv_ctx pv_ctx_strip(pv *p, pv_ctx cx, ck_id t); /* the least context that t needs */
pv_thm pv_ctx_find(pv *p, pv_ctx cx, ck_id formula);
#define CX(p, c) AS_VEC_AT(&(p)->ctxs, pv_assumption, (c))

/* --- side.c: relations from the context */
pv_thm pv_follows(pv *p, pv_ctx cx, ck_id f); /* proves relation f or PV_NONE */
pv_thm pv_follows_int(pv *p, pv_ctx cx,
                  ck_id f); /* the same for integers, by bounds of the variables */
pv_thm pv_follows_int_within(pv *p, pv_ctx cx, ck_id f, uint32_t effort);
ck_id pv_poly_quotient(pv *p, ck_id a, ck_id b); /* a / b for a monomial b, or CK_BAD */
ck_id pv_size_quotient(pv *p, pv_ctx cx, ck_id n,
                    ck_id b); /* c with n = c*b under the equations of the context, or CK_BAD */
pv_thm pv_nonzero(pv *p, pv_ctx cx, ck_id x);                  /* x # 0, x in normal form */
pv_thm pv_positive(pv *p, pv_ctx cx, ck_id x);                 /* 0 < x */
pv_thm pv_nonneg(pv *p, pv_ctx cx, ck_id x);                   /* 0 <= x */
pv_thm pv_positive_of_nonzero(pv *p, ck_id x, pv_thm ge, pv_thm nz); /* 0 < x from 0 <= x and x # 0 */
pv_thm
pv_fact_match(pv *p, pv_ctx cx, ck_op rel,
           ck_id x); /* `x # 0`, `0 <= x`, `0 < x` out of the hypotheses, up to normal form */

pv_thm pv_tighten(pv *p,
               pv_thm s); /* the strict integer fact a < b as a + 1 <= b, others as they are */
pv_thm pv_by_clause(pv *p, pv_ctx cx, ck_id f); /* clauses.c: f as the conclusion of a clause */
ck_id pv_clause_cond(
    pv *p, pv_ctx cx,
    ck_id f); /* an undecided condition of a clause that would conclude f; CK_BAD: none */
uint32_t pv_clause_instances(pv *p, pv_ctx cx, pv_thm h, ck_id t, pv_thm *out,
                          uint32_t max); /* clause h at arguments that t has; how many */
pv_thm
pv_fact_normal(pv *p, pv_ctx cx, pv_thm s,
            ck_id *nf); /* theorem s as `nf # 0`, `0 <= nf`, `0 < nf`, `0 = nf` with nf normal */

/* --- lp.c */
pv_thm pv_lp_prove(pv *p, pv_ctx cx,
                  ck_id f); /* f by a positive combination of hypotheses, and of products of two */
pv_thm pv_lp_prove_within(
    pv *p, pv_ctx cx,
    ck_id f); /* the same with counters that f does not mention: their ranges are not empty */
pv_thm pv_lp_contradiction(pv *p, pv_ctx cx); /* 0 < 0 from the hypotheses of the context */

/* --- norm.c, sums.c, folds.c: normal forms */
pv_eqn pv_norm(pv *p, pv_ctx cx, ck_id t);
bool pv_occurs(pv *p, ck_id t, ck_id x); /* x is t or inside of it */
bool pv_too_big(pv *p, ck_id t);         /* t is larger, written out, than walks over terms may be */
void pv_mark_normal(pv *p, pv_ctx cx, ck_id t);  /* remembers that t is normal */
pv_eqn pv_norm_poly(pv *p, pv_ctx cx, ck_id t); /* t: polynomial over atoms that are normal already */
pv_eqn pv_norm_sum(pv *p, pv_ctx cx, ck_id t);
bool pv_is_prod(pv *p, ck_id t, ck_id *f); /* prods.c: fold 0 1 n 1 (acc * f), f at $$k */
pv_eqn pv_norm_prod(pv *p, pv_ctx cx, ck_id t);
pv_eqn pv_cut_prod(
    pv *p, pv_ctx cx, ck_id t,
    ck_id m); /* the product t as one up to m times the rest; fails unless 0 <= m <= n is known */
pv_eqn pv_norm_ite(pv *p, pv_ctx cx, ck_id t);
pv_eqn pv_norm_div(pv *p, pv_ctx cx, ck_id t); /* quot.c; kids normal */
pv_eqn pv_norm_log(pv *p, pv_ctx cx, ck_id t); /* roots.c; argument normal */
pv_eqn pv_norm_sqrt(pv *p, pv_ctx cx, ck_id t);
uint32_t pv_poly_content(
    pv *p, ck_id u, ck_id *f,
    uint32_t max); /* factors of u: leading coefficient, common atoms, primitive rest; 0: nothing */
uint32_t
pv_normal_factors(pv *p, pv_ctx cx, ck_id u, ck_id *f,
               uint32_t max); /* the same with the rest normal; f[0] = u, 1 if nothing comes out */
pv_eqn pv_cut_sum(
    pv *p, pv_ctx cx, ck_id t,
    ck_id m); /* the sum t as a sum up to m and the rest; fails unless 0 <= m <= n is known */
pv_eqn pv_norm_fold(pv *p, pv_ctx cx, ck_id t);
pv_eqn pv_join_max(pv *p, pv_ctx cx, ck_id t, ck_id n, ck_id init, ck_id k,
             ck_id body);                           /* maxlaws.c: constants out, tiles joined */
ck_id pv_max(pv *p, ck_id n, ck_id k, ck_id body); /* max over k < n of body, base the body at 0 */
pv_thm pv_max_same(pv *p, ck_id a);                   /* max2(a, a) = a */
pv_thm pv_then_rewrite(pv *p, pv_thm s, const pv_thm *st,
                    uint32_t n); /* s with its right side rewritten by the equations st */
pv_eqn pv_range_max(pv *p, pv_ctx cx, ck_id t, ck_id n, ck_id init, ck_id k, ck_id body); /* maxcut.c */
pv_eqn pv_monotone_max(pv *p, pv_ctx cx, ck_id t, ck_id n, ck_id init, ck_id k, ck_id body);
pv_thm pv_max_le(pv *p, ck_id n, ck_id k, ck_id body, ck_id c, pv_thm np, pv_thm s);
bool pv_runs_backwards(pv *p, pv_ctx cx, ck_id n, ck_id k,
                    ck_id body);                 /* cuts.c: n-1-k is the better counter */
pv_thm pv_max_first(pv *p, pv_ctx cx, ck_id t); /* f(0) <= max(k < n) f */
pv_eqn pv_min_as_max(pv *p, pv_ctx cx, ck_id t, ck_id n, ck_id init, ck_id k, ck_id f);
pv_eqn pv_index_canon(pv *p, ck_id t); /* canonical integer arguments only */
pv_eqn pv_rewrite(pv *p, ck_id t, const ck_id *from, const pv_thm *steps,
            uint32_t n);                                /* closed subterms by equations */
pv_thm pv_lift_sum(pv *p, ck_id n, ck_id k, pv_thm s); /* f = g  gives  sum(k<n) f = sum(k<n) g */

/* --- cuts.c */
/* an undecided condition on which the form of a fold or a quotient in t depends; CK_BAD: none */
ck_id pv_range_cond(pv *p, pv_ctx cx, ck_id t);
uint32_t pv_cut_places(pv *p, ck_id body, ck_id k, ck_id *m,
                    uint32_t max);            /* where conditions on k change their value */
ck_id pv_block_size(pv *p, ck_id body, ck_id k); /* b where body has k div b; CK_BAD: none */

ck_id pv_rest_of_division(pv *p, ck_id a,
                       ck_id b); /* quot.c: r of a = b*q + r, for a q other than 0; CK_BAD: none */

/* --- eq.c */
pv_thm pv_prove_eq(pv *p, pv_ctx cx, ck_id a, ck_id b, uint32_t depth);
pv_thm pv_prove_goal(pv *p, pv_ctx cx, ck_id f);

/* --- lemma.c */
pv_thm pv_lemma(pv *p, pv_lemma_id l);
pv_thm pv_derive_max_concat(pv *p); /* maxlaws.c */
pv_thm pv_derive_max_split(pv *p);

typedef enum { PV_THROUGH_ADD, PV_THROUGH_SCALE, PV_THROUGH_EXP, PV_THROUGH_RELU, PV_THROUGH_NRELU } pv_max_way;

pv_thm pv_derive_max_through(pv *p, pv_max_way way);
ck_id pv_max_through_term(pv *p, pv_max_way way, ck_id x, ck_id a);
pv_thm pv_derive_max_swap(pv *p);
pv_thm pv_derive_prod_mul(pv *p); /* prods.c */
pv_thm pv_derive_prod_one(pv *p);
pv_thm pv_derive_prod_concat(pv *p);
pv_thm pv_derive_min_max(pv *p);
pv_thm pv_derive_max_first(pv *p);
pv_thm pv_derive_max_const(pv *p); /* maxcut.c */
pv_thm pv_derive_max_ge(pv *p);
pv_thm pv_derive_max_reverse(pv *p);
pv_thm pv_derive_exp_inj(pv *p); /* roots.c */
pv_thm pv_derive_log_of(pv *p);
pv_thm pv_derive_sqrt_of(pv *p);
#endif
