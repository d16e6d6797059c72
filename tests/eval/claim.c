#include "claim.h"
#include "../../verify/field/term_eval.h"
#include "../written_out.h"
#include "src/base/file.h"
#include "src/base/str.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* of a program and a candidate; or of a file of rules, its name ending in .rule, and a rule's name
 */
static bool init(load_claim *claim, const char *const *files, uint32_t n, ck_text source,
                 ck_text text) {
  memset(claim, 0, sizeof *claim);
  claim->n_sem = n;
  claim->sem = as_calloc(n + 1, sizeof *claim->sem);
  claim->text = as_calloc(n + 1, sizeof *claim->text);
  for (uint32_t i = 0; i < n; i++) {
    size_t len;
    claim->sem[i] = as_read_file(files[i], &len, NULL);
    claim->text[i] = (ck_text){files[i], claim->sem[i], len};
  }
  claim->T = ck_terms_new();
  ck_msg msg = {0};
  claim->claim = ck_claim_texts(claim->T, &source, &text, claim->text, n, &msg);
  claim->absurd = msg.absurd;
  if (!claim->claim) {
    claim->why = as_format("%s:%d:%d: %s", msg.file ? msg.file : "?", msg.line, msg.col,
                           msg.text ? msg.text : "?");
  }
  free(msg.text);
  free(msg.file);
  return claim->claim != NULL;
}

bool load_claim_files(load_claim *claim, const char *const *files, uint32_t n, const char *spec,
                      const char *cand) {
  return init(claim, files, n, (ck_text){"given", spec, strlen(spec)},
              (ck_text){"candidate", cand, strlen(cand)});
}

bool load_claim_init(load_claim *claim, const as_oplib *lib, const char *spec, const char *cand) {
  uint32_t n;
  const char *const *files = as_oplib_files(lib, &n);
  return load_claim_files(claim, files, n, spec, cand);
}

bool load_claim_rule(load_claim *claim, const as_oplib *lib, const char *file, const char *text,
                     const char *name) {
  uint32_t n;
  const char *const *files = as_oplib_files(lib, &n);
  return init(claim, files, n, (ck_text){file, text, strlen(text)}, (ck_text){name, "", 0});
}

void load_claim_clear(load_claim *claim) {
  if (claim->claim)
    ck_claim_free(claim->claim);
  for (uint32_t i = 0; i < claim->n_sem; i++)
    free(claim->sem[i]);
  free(claim->sem);
  free(claim->text);
  free(claim->why);
  ck_terms_free(claim->T);
}

ck_id load_claim_goal(const load_claim *claim, const char *output) {
  for (uint32_t i = 0; i < claim->claim->n_goals; i++) {
    if (!strncmp(claim->claim->goals[i].name, "eq.", 3) &&
        !strcmp(claim->claim->goals[i].name + 3, output))
      return written_out(claim->T, claim->claim, claim->claim->goals[i].formula);
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

static bool var(void *arg, const char *name, int64_t *value) {
  world *here = arg;
  if (*name == '$') { /* $o0, $o1, ..: index of the output */
    while (*name && (*name < '0' || *name > '9'))
      name++;
    if (!*name || (uint32_t)atoi(name) >= AS_MAX_RANK)
      return false;
    *value = here->ix[atoi(name)];
    return true;
  }
  as_size size = as_size_find(here->g->sizes, name);
  if (size == AS_SIZE_BAD || here->env[size] == INT64_MIN)
    return false;
  *value = here->env[size];
  return true;
}

static bool app(void *arg, const char *f, const char *sig, const int64_t *index,
                const void *const *real, uint32_t n, void *out) {
  world *here = arg;
  (void)sig;
  const as_domain *domain = here->in[0].d;
  for (uint32_t i = 0; i < here->g->n_input; i++) {
    if (strcmp(here->g->node[here->g->input[i]].name, f) || here->in[i].rank != n)
      continue;
    size_t at = 0;
    bool inside = true;
    for (uint32_t k = 0; k < n; k++) {
      inside &= index[k] >= 0 && index[k] < here->in[i].dim[k];
      at = at * (size_t)here->in[i].dim[k] + (size_t)index[k];
    }
    if (inside) {
      domain->set(domain, out, as_tensor_at(&here->in[i], at));
    } else {
      as_dom_from_int(domain, out, 0);
      domain->flag(domain, out, AS_F_UNDEF);
    }
    return true;
  }
  if (strncmp(f, "func.", 5))
    return false;
  const as_func *func = as_oplib_func(here->g->lib, f + 5);
  return func && func->n == n && as_func_run(func, domain, real, out, here->err) == AS_OK;
}

as_status load_claim_value(const load_claim *claim, const as_graph *spec, ck_id goal, uint32_t side,
                           const int64_t *env, const as_tensor *inputs, const int64_t *index,
                           void *out, as_err *err) {
  world here = {.g = spec, .env = env, .ix = index, .in = inputs, .err = err};
  as_term_model model = {var, app, &here};
  return as_term_eval(claim->T, ck_kid(claim->T, goal, side), inputs[0].d, &model, 50000000, out,
                      err);
}
