/* Inside of the prover: its state, the logged rules, term builders, facts, normal forms.  Includes
 * the checker's rules and base. Called by the files of verify/prove only.
 *
 * Conventions.  A theorem is a step number; NO stands for "no proof" and is contagious: a rule
 * given NO gives NO, so that chains need one test at their end.  An equation `eqn` says "the term
 * asked about equals t by step s"; s is REFL when t is the term itself. */
#ifndef AS_PV_H
#define AS_PV_H
#include "proofs/checker/ck_rules.h"
#include "src/base/base.h"

#define NO UINT32_MAX
#define REFL                                                                                       \
  (UINT32_MAX - 1) /* "nothing to prove": sides are identical; accepted by eq_trans, by_add only   \
                    */

typedef struct {
  uint64_t k1;
  uint64_t k2;
  uint64_t val;
  bool used;
} pv_slot;

typedef struct {
  pv_slot *slot;
  size_t cap;
  size_t n;
} pv_map;

bool map_get(const pv_map *m, uint64_t k1, uint64_t k2, uint64_t *val);
void map_put(pv_map *m, uint64_t k1, uint64_t k2, uint64_t val);
void map_clear(pv_map *m);

typedef struct {
  ck_id t;
  uint32_t s;
} eqn;

typedef enum {
  R_HYP,
  R_USE,
  R_INST,
  R_CASES,
  R_CONG,
  R_FOLDCONG,
  R_ARITH,
  R_ANTISYM,
  R_INT,
  R_LAW,
  R_ZERO,
  R_SUCC,
  R_INDUCT,
  N_RULES
} pv_rule;

typedef struct {
  uint32_t rule;
  size_t off;
  size_t len;
} pv_step;

typedef struct {
  uint32_t kind;
  uint32_t val;
} pv_tok; /* 't' 's' '=' '\'' '|' ',' */

/* a context: a chain of hypotheses; binders bring a variable `var` with its two range facts */
typedef struct {
  uint32_t parent;
  ck_id formula;
  uint32_t step;
  ck_id var;
  uint32_t level;
  uint32_t depth;
} pv_ctx;

typedef enum {
  L_SUM_SCALE,
  L_SUM_ADD,
  L_SUM_ONE,
  L_SUM_ZERO,
  L_CONCAT,
  L_SPLIT,
  L_EXCHANGE,
  L_EXP0,
  L_EXP_POS,
  L_EXP_NEG,
  L_INV_NE,
  L_INV_POS,
  L_INV_MUL,
  L_INV_INV,
  L_SQRT_POS,
  L_SQUARE,
  L_DIVMOD,
  L_DIV_LO,
  L_DIV_HI,
  L_NZ_LEFT,
  L_NZ_RIGHT,
  L_MAX_CONCAT,
  L_MAX_SPLIT,
  L_MAX_ADD,
  L_MAX_SCALE,
  L_MIN_MAX,
  L_MAX_FIRST,
  L_PROD_MUL,
  L_PROD_ONE,
  L_PROD_CONCAT,
  L_MAX_EXP,
  L_MAX_RELU,
  L_MAX_NRELU,
  L_MAX_SWAP,
  L_SUM_INDEX,
  L_INT_SQUARE,
  L_MAX_CONST,
  L_MAX_GE,
  L_MAX_REVERSE,
  L_REVERSE,
  L_EXP_INJ,
  L_LOG_OF,
  L_SQRT_OF,
  N_LEMMAS
} pv_lemma;

typedef struct pv {
  ck_terms *T;
  ck_proof *P;
  as_vec steps;
  as_vec toks;
  as_vec scratch; /* pv_step, pv_tok */
  pv_map step_memo;
  pv_map norm_memo;
  pv_map ctx_memo;
  pv_map rel_memo;
  pv_map cmp_memo;
  pv_map misc_memo;
  pv_map inst_memo;
  as_vec ctx; /* pv_ctx; 0 is the empty context */
  uint32_t lemma[N_LEMMAS];
  bool lemma_busy[N_LEMMAS];
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
  const uint32_t *prem;
  uint32_t n;
} ck_summand;

typedef struct {
  ck_id var;
  ck_id term;
} ck_vsub;

