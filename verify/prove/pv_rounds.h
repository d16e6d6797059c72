/* Folds whose rounds change something under conditions, opened, and the one round in which the
 * conditions can hold.  Includes loops and digits.
 * Private to selects.c, rounds.c, joined.c, apart.c and paths.c. */
#ifndef AS_PV_ROUNDS_H
#define AS_PV_ROUNDS_H
#include "pv_digits.h"
#include "pv_loops.h"

typedef struct {
  pv *prover;
  pv_ctx ctx;
  ck_id fold;
  ck_id bound;
  ck_id base;
  ck_id k;
  ck_id s;
  ck_id step;
  pv_chain chain;
} pv_opened;

/* the term speaks of the round, or of the state */
bool pv_speaks_of(const pv_opened *fold, ck_id term);
/* the fold with that step, from a theorem that says it is the same */
pv_eqn pv_other_step(const pv_opened *fold, ck_id step, pv_thm same);
/* the fold as what its step is in round q alone, from a theorem that the step is `chosen`: itself
 * where k = q, the state elsewhere; PV_NONE: there is no such theorem */
pv_eqn pv_only_in_round(const pv_opened *fold, ck_id q, ck_id chosen, pv_thm same);
/* a falsehood that rests on some of the conditions: each fails where the others of these, and what
 * else it rests on among the formulas, hold */
void pv_add_failing(const pv_opened *fold, pv_thm absurd, const ck_id *cond, uint32_t n_cond,
                    const ck_id *formulas, uint32_t n, pv_facts *facts);
/* the formula that the theorem says and its negation, as a hypothesis: a falsehood, 0 < 0 or 0 # 0
 */
pv_thm pv_both_ways(pv *prover, pv_thm thm);

/* --- joined.c: the chain with conditions on quotients and what they leave joined: two of them, a
 * place of two axes, as one equation; the ends of a tile as an equation; a known quotient in the
 * others.  facts: why it is the same; false: there is nothing of the kind */
bool pv_join_places(const pv_opened *fold, pv_chain *joined, pv_facts *facts);

/* --- rounds.c */
/* in which round, why conditions say so, and what follows of it */
typedef struct {
  ck_id q;
  uint32_t first; /* numbers of the conditions */
  uint32_t second;
  pv_thm is_q;     /* k = q, from these conditions */
  bool drop_first; /* that condition is left out of what is chosen: it holds there */
  bool drop_second;
  ck_id instead;        /* of the second condition; CK_BAD: it stays */
  pv_consequences also; /* what follows from both and can stand in their place */
} pv_round;

/* the difference of a relation's sides, if both are integers; else CK_BAD */
ck_id pv_difference(pv *prover, ck_id relation);
/* the one round in which the conditions of the fold's chain can hold; false: it is not found */
bool pv_find_round(const pv_opened *fold, pv_round *round);

/* --- paths.c: the fold whose step is a choice of several things in its rounds; PV_REFL: nothing is
 * found */
pv_eqn pv_tidy_paths(const pv_opened *fold);
#endif
