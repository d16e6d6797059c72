/* The prover: finds a proof of every goal of a claim and writes the certificate (proofs/FORMAT.md).
 * It is not trusted: every step is made by the checker's own rule functions and logged.  Includes
 * the checker's headers.  Called by search, command line, tests. */
#ifndef AS_PROVE_H
#define AS_PROVE_H
#include "proofs/checker/ck_claim.h"
#include <stdatomic.h>

typedef enum { AS_PROVED, AS_UNPROVED } as_proof_verdict; /* UNPROVED: not known, never "wrong" */

typedef struct {
  uint32_t max_steps; /* effort limit in proof steps of each way that is tried, 0: the default */
  uint32_t all_steps; /* of all ways together, 0: none */
  uint64_t all_work;  /* what all ways together may do, in the prover's units (steps take some
                         hundreds, linear programmes as many as they have numbers); 0: each has the
                         default */
  double until; /* 0, or when as_now() is past it no more is tried; 0: no clock is read, so that the
                   same claim gives the same proof */
  /* NULL, or when it is set nobody wants the proof any more: no more is tried.  Then who keeps the
   * result counts it (as_prove_count). */
  const atomic_bool *stop;
} as_prove_opts;

/* why the first goal that was not proved was not */
#define AS_PROOF_WHYS(X)                                                                           \
  X(FOUND, "")                                                                                     \
  X(EFFORT, "the effort limit was reached")                                                        \
  X(TIME, "the time limit was reached")                                                            \
  X(TOO_DEEP, "terms are too large or nest too deeply to be brought to normal form")               \
  X(DIFFER, "the normal forms of the two sides differ")                                            \
  X(NOT_FOLLOWING, "the side condition was not found to follow")                                   \
  X(TOO_LONG, "the claim has more than 4000 definitions")

typedef enum {

#define AS_PROOF_WHY_ID(id, words) AS_PROOF_##id,
  AS_PROOF_WHYS(AS_PROOF_WHY_ID)
#undef AS_PROOF_WHY_ID
} as_proof_why;

const char *as_proof_why_words(as_proof_why why);

typedef struct {
  as_proof_verdict verdict;
  as_proof_why why;
  char *cert;
  size_t cert_len; /* PROVED: the certificate, malloc'ed */
  uint32_t steps;
  uint32_t terms;       /* lines of the certificate */
  uint32_t steps_tried; /* steps made, dead ones included */
  uint64_t work;        /* that all ways did */
  uint32_t goals;
  uint32_t goals_proved;
  char *goal; /* UNPROVED: name of the first goal not proved, malloc'ed */
  char *left;
  char *right;  /* its two sides in normal form, as mathematics (proofs/math), malloc'ed; of a goal
                   that  is no equation the formula, and NULL */
  char *reason; /* `why` in words, malloc'ed */
} as_proof_result;

/* Borrows T and c (whose terms live in T; T grows).  opts may be NULL.  The result is cleared by
 * as_proof_result_clear. */
void as_prove_claim(ck_terms *terms, const ck_claim *c, const as_prove_opts *opts,
                    as_proof_result *result);
/* adds the proof to what the run did (src/base/stats.h) */
void as_prove_count(const as_proof_result *result);
/* the same for goals alone; hypotheses that more goals may use are taken first, so that goals share
 * work */
void as_prove_goals(ck_terms *terms, const ck_goal *goals, uint32_t n, const as_prove_opts *opts,
                    as_proof_result *result);
/* the claim of files by name; NULL and msg filled on bad input */
ck_claim *as_claim_of_files(ck_terms *terms, const char *spec, const char *cand,
                            const char *const *sem, uint32_t n_sem, ck_msg *msg);
/* reads the claim from texts and proves it; false and *msg filled on bad input */
bool as_prove_texts(const ck_text *spec, const ck_text *cand, const ck_text *sem, uint32_t n_sem,
                    const as_prove_opts *opts, as_proof_result *result, ck_msg *msg);
void as_proof_result_clear(as_proof_result *result);
#endif