uint32_t r_hyp(pv *p, ck_id f);
uint32_t r_use(pv *p, uint32_t s, const ck_id *ts, uint32_t nt, const uint32_t *ps, uint32_t np);
/* premises that discharge nothing are left out */
uint32_t r_inst(pv *p, uint32_t s, const ck_vsub *vs, uint32_t nv, const ck_fsub *fs, uint32_t nf,
                const uint32_t *ps, uint32_t np);
uint32_t r_cases(pv *p, ck_id c, uint32_t a, uint32_t b);
uint32_t r_cong(pv *p, ck_id a, ck_id b, const uint32_t *ps, uint32_t np);
uint32_t r_foldcong(pv *p, ck_id a, ck_id b, const ck_id *vars, uint32_t nv, const uint32_t *ps,
                    uint32_t np);
uint32_t r_arith(pv *p, ck_id f, const ck_summand *sums, uint32_t n);
uint32_t r_antisym(pv *p, uint32_t a, uint32_t b);
uint32_t r_int(pv *p, ck_id f, uint32_t a);
uint32_t r_law(pv *p, const char *name, const ck_id *ts, uint32_t nt,
               uint32_t prem); /* prem NO: none wanted */
uint32_t r_zero(pv *p, ck_id t, uint32_t a);
uint32_t r_succ(pv *p, ck_id t, ck_id k, uint32_t a);
uint32_t r_induct(pv *p, ck_id k, ck_id n, uint32_t j, const ck_id *fs, const uint32_t *base,
                  const uint32_t *step, uint32_t r, uint32_t a);
ck_id thm(const pv *p, uint32_t s);
ck_id lhs_of(const pv *p, uint32_t s);
ck_id rhs_of(const pv *p, uint32_t s);
/* the certificate of goals[i] proved by proof[i]; malloc'ed */
char *log_certificate(pv *p, const char *const *names, const uint32_t *proof, uint32_t n,
                      size_t *len, uint32_t *steps, uint32_t *terms);

/* --- build.c: terms, small derived steps */
ck_id t_add(pv *p, ck_id a, ck_id b);
ck_id t_mul(pv *p, ck_id a, ck_id b);
ck_id t_sub(pv *p, ck_id a, ck_id b); /* a + (-1)*b */
ck_id t_neg(pv *p, ck_id a);
ck_id t_int(pv *p, long n);
ck_id t_op(pv *p, ck_op o, ck_id a);
ck_id t_rel(pv *p, ck_op o, ck_id a, ck_id b);
ck_id t_sum(pv *p, ck_id n, ck_id k, ck_id body); /* sum over k < n; k a variable */
ck_id t_fold1(pv *p, ck_id n, ck_id init, ck_id k, ck_id acc,
              ck_id step); /* width 1, variables closed here */
ck_id t_max2(pv *p, ck_id a, ck_id b);
bool is_q(pv *p, ck_id t);
bool is_zero(pv *p, ck_id t);
bool is_one(pv *p, ck_id t);
bool is_sum(pv *p, ck_id t);             /* fold 0 1 n 0 (acc + f), f free of acc */
ck_id sum_body(pv *p, ck_id t, ck_id k); /* f opened at k */
bool is_max(pv *p, ck_id t,
            ck_id *f); /* fold 0 1 n f[0] ite(acc <= f, f, acc); *f: under 2 binders */
ck_id max_body(pv *p, ck_id t, ck_id k);
ck_id q_add(pv *p, ck_id a, ck_id b);
ck_id q_mul(pv *p, ck_id a, ck_id b);
ck_id q_inv(pv *p, ck_id a);
int q_sgn(pv *p, ck_id a);
uint32_t eq_refl(pv *p, ck_id a);
uint32_t eq_sym(pv *p, uint32_t s);
uint32_t eq_trans(pv *p, uint32_t a, uint32_t b); /* REFL allowed */
eqn eq_then(pv *p, eqn a, eqn b);                 /* x = a.t by a, a.t = b.t by b */
uint32_t r_same(pv *p, ck_id f,
                uint32_t s); /* f has the same value polynomial as the theorem s, same relation */
