/* Inside of verify/smt: the certificate as a list of steps with their theorems.
 * Called by the files of verify/smt, and by src/cli/outline.c, which shows proofs. */
#ifndef AS_SMT_INT_H
#define AS_SMT_INT_H
#include "proofs/checker/ck_rules.h"
#include "smt.h"

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

/* fills p; p->qed[i] is the step that proves goals[i] */
as_status smt_read(smt_proof *p, ck_terms *T, const ck_goal *goals, uint32_t n_goals,
                   const char *cert, size_t len, as_err *err);
void smt_proof_clear(smt_proof *p);
const smt_step *smt_step_at(const smt_proof *p, uint32_t s);
const smt_tok *smt_toks(const smt_proof *p, uint32_t s, uint32_t *n);
bool smt_is_schema(const smt_proof *p, uint32_t s);

/* writes the query `theorem of target` from its group: steps[0..n) are the group's steps, leaves
 * the theorems taken over */
bool smt_write(const smt_proof *p, uint32_t target, const uint32_t *steps, uint32_t n,
               const uint32_t *leaves, uint32_t nl, const char *name, as_smt_query *q);
#endif
