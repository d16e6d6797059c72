/* What stands between a candidate and the user: the field test, the prover, and the replay of the
 * certificate in fresh terms by the checker's own code against a claim computed again from the
 * texts. */
#include "proofs/checker/ck_cert.h"
#include "search.h"
#include "verify/field/field.h"
#include "verify/prove/prove.h"
#include <stdlib.h>
#include <string.h>

static as_status field(void *arg, const as_graph *program, const as_graph *cand, uint32_t runs,
                       uint64_t seed, char **why) {
  as_field_options o = as_field_default;
  as_field_report rep;
  as_err e;
  (void)arg;
  o.runs = runs;
  o.seed = seed;
  as_err_init(&e);
  as_status s = as_field_test(program, cand, &o, &rep, &e);
  *why = s == AS_BAD_INPUT || s == AS_INTERNAL ? as_err_format(&e) : as_field_report_print(&rep);
  as_field_report_clear(&rep);
  as_err_clear(&e);
  return s;
}

typedef struct {
  ck_text *sem;
  uint32_t n;
} texts;

static bool read_sem(const as_oplib *L, texts *t, as_err *e) {
  uint32_t n;
  const char *const *file = as_oplib_files(L, &n);
  t->sem = as_calloc(n + 1, sizeof *t->sem);
  for (t->n = 0; t->n < n; t->n++) {
    t->sem[t->n].name = file[t->n];
    t->sem[t->n].text = as_read_file(file[t->n], &t->sem[t->n].len, e);
    if (!t->sem[t->n].text)
      return false;
  }
  return true;
}

/* all specifications are given as texts, so the lines that name files are left out */
static void drop_use(char *text) {
  while (!strncmp(text, "use ", 4)) {
    char *nl = strchr(text, '\n');
    if (!nl)
      return;
    memmove(text, nl + 1, strlen(nl + 1) + 1);
  }
}

static char *of_msg(ck_msg *m) {
  char *s =
      as_format("%s:%d:%d: %s", m->file ? m->file : "?", m->line, m->col, m->text ? m->text : "?");
  free(m->text);
  free(m->file);
  return s;
}

static bool replay(const ck_text *spec, const ck_text *cand, const texts *texts_given,
                   const char *cert, size_t len, char **why) {
  ck_terms *terms = ck_terms_new();
  ck_msg msg = {0};
  ck_claim *claim = ck_claim_texts(terms, spec, cand, texts_given->sem, texts_given->n, &msg);
  ck_usage usage;
  bool ok = claim && ck_cert_check(terms, claim->goals, claim->n_goals, cert, len, &usage, why);
  if (!claim)
    *why = of_msg(&msg);
  if (claim)
    ck_claim_free(claim);
  ck_terms_free(terms);
  return ok;
}

static as_status prove(void *arg, const as_graph *program, const as_graph *cand, char **cert,
                       size_t *len, char **why) {
  char *p = as_print_tp(program);
  char *m = as_print_mug(cand);
  texts t = {0};
  as_err e;
  as_proof_result r;
  ck_msg msg = {0};
  as_status out = AS_UNKNOWN;
  (void)arg;
  as_err_init(&e);
  drop_use(p);
  ck_text spec = {"program", p, strlen(p)};
  ck_text candidate = {"candidate", m, strlen(m)};
  *cert = *why = NULL;
  if (!read_sem(program->lib, &t, &e)) {
    *why = as_err_format(&e);
  } else if (!as_prove_texts(&spec, &candidate, t.sem, t.n, NULL, &r, &msg)) {
    *why = of_msg(&msg);
  } else {
    if (r.verdict == AS_PROVED) {
      if (replay(&spec, &candidate, &t, r.cert, r.cert_len, why)) {
        *cert = as_malloc(r.cert_len + 1);
        memcpy(*cert, r.cert, r.cert_len);
        (*cert)[r.cert_len] = 0;
        *len = r.cert_len;
        out = AS_OK;
      } else {
        out = AS_NO;
      }
    } else {
      *why = as_format("goal %s: %s\n  left:  %s\n  right: %s", r.goal ? r.goal : "?",
                       r.reason ? r.reason : "no proof found", r.left ? r.left : "-",
                       r.right ? r.right : "-");
    }
    as_proof_result_clear(&r);
  }
  for (uint32_t i = 0; i < t.n; i++)
    free((char *)(uintptr_t)t.sem[i].text);
  free(t.sem);
  free(p);
  free(m);
  as_err_clear(&e);
  return out;
}

const as_search_filter as_search_filter_default = {field, prove, NULL};