uint32_t r_arith1(pv *p, ck_id f, ck_id c, uint32_t s);
uint32_t r_arith0(pv *p, ck_id f); /* no premises */
uint32_t r_const(pv *p, ck_id f);  /* f about constants: one constant summand */
uint32_t r_lemma(pv *p, pv_lemma l, const ck_vsub *vs, uint32_t nv, const ck_fsub *fs, uint32_t nf,
                 const uint32_t *ps, uint32_t np);
uint32_t absurd(pv *p, ck_id f, uint32_t one);    /* one: 0 = 1 */
uint32_t from_false(pv *p, ck_id f, uint32_t lt); /* lt: 0 < 0 */
uint32_t false_ne(pv *p, ck_id f, uint32_t ne);   /* ne: 0 # 0 */
int t_cmp(pv *p, ck_id a, ck_id b); /* structural order, the same whatever the numbers are */

/* sums of steps: by_start, by_add.., by_end proves f by arith */
typedef struct {
  as_vec sum;
  as_vec prem;
} by;

void by_start(by *b);
void by_add(by *b, ck_id coef, uint32_t prem); /* REFL and zero coefficient are left out */
void by_add2(by *b, ck_id coef, uint32_t p1, uint32_t p2);
uint32_t by_end(pv *p, by *b, ck_id f);
void by_drop(by *b);

/* --- poly.c: polynomials as lists of monomials over atoms; coefficients are constant terms */
typedef struct {
  ck_id q;
  uint32_t n;
  ck_id *a;
} mono; /* atoms sorted by number */

typedef struct {
  mono *m;
  uint32_t n;
  uint32_t cap;
} poly;

void poly_init(poly *f);
void poly_clear(poly *f);
void poly_of(pv *p, poly *f, ck_id t); /* f becomes the polynomial of t */
void poly_push(pv *p, poly *f, ck_id q, const ck_id *a, uint32_t n);
void poly_add(pv *p, poly *f, const poly *g, ck_id scale);
void poly_mul_mono(pv *p, poly *f, const poly *g, ck_id q, const ck_id *a,
                   uint32_t n);        /* f = g * q*a */
ck_id poly_term(pv *p, const poly *f); /* canonical term: sorted structurally */
ck_id mono_term(pv *p, ck_id q, const ck_id *a, uint32_t n); /* sorted structurally */
bool mono_has(const mono *m, ck_id a);
int mono_div(const ck_id *a, uint32_t na, const ck_id *b, uint32_t nb,
             ck_id *rest);   /* b divides a: number of atoms of the rest, else -1 */
ck_id canon(pv *p, ck_id t); /* canonical term of the polynomial of t */

/* --- ctx.c */
uint32_t cx_push(pv *p, uint32_t cx, ck_id formula, ck_id var);
uint32_t cx_know(pv *p, uint32_t cx, uint32_t s); /* with a theorem that follows from cx */
uint32_t cx_assume(pv *p, uint32_t cx, ck_id c);  /* assume.c: c and the equations that it makes */
uint32_t cx_refresh(pv *p,
                    uint32_t cx); /* orders in the normal form that new equations give them */
/* s: d divides x; cx with x = d*q, q new; back: that with q = x div d */
uint32_t cx_quotient(pv *p, uint32_t cx, uint32_t s, ck_id *q, uint32_t *back);
uint32_t
cx_tighten(pv *p, uint32_t cx); /* one more equation, sought with more effort; cx: there is none */
uint32_t cx_derive(pv *p,
                   uint32_t cx); /* the equations that the hypotheses make among themselves */
uint32_t cx_bind(pv *p, uint32_t cx, ck_id n,
                 ck_id *k); /* a new counter 0 <= k < n; gives its variable */
ck_id cx_level_var(pv *p, uint32_t level);
ck_id cx_acc_var(pv *p, uint32_t level, uint32_t q);
uint32_t cx_strip(pv *p, uint32_t cx, ck_id t); /* the least context that t needs */
uint32_t cx_find(pv *p, uint32_t cx, ck_id formula);
#define CX(p, c) AS_VEC_AT(&(p)->ctx, pv_ctx, (c))

