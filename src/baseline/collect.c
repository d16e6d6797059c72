/* What files hold facts.  A candidate belongs to a program of its folder by its name: NAME.mug,
 * NAME.more.mug, NAME_more.mug, NAME-more.mug, the same with .json (a file of Mirage), and
 * NAME.more.tp belong to NAME.tp, the longest NAME first; candidate.mug and candidate.tp to
 * program.tp, as in a result directory.  Every rule of a .rule file is a fact of its own. */
#include "baseline.h"
#include "src/base/file.h"
#include "src/import/import.h"
#include "verify/judge/job.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_folder(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* names in a folder but hidden ones, sorted; to be freed one by one */
static int by_name(const struct dirent **a, const struct dirent **entry) {
  return strcmp((*a)->d_name, (*entry)->d_name);
}

static int visible(const struct dirent *entry) {
  return entry->d_name[0] != '.';
}

static void ask(as_baseline *baseline, as_baseline_kind kind, const char *program,
                const char *candidate, const char *part) {
  char *program_path = as_baseline_relative(baseline, program);
  char *candidate_path = candidate ? as_baseline_relative(baseline, candidate) : as_strdup("");
  as_baseline_fact_at(baseline, kind, program_path, candidate_path, part)->asked = true;
  free(program_path);
  free(candidate_path);
}

static bool rules_of(as_baseline *baseline, const as_baseline_collecting *how, const char *path,
                     as_err *err) {
  as_job job;
  as_job_init(&job, as_oplib_again(how->library, err));
  bool ok = job.lib && as_job_read_rules(&job, path, err);
  for (uint32_t i = 0; ok && i < as_rulefile_count(job.rules); i++) {
    const char *name = as_rulefile_name(job.rules, i);
    if (*name == 0)
      ok = as_err_set(err, AS_BAD_INPUT, "%s: a rule without a name", path);
    char *back = as_job_rule_name(&job, i, true);
    if (ok && how->forward)
      ask(baseline, AS_BASELINE_RULE, path, NULL, name);
    if (ok && how->backward)
      ask(baseline, AS_BASELINE_RULE, path, NULL, back);
    free(back);
  }
  as_job_clear(&job);
  return ok;
}

static bool pair(as_baseline *baseline, const char *program, const char *candidate, as_err *err) {
  if (!as_ends_with(candidate, ".json")) {
    ask(baseline, AS_BASELINE_PROGRAM, program, candidate, "");
    return true;
  }
  as_import *import = as_import_read(as_import_format_named("mirage"), candidate, err);
  for (size_t i = 0; import && i < as_import_count(import); i++) {
    char *part = as_format("%zu", i);
    ask(baseline, AS_BASELINE_MIRAGE, program, candidate, part);
    free(part);
  }
  as_import_free(import);
  return import != NULL;
}

/* the program that a candidate belongs to by its name, in the same folder; malloc'ed, NULL: none */
static char *program_of(const char *path) {
  const char *name = as_file_name(path);
  const char *dot = strrchr(name, '.');
  bool program = as_ends_with(path, ".tp");
  if (strcmp(name, "candidate.mug") == 0 || strcmp(name, "candidate.tp") == 0) {
    char *whole = as_format("%.*sprogram.tp", (int)(name - path), path);
    if (as_exists(whole))
      return whole;
    free(whole);
  }
  for (const char *end = dot; end > name; end--) {
    if (end != dot && !(program ? *end == '.' : strchr("._-", *end) != NULL))
      continue;
    if (end == dot && program)
      continue; /* itself */
    char *whole = as_format("%.*s.tp", (int)(end - path), path);
    if (as_exists(whole))
      return whole;
    free(whole);
  }
  return NULL;
}

static bool is_candidate(const char *path) {
  return as_ends_with(path, ".mug") || as_ends_with(path, ".tp") || as_ends_with(path, ".json");
}

/* of: only candidates of this program; NULL: everything, in folders below as well */
static bool folder(as_baseline *baseline, const as_baseline_collecting *how, const char *dir,
                   const char *of, uint32_t *found, as_err *err) {
  struct dirent **entry;
  int n = scandir(dir, &entry, visible, by_name);
  bool ok = n >= 0 || as_err_set(err, AS_BAD_INPUT, "%s: cannot be read", dir);
  for (int i = 0; i < n; i++) {
    char *path = strcmp(dir, ".") == 0 ? as_strdup(entry[i]->d_name)
                                       : as_format("%s/%s", dir, entry[i]->d_name);
    char *program = NULL;
    struct stat status;
    if (ok && lstat(path, &status) == 0) {
      if (S_ISDIR(status.st_mode)) {
        ok = of != NULL || folder(baseline, how, path, NULL, found, err);
      } else if (of == NULL && as_ends_with(path, ".rule")) {
        ok = rules_of(baseline, how, path, err);
        ++*found;
      } else if (is_candidate(path) && (program = program_of(path)) != NULL &&
                 (of == NULL || strcmp(program, of) == 0)) {
        ok = pair(baseline, program, path, err);
        ++*found;
      }
    }
    free(program);
    free(path);
    free(entry[i]);
  }
  if (n >= 0)
    free(entry);
  return ok;
}

static bool pair_by_hand(as_baseline *baseline, const char *path, const char *equals, as_err *err) {
  char *program = as_format("%.*s", (int)(equals - path), path);
  const char *candidate = equals + 1;
  bool ok = true;
  for (int i = 0; i < 2 && ok; i++) {
    if (!as_exists(i ? candidate : program))
      ok = as_err_set(err, AS_BAD_INPUT, "%s: no such file", i ? candidate : program);
  }
  if (ok && (!as_ends_with(program, ".tp") || !is_candidate(candidate))) {
    ok = as_err_set(
        err, AS_BAD_INPUT,
        "%s: PROGRAM.tp=CANDIDATE expected, the candidate a .mug, a .tp or a .json of Mirage",
        path);
  }
  ok = ok && pair(baseline, program, candidate, err);
  free(program);
  return ok;
}

bool as_baseline_collect(as_baseline *baseline, const as_baseline_collecting *how, const char *path,
                         as_err *err) {
  const char *equals = strchr(path, '=');
  uint32_t found = 0;
  if (!as_exists(path)) {
    return equals ? pair_by_hand(baseline, path, equals, err)
                  : as_err_set(err, AS_BAD_INPUT, "%s: no such file", path);
  }
  if (is_folder(path)) {
    char *dir = as_strdup(path);
    for (size_t n = strlen(dir); n > 1 && dir[n - 1] == '/';)
      dir[--n] = 0;
    bool ok = folder(baseline, how, dir, NULL, &found, err);
    free(dir);
    return ok && (found || as_err_set(err, AS_BAD_INPUT,
                                      "%s: holds no candidate with its program and no rule", path));
  }
  if (as_ends_with(path, ".rule"))
    return rules_of(baseline, how, path, err);
  if (!is_candidate(path))
    return as_err_set(err, AS_BAD_INPUT, "%s: not a .tp, .mug, .json or .rule file", path);
  char *program = program_of(path);
  if (program) {
    bool ok = pair(baseline, program, path, err);
    free(program);
    return ok;
  }
  char *dir = as_folder_of(path);
  bool ok = as_ends_with(path, ".tp") && folder(baseline, how, dir, path, &found, err);
  free(dir);
  return (ok && found) ||
         as_err_set(err, AS_BAD_INPUT,
                    "%s: nothing in its folder belongs to it by name; write PROGRAM.tp=CANDIDATE",
                    path);
}
