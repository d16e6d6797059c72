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
  SR_HYP,
  SR_USE,
  SR_INST,
  SR_CASES,
  SR_CONG,
  SR_FOLDCONG,
  SR_ARITH,
  SR_ANTISYM,
  SR_INT,
  SR_LAW,
  SR_ZERO,
  SR_SUCC,
  SR_INDUCT,
  SR_N
} smt_rule;

/* an argument: 't' a term, 's' a step, '=' a number, '\'' a word (both by their text), and the
 * separators '|' ',' */
typedef struct {
  char kind;
  uint32_t val;
} smt_tok;

typedef struct {
  smt_rule rule;
  uint32_t thm;
  size_t tok;
  uint32_t ntok;
  uint32_t line;
} smt_step;

typedef struct {
  ck_terms *T;
  ck_proof *P;
  as_vec term;
  as_vec step;
  as_vec tok;
  as_vec qed; /* ck_id; smt_step; smt_tok; uint32_t: step of each goal */
} smt_proof;

/* fills p, which smt_proof_clear empties in any case; p->qed[i] is the step that proves goals[i] */
as_status smt_read(smt_proof *p, ck_terms *T, const ck_goal *goals, uint32_t n_goals,
                   const char *cert, size_t len, as_err *err);
void smt_proof_clear(smt_proof *p);
const smt_step *smt_step_at(const smt_proof *p, uint32_t s);
const smt_tok *smt_toks(const smt_proof *p, uint32_t s, uint32_t *n);
bool smt_is_schema(const smt_proof *p, uint32_t s);
#endif