/* --- side.c: relations from the context */
uint32_t side(pv *p, uint32_t cx, ck_id f); /* proves relation f or NO */
uint32_t side_int(pv *p, uint32_t cx,
                  ck_id f); /* the same for integers, by bounds of the variables */
uint32_t side_int_within(pv *p, uint32_t cx, ck_id f, uint32_t effort);
ck_id poly_quotient(pv *p, ck_id a, ck_id b); /* a / b for a monomial b, or CK_BAD */
ck_id size_quotient(pv *p, uint32_t cx, ck_id n,
                    ck_id b); /* c with n = c*b under the equations of the context, or CK_BAD */
uint32_t nonzero(pv *p, uint32_t cx, ck_id x);                  /* x # 0, x in normal form */
uint32_t positive(pv *p, uint32_t cx, ck_id x);                 /* 0 < x */
uint32_t nonneg(pv *p, uint32_t cx, ck_id x);                   /* 0 <= x */
uint32_t ne_positive(pv *p, ck_id x, uint32_t ge, uint32_t nz); /* 0 < x from 0 <= x and x # 0 */
uint32_t
fact_match(pv *p, uint32_t cx, ck_op rel,
           ck_id x); /* `x # 0`, `0 <= x`, `0 < x` out of the hypotheses, up to normal form */

uint32_t tight(pv *p,
               uint32_t s); /* the strict integer fact a < b as a + 1 <= b, others as they are */
uint32_t by_clause(pv *p, uint32_t cx, ck_id f); /* clauses.c: f as the conclusion of a clause */
ck_id clause_cond(
    pv *p, uint32_t cx,
    ck_id f); /* an undecided condition of a clause that would conclude f; CK_BAD: none */
uint32_t clause_instances(pv *p, uint32_t cx, uint32_t h, ck_id t, uint32_t *out,
                          uint32_t max); /* clause h at arguments that t has; how many */
uint32_t
fact_normal(pv *p, uint32_t cx, uint32_t s,
            ck_id *nf); /* theorem s as `nf # 0`, `0 <= nf`, `0 < nf`, `0 = nf` with nf normal */

/* --- lp.c */
uint32_t lp_prove(pv *p, uint32_t cx,
                  ck_id f); /* f by a positive combination of hypotheses, and of products of two */
uint32_t lp_prove_within(
    pv *p, uint32_t cx,
    ck_id f); /* the same with counters that f does not mention: their ranges are not empty */
uint32_t lp_contradiction(pv *p, uint32_t cx); /* 0 < 0 from the hypotheses of the context */

/* --- norm.c, sums.c, folds.c: normal forms */
eqn norm(pv *p, uint32_t cx, ck_id t);
bool occurs(pv *p, ck_id t, ck_id x); /* x is t or inside of it */
bool too_big(pv *p, ck_id t);         /* t is larger, written out, than walks over terms may be */
void norm_is(pv *p, uint32_t cx, ck_id t);  /* remembers that t is normal */
eqn norm_poly(pv *p, uint32_t cx, ck_id t); /* t: polynomial over atoms that are normal already */
eqn norm_sum(pv *p, uint32_t cx, ck_id t);
bool is_prod(pv *p, ck_id t, ck_id *f); /* prods.c: fold 0 1 n 1 (acc * f), f at $$k */
eqn norm_prod(pv *p, uint32_t cx, ck_id t);
eqn cut_prod(
    pv *p, uint32_t cx, ck_id t,
    ck_id m); /* the product t as one up to m times the rest; fails unless 0 <= m <= n is known */
eqn norm_ite(pv *p, uint32_t cx, ck_id t);
eqn norm_div(pv *p, uint32_t cx, ck_id t); /* quot.c; kids normal */
eqn norm_log(pv *p, uint32_t cx, ck_id t); /* roots.c; argument normal */
eqn norm_sqrt(pv *p, uint32_t cx, ck_id t);
uint32_t poly_content(
    pv *p, ck_id u, ck_id *f,
    uint32_t max); /* factors of u: leading coefficient, common atoms, primitive rest; 0: nothing */
uint32_t
normal_factors(pv *p, uint32_t cx, ck_id u, ck_id *f,
               uint32_t max); /* the same with the rest normal; f[0] = u, 1 if nothing comes out */
