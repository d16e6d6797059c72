/* The state: made and freed. */
#include "pv_context.h"
#include "pv_log.h"
#include "pv_terms.h"
#include "src/base/file.h"
#include <stdlib.h>
#include <string.h>

void pv_init(pv *prover, ck_terms *terms, uint32_t max_steps) {
  memset(prover, 0, sizeof *prover);
  prover->terms = terms;
  prover->proof = ck_proof_new(terms);
  prover->max_steps = max_steps;
  as_map_init(&prover->step_memo, 2);
  as_map_init(&prover->norm_memo, 2);
  as_map_init(&prover->ctx_memo, 2);
  as_map_init(&prover->rel_memo, 2);
  as_map_init(&prover->cmp_memo, 2);
  as_map_init(&prover->misc_memo, 2);
  as_map_init(&prover->inst_memo, 2);
  as_intern_init(&prover->monomials, NULL);
  prover->max_work = 1600ull * max_steps;
  as_vec_init(&prover->steps, sizeof(pv_step));
  as_vec_init(&prover->tokens, sizeof(pv_token));
  as_vec_init(&prover->scratch, sizeof(pv_token));
  as_vec_init(&prover->ctxs, sizeof(pv_assumption));
  as_vec_init(&prover->fact_busy, sizeof(uint64_t));
  as_vec_init(&prover->owned, sizeof(void *));
  for (int i = 0; i < PV_MAX_LEMMAS; i++)
    prover->lemmas[i] = PV_NONE;
  pv_assumption root = {PV_NONE, CK_BAD, PV_NONE, CK_BAD, 0, 0};
  as_vec_push(&prover->ctxs, &root);
  for (int i = 0; i <= 2 * PV_SMALL; i++)
    prover->small[i] = CK_BAD;
  prover->zero = pv_num(prover, 0);
  prover->one = pv_num(prover, 1);
}

void pv_clear(pv *prover) {
  ck_proof_free(prover->proof);
  for (size_t i = 0; i < prover->owned.n; i++)
    free(AS_VEC_AT(&prover->owned, void *, i));
  as_vec_clear(&prover->owned);
  as_vec_clear(&prover->steps);
  as_vec_clear(&prover->tokens);
  as_vec_clear(&prover->scratch);
  as_vec_clear(&prover->ctxs);
  as_vec_clear(&prover->fact_busy);
  as_map_clear(&prover->step_memo);
  as_map_clear(&prover->norm_memo);
  as_map_clear(&prover->ctx_memo);
  as_map_clear(&prover->rel_memo);
  as_map_clear(&prover->cmp_memo);
  as_map_clear(&prover->misc_memo);
  as_map_clear(&prover->inst_memo);
  as_intern_clear(&prover->monomials);
}

bool pv_late(const pv *prover) {
  bool stopped = prover->stop && atomic_load_explicit(prover->stop, memory_order_relaxed);
  return stopped || (prover->until > 0 && as_now() > prover->until);
}

bool pv_spent(const pv *prover) {
  return prover->steps.n >= prover->max_steps || prover->work >= prover->max_work ||
         pv_late(prover);
}
