/* Replay of a certificate (proofs/FORMAT.md) against a claim.  Includes ck_rules.h, ck_claim.h. */
#pragma once
#include "ck_claim.h"
#include "ck_rules.h"

typedef struct {
  const char *rule[CK_N_RULES];
  uint32_t count[CK_N_RULES];
  uint32_t terms;
  uint32_t steps;
} ck_usage;

/* True: every goal is met.  False: rejected, *why (malloc'ed) says where. */
bool ck_cert_check(ck_terms *T, const ck_goal *goals, uint32_t n_goals, const char *text,
                   size_t len, ck_usage *usage, char **why);
