/* What loops carry and stores change, as closed terms.  Includes normal forms and definitions.
 *
 * A tile program's symbol is defined by recursion over iterations, or by a fold over the lanes of a
 * store (proofs/CLAIM.md section 6.2).  Here each gets an equation symbol[parameters] = term in
 * which it does not occur itself: a fold over the iterations where its element depends on itself
 * alone, and no fold at all where one iteration or lane sets it. */
#ifndef AS_PV_LOOPS_H
#define AS_PV_LOOPS_H
#include "pv_defs.h"
#include "pv_norm.h"

/* --- chains.c: equality of choices, by cases */
enum { PV_MOST_NEEDS = 6 };

/* `formula` by thm, which may rest on the formulas that it needs, where these are assumed */
typedef struct {
  ck_id formula;
  pv_thm thm;
  ck_id needs[PV_MOST_NEEDS];
  uint32_t n_needs;
} pv_fact;

typedef struct {
  pv_fact fact[24];
  uint32_t n;
} pv_facts;

/* a fact whose theorem is PV_NONE is left out */
void pv_fact_add(pv_facts *facts, ck_id formula, pv_thm thm, ck_id need, ck_id other);
/* is the formula one of its hypotheses? */
bool pv_rests_on(const pv *prover, pv_thm thm, ck_id formula);
/* what the theorem says, which needs those of the n formulas that it rests on */
void pv_fact_add_under(pv *prover, pv_facts *facts, pv_thm thm, const ck_id *formulas, uint32_t n);
/* a = b, both nested choices: where conditions are not decided by the facts, for each way in which
 * they can be */
pv_thm pv_same_by_cases(pv *prover, ck_id a, ck_id b, const pv_facts *facts);

enum { PV_MAX_CHAIN = 48 };

/* ite(c0, ite(c1, .. value .., other), other) */
typedef struct {
  ck_id cond[PV_MAX_CHAIN];
  uint32_t n;
  ck_id value;
  ck_id other;
} pv_chain;

/* of a choice where it is `other` if the condition holds, the negation is the chain's */
pv_chain pv_chain_read(const pv *prover, ck_id term, ck_id other);
ck_id pv_chain_term(pv *prover, const pv_chain *chain);
/* conditions that bound a quotient of what has the variable k bound what is divided; facts: why
 * they are the same */
void pv_linear_chain(pv *prover, pv_ctx ctx, pv_chain *chain, ck_id k, pv_facts *facts);

/* --- reads.c */
enum { PV_MAX_PARAMETERS = 16 };

/* what a loop carries, while its closed form is sought */
typedef struct pv_reads {
  const ck_definition *def;
  ck_id self;     /* the symbol at its parameters */
  pv_eqn after;   /* the body, written out */
  pv_chain chain; /* over self: where an iteration changes it */
} pv_reads;

/* --- one_place.c */
/* what a loop carries, where it reads itself at numbers in place of some parameters */
typedef struct {
  ck_definition def; /* with these numbers */
  ck_id parameter[PV_MAX_PARAMETERS];
  pv_var_sub fixed[PV_MAX_PARAMETERS];
  uint32_t n_fixed;
  pv_thm same; /* the symbol at its parameters is what it is at the numbers */
} pv_one_place;

/* after: the body written out; then with the numbers, too.  False: it reads itself in another way,
 * or speaks of the parameters besides */
bool pv_at_one_place(pv *prover, pv_defs *defs, pv_ctx sizes, uint32_t number,
                     const ck_definition *def, pv_eqn *after, pv_one_place *one);

/* --- twins.c: symbols of the candidate that are defined as the given side's but for names */
typedef struct pv_twins pv_twins;
pv_twins *pv_twins_new(pv *prover, const pv_defs *defs, const ck_claim *claim); /* borrows all */
void pv_twins_free(pv_twins *twins);
/* of a symbol of the candidate; PV_NONE: it has none, or is the given side's */
uint32_t pv_twin(const pv_twins *twins, uint32_t number);
/* what a theorem says of the given side's symbols, of their twins; PV_NONE: not all have one */
pv_thm pv_twin_theorem(const pv_twins *twins, pv_thm thm);

/* --- apart.c */
/* the formula left # right, of places that two instances x < y touch: from equations of the context
 * between other places, since one round alone can touch all of them */
pv_thm pv_rounds_apart(pv *prover, pv_ctx ctx, ck_id formula);

/* --- ends.c */
/* the choice between `other` and something else, with fewer conditions and these in one order */
pv_eqn pv_few_conditions(pv *prover, pv_ctx ctx, ck_id term, ck_id other);

/* --- loops.c */
/* choices within each other, each part in normal form where the conditions around it hold */
pv_eqn pv_choices_under(pv *prover, pv_ctx ctx, ck_id term);
/* the definitions of the claim that are recursive, or stores, in closed form, as far as found */
void pv_solve_loops(pv *prover, pv_defs *defs, const ck_claim *claim);
#endif
