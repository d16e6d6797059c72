/* Proof and replay as both soundness harnesses need them: the prover's certificate, read by a
 * checker that starts afresh. */
#ifndef TESTS_SOUNDNESS_CERTIFY_H
#define TESTS_SOUNDNESS_CERTIFY_H
#include "proofs/checker/ck_cert.h"

/* the claim of a given text and what is said of it (a candidate's text, a rule's name); NULL where
 * the checker's reader refuses it */
typedef ck_claim *claim_maker(ck_terms *T, const char *given, const char *other);

bool accepted(ck_terms *T, const ck_claim *c, const char *cert, size_t len);
/* whether the prover, within max_steps (0: its default), finds a certificate that is accepted;
 * *cert (unless NULL) is then for the caller to free */
bool certified_as(claim_maker *claim_of, const char *given, const char *other, uint32_t max_steps,
                  char **cert, size_t *len);
#endif
