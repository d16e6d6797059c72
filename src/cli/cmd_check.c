#include "cli.h"
#include "src/base/file.h"
#include "src/check/check.h"
#include <stdlib.h>

/* the trusted checker beside this executable, or on PATH; malloc'ed */
static char *checker_path(void) {
  char *dir = cli_exe_dir();
  char *beside = as_format("%s/assay-check", dir);
  free(dir);
  if (as_exists(beside))
    return beside;
  free(beside);
  return as_strdup("assay-check");
}

int cli_check(const cli_opts *o) {
  as_err err;
  as_err_init(&err);
  char *standard = cli_sem_dir();
  char *checker = checker_path();
  const char *const standard_only[] = {standard};
  as_oplib *yours = cli_library(o, &err);
  as_check_how how = {.yours = yours,
                      .sem = o->sem.n ? o->sem.data : standard_only,
                      .n_sem = o->sem.n ? (uint32_t)o->sem.n : 1,
                      .checker = checker,
                      .target = o->arch ? as_target_find(o->arch, &err) : NULL,
                      .json = o->json,
                      .quiet = o->quiet};
  int status = err.status == AS_OK ? (int)as_check(&how, o->arg[0], &err) : AS_BAD_INPUT;
  if (err.status != AS_OK)
    status = as_err_tell(&err);
  as_oplib_free(yours);
  free(checker);
  free(standard);
  as_err_clear(&err);
  return status;
}
