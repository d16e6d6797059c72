/* `assay check DIR`: the files are what the report says, and the checker, as a process of its own,
 * accepts the certificate. */
#include "cli.h"
#include "src/base/child.h"
#include "src/lower/lower.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* the trusted checker beside this executable, or on PATH; malloc'ed */
static char *checker_path(void) {
  char *dir = cli_exe_dir();
  char *p = as_format("%s/assay-check", dir);
  free(dir);
  if (as_exists(p))
    return p;
  free(p);
  return as_strdup("assay-check");
}

static bool check_hashes(const char *dir, json_t *files, as_err *err, int *wrong) {
  const char *name;
  json_t *want;
  json_object_foreach(files, name, want) {
    if (!as_path_is_below(name) || !json_is_string(want))
      return as_err_set(err, AS_BAD_INPUT, "%s/report.json: odd file name `%s`", dir, name);
    char *p = as_format("%s/%s", dir, name);
    char h[65];
    size_t n;
    char *text = as_read_file(p, &n, err);
    free(p);
    if (text == NULL)
      return false;
    as_sha256(text, n, h);
    free(text);
    if (strcmp(h, json_string_value(want)) != 0) {
      printf("%s: changed since the report was written\n", name);
      ++*wrong;
    }
  }
  return true;
}

/* what the report must vouch for */
static bool check_listed(const char *dir, json_t *files, as_err *err) {
  static const char *const name[] = {"program.tp",   "certificate.cert", "candidate.mug",
                                     "candidate.tp", "kernel.cu",        "report.html"};
  for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
    char *p = as_format("%s/%s", dir, name[i]);
    bool odd = (i < 2 || as_exists(p)) && json_object_get(files, name[i]) == NULL;
    free(p);
    if (odd)
      return as_err_set(err, AS_BAD_INPUT, "%s/report.json: has no hash of %s", dir, name[i]);
  }
  return true;
}

/* kernel.cu must be what lowering makes of the certified muGraph */
static bool check_kernel(const cli_opts *o, const char *dir, const char *prog, const char *cand,
                         char *sem, as_err *err, int *wrong) {
  char *kernel = as_format("%s/kernel.cu", dir);
  char *text = NULL;
  size_t n;
  cli_opts local = *o;
  as_job job = {0};
  as_lowered low;
  as_lowered_init(&low);
  as_vec_init(&local.sem, sizeof(char *));
  as_vec_push(&local.sem, &sem);
  bool there = as_exists(kernel);
  if (there)
    as_job_init(&job, cli_library(&local, err));
  bool ok =
      !there || (job.lib && (text = as_read_file(kernel, &n, err)) &&
                 as_job_read_program(&job, prog, err) && as_job_read_candidate(&job, cand, err));
  as_lower_opts plan = {.target = there && ok ? cli_target(o, dir, err) : NULL};
  if (there && ok)
    ok = plan.target && as_lower_cuda(job.graph, &plan, &low, err);
  if (there && ok && (strlen(low.cuda) != n || memcmp(low.cuda, text, n) != 0)) {
    printf("%s: not what this version of assay makes of %s\n", kernel, cand);
    ++*wrong;
  }
  if (there)
    as_job_clear(&job);
  as_vec_clear(&local.sem);
  as_lowered_clear(&low);
  free(kernel);
  free(text);
  return ok;
}

int cli_check(const cli_opts *o) {
  as_err err;
  as_err_init(&err);
  const char *dir = o->arg[0];
  char *path = as_format("%s/report.json", dir);
  char *checker = checker_path();
  cli_place at;
  cli_place_init(&at, o);
  size_t n;
  int status = AS_INTERNAL;
  int wrong = 0;
  bool accepted = false;
  char *text = as_read_file(path, &n, &err);
  json_error_t je;
  json_t *report = text ? json_loadb(text, n, 0, &je) : NULL;
  if (text && report == NULL)
    as_err_at(&err, path, text, n, je.line, je.column, "%s", je.text);
  json_t *files = json_object_get(report, "files");
  if (report && !json_is_object(files))
    as_err_set(&err, AS_BAD_INPUT, "%s: no list of files", path);
  if (err.status == AS_OK && check_listed(dir, files, &err) &&
      check_hashes(dir, files, &err, &wrong) &&
      check_kernel(o, dir, at.prog, at.cand, at.sem, &err, &wrong)) {
    const char *const argv[] = {checker, "--sem", at.sem, at.prog, at.cand, at.cert, NULL};
    as_child_result said;
    as_child_run(&(as_child){.argv = argv, .errors = AS_CHILD_ERRORS_MERGED}, &said);
    bool ended = said.end == AS_CHILD_EXITED;
    if (!o->quiet && !o->json && said.output.s)
      fputs(said.output.s, stdout);
    accepted = ended && said.status == 0;
    if (!ended) {
      char *how = as_child_how(&said);
      as_err_set(&err, AS_INTERNAL, "%s: %s", checker, how);
      free(how);
    } else if (said.status == AS_BAD_INPUT) {
      as_err_set(&err, AS_BAD_INPUT, "%s: the checker cannot read it", dir);
    } else {
      status = accepted && wrong == 0 ? AS_OK : AS_NO;
    }
    as_child_result_clear(&said);
    if (err.status == AS_OK && o->json)
      printf("{\"accepted\": %s, \"changed_files\": %d}\n", accepted ? "true" : "false", wrong);
    if (err.status == AS_OK && !o->json)
      puts(status == AS_OK ? "VERIFIED: certificate accepted, files unchanged" : "NOT VERIFIED");
  }
  if (err.status != AS_OK)
    status = cli_fail(&err);
  json_decref(report);
  cli_place_clear(&at);
  free(text);
  free(path);
  free(checker);
  as_err_clear(&err);
  return status;
}
