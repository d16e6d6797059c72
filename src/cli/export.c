#include "export.h"
#include "src/import/mirage.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cli_export {
  const cli_opts *o;
  const ck_text *spec;
  as_mirage *file;
};

const char *cli_export_path(const cli_opts *o) {
  return o->to && o->n_arg == 3 ? o->arg[2] : NULL;
}

cli_export *cli_export_new(const cli_opts *o, const ck_text *spec) {
  if (o->to == NULL)
    return NULL;
  cli_export *x = as_malloc(sizeof *x);
  *x = (cli_export){o, spec, as_mirage_new()};
  return x;
}

void cli_export_free(cli_export *x) {
  if (x == NULL)
    return;
  as_mirage_free(x->file);
  free(x);
}

/* What was written is what was proved only if it says so when it is read: the graph added last,
 * read back and judged like any other. */
static bool reads_back(cli_export *x, as_err *err) {
  cli_case c;
  cli_verdicts v;
  cli_verdicts_init(&v);
  cli_opts o = *x->o;
  o.solvers = "none";
  char *mug = NULL;
  char label[] = "the graph written";
  bool ok = cli_load(&o, x->spec->name, NULL, &c, err) &&
            (mug = as_mirage_mug(x->file, as_mirage_count(x->file) - 1, c.spec, err)) != NULL &&
            (c.cand = as_parse_mug(label, mug, strlen(mug), c.spec, err)) != NULL;
  c.cand_path = label;
  ck_text cand = {label, mug, mug ? strlen(mug) : 0};
  ok = ok && cli_judge(&o, &c, x->spec, &cand, &v, err);
  if (ok && !v.certified) {
    ok = as_err_set(err, AS_UNKNOWN, "what was written is not certified when read back: %s",
                    v.reason ? v.reason : "");
  }
  free(mug);
  cli_verdicts_clear(&v);
  cli_case_clear(&c);
  return ok;
}

bool cli_export_add(cli_export *x, const cli_case *c, const cli_verdicts *v) {
  if (x == NULL)
    return true;
  as_err err;
  as_err_init(&err);
  bool ok = v->certified
                ? c->cand->program != NULL ||
                      as_err_set(&err, AS_BAD_INPUT,
                                 "%s is a program; muGraphs can be written in Mirage's format",
                                 c->cand->name)
                : as_err_set(&err, AS_NO, "only what is certified is written");
  bool added = ok && as_mirage_add(x->file, c->cand, &err);
  ok = added && reads_back(x, &err);
  if (added && !ok)
    as_mirage_drop(x->file);
  if (!ok) {
    char *why = as_err_format(&err);
    fprintf(stderr, "assay: %s is not written: %s\n", c->cand_path, why);
    free(why);
  }
  as_err_clear(&err);
  return ok;
}

bool cli_export_write(const cli_export *x, as_err *err) {
  if (x == NULL || as_mirage_count(x->file) == 0)
    return true;
  char *text = as_mirage_text(x->file);
  bool ok = as_write_file(cli_export_path(x->o), text, strlen(text), err);
  free(text);
  return ok;
}