eqn cut_sum(
    pv *p, uint32_t cx, ck_id t,
    ck_id m); /* the sum t as a sum up to m and the rest; fails unless 0 <= m <= n is known */
eqn norm_fold(pv *p, uint32_t cx, ck_id t);
eqn join_max(pv *p, uint32_t cx, ck_id t, ck_id n, ck_id init, ck_id k,
             ck_id body);                           /* maxlaws.c: constants out, tiles joined */
ck_id mx_term(pv *p, ck_id n, ck_id k, ck_id body); /* max over k < n of body, base the body at 0 */
uint32_t mx_same(pv *p, ck_id a);                   /* max2(a, a) = a */
uint32_t eq_then_by(pv *p, uint32_t s, const uint32_t *st,
                    uint32_t n); /* s with its right side rewritten by the equations st */
eqn range_max(pv *p, uint32_t cx, ck_id t, ck_id n, ck_id init, ck_id k, ck_id body); /* maxcut.c */
eqn monotone_max(pv *p, uint32_t cx, ck_id t, ck_id n, ck_id init, ck_id k, ck_id body);
uint32_t max_le(pv *p, ck_id n, ck_id k, ck_id body, ck_id c, uint32_t np, uint32_t s);
bool runs_backwards(pv *p, uint32_t cx, ck_id n, ck_id k,
                    ck_id body);                 /* cuts.c: n-1-k is the better counter */
uint32_t max_first(pv *p, uint32_t cx, ck_id t); /* f(0) <= max(k < n) f */
eqn min_as_max(pv *p, uint32_t cx, ck_id t, ck_id n, ck_id init, ck_id k, ck_id f);
eqn icanon(pv *p, ck_id t); /* canonical integer arguments only */
eqn rewrite(pv *p, ck_id t, const ck_id *from, const uint32_t *steps,
            uint32_t n);                                /* closed subterms by equations */
uint32_t lift_sum(pv *p, ck_id n, ck_id k, uint32_t s); /* f = g  gives  sum(k<n) f = sum(k<n) g */

/* --- cuts.c */
/* an undecided condition on which the form of a fold or a quotient in t depends; CK_BAD: none */
ck_id range_cond(pv *p, uint32_t cx, ck_id t);
uint32_t cut_places(pv *p, ck_id body, ck_id k, ck_id *m,
                    uint32_t max);            /* where conditions on k change their value */
ck_id block_size(pv *p, ck_id body, ck_id k); /* b where body has k div b; CK_BAD: none */

ck_id rest_of_division(pv *p, ck_id a,
                       ck_id b); /* quot.c: r of a = b*q + r, for a q other than 0; CK_BAD: none */

/* --- eq.c */
uint32_t prove_eq(pv *p, uint32_t cx, ck_id a, ck_id b, uint32_t depth);
uint32_t prove_goal(pv *p, uint32_t cx, ck_id f);

/* --- lemma.c */
uint32_t lemma(pv *p, pv_lemma l);
uint32_t lemma_max_concat(pv *p); /* maxlaws.c */
uint32_t lemma_max_split(pv *p);

typedef enum { THROUGH_ADD, THROUGH_SCALE, THROUGH_EXP, THROUGH_RELU, THROUGH_NRELU } max_way;

uint32_t lemma_max_through(pv *p, max_way way);
ck_id max_through_term(pv *p, max_way way, ck_id x, ck_id a);
uint32_t lemma_max_swap(pv *p);
uint32_t lemma_prod_mul(pv *p); /* prods.c */
uint32_t lemma_prod_one(pv *p);
uint32_t lemma_prod_concat(pv *p);
uint32_t lemma_min_max(pv *p);
uint32_t lemma_max_first(pv *p);
uint32_t lemma_max_const(pv *p); /* maxcut.c */
uint32_t lemma_max_ge(pv *p);
uint32_t lemma_max_reverse(pv *p);
uint32_t lemma_exp_inj(pv *p); /* roots.c */
uint32_t lemma_log_of(pv *p);
uint32_t lemma_sqrt_of(pv *p);
#endif
