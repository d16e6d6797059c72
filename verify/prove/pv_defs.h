/* Definitions of a claim: goals and hypotheses written in other symbols, with proofs that they are
 * the same.  Includes the prover's state and the claim.
 *
 * A claim defines a symbol for every tensor.  What the rest of the prover sees are goals and
 * hypotheses in which symbols are *written out*: replaced by their bodies, in which symbols are
 * written out again.  The clauses of the definitions hold for all integers, so that
 *
 *     S.y[i] = exp(X[i])      by its clause
 *     S.z[e] = 1 + S.y[e + 1] = 1 + exp(X[e + 1])      by two clauses and congruence
 *
 * need no context, and a proof about written-out terms becomes one about the claim's by one
 * equation for each side.
 *
 * A symbol that is defined like an earlier one, but for the names of symbols that are like each
 * other, is *like* it, and S.y[i] = C.y[i] is a lemma of a few steps.  So there are several worlds:
 * in one everything is written out; in another, symbols that both sides have stay as they are, by
 * the name of the first; then a program against itself costs a lemma for each tensor, and no normal
 * form. */
#ifndef AS_PV_DEFS_H
#define AS_PV_DEFS_H
#include "proofs/checker/ck_claim.h"
#include "pv_context.h"

typedef enum {
  PV_RENAMED, /* symbols are called by the name of the first that is like them, and nothing else */
  PV_SHARED,  /* those that both sides have stay, by that name; the others are written out */
  PV_WHOLE,   /* all are written out */
  PV_KERNEL,  /* tensors as other kernels leave them stay: see pv_defs_within */
  PV_WORLDS
} pv_world;

typedef struct pv_defs pv_defs;
pv_defs *pv_defs_new(pv *p,
                     const ck_claim *claim); /* gives; borrows both; pv_use asks it from now on */
void pv_defs_free(pv_defs *d);
/* Recursive symbols stay in every world until they are solved: symbol i at its parameters is body,
 * which speaks of none that are not defined before it, by that theorem.  Then, once for all that
 * were solved: refresh.  The number of the symbol that t applies; PV_NONE: none. */
void pv_defs_solve(pv_defs *d, uint32_t i, ck_id body, pv_thm by);
/* What the tensor of symbol i, which an outermost loop carries, is after the loop, that is, where
 * the first argument is `count`, or that in normal form: at the other parameters it is body, by
 * that theorem, which says it of the normal form.  Such applications are symbols of their own for
 * all that is said here: what loops leave may be like each other where their tiles differ. */
void pv_defs_leave(pv_defs *d, uint32_t i, ck_id count, pv_eqn normal_count, ck_id body, pv_thm by);
void pv_defs_refresh(pv_defs *d);
uint32_t pv_defs_number(const pv_defs *d, ck_id t);
/* The outermost loop of which PV_KERNEL is about, from now on.  What other kernels store is not
 * written out there, so that what a tensor holds is said in terms of the tensors before it, and
 * is the same for each program that computes it so, however these were computed. */
void pv_defs_within(pv_defs *d, uint32_t loop);
/* adds the numbers (uint32_t) of the symbols that t applies to the list, each once */
void pv_defs_symbols(const pv_defs *d, ck_id t, as_vec *list);
bool pv_defs_loops(const pv_defs *d);  /* the claim has symbols that loops carry */
bool pv_defs_shared(const pv_defs *d); /* some symbols of the two sides are like each other */

/* Segments: stretches of the candidate that compute a tensor of the given program in another way.
 * Of symbol i of the claim's list, where it is a kernel-level tensor of the candidate that is like
 * none, and the given program has one of its name (or one without a name, `y:2`, that it calls
 * `y_2`): that both are the same at their parameters, for all integers; CK_BAD: there is nothing to
 * ask.  Once that is proved, the two are like each other, and so are tensors made of them in the
 * same way. */
ck_id pv_defs_segment(pv_defs *d, uint32_t i);
/* hypothesis h speaks of no symbol that is defined after those of a segment's relation on their
 * side */
bool pv_defs_until(pv_defs *d, ck_id h, ck_id segment);
void pv_defs_join(pv_defs *d, uint32_t i, pv_thm by);
/* A kernel may compute one tensor of the given program from another without reading it: from the
 * tiles that it stores.  Then the other must be written out on both sides, or they say different
 * things.  Takes apart what is joined and made of tiles that the relation is computed from, until
 * pv_defs_rejoin; false: there is nothing to take apart. */
bool pv_defs_part(pv_defs *d, ck_id relation);
void pv_defs_rejoin(pv_defs *d);

/* t in that world, by an equation that rests on definitions alone.  t is closed. */
pv_eqn pv_defs_out(pv_defs *d, pv_world w, ck_id t);
/* the relation in that world, without a proof */
ck_id pv_defs_relation(pv_defs *d, pv_world w, ck_id relation);
/* cx with hypothesis h of the claim in that world.  Definitions themselves are left out, as what is
 * too large to be walked over. */
pv_ctx pv_defs_assume(pv_defs *d, pv_world w, pv_ctx cx, ck_id h);
/* from a theorem that says the relation in that world: the relation */
pv_thm pv_defs_back(pv_defs *d, pv_world w, ck_id relation, pv_thm by);
/* Called by pv_use.  Whether the clause that theorem s says is one in some world; then *by is its
 * use at these terms, from the claim's. */
bool pv_defs_use(pv_defs *d, pv_thm s, const ck_id *ts, uint32_t nt, const pv_thm *ps, uint32_t np,
                 pv_thm *by);
#endif
