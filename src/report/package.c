/* What a result directory holds (cli.h), collected from a judged case. */
#include "src/cli/cli.h"
#include <stdlib.h>
#include <string.h>

static bool has_file(const as_report_dir *r, const char *name) {
  for (size_t i = 0; i < r->file.n; i++) {
    if (strcmp(AS_VEC_AT(&r->file, as_report_file, i).name, name) == 0)
      return true;
  }
  return false;
}

/* the `use` path by which a program read this file, or NULL.  The copy of the program must find it
 * at the same place. */
static const char *use_path(const as_graph *g, const char *from, const char *file) {
  const char *slash = strrchr(from, '/');
  for (uint32_t i = 0; g && i < g->n_use; i++) {
    bool rooted = g->use[i][0] == '/' || slash == NULL;
    char *whole =
        rooted ? as_strdup(g->use[i]) : as_format("%.*s/%s", (int)(slash - from), from, g->use[i]);
    bool same = strcmp(whole, file) == 0;
    free(whole);
    if (same)
      return g->use[i];
  }
  return NULL;
}

static bool add_specifications(const cli_case *c, as_report_dir *r, as_err *err) {
  uint32_t n;
  const char *const *file = as_oplib_files(c->lib, &n);
  bool ok = true;
  for (uint32_t i = 0; i < n && ok; i++) {
    size_t len;
    const char *slash = strrchr(file[i], '/');
    const char *base = slash ? slash + 1 : file[i];
    const char *used = use_path(c->spec, c->spec_path, file[i]);
    if (used == NULL && c->cand && c->cand->program == NULL && c->cand_path)
      used = use_path(c->cand, c->cand_path, file[i]);
    char *name = used ? as_strdup(used) : as_format("semantics/%s", base);
    for (unsigned k = 2; !used && has_file(r, name); k++) {
      free(name);
      name = as_format("semantics/%u-%s", k, base);
    }
    if (used && (used[0] == '/' || strstr(used, "..") || has_file(r, name))) {
      ok = as_err_set(
          err, AS_BAD_INPUT,
          "`use \"%s\"`: a result directory can hold only files below the program's folder", used);
    }
    char *text = ok ? as_read_file(file[i], &len, err) : NULL;
    if (text)
      as_report_dir_add(r, name, text, len);
    ok = text != NULL;
    free(text);
    free(name);
  }
  return ok;
}

bool as_report_collect(const cli_case *c, const ck_text *spec, const ck_text *cand,
                       const cli_verdicts *v, const char *kernel, void *extra, as_report_dir *r,
                       as_err *err) {
  as_report_dir_add(r, "program.tp", spec->text, spec->len);
  as_report_dir_add(r, c->cand->program ? "candidate.mug" : "candidate.tp", cand->text, cand->len);
  if (v->proof.cert)
    as_report_dir_add(r, "certificate.cert", v->proof.cert, v->proof.cert_len);
  if (kernel)
    as_report_dir_add(r, "kernel.cu", kernel, strlen(kernel));
  if (v->smt_text)
    as_report_dir_add(r, "obligations.smt2", v->smt_text, strlen(v->smt_text));
  bool ok = add_specifications(c, r, err);
  as_report_item item;
  as_report_judged(c, v, &item);
  char *html = as_report_html(&item);
  as_report_clear(&item);
  as_report_dir_add(r, "report.html", html, strlen(html));
  char *json = as_report_json(c, v, r, extra);
  as_report_dir_add(r, "report.json", json, strlen(json));
  free(html);
  free(json);
  return ok;
}

bool as_report_package(const cli_opts *o, const char *dir, const cli_case *c, const ck_text *spec,
                       const ck_text *cand, const cli_verdicts *v, const char *kernel, void *extra,
                       as_err *err) {
  as_report_dir r;
  as_report_dir_init(&r);
  bool ok = as_report_collect(c, spec, cand, v, kernel, extra, &r, err) &&
            as_report_dir_write(&r, dir, o->force, err);
  as_report_dir_clear(&r);
  return ok;
}
