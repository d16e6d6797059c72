/* What a result directory holds (cli.h), collected from a judged case. */
#include "cli.h"
#include <stdlib.h>
#include <string.h>

static void add_specifications(const cli_case *c, cli_result *r, as_err *err) {
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

bool cli_package(const cli_opts *o, const char *dir, const cli_case *c, const ck_text *spec, const ck_text *cand, const cli_verdicts *v, const char *kernel,
                 void *extra, const char *extra_html, as_err *err) {
  cli_result r;
  cli_result_init(&r);
  cli_result_add(&r, "program.tp", spec->text, spec->len);
  cli_result_add(&r, c->cand->program ? "candidate.mug" : "candidate.tp", cand->text, cand->len);
  if (v->proof.cert) cli_result_add(&r, "certificate.cert", v->proof.cert, v->proof.cert_len);
  if (kernel) cli_result_add(&r, "kernel.cu", kernel, strlen(kernel));
  if (v->smt_text) cli_result_add(&r, "obligations.smt2", v->smt_text, strlen(v->smt_text));
  add_specifications(c, &r, err);
  char *html = cli_report_html(c, v, extra_html);
  cli_result_add(&r, "report.html", html, strlen(html));
  char *json = cli_report_json(c, v, &r, extra);
  cli_result_add(&r, "report.json", json, strlen(json));
  bool ok = err->status == AS_OK && cli_result_write(&r, dir, o->force, err);
  free(html), free(json);
  cli_result_clear(&r);
  return ok;
}
