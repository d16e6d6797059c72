/* Where specifications are found. */
#include "cli.h"
#include "config.h"
#include "lowered.h"
#include "src/base/file.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *cli_exe_dir(void) {
  char buf[4096];
  ssize_t n = readlink("/proc/self/exe", buf, sizeof buf - 1);
  if (n <= 0)
    return as_strdup(".");
  buf[n] = 0;
  char *slash = strrchr(buf, '/');
  if (slash)
    *slash = 0;
  return as_strdup(buf);
}

static int is_specification(const struct dirent *entry) {
  const char *dot = strrchr(entry->d_name, '.');
  return entry->d_name[0] != '.' && dot && strcmp(dot, ".sem") == 0;
}

static bool holds_specifications(const char *dir) {
  struct dirent **found;
  int n = scandir(dir, &found, is_specification, NULL);
  for (int i = 0; i < n; i++)
    free(found[i]);
  if (n >= 0)
    free(found);
  return n > 0;
}

char *cli_sem_dir(void) {
  const char *env = getenv("ASSAY_SEM");
  if (env && *env)
    return as_strdup(env);
  char *exe = cli_exe_dir();
  char *found = NULL;
  /* those of the build that this is; installed beside the executable; installed where configure
   * said; the source tree of a build that was moved */
  char *tries[] = {as_format("%s/semantics", exe), as_format("%s/../share/assay/semantics", exe),
                   as_strdup(AS_DATADIR "/semantics"), as_strdup(AS_SRCDIR "/semantics")};
  for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
    if (found == NULL && holds_specifications(tries[i]))
      found = tries[i];
    else
      free(tries[i]);
  }
  free(exe);
  return found ? found : as_strdup(AS_DATADIR "/semantics");
}

char *cli_emulation_dir(void) {
  char *exe = cli_exe_dir();
  char *beside = as_format("%s/../share/assay/emu", exe);
  free(exe);
  if (as_exists(beside))
    return beside;
  free(beside);
  return as_strdup(as_exists(AS_DATADIR "/emu") ? AS_DATADIR "/emu" : AS_SRCDIR "/src/lower/emu");
}

char *cli_second_dir(void) {
  char *exe = cli_exe_dir();
  char *tries[] = {as_format("%s/../share/assay/proofs", exe), as_strdup(AS_DATADIR "/proofs"),
                   as_strdup(AS_SRCDIR "/proofs")};
  char *found = NULL;
  free(exe);
  for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
    char *package = as_format("%s/second/__main__.py", tries[i]);
    if (found == NULL && as_exists(package))
      found = tries[i];
    else
      free(tries[i]);
    free(package);
  }
  return found;
}

static bool load_path(as_oplib *lib, const char *path, as_err *err) {
  struct stat status;
  if (stat(path, &status) != 0)
    return as_err_set(err, AS_BAD_INPUT, "%s: operator specifications not found", path);
  return S_ISDIR(status.st_mode) ? as_oplib_load_dir(lib, path, err)
                                 : as_oplib_load(lib, path, err);
}

as_oplib *cli_library(const cli_opts *opts, as_err *err) {
  as_oplib *lib = as_oplib_new();
  char *standard = opts->sem.n == 0 ? cli_sem_dir() : NULL;
  bool ok = standard == NULL || load_path(lib, standard, err);
  for (size_t i = 0; ok && i < opts->sem.n; i++)
    ok = load_path(lib, AS_VEC_AT(&opts->sem, char *, i), err);
  free(standard);
  if (ok)
    return lib;
  as_oplib_free(lib);
  return NULL;
}
