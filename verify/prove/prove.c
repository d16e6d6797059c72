/* Goals in, certificate out. */
#include "prove.h"
#include "pv_defs.h"
#include "pv_norm.h"
#include "pv_steps.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <stdlib.h>
#include <string.h>

/* MAX_DEFINITIONS: every theorem about a tensor rests on the definitions of all before it */
enum { DEFAULT_STEPS = 60000, SHARED_EFFORT = 4, MAX_DEFINITIONS = 4000 };

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

static pv_ctx goal_context(pv *p, pv_world w, const ck_goal *g, const ranked *h, size_t n) {
  pv_ctx cx = 0;
  as_map in = {.key_words = 2};
  uint64_t v;
  for (uint32_t j = 0; j < g->n_allowed; j++)
    as_map_put(&in, AS_KEY(g->allowed[j], 0), 1);
  for (size_t i = 0; i < n; i++) {
    if (!as_map_get(&in, AS_KEY(h[i].h, 0), &v))
      continue;
    if (p->defs)
      cx = pv_defs_assume(p->defs, w, cx, h[i].h);
    else if (!pv_too_big(p, h[i].h))
      cx = pv_ctx_push(p, cx, h[i].h, CK_BAD); /* without those that are too large */
  }
  as_map_clear(&in);
  return cx;
}

static void explain(pv *p, pv_ctx cx, const ck_goal *g, ck_id f, as_proof_result *r) {
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

/* the goal's formula as the prover sees it in that world */
static ck_id seen(pv *p, pv_world w, const ck_goal *g) {
  return p->defs ? pv_defs_relation(p->defs, w, g->formula) : g->formula;
}

static pv_thm prove_in(pv *p, pv_world w, const ck_goal *g, const ranked *h, size_t n) {
  pv_ctx cx = goal_context(p, w, g, h, n);
  ck_id f = seen(p, w, g);
  if (f == CK_BAD)
    return PV_NONE;
  bool same = ck_head(p->terms, f) == CK_EQ && ck_kid(p->terms, f, 0) == ck_kid(p->terms, f, 1);
  pv_thm s = same ? pv_identity(p, f) : pv_prove_goal(p, cx, f);
  return p->defs ? pv_defs_back(p->defs, w, g->formula, s) : s;
}

/* Symbols that both sides have stay as they are at first, with a part of the effort; then they are
 * written out like all others. */
static pv_thm prove(pv *p, const ck_goal *g, const ranked *h, size_t n) {
  if (p->defs && pv_defs_shared(p->defs)) {
    uint64_t work = p->max_work;
    uint32_t steps = p->max_steps;
    if (p->work < work && p->steps.n < steps) {
      p->max_work = p->work + (work - p->work) / SHARED_EFFORT;
      p->max_steps = (uint32_t)p->steps.n + (steps - (uint32_t)p->steps.n) / SHARED_EFFORT;
    }
    pv_thm s = prove_in(p, PV_SHARED, g, h, n);
    p->max_work = work;
    p->max_steps = steps;
    if (s != PV_NONE)
      return s;
  }
  return prove_in(p, PV_WHOLE, g, h, n);
}

static void prove_all(pv *p, const ck_goal *goals, uint32_t n, as_proof_result *r) {
  size_t nh;
  ranked *h = rank_hyps(goals, n, &nh);
  pv_thm *proof = as_calloc(n + 1, sizeof *proof);
  const char **names = as_calloc(n + 1, sizeof *names);
  memset(r, 0, sizeof *r);
  r->verdict = AS_UNPROVED;
  r->goals = n;
  for (uint32_t i = 0; i < n; i++) {
    names[i] = goals[i].name;
    proof[i] = prove(p, &goals[i], h, nh);
    if (proof[i] == PV_NONE) {
      pv_ctx cx = goal_context(p, PV_WHOLE, &goals[i], h, nh);
      explain(p, cx, &goals[i], seen(p, PV_WHOLE, &goals[i]), r);
      break;
    }
    r->goals_proved++;
  }
  r->steps_tried = (uint32_t)p->steps.n;
  if (r->goals_proved == n) {
    r->cert = pv_certificate(p, names, proof, n, &r->cert_len, &r->steps, &r->terms);
    r->verdict = AS_PROVED;
  }
  free(h);
  free(proof);
  free(names);
}

static void prove_with(ck_terms *T, const ck_claim *claim, const ck_goal *goals, uint32_t n,
                       const as_prove_opts *opts, as_proof_result *r) {
  pv p;
  if (claim && claim->n_definitions > MAX_DEFINITIONS) {
    memset(r, 0, sizeof *r);
    r->verdict = AS_UNPROVED;
    r->goals = n;
    r->goal = as_strdup(n ? goals[0].name : "");
    r->reason = as_format("more than %d definitions", MAX_DEFINITIONS);
    r->left = as_strdup("");
    return;
  }
  pv_init(&p, T, opts && opts->max_steps ? opts->max_steps : DEFAULT_STEPS);
  pv_defs *defs = claim && claim->n_definitions ? pv_defs_new(&p, claim) : NULL;
  prove_all(&p, goals, n, r);
  if (defs)
    pv_defs_free(defs);
  pv_clear(&p);
}

void as_prove_goals(ck_terms *T, const ck_goal *goals, uint32_t n, const as_prove_opts *opts,
                    as_proof_result *r) {
  prove_with(T, NULL, goals, n, opts, r);
}

void as_prove_claim(ck_terms *T, const ck_claim *c, const as_prove_opts *opts, as_proof_result *r) {
  prove_with(T, c, c->goals, c->n_goals, opts, r);
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
