/* Replay of a certificate (proofs/FORMAT.md) against a claim.  Includes ck_rules.h, ck_claim.h. */
#pragma once
#include "ck_claim.h"
#include "ck_rules.h"
#define CK_N_RULES 13
typedef struct { const char *rule[CK_N_RULES]; uint32_t count[CK_N_RULES]; uint32_t terms, steps; } ck_usage;
/* True: every goal is met.  False: rejected, *why (malloc'ed) says where.  ck_cert_trace tells on_step of every step as it is made. */
typedef void ck_on_step(void *arg, uint32_t step, const char *rule, ck_terms *T, ck_proof *P);
bool ck_cert_trace(ck_terms *T, const ck_goal *goals, uint32_t n_goals, const char *text, size_t len, ck_usage *usage, char **why,
                   ck_on_step *on_step, void *arg);
static inline bool ck_cert_check(ck_terms *T, const ck_goal *goals, uint32_t n_goals, const char *text, size_t len, ck_usage *usage, char **why) {
  return ck_cert_trace(T, goals, n_goals, text, len, usage, why, NULL, NULL);
}
