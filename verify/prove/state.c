/* The state: made and freed. */
#include "pv_context.h"
#include "pv_log.h"
#include <stdlib.h>
#include <string.h>

void pv_init(pv *p, ck_terms *T, uint32_t max_steps) {
  memset(p, 0, sizeof *p);
  p->terms = T;
  p->proof = ck_proof_new(T);
  p->max_steps = max_steps;
  as_map_init(&p->step_memo, 2);
  as_map_init(&p->norm_memo, 2);
  as_map_init(&p->ctx_memo, 2);
  as_map_init(&p->rel_memo, 2);
  as_map_init(&p->cmp_memo, 2);
  as_map_init(&p->misc_memo, 2);
  as_map_init(&p->inst_memo, 2);
  p->max_work = 1600ull * max_steps;
  as_vec_init(&p->steps, sizeof(pv_step));
  as_vec_init(&p->tokens, sizeof(pv_token));
  as_vec_init(&p->scratch, sizeof(pv_token));
  as_vec_init(&p->ctxs, sizeof(pv_assumption));
  as_vec_init(&p->fact_busy, sizeof(uint64_t));
  as_vec_init(&p->owned, sizeof(void *));
  for (int i = 0; i < PV_MAX_LEMMAS; i++)
    p->lemmas[i] = PV_NONE;
  pv_assumption root = {PV_NONE, CK_BAD, PV_NONE, CK_BAD, 0, 0};
  as_vec_push(&p->ctxs, &root);
  p->zero = ck_int(T, 0);
  p->one = ck_int(T, 1);
}

void pv_clear(pv *p) {
  ck_proof_free(p->proof);
  for (size_t i = 0; i < p->owned.n; i++)
    free(AS_VEC_AT(&p->owned, void *, i));
  as_vec_clear(&p->owned);
  as_vec_clear(&p->steps);
  as_vec_clear(&p->tokens);
  as_vec_clear(&p->scratch);
  as_vec_clear(&p->ctxs);
  as_vec_clear(&p->fact_busy);
  as_map_clear(&p->step_memo);
  as_map_clear(&p->norm_memo);
  as_map_clear(&p->ctx_memo);
  as_map_clear(&p->rel_memo);
  as_map_clear(&p->cmp_memo);
  as_map_clear(&p->misc_memo);
  as_map_clear(&p->inst_memo);
}

bool pv_spent(const pv *p) {
  return p->steps.n >= p->max_steps || p->work >= p->max_work;
}
