/* Goals in, certificate out. */
#include "prove.h"
#include "pv_norm.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_STEPS = 60000 };

/* hypotheses that more goals may use come first, so that goals share contexts and with them results
 */
typedef struct {
  ck_id hyp;
  uint32_t count;
} ranked;

static int rank_cmp(const void *a, const void *b) {
  const ranked *x = a;
  const ranked *y = b;
  return x->count != y->count ? (x->count > y->count ? -1 : 1)
         : x->hyp < y->hyp    ? -1
                              : x->hyp > y->hyp;
}

static ranked *rank_hyps(const ck_goal *g, uint32_t n, size_t *out) {
  as_map at = {.key_words = 2};
  as_vec v;
  uint64_t i;
  as_vec_init(&v, sizeof(ranked));
  for (uint32_t k = 0; k < n; k++) {
    for (uint32_t j = 0; j < g[k].n_allowed; j++) {
      ck_id h = g[k].allowed[j];
      if (as_map_get(&at, AS_KEY(h, 0), &i)) {
        AS_VEC_AT(&v, ranked, i).count++;
        continue;
      }
      ranked r = {h, 1};
      as_map_put(&at, AS_KEY(h, 0), v.n);
      as_vec_push(&v, &r);
    }
  }
  if (v.n)
    qsort(v.data, v.n, sizeof(ranked), rank_cmp);
  as_map_clear(&at);
  *out = v.n;
  return v.data;
}

static pv_ctx goal_context(pv *prover, const ck_goal *g, const ranked *h, size_t n) {
  pv_ctx ctx = 0;
  as_map in = {.key_words = 2};
  uint64_t v;
  for (uint32_t j = 0; j < g->n_allowed; j++)
    as_map_put(&in, AS_KEY(g->allowed[j], 0), 1);
  for (size_t i = 0; i < n; i++) {
    if (as_map_get(&in, AS_KEY(h[i].hyp, 0), &v) && !pv_too_big(prover, h[i].hyp))
      ctx = pv_ctx_push(prover, ctx, h[i].hyp, CK_BAD); /* without those that are too large */
  }
  as_map_clear(&in);
  return ctx;
}

static void explain(pv *prover, pv_ctx ctx, const ck_goal *g, as_proof_result *result) {
  ck_id formula = g->formula;
  bool eqf = ck_head(prover->terms, formula) == CK_EQ;
  bool spent = pv_spent(prover);
  result->goal = as_strdup(g->name);
  result->reason = as_strdup(
      spent              ? "the effort limit was reached"
      : prover->too_deep ? "terms are too large or nest too deeply to be brought to normal form"
      : eqf              ? "the normal forms of the two sides differ"
                         : "the side condition was not found to follow");
  prover->max_steps = (uint32_t)prover->steps.n + 2000;
  prover->max_work = prover->work + 1000000;
  if (!eqf) {
    ck_id a = ck_kid(prover->terms, formula, 0);
    if (a == prover->zero)
      a = ck_kid(prover->terms, formula, 1);
    pv_eqn eqn = pv_norm(prover, ctx, a);
    char *raw = ck_show(prover->terms, formula);
    char *nf = eqn.by == PV_NONE ? NULL : ck_show(prover->terms, eqn.to);
    result->left = nf ? as_format("%s, normal: %s", raw, nf) : as_strdup(raw);
    free(raw);
    free(nf);
    return;
  }
  pv_eqn x = pv_norm(prover, ctx, ck_kid(prover->terms, formula, 0));
  pv_eqn y = pv_norm(prover, ctx, ck_kid(prover->terms, formula, 1));
  result->left = ck_show(prover->terms, x.by == PV_NONE ? ck_kid(prover->terms, formula, 0) : x.to);
  result->right =
      ck_show(prover->terms, y.by == PV_NONE ? ck_kid(prover->terms, formula, 1) : y.to);
}

void as_prove_goals(ck_terms *terms, const ck_goal *goals, uint32_t n, const as_prove_opts *opts,
                    as_proof_result *result) {
  pv prover;
  size_t nh;
  ranked *h = rank_hyps(goals, n, &nh);
  pv_thm *proof = as_calloc(n + 1, sizeof *proof);
  const char **names = as_calloc(n + 1, sizeof *names);
  memset(result, 0, sizeof *result);
  result->verdict = AS_UNPROVED;
  result->goals = n;
  pv_init(&prover, terms, opts && opts->max_steps ? opts->max_steps : DEFAULT_STEPS);
  for (uint32_t i = 0; i < n; i++) {
    pv_ctx ctx = goal_context(&prover, &goals[i], h, nh);
    names[i] = goals[i].name;
    proof[i] = pv_prove_goal(&prover, ctx, goals[i].formula);
    if (proof[i] == PV_NONE) {
      explain(&prover, ctx, &goals[i], result);
      break;
    }
    result->goals_proved++;
  }
  result->steps_tried = (uint32_t)prover.steps.n;
  if (result->goals_proved == n) {
    result->cert =
        pv_certificate(&prover, names, proof, n, &result->cert_len, &result->steps, &result->terms);
    result->verdict = AS_PROVED;
  }
  pv_clear(&prover);
  free(h);
  free(proof);
  free(names);
}

void as_prove_claim(ck_terms *terms, const ck_claim *c, const as_prove_opts *opts,
                    as_proof_result *result) {
  as_prove_goals(terms, c->goals, c->n_goals, opts, result);
}

ck_claim *as_claim_of_files(ck_terms *terms, const char *spec, const char *cand,
                            const char *const *sem, uint32_t n_sem, ck_msg *msg) {
  ck_text *text = as_calloc(n_sem + 1, sizeof *text);
  for (uint32_t i = 0; i < n_sem; i++)
    text[i].name = sem[i];
  ck_claim *c =
      ck_claim_texts(terms, &(ck_text){.name = spec}, &(ck_text){.name = cand}, text, n_sem, msg);
  free(text);
  return c;
}

bool as_prove_texts(const ck_text *spec, const ck_text *cand, const ck_text *sem, uint32_t n_sem,
                    const as_prove_opts *opts, as_proof_result *result, ck_msg *msg) {
  ck_terms *terms = ck_terms_new();
  ck_claim *c = ck_claim_texts(terms, spec, cand, sem, n_sem, msg);
  memset(result, 0, sizeof *result);
  if (c) {
    as_prove_claim(terms, c, opts, result);
    ck_claim_free(c);
  }
  ck_terms_free(terms);
  return c != NULL;
}

void as_proof_result_clear(as_proof_result *result) {
  free(result->cert);
  free(result->goal);
  free(result->left);
  free(result->right);
  free(result->reason);
  memset(result, 0, sizeof *result);
}
