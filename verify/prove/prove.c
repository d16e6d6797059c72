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
  ck_id h;
  uint32_t count;
} ranked;

static int rank_cmp(const void *a, const void *b) {
  const ranked *x = a;
  const ranked *y = b;
  return x->count != y->count ? (x->count > y->count ? -1 : 1) : x->h < y->h ? -1 : x->h > y->h;
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

static pv_ctx goal_context(pv *p, const ck_goal *g, const ranked *h, size_t n) {
  pv_ctx cx = 0;
  as_map in = {.key_words = 2};
  uint64_t v;
  for (uint32_t j = 0; j < g->n_allowed; j++)
    as_map_put(&in, AS_KEY(g->allowed[j], 0), 1);
  for (size_t i = 0; i < n; i++) {
    if (as_map_get(&in, AS_KEY(h[i].h, 0), &v) && !pv_too_big(p, h[i].h))
      cx = pv_ctx_push(p, cx, h[i].h, CK_BAD); /* without those that are too large */
  }
  as_map_clear(&in);
  return cx;
}

static void explain(pv *p, pv_ctx cx, const ck_goal *g, as_proof_result *r) {
  ck_id f = g->formula;
  bool eqf = ck_head(p->terms, f) == CK_EQ;
  bool spent = pv_spent(p);
  r->goal = as_strdup(g->name);
  r->reason = as_strdup(spent ? "the effort limit was reached"
                        : p->too_deep
                            ? "terms are too large or nest too deeply to be brought to normal form"
                        : eqf ? "the normal forms of the two sides differ"
                              : "the side condition was not found to follow");
  p->max_steps = (uint32_t)p->steps.n + 2000;
  p->max_work = p->work + 1000000;
  if (!eqf) {
    ck_id a = ck_kid(p->terms, f, 0);
    if (a == p->zero)
      a = ck_kid(p->terms, f, 1);
    pv_eqn e = pv_norm(p, cx, a);
    char *raw = ck_show(p->terms, f);
    char *nf = e.by == PV_NONE ? NULL : ck_show(p->terms, e.to);
    r->left = nf ? as_format("%s, normal: %s", raw, nf) : as_strdup(raw);
    free(raw);
    free(nf);
    return;
  }
  pv_eqn x = pv_norm(p, cx, ck_kid(p->terms, f, 0));
  pv_eqn y = pv_norm(p, cx, ck_kid(p->terms, f, 1));
  r->left = ck_show(p->terms, x.by == PV_NONE ? ck_kid(p->terms, f, 0) : x.to);
  r->right = ck_show(p->terms, y.by == PV_NONE ? ck_kid(p->terms, f, 1) : y.to);
}

void as_prove_goals(ck_terms *T, const ck_goal *goals, uint32_t n, const as_prove_opts *opts,
                    as_proof_result *r) {
  pv p;
  size_t nh;
  ranked *h = rank_hyps(goals, n, &nh);
  pv_thm *proof = as_calloc(n + 1, sizeof *proof);
  const char **names = as_calloc(n + 1, sizeof *names);
  memset(r, 0, sizeof *r);
  r->verdict = AS_UNPROVED;
  r->goals = n;
  pv_init(&p, T, opts && opts->max_steps ? opts->max_steps : DEFAULT_STEPS);
  for (uint32_t i = 0; i < n; i++) {
    pv_ctx cx = goal_context(&p, &goals[i], h, nh);
    names[i] = goals[i].name;
    proof[i] = pv_prove_goal(&p, cx, goals[i].formula);
    if (proof[i] == PV_NONE) {
      explain(&p, cx, &goals[i], r);
      break;
    }
    r->goals_proved++;
  }
  r->steps_tried = (uint32_t)p.steps.n;
  if (r->goals_proved == n) {
    r->cert = pv_certificate(&p, names, proof, n, &r->cert_len, &r->steps, &r->terms);
    r->verdict = AS_PROVED;
  }
  pv_clear(&p);
  free(h);
  free(proof);
  free(names);
}

void as_prove_claim(ck_terms *T, const ck_claim *c, const as_prove_opts *opts, as_proof_result *r) {
  as_prove_goals(T, c->goals, c->n_goals, opts, r);
}

ck_claim *as_claim_of_files(ck_terms *T, const char *spec, const char *cand, const char *const *sem,
                            uint32_t n_sem, ck_msg *msg) {
  ck_text *text = as_calloc(n_sem + 1, sizeof *text);
  for (uint32_t i = 0; i < n_sem; i++)
    text[i].name = sem[i];
  ck_claim *c =
      ck_claim_texts(T, &(ck_text){.name = spec}, &(ck_text){.name = cand}, text, n_sem, msg);
  free(text);
  return c;
}

bool as_prove_texts(const ck_text *spec, const ck_text *cand, const ck_text *sem, uint32_t n_sem,
                    const as_prove_opts *opts, as_proof_result *r, ck_msg *msg) {
  ck_terms *T = ck_terms_new();
  ck_claim *c = ck_claim_texts(T, spec, cand, sem, n_sem, msg);
  memset(r, 0, sizeof *r);
  if (c) {
    as_prove_claim(T, c, opts, r);
    ck_claim_free(c);
  }
  ck_terms_free(T);
  return c != NULL;
}

void as_proof_result_clear(as_proof_result *r) {
  free(r->cert);
  free(r->goal);
  free(r->left);
  free(r->right);
  free(r->reason);
  memset(r, 0, sizeof *r);
}
