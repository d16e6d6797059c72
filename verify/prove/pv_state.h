/* The prover's state, and what theorems, contexts and equations are in it.  Includes the checker's
 * rules and base.  Included by all other headers of verify/prove, by nothing outside.
 *
 * What a proof is made of.  A *theorem* (pv_thm) is the number of a step that the checker's kernel
 * has accepted: a formula together with the hypotheses that it rests on.  Nothing else is ever
 * claimed, so a mistake in here costs a proof and not the truth.  PV_NONE stands for "no theorem"
 * and is contagious: a rule that is given PV_NONE gives PV_NONE, so that a chain of steps needs one
 * test at its end.
 *
 * A *context* (pv_ctx) is a chain of hypotheses, the newest first; 0 is the empty one.  Contexts
 * are stored once, so the same hypotheses in the same order are the same number, and what was
 * found in a context is remembered by that number.
 *
 * An *equation* (pv_eqn) answers "what is term t in another form?": t equals `to` by theorem `by`;
 * `by` is PV_REFL where `to` is t itself, and PV_NONE where there is no answer.
 *
 * Worked example: to prove  sum(k < n) c*x[k] = c * sum(k < n) x[k]  from  0 <= n.
 *
 *     pv_ctx ctx = pv_ctx_push(prover, 0, <0 <= n>, CK_BAD);  a context of one hypothesis
 *     pv_eqn left = pv_norm(prover, ctx, <sum(k < n) c*x[k]>);
 *
 * The body is normal in the context with 0 <= $$x1 and $$x1 < n beside 0 <= n, where $$x1 is the
 * counter (pv_ctx_bind).  c does not depend on it, so the lemma PV_SUM_SCALE, derived by induction
 * when it is first wanted and then a theorem like any other, is instantiated with f := x, and
 * `left` is { c * sum(k < n) x[k], by that theorem }.  The right side is normal already:
 * { itself, PV_REFL }.  Both `to` are one term, so pv_trans(left.by, pv_sym(PV_REFL)) is the
 * theorem that was asked for; its steps, without those that led nowhere, are the certificate. */
#ifndef AS_PV_STATE_H
#define AS_PV_STATE_H
#include "proofs/checker/ck_rules.h"
#include "src/base/intern.h"
#include "src/base/map.h"
#include "src/base/vec.h"
#include <stdatomic.h>

typedef uint32_t pv_thm; /* the number of a step */
typedef uint32_t pv_ctx; /* the number of a context; 0: no hypotheses */

#define PV_NONE AS_NONE          /* no theorem, no context, no such position */
#define PV_REFL (UINT32_MAX - 1) /* both sides are one term: nothing to prove */

typedef struct {
  ck_id to;
  pv_thm by;
} pv_eqn;

static inline pv_eqn pv_same(ck_id t) {
  return (pv_eqn){t, PV_REFL};
}

static inline pv_eqn pv_fail(void) {
  return (pv_eqn){CK_BAD, PV_NONE};
}

/* the lemmas that pv_lemma.h lists; integers of at most this amount are known by number */
enum { PV_MAX_LEMMAS = 96, PV_SMALL = 32 };

/* Ways to go about a claim that are not tried at first: bodies of loops are taken as they stand, if
 * they can (loops.c), all of them or those alone in which no loop inside stores; what is known of a
 * quotient by a positive number is known of what is divided, so that a root is taken of each alone
 * (fact_match.c); what stands in a choice is brought to normal form where its condition holds
 * (ite.c); products of several sums under a sum become sums of products (sums.c), in claims without
 * loops from the start. */
enum {
  PV_AS_STATED = 1,
  PV_BY_QUOTIENTS = 2,
  PV_UNDER_CHOICES = 4,
  PV_OUT_OF_PRODUCTS = 8,
  PV_NUMBERS_AS_STATED = 16
};

typedef struct pv {
  ck_terms *terms;
  ck_proof *proof;
  as_vec steps;  /* pv_step, one for each theorem */
  as_vec tokens; /* pv_token: the arguments of all steps */
  as_vec scratch;
  as_vec ctxs; /* pv_assumption */
  as_map step_memo;
  as_map norm_memo;
  as_map ctx_memo;
  as_map rel_memo;
  as_map cmp_memo;
  as_map misc_memo;
  as_map inst_memo;
  as_intern monomials; /* the atoms of monomials that are no term's: pv_poly.h */
  pv_thm lemmas[PV_MAX_LEMMAS];
  bool lemmas_busy[PV_MAX_LEMMAS];
  /* effort: steps, and units of about 10 ns by what was done; neither reads a clock */
  uint32_t max_steps;
  uint64_t work;
  uint64_t max_work;
  double until;            /* as_prove_opts */
  const atomic_bool *stop; /* as_prove_opts */
  /* a side condition was given up because it was already being asked: its failure is not to be
   * remembered */
  bool cut;
  ck_id zero;
  ck_id one;
  ck_id small[2 * PV_SMALL + 1]; /* -PV_SMALL .. PV_SMALL; CK_BAD: not asked for yet */
  as_vec fact_busy;              /* uint64_t: hypotheses being normalised */
  as_vec owned;                  /* void *: freed at the end */
  uint32_t fuel;
  uint32_t depth;
  uint32_t tightened; /* how often that was sought for this goal */
  bool whole_facts;   /* digits.c: orders are being read as sums of digits have them */
  bool cofactors;     /* lp.c: signs of cofactors are being asked for */
  uint32_t ways;      /* PV_AS_STATED, ..: how it is gone about, as bits */
  uint32_t matter;    /* those that make a difference for this claim */
  bool too_deep;      /* a term nested deeper than normal forms are made was met */
  bool leaves_lanes;  /* elements of a maximum are being left out: not of others on the way */
  const struct pv_reads *reads; /* what readings of a loop's tensor are known by; NULL: nothing */
  struct pv_defs *defs;         /* the claim's definitions; NULL: it has none */
} pv;

void pv_init(pv *prover, ck_terms *terms, uint32_t max_steps);
void pv_clear(pv *prover);
bool pv_late(const pv *prover);
bool pv_spent(const pv *prover); /* the effort or time limit is reached: no step is made any more */
#endif
