/* Result directories: written beside their place and moved there by one rename, so that nobody sees
 * a part of one. */
#include "result.h"
#include "src/base/file.h"
#include "src/base/lock.h"
#include "src/base/mem.h"
#include "src/base/str.h"
#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void as_report_dir_init(as_report_dir *dir) {
  as_vec_init(&dir->file, sizeof(as_report_file));
}

void as_report_dir_add(as_report_dir *dir, const char *name, const char *data, size_t n) {
  as_report_file file = {as_strdup(name), as_malloc(n + 1), n};
  memcpy(file.data, data, n);
  file.data[n] = 0;
  as_vec_push(&dir->file, &file);
}

bool as_report_dir_has(const as_report_dir *dir, const char *name) {
  for (size_t i = 0; i < dir->file.n; i++) {
    if (strcmp(AS_VEC_AT(&dir->file, as_report_file, i).name, name) == 0)
      return true;
  }
  return false;
}

void as_report_dir_clear(as_report_dir *dir) {
  for (size_t i = 0; i < dir->file.n; i++) {
    free(AS_VEC_AT(&dir->file, as_report_file, i).name);
    free(AS_VEC_AT(&dir->file, as_report_file, i).data);
  }
  as_vec_clear(&dir->file);
}

/* removes a directory of plain files and few levels of folders: what a result directory is */
static void remove_dir(const char *dir, int depth) {
  DIR *folder = opendir(dir);
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
      continue;
    char *path = as_format("%s/%s", dir, entry->d_name);
    struct stat status;
    if (lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && depth > 0)
      remove_dir(path, depth - 1);
    else
      unlink(path);
    free(path);
  }
  if (folder)
    closedir(folder);
  rmdir(dir);
}

/* only what Assay wrote is ever replaced */
static bool is_result(const char *dir) {
  char *path = as_format("%s/report.json", dir);
  bool yes = as_exists(path);
  free(path);
  return yes;
}

static void remove_stale(void *arg, const char *stale) {
  (void)arg;
  remove_dir(stale, 8);
}

/* What runs that were killed have left beside it.  One killed between its two renames has put the
 * old directory aside: that one comes back. */
static void restore_stale(void *arg, const char *stale) {
  const char *dir = arg;
  if (as_exists(dir) || rename(stale, dir) != 0)
    remove_dir(stale, 8);
}

bool as_report_dir_place(const char *dir, bool force, as_err *err) {
  as_each_stale(dir, ".old", restore_stale, (void *)(uintptr_t)dir);
  as_each_stale(dir, ".tmp", remove_stale, NULL);
  if (as_exists(dir) && !(force && is_result(dir))) {
    return as_err_set(err, AS_BAD_INPUT, "%s: exists%s", dir,
                      force ? " and is no result directory"
                            : " (use --force to replace a result directory)");
  }
  char *parent = as_strdup(dir);
  char *slash = strrchr(parent, '/');
  if (slash)
    *(slash == parent ? slash + 1 : slash) = 0;
  const char *where = slash ? parent : ".";
  bool ok =
      access(where, W_OK | X_OK) == 0 ||
      as_err_set(err, AS_BAD_INPUT, "%s: cannot be made: %s: %s", dir, where, strerror(errno));
  free(parent);
  return ok;
}

bool as_report_dir_write(const as_report_dir *result, const char *dir, bool force, as_err *err) {
  if (!as_report_dir_place(dir, force, err))
    return false;
  char *tmp = as_format("%s.tmp%ld", dir, (long)getpid());
  char *old = as_format("%s.old%ld", dir, (long)getpid());
  bool ok = mkdir(tmp, 0777) == 0 ||
            as_err_set(err, AS_BAD_INPUT, "%s: cannot be made: %s", tmp, strerror(errno));
  for (size_t i = 0; i < result->file.n && ok; i++) {
    const as_report_file *file = &AS_VEC_AT(&result->file, as_report_file, i);
    char *path = as_format("%s/%s", tmp, file->name);
    for (char *slash = path + strlen(tmp) + 1; ok && (slash = strchr(slash, '/')); *slash++ = '/') {
      *slash = 0;
      if (mkdir(path, 0777) != 0 && errno != EEXIST)
        ok = as_err_set(err, AS_BAD_INPUT, "%s: cannot be made: %s", path, strerror(errno));
    }
    ok = ok && as_write_file(path, file->data, file->n, err);
    free(path);
  }
  bool replaced = ok && as_exists(dir);
  if (replaced) {
    ok = rename(dir, old) == 0 ||
         as_err_set(err, AS_BAD_INPUT, "%s: cannot be replaced: %s", dir, strerror(errno));
  }
  if (ok) {
    ok = rename(tmp, dir) == 0 ||
         as_err_set(err, AS_BAD_INPUT, "%s: cannot be made: %s", dir, strerror(errno));
  }
  if (replaced)
    remove_dir(old, 8);
  if (!ok)
    remove_dir(tmp, 8);
  free(tmp);
  free(old);
  return ok;
}

void *as_report_dir_json(const char *dir) {
  as_err unsaid;
  as_err_init(&unsaid);
  char *path = as_format("%s/report.json", dir);
  size_t length;
  char *text = as_read_file(path, &length, &unsaid);
  json_t *report = text ? json_loadb(text, length, 0, NULL) : NULL;
  as_err_clear(&unsaid);
  free(text);
  free(path);
  return report;
}
