/* The inference rules (proofs/RULES.md section 4).  A theorem is (hypotheses, formula).  Includes
 * ck_term.h only.  Called by ck_cert (replay) and by the prover. */
#pragma once
#include "ck_term.h"

typedef struct ck_proof ck_proof;
ck_proof *ck_proof_new(ck_terms *T); /* borrows T */
void ck_proof_free(ck_proof *P);
uint32_t ck_thm_count(const ck_proof *P);
ck_id ck_thm_formula(const ck_proof *P, uint32_t s);
const ck_id *ck_thm_hyps(const ck_proof *P, uint32_t s,
                         uint32_t *n); /* sorted, without repetition, borrowed */

/* The arguments of a step, as FORMAT.md lists them: kinds and numbers side by side.  Kinds: t a
 * term, s a step, ' a word, = a number (the word of its digits), and the separators | and , (no
 * number).  They are read from the left; what is not of the kind that is asked for makes them bad.
 */
typedef struct {
  const char *kind;
  const uint32_t *val;
  uint32_t n;
  uint32_t at;
  bool bad;
} ck_args;

static inline bool ck_next(const ck_args *A, char kind) {
  return A->at < A->n && A->kind[A->at] == kind;
}

static inline bool ck_end(const ck_args *A) {
  return !A->bad && A->at == A->n;
} /* all have been read, as asked for */

uint32_t ck_one(ck_args *A, char kind); /* CK_BAD: not of this kind */
ck_ids ck_many(ck_args *A, char kind);  /* as many as there are */
bool ck_digits(const char *s, uint32_t limit,
               uint32_t *out);                    /* no sign, no superfluous zero, below limit */
uint32_t ck_count(ck_args *A, const ck_terms *T); /* a number below 1,000,000 */

/* which function of one real a builtin is that laws speak of, in words; NULL: it is none */
const char *ck_of_law(const char *function);

#define CK_N_RULES 13
extern const char *const ck_rule_name[CK_N_RULES];
/* Applies a rule: the number of the new theorem, or CK_BAD (reason: ck_error). */
uint32_t ck_step(ck_proof *P, uint32_t rule, ck_args A);
