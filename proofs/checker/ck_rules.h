/* The inference rules (proofs/RULES.md section 3).  A theorem is (hypotheses, formula).  Each function applies one rule and returns
 * the number of the new theorem or CK_BAD (reason: ck_error).  Includes ck_term.h only.  Called by ck_cert (replay) and by the prover. */
#pragma once
#include "ck_term.h"

typedef struct ck_proof ck_proof;
ck_proof *ck_proof_new(ck_terms *T); /* borrows T */
void ck_proof_free(ck_proof *P);
uint32_t ck_thm_count(const ck_proof *P);
ck_id ck_thm_formula(const ck_proof *P, uint32_t s);
const ck_id *ck_thm_hyps(const ck_proof *P, uint32_t s, uint32_t *n); /* sorted, without repetition, borrowed */

typedef struct { ck_id coef; const uint32_t *prem; uint32_t n; } ck_summand;
typedef struct { ck_id var, term; } ck_vsub;

uint32_t ck_r_hyp(ck_proof *P, ck_id f), ck_r_use(ck_proof *P, uint32_t s, const ck_id *ts, uint32_t nt, const uint32_t *ps, uint32_t np);
uint32_t ck_r_inst(ck_proof *P, uint32_t s, const ck_vsub *vs, uint32_t nv, const ck_fsub *fs, uint32_t nf, const uint32_t *ps, uint32_t np);
uint32_t ck_r_cases(ck_proof *P, ck_id c, uint32_t p, uint32_t q), ck_r_cong(ck_proof *P, ck_id a, ck_id b, const uint32_t *ps, uint32_t np);
uint32_t ck_r_foldcong(ck_proof *P, ck_id a, ck_id b, const ck_id *vars, uint32_t nv, const uint32_t *ps, uint32_t np);
uint32_t ck_r_arith(ck_proof *P, ck_id f, const ck_summand *sums, uint32_t n), ck_r_antisym(ck_proof *P, uint32_t p, uint32_t q);
uint32_t ck_r_int(ck_proof *P, ck_id f, uint32_t p);
uint32_t ck_r_law(ck_proof *P, const char *name, const ck_id *ts, uint32_t nt, const uint32_t *ps, uint32_t np);
uint32_t ck_r_zero(ck_proof *P, ck_id t, uint32_t p), ck_r_succ(ck_proof *P, ck_id t, ck_id k, uint32_t p);
uint32_t ck_r_induct(ck_proof *P, ck_id k, ck_id n, uint32_t j, const ck_id *fs, const uint32_t *base, const uint32_t *step, uint32_t r, uint32_t p);
