/* A certificate as a list of steps with their theorems.  Nothing here is trusted: whether a
 * certificate is accepted is the checker's word alone; this is for those who show proofs
 * (proofs/explain) or hand their steps to solvers (verify/smt).  May include: base, the checker's
 * headers. */
#ifndef AS_READ_H
#define AS_READ_H
#include "proofs/checker/ck_claim.h"
#include "proofs/checker/ck_rules.h"
#include "src/base/err.h"
#include "src/base/vec.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
  AS_STEP_HYP,
  AS_STEP_USE,
  AS_STEP_INST,
  AS_STEP_CASES,
  AS_STEP_CONG,
  AS_STEP_FOLDCONG,
  AS_STEP_ARITH,
  AS_STEP_ANTISYM,
  AS_STEP_INT,
  AS_STEP_LAW,
  AS_STEP_ZERO,
  AS_STEP_SUCC,
  AS_STEP_INDUCT,
  AS_STEP_N
} as_step_rule;

/* an argument: 't' a term, 's' a step, '=' a number, '\'' a word (both by their text), and the
 * separators '|' ',' */
typedef struct {
  char kind;
  uint32_t value; /* the term, number of the step, or word */
} as_step_arg;

typedef struct {
  as_step_rule rule;
  uint32_t theorem; /* among as_steps.theorems */
  size_t arg;       /* the first of its arguments among as_steps.arg */
  uint32_t n_arg;
  uint32_t line; /* of the certificate */
} as_step;

typedef struct {
  ck_terms *T; /* borrowed */
  ck_proof *theorems;
  as_vec term; /* ck_id, as the certificate numbers them */
  as_vec step; /* as_step */
  as_vec arg;  /* as_step_arg, of all steps */
  as_vec qed;  /* uint32_t: the step of each goal */
} as_steps;

/* Fills steps, which as_steps_clear empties in any case.  AS_NO with err where the text is no proof
 * of the goals; steps->qed[i] is the step that proves goals[i]. */
as_status as_steps_read(as_steps *steps, ck_terms *T, const ck_goal *goals, uint32_t n_goals,
                        const char *cert, size_t len, as_err *err);
void as_steps_clear(as_steps *steps);
const as_step *as_steps_at(const as_steps *steps, uint32_t number);
/* the arguments of a step, borrowed; *count of them */
const as_step_arg *as_steps_args(const as_steps *steps, uint32_t number, uint32_t *count);
/* does the step's theorem speak of all values of variables: an induction, an instance, a fold's law
 */
bool as_steps_is_schema(const as_steps *steps, uint32_t number);
#endif
