#include "cli.h"
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int cli_fail(const as_err *err) {
  char *s = as_err_format(err);
  fprintf(stderr, "assay: %s\n", s);
  free(s);
  return err->status == AS_OK ? AS_INTERNAL : (int)err->status;
}

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

char *cli_sem_dir(void) {
  const char *env = getenv("ASSAY_SEM");
  if (env && *env)
    return as_strdup(env);
  char *exe = cli_exe_dir();
  char *found = NULL;
  /* installed beside the executable; installed where configure said; the source tree of a build
   * that is not installed */
  char *tries[] = {as_format("%s/../share/assay/semantics", exe),
                   as_strdup(AS_DATADIR "/semantics"), as_strdup(AS_SRCDIR "/semantics")};
  for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
    if (found == NULL && as_exists(tries[i]))
      found = tries[i];
    else
      free(tries[i]);
  }
  free(exe);
  return found ? found : as_strdup(AS_DATADIR "/semantics");
}

static bool load_library(const cli_opts *o, as_oplib *lib, as_err *err) {
  char *standard = o->sem.n == 0 ? cli_sem_dir() : NULL;
  bool ok = true;
  for (size_t i = 0; ok && i < (standard ? 1 : o->sem.n); i++) {
    const char *path = standard ? standard : AS_VEC_AT(&o->sem, char *, i);
    struct stat st;
    if (stat(path, &st) != 0)
      ok = as_err_set(err, AS_BAD_INPUT, "%s: operator specifications not found", path);
    else
      ok = S_ISDIR(st.st_mode) ? as_oplib_load_dir(lib, path, err) : as_oplib_load(lib, path, err);
  }
  free(standard);
  return ok;
}

/* a candidate that begins with `program` (or `use`) is a program, otherwise a muGraph */
static bool is_program(const char *text, size_t len) {
  size_t i = 0;
  while (i < len) {
    if (text[i] == '#') {
      while (i < len && text[i] != '\n')
        i++;
    } else if (strchr(" \t\r\n", text[i])) {
      i++;
    } else {
      break;
    }
  }
  return (len - i >= 7 && memcmp(text + i, "program", 7) == 0) ||
         (len - i >= 3 && memcmp(text + i, "use", 3) == 0);
}

bool cli_load(const cli_opts *o, const char *spec, const char *cand, cli_case *c, as_err *err) {
  memset(c, 0, sizeof *c);
  c->spec_path = (char *)spec;
  c->cand_path = (char *)cand;
  c->sizes = as_sizes_new();
  c->lib = as_oplib_new();
  if (!load_library(o, c->lib, err))
    return false;
  if (spec == NULL)
    return true;
  size_t n;
  char *text = as_read_file(spec, &n, err);
  if (text)
    c->spec = as_parse_tp(spec, text, n, c->sizes, c->lib, err);
  free(text);
  if (c->spec == NULL || cand == NULL)
    return c->spec != NULL;
  text = as_read_file(cand, &n, err);
  if (text) {
    c->cand = is_program(text, n) ? as_parse_tp(cand, text, n, c->sizes, c->lib, err)
                                  : as_parse_mug(cand, text, n, c->spec, err);
  }
  free(text);
  return c->cand != NULL;
}

void cli_case_clear(cli_case *c) {
  as_graph_free(c->cand);
  as_graph_free(c->spec);
  as_oplib_free(c->lib);
  as_sizes_free(c->sizes);
}
