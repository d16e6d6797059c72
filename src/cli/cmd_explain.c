/* `assay explain`: the theorem and its proof as mathematics, routine steps folded; or the counterexample of a refuted result, evaluated again. */
#include "cli.h"
#include "outline.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool ends_with(const char *s, const char *end) {
  size_t n = strlen(s), m = strlen(end);
  return n >= m && strcmp(s + n - m, end) == 0;
}

static void print(const cli_opts *o, outline *out, bool accepted, const char *why) {
  if (o->json) {
    json_t *j = outline_json(out);
    json_object_set_new(j, "accepted", json_boolean(accepted));
    if (!accepted) json_object_set_new(j, "why", json_string(why));
    json_dumpf(j, stdout, JSON_INDENT(1));
    putchar('\n');
    json_decref(j);
    return;
  }
  char *text = outline_text(out);
  printf("%s\n%s%s\n", text, accepted ? "The checker accepts: every goal follows" : "The checker REJECTS: ", accepted ? "" : why);
  free(text);
}

/* What is printed is read off the certificate by code that nobody has to trust; whether it is a proof, the checker says. */
static int explain_proof(const cli_opts *o, const cli_place *at, as_err *err) {
  cli_case c = {0};
  size_t len = 0;
  bool rule = ends_with(at->prog, ".rule");
  char *text = NULL;
  int status = AS_INTERNAL;
  if (cli_load(&at->opts, rule ? NULL : at->prog, NULL, &c, err) && (text = as_read_file(at->cert, &len, err)) != NULL) {
    uint32_t n;
    const char *const *files = as_oplib_files(c.lib, &n);
    ck_terms *T = ck_terms_new();
    ck_msg msg = {0};
    ck_claim *claim = ck_claim_read(T, at->prog, at->cand, files, n, &msg);
    if (claim == NULL)
      as_err_set(err, AS_BAD_INPUT, "%s:%d:%d: %s", msg.file ? msg.file : at->cand, msg.line, msg.col, msg.text ? msg.text : "cannot be read");
    else {
      ck_usage use;
      char *why = NULL;
      bool accepted = ck_cert_check(T, claim->goals, claim->n_goals, text, len, &use, &why);
      outline *out = outline_new(T, claim, text, len, o->full || o->verbose, err);
      if (out) print(o, out, accepted, why);
      status = out && accepted ? AS_OK : AS_NO;
      outline_free(out);
      free(why);
    }
    ck_claim_free(claim);
    ck_terms_free(T);
    free(msg.text), free(msg.file);
  }
  cli_case_clear(&c);
  free(text);
  return status;
}

/* The report's counterexample at its sizes and inputs, evaluated now.  0: it stands, 1: it does not. */
static int explain_refutation(const cli_opts *o, const cli_place *at, json_t *kept, as_err *err) {
  cli_case c = {0};
  as_cex told, now;
  as_cex_init(&told), as_cex_init(&now);
  int status = AS_INTERNAL;
  if (cli_load(&at->opts, at->prog, at->cand, &c, err) && cli_cex_read(kept, &c, &told, err)) {
    as_err why;
    as_err_init(&why);
    as_status s = as_cex_replay(c.spec, c.cand, &told, &why);
    if (s == AS_NO) s = cli_cex_again(&c, &told, &now, &why);
    char *words = as_cex_print(c.spec, s == AS_NO ? &now : &told);
    if (s == AS_BAD_INPUT || s == AS_INTERNAL)
      as_err_set(err, s, "%s", why.text ? why.text : "the counterexample cannot be evaluated");
    else if (o->json)
      printf("{\"replayed\": %s}\n", s == AS_NO ? "true" : "false");
    else
      printf("REFUTED: %s does not refine %s\n\n%s\nEvaluated again just now: %s%s%s\n", c.cand->name, c.spec->name, words,
             s == AS_NO ? "the two differ as shown." : "NOT CONFIRMED, ", s == AS_NO ? "" : why.text ? why.text : "the two agree there", s == AS_NO ? "" : ".");
    status = s == AS_NO ? AS_OK : s == AS_OK || s == AS_UNKNOWN ? AS_NO : (int)s;
    free(words);
    as_err_clear(&why);
  }
  as_cex_clear(&told), as_cex_clear(&now);
  cli_case_clear(&c);
  return status;
}

/* report.json's counterexample, where the directory holds no certificate; NULL: none */
static json_t *refutation(const cli_opts *o, const cli_place *at) {
  if (o->n_arg != 1 || cli_exists(at->cert)) return NULL;
  char *path = as_format("%s/report.json", o->arg[0]);
  json_t *report = json_load_file(path, 0, NULL), *kept = report ? json_incref(json_object_get(report, "replay")) : NULL;
  json_decref(report);
  free(path);
  return kept;
}

int cli_explain(const cli_opts *o) {
  as_err err;
  as_err_init(&err);
  if (o->n_arg == 2) {
    as_err_set(&err, AS_BAD_INPUT, "explain needs a result directory, or a program, a candidate and a certificate, or a file of rules, a rule's name and a certificate");
    int status = cli_fail(&err);
    as_err_clear(&err);
    return status;
  }
  cli_place at;
  cli_place_init(&at, o);
  json_t *kept = refutation(o, &at);
  int status = kept ? explain_refutation(o, &at, kept, &err) : explain_proof(o, &at, &err);
  if (err.status != AS_OK) status = cli_fail(&err);
  json_decref(kept);
  cli_place_clear(&at);
  as_err_clear(&err);
  return status;
}
