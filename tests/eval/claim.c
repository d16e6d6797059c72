#include "claim.h"
#include "../../verify/field/term_eval.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool load_claim_init(load_claim *c, const as_oplib *L, const char *spec, const char *cand) {
  memset(c, 0, sizeof *c);
  uint32_t n;
  const char *const *files = as_oplib_files(L, &n);
  c->n_sem = n;
  c->sem = as_calloc(n + 1, sizeof *c->sem);
  c->text = as_calloc(n + 1, sizeof *c->text);
  for (uint32_t i = 0; i < n; i++) {
    size_t len;
    c->sem[i] = as_read_file(files[i], &len, NULL);
    c->text[i] = (ck_text){files[i], c->sem[i], len};
  }
  c->T = ck_terms_new();
  ck_text a = {"given", spec, strlen(spec)};
  ck_text b = {"candidate", cand, strlen(cand)};
  ck_msg msg = {0};
  c->claim = ck_claim_texts(c->T, &a, &b, c->text, n, &msg);
  if (!c->claim) {
    c->why = as_format("%s:%d:%d: %s", msg.file ? msg.file : "?", msg.line, msg.col,
                       msg.text ? msg.text : "?");
  }
  free(msg.text);
  free(msg.file);
  return c->claim != NULL;
}

void load_claim_clear(load_claim *c) {
  if (c->claim)
    ck_claim_free(c->claim);
  for (uint32_t i = 0; i < c->n_sem; i++)
    free(c->sem[i]);
  free(c->sem);
  free(c->text);
  free(c->why);
  ck_terms_free(c->T);
}

ck_id load_claim_goal(const load_claim *c, const char *output) {
  for (uint32_t i = 0; i < c->claim->n_goals; i++) {
    if (!strncmp(c->claim->goals[i].name, "eq.", 3) && !strcmp(c->claim->goals[i].name + 3, output))
      return c->claim->goals[i].formula;
  }
  return CK_BAD;
}

typedef struct {
  const as_graph *g;
  const int64_t *env;
  const int64_t *ix;
  const as_tensor *in;
  uint32_t rank;
  as_err *err;
} world;

static bool var(void *arg, const char *name, int64_t *v) {
  world *W = arg;
  if (*name == '$') { /* $o0, $o1, ..: index of the output */
    while (*name && (*name < '0' || *name > '9'))
      name++;
    if (!*name || (uint32_t)atoi(name) >= AS_MAX_RANK)
      return false;
    *v = W->ix[atoi(name)];
    return true;
  }
  as_size s = as_size_find(W->g->sizes, name);
  if (s == AS_SIZE_BAD || W->env[s] == INT64_MIN)
    return false;
  *v = W->env[s];
  return true;
}

static bool app(void *arg, const char *f, const char *sig, const int64_t *ix,
                const void *const *real, uint32_t n, void *out) {
  world *W = arg;
  (void)sig;
  const as_domain *d = W->in[0].d;
  for (uint32_t i = 0; i < W->g->n_input; i++) {
    if (strcmp(W->g->node[W->g->input[i]].name, f) || W->in[i].rank != n)
      continue;
    size_t at = 0;
    bool inside = true;
    for (uint32_t k = 0; k < n; k++) {
      inside &= ix[k] >= 0 && ix[k] < W->in[i].dim[k];
      at = at * (size_t)W->in[i].dim[k] + (size_t)ix[k];
    }
    if (inside) {
      d->set(d, out, as_tensor_at(&W->in[i], at));
    } else {
      as_dom_from_int(d, out, 0);
      d->flag(d, out, AS_F_UNDEF);
    }
    return true;
  }
  if (strncmp(f, "func.", 5))
    return false;
  const as_func *fn = as_oplib_func(W->g->lib, f + 5);
  return fn && fn->n == n && as_func_run(fn, d, real, out, W->err) == AS_OK;
}

as_status load_claim_value(const load_claim *c, const as_graph *spec, ck_id goal, uint32_t side,
                           const int64_t *env, const as_tensor *in, const int64_t *ix, void *out,
                           as_err *err) {
  world W = {.g = spec, .env = env, .ix = ix, .in = in, .err = err};
  as_term_model m = {var, app, &W};
  return as_term_eval(c->T, ck_kid(c->T, goal, side), in[0].d, &m, 50000000, out, err);
}
