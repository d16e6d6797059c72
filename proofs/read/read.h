/* A certificate as a list of steps with their theorems.  Nothing here is trusted: whether a
 * certificate is accepted is the checker's word alone; this is for those who show proofs
 * (proofs/explain) or hand their steps to solvers (verify/smt).  May include: base, the checker's
 * headers. */
#ifndef AS_READ_H
#define AS_READ_H
#include "proofs/checker/ck_claim.h"
#include "proofs/checker/ck_rules.h"
#include "src/base/base.h"

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
  uint32_t val;
} as_step_arg;

typedef struct {
  as_step_rule rule;
  uint32_t thm;
  size_t tok;
  uint32_t ntok;
  uint32_t line;
} as_step;

typedef struct {
  ck_terms *T;
  ck_proof *P;
  as_vec term;
  as_vec step;
  as_vec tok;
  as_vec qed; /* ck_id; smt_step; smt_tok; uint32_t: step of each goal */
} as_steps;

/* fills p, which smt_proof_clear empties in any case; p->qed[i] is the step that proves goals[i] */
as_status as_steps_read(as_steps *p, ck_terms *T, const ck_goal *goals, uint32_t n_goals,
                        const char *cert, size_t len, as_err *err);
void as_steps_clear(as_steps *p);
const as_step *as_steps_at(const as_steps *p, uint32_t s);
const as_step_arg *as_steps_args(const as_steps *p, uint32_t s, uint32_t *n);
bool as_steps_is_schema(const as_steps *p, uint32_t s);
#endif
