#include "cli.h"
#include "src/base/child.h"
#include "src/base/file.h"
#include "src/check/check.h"
#include <stdlib.h>
#include <string.h>

/* a program beside this executable, or else on PATH; malloc'ed */
static char *program_path(const char *name) {
  char *dir = cli_exe_dir();
  char *beside = as_format("%s/%s", dir, name);
  free(dir);
  if (as_exists(beside))
    return beside;
  free(beside);
  return as_strdup(name);
}

/* runs the package `second` of the folder that the first argument names */
static const char run_second[] =
    "import runpy, sys; sys.path[0] = sys.argv.pop(1); "
    "runpy.run_module(\"second\", run_name=\"__main__\", alter_sys=True)";

/* The second checker's command, in place: folder is its own, malloc'ed.  false with err: there is
 * no Python, or no package. */
static bool find_second(const char *command[6], char **folder, as_err *err) {
  const char *python = getenv("PYTHON3");
  python = python && *python ? python : "python3";
  *folder = cli_second_dir();
  if (!as_child_exists(python))
    return as_err_set(err, AS_INTERNAL, "the second checker needs Python 3, and `%s` cannot be run",
                      python);
  if (*folder == NULL)
    return as_err_set(err, AS_INTERNAL, "the second checker is not installed");
  const char *const words[] = {python, "-B", "-c", run_second, *folder, NULL};
  memcpy(command, words, sizeof words);
  return true;
}

int cli_check(const cli_opts *opts) {
  as_err err;
  as_err_init(&err);
  char *standard = cli_sem_dir();
  char *checker = program_path("assay-check");
  char *extracted = program_path("assay-check-extracted");
  char *folder = NULL;
  bool both = strcmp(opts->checkers, "both") == 0;
  bool all = strcmp(opts->checkers, "all") == 0;
  const char *const first[] = {checker, NULL};
  const char *second[6] = {NULL};
  const char *const third[] = {extracted, NULL};
  const char *const standard_only[] = {standard};
  as_oplib *yours = cli_library(opts, &err);
  if (both && err.status == AS_OK)
    find_second(second, &folder, &err);
  if (all && err.status == AS_OK && !find_second(second, &folder, &err))
    as_err_clear(&err); /* said in the verdict */
  const as_check_by by[] = {{"assay-check", first},
                            {"the second checker", *second ? second : NULL},
                            {"the extracted checker", as_child_exists(extracted) ? third : NULL}};
  as_check_how how = {.yours = yours,
                      .sem = opts->sem.n ? opts->sem.data : standard_only,
                      .n_sem = opts->sem.n ? (uint32_t)opts->sem.n : 1,
                      .checkers = by,
                      .n_checkers = all    ? 3
                                    : both ? 2
                                           : 1,
                      .target = opts->arch ? as_target_find(opts->arch, &err) : NULL,
                      .json = opts->json,
                      .quiet = opts->quiet};
  int status = err.status == AS_OK ? (int)as_check(&how, opts->arg[0], &err) : (int)err.status;
  if (err.status != AS_OK)
    status = as_err_tell(&err);
  as_oplib_free(yours);
  free(folder);
  free(extracted);
  free(checker);
  free(standard);
  as_err_clear(&err);
  return status;
}
