#include "cli.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_sources(const cli_case *c, cli_result *r, as_err *err) {
  uint32_t n;
  const char *const *file = as_oplib_files(c->lib, &n);
  for (uint32_t i = 0; i < n; i++) {
    size_t len;
    char *text = as_read_file(file[i], &len, err), *slash = strrchr(file[i], '/');
    char *name = as_format("semantics/%s", slash ? slash + 1 : file[i]);
    if (text) cli_result_add(r, name, text, len);
    free(text), free(name);
  }
}

/* program, candidate, certificate, specifications and reports as one directory */
static bool write_result(const cli_opts *o, const cli_case *c, const ck_text *spec, const ck_text *cand, const cli_verdicts *v, as_err *err) {
  cli_result r;
  cli_result_init(&r);
  cli_result_add(&r, "program.tp", spec->text, spec->len);
  cli_result_add(&r, c->cand->program ? "candidate.mug" : "candidate.tp", cand->text, cand->len);
  if (v->proof.cert) cli_result_add(&r, "certificate.cert", v->proof.cert, v->proof.cert_len);
  if (v->smt_text) cli_result_add(&r, "obligations.smt2", v->smt_text, strlen(v->smt_text));
  add_sources(c, &r, err);
  char *html = cli_report_html(c, v, NULL);
  cli_result_add(&r, "report.html", html, strlen(html));
  char *json = cli_report_json(c, v, &r, NULL);
  cli_result_add(&r, "report.json", json, strlen(json));
  bool ok = err->status == AS_OK && cli_result_write(&r, o->out, o->force, err);
  free(html), free(json);
  cli_result_clear(&r);
  return ok;
}

int cli_certify(const cli_opts *o) {
  as_err err;
  as_err_init(&err);
  cli_case c;
  cli_verdicts v;
  cli_verdicts_init(&v);
  ck_text spec = {o->arg[0], NULL, 0}, cand = {o->arg[1], NULL, 0};
  int status = AS_INTERNAL;
  bool ok = cli_load(o, o->arg[0], o->arg[1], &c, &err);
  if (ok) ok = (spec.text = as_read_file(o->arg[0], &spec.len, &err)) != NULL;
  if (ok) ok = (cand.text = as_read_file(o->arg[1], &cand.len, &err)) != NULL;
  if (ok) ok = cli_judge(o, &c, &spec, &cand, &v, &err);
  if (ok && o->out) ok = write_result(o, &c, &spec, &cand, &v, &err);
  if (ok) {
    if (o->json) {
      char *json = cli_report_json(&c, &v, NULL, NULL);
      fputs(json, stdout);
      free(json);
    } else if (o->quiet) {
      static const char *const words[] = {"PROVED", "REFUTED", "UNKNOWN"};
      puts(words[v.answer]);
    } else
      cli_print_verdicts(&v, o->verbose);
    status = v.certified ? AS_OK : v.answer == CLI_REFUTED ? AS_NO : AS_UNKNOWN;
  } else
    status = cli_fail(&err);
  free((char *)spec.text), free((char *)cand.text);
  cli_verdicts_clear(&v);
  cli_case_clear(&c);
  as_err_clear(&err);
  return status;
}
