#include "export.h"
#include "src/report/junit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_rules(const char *path) {
  size_t n = strlen(path);
  return n > 5 && strcmp(path + n - 5, ".rule") == 0;
}

int cli_certify(const cli_opts *o) {
  if (is_rules(o->arg[0])) {
    for (uint32_t i = 1; i < o->n_arg; i++) {
      if (!is_rules(o->arg[i])) {
        fprintf(stderr, "assay: %s: no file of rules (.rule), as the first one is\n", o->arg[i]);
        return AS_BAD_INPUT;
      }
    }
    return cli_certify_rules(o);
  }
  if (o->n_arg < 2 || o->n_arg > 3 || (o->n_arg == 3) != (o->to != NULL)) {
    fprintf(stderr, "usage: assay certify [options] FILE.rule ... | PROGRAM.tp CANDIDATE [and with "
                    "--to, only then: the file to write]\n");
    return AS_BAD_INPUT;
  }
  if (o->from)
    return cli_import(o);
  as_err err;
  as_err_init(&err);
  cli_case c;
  cli_verdicts v;
  cli_verdicts_init(&v);
  ck_text spec = {o->arg[0], NULL, 0};
  ck_text cand = {o->arg[1], NULL, 0};
  int status = AS_INTERNAL;
  bool ok = cli_load(o, o->arg[0], o->arg[1], &c, &err);
  if (ok)
    ok = (spec.text = as_read_file(o->arg[0], &spec.len, &err)) != NULL;
  if (ok)
    ok = (cand.text = as_read_file(o->arg[1], &cand.len, &err)) != NULL;
  if (ok)
    ok = cli_judge(o, &c, &spec, &cand, &v, &err);
  if (ok && o->out)
    ok = as_report_package(o, o->out, &c, &spec, &cand, &v, NULL, NULL, &err);
  cli_export *x = cli_export_new(o, &spec);
  bool written = !ok || cli_export_add(x, &c, &v);
  if (ok)
    ok = cli_export_write(x, &err);
  cli_export_free(x);
  if (ok && o->junit) {
    as_report_junit *j = as_report_junit_new(o->arg[0]);
    as_report_junit_judged(j, o->arg[0], o->arg[1], v.prove_seconds + v.check_seconds, NULL, &v);
    ok = as_report_junit_write(j, o->junit, &err);
    as_report_junit_free(j);
  }
  if (ok) {
    if (o->json) {
      char *json = as_report_json(&c, &v, NULL, NULL);
      fputs(json, stdout);
      free(json);
    } else if (o->quiet) {
      static const char *const words[] = {"PROVED", "REFUTED", "UNKNOWN"};
      puts(words[v.answer]);
    } else {
      cli_print_verdicts(&v, o->verbose);
    }
    status = v.certified               ? (written ? AS_OK : AS_BAD_INPUT)
             : v.answer == CLI_REFUTED ? AS_NO
                                       : AS_UNKNOWN;
  } else {
    status = cli_fail(&err);
  }
  free((char *)spec.text);
  free((char *)cand.text);
  cli_verdicts_clear(&v);
  cli_case_clear(&c);
  as_err_clear(&err);
  return status;
}
